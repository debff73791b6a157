// Threads that share one job. In: a kernel, its parameters, how many units of work there are. Out: all units done.
// The calling thread opens the job, works on it itself, closes it, and waits until nobody is inside. A helper
// enters only while a job is open, so one that is late (or not there yet, or dead) is not waited for.
// Must hold: the job's words are written only while it is closed and nobody is inside.

import { InvariantError } from "../../core/errors.ts";
import { LaneFailure } from "../interpret/run.ts";
import { TRAP_KINDS, trapOf } from "../traps.ts";
import { CONTROL_AT, PARAMETER_BYTES, PARAMETERS_AT } from "./layout.ts";
import { isShared, memory, takeBytes } from "./memory.ts";
import { SCRATCH_BYTES } from "./module.ts";

/** Numbers of the words at CONTROL_AT. `epoch` is odd while a job is open. */
const WORDS = {
  epoch: 0,
  /** Those that change much have cache lines of their own. */
  next: 16,
  inside: 32,
  kernel: 48,
  codeAt: 49,
  codeBytes: 50,
  parameters: 51,
  units: 52,
  part: 53,
  trapKind: 54,
  trapOrigin: 55,
  failed: 56,
} as const;

/** About 30 µs. */
const SPINS = 10_000;

export type Run = (parameters: number, from: number, to: number) => void;

/** A compiled kernel; its bytes lie in the memory too, for the other threads. */
export interface Kernel {
  readonly number: number;
  readonly run: Run;
  readonly codeAt: number;
  readonly codeBytes: number;
}

const words = new Int32Array(memory.buffer, CONTROL_AT, 64);
const parameterWords = new Int32Array(memory.buffer, PARAMETERS_AT, PARAMETER_BYTES / 4);

function newScratch(): number {
  const at = takeBytes(SCRATCH_BYTES);
  if (at === null) throw new InvariantError({ what: "there is no memory for a thread's scratch" });
  return at;
}

/** The calling thread's own. */
export const scratch: number = newScratch();

export function trap(kind: number, origin: number): void {
  throw new LaneFailure(trapOf(TRAP_KINDS[kind]!), origin);
}

/** Does all units, in parts of `part`, with up to so many threads. */
export function runJob(
  kernel: Kernel,
  parameters: readonly number[],
  units: number,
  part: number,
  threads: number,
): void {
  if (parameters.length > parameterWords.length)
    throw new InvariantError({ what: `${parameters.length} parameters are too many` });
  parameterWords.set(parameters);
  if (threads > 1 && units > part && hasHelpers(threads - 1)) return runTogether(kernel, units, part);
  for (let from = 0; from < units; from += part)
    kernel.run(PARAMETERS_AT, from, Math.min(units, from + part));
}

function runTogether(kernel: Kernel, units: number, part: number): void {
  words[WORDS.kernel] = kernel.number;
  words[WORDS.codeAt] = kernel.codeAt;
  words[WORDS.codeBytes] = kernel.codeBytes;
  words[WORDS.parameters] = PARAMETERS_AT;
  words[WORDS.units] = units;
  words[WORDS.part] = part;
  words[WORDS.trapKind] = -1;
  words[WORDS.failed] = 0;
  Atomics.store(words, WORDS.next, 0);
  Atomics.add(words, WORDS.epoch, 1);
  Atomics.notify(words, WORDS.epoch);
  try {
    for (;;) {
      const from = Atomics.add(words, WORDS.next, part);
      if (from >= units) break;
      kernel.run(PARAMETERS_AT, from, Math.min(units, from + part));
    }
  } finally {
    Atomics.store(words, WORDS.next, units);
    Atomics.add(words, WORDS.epoch, 1);
    waitUntilEmpty();
  }
  const kind = Atomics.load(words, WORDS.trapKind);
  if (kind >= 0) trap(kind, Atomics.load(words, WORDS.trapOrigin));
  if (Atomics.load(words, WORDS.failed) !== 0)
    throw new InvariantError({ what: "a kernel failed on another thread" });
}

/** The main thread of a page must not sleep: what is left is at most one part of the job. */
const maySleep = typeof (globalThis as { document?: unknown }).document === "undefined";

function waitUntilEmpty(): void {
  for (let looks = 0; ; looks++) {
    const inside = Atomics.load(words, WORDS.inside);
    if (inside === 0) return;
    if (maySleep && looks > SPINS) Atomics.wait(words, WORDS.inside, inside);
  }
}

interface Thread {
  unref?(): void;
  on?(event: "error", listener: () => void): void;
  postMessage(message: unknown): void;
}
type ThreadClass = new (url: URL, options: object) => Thread;

function threadClass(): ThreadClass | null {
  const { process, Worker } = globalThis as unknown as {
    process?: { getBuiltinModule?(name: string): { Worker: ThreadClass } | undefined };
    Worker?: ThreadClass;
  };
  return process?.getBuiltinModule?.("node:worker_threads")?.Worker ?? Worker ?? null;
}

let helpers = 0;

/** Starts what is missing; true if there are any. */
function hasHelpers(wanted: number): boolean {
  const Helper = isShared && helpers < wanted ? threadClass() : null;
  while (Helper !== null && helpers < wanted) {
    startHelper(Helper);
    helpers++;
  }
  return helpers > 0;
}

function startHelper(Helper: ThreadClass): void {
  const setting = { memory, scratch: newScratch(), control: CONTROL_AT, spins: SPINS, words: WORDS };
  const helper = new Helper(new URL("./worker.js", import.meta.url), {
    type: "module",
    name: "chunkwise",
    workerData: setting,
  });
  // Nobody waits for a helper: without it the work is done all the same.
  helper.on?.("error", () => {});
  helper.unref?.();
  if (helper.on === undefined) helper.postMessage(setting);
}

/** How many threads there is work for on this machine. */
export const machineThreads: number = Math.max(
  1,
  (globalThis.navigator as Navigator | undefined)?.hardwareConcurrency ?? availableParallelism(),
);

function availableParallelism(): number {
  const { process } = globalThis as unknown as {
    process?: { getBuiltinModule?(name: string): { availableParallelism(): number } | undefined };
  };
  return process?.getBuiltinModule?.("node:os")?.availableParallelism() ?? 1;
}
