// Comparisons and tests of floats; minima and maxima.
// Must hold: with NaN every ordered comparison is false and != is true, so a comparison is only turned into its
// opposite where there is no NaN.

import { isInteger } from "../../core/dtype.ts";
import type { Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { abs, maximum, minimum, negative, subtract } from "../../ops/elementwise/arithmetic.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import { scalar } from "../make.ts";
import { type Builder, type Condition, on, type Pattern, p, single, x, y } from "../pattern.ts";
import { floating, integer, real, rule, when } from "../patternRule.ts";
import { functionRule, type Rule } from "../rule.ts";
import { c, d, integerOrBool, isVariable, nan, numberOf, nx, ny, wrapped } from "./conditions.ts";

// Minima and maxima, alone and as limits on both sides. In: max, min and chains of them. Out: fewer of them, with the
// constants last and the lower limit first: min(max(x, low), high).
// Must hold: max and min give NaN if there is one and take −0 for less than 0, so they may be reordered at will.

const PLUS = Number.POSITIVE_INFINITY;
const MINUS = Number.NEGATIVE_INFINITY;
type TwoLimits = { readonly c: Scalar; readonly d: Scalar };

/** Wide integers are compared as they are: a number would round them. */
const wholeOrNumber = (value: Scalar): number | bigint =>
  typeof value === "bigint" ? value : numberOf(value);
/** 0 <= -0 would not do: max and min tell them apart. */
const isOrdered = when<TwoLimits>(
  "d is c or less",
  (bound) => wholeOrNumber(bound.d) < wholeOrNumber(bound.c) || Object.is(bound.c, bound.d),
);
const isCrossed = when<TwoLimits>("d > c", (bound) => wholeOrNumber(bound.d) > wholeOrNumber(bound.c));

const LIMITS: readonly Rule[] = [
  rule("maxSelf", "max(x, x) = x, also min", on([maximum, minimum])(x, x), x),
  rule("maxNaN", "max(x, nan) = nan, also min", on([maximum, minimum])(x, nan), Number.NaN),
  rule("minInfinity", "min(x, inf) = x", p.minimum(x, PLUS), x),
  rule("maxMinusInfinity", "max(x, -inf) = x", p.maximum(x, MINUS), x),
  rule("maxInfinity", "max(x, inf) = inf", p.maximum(x, PLUS), PLUS, { changes: ["nan"] }),
  rule("minMinusInfinity", "min(x, -inf) = -inf", p.minimum(x, MINUS), MINUS, { changes: ["nan"] }),
  ...([maximum, minimum] as const).flatMap((op) => chainsOf(op, on(op))),
  ...absorbs("maxOfMin", "max(x, min(x, y)) = x", p.maximum(x, p.minimum(x, y)), x),
  ...absorbs("minOfMax", "min(x, max(x, y)) = x", p.minimum(x, p.maximum(x, y)), x),
  rule(
    "maxNegatives",
    "max(-x, -y) = -min(x, y)",
    p.maximum(single(p.negative(x)), single(p.negative(y))),
    p.negative(p.minimum(x, y)),
    { when: [floating(x)] },
  ),
  rule(
    "minNegatives",
    "min(-x, -y) = -max(x, y)",
    p.minimum(single(p.negative(x)), single(p.negative(y))),
    p.negative(p.maximum(x, y)),
    { when: [floating(x)] },
  ),
  rule(
    "limitsInOrder",
    "max(min(x, c), d) = min(max(x, d), c), d <= c",
    p.maximum(single(p.minimum(nx, c)), d),
    p.minimum(p.maximum(x, d), c),
    { when: [isOrdered] },
  ),
  ...absorbs("limitsCrossed", "max(min(x, c), d) = d, d > c", p.maximum(p.minimum(nx, c), d), d, isCrossed),
  ...absorbs("limitsMet", "min(max(x, c), d) = d, d <= c", p.minimum(p.maximum(nx, c), d), d, isOrdered),
];

/** (x op c) op d, (x op c) op y, (x op y) op y. */
function chainsOf({ name }: Op, op: Builder): readonly Rule[] {
  return [
    rule(
      `${name}Constants`,
      `${name}(${name}(x, c), d) = ${name}(x, ${name}(c, d))`,
      op(op(nx, c), d),
      op(x, op(c, d)),
    ),
    rule(
      `${name}ConstantLast`,
      `${name}(${name}(x, c), y) = ${name}(${name}(x, y), c)`,
      op(single(op(nx, c)), ny),
      op(op(x, y), c),
    ),
    rule(`${name}Again`, `${name}(${name}(x, y), y) = ${name}(x, y)`, op(op(x, y), y), op(x, y)),
  ];
}

/** What is lost of a float is a NaN. */
function absorbs<Binds extends { readonly x: Expr }>(
  name: string,
  equation: string,
  left: Pattern<Binds>,
  right: Pattern,
  ...conditions: readonly Condition<NoInfer<Binds>>[]
): readonly [Rule, Rule] {
  return [
    rule(name, equation, left, right, {
      when: [...conditions, integerOrBool(x)] as readonly Condition<Binds>[],
    }),
    rule(`${name}Fast`, equation, left, right, {
      changes: ["nan"],
      when: [...conditions, floating(x)] as readonly Condition<Binds>[],
    }),
  ];
}

const { equal, notEqual, less, lessEqual, greater, greaterEqual } = logic;
const ORDERED = [less, lessEqual, greater, greaterEqual];
const ALL = [equal, notEqual, ...ORDERED];

/** x op y = y op' x. */
const MIRROR: ReadonlyMap<Op, Op> = new Map<Op, Op>([
  [less, greater],
  [greater, less],
  [lessEqual, greaterEqual],
  [greaterEqual, lessEqual],
  [equal, equal],
  [notEqual, notEqual],
]);
/** not (x op y) = x op' y, if neither is NaN. */
const OPPOSITE: ReadonlyMap<Op, Op> = new Map<Op, Op>([
  [less, greaterEqual],
  [greaterEqual, less],
  [lessEqual, greater],
  [greater, lessEqual],
]);

const notIntegerOrBool = when<{ readonly x: Expr }>(
  "x is floating or complex",
  ({ x: { dtype } }) => !isInteger(dtype) && dtype !== "bool",
);

type Pair = { readonly x: Expr; readonly y: Expr };
type WithConstant = { readonly x: Expr; readonly c: Scalar };
type TwoConstants = WithConstant & { readonly d: Scalar };

const sameOp = ({ x: left, y: right }: Pair, { op }: Expr): Expr => makeExpr(op, [left, right]);
const mirrored = ({ x: left, y: right }: Pair, { op }: Expr): Expr =>
  makeExpr(MIRROR.get(op)!, [left, right]);
const opposite = ({ x: left, y: right, z: { op } }: Pair & { readonly z: Expr }): Expr =>
  makeExpr(OPPOSITE.get(op)!, [left, right]);
const withNegated = ({ x: left, c: value }: WithConstant, { op }: Expr): Expr =>
  makeExpr(MIRROR.get(op)!, [left, scalar(-numberOf(value), left.dtype)]);
/** x op the whole number that is left when a constant has gone to the other side; it wraps as x does. */
const moved =
  (inverse: (c: bigint, d: bigint) => bigint) =>
  ({ x: left, c: first, d: second }: TwoConstants, { op }: Expr): Expr =>
    makeExpr(op, [left, scalar(wrapped(inverse(wholeOf(first), wholeOf(second)), left.dtype), left.dtype)]);
const wholeOf = (value: Scalar): bigint => BigInt(value as bigint);
const EQUALITY = [equal, notEqual];
const SIGNS = [negative, abs];

/** What is known whatever x is. */
const KNOWN: readonly Rule[] = [
  rule("lessSelf", "x < x = false", on([less, greater])(x, x), false),
  rule("equalSelf", "x == x = true, also <= and >=", on([equal, lessEqual, greaterEqual])(x, x), true, {
    when: [integerOrBool(x)],
  }),
  rule(
    "equalSelfFloat",
    "x == x = not isnan(x), also <= and >=",
    on([equal, lessEqual, greaterEqual])(x, x),
    p.logicalNot(p.isnan(x)),
    { when: [notIntegerOrBool] },
  ),
  rule("notEqualSelf", "x != x = false", p.notEqual(x, x), false, { when: [integerOrBool(x)] }),
  rule("notEqualSelfFloat", "x != x = isnan(x)", p.notEqual(x, x), p.isnan(x), { when: [notIntegerOrBool] }),
  rule("compareNaN", "x < nan = false, also == and so on", on([equal, ...ORDERED])(x, nan), false),
  rule("notEqualNaN", "x != nan = true", p.notEqual(x, nan), true),
  rule("aboveInfinity", "x > inf = false", p.greater(x, PLUS), false),
  rule("belowInfinity", "x < -inf = false", p.less(x, MINUS), false),
  rule("absBelowZero", "abs(x) < 0 = false", p.less(p.abs(x), 0), false, { when: [notIntegerOrBool] }),
  rule("isnanExact", "isnan(x) = false, also isinf; x no float", on([logic.isnan, logic.isinf])(x), false, {
    when: [integerOrBool(x)],
  }),
  rule("isfiniteExact", "isfinite(x) = true, x no float", p.isfinite(x), true, { when: [integerOrBool(x)] }),
  rule(
    "isnanCast",
    "isnan(cast(x)) = false, also isinf; x no float",
    on([logic.isnan, logic.isinf])(p.cast(x)),
    false,
    {
      when: [integerOrBool(x)],
    },
  ),
  rule("isfiniteCast", "isfinite(cast(x)) = true, x no float", p.isfinite(p.cast(x)), true, {
    when: [integerOrBool(x)],
  }),
  ...[logic.isnan, logic.isinf, logic.isfinite].map((test) =>
    rule(
      `${test.name}Sign`,
      `${test.name}(-x) = ${test.name}(x), also of abs(x)`,
      on(test)(on(SIGNS)(x)),
      on(test)(x),
      {
        when: [real(x)],
      },
    ),
  ),
  rule("signbitInteger", "signbit(x) = x < 0, x an integer", p.signbit(x), p.less(x, 0), {
    when: [integer(x)],
  }),
];

/** One form: constants on the right, no negations inside or around. */
const FORM: readonly Rule[] = [
  functionRule("compareConstantRight", "c < x = x > c", {
    tracks: ORDERED,
    apply({ op, inputs: [left, right] }) {
      if (isVariable(left!) || !isVariable(right!)) return null;
      return makeExpr(MIRROR.get(op)!, [right!, left!]);
    },
  }),
  rule("notEqualTo", "not (x == y) = x != y", p.logicalNot(p.equal(x, y)), p.notEqual(x, y)),
  rule("notNotEqual", "not (x != y) = x == y", p.logicalNot(p.notEqual(x, y)), p.equal(x, y)),
  rule("notLess", "not (x < y) = x >= y", p.logicalNot(on(ORDERED)(x, y).as("z")), opposite, {
    when: [integerOrBool(x)],
  }),
  rule("notLessFast", "not (x < y) = x >= y", p.logicalNot(on(ORDERED)(x, y).as("z")), opposite, {
    changes: ["nan"],
    when: [floating(x)],
  }),
  rule("compareNegatives", "-x < -y = x > y", on(ORDERED)(p.negative(x), p.negative(y)), mirrored, {
    when: [floating(x)],
  }),
  rule("equalNegatives", "-x == -y = x == y", on(EQUALITY)(p.negative(x), p.negative(y)), sameOp),
  rule("compareNegative", "-x < c = x > -c", on(ALL)(p.negative(nx), c), withNegated, {
    when: [floating(x)],
  }),
  rule(
    "equalNegative",
    "-x == d = x == -d",
    on(EQUALITY)(p.negative(nx), d),
    ({ x: left, d: value }, node) => moved((_, sum) => -sum)({ x: left, c: 0, d: value }, node),
    { when: [integer(x)] },
  ),
  rule(
    "equalSum",
    "x + c == d = x == d - c",
    on(EQUALITY)(p.add(nx, c), d),
    moved((added, sum) => sum - added),
    {
      when: [integer(x)],
    },
  ),
  rule(
    "equalDifference",
    "x - c == d = x == d + c",
    on(EQUALITY)(p.subtract(nx, c), d),
    moved((taken, rest) => rest + taken),
    { when: [integer(x)] },
  ),
  rule(
    "equalXor",
    "x ^ c == d = x == c ^ d",
    on(EQUALITY)(p.bitwiseXor(nx, c), d),
    moved((mask, bits) => mask ^ bits),
    {
      when: [integer(x)],
    },
  ),
  rule(
    "differenceIsZero",
    "x - y == 0 = x == y, also x ^ y == 0",
    on(EQUALITY)(on([subtract, logic.bitwiseXor])(nx, ny), 0),
    sameOp,
    { when: [integer(x)] },
  ),
];

export const COMPARE: readonly Rule[] = [...KNOWN, ...FORM, ...LIMITS];
