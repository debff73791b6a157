// Tasks that only copy: a window of one array is a chunk of another, as in a rechunk or a crop. In: a compiled task. Out:
// whether it is one. Such a window can be read into the chunk's own memory, and nothing is left to run.
// Must hold: what is read into a chunk's memory is all of the chunk.

import { sameShape } from "../../core/chunks.ts";
import type { Access, LoopStep } from "../../kernel/blockProgram.ts";
import type { TaskProgram } from "./programWriter.ts";

export function isStraightCopy({ program, reads, writes }: TaskProgram): boolean {
  const [step] = program.steps;
  if (reads.length !== 1 || writes.length !== 1 || program.steps.length !== 1) return false;
  if (step?.kind !== "loop" || !isCopy(step)) return false;
  const [from, to] = [step.operands[0]!, step.results[0]!];
  if (from.buffer !== reads[0]!.buffer || to.buffer !== writes[0]!.buffer) return false;
  const { dtype, shape } = program.buffers[to.buffer]!;
  const source = program.buffers[from.buffer]!;
  const isSame = source.dtype === dtype && sameShape(source.shape, shape) && sameShape(step.domain, shape);
  return isSame && isIdentity(from, shape.length) && isIdentity(to, shape.length);
}

/** One operand goes to one result as it is. */
function isCopy({ program: { operands, instructions, results } }: LoopStep): boolean {
  const isLoads = instructions.every(({ prim }) => prim === "load");
  return (
    operands.length === 1 && results.length === 1 && isLoads && results[0]!.every((at, part) => at === part)
  );
}

const isIdentity = ({ start, axes, steps }: Access, dims: number): boolean =>
  axes.length === dims &&
  start.every((x) => x === 0) &&
  axes.every((axis, d) => axis === d || axis < 0) &&
  steps.every((step) => step === 1);
