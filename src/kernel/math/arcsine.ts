// asin and acos. |x| ≤ ½: asin x = x + x³A(x²). |x| > ½: asin|x| = π/2 − 2 asin s, s = √z, z = (1 − |x|)/2 exact,
// with s's own rounding error c = (z − s²)/2s. acos = π/2 − asin, by whichever form does not cancel.
// In: a float64, or one that was a float32 (short). Out: within 1 ulp; NaN beyond ±1.

import { abs, add, copysign, div, gt, lt, mul, select, sqrt, sub, type Term } from "../scalar.ts";
import { ASIN, ASIN_SHORT, PIO2, PIO2_REST } from "./coefficients.ts";
import { double, estrin, half, square, TINY, twice, upper } from "./words.ts";

interface Core {
  readonly isLarge: Term;
  /** asin s = s + excess; s is |x| or √z. */
  readonly s: Term;
  readonly z: Term;
  readonly excess: Term;
}

function core(x: Term, coefficients: readonly number[]): Core {
  const a = abs(x);
  const isLarge = gt(a, double(0.5));
  const z = select(isLarge, half(sub(double(1), a)), square(a));
  const s = select(isLarge, sqrt(z), a);
  return { isLarge, s, z, excess: mul(mul(s, z), estrin(z, coefficients)) };
}

/** √z − s = (z − s²)/(s + s) nearly, with s² from halves of s; where s is √z rounded. */
function rootError(s: Term, z: Term): { high: Term; low: Term; error: Term } {
  const high = upper(s);
  const low = sub(s, high);
  const both = add(s, high);
  const difference = sub(sub(z, square(high)), mul(low, both));
  return { high, low, error: div(difference, add(both, double(TINY))) };
}

/** π/2 − 2(high + low + error + excess), where π/2 − 2 high is exact. */
export function asin64(x: Term): Term {
  const { isLarge, s, z, excess } = core(x, ASIN);
  const { high, low, error } = rootError(s, z);
  const rest = sub(twice(add(add(low, error), excess)), double(PIO2_REST));
  const large = sub(sub(double(PIO2), twice(high)), rest);
  return copysign(select(isLarge, large, add(s, excess)), x);
}

export function asin32(x: Term): Term {
  const { isLarge, s, excess } = core(x, ASIN_SHORT);
  const size = add(s, excess);
  return copysign(select(isLarge, sub(double(PIO2), twice(size)), size), x);
}

/** x > ½: 2(s + e), e = error + excess; x < −½: π − 2(s + e); between: π/2 − (x + excess). */
function acosWith(x: Term, { isLarge, s, excess }: Core, e: Term): Term {
  const isNegative = lt(x, double(0));
  const rest = select(isNegative, double(PIO2_REST), double(0));
  const root = add(s, sub(e, rest));
  const large = twice(select(isNegative, sub(double(PIO2), root), root));
  const signed = copysign(excess, x);
  return select(isLarge, large, sub(double(PIO2), sub(x, sub(double(PIO2_REST), signed))));
}

export function acos64(x: Term): Term {
  const parts = core(x, ASIN);
  return acosWith(x, parts, add(rootError(parts.s, parts.z).error, parts.excess));
}

export function acos32(x: Term): Term {
  const parts = core(x, ASIN_SHORT);
  return acosWith(x, parts, parts.excess);
}
