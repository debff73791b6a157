// Makers of arithmetic that can be simplified: neutral constants, operands twice, inverses around each other, chains.

import type * as cw from "chunkwise";
import { isComplex, isFloat, isInteger } from "../../../src/core/dtype.ts";
import type { Ref } from "../../property/program.ts";
import type { Maker } from "../../property/writer.ts";
import { another, constantFor, numeric, second, WHOLE } from "./values.ts";

export const pairOf =
  (name: string, fits: (x: cw.LazyArray) => boolean): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, fits);
    if (x === null) return null;
    const y = second(writer, x, choices);
    return choices.below(4) === 3 ? writer.call(name, y, x) : writer.call(name, x, y);
  };

/** Divisors and exponents of integers are constants that trap nowhere. */
export const byConstant =
  (name: string): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, (one) => numeric(one) && !isComplex(one.dtype));
    if (x === null) return null;
    const isWhole = isInteger(writer.of(x).dtype);
    if (isWhole) return writer.call(name, x, choices.pick([1, 2, 3, 4]));
    return writer.call(name, x, second(writer, x, choices));
  };

export const pow: Maker = (writer, choices) => {
  const x = writer.any(choices, numeric);
  if (x === null) return null;
  return writer.call("pow", x, choices.pick(isFloat(writer.of(x).dtype) ? [2, 1, 0, 0.5, -1, 3, -2] : WHOLE));
};

export const unaryOf =
  (name: string, fits: (x: cw.LazyArray) => boolean): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, fits);
    return x === null ? null : writer.call(name, x);
  };

/** f(g(x)), or f(g(x)) with something between. */
const NESTS: readonly (readonly string[])[] = `
  exp log, log exp, log1p expm1, expm1 log1p, sqrt square, square sqrt, abs abs, abs negative, negative negative,
  reciprocal reciprocal, conj conj, square negative, exp negative, floor round, negative abs, sign negative,
  cos negative, sin negative, tan negative, sinh asinh, asinh sinh, tanh atanh, atanh tanh, sin asin, cos acos,
  tan atan, cosh acosh, abs square, square abs, ceil floor, trunc trunc, negative floor, real conj, imag conj,
  real negative, imag negative, log sqrt, log reciprocal, log square, sqrt exp, exp log2, log sigmoid,
  log softplus, abs exp, negative sigmoid negative, negative reciprocal negative, sqrt reciprocal, abs sign,
  sign sign, sign abs, log1p exp, log1p negative exp, log negative expm1, reciprocal exp, reciprocal sqrt`
  .split(",")
  .map((names) => names.trim().split(" "));
/** Where a small error can become a jump. */
const STEPS = ["floor", "ceil", "trunc", "round", "sign"];
const SMOOTH_NESTS = NESTS.filter((names) => !names.some((name) => STEPS.includes(name)));

const nestOf =
  (nests: readonly (readonly string[])[]): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, numeric);
    if (x === null) return null;
    return choices
      .pick(nests)
      .toReversed()
      .reduce((inner, name) => writer.call(name, inner), x);
  };
export const nest: Maker = nestOf(NESTS);
export const smoothNest: Maker = nestOf(SMOOTH_NESTS);

/** (x ∘ y) ∘⁻¹ y and the like. */
export const cancel: Maker = (writer, choices) => {
  const x = writer.any(choices, numeric);
  if (x === null) return null;
  const y = choices.flip() ? another(writer, x, choices) : constantFor(writer.of(x).dtype, choices);
  const [inner, outer] = choices.pick([
    ...[
      ["multiply", "divide"],
      ["add", "subtract"],
      ["divide", "multiply"],
      ["subtract", "add"],
    ],
    ...[
      ["add", "add"],
      ["multiply", "multiply"],
      ["maximum", "maximum"],
      ["minimum", "maximum"],
    ],
  ]) as [string, string];
  const first = writer.call(inner, x, y);
  return choices.flip() ? writer.call(outer, first, y) : writer.call(outer, y, first);
};

const SMOOTH_CHAINED = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "pow"];
const CHAINED = [...SMOOTH_CHAINED, "floorDivide", "remainder"];
const BITWISE = ["bitwiseAnd", "bitwiseOr", "bitwiseXor", "bitwiseLeftShift", "bitwiseRightShift"];
const WHOLE_CHAINED = [...CHAINED.filter((name) => name !== "divide"), ...BITWISE];
/** Those that take a constant as their first operand. */
const TURNED = ["add", "subtract", "multiply", "maximum", "divide"];

/** (x ∘ c) ∘ d. */
const chainOf =
  (names: readonly string[]): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, (one) => numeric(one) && !isComplex(one.dtype));
    if (x === null) return null;
    const isWhole = isInteger(writer.of(x).dtype);
    const step = (inner: Ref): Ref => {
      const name = choices.pick(isWhole ? WHOLE_CHAINED : names);
      const constant = choices.pick(isWhole ? [1, 2, 3, 4, 7, 8] : [2, 1, -1, 0.5, 3, 4, -2]);
      const isTurned = TURNED.includes(name) && choices.below(3) === 2;
      return isTurned ? writer.call(name, constant, inner) : writer.call(name, inner, constant);
    };
    return step(step(x));
  };
export const chain: Maker = chainOf(CHAINED);
export const smoothChain: Maker = chainOf(SMOOTH_CHAINED);

/** a·b + a·c. */
export const distribute: Maker = (writer, choices) => {
  const a = writer.any(choices, numeric);
  if (a === null) return null;
  const [b, c] = [another(writer, a, choices), another(writer, a, choices)];
  return writer.call(
    choices.pick(["add", "subtract"]),
    writer.call("multiply", a, b),
    writer.call("multiply", a, c),
  );
};
