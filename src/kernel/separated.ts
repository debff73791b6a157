// Components of a reduction's state that do not see each other, as those of reductions that were joined (joinedReductions.ts). In: how an
// element becomes a state and how two states combine. Out: both, for each component by itself. Whoever goes through data that are near
// may do so once for each: what is combined in which order is the same.

import { infoOf } from "../core/dtype.ts";
import type { Instruction, ScalarProgram } from "./program.ts";

/** The lift of one component, whose operands are those of all, and its combination. */
export interface Separated {
  readonly lift: ScalarProgram;
  readonly combine: ScalarProgram;
}

/** Null where a component depends on others, or has two parts. */
export function separated(lift: ScalarProgram, combine: ScalarProgram): readonly Separated[] | null {
  const components = combine.operands.length / 2;
  const parts: Separated[] = [];
  for (let k = 0; k < components; k++) {
    const dtype = combine.operands[k]!;
    if (infoOf(dtype).slots !== 1) return null;
    const numbers = new Map([
      [k, 0],
      [components + k, 1],
    ]);
    const own = only(combine, k, (operand) => numbers.get(operand));
    const lifted = only(lift, k, (operand) => operand);
    if (own === null || lifted === null) return null;
    parts.push({
      lift: { ...lifted, operands: lift.operands },
      combine: { ...own, operands: [dtype, dtype] },
    });
  }
  return parts;
}

/** What one result is made of; null where that is an operand without a number. */
function only(
  { instructions, results }: ScalarProgram,
  result: number,
  numberOf: (operand: number) => number | undefined,
): Pick<ScalarProgram, "instructions" | "results"> | null {
  const needed = new Set(results[result]!);
  for (let at = instructions.length - 1; at >= 0; at--)
    if (needed.has(at)) for (const argument of instructions[at]!.args) needed.add(argument);
  const moved = new Map<number, number>();
  const kept: Instruction[] = [];
  for (const [at, instruction] of instructions.entries()) {
    if (!needed.has(at)) continue;
    const isLoad = instruction.prim === "load";
    const imm = isLoad ? numberOf(Number(instruction.imm)) : instruction.imm;
    if (imm === undefined) return null;
    const args = instruction.args.map((argument) => moved.get(argument)!);
    moved.set(at, kept.push({ ...instruction, imm, args }) - 1);
  }
  return { instructions: kept, results: [results[result]!.map((at) => moved.get(at)!)] };
}
