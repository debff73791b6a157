// Formulas of exponentials and logarithms that cancel or overflow become functions that do not: log1p, expm1,
// logaddexp, log1mexp, softplus, sigmoid. All are `stabilize`: on by default, and closer to the true value than what
// was written. Must hold: no NaN appears where there was none. A number in a pattern is never complex, so a rule
// that has one, or has an op of real numbers only, needs no condition on the dtype; the others say `floating`.

import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { abs, add, maximum, minimum, negative, subtract } from "../../ops/elementwise/arithmetic.ts";
import { where } from "../../ops/elementwise/choice.ts";
import { exp, log, log1p, logaddexp } from "../../ops/elementwise/exponential.ts";
import { equal, lessEqual, logicalOr } from "../../ops/elementwise/logic.ts";
import { sigmoid, softplus } from "../../ops/elementwise/special.ts";
import { constantOf, scalar } from "../make.ts";
import { a, b, nary, p, rest, variable, x, y } from "../pattern.ts";
import { decline, floating, rule, when } from "../patternRule.ts";
import type { Rule } from "../rule.ts";

const STABLE = { tags: ["stabilize"] };

const of = (op: Op, input: Expr): Expr => makeExpr(op, [input]);
/** −x, without a second sign before a first. */
const negated = (node: Expr): Expr => (node.op === negative ? node.inputs[0]! : of(negative, node));
const sigmoidOfNegated = ({ x: node }: { readonly x: Expr }): Expr => of(sigmoid, negated(node));

/** log1p, expm1 and logaddexp. */
const SMALL: readonly Rule[] = [
  rule("log1p", "log(1 + x) = log1p(x)", p.log(p.add(1, x)), p.log1p(x), STABLE),
  rule(
    "log1pNegative",
    "log(1 - x) = log1p(-x)",
    p.log(p.subtract(1, x)),
    (bound) => of(log1p, negated(bound.x)),
    STABLE,
  ),
  rule("expm1", "exp(x) - 1 = expm1(x)", p.subtract(p.exp(x), 1), p.expm1(x), STABLE),
  rule("expm1Add", "exp(x) + -1 = expm1(x)", p.add(p.exp(x), -1), p.expm1(x), STABLE),
  rule("negativeExpm1", "1 - exp(x) = -expm1(x)", p.subtract(1, p.exp(x)), p.negative(p.expm1(x)), STABLE),
  rule(
    "logaddexp",
    "log(exp(x) + exp(y)) = logaddexp(x, y)",
    p.log(nary(add, [p.exp(x), p.exp(y)], rest("others"))),
    (bound) => logOfSum([bound.x, bound.y], bound.others),
    { ...STABLE, when: [floating(x)] },
  ),
];

/**
 * Of two, logaddexp. Of more, the sum of exponentials of which none overflows, nor do all of them vanish: shifted by the
 * largest, where that is far from 0.
 */
function logOfSum(exponents: readonly Expr[], others: readonly Expr[]): Expr | ReturnType<typeof decline> {
  if (others.some(({ op }) => op !== exp)) return decline("a term of the sum is no exponential");
  if (others.length === 0) return makeExpr(logaddexp, exponents);
  const all = [...exponents, ...others.map(({ inputs }) => inputs[0]!)];
  if (all.every(isShifted)) return decline("the exponents are shifted by the largest");
  const largest = all.reduce((one, other) => makeExpr(maximum, [one, other]));
  const { dtype } = largest;
  const limit = scalar(dtype === "float32" ? 60 : 600, dtype);
  const size = of(abs, largest);
  const isUsual = makeExpr(logicalOr, [
    makeExpr(lessEqual, [size, limit]),
    makeExpr(equal, [size, scalar(Infinity, dtype)]),
  ]);
  const shift = makeExpr(where, [isUsual, scalar(0, dtype), largest]);
  const terms = all.map((exponent) => of(exp, makeExpr(subtract, [exponent, shift])));
  return makeExpr(add, [
    shift,
    of(
      log,
      terms.reduce((sum, term) => makeExpr(add, [sum, term])),
    ),
  ]);
}

const isShifted = ({ op, inputs }: Expr): boolean => op === subtract && inputs[1]!.op === where;

const EXP_DIFFERENCE = p.subtract(p.exp(a), p.exp(b));
/** Where a ≤ b and eᵃ − eᵇ was 0, by rounding or underflow or as both are −inf, the logarithm is −inf and not NaN. */
const IS_NOTHING = p.logicalAnd(p.equal(variable("difference"), 0), p.lessEqual(a, b));

const LOG_OF_REST = p.log1mexp(p.where(IS_NOTHING, 0, p.subtract(b, a)));
/** a is far from cancelling what is added to it; or the exponentials cancel, and the formula has few digits left. */
const IS_APART = p.logicalOr(
  p.lessEqual(p.multiply(p.abs(LOG_OF_REST), 8), p.abs(a)),
  p.less(LOG_OF_REST, -10),
);

/** Beyond, x is log(eˣ − 1) to the last bit. */
const FROM_HERE = 40;
/** Where a is not far from cancelling, it is less: no exponential overflows, of either width. */
const HIGHEST = 85;
const isAtMost = (node: Expr, most: number): boolean =>
  node.op === minimum && node.inputs.some((input) => isNoMore(constantOf(input), most));

/** NaN is no more either: the minimum is NaN then, and is not cut again. */
const isNoMore = (value: unknown, most: number): boolean => typeof value === "number" && !(value > most);

/** Logarithms of 1 ± eˣ and of differences of exponentials. */
const DIFFERENCES: readonly Rule[] = [
  rule("softplus", "log1p(exp(x)) = softplus(x)", p.log1p(p.exp(x)), p.softplus(x), {
    ...STABLE,
    when: [floating(x)],
  }),
  rule("log1mexp", "log1p(-exp(x)) = log1mexp(x)", p.log1p(p.negative(p.exp(x))), p.log1mexp(x), {
    ...STABLE,
    when: [floating(x)],
  }),
  rule("log1mexpExpm1", "log(-expm1(x)) = log1mexp(x)", p.log(p.negative(p.expm1(x))), p.log1mexp(x), {
    ...STABLE,
    when: [floating(x)],
  }),
  rule(
    "logExpm1",
    "log(expm1(x)) = x > 40 ? x : log(expm1(min(x, 40)))",
    p.log(p.expm1(x)),
    p.where(p.greater(x, FROM_HERE), x, p.log(p.expm1(p.minimum(x, FROM_HERE)))),
    {
      ...STABLE,
      when: [
        floating(x),
        when<{ readonly x: Expr }>("x may be above 40", ({ x }) => !isAtMost(x, FROM_HERE)),
      ],
    },
  ),
  rule(
    "logSubtractExp",
    "log(exp(a) - exp(b)) = a + log1mexp(b - a), as it is where that is about 0",
    p.log(EXP_DIFFERENCE.as("difference")),
    p.where(IS_APART, p.add(a, LOG_OF_REST), p.log(p.subtract(p.exp(p.minimum(a, HIGHEST)), p.exp(b)))),
    // Where the exponentials cancel, the difference counts as rounding.
    {
      ...STABLE,
      changes: ["rounding"],
      when: [floating(a), when<{ readonly a: Expr }>("a may be large", ({ a }) => !isAtMost(a, HIGHEST))],
    },
  ),
];

const ONE_PLUS_EXP = p.add(1, p.exp(x));

/** The logistic function and its logarithms. */
const SIGMOID: readonly Rule[] = [
  rule(
    "sigmoid",
    "exp(x) / (1 + exp(x)) = sigmoid(x)",
    p.divide(p.exp(x), ONE_PLUS_EXP),
    p.sigmoid(x),
    STABLE,
  ),
  rule("sigmoidOver", "1 / (1 + exp(x)) = sigmoid(-x)", p.divide(1, ONE_PLUS_EXP), sigmoidOfNegated, STABLE),
  rule(
    "sigmoidReciprocal",
    "reciprocal(1 + exp(x)) = sigmoid(-x)",
    p.reciprocal(ONE_PLUS_EXP),
    sigmoidOfNegated,
    STABLE,
  ),
  rule(
    "oneMinusSigmoid",
    "1 - sigmoid(x) = sigmoid(-x)",
    p.subtract(1, p.sigmoid(x)),
    sigmoidOfNegated,
    STABLE,
  ),
  rule(
    "expTimesSigmoid",
    "exp(x) * sigmoid(-x) = sigmoid(x)",
    p.multiply(p.exp(x), p.sigmoid(p.negative(x))),
    p.sigmoid(x),
    STABLE,
  ),
  rule(
    "expNegativeTimesSigmoid",
    "exp(-x) * sigmoid(x) = sigmoid(-x)",
    p.multiply(p.exp(p.negative(x)), p.sigmoid(x)),
    p.sigmoid(p.negative(x)),
    STABLE,
  ),
  rule(
    "logSigmoid",
    "log(sigmoid(x)) = -softplus(-x)",
    p.log(p.sigmoid(x)),
    (bound) => of(negative, of(softplus, negated(bound.x))),
    STABLE,
  ),
  rule(
    "log1pNegativeSigmoid",
    "log1p(-sigmoid(x)) = -softplus(x)",
    p.log1p(p.negative(p.sigmoid(x))),
    p.negative(p.softplus(x)),
    STABLE,
  ),
  rule(
    "expNegativeSoftplus",
    "exp(-softplus(x)) = sigmoid(-x)",
    p.exp(p.negative(p.softplus(x))),
    sigmoidOfNegated,
    STABLE,
  ),
];

export const STABILIZE: readonly Rule[] = [...SMALL, ...DIFFERENCES, ...SIGMOID];
