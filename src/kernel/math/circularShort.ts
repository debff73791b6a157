// sin, cos, tan of what was a float32: sin r = r + r³S(r²) on all of |r| ≤ π/2, so one polynomial is enough.
// In: a float64. Out: an error below 2⁻²⁶ relative; huge x go the long way of math/circular.ts.

import { add, mul, sub, type Term, xor } from "../scalar.ts";
import { bitZero, cosOf, flip, ofAngle, sinOf, tanOf, tanQuotient } from "./circular.ts";
import {
  ONE_OVER_PI,
  PIO2_1,
  PIO2_2,
  PIO2_3,
  SIN_SHORT,
  TAN_SHORT_D,
  TAN_SHORT_N,
  TWO_OVER_PI,
} from "./coefficients.ts";
import { bitsOf, double, estrin, ROUNDER, square, type Unary } from "./words.ts";

/** a − n π/2·turns, π/2 in two parts: a float's distance from a multiple of π/2 is never below 2⁻⁴⁰. */
const without = (a: Term, n: Term, turns: number): Term =>
  sub(sub(a, mul(n, double(turns * PIO2_1))), mul(n, double(turns * (PIO2_2 + PIO2_3))));

const sine: Unary = (r) => {
  const z = square(r);
  return add(r, mul(mul(r, z), estrin(z, SIN_SHORT)));
};

/** x = nπ + r: sin x = (−1)ⁿ sin r. */
function sinUsual(x: Term, a: Term): Term {
  const rounded = add(mul(a, double(ONE_OVER_PI)), double(ROUNDER));
  const r = without(a, sub(rounded, double(ROUNDER)), 2);
  return flip(sine(r), xor(bitZero(bitsOf(rounded)), bitsOf(x)));
}

/** x = (n + ½)π + r: cos x = (−1)ⁿ⁺¹ sin r; an odd rounder makes the low bit n + 1's. */
function cosUsual(a: Term): Term {
  const rounder = double(ROUNDER + 1);
  const rounded = add(sub(mul(a, double(ONE_OVER_PI)), double(0.5)), rounder);
  const r = without(a, add(sub(rounded, rounder), double(0.5)), 2);
  return flip(sine(r), bitZero(bitsOf(rounded)));
}

function tanUsual(x: Term, a: Term): Term {
  const rounded = add(mul(a, double(TWO_OVER_PI)), double(ROUNDER));
  const r = without(a, sub(rounded, double(ROUNDER)), 1);
  const z = square(r);
  const above = add(r, mul(mul(r, z), estrin(z, TAN_SHORT_N)));
  return tanQuotient(x, bitsOf(rounded), above, add(double(1), mul(z, estrin(z, TAN_SHORT_D))));
}

export const sin32: Unary = (x) =>
  ofAngle(
    x,
    (angle) => sinOf(x, angle),
    (a) => sinUsual(x, a),
  );
export const cos32: Unary = (x) => ofAngle(x, cosOf, cosUsual);
export const tan32: Unary = (x) =>
  ofAngle(
    x,
    (angle) => tanOf(x, angle),
    (a) => tanUsual(x, a),
  );
