// Modules of Node, where there is Node; undefined in browsers. Asked for by name at run time, so that
// bundlers for browsers do not try to include them.

import type * as Fs from "node:fs";
import type * as Os from "node:os";
import type * as Path from "node:path";
import type * as Url from "node:url";
import type * as Zlib from "node:zlib";
import { NotSupportedError } from "./errors.ts";

interface Builtins {
  "node:fs": typeof Fs;
  "node:os": typeof Os;
  "node:path": typeof Path;
  "node:url": typeof Url;
  "node:zlib": typeof Zlib;
}

const { process: host } = globalThis as {
  process?: {
    versions?: { node?: string };
    getBuiltinModule?(name: string): unknown;
  };
};

const loaded = new Map<string, unknown>();

/** At once, where the module is loaded or Node can give it at once. */
export function builtinNow<N extends keyof Builtins>(name: N): Builtins[N] | undefined {
  if (!loaded.has(name)) {
    const module = host?.getBuiltinModule?.(name);
    if (module !== undefined) loaded.set(name, module);
  }
  return loaded.get(name) as Builtins[N] | undefined;
}

/** The module, or undefined outside Node. Node before 20.16 has only `import`. */
export async function builtin<N extends keyof Builtins>(name: N): Promise<Builtins[N] | undefined> {
  const now = builtinNow(name);
  if (now !== undefined || host?.versions?.node === undefined) return now;
  const specifier: string = name;
  loaded.set(name, await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier));
  return loaded.get(name) as Builtins[N];
}

export async function requireBuiltin<N extends keyof Builtins>(name: N): Promise<Builtins[N]> {
  const module = await builtin(name);
  if (module !== undefined) return module;
  throw new NotSupportedError({
    what: `${name} is not there: this is not Node`,
    cure: "In a browser use HttpStore, ZipStore or MemoryStore",
  });
}
