// sinh, cosh, tanh of a = |x| by E = eᵃ or t = eᵃ − 1:
//   sinh a = (t + t/(t + 1))/2,  cosh a = E/2 + 1/(2E),  tanh a = u/(u + 2), u = e²ᵃ − 1.
// In: a float64, or one that was a float32 (short). Out: within 2 ulp; sinh and tanh with x's sign.

import {
  abs,
  add,
  copysign,
  div,
  eq,
  ge,
  gt,
  le,
  lt,
  mul,
  rarely,
  select,
  sqrt,
  sub,
  type Term,
} from "../scalar.ts";
import { EXPM1_SHORT, LOG, LOG_SHORT } from "./coefficients.ts";
import {
  asPower,
  expm1Tail,
  farPower,
  lessOne,
  lessOneShort,
  type Power,
  powerOf,
  powerShort,
  powerValue,
  reduce,
  reduceShort,
  USUAL_SINGLE,
} from "./exponential.ts";
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

// asinh, acosh, atanh by ln(1 + …), with a = |x| and t = x − 1:
//   asinh a = ln(1 + a + a²/(1 + √(1 + a²))),  acosh x = ln(1 + t + √(2t + t²)),
//   atanh a = ln(1 + 2a + 2a²/(1 − a))/2.
// In: a float64, or one that was a float32 (short). Out: within 2 ulp; NaN outside the domain.

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

/** Beyond, e⁻ᵃ is nothing beside eᵃ, and tanh a is 1. */
const ONE_SIDED = 22;

/** `usual`, or eᵃ/2 beyond ONE_SIDED. */
function orHalfPower(a: Term, power: Power, usual: Term): Term {
  return rarely(gt(a, double(ONE_SIDED)), farPower(a, power, 0.5), usual);
}

const orInfinity = (a: Term, usual: Term): Term =>
  rarely(gt(a, double(USUAL_SINGLE)), double(Infinity), usual);

/** (t + q)/2, q = t/(t + 1); for small t as t − tq/2, where errors of q are small beside t. */
function sinhOf(t: Term): Term {
  const q = div(t, add(t, double(1)));
  return select(lt(t, double(1)), sub(t, mul(half(t), q)), half(add(t, q)));
}

const coshOf = (power: Term): Term => add(half(power), div(double(0.5), power));

/** q = u/(u + 2); for small u as h − hq, h = u/2, where errors of q are small beside h. */
function tanhOf(u: Term): Term {
  const q = div(u, add(u, double(2)));
  const h = half(u);
  return select(lt(u, double(1)), sub(h, mul(h, q)), q);
}

export function sinh64(x: Term): Term {
  const a = abs(x);
  const reduced = reduce(a, expm1Tail);
  return copysign(orHalfPower(a, asPower(reduced), sinhOf(lessOne(reduced))), x);
}

export function sinh32(x: Term): Term {
  const t = lessOneShort(reduceShort(abs(x), EXPM1_SHORT));
  return copysign(orInfinity(abs(x), half(add(t, div(t, add(t, double(1)))))), x);
}

export function cosh64(x: Term): Term {
  const a = abs(x);
  const power = powerOf(a);
  return orHalfPower(a, power, coshOf(powerValue(power)));
}

export function cosh32(x: Term): Term {
  const a = abs(x);
  return orInfinity(a, coshOf(powerValue(powerShort(a))));
}

const orOne = (a: Term, usual: Term): Term => rarely(gt(a, double(ONE_SIDED)), double(1), usual);

export function tanh64(x: Term): Term {
  const a = abs(x);
  return copysign(orOne(a, tanhOf(lessOne(reduce(twice(a), expm1Tail)))), x);
}

export function tanh32(x: Term): Term {
  const u = lessOneShort(reduceShort(twice(abs(x)), EXPM1_SHORT));
  return copysign(orOne(abs(x), div(u, add(u, double(2)))), x);
}
