// Modules of Node, where there is Node; undefined in browsers. Asked for by name at run time, so that
// bundlers for browsers do not try to include them.

import type * as Fs from "node:fs";
import type * as Net from "node:net";
import type * as Os from "node:os";
import type * as Path from "node:path";
import type * as Tls from "node:tls";
import type * as Url from "node:url";
import type * as Threads from "node:worker_threads";
import type * as Zlib from "node:zlib";
import { once } from "../core/block.ts";
import { describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import { NotSupportedError } from "./errors.ts";

// Functions of modules, by the module's address and the function's name: what can be sent to other threads and processes,
// where code cannot. In: both. Out: the function, of the module as it is imported where this runs.
// Must hold: addresses from elsewhere are looked at before they come here (runtime/planRoots.ts).

type ModuleFunction = (...args: unknown[]) => unknown;

export async function exportedFunction(module: string, name: string): Promise<ModuleFunction> {
  const exports = (await import(/* @vite-ignore */ /* webpackIgnore: true */ module)) as {
    readonly [name: string]: unknown;
  };
  const found = exports[name];
  if (typeof found === "function") return found as ModuleFunction;
  throw new ValueError({
    what: `${module} exports no function ${describe(name)}`,
    cure: `It exports ${Object.keys(exports).join(", ") || "nothing"}`,
  });
}

/** True for an address that can be a module's, in every thread and process. */
export const isModuleAddress = (address: unknown): address is string =>
  typeof address === "string" && /^(file|https?):/.test(address);

interface Builtins {
  "node:fs": typeof Fs;
  "node:net": typeof Net;
  "node:os": typeof Os;
  "node:path": typeof Path;
  "node:tls": typeof Tls;
  "node:url": typeof Url;
  "node:worker_threads": typeof Threads;
  "node:zlib": typeof Zlib;
}

const NAMES: readonly (keyof Builtins)[] = [
  ...([
    "node:fs",
    "node:net",
    "node:os",
    "node:path",
    "node:tls",
    "node:url",
    "node:worker_threads",
  ] as const),
  "node:zlib",
];

const { process: host } = globalThis as {
  process?: {
    versions?: { node?: string };
    getBuiltinModule?(name: string): unknown;
  };
};

/** What Node before 20.16 can only import: all of it, so that it is there at once afterwards. */
const imported = once(() => {
  const modules: Partial<Builtins> = {};
  const load = async (name: string): Promise<unknown> =>
    import(/* @vite-ignore */ /* webpackIgnore: true */ name);
  const done = Promise.all(NAMES.map(async (name) => Object.assign(modules, { [name]: await load(name) })));
  return { modules, done };
});

/** At once, where the module is loaded or Node can give it at once. */
export function builtinNow<N extends keyof Builtins>(name: N): Builtins[N] | undefined {
  if (host?.getBuiltinModule !== undefined) return host.getBuiltinModule(name) as Builtins[N];
  return host?.versions?.node === undefined ? undefined : imported().modules[name];
}

/** The module, or undefined outside Node. */
export async function builtin<N extends keyof Builtins>(name: N): Promise<Builtins[N] | undefined> {
  const now = builtinNow(name);
  if (now !== undefined || host?.versions?.node === undefined) return now;
  await imported().done;
  return builtinNow(name);
}

export async function requireBuiltin<N extends keyof Builtins>(name: N): Promise<Builtins[N]> {
  const module = await builtin(name);
  if (module !== undefined) return module;
  throw new NotSupportedError({
    what: `${name} is not there: this is not Node`,
    cure: "In a browser use HttpStore, ZipStore or MemoryStore",
  });
}
