// Reductions over the same places, done in one pass: their states stand side by side, and what their lifts have in
// common (loads, above all) is computed once. In: two reduce steps. Out: one that writes the results of both.

import { sameShape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { numberText } from "../core/numbers.ts";
import type { Access, ReduceStep } from "./blockProgram.ts";
import type { Instruction, ScalarProgram } from "./program.ts";

export const sameAccess = (a: Access, b: Access): boolean =>
  a.buffer === b.buffer &&
  sameShape(a.start, b.start) &&
  sameShape(a.axes, b.axes) &&
  sameShape(a.steps, b.steps);

/** Null where they walk different places, or the second reads what the first writes. */
export function joinReductions(a: ReduceStep, b: ReduceStep): ReduceStep | null {
  const walksSame = sameShape(a.domain, b.domain) && sameShape(a.axes, b.axes) && sameShape(a.from, b.from);
  const written = new Set(a.results.map(({ buffer }) => buffer));
  if (!walksSame || b.operands.some(({ buffer }) => written.has(buffer))) return null;
  if ((a.finish === null) !== (b.finish === null)) return null;
  const operands = [...a.operands];
  const placesOfB = b.operands.map((access) => {
    const known = operands.findIndex((other) => sameAccess(other, access));
    return known < 0 ? operands.push(access) - 1 : known;
  });
  const [inA, inB] = [a.identity.length, b.identity.length];
  const both = inA + inB;
  return {
    ...a,
    operands,
    lift: mergePrograms([a.lift, count(a.operands.length)], [b.lift, placesOfB]),
    combine: mergePrograms(
      [a.combine, [...count(inA), ...count(inA, both)]],
      [b.combine, [...count(inB, inA), ...count(inB, both + inA)]],
    ),
    identity: [...a.identity, ...b.identity],
    absorbing: null,
    finish:
      a.finish === null || b.finish === null
        ? null
        : mergePrograms([a.finish, count(inA)], [b.finish, count(inB, inA)]),
    results: [...a.results, ...b.results],
  };
}

const count = (length: number, from = 0): number[] => Array.from({ length }, (_, i) => from + i);

/** A program, and the number that each of its operands has in the merged one. */
type Renumbered = readonly [program: ScalarProgram, operands: readonly number[]];

function mergePrograms(...parts: readonly Renumbered[]): ScalarProgram {
  const instructions: Instruction[] = [];
  const known = new Map<string, number>();
  const dtypes: DType[] = [];
  const results = parts.flatMap(([program, operands]) => {
    program.operands.forEach((dtype, k) => (dtypes[operands[k]!] = dtype));
    const moved: number[] = [];
    for (const instruction of program.instructions)
      moved.push(append(renumbered(instruction, operands, moved), instructions, known));
    return program.results.map((list) => list.map((at) => moved[at]!));
  });
  return { operands: dtypes, instructions, results };
}

function renumbered(
  instruction: Instruction,
  operands: readonly number[],
  moved: readonly number[],
): Instruction {
  const imm = instruction.prim === "load" ? operands[Number(instruction.imm)]! : instruction.imm;
  return { ...instruction, imm, args: instruction.args.map((at) => moved[at]!) };
}

function append(instruction: Instruction, instructions: Instruction[], known: Map<string, number>): number {
  const { prim, type, args, imm, part } = instruction;
  const value = typeof imm === "number" ? numberText(imm) : `${imm}n`;
  const key = `${prim} ${type} ${args.join()} ${value} ${part}`;
  const at = known.get(key) ?? instructions.push(instruction) - 1;
  known.set(key, at);
  return at;
}
