// Powers, squares, roots, absolute values, signs, rounding to whole numbers.
// Must hold: x², 1/x and √x are rounded correctly and pow is not, so what pow gives becomes one of them under
// `stabilize`. For integers every chain of products wraps to the same number.

import { isFloat } from "../../core/dtype.ts";
import { Complex, type Scalar } from "../../core/numbers.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { ceil, floor, multiply, round, square, trunc } from "../../ops/elementwise/arithmetic.ts";
import { constant, on, type Pattern, p, single, x, y, z } from "../pattern.ts";
import { type Compute, decline, floating, integer, real, rule, when } from "../patternRule.ts";
import type { Change, Rule } from "../rule.ts";
import {
  anyZero,
  complex,
  isAsLarge,
  notComplex,
  notInteger,
  notUnsigned,
  signed,
  unsigned,
} from "./conditions.ts";

const STABLE: { readonly tags: readonly string[]; readonly changes: readonly Change[] } = {
  tags: ["stabilize"],
  changes: ["rounding", "domain"],
};
const REORDERED: readonly Change[] = ["rounding", "nan", "domain"];

const floatingOrUnsigned = when<{ readonly x: Expr }>(
  "x is floating or unsigned: 1 to a negative integer is an error",
  ({ x: { dtype } }) => isFloat(dtype) || dtype.startsWith("u"),
);

const SQUARES: readonly Rule[] = [
  rule("powZero", "x ** 0 = 1", p.pow(x, anyZero), 1, { when: [real(x)] }),
  rule("powOne", "x ** 1 = x", p.pow(x, 1), x),
  rule("onePow", "1 ** x = 1", p.pow(1, x), 1, { when: [floatingOrUnsigned] }),
  rule("powTwo", "x ** 2 = square(x)", p.pow(x, 2), p.square(x), { when: [integer(x)] }),
  rule("powTwoFloat", "x ** 2 = square(x)", p.pow(x, 2), p.square(x), { ...STABLE, when: [floating(x)] }),
  rule("powMinusOne", "x ** -1 = 1 / x", p.pow(x, -1), p.reciprocal(x), { ...STABLE, when: [floating(x)] }),
  rule("multiplySelf", "x * x = square(x)", p.multiply(x, x), p.square(x)),
  rule("oneOver", "1 / x = reciprocal(x)", p.divide(1, x), p.reciprocal(x)),
  rule("oneOverComplex", "1 / z = reciprocal(z)", p.divide(new Complex(1, 0), x), p.reciprocal(x)),
  rule("squareNegative", "square(-x) = square(x)", p.square(p.negative(x)), p.square(x)),
  rule("squareAbs", "square(abs(x)) = square(x)", p.square(p.abs(x)), p.square(x), { when: [notComplex(x)] }),
  // |x| is the true value of √x². Where x² overflows or underflows, √x² is inf or 0 and |x| is not: `stabilize`.
  rule("sqrtSquare", "sqrt(square(x)) = abs(x)", p.sqrt(p.square(x)), p.abs(x), {
    ...STABLE,
    when: [floating(x)],
  }),
  rule(
    "squareSqrt",
    "square(sqrt(x)) = x >= 0 ? abs(x) : nan",
    p.square(p.sqrt(x)),
    p.where(p.greaterEqual(x, 0), p.abs(x), Number.NaN),
    { ...STABLE, when: [floating(x)] },
  ),
];

/** A reciprocal of fewer elements is made once, and then a product is cheaper than a quotient. */
const RECIPROCALS: readonly Rule[] = [
  rule("reciprocalTwice", "1 / (1 / x) = x", p.reciprocal(p.reciprocal(x)), x, {
    ...STABLE,
    when: [floating(x)],
  }),
  rule("divideByReciprocal", "x / (1 / y) = x * y", p.divide(x, p.reciprocal(y)), p.multiply(x, y), {
    ...STABLE,
    when: [floating(x)],
  }),
  rule(
    "multiplyReciprocal",
    "x * (1 / y) = x / y",
    p.multiply(x, single(p.reciprocal(y))),
    ({ y: divisor }, node) =>
      isAsLarge(divisor, node) ? p.divide(x, y) : decline("the reciprocal is of a smaller array"),
    { ...STABLE, when: [floating(x)] },
  ),
  rule("reciprocalQuotient", "1 / (x / y) = y / x", p.reciprocal(single(p.divide(x, y))), p.divide(y, x), {
    ...STABLE,
    when: [floating(x)],
  }),
  rule(
    "divideQuotient",
    "(x / y) / z = x / (y * z)",
    p.divide(single(p.divide(x, y)), z),
    p.divide(x, p.multiply(y, z)),
    { changes: REORDERED },
  ),
  rule(
    "divideByQuotientOf",
    "x / (y / z) = (x * z) / y",
    p.divide(x, single(p.divide(y, z))),
    p.divide(p.multiply(x, z), y),
    { changes: REORDERED },
  ),
];

/** Unless rows meet columns: then there are more sums than there were powers. */
const sumOfExponents =
  (power: Pattern): Compute<{ readonly x: Expr; readonly y: Expr }> =>
  ({ x: left, y: right }, node) =>
    isAsLarge(left, node) || isAsLarge(right, node) ? power : decline("both powers are of smaller arrays");

const base = constant("c", (value) => !(value instanceof Complex) && Number(value) > 0, "c > 0");

const PRODUCTS: readonly Rule[] = [
  rule(
    "expProduct",
    "exp(x) * exp(y) = exp(x + y)",
    p.multiply(single(p.exp(x)), single(p.exp(y))),
    sumOfExponents(p.exp(p.add(x, y))),
    { changes: REORDERED },
  ),
  rule(
    "expQuotient",
    "x / exp(y) = x * exp(-y)",
    p.divide(x, single(p.exp(y))),
    p.multiply(x, p.exp(p.negative(y))),
    { changes: REORDERED },
  ),
  rule(
    "powProduct",
    "c ** x * c ** y = c ** (x + y), c > 0",
    p.multiply(single(p.pow(base, x)), single(p.pow(base, y))),
    sumOfExponents(p.pow(base, p.add(x, y))),
    { changes: REORDERED, when: [notInteger(x)] },
  ),
];

/** |z| of a complex z is a float, and z is none. */
const ALIKE = when<{ readonly x: Expr; readonly y: Expr }>(
  "x and y have one dtype",
  ({ x, y }) => x.dtype === y.dtype,
);

const wholeOps = [floor, ceil, trunc, round];

const SIGNS: readonly Rule[] = [
  rule("absTwice", "abs(abs(x)) = abs(x)", p.abs(p.abs(x)), p.abs(x)),
  rule("absNegative", "abs(-x) = abs(x)", p.abs(p.negative(x)), p.abs(x), { when: [notUnsigned(x)] }),
  rule("absConj", "abs(conj(z)) = abs(z)", p.abs(p.conj(x)), p.abs(x)),
  rule("absUnsigned", "abs(x) = x, x unsigned", p.abs(x), x, { when: [unsigned(x)] }),
  rule("absSquare", "abs(square(x)) = square(x)", p.abs(p.square(x)), p.square(x), { when: [floating(x)] }),
  rule("absExp", "abs(exp(x)) = exp(x)", p.abs(p.exp(x)), p.exp(x), { when: [floating(x)] }),
  rule(
    "absProduct",
    "abs(x) * abs(y) = abs(x * y)",
    p.multiply(single(p.abs(x)), single(p.abs(y))),
    p.abs(p.multiply(x, y)),
    { when: [floating(x), ALIKE] },
  ),
  rule(
    "absQuotient",
    "abs(x) / abs(y) = abs(x / y)",
    p.divide(single(p.abs(x)), single(p.abs(y))),
    p.abs(p.divide(x, y)),
    { when: [floating(x), ALIKE] },
  ),
  rule("maxOfBothSigns", "max(x, -x) = abs(x)", p.maximum(x, p.negative(x)), p.abs(x), { when: [signed(x)] }),
  rule("minOfBothSigns", "min(x, -x) = -abs(x)", p.minimum(x, p.negative(x)), p.negative(p.abs(x)), {
    when: [signed(x)],
  }),
  rule("signTwice", "sign(sign(x)) = sign(x)", p.sign(p.sign(x)), p.sign(x), { when: [notComplex(x)] }),
  rule("signTimesAbs", "sign(x) * abs(x) = x", p.multiply(p.sign(x), p.abs(x)), x, { when: [integer(x)] }),
  rule("signTimesAbsFast", "sign(x) * abs(x) = x", p.multiply(p.sign(x), p.abs(x)), x, {
    changes: ["zeroSign"],
    when: [floating(x)],
  }),
  rule("signTimesSelf", "x * sign(x) = abs(x)", p.multiply(x, p.sign(x)), p.abs(x), { when: [integer(x)] }),
  rule("signTimesSelfFast", "x * sign(x) = abs(x)", p.multiply(x, p.sign(x)), p.abs(x), {
    changes: ["zeroSign"],
    when: [floating(x)],
  }),
  rule("divideByAbs", "x / abs(x) = sign(x)", p.divide(x, p.abs(x)), p.sign(x), {
    changes: ["nan"],
    when: [floating(x)],
  }),
  rule(
    "wholeTwice",
    "floor(round(x)) = round(x), and so for floor, ceil, trunc, round",
    on(wholeOps)(on(wholeOps)(x).as("y")),
    y,
    { when: [notComplex(x)] },
  ),
  rule("wholeInteger", "floor(x) = x, x an integer", on(wholeOps)(x), x, { when: [integer(x)] }),
  rule("wholeCast", "floor(cast(x)) = cast(x), x an integer", on(wholeOps)(p.cast(x).as("y")), y, {
    when: [integer(x)],
  }),
  rule("negativeFloor", "-floor(-x) = ceil(x)", p.negative(p.floor(p.negative(x))), p.ceil(x), {
    when: [floating(x)],
  }),
  rule("negativeCeil", "-ceil(-x) = floor(x)", p.negative(p.ceil(p.negative(x))), p.floor(x), {
    when: [floating(x)],
  }),
];

const PARTS: readonly Rule[] = [
  rule("conjReal", "conj(x) = x, x real", p.conj(x), x, { when: [notComplex(x)] }),
  rule("conjTwice", "conj(conj(z)) = z", p.conj(p.conj(x)), x),
  rule("realOfReal", "real(x) = x, x real", p.real(x), x, { when: [notComplex(x)] }),
  rule("imagOfReal", "imag(x) = 0, x real", p.imag(x), 0, { when: [notComplex(x)] }),
  rule("realConj", "real(conj(z)) = real(z)", p.real(p.conj(x)), p.real(x)),
  rule("imagConj", "imag(conj(z)) = -imag(z)", p.imag(p.conj(x)), p.negative(p.imag(x)), {
    when: [complex(x)],
  }),
  rule("realNegative", "real(-z) = -real(z)", p.real(p.negative(x)), p.negative(p.real(x)), {
    when: [complex(x)],
  }),
  rule("imagNegative", "imag(-z) = -imag(z)", p.imag(p.negative(x)), p.negative(p.imag(x)), {
    when: [complex(x)],
  }),
  rule(
    "realSum",
    "real(z + w) = real(z) + real(w)",
    p.real(single(p.add(x, y))),
    p.add(p.real(x), p.real(y)),
    {
      when: [complex(x)],
    },
  ),
  rule(
    "imagSum",
    "imag(z + w) = imag(z) + imag(w)",
    p.imag(single(p.add(x, y))),
    p.add(p.imag(x), p.imag(y)),
    {
      when: [complex(x)],
    },
  ),
  rule(
    "realDifference",
    "real(z - w) = real(z) - real(w)",
    p.real(single(p.subtract(x, y))),
    p.subtract(p.real(x), p.real(y)),
    { when: [complex(x)] },
  ),
  rule(
    "imagDifference",
    "imag(z - w) = imag(z) - imag(w)",
    p.imag(single(p.subtract(x, y))),
    p.subtract(p.imag(x), p.imag(y)),
    { when: [complex(x)] },
  ),
];

export const POWERS: readonly Rule[] = [...SQUARES, ...RECIPROCALS, ...PRODUCTS, ...SIGNS, ...PARTS];

const MOST_FACTORS = 64;
const count = constant(
  "c",
  (value) => Number(value) >= 3 && Number(value) <= MOST_FACTORS && Number.isInteger(Number(value)),
  `c is a whole number from 3 to ${MOST_FACTORS}`,
);

/** xⁿ by squaring: for every bit of n a square, and a product where it is set. */
function productOf({ x: factor, c }: { readonly x: Expr; readonly c: Scalar }): Expr {
  const bits = Number(c).toString(2).slice(1);
  return [...bits].reduce((power, bit) => {
    const squared = makeExpr(square, [power]);
    return bit === "1" ? makeExpr(multiply, [squared, factor]) : squared;
  }, factor);
}

/** Powers by constants as what costs less: late, when all other rules have seen them. */
export const POWERS_LATE: readonly Rule[] = [
  rule(
    "powHalf",
    "x ** 0.5 = x == -inf ? inf : sqrt(x + 0)",
    p.pow(x, 0.5),
    p.where(p.equal(x, Number.NEGATIVE_INFINITY), Number.POSITIVE_INFINITY, p.sqrt(p.add(x, 0))),
    { ...STABLE, when: [floating(x)] },
  ),
  rule("powMinusHalf", "x ** -0.5 = 1 / sqrt(x)", p.pow(x, -0.5), p.reciprocal(p.sqrt(x)), {
    changes: ["rounding", "zeroSign", "nan"],
    when: [floating(x)],
  }),
  rule("powMinusTwo", "x ** -2 = 1 / square(x)", p.pow(x, -2), p.reciprocal(p.square(x)), {
    changes: REORDERED,
    when: [floating(x)],
  }),
  rule("powInteger", "x ** n = a chain of products", p.pow(x, count), productOf, { when: [integer(x)] }),
  rule("powIntegerFast", "x ** n = a chain of products", p.pow(x, count), productOf, {
    changes: REORDERED,
    when: [floating(x)],
  }),
];
