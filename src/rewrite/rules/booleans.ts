// Logic. For bools the logical, bitwise and min/max functions are the same: one form, the logical one, and == and !=
// for what is exclusive. Numbers in a logical function are compared with zero.

import type { Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import * as logic from "../../ops/elementwise/logic.ts";
import { scalar } from "../make.ts";
import { on, p, single, x, y } from "../pattern.ts";
import { bool, type Compute, decline, integer, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { anyZero, c, d, nonZero, notBool, numberOf } from "./conditions.ts";

const OF_BOOLS = { when: [bool(x)] };
const OF_NUMBERS = { when: [notBool(x)] };

const FORM: readonly Rule[] = [
  rule("bitwiseAndOfBools", "x & y = x and y, bools", p.bitwiseAnd(x, y), p.logicalAnd(x, y), OF_BOOLS),
  rule("bitwiseOrOfBools", "x | y = x or y, bools", p.bitwiseOr(x, y), p.logicalOr(x, y), OF_BOOLS),
  rule("bitwiseXorOfBools", "x ^ y = (x != y), bools", p.bitwiseXor(x, y), p.notEqual(x, y), OF_BOOLS),
  rule("logicalXorOfBools", "x xor y = (x != y), bools", p.logicalXor(x, y), p.notEqual(x, y), OF_BOOLS),
  rule("bitwiseInvertOfBool", "~x = not x, bools", p.bitwiseInvert(x), p.logicalNot(x), OF_BOOLS),
  rule("maximumOfBools", "max(x, y) = x or y, bools", p.maximum(x, y), p.logicalOr(x, y), OF_BOOLS),
  rule("minimumOfBools", "min(x, y) = x and y, bools", p.minimum(x, y), p.logicalAnd(x, y), OF_BOOLS),
  rule("logicalNotOfNumber", "not x = (x == 0), numbers", p.logicalNot(x), p.equal(x, 0), OF_NUMBERS),
  rule(
    "andTrueOfNumbers",
    "x and c = (x != 0), c not zero",
    p.logicalAnd(x, nonZero),
    p.notEqual(x, 0),
    OF_NUMBERS,
  ),
  rule("orFalseOfNumbers", "x or 0 = (x != 0)", p.logicalOr(x, anyZero), p.notEqual(x, 0), OF_NUMBERS),
  rule(
    "andSelfOfNumbers",
    "x and x = (x != 0), also or",
    on([logic.logicalAnd, logic.logicalOr])(x, x),
    p.notEqual(x, 0),
    OF_NUMBERS,
  ),
  rule("andFalse", "x and false = false", p.logicalAnd(x, anyZero), false),
  rule("orTrue", "x or true = true", p.logicalOr(x, nonZero), true),
];

const LAWS: readonly Rule[] = [
  rule("notNot", "not not x = x", p.logicalNot(p.logicalNot(x)), x, OF_BOOLS),
  rule("andTrue", "x and true = x", p.logicalAnd(x, true), x),
  rule("orFalse", "x or false = x", p.logicalOr(x, false), x),
  rule("equalTrue", "(x == true) = x", p.equal(x, true), x),
  rule("equalFalse", "(x == false) = not x", p.equal(x, false), p.logicalNot(x)),
  rule("notEqualTrue", "(x != true) = not x", p.notEqual(x, true), p.logicalNot(x)),
  rule("notEqualFalse", "(x != false) = x", p.notEqual(x, false), x),
  rule("notEqualTwice", "((x != y) != y) = x", p.notEqual(p.notEqual(x, y), y), x, OF_BOOLS),
  rule("andSelf", "x and x = x", p.logicalAnd(x, x), x, OF_BOOLS),
  rule("orSelf", "x or x = x", p.logicalOr(x, x), x, OF_BOOLS),
  rule("andAgain", "(x and y) and y = x and y", p.logicalAnd(p.logicalAnd(x, y).as("z"), y), ({ z }) => z, {
    when: [bool(y)],
  }),
  rule("orAgain", "(x or y) or y = x or y", p.logicalOr(p.logicalOr(x, y).as("z"), y), ({ z }) => z, {
    when: [bool(y)],
  }),
  rule("andNot", "x and not x = false", p.logicalAnd(x, p.logicalNot(x)), false, OF_BOOLS),
  rule("orNot", "x or not x = true", p.logicalOr(x, p.logicalNot(x)), true, OF_BOOLS),
  rule("andOr", "x and (x or y) = x", p.logicalAnd(x, p.logicalOr(x, y)), x, OF_BOOLS),
  rule("orAnd", "x or (x and y) = x", p.logicalOr(x, p.logicalAnd(x, y)), x, OF_BOOLS),
  rule(
    "andOrNot",
    "x and (not x or y) = x and y",
    p.logicalAnd(x, p.logicalOr(p.logicalNot(x), y)),
    p.logicalAnd(x, y),
    OF_BOOLS,
  ),
  rule(
    "orAndNot",
    "x or (not x and y) = x or y",
    p.logicalOr(x, p.logicalAnd(p.logicalNot(x), y)),
    p.logicalOr(x, y),
    OF_BOOLS,
  ),
  rule(
    "andOfNots",
    "not x and not y = not (x or y)",
    p.logicalAnd(single(p.logicalNot(x)), single(p.logicalNot(y))),
    p.logicalNot(p.logicalOr(x, y)),
  ),
  rule(
    "orOfNots",
    "not x or not y = not (x and y)",
    p.logicalOr(single(p.logicalNot(x)), single(p.logicalNot(y))),
    p.logicalNot(p.logicalAnd(x, y)),
  ),
  rule(
    "notNaNOrInf",
    "not (isnan(x) or isinf(x)) = isfinite(x)",
    p.logicalNot(p.logicalOr(p.isnan(x), p.isinf(x))),
    p.isfinite(x),
  ),
];

/** x < c and x < d: the narrower limit; with `or` the wider one. */
const limit = (
  op: Op,
  isNarrow: boolean,
): Compute<{ readonly x: Expr; readonly c: Scalar; readonly d: Scalar }> => {
  const takesLess = (op === logic.less || op === logic.lessEqual) === isNarrow;
  return ({ x: left, c: first, d: second }) => {
    if (Number.isNaN(numberOf(first)) || Number.isNaN(numberOf(second))) return decline("a limit is NaN");
    const isFirst = takesLess ? first <= second : first >= second;
    return makeExpr(op, [left, scalar(isFirst ? first : second, left.dtype)]);
  };
};

const ORDERS: readonly Rule[] = [
  ...[logic.less, logic.lessEqual, logic.greater, logic.greaterEqual].flatMap((op) => [
    rule(
      `${op.name}Both`,
      `${op.name}(x, c) and ${op.name}(x, d) = ${op.name}(x, the narrower)`,
      p.logicalAnd(on(op)(x, c), on(op)(x, d)),
      limit(op, true),
    ),
    rule(
      `${op.name}Either`,
      `${op.name}(x, c) or ${op.name}(x, d) = ${op.name}(x, the wider)`,
      p.logicalOr(on(op)(x, c), on(op)(x, d)),
      limit(op, false),
    ),
  ]),
  rule(
    "lessOrEqual",
    "x < y or x == y = x <= y",
    p.logicalOr(p.less(x, y), p.equal(x, y)),
    p.lessEqual(x, y),
  ),
  rule(
    "greaterOrEqual",
    "x > y or x == y = x >= y",
    p.logicalOr(p.greater(x, y), p.equal(x, y)),
    p.greaterEqual(x, y),
  ),
  rule(
    "lessAndGreater",
    "x <= y and x >= y = (x == y)",
    p.logicalAnd(p.lessEqual(x, y), p.greaterEqual(x, y)),
    p.equal(x, y),
  ),
  rule(
    "lessButNot",
    "x <= y and x != y = x < y",
    p.logicalAnd(p.lessEqual(x, y), p.notEqual(x, y)),
    p.less(x, y),
  ),
  rule(
    "greaterButNot",
    "x >= y and x != y = x > y",
    p.logicalAnd(p.greaterEqual(x, y), p.notEqual(x, y)),
    p.greater(x, y),
  ),
  rule(
    "lessOrGreater",
    "x < y or x > y = (x != y)",
    p.logicalOr(p.less(x, y), p.greater(x, y)),
    p.notEqual(x, y),
    {
      when: [integer(x)],
    },
  ),
];

export const BOOLEANS: readonly Rule[] = [...FORM, ...LAWS, ...ORDERS];
