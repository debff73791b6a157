// Loops that run again on other blocks of the same layout, as those of most tasks do: all but the addresses is known
// from the first time. In: a step and its blocks. Out: whether it has run. Only small loops, which need no helpers: for
// others, what comes before the kernel does not count.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import { sameShape } from "../../core/shape.ts";
import type { Access, LoopStep } from "../blockProgram.ts";
import type { WasmKernel } from "./control.ts";
import type { Jobs } from "./jobs.ts";
import type { KernelMemory } from "./memory.ts";

interface PreparedAccess {
  readonly buffer: number;
  readonly strides: readonly number[];
  /** From the block's first element to the access's, in bytes. */
  readonly shift: number;
  /** The parameter that is its address. */
  readonly word: number;
}

interface PreparedLoop {
  readonly kernel: WasmKernel;
  readonly parameters: number[];
  readonly accesses: readonly PreparedAccess[];
  readonly units: number;
  readonly part: number;
}

/** What is handed to the kernel, and how. */
export interface LoopJob {
  readonly kernel: WasmKernel;
  readonly parameters: readonly number[];
  readonly units: number;
  readonly part: number;
  /** Axes of the domain as it is walked. */
  readonly dims: number;
}

export class PreparedLoops {
  readonly #memory: KernelMemory;
  readonly #jobs: Jobs;
  readonly #loops = new WeakMap<LoopStep, PreparedLoop>();

  constructor(memory: KernelMemory, jobs: Jobs) {
    this.#memory = memory;
    this.#jobs = jobs;
  }

  add(step: LoopStep, blocks: readonly Block[], job: LoopJob): void {
    const { kernel, units, part, dims } = job;
    // Parameters: the domain, then for each access its address and strides (loopJobs.ts).
    const accesses = [...step.operands, ...step.results].map((access, k) =>
      accessOf(access, blocks[access.buffer]!, dims + k * (dims + 1)),
    );
    this.#loops.set(step, { kernel, parameters: [...job.parameters], accesses, units, part });
  }

  /** False when the step is not known, or its blocks lie otherwise than they did. */
  run(step: LoopStep, blocks: readonly Block[]): boolean {
    const loop = this.#loops.get(step);
    if (loop === undefined) return false;
    for (const { buffer, strides, shift, word } of loop.accesses) {
      const block = blocks[buffer]!;
      const address = sameShape(block.strides, strides) ? this.#memory.addressOf(block) : null;
      if (address === null) return false;
      loop.parameters[word] = address + shift;
    }
    this.#jobs.run(loop.kernel, loop.parameters, loop.units, loop.part, 1);
    return true;
  }
}

function accessOf({ buffer, start }: Access, { strides, dtype }: Block, word: number): PreparedAccess {
  const elements = start.reduce((sum, x, axis) => sum + x * strides[axis]!, 0);
  return { buffer, strides, shift: elements * infoOf(dtype).bytes, word };
}
