// The threads of the process, and jobs that they share. In: a kernel, its parameters, how many units of work there
// are. Out: all units done, by the calling thread and those that help it.

import { InvariantError } from "../../core/errors.ts";
import { type Kernel, SLOT_WORDS, SPINS, shareJob, WORDS, words } from "./control.ts";
import { CONTROL_AT, PARAMETER_BYTES, PARAMETERS_AT } from "./layout.ts";
import { isShared, memory, takeBytes } from "./memory.ts";
import { SCRATCH_BYTES } from "./module.ts";

const parameterWords = new Int32Array(memory.buffer, PARAMETERS_AT, PARAMETER_BYTES / 4);

function newScratch(): number {
  const place = takeBytes(SCRATCH_BYTES, true);
  if (place === null) throw new InvariantError({ what: "there is no memory for a thread's scratch" });
  return place.address;
}

/** The calling thread's own. */
export const scratch: number = newScratch();

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
  const isShareable = threads > 1 && units > part;
  for (let from = 0; from < units; from += part) {
    const to = Math.min(units, from + part);
    if (!isShareable) kernel.run(PARAMETERS_AT, from, to);
    else if (isHelped(threads - 1)) return runTogether(kernel, from, units, part);
    else runWithoutHelp(() => kernel.run(PARAMETERS_AT, from, to));
  }
}

function runTogether(kernel: Kernel, first: number, units: number, part: number): void {
  shareJob(kernel, { parameters: PARAMETERS_AT, first, units, part, slots: 0 }, () => {
    for (;;) {
      const from = Atomics.add(words, WORDS.next, part);
      if (from >= units) return;
      kernel.run(PARAMETERS_AT, from, Math.min(units, from + part));
    }
  });
}

/** What a thread costs until it can help, in ms: time of a processor that may have other work, as reading files. */
const START_MS = 60;
/** How long work took that others could have shared. */
let waited = 0;

/** Work that could be shared, done alone. */
export function runWithoutHelp(work: () => void): void {
  const begun = performance.now();
  work();
  waited += performance.now() - begun;
}

/**
 * Whether there are others to share work with. They are called when work has gone without them, or is expected to, for as
 * long as they take to come: whoever computes little never pays for them, and nobody waits more than twice as long as
 * he had to.
 */
export function isHelped(wanted: number, expectedMs = 0): boolean {
  if (waited + expectedMs >= START_MS) return hasHelpers(wanted);
  return helpers > 0;
}

interface Thread {
  unref?(): void;
  on?(event: "error", listener: (error: unknown) => void): void;
  addEventListener?(event: "error", listener: (event: unknown) => void): void;
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

/**
 * Threads take over the options of the process, except where they say where the process's own code comes from: then
 * they get none. Undefined is Node's way to say "the same".
 */
export function threadOptions(): string[] | undefined {
  const { process } = globalThis as unknown as { process?: { execArgv?: readonly string[] } };
  const isScript = /^(--input-type|-e$|--eval|-p$|-pe$|--print)/;
  return process?.execArgv?.some((option) => isScript.test(option)) ? [] : undefined;
}

let helpers = 0;

/** Starts what is missing; true if there are any. */
export function hasHelpers(wanted: number): boolean {
  const Helper = isShared && helpers < wanted ? threadClass() : null;
  while (Helper !== null && helpers < wanted) {
    const room = takeBytes(SCRATCH_BYTES, true);
    if (room === null) break;
    startHelper(Helper, room.address);
    helpers++;
  }
  return helpers > 0;
}

function startHelper(Helper: ThreadClass, room: number): void {
  const setting = {
    ...{ memory, scratch: room, control: CONTROL_AT },
    ...{ spins: SPINS, slotWords: SLOT_WORDS, words: WORDS },
  };
  const helper = new Helper(new URL("./worker.js", import.meta.url), {
    type: "module",
    name: "chunkwise",
    execArgv: threadOptions(),
    workerData: setting,
  });
  if (helper.on === undefined) helper.addEventListener?.("error", tellOfLoss);
  else helper.on("error", tellOfLoss);
  helper.unref?.();
  if (helper.on === undefined) helper.postMessage(setting);
}

/** Nobody waits for a helper: without it the work is done all the same, only slower, and that should be known. */
function tellOfLoss(reason: unknown): void {
  const why = reason instanceof Error ? reason.message : "it could not be loaded";
  console.warn(`chunkwise: a helper thread is lost (${why}); computations go on with fewer threads`);
}

/** More threads than this only wait for the memory. */
const MOST_THREADS = 8;

/** How many threads are used when nothing is said. */
export const machineThreads: number = Math.min(
  MOST_THREADS,
  Math.max(1, (globalThis.navigator as Navigator | undefined)?.hardwareConcurrency ?? availableParallelism()),
);

function availableParallelism(): number {
  const { process } = globalThis as unknown as {
    process?: { getBuiltinModule?(name: string): { availableParallelism(): number } | undefined };
  };
  return process?.getBuiltinModule?.("node:os")?.availableParallelism() ?? 1;
}
