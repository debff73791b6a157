// What runs WebAssembly kernels on a thread: the memory, compiled kernels, helper threads. One value has all of it, and two of
// them know nothing of each other. In: nothing. Out: a machine that steps of programs run on.

import type { Block, Place } from "../../core/block.ts";
import { sameShape } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { threadOptions } from "../../core/threads.ts";
import type { Access, KernelStep } from "../blockProgram.ts";
import { Control, SLOT_WORDS, SPINS, type WasmKernel, WORDS } from "./control.ts";
import { Families, Kernels } from "./families.ts";
import { KernelMemory } from "./memory.ts";
import { CONTROL_AT, PARAMETER_BYTES, PARAMETERS_AT } from "./memoryLayout.ts";
import { SCRATCH_BYTES } from "./module.ts";

// Threads that help with jobs. In: how many are wanted. Out: whether there are any: they are started when they are worth it, and
// nobody waits for them.

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

/** What a thread costs until it can help, in ms: time of a processor that may have other work, as reading files. */
const START_MS = 60;

export class Helpers {
  readonly #memory: KernelMemory;
  #count = 0;
  /** How long work took that others could have shared. */
  #waited = 0;

  constructor(memory: KernelMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#count;
  }

  /** Work that could be shared, done alone. */
  without(work: () => void): void {
    const begun = performance.now();
    work();
    this.#waited += performance.now() - begun;
  }

  /**
   * Whether there are others to share work with. They are called when work has gone without them, or is expected to, for as
   * long as they take to come: whoever computes little never pays for them, and nobody waits more than twice as long as
   * he had to.
   */
  areThere(wanted: number, expectedMs = 0): boolean {
    if (this.#waited + expectedMs >= START_MS) return this.start(wanted);
    return this.#count > 0;
  }

  /** Starts what is missing; true if there are any. */
  start(wanted: number): boolean {
    const Helper = this.#memory.isShared && this.#count < wanted ? threadClass() : null;
    while (Helper !== null && this.#count < wanted) {
      const room = this.#memory.take(SCRATCH_BYTES, true);
      if (room === null) break;
      this.#startOne(Helper, room.address);
      this.#count++;
    }
    return this.#count > 0;
  }

  #startOne(Helper: ThreadClass, room: number): void {
    const setting = {
      ...{ memory: this.#memory.wasm, scratch: room, control: CONTROL_AT },
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
}

/** Nobody waits for a helper: without it the work is done all the same, only slower, and that should be known. */
function tellOfLoss(reason: unknown): void {
  const why = reason instanceof Error ? reason.message : "it could not be loaded";
  console.warn(`chunkwise: a helper thread is lost (${why}); computations go on with fewer threads`);
}

// Jobs that threads share. In: a kernel, its parameters, how many units of work there are. Out: all units done, by the calling
// thread and those that help it.

class Jobs {
  readonly #control: Control;
  readonly #helpers: Helpers;
  readonly #parameters: Int32Array;

  constructor(buffer: ArrayBufferLike, control: Control, helpers: Helpers) {
    this.#control = control;
    this.#helpers = helpers;
    this.#parameters = new Int32Array(buffer, PARAMETERS_AT, PARAMETER_BYTES / 4);
  }

  /** Does all units, in parts of `part`, with up to so many threads. */
  run(kernel: WasmKernel, parameters: readonly number[], units: number, part: number, threads: number): void {
    if (parameters.length > this.#parameters.length)
      throw new InvariantError({ what: `${parameters.length} parameters are too many` });
    this.#parameters.set(parameters);
    const isShareable = threads > 1 && units > part;
    for (let from = 0; from < units; from += part) {
      const to = Math.min(units, from + part);
      if (!isShareable) kernel.run(PARAMETERS_AT, from, to);
      else if (this.#helpers.areThere(threads - 1)) return this.#runTogether(kernel, from, units, part);
      else this.#helpers.without(() => kernel.run(PARAMETERS_AT, from, to));
    }
  }

  #runTogether(kernel: WasmKernel, first: number, units: number, part: number): void {
    const { words } = this.#control;
    this.#control.share(kernel, { parameters: PARAMETERS_AT, first, units, part, slots: 0 }, () => {
      for (;;) {
        const from = Atomics.add(words, WORDS.next, part);
        if (from >= units) return;
        kernel.run(PARAMETERS_AT, from, Math.min(units, from + part));
      }
    });
  }
}

// Steps that run again on other blocks of the same layout, as those of most tasks do: all but the addresses is known
// from the first time. In: a step and its blocks. Out: whether it has run. Only small ones, which need no helpers: for
// others, what comes before the kernel does not count.

/** What is handed to a kernel, and how. */
export interface Job {
  readonly kernel: WasmKernel;
  readonly parameters: readonly number[];
  readonly units: number;
  readonly part: number;
}

/** The job of a loop. */
export interface LoopJob extends Job {
  /** Axes of the domain as it is walked. */
  readonly dims: number;
}

/** An access of a step whose address is a parameter of a job. */
export interface JobAccess {
  readonly access: Access;
  readonly job: number;
  readonly word: number;
}

/** Parameters of a loop: the domain, then for each access its address and strides (loops.ts). */
export const loopWord = (dims: number, access: number): number => dims + access * (dims + 1);

interface PreparedAccess {
  readonly buffer: number;
  readonly strides: readonly number[];
  /** From the block's first element to the access's, in bytes. */
  readonly shift: number;
  readonly parameters: number[];
  readonly word: number;
}

interface PreparedStep {
  readonly jobs: readonly (Job & { readonly parameters: number[] })[];
  readonly accesses: readonly PreparedAccess[];
}

/** Of the states of a step that is prepared, each; a step has no more of them. */
const STATE_BYTES = 1 << 14;
const MOST_STATES = 4;

class PreparedSteps {
  readonly #memory: KernelMemory;
  readonly #jobs: Jobs;
  readonly #steps = new WeakMap<KernelStep, PreparedStep>();
  /** Places for what one job leaves to the next: steps run one after another, and all have the same. */
  readonly #states: readonly Place[];

  constructor(memory: KernelMemory, jobs: Jobs) {
    this.#memory = memory;
    this.#jobs = jobs;
    const places = Array.from({ length: MOST_STATES }, () => memory.take(STATE_BYTES, true));
    this.#states = places.filter((place) => place !== null);
  }

  /** A step's jobs, after it has run. */
  add(
    step: KernelStep,
    blocks: readonly Block[],
    jobs: readonly Job[],
    accesses: readonly JobAccess[],
  ): void {
    const own = jobs.map((job) => ({ ...job, parameters: [...job.parameters] }));
    const found = accesses.map(({ access, job, word }) =>
      preparedAccess(access, blocks[access.buffer]!, own[job]!.parameters, word),
    );
    this.#steps.set(step, { jobs: own, accesses: found });
  }

  /** False when the step is not known, or its blocks lie otherwise than they did. */
  run(step: KernelStep, blocks: readonly Block[]): boolean {
    const prepared = this.#steps.get(step);
    if (prepared === undefined) return false;
    for (const { buffer, strides, shift, parameters, word } of prepared.accesses) {
      const block = blocks[buffer]!;
      const address = sameShape(block.strides, strides) ? this.#memory.addressOf(block) : null;
      if (address === null) return false;
      parameters[word] = address + shift;
    }
    for (const { kernel, parameters, units, part } of prepared.jobs)
      this.#jobs.run(kernel, parameters, units, part, 1);
    return true;
  }

  /** Places for so many bytes of each state; null where they need more, or there are not so many. */
  states(bytes: readonly number[]): readonly Place[] | null {
    const isRoom = bytes.length <= this.#states.length && Math.max(...bytes) <= STATE_BYTES;
    return isRoom ? this.#states.slice(0, bytes.length) : null;
  }
}

function preparedAccess(
  { buffer, start }: Access,
  { strides, dtype }: Block,
  parameters: number[],
  word: number,
): PreparedAccess {
  const elements = start.reduce((sum, x, axis) => sum + x * strides[axis]!, 0);
  return { buffer, strides, shift: elements * infoOf(dtype).bytes, parameters, word };
}

export class WasmMachine {
  readonly memory: KernelMemory = new KernelMemory();
  readonly control: Control = new Control(this.memory.buffer);
  readonly kernels: Kernels = new Kernels(this.memory);
  readonly helpers: Helpers = new Helpers(this.memory);
  readonly jobs: Jobs = new Jobs(this.memory.buffer, this.control, this.helpers);
  readonly families: Families = new Families();
  readonly prepared: PreparedSteps = new PreparedSteps(this.memory, this.jobs);
}
