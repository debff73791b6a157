// What is known of the values of an integer (or bool) node: a smallest and a largest number.
// In: a node. Out: bounds, never wider than its dtype. Must hold: an operation that could wrap is only known by its
// dtype; a question looks at a bounded number of nodes below.

import { type DType, isInteger } from "../../core/dtype.ts";
import { integerRange, type Scalar } from "../../core/numbers.ts";
import type { Expr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { cast } from "../../lazy/cast.ts";
import { arange, coordinate, full } from "../../lazy/lazyArray.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import { where } from "../../ops/elementwise/choice.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import { pad } from "../../ops/moves/pad.ts";

export type Range = readonly [low: bigint, high: bigint];

const DEEP = 4;

export const hasRange = (dtype: DType): boolean => isInteger(dtype) || dtype === "bool";
export const dtypeRange = (dtype: DType): Range => (dtype === "bool" ? [0n, 1n] : integerRange(dtype));
export const isWithin = ([low, high]: Range, [least, most]: Range): boolean => low >= least && high <= most;

/** The values of an integer or bool node. */
export function rangeOf(node: Expr, depth: number = DEEP): Range {
  const all = dtypeRange(node.dtype);
  const known = depth === 0 && node.op !== full ? null : knownRange(node, depth - 1);
  return known !== null && isWithin(known, all) ? known : all;
}

/** The exact result, which may be outside the dtype: then it wraps. Null: nothing is known. */
function knownRange(node: Expr, depth: number): Range | null {
  const { op, attrs, inputs, shape } = node;
  if (op === full) return [wholeOf(attrs["value"] as Scalar), wholeOf(attrs["value"] as Scalar)];
  if (op === coordinate) return lineRange(0n, 1n, shape[attrs["axis"] as number]!);
  if (op === arange)
    return lineRange(wholeOf(attrs["start"] as Scalar), wholeOf(attrs["step"] as Scalar), shape[0]!);
  if (op === cast) return hasRange(inputs[0]!.dtype) ? rangeOf(inputs[0]!, depth) : null;
  if (op === where) return union([rangeOf(inputs[1]!, depth), rangeOf(inputs[2]!, depth)]);
  if (op.class === "move" && op !== pad) return union(inputs.map((input) => rangeOf(input, depth)));
  const of = OF.get(op);
  if (of === undefined || !hasRange(inputs[0]!.dtype)) return null;
  return of(rangeOf(inputs[0]!, depth), inputs[1] === undefined ? [0n, 0n] : rangeOf(inputs[1], depth));
}

export const wholeOf = (value: Scalar): bigint => BigInt(value as bigint);

const lineRange = (start: bigint, step: bigint, count: number): Range | null =>
  count === 0 ? null : hull([start, start + step * BigInt(count - 1)]);

const hull = (values: readonly bigint[]): Range => [
  values.reduce((a, b) => (a < b ? a : b)),
  values.reduce((a, b) => (a > b ? a : b)),
];
const union = (ranges: readonly Range[]): Range => hull(ranges.flat());

/** ⌊a / b⌋ */
export function floorQuotient(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

const remainderRange = ([low, high]: Range, [least, most]: Range): Range | null => {
  if (least > 0n) return low >= 0n && high < least ? [low, high] : [0n, most - 1n];
  return most < 0n ? [least + 1n, 0n] : null;
};

/** Two numbers of which one is not negative have no more in common than it has. */
const commonBits = ([low, high]: Range, [least, most]: Range): Range | null => {
  if (low < 0n && least < 0n) return null;
  if (low < 0n) return [0n, most];
  return [0n, least < 0n || high < most ? high : most];
};

const OF: ReadonlyMap<Op, (x: Range, y: Range) => Range | null> = new Map<
  Op,
  (x: Range, y: Range) => Range | null
>([
  [arithmetic.add, ([a, b], [c, d]) => [a + c, b + d]],
  [arithmetic.subtract, ([a, b], [c, d]) => [a - d, b - c]],
  [arithmetic.multiply, ([a, b], [c, d]) => hull([a * c, a * d, b * c, b * d])],
  [arithmetic.negative, ([a, b]) => [-b, -a]],
  [arithmetic.abs, ([a, b]) => (a >= 0n ? [a, b] : [0n, -a > b ? -a : b])],
  [arithmetic.sign, ([a, b]) => [a < 0n ? -1n : a > 0n ? 1n : 0n, b < 0n ? -1n : b > 0n ? 1n : 0n]],
  [arithmetic.maximum, ([a, b], [c, d]) => [a > c ? a : c, b > d ? b : d]],
  [arithmetic.minimum, ([a, b], [c, d]) => [a < c ? a : c, b < d ? b : d]],
  [arithmetic.remainder, remainderRange],
  [
    arithmetic.floorDivide,
    ([a, b], [c, d]) => (c === d && c > 0n ? [floorQuotient(a, c), floorQuotient(b, c)] : null),
  ],
  [logic.bitwiseAnd, commonBits],
  [logic.bitwiseRightShift, ([a, b], [c, d]) => (c === d && c >= 0n ? [a >> c, b >> c] : null)],
]);
