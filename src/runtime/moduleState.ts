// The state of a module of a user's function, with all that it imports: another version of any of it may compute something
// else. In: the address of a module. Out: a text that is another for another state, or null where that cannot be known.
// Must hold: no import is overlooked. Files are read, not run; a way to import that is not understood here means "unknown".

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { builtinNow } from "../storage/builtin.ts";

type Files = typeof import("node:fs");
type Paths = typeof import("node:path");

export function moduleState(module: string): string | null {
  const [fs, path, url] = [builtinNow("node:fs"), builtinNow("node:path"), builtinNow("node:url")];
  if (fs === undefined || path === undefined || url === undefined || !module.startsWith("file:")) return null;
  try {
    return new Modules(fs, path).stateOf(url.fileURLToPath(new URL(module)));
  } catch {
    // A file that is not there, or that may not be read.
    return null;
  }
}

/** More would take long, and are not blocks of somebody's computation. */
const MOST_FILES = 2000;

class Modules {
  readonly #fs: Files;
  readonly #path: Paths;
  readonly #states = new Map<string, string>();

  constructor(fs: Files, path: Paths) {
    this.#fs = fs;
    this.#path = path;
  }

  stateOf(entry: string): string | null {
    const waiting = [this.#fs.realpathSync(entry)];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (this.#states.has(file)) continue;
      const text = this.#fs.readFileSync(file, "utf8");
      this.#states.set(file, bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32));
      const found = isCode(file) ? importsIn(text) : [];
      if (found === null || this.#states.size > MOST_FILES) return null;
      for (const specifier of found) {
        const next = this.#resolve(specifier, file);
        if (next === null) return null;
        if (next !== "") waiting.push(next);
      }
    }
    return [...this.#states].map(([name, state]) => `${name} ${state}`).join("\n");
  }

  /** A file to look at; "" for what a name and a version say all about; null for what is not understood. */
  #resolve(specifier: string, from: string): string | null {
    if (/^\.{1,2}\//.test(specifier))
      return this.#file(this.#path.resolve(this.#path.dirname(from), specifier));
    if (specifier.startsWith("/") || specifier.startsWith("file:")) return null;
    if (specifier.startsWith("node:") || this.#isBuiltin(specifier))
      return this.#package("node", hostVersion());
    if (/^[a-z][a-z0-9+.-]*:|^#|\\|%/i.test(specifier)) return null;
    const [scope, name] = specifier.split("/");
    return this.#installed(specifier.startsWith("@") ? `${scope}/${name}` : scope!, from);
  }

  #file(path: string): string | null {
    for (const ending of ["", ".js", ".cjs", ".json"]) {
      const stat = this.#fs.statSync(path + ending, { throwIfNoEntry: false });
      if (stat?.isFile()) return this.#fs.realpathSync(path + ending);
    }
    return null;
  }

  /** A package in a folder of packages is what its name and version say. One that is linked there is somebody's work. */
  #installed(name: string, from: string): string | null {
    const { dirname, join, sep } = this.#path;
    for (let folder = dirname(from); ; folder = dirname(folder)) {
      const file = join(folder, "node_modules", name, "package.json");
      if (this.#fs.existsSync(file)) {
        const isInstalled = this.#fs.realpathSync(file).includes(`${sep}node_modules${sep}`);
        return isInstalled ? this.#package(name, this.#manifest(file).version) : null;
      }
      // A package may import itself. Of ours, a version of the key tells what changes results.
      const own = join(folder, "package.json");
      if (this.#fs.existsSync(own) && this.#manifest(own).name === name)
        return name === "chunkwise" ? "" : null;
      if (dirname(folder) === folder) return null;
    }
  }

  #manifest(file: string): { readonly name?: unknown; readonly version?: unknown } {
    return JSON.parse(this.#fs.readFileSync(file, "utf8")) as { name?: unknown; version?: unknown };
  }

  #package(name: string, version: unknown): string | null {
    if (typeof version !== "string") return null;
    this.#states.set(name, version);
    return "";
  }

  #isBuiltin(specifier: string): boolean {
    const { process: host } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
    return (
      /^[a-z_]+(\/[a-z]+)?$/.test(specifier) && host?.getBuiltinModule?.(`node:${specifier}`) !== undefined
    );
  }
}

const hostVersion = (): unknown =>
  (globalThis as { process?: { version?: string } }).process?.version ?? undefined;

const isCode = (file: string): boolean => !file.endsWith(".json");

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`, `require("x")`. */
const FORMS: readonly RegExp[] = [
  /\b(?:import|export(?!\s+default))\s*(?:[\w$*{][\w$\s*{},]*?)?\bfrom\s*(["'])([^"'\n\\]+)\1/g,
  /\bimport\s*(["'])([^"'\n\\]+)\1/g,
  /\b(?:import|require)\s*\(\s*(["'])([^"'\n\\]+)\1\s*\)/g,
];

/** Every word that can import something, other than `import.meta`. */
const WORDS =
  /\bimport\b(?!\s*\.\s*meta\b)|\brequire\b|\bcreateRequire\b|\bgetBuiltinModule\b|\bexport\s*(?:\*|\{[^}]*\}\s*from\b)/g;

/** Comments on lines of their own. Others may be texts, so what they say counts. */
const COMMENTS = /^[ \t]*\/\/(?!.*\$\{).*$|^[ \t]*\/\*(?:(?!\*\/|\$\{)[\s\S])*\*\//gm;

/** What a text imports; null when it has a word for it that is not understood. */
export function importsIn(text: string): string[] | null {
  const code = text.replace(COMMENTS, "");
  const found: string[] = [];
  const starts = new Set<number>();
  for (const form of FORMS)
    for (const match of code.matchAll(form)) {
      starts.add(match.index);
      found.push(match[2]!);
    }
  for (const { index } of code.matchAll(WORDS)) if (!starts.has(index)) return null;
  return found;
}
