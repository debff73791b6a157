// A function of its inverse is its argument, where the inverse has a value; elsewhere NaN, as it was. Logarithms of
// powers and roots belong here too. FAST_LOGARITHMS are off by default.
// Why these are `stabilize` and on, though bits change: what is left is the true value of what was written, for every
// input, and what was written is off by two roundings at best. log(exp(x)) is inf from 710 on and −inf below −745
// only because eˣ does not fit in between. A rule that trades one error for another is not here but in fastMath.
// Must hold: no NaN appears where there was none, and none goes but by an overflow that is avoided.

import type { Scalar } from "../../core/numbers.ts";
import { a, attrs, constant, type Pattern, p, x, y } from "../pattern.ts";
import { floating, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { numberOf } from "./conditions.ts";

const EXACT_VALUE = { tags: ["stabilize"], when: [floating(x)] };
const STABLE = { tags: ["stabilize"] };

const orNaN = (condition: Pattern, value: Pattern): Pattern => p.where(condition, value, Number.NaN);
const NOT_NEGATIVE = p.greaterEqual(x, 0);
/** x from 0 on; of −0 it is 0, as exponentials have no −0. */
const FROM_ZERO = orNaN(NOT_NEGATIVE, p.abs(x));
const FROM_MINUS_ONE = p.greaterEqual(x, -1);
const UP_TO_ONE = orNaN(p.lessEqual(p.abs(x), 1), x);

const EXPONENTIALS: readonly Rule[] = [
  rule("logExp", "log(exp(x)) = x", p.log(p.exp(x)), x, EXACT_VALUE),
  rule("log1pExpm1", "log1p(expm1(x)) = x", p.log1p(p.expm1(x)), x, EXACT_VALUE),
  rule("expLog", "exp(log(x)) = x where x >= 0, else nan", p.exp(p.log(x)), FROM_ZERO, EXACT_VALUE),
  rule(
    "expNegativeLog",
    "exp(-log(x)) = 1 / x where x >= 0, else nan",
    p.exp(p.negative(p.log(x))),
    orNaN(NOT_NEGATIVE, p.reciprocal(p.abs(x))),
    EXACT_VALUE,
  ),
  rule(
    "expLog1p",
    "exp(log1p(x)) = 1 + x where x >= -1, else nan",
    p.exp(p.log1p(x)),
    orNaN(FROM_MINUS_ONE, p.add(x, 1)),
    EXACT_VALUE,
  ),
  rule(
    "expm1Log",
    "expm1(log(x)) = x - 1 where x >= 0, else nan",
    p.expm1(p.log(x)),
    orNaN(NOT_NEGATIVE, p.subtract(x, 1)),
    EXACT_VALUE,
  ),
  rule(
    "expm1Log1p",
    "expm1(log1p(x)) = x where x >= -1, else nan",
    p.expm1(p.log1p(x)),
    orNaN(FROM_MINUS_ONE, x),
    EXACT_VALUE,
  ),
  rule("log2Pow", "log2(2 ** x) = x", p.log2(p.pow(2, x)), x, STABLE),
  rule("log10Pow", "log10(10 ** x) = x", p.log10(p.pow(10, x)), x, STABLE),
  rule("powLog2", "2 ** log2(x) = x where x >= 0, else nan", p.pow(2, p.log2(x)), FROM_ZERO, STABLE),
  rule("powLog10", "10 ** log10(x) = x where x >= 0, else nan", p.pow(10, p.log10(x)), FROM_ZERO, STABLE),
];

const HYPERBOLIC: readonly Rule[] = [
  rule("sinhAsinh", "sinh(asinh(x)) = x", p.sinh(p.asinh(x)), x, EXACT_VALUE),
  rule("asinhSinh", "asinh(sinh(x)) = x", p.asinh(p.sinh(x)), x, EXACT_VALUE),
  rule(
    "coshAcosh",
    "cosh(acosh(x)) = x where x >= 1, else nan",
    p.cosh(p.acosh(x)),
    orNaN(p.greaterEqual(x, 1), x),
    EXACT_VALUE,
  ),
  rule("acoshCosh", "acosh(cosh(x)) = abs(x)", p.acosh(p.cosh(x)), p.abs(x), EXACT_VALUE),
  rule(
    "tanhAtanh",
    "tanh(atanh(x)) = x where |x| <= 1, else nan",
    p.tanh(p.atanh(x)),
    UP_TO_ONE,
    EXACT_VALUE,
  ),
  rule("atanhTanh", "atanh(tanh(x)) = x", p.atanh(p.tanh(x)), x, EXACT_VALUE),
  rule("sinAsin", "sin(asin(x)) = x where |x| <= 1, else nan", p.sin(p.asin(x)), UP_TO_ONE, EXACT_VALUE),
  rule("cosAcos", "cos(acos(x)) = x where |x| <= 1, else nan", p.cos(p.acos(x)), UP_TO_ONE, EXACT_VALUE),
];

/** From 0 to 1; beyond, the odds are negative and have no logarithm. */
const PROBABILITY = orNaN(p.logicalAnd(NOT_NEGATIVE, p.lessEqual(x, 1)), p.abs(x));
const ODDS = p.divide(x, p.subtract(1, x));

const LOGIT: readonly Rule[] = [
  rule(
    "sigmoidLogit",
    "sigmoid(log(x / (1 - x))) = x where 0 <= x <= 1, else nan",
    p.sigmoid(p.log(ODDS)),
    PROBABILITY,
    STABLE,
  ),
  rule(
    "sigmoidLogOdds",
    "sigmoid(log(x) - log1p(-x)) = x where 0 <= x <= 1, else nan",
    p.sigmoid(p.subtract(p.log(x), p.log1p(p.negative(x)))),
    PROBABILITY,
    STABLE,
  ),
  rule(
    "logitSigmoid",
    "log(sigmoid(x) / sigmoid(-x)) = x",
    p.log(p.divide(p.sigmoid(x), p.sigmoid(p.negative(x)))),
    x,
    STABLE,
  ),
  rule(
    "logitSigmoidNegative",
    "log(sigmoid(-x) / sigmoid(x)) = -x",
    p.log(p.divide(p.sigmoid(p.negative(x)), p.sigmoid(x))),
    p.negative(x),
    STABLE,
  ),
];

/** An even power has no sign to lose: 2 · log |x| where log(x²) over- or underflows. */
const isEven = (value: Scalar): boolean => numberOf(value) % 2 === 0 && numberOf(value) !== 0;

const POWERS: readonly Rule[] = [
  rule("logSqrt", "log(sqrt(x)) = 0.5 * log(x)", p.log(p.sqrt(x)), p.multiply(p.log(x), 0.5), EXACT_VALUE),
  rule(
    "logSquare",
    "log(x ** 2) = 2 * log|x|",
    p.log(p.square(x)),
    p.multiply(p.log(p.abs(x)), 2),
    EXACT_VALUE,
  ),
  rule(
    "logTimesItself",
    "log(x * x) = 2 * log|x|",
    p.log(p.multiply(x, x)),
    p.multiply(p.log(p.abs(x)), 2),
    EXACT_VALUE,
  ),
  rule(
    "logPow",
    "log(x ** c) = c * log|x| where c is even",
    p.log(p.pow(x, constant("c", isEven, "c is even"))),
    p.multiply(p.log(p.abs(x)), constant("c")),
    EXACT_VALUE,
  ),
];

export const INVERSES: readonly Rule[] = [...EXPONENTIALS, ...HYPERBOLIC, ...LOGIT, ...POWERS];

/** Logarithms of products: less overflow, but other digits, and NaN where an infinity or a zero hid a negative factor. */
export const FAST_LOGARITHMS: readonly Rule[] = [
  rule("logTimesExp", "log(y * exp(x)) = log(y) + x", p.log(p.multiply(y, p.exp(x))), p.add(p.log(y), x), {
    changes: ["rounding", "domain", "nan"],
    when: [floating(x)],
  }),
  rule("logOverExp", "log(y / exp(x)) = log(y) - x", p.log(p.divide(y, p.exp(x))), p.subtract(p.log(y), x), {
    changes: ["rounding", "domain", "nan"],
    when: [floating(x)],
  }),
  rule("logExpOver", "log(exp(x) / y) = x - log(y)", p.log(p.divide(p.exp(x), y)), p.subtract(x, p.log(y)), {
    changes: ["rounding", "domain", "nan"],
    when: [floating(x)],
  }),
  rule(
    "logProd",
    "log(prod(a)) = sum(log|a|) where an even number of a is negative, else nan",
    p.log(p.prod(a, attrs)),
    orNaN(p.greaterEqual(p.prod(p.sign(a), attrs), 0), p.sum(p.log(p.abs(a)), attrs)),
    { changes: ["rounding", "domain"], when: [floating(a)] },
  ),
];
