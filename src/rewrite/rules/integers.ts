// Integers: quotients and remainders by constants, bits and shifts, and what follows from the range of values.
// Must hold: integers wrap, so a step that needs numbers not to wrap asks range.ts; a division by zero and a shift by
// less than nothing are errors of the run, which no rule hides.

import type { Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import { broadcastTo, castTo, constantOf, filledLike, scalar } from "../make.ts";
import { constant, on, p, single, x, y } from "../pattern.ts";
import { type Compute, type Declined, decline, integer, rule } from "../patternRule.ts";
import { functionRule, type Rule } from "../rule.ts";
import { BITS } from "./bits.ts";
import { nonZero as divisor, isVariable, nx, d as second, signedInteger } from "./conditions.ts";
import { dtypeRange, floorQuotient, hasRange, isWithin, type Range, rangeOf, wholeOf } from "./range.ts";

const INTEGER = { when: [integer(x)] };
const { floorDivide, remainder, multiply, add } = arithmetic;
const { equal, notEqual, less, lessEqual, greater, greaterEqual } = logic;

const whole = (value: bigint, like: Expr): Expr => scalar(value, like.dtype);
const fits = (value: bigint, { dtype }: Expr): boolean => isWithin([value, value], dtypeRange(dtype));

interface Two {
  readonly x: Expr;
  readonly c: bigint;
  readonly d: bigint;
}

/** A right side over whole constants c and d, of a divisor that is positive. */
const byWhole =
  (
    build: (two: Two, node: Expr) => Expr | Declined,
  ): Compute<{ readonly x: Expr; readonly c: unknown; readonly d: unknown }> =>
  ({ x: left, c: first, d: other }, node) => {
    const two = { x: left, c: wholeOf(first as bigint), d: wholeOf(other as bigint) };
    return two.c > 0n && two.d > 0n ? build(two, node) : decline("c and d are not both positive");
  };

const DIVISION: readonly Rule[] = [
  rule("floorDivideOne", "x // 1 = x", p.floorDivide(x, 1), x, INTEGER),
  rule("floorDivideMinusOne", "x // -1 = -x", p.floorDivide(x, -1), p.negative(x), {
    when: [signedInteger(x)],
  }),
  rule("remainderOne", "x % 1 = 0", p.remainder(x, 1), 0, INTEGER),
  rule("remainderMinusOne", "x % -1 = 0", p.remainder(x, -1), 0, { when: [signedInteger(x)] }),
  rule(
    "quotientAndRest",
    "(x // c) * c + x % c = x",
    p.add(p.multiply(p.floorDivide(x, divisor), divisor), p.remainder(x, divisor)),
    x,
    INTEGER,
  ),
  rule(
    "minusQuotient",
    "x - (x // c) * c = x % c",
    p.subtract(x, p.multiply(p.floorDivide(x, divisor), divisor)),
    p.remainder(x, divisor),
    INTEGER,
  ),
  rule(
    "remainderTwice",
    "(x % c) % d = x % d, d divides c",
    p.remainder(p.remainder(x, divisor), second),
    byWhole(({ x: left, c, d }) =>
      c % d === 0n ? makeExpr(remainder, [left, whole(d, left)]) : decline("d does not divide c"),
    ),
    INTEGER,
  ),
  rule(
    "floorDivideTwice",
    "(x // c) // d = x // (c * d)",
    p.floorDivide(p.floorDivide(x, divisor), second),
    byWhole(({ x: left, c, d }) =>
      fits(c * d, left)
        ? makeExpr(floorDivide, [left, whole(c * d, left)])
        : decline("c * d is outside the dtype"),
    ),
    INTEGER,
  ),
];

/** Does x * c, and a sum with it, stay inside the dtype? */
const timesFits = (left: Expr, factor: bigint, plus: Range = [0n, 0n]): boolean => {
  const [low, high] = rangeOf(left);
  const all = dtypeRange(left.dtype);
  const product: Range = [low * factor, high * factor];
  return isWithin(product, all) && isWithin([product[0] + plus[0], product[1] + plus[1]], all);
};
const WRAPS = decline("x * c may wrap");
const NO_MULTIPLE = decline("d does not divide c");

const multiple =
  (
    build: (left: Expr, factor: bigint, by: bigint, rest: Expr | null) => Expr,
  ): Compute<{ readonly x: Expr; readonly c: unknown; readonly d: unknown; readonly y?: Expr }> =>
  ({ x: left, c: first, d: other, y: rest }) => {
    const [c, d] = [wholeOf(first as bigint), wholeOf(other as bigint)];
    if (c <= 0n || d <= 0n || c % d !== 0n) return NO_MULTIPLE;
    if (!timesFits(left, c, rest === undefined ? undefined : rangeOf(rest))) return WRAPS;
    return build(left, c / d, d, rest ?? null);
  };

const times = (left: Expr, factor: bigint): Expr =>
  factor === 1n ? left : makeExpr(multiply, [left, whole(factor, left)]);

/** Index arithmetic: x * c stays inside the dtype, so it is a true multiple of d. */
const MULTIPLES: readonly Rule[] = [
  rule(
    "divideMultiple",
    "(x * c) // d = x * (c / d)",
    p.floorDivide(p.multiply(nx, divisor), second),
    multiple(times),
    INTEGER,
  ),
  rule(
    "restOfMultiple",
    "(x * c) % d = 0",
    p.remainder(p.multiply(nx, divisor), second),
    multiple((left) => whole(0n, left)),
    INTEGER,
  ),
  rule(
    "divideMultiplePlus",
    "(x * c + y) // d = x * (c / d) + y // d",
    p.floorDivide(single(p.add(p.multiply(nx, divisor), y)), second),
    multiple((left, factor, by, rest) =>
      makeExpr(add, [times(left, factor), makeExpr(floorDivide, [rest!, whole(by, rest!)])]),
    ),
    INTEGER,
  ),
  rule(
    "restOfMultiplePlus",
    "(x * c + y) % d = y % d",
    p.remainder(p.add(p.multiply(nx, divisor), y), second),
    multiple((_, __, by, rest) => makeExpr(remainder, [rest!, whole(by, rest!)])),
    INTEGER,
  ),
];

const ORDERED = [less, lessEqual, greater, greaterEqual];
const isStrictBelow = (op: Op): boolean => op === less || op === greaterEqual;
const MAY_WRAP = decline("the sum or product may wrap");

/** x // c < d where c * d (or c * (d + 1)) is in the dtype. */
function compareQuotient(left: Expr, c: bigint, d: bigint, op: Op): Expr | Declined {
  if (c <= 0n) return decline("c is not positive");
  const limit = isStrictBelow(op) ? c * d : c * (d + 1n);
  if (!fits(limit, left)) return decline("c * d is outside the dtype");
  return makeExpr(op === less || op === lessEqual ? less : greaterEqual, [left, whole(limit, left)]);
}

function compareProduct(left: Expr, c: bigint, d: bigint, op: Op): Expr | Declined {
  if (c <= 0n) return decline("c is not positive");
  if (!timesFits(left, c)) return MAY_WRAP;
  const limit = isStrictBelow(op) ? -floorQuotient(-d, c) : floorQuotient(d, c);
  return fits(limit, left) ? makeExpr(op, [left, whole(limit, left)]) : decline("d / c is outside the dtype");
}

function compareSum(left: Expr, c: bigint, d: bigint, op: Op): Expr | Declined {
  const [low, high] = rangeOf(left);
  if (!isWithin([low + c, high + c], dtypeRange(left.dtype))) return MAY_WRAP;
  return fits(d - c, left) ? makeExpr(op, [left, whole(d - c, left)]) : decline("d - c is outside the dtype");
}

const against =
  (
    compare: (left: Expr, c: bigint, d: bigint, op: Op) => Expr | Declined,
  ): Compute<{ readonly x: Expr; readonly c: unknown; readonly d: unknown }> =>
  ({ x: left, c, d }, { op }) =>
    compare(left, wholeOf(c as bigint), wholeOf(d as bigint), op);

const COMPARISONS: readonly Rule[] = [
  rule(
    "compareQuotient",
    "x // c < d = x < c * d",
    on(ORDERED)(p.floorDivide(nx, divisor), second),
    against(compareQuotient),
    INTEGER,
  ),
  rule(
    "compareProduct",
    "x * c < d = x < d / c",
    on(ORDERED)(p.multiply(nx, divisor), second),
    against(compareProduct),
    INTEGER,
  ),
  rule(
    "compareSum",
    "x + c < d = x < d - c",
    on(ORDERED)(p.add(nx, divisor), second),
    against(compareSum),
    INTEGER,
  ),
];

/** What a comparison gives for every pair of values; null: it depends. */
function verdict(op: Op, [a, b]: Range, [c, d]: Range): boolean | null {
  const decide = (yes: boolean, no: boolean): boolean | null => (yes ? true : no ? false : null);
  if (op === less) return decide(b < c, a >= d);
  if (op === lessEqual) return decide(b <= c, a > d);
  if (op === greater) return decide(a > d, b <= c);
  if (op === greaterEqual) return decide(a >= d, b < c);
  const isEqual = decide(a === b && c === d && a === c, b < c || a > d);
  return isEqual === null ? null : isEqual === (op === equal);
}

function limitByRange({ op, inputs, shape, dtype }: Expr): Expr | null {
  if (!hasRange(dtype)) return null;
  const [left, right] = inputs as readonly [Expr, Expr];
  const [[a, b], [c, d]] = [rangeOf(left), rangeOf(right)];
  const takesLeft = op === arithmetic.maximum ? a >= d : b <= c;
  const takesRight = op === arithmetic.maximum ? c >= b : d <= a;
  return takesLeft ? broadcastTo(left, shape) : takesRight ? broadcastTo(right, shape) : null;
}

function quotientByRange(node: Expr): Expr | null {
  const [left, right] = node.inputs as readonly [Expr, Expr];
  const by = constantOf(right);
  if (!hasRange(node.dtype) || by === undefined || wholeOf(by) <= 0n || !isVariable(left)) return null;
  const [low, high] = rangeOf(left);
  const quotient = floorQuotient(low, wholeOf(by));
  if (quotient !== floorQuotient(high, wholeOf(by))) return null;
  if (node.op === floorDivide) return filledLike(quotient, node);
  return quotient === 0n ? broadcastTo(left, node.shape) : null;
}

const RANGES: readonly Rule[] = [
  functionRule("compareByRange", "x < y = true or false, by their ranges", {
    tracks: [equal, notEqual, ...ORDERED],
    apply(node) {
      const [left, right] = node.inputs as readonly [Expr, Expr];
      if (!hasRange(left.dtype)) return null;
      const known = verdict(node.op, rangeOf(left), rangeOf(right));
      return known === null ? null : filledLike(known, node);
    },
  }),
  functionRule("limitByRange", "max(x, y) = x, by their ranges", {
    tracks: [arithmetic.maximum, arithmetic.minimum],
    apply: limitByRange,
  }),
  functionRule("quotientByRange", "x // c = q and x % c = x, by the range of x", {
    tracks: [floorDivide, remainder],
    apply: quotientByRange,
  }),
  functionRule("absByRange", "abs(x) = x, x >= 0", {
    tracks: [arithmetic.abs],
    apply: ({ inputs: [input], dtype }) => (hasRange(dtype) && rangeOf(input!)[0] >= 0n ? input! : null),
  }),
  rule(
    "castByRange",
    "cast(cast(x, narrow), c) = cast(x, c), x fits",
    p.cast(p.cast(x).as("y")),
    ({ x: from, y: via }, { dtype }) => {
      if (!hasRange(from.dtype) || !hasRange(via.dtype) || via.dtype === "bool")
        return decline("x is no integer");
      return isWithin(rangeOf(from), dtypeRange(via.dtype)) ? castTo(from, dtype) : decline("x may not fit");
    },
  ),
];

export const INTEGERS: readonly Rule[] = [...DIVISION, ...MULTIPLES, ...COMPARISONS, ...BITS, ...RANGES];

const isPower = (value: Scalar): boolean =>
  Number.isInteger(Number(value)) && wholeOf(value) > 1n && (wholeOf(value) & (wholeOf(value) - 1n)) === 0n;
const power = constant("c", isPower, "c is 2^k, k > 0");
const exponentOf = (value: unknown): bigint => BigInt(wholeOf(value as bigint).toString(2).length - 1);

/** Divisions as shifts and masks: late, when all rules on quotients have seen them. */
export const SHIFTS: readonly Rule[] = [
  rule(
    "floorDivideByPower",
    "x // 2^k = x >> k",
    p.floorDivide(nx, power),
    ({ c }) => p.bitwiseRightShift(x, exponentOf(c)),
    INTEGER,
  ),
  rule(
    "remainderByPower",
    "x % 2^k = x & (2^k - 1)",
    p.remainder(nx, power),
    ({ c }) => p.bitwiseAnd(x, wholeOf(c as bigint) - 1n),
    INTEGER,
  ),
];
