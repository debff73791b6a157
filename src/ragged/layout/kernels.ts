// Leaves through the kernels of dense arrays. In: a step, or a routine's name, and blocks with one axis. Out: the outputs
// filled. Failures that depend on the data become errors with a cure.

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import { RunError } from "../../core/errors.ts";
import type { KernelStep } from "../../kernel/blockProgram.ts";
import { execute } from "../../kernel/execute.ts";
import { interpret, LaneFailure } from "../../kernel/interpret/index.ts";

/** Fewer elements are interpreted: the bits are the same, and no kernel has to be compiled. */
const WORTH_COMPILING = 512;

/** `work` elements decide whether it is worth a kernel. */
export function runBlocks(
  step: KernelStep,
  inputs: readonly Block[],
  outputs: readonly Block[],
  work: number,
): void {
  const describe = (role: "input" | "output") => (block: Block) => ({ ...block, role });
  const buffers = [...inputs.map(describe("input")), ...outputs.map(describe("output"))];
  const run = work < WORTH_COMPILING ? interpret : execute;
  try {
    run({ buffers, steps: [step] }, [...inputs, ...outputs]);
  } catch (error) {
    if (!(error instanceof LaneFailure)) throw error;
    throw new RunError({ what: error.message, cure: error.trap.cure }, { cause: error });
  }
}

/** A routine of whole blocks. */
export function runRoutine(
  routine: string,
  inputs: readonly Block[],
  output: Block,
  attrs: Attrs,
  work: number,
): void {
  const views = [...inputs, output].map(({ shape }, buffer) => ({
    ...{ access: { buffer, start: [0], axes: [0], steps: [1] }, shape, from: [0] },
  }));
  const step = { inputs: views.slice(0, -1), outputs: views.slice(-1), attrs, origin: 0 };
  runBlocks({ kind: "routine", routine, ...step }, inputs, [output], work);
}
