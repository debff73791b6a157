// Loops that run again on other blocks of the same layout, as those of most tasks do: all but the addresses is known
// from the first time. In: a step and its blocks. Out: whether it has run. Only small loops, which need no helpers: for
// others, what comes before the kernel does not count.

import type { Block } from "../../core/block.ts";
import { infoOf } from "../../core/dtype.ts";
import { sameShape } from "../../core/shape.ts";
import type { Access, LoopStep } from "../blockProgram.ts";
import type { Kernel } from "./control.ts";
import { addressOf } from "./memory.ts";
import { runJob } from "./threads.ts";

interface PreparedAccess {
  readonly buffer: number;
  readonly strides: readonly number[];
  /** From the block's first element to the access's, in bytes. */
  readonly shift: number;
  /** The parameter that is its address. */
  readonly word: number;
}

interface PreparedLoop {
  readonly kernel: Kernel;
  readonly parameters: number[];
  readonly accesses: readonly PreparedAccess[];
  readonly units: number;
  readonly part: number;
}

/** What is handed to the kernel, and how. */
export interface LoopJob {
  readonly kernel: Kernel;
  readonly parameters: readonly number[];
  readonly units: number;
  readonly part: number;
  /** Axes of the domain as it is walked. */
  readonly dims: number;
}

const prepared = new WeakMap<LoopStep, PreparedLoop>();

export function prepareLoop(step: LoopStep, blocks: readonly Block[], job: LoopJob): void {
  const { kernel, units, part, dims } = job;
  // Parameters: the domain, then for each access its address and strides (loops.ts).
  const accesses = [...step.operands, ...step.results].map((access, k) =>
    accessOf(access, blocks[access.buffer]!, dims + k * (dims + 1)),
  );
  prepared.set(step, { kernel, parameters: [...job.parameters], accesses, units, part });
}

function accessOf({ buffer, start }: Access, { strides, dtype }: Block, word: number): PreparedAccess {
  const elements = start.reduce((sum, x, axis) => sum + x * strides[axis]!, 0);
  return { buffer, strides, shift: elements * infoOf(dtype).bytes, word };
}

/** False when the step is not known, or its blocks lie otherwise than they did. */
export function runPrepared(step: LoopStep, blocks: readonly Block[]): boolean {
  const loop = prepared.get(step);
  if (loop === undefined) return false;
  for (const { buffer, strides, shift, word } of loop.accesses) {
    const block = blocks[buffer]!;
    const address = sameShape(block.strides, strides) ? addressOf(block) : null;
    if (address === null) return false;
    loop.parameters[word] = address + shift;
  }
  runJob(loop.kernel, loop.parameters, loop.units, loop.part, 1);
  return true;
}
