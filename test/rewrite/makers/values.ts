// Operands for makers: constants that rules look for, and values that go with each other.

import type * as cw from "chunkwise";
import { type DType, isComplex, isFloat } from "../../../src/core/dtype.ts";
import type { Choices } from "../../property/choices.ts";
import { broadcasts } from "../../property/makers/elementwise.ts";
import type { Arg, Ref } from "../../property/program.ts";
import type { ProgramWriter } from "../../property/writer.ts";

const NEUTRAL = [0, 1, -1, 2, 0.5, -0, 3, -2];
export const WHOLE: readonly number[] = [0, 1, 2, 3];

export const constantFor = (dtype: DType, choices: Choices): Arg => {
  if (dtype === "bool") return choices.flip();
  return isFloat(dtype) || isComplex(dtype) ? choices.pick(NEUTRAL) : choices.pick(WHOLE);
};

export const numeric = (x: cw.LazyArray): boolean => x.dtype !== "bool";
export const floating = (x: cw.LazyArray): boolean => isFloat(x.dtype);
export const matrix = (x: cw.LazyArray): boolean => x.ndim >= 2 && numeric(x);

export const another = (writer: ProgramWriter, x: Ref, choices: Choices): Ref =>
  writer.any(choices, (y) => broadcasts(y.shape, writer.of(x).shape) && y.dtype === writer.of(x).dtype) ?? x;

/** The second operand: a constant, the first again, its negative, or another value. */
export function second(writer: ProgramWriter, x: Ref, choices: Choices): Arg {
  const way = choices.below(6);
  if (way < 2) return constantFor(writer.of(x).dtype, choices);
  if (way === 2) return x;
  if (way === 3) return numeric(writer.of(x)) ? writer.call("negative", x) : writer.call("logicalNot", x);
  return another(writer, x, choices);
}
