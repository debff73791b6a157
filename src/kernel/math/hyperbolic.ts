// sinh, cosh, tanh of a = |x| by E = eᵃ or t = eᵃ − 1:
//   sinh a = (t + t/(t + 1))/2,  cosh a = E/2 + 1/(2E),  tanh a = u/(u + 2), u = e²ᵃ − 1.
// In: a float64, or one that was a float32 (short). Out: within 2 ulp; sinh and tanh with x's sign.

import { abs, add, copysign, div, gt, lt, mul, rarely, select, sub, type Term } from "../scalar.ts";
import { EXPM1_SHORT } from "./coefficients.ts";
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
import { double, half, twice } from "./words.ts";

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
