// Leaves through the kernels of dense arrays. In: a step, or a routine's name, and blocks with one axis. Out: the outputs
// filled. Failures that depend on the data become errors with a cure.
// Functions of layouts are called by users, by tasks and by the analysis of what they need, hundreds of them in each other's
// bodies, and none of them is handed a backend: all compute with the default one, and this file alone asks for it.

import type { Attrs, Block } from "../../core/block.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { RunError } from "../../core/errors.ts";
import { defaultBackend } from "../../defaultBackend.ts";
import { Borrowed, type KernelStep, resultBlock } from "../../kernel/blockProgram.ts";
import { interpret, LaneFailure } from "../../kernel/interpret/index.ts";

/** Fewer elements are interpreted: the bits are the same, and no kernel has to be compiled. */
const WORTH_COMPILING = 512;

/** A block for new numbers one after another. */
export const newNumbers = (dtype: DType, length: number): Block =>
  resultBlock(defaultBackend, dtype, [length]);

/** Numbers one after another; where they lie in the kernels' memory they are worked on there. */
export function blockOfData(data: TypedArray, dtype: DType): Block {
  const shape = [data.length / infoOf(dtype).slots];
  const block = defaultBackend.find({ dtype, shape, strides: [1], offset: 0, data });
  if (block !== null) return block;
  throw new RunError({
    what: `the memory of ${data.length} numbers was given back by dispose()`,
    cure: "Dispose of a result after the last computation that reads it",
  });
}

/** Blocks for as long as a function runs. */
export const borrowing = (): Borrowed => new Borrowed(defaultBackend);

/** Does something at once; memory that is taken meanwhile for what layouts hold is named in `taken`. */
export const watchTaken = <T>(action: () => T, taken: TypedArray[]): T =>
  defaultBackend.watch === undefined ? action() : defaultBackend.watch(action, taken);

/** Gives memory back that was taken: nobody may look at it any more. */
export const giveBack = (data: TypedArray): void => defaultBackend.release(data);

/** `work` elements decide whether it is worth a kernel. */
export function runBlocks(
  step: KernelStep,
  inputs: readonly Block[],
  outputs: readonly Block[],
  work: number,
): void {
  const describe = (role: "input" | "output") => (block: Block) => ({ ...block, role });
  const buffers = [...inputs.map(describe("input")), ...outputs.map(describe("output"))];
  const [program, bound] = [{ buffers, steps: [step] }, [...inputs, ...outputs]];
  try {
    if (work < WORTH_COMPILING) interpret(program, bound);
    // At once: the default backend is.
    else void defaultBackend.compile(program).run(bound, borrowing());
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
