// Minima and maxima, alone and as limits on both sides. In: max, min and chains of them. Out: fewer of them, with the
// constants last and the lower limit first: min(max(x, low), high).
// Must hold: max and min give NaN if there is one and take −0 for less than 0, so they may be reordered at will.

import type { Scalar } from "../../core/numbers.ts";
import type { Expr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { maximum, minimum } from "../../ops/elementwise/arithmetic.ts";
import { type Builder, type Condition, on, type Pattern, p, single, x, y } from "../pattern.ts";
import { floating, rule, when } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { c, d, integerOrBool, nan, numberOf, nx, ny } from "./conditions.ts";

const PLUS = Number.POSITIVE_INFINITY;
const MINUS = Number.NEGATIVE_INFINITY;
type TwoConstants = { readonly c: Scalar; readonly d: Scalar };

/** Wide integers are compared as they are: a number would round them. */
const wholeOrNumber = (value: Scalar): number | bigint =>
  typeof value === "bigint" ? value : numberOf(value);
/** 0 <= -0 would not do: max and min tell them apart. */
const isOrdered = when<TwoConstants>(
  "d is c or less",
  (bound) => wholeOrNumber(bound.d) < wholeOrNumber(bound.c) || Object.is(bound.c, bound.d),
);
const isCrossed = when<TwoConstants>("d > c", (bound) => wholeOrNumber(bound.d) > wholeOrNumber(bound.c));

export const LIMITS: readonly Rule[] = [
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
