// asinh, acosh, atanh by ln(1 + …), with a = |x| and t = x − 1:
//   asinh a = ln(1 + a + a²/(1 + √(1 + a²))),  acosh x = ln(1 + t + √(2t + t²)),
//   atanh a = ln(1 + 2a + 2a²/(1 − a))/2.
// In: a float64, or one that was a float32 (short). Out: within 2 ulp; NaN outside the domain.

import {
  abs,
  add,
  copysign,
  div,
  eq,
  ge,
  gt,
  le,
  mul,
  rarely,
  select,
  sqrt,
  sub,
  type Term,
} from "../scalar.ts";
import { LOG, LOG_SHORT } from "./coefficients.ts";
import { lnOfTwice, lnOnePlus } from "./naturalLog.ts";
import {
  double,
  fastTwoSum,
  half,
  INFINITE,
  isOutside,
  ONE,
  square,
  TINY,
  twice,
  type Unary,
} from "./words.ts";

/** Beyond, asinh a = acosh a = ln 2a; and where squares of floats end in float64. */
const LARGE = 2 ** 28;
const LARGE_BITS = BigInt(1023 + 28) << 52n;
const LARGE_SINGLE = 2 ** 200;

/** a²/(1 + √(1 + a²)) = √(1 + a²) − 1. */
const rootLessOne: Unary = (a) => {
  const squared = square(a);
  return div(squared, add(double(1), sqrt(add(double(1), squared))));
};

export const asinh64: Unary = (x) => {
  const a = abs(x);
  const { sum, rest } = fastTwoSum(a, rootLessOne(a));
  return copysign(rarely(gt(a, double(LARGE)), lnOfTwice(a), lnOnePlus(sum, LOG, rest)), x);
};

export const asinh32: Unary = (x) => {
  const a = abs(x);
  const usual = lnOnePlus(add(a, rootLessOne(a)), LOG_SHORT);
  return copysign(rarely(gt(a, double(LARGE_SINGLE)), a, usual), x);
};

const orNaN = (x: Term, value: Term): Term => select(ge(x, double(1)), value, double(Number.NaN));

/** √(2t + t²), where 2t is exact, and with the sum's rounding error e another e/2√. */
export const acosh64: Unary = (x) => {
  const t = sub(x, double(1));
  const radicand = fastTwoSum(twice(t), square(t));
  const root = sqrt(radicand.sum);
  const error = div(radicand.rest, add(twice(root), double(TINY)));
  const { sum, rest } = fastTwoSum(root, t);
  const usual = lnOnePlus(sum, LOG, add(rest, error));
  return rarely(isOutside(x, ONE, LARGE_BITS), orNaN(x, lnOfTwice(x)), usual);
};

export const acosh32: Unary = (x) => {
  const t = sub(x, double(1));
  const usual = lnOnePlus(add(sqrt(add(twice(t), square(t))), t), LOG_SHORT);
  return rarely(isOutside(x, ONE, INFINITE), orNaN(x, x), usual);
};

/** atanh 1 = ∞, and beyond there is nothing. */
const atanhWith =
  (coefficients: readonly number[]): Unary =>
  (x) => {
    const a = abs(x);
    const toOne = sub(double(1), a);
    const argument = add(twice(a), div(mul(twice(a), a), toOne));
    const special = select(eq(toOne, double(0)), double(Infinity), double(Number.NaN));
    const usual = half(lnOnePlus(argument, coefficients));
    return copysign(rarely(le(toOne, double(0)), special, usual), x);
  };

export const atanh64: Unary = atanhWith(LOG);
export const atanh32: Unary = atanhWith(LOG_SHORT);
