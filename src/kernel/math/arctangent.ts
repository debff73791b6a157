// atan and atan2. For a = |x| a center c is taken off: atan a = atan c + atan t, t = (a − c)/(1 + a c), and for
// large a atan a = π/2 + atan(−1/a); then |t| ≤ 7/16 and atan t = t + t³A(t²). The numerator is exact.
// In: a float64, or one that was a float32 (short). Out: atan within 1 ulp, atan2 within 2; signs as in C.

import {
  abs,
  add,
  copysign,
  div,
  eq,
  gt,
  lt,
  mul,
  ne,
  rarely,
  select,
  sqrt,
  sub,
  type Term,
} from "../scalar.ts";
import {
  ASIN,
  ASIN_SHORT,
  ATAN,
  ATAN_CENTERS,
  ATAN_LIMITS,
  ATAN_OF_CENTERS,
  ATAN_SHORT,
  PIO2,
  PIO2_REST,
} from "./coefficients.ts";
import {
  type Binary,
  bitsOf,
  double,
  estrin,
  half,
  square,
  TINY,
  twice,
  type Unary,
  upper,
  wide,
} from "./words.ts";

// asin and acos. |x| ≤ ½: asin x = x + x³A(x²). |x| > ½: asin|x| = π/2 − 2 asin s, s = √z, z = (1 − |x|)/2 exact,
// with s's own rounding error c = (z − s²)/2s. acos = π/2 − asin, by whichever form does not cancel.
// In: a float64, or one that was a float32 (short). Out: within 1 ulp; NaN beyond ±1.

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

/** atan a = base + rest for a ≥ 0 or NaN: base exact, rest so much smaller that its rounding hardly matters. */
function arctangent(a: Term, coefficients: readonly number[]): { base: Term; rest: Term } {
  const passed = ATAN_LIMITS.map((limit) => gt(a, double(limit)));
  const isFar = passed[3]!;
  const center = byPlace(passed, ATAN_CENTERS);
  const numerator = select(isFar, double(-1), sub(a, center));
  const t = div(numerator, select(isFar, a, add(double(1), mul(a, center))));
  const z = square(t);
  // π/2 is the only one of the arc tangents that needs a second part.
  const second = select(isFar, double(PIO2_REST), double(0));
  const small = add(mul(mul(t, z), estrin(z, coefficients)), second);
  return { base: byPlace(passed, [...ATAN_OF_CENTERS, PIO2]), rest: add(t, small) };
}

/** The value after the last limit that was passed. */
function byPlace(passed: readonly Term[], values: readonly number[]): Term {
  return values
    .slice(1)
    .reduce((before, value, i) => select(passed[i]!, double(value), before), double(values[0]!));
}

function atanWith(coefficients: readonly number[]): Unary {
  return (x) => {
    const { base, rest } = arctangent(abs(x), coefficients);
    return copysign(add(base, rest), x);
  };
}

/** atan(|y|/|x|), taken from π if x < 0 or x = −0, with y's sign. */
function atan2With(coefficients: readonly number[], fromPi: Binary): Binary {
  return (y, x) => {
    const { base, rest } = arctangent(ratioOf(abs(y), abs(x)), coefficients);
    return copysign(select(lt(bitsOf(x), wide(0n)), fromPi(base, rest), add(base, rest)), y);
  };
}

/** π − base − rest, the first difference with its rounding error. */
const fromPi64: Binary = (base, rest) => {
  const difference = sub(double(2 * PIO2), base);
  const lost = sub(sub(double(2 * PIO2), difference), base);
  return add(difference, sub(add(lost, double(2 * PIO2_REST)), rest));
};

const fromPi32: Binary = (base, rest) => sub(double(2 * PIO2), add(base, rest));

/** a/b, where 0/0 counts as 0 and ∞/∞ as 1. */
function ratioOf(a: Term, b: Term): Term {
  const ratio = div(a, b);
  const equal = select(eq(a, double(0)), double(0), double(1));
  return rarely(ne(ratio, ratio), select(eq(a, b), equal, ratio), ratio);
}

export const atan64: Unary = atanWith(ATAN);
export const atan32: Unary = atanWith(ATAN_SHORT);
export const atan2_64: Binary = atan2With(ATAN, fromPi64);
export const atan2_32: Binary = atan2With(ATAN_SHORT, fromPi32);
