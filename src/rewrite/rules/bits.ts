// Bits of integers: the laws of and, or, xor, not, and shifts by constants.
// Must hold: at or past the width everything is shifted out.

import { type DType, infoOf } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { bitwiseAnd } from "../../ops/elementwise/logic.ts";
import { scalar } from "../make.ts";
import { type Builder, p, single, x, y } from "../pattern.ts";
import { type Compute, decline, integer, rule, when } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { allOnes, c, d, nx, ny, unsigned, wrapped } from "./conditions.ts";

const INTEGER = { when: [integer(x)] };
type WithConstant = { readonly x: Expr; readonly c: Scalar };

const ones = {
  when: [
    integer(x),
    when<WithConstant>(
      "every bit of c is set",
      ({ x: { dtype }, c: value }) => BigInt(value as bigint) === allOnes(dtype),
    ),
  ],
};

const LAWS: readonly Rule[] = [
  rule("bitAndSelf", "x & x = x", p.bitwiseAnd(x, x), x, INTEGER),
  rule("bitOrSelf", "x | x = x", p.bitwiseOr(x, x), x, INTEGER),
  rule("bitXorSelf", "x ^ x = 0", p.bitwiseXor(x, x), 0, INTEGER),
  rule("bitAndZero", "x & 0 = 0", p.bitwiseAnd(x, 0), 0),
  rule("bitOrZero", "x | 0 = x", p.bitwiseOr(x, 0), x),
  rule("bitXorZero", "x ^ 0 = x", p.bitwiseXor(x, 0), x),
  rule("bitAndOnes", "x & ~0 = x", p.bitwiseAnd(x, c), x, ones),
  rule("bitOrOnes", "x | ~0 = ~0", p.bitwiseOr(x, c), c, ones),
  rule("bitXorOnes", "x ^ ~0 = ~x", p.bitwiseXor(nx, c), p.bitwiseInvert(x), ones),
  rule("invertTwice", "~~x = x", p.bitwiseInvert(p.bitwiseInvert(x)), x, INTEGER),
  rule("bitAndInvert", "x & ~x = 0", p.bitwiseAnd(x, p.bitwiseInvert(x)), 0, INTEGER),
  rule(
    "bitOrInvert",
    "x | ~x = ~0",
    p.bitwiseOr(x, p.bitwiseInvert(x)),
    ({ x: { dtype } }) => allOnes(dtype),
    INTEGER,
  ),
  rule("bitXorTwice", "(x ^ y) ^ y = x", p.bitwiseXor(p.bitwiseXor(x, y), y), x, INTEGER),
  rule("bitAndOr", "x & (x | y) = x", p.bitwiseAnd(x, p.bitwiseOr(x, y)), x, INTEGER),
  rule("bitOrAnd", "x | (x & y) = x", p.bitwiseOr(x, p.bitwiseAnd(x, y)), x, INTEGER),
  rule(
    "andOfInverts",
    "~x & ~y = ~(x | y)",
    p.bitwiseAnd(single(p.bitwiseInvert(x)), single(p.bitwiseInvert(y))),
    p.bitwiseInvert(p.bitwiseOr(x, y)),
    INTEGER,
  ),
  rule(
    "orOfInverts",
    "~x | ~y = ~(x & y)",
    p.bitwiseOr(single(p.bitwiseInvert(x)), single(p.bitwiseInvert(y))),
    p.bitwiseInvert(p.bitwiseAnd(x, y)),
    INTEGER,
  ),
  rule("negativeInvert", "-(~x) = x + 1", p.negative(p.bitwiseInvert(x)), p.add(x, 1), INTEGER),
  ...chainsOf("bitAnd", "&", p.bitwiseAnd),
  ...chainsOf("bitOr", "|", p.bitwiseOr),
  ...chainsOf("bitXor", "^", p.bitwiseXor),
];

/** (x op c) op d and (x op c) op y: constants meet. */
function chainsOf(name: string, sign: string, op: Builder): readonly Rule[] {
  const first = `(x ${sign} c) ${sign}`;
  return [
    rule(
      `${name}Constants`,
      `${first} d = x ${sign} (c ${sign} d)`,
      op(op(nx, c), d),
      op(x, op(c, d)),
      INTEGER,
    ),
    rule(
      `${name}ConstantLast`,
      `${first} y = (x ${sign} y) ${sign} c`,
      op(single(op(nx, c)), ny),
      op(op(x, y), c),
      INTEGER,
    ),
  ];
}

const widthOf = (dtype: DType): number => infoOf(dtype).bytes * 8;
const isCount = (value: Scalar): boolean => Number(value) >= 0;

/** Two shifts in one direction: no more than the width, which a dtype always holds. */
const together =
  (shift: Builder): Compute<{ readonly x: Expr; readonly c: Scalar; readonly d: Scalar }> =>
  ({ x: { dtype }, c: first, d: second }) =>
    isCount(first) && isCount(second)
      ? shift(x, Math.min(Number(first) + Number(second), widthOf(dtype)))
      : decline("a count is negative");

/** A shift and back clears bits. */
const cleared =
  (mask: (count: bigint, dtype: DType) => bigint): Compute<WithConstant> =>
  ({ x: left, c: count }) => {
    const { dtype } = left;
    if (!isCount(count) || Number(count) >= widthOf(dtype))
      return decline("the count is not below the width");
    return makeExpr(bitwiseAnd, [left, scalar(wrapped(mask(BigInt(count as bigint), dtype), dtype), dtype)]);
  };

const SHIFTS: readonly Rule[] = [
  rule("leftShiftZero", "x << 0 = x", p.bitwiseLeftShift(x, 0), x),
  rule("rightShiftZero", "x >> 0 = x", p.bitwiseRightShift(x, 0), x),
  rule(
    "leftShiftTwice",
    "(x << c) << d = x << (c + d)",
    p.bitwiseLeftShift(p.bitwiseLeftShift(nx, c), d),
    together(p.bitwiseLeftShift),
  ),
  rule(
    "rightShiftTwice",
    "(x >> c) >> d = x >> (c + d)",
    p.bitwiseRightShift(p.bitwiseRightShift(nx, c), d),
    together(p.bitwiseRightShift),
  ),
  rule(
    "shiftRightAndLeft",
    "(x >> c) << c = x & (-1 << c)",
    p.bitwiseLeftShift(p.bitwiseRightShift(nx, c), c),
    cleared((count) => -1n << count),
  ),
  rule(
    "shiftLeftAndRight",
    "(x << c) >> c = x & (~0 >> c), x unsigned",
    p.bitwiseRightShift(p.bitwiseLeftShift(nx, c), c),
    cleared((count, dtype) => allOnes(dtype) >> count),
    { when: [unsigned(x)] },
  ),
];

export const BITS: readonly Rule[] = [...LAWS, ...SHIFTS];
