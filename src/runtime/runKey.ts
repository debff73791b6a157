// The key of a run: the same for the same computation in every process, and another for any other. It covers what the plan
// does, where its sources are and in which state, and the modules of users' functions with all that they import.
// Must hold: where one of these cannot be known, the key is like no other, so that nothing is ever taken for its work.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { attrsText, type Resource } from "../core/block.ts";
import { type ChunkShape, gridOf, placeOf, type Shape, sizeOf } from "../core/chunks.ts";
import { arrayTypeText } from "../expr/op.ts";
import { PartitionResource } from "../ops/partitions.ts";
import { taskWindows } from "../plan/demand.ts";
import { type Operation, type PlanData, type PlanStep, readsOf } from "../plan/plan.ts";
import { builtinNow } from "../storage/builtin.ts";
import { StoredSource } from "../storage/formats/table.ts";
import { chunksIn } from "./planGraph.ts";
import { functionsOf } from "./userFunctions.ts";

// How safe what a run wrote is. A system that stops without warning may lose what was written last: files are then shorter
// than they were, or full of zeros. In: how it was written, as a word that lies beside it. Out: how much of it is in doubt.
// A system that has run on since has lost nothing, and what `durable` wrote is on the disk.

/** What was synced before it was told of. */
const DURABLE = "durable";

/** What stands beside what is written from now on; `before` for what was there already, null when there was nothing. */
export const writtenBy = (isDurable: boolean, before: string | null = null): string =>
  isDurable && (before === null || before === DURABLE) ? DURABLE : systemName();

/** Another one each time that the system is started. */
function systemName(): string {
  try {
    const id = builtinNow("node:fs")?.readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    if (id !== undefined) return id.trim();
  } catch {}
  const uptime = builtinNow("node:os")?.uptime() ?? 0;
  return `minute-${Math.round((Date.now() / 1000 - uptime) / 60)}`;
}

/** Systems write what is changed to the disk within a minute; some wait for ten. */
const SLOWEST_MS = 600_000;
/** A server of files may have been started anew when this system was not. */
const RECENT_MS = 60_000;
const RECENT_CHUNKS = 1000;

/** What is to be looked into: what was written less than so long before the last of it, but no more than so many. */
export interface Doubt {
  readonly ms: number;
  readonly most: number;
}

const NONE: Doubt = { ms: 0, most: 0 };

export function doubtOf(written: string | undefined, isFinished: boolean): Doubt {
  if (written === DURABLE) return NONE;
  if (written !== systemName()) return { ms: SLOWEST_MS, most: Number.POSITIVE_INFINITY };
  return isFinished ? NONE : { ms: RECENT_MS, most: RECENT_CHUNKS };
}

// In which state the sources of a run are. In: a source, and the plan that reads it. Out: a text that is another for another
// state of what is read, or null where that cannot be known: then nothing of an earlier run is taken for this one's.

async function sourceState(name: string, resource: Resource, plan: PlanData): Promise<string | null> {
  // Nobody asks servers for the versions of such files.
  if (resource instanceof PartitionResource && isRemote(resource)) return null;
  // The fingerprint says it: elements in memory by what they are, files by size and time.
  if (!(resource instanceof StoredSource)) return "";
  const { array } = resource;
  return array.state?.((unit) => unitsRead(name, array.shape, unit, plan)) ?? null;
}

const isRemote = (resource: PartitionResource): boolean =>
  /"https?:\/\//i.test(JSON.stringify(resource.location()));

/** Each is a request of its own, before the run. */
const MOST_ASKED = 4096;
/** The windows of so many tasks are looked at. */
const MOST_TASKS = 100_000;

/** Numbers of the stored objects that a plan reads of a source; null when they are too many to ask for each. */
function unitsRead(name: string, shape: Shape, unit: ChunkShape, plan: PlanData): Set<number> | null {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const readers = plan.operations.filter((operation) => [...readsOf(operation)].includes(name));
  const tasks = readers.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  const units = new Set<number>();
  const grid = gridOf(shape, unit);
  if (tasks > MOST_TASKS) {
    const all = sizeOf(grid);
    for (let at = 0; at < Math.min(all, MOST_ASKED + 1); at++) units.add(at);
  } else
    for (const operation of readers)
      for (let task = 0; task < sizeOf(operation.grid); task++)
        for (const { array, box } of taskWindows(operation, arrays, placeOf(task, operation.grid)))
          if (array === name) {
            for (const at of chunksIn(box, grid, unit)) units.add(at);
            if (units.size > MOST_ASKED) return null;
          }
  return units.size > MOST_ASKED ? null : units;
}

// The state of a module of a user's function, with all that it imports: another version of any of it may compute something
// else. In: the address of a module. Out: a text that is another for another state, or null where that cannot be known.
// Must hold: no import is overlooked. Files are read, not run; a way to import that is not understood here means "unknown".

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

/**
 * The same for the same files wherever they lie, so that machines can compare theirs. Which Node it is they do not: that is
 * nobody's version of a module.
 */
export function moduleVersion(module: string): string | null {
  const path = builtinNow("node:path");
  const state = moduleState(module);
  if (state === null || path === undefined) return null;
  // The module itself is the first.
  const folder = path.dirname(state.slice(0, state.split("\n")[0]!.lastIndexOf(" ")));
  const lines = state.split("\n").map((line) => {
    const end = line.lastIndexOf(" ");
    const name = line.slice(0, end);
    return `${path.isAbsolute(name) ? path.relative(folder, name).replaceAll(path.sep, "/") : name}${line.slice(end)}`;
  });
  const counted = lines.filter((line) => !line.startsWith("node "));
  return bytesToHex(sha256(utf8ToBytes(counted.sort().join("\n"))));
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

/** Counts versions whose kernels or plans give other bits for the same expression. */
const VERSION = 4;

export interface RunKey {
  readonly text: string;
  /** False when no other run can have it: a later one will not find what this one leaves. */
  readonly isKnown: boolean;
}

export const digest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32);

export async function runKey(plan: PlanData, sources: ReadonlyMap<string, Resource>): Promise<RunKey> {
  const states: (string | null)[] = [];
  for (const [name, resource] of sources) states.push(await sourceState(name, resource, plan));
  for (const { module } of functionsOf(plan)) states.push(module === null ? null : moduleState(module));
  if (states.includes(null)) return { text: digest(`run ${crypto.randomUUID()}`), isKnown: false };
  return { text: digest([planText(plan, sources), ...states].join("\n\n")), isKnown: true };
}

function planText(plan: PlanData, sources: ReadonlyMap<string, Resource>): string {
  const parts: string[] = [`chunkwise ${VERSION}`];
  for (const [name, resource] of sources) parts.push(`${name} ${resource.fingerprint()}`);
  for (const array of plan.arrays)
    parts.push(`${array.name} ${array.role} ${arrayTypeText(array)}(${array.chunks})`);
  for (const operation of plan.operations) parts.push(operationText(operation));
  parts.push(plan.results.join());
  return parts.join("\n");
}

function operationText({ name, grid, steps, outputs }: Operation): string {
  const made = outputs.map(({ array, value }) => `${array}=${value.step}.${value.component}`);
  return `${name} [${grid}] ${steps.map(stepText).join(";")} → ${made.join()}`;
}

/** All of a step but the user's line: its op by name, which JSON would leave out of functions, and attributes as text. */
function stepText({ line: _, call: __, ...step }: PlanStep): string {
  if (!("attrs" in step)) return JSON.stringify(step);
  const { attrs, op, ...rest } = step;
  return `${op.name}${JSON.stringify(rest)}{${attrsText(attrs, (resource) => resource.fingerprint())}}`;
}
