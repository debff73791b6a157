// sin, cos, tan. |x| = n π/2 + r + t (math/angle.ts); sin and cos of r + t are exchanged and signed by n modulo 4:
//   sin(r + t) = r + (r³S(r²) + t cos r),  cos(r + t) = 1 − r²/2 + (r⁴C(r²) − t r).
// In: a float64. Out: sin and cos within 1 ulp, tan within 2, for every x; infinite x gives NaN. Oddness and
// evenness are exact, because everything but the sign is computed from |x|.

import {
  abs,
  add,
  and,
  div,
  eq,
  gt,
  lookup,
  mul,
  or,
  rarely,
  select,
  shl,
  sub,
  type Term,
  xor,
} from "../scalar.ts";
import { TWO_OVER_PI_WINDOWS, WINDOW_BITS } from "../tables.ts";
import {
  COS,
  PIO2,
  PIO2_1,
  PIO2_2,
  PIO2_3,
  PIO2_LOWER,
  PIO2_UPPER,
  SIN,
  TAN_D,
  TAN_N,
  TWO_OVER_PI,
} from "./coefficients.ts";
import {
  bitsOf,
  double,
  estrin,
  exponentField,
  FRACTION,
  fastTwoSum,
  floatOf,
  half,
  ONE,
  ROUNDER,
  SIGN_BIT,
  square,
  twoSum,
  type Unary,
  upper,
  wide,
} from "./words.ts";

// Angles modulo π/2, by Cody and Waite: a = n π/2 + r + tail, |r| ≤ π/4, with π/2 in three parts whose first two
// have so few bits that their products with n are exact.
// In: 0 ≤ a ≤ LARGEST. Out: r + tail with a relative error below 2⁻⁵⁵, even next to multiples of π/2: the
// nearest any float64 up to LARGEST comes to n π/2 is n·2⁻⁶⁸·⁶ (n = 145897).

/** Beyond, math/huge.ts takes over. */
const LARGEST: number = 2 ** 18;

interface Angle {
  /** An int64 whose two low bits are n modulo 4. */
  readonly quadrant: Term;
  readonly r: Term;
  /** What r lacks: at most about half an ulp of it, unless r is tiny. */
  readonly tail: Term;
}

function angleOf(a: Term): Angle {
  const rounded = add(mul(a, double(TWO_OVER_PI)), double(ROUNDER));
  const n = sub(rounded, double(ROUNDER));
  const nearly = sub(a, mul(n, double(PIO2_1)));
  const second = mul(n, double(PIO2_2));
  const r = sub(nearly, second);
  const tail = sub(sub(sub(nearly, r), second), mul(n, double(PIO2_3)));
  return { quadrant: bitsOf(rounded), r, tail };
}

// Angles modulo π/2 for huge arguments, after Payne and Hanek: only those bits of 2/π are multiplied that can
// touch the result. a = X·2ᵉ, 1 ≤ X < 2; windows of 25 bits of 2/π at bits e, e + 25, … times the two halves of X
// give exact products, in levels L₀ + L₁ + …, each 2⁻²⁵ of the one before; multiples of 4 fall away.
// In: a > LARGEST, infinite or NaN too (which gives NaN); other lanes are computed as 2²⁰.
// Out: an Angle whose relative error is below 2⁻⁵⁸ for every float64.

const LEVELS = 6;
/** Rounds to a multiple of 2⁻²⁵: half of the mantissa of 1 ≤ X < 2. */
const HALF_ROUNDER = 1.5 * 2 ** 27;

function hugeAngle(a: Term): Angle {
  const { fraction, quadrant } = quarterTurns(levelsOf(select(gt(a, double(LARGEST)), a, double(2 ** 20))));
  const { high, low } = timesHalfPi(fraction);
  // ∞ − ∞ is NaN.
  return { quadrant, r: add(high, sub(a, a)), tail: low };
}

/** Lᵢ = (2²⁵Xₗ Vᵢ + Xₕ Vᵢ₊₁)·2^(4 − 25i), exact, with Vᵢ the window at bit e + 25i, X = Xₕ + Xₗ. */
function levelsOf(a: Term): Term[] {
  const bits = bitsOf(a);
  const x = floatOf(or(and(bits, wide(FRACTION)), wide(ONE)));
  const high = sub(add(x, double(HALF_ROUNDER)), double(HALF_ROUNDER));
  const low = mul(sub(x, high), double(2 ** WINDOW_BITS));
  const first = sub(exponentField(bits), wide(1023n));
  const window = (i: number): Term => lookup(TWO_OVER_PI_WINDOWS, add(first, wide(BigInt(WINDOW_BITS * i))));
  return Array.from({ length: LEVELS }, (_, i) =>
    mul(add(mul(low, window(i)), mul(high, window(i + 1))), double(2 ** (4 - WINDOW_BITS * i))),
  );
}

interface Pair {
  readonly high: Term;
  readonly low: Term;
}

/** The sum of the levels, modulo 4, as a whole number and a fraction in ±½. */
function quarterTurns(levels: readonly Term[]): { fraction: Pair; quadrant: Term } {
  const [first, second, third, fourth, fifth, sixth] = levels as [Term, Term, Term, Term, Term, Term];
  const fours = sub(add(first, double(4 * ROUNDER)), double(4 * ROUNDER));
  const turns = add(sub(first, fours), second);
  const rounded = add(turns, double(ROUNDER));
  const upperSum = twoSum(sub(turns, sub(rounded, double(ROUNDER))), third);
  const sum = twoSum(upperSum.sum, fourth);
  const rest = add(add(sum.rest, upperSum.rest), add(fifth, sixth));
  const fraction = fastTwoSum(sum.sum, rest);
  return { fraction: { high: fraction.sum, low: fraction.rest }, quadrant: bitsOf(rounded) };
}

/** (h + l) π/2 with the product's rounding error, from halves of h and of π/2. */
function timesHalfPi({ high, low }: Pair): Pair {
  const product = mul(high, double(PIO2));
  const above = upper(high);
  const below = sub(high, above);
  const exact = add(sub(mul(above, double(PIO2_UPPER)), product), mul(below, double(PIO2_UPPER)));
  const small = add(mul(high, double(PIO2_LOWER)), mul(low, double(PIO2)));
  return { high: product, low: add(exact, small) };
}

/** f of |x|'s angle; `usual` may be a shorter way to it, where |x| is not huge. */
export function ofAngle(x: Term, f: (angle: Angle) => Term, usual: Unary = (a) => f(angleOf(a))): Term {
  const a = abs(x);
  return rarely(gt(a, double(LARGEST)), f(hugeAngle(a)), usual(a));
}

function sineAndCosine({ r, tail }: Angle): { sine: Term; cosine: Term } {
  const z = square(r);
  const halfSquare = half(z);
  const nearly = sub(double(1), halfSquare);
  const sine = add(r, add(mul(mul(r, z), estrin(z, SIN)), mul(tail, nearly)));
  const lost = sub(sub(double(1), nearly), halfSquare);
  const small = sub(mul(square(z), estrin(z, COS)), mul(r, tail));
  return { sine, cosine: add(nearly, add(lost, small)) };
}

const isEven: Unary = (n) => eq(and(n, wide(1n)), wide(0n));

/** x, negated where the sign bit of `bits` is set. */
export const flip = (x: Term, bits: Term): Term => floatOf(xor(bitsOf(x), and(bits, wide(SIGN_BIT))));

/** Bit 0 and bit 1 of n as a sign bit. */
export const bitZero: Unary = (n) => shl(n, wide(63n));
const bitOne: Unary = (n) => shl(n, wide(62n));

/** n = 0, 1, 2, 3: sin r, cos r, −sin r, −cos r; and x's sign. */
export function sinOf(x: Term, angle: Angle): Term {
  const { sine, cosine } = sineAndCosine(angle);
  return flip(select(isEven(angle.quadrant), sine, cosine), xor(bitOne(angle.quadrant), bitsOf(x)));
}

/** n = 0, 1, 2, 3: cos r, −sin r, −cos r, sin r. */
export function cosOf(angle: Angle): Term {
  const { sine, cosine } = sineAndCosine(angle);
  return flip(select(isEven(angle.quadrant), cosine, sine), bitOne(add(angle.quadrant, wide(1n))));
}

/** tan(r + t) = r + (r³N(r²)/D(r²) + t(1 + tan² r)), where tan² r ≈ r² + r⁴ is near enough. */
export function tanOf(x: Term, { quadrant, r, tail }: Angle): Term {
  const z = square(r);
  const ratio = div(mul(mul(r, z), estrin(z, TAN_N)), add(double(1), mul(z, estrin(z, TAN_D))));
  const correction = mul(tail, add(double(1), add(z, square(z))));
  return tanQuotient(x, quadrant, add(r, add(ratio, correction)), double(1));
}

/** above/below for even n and −below/above for odd n; and x's sign. */
export function tanQuotient(x: Term, n: Term, above: Term, below: Term): Term {
  const even = isEven(n);
  const ratio = div(select(even, above, below), select(even, below, above));
  return flip(ratio, xor(bitZero(n), bitsOf(x)));
}

export const sin64: Unary = (x) => ofAngle(x, (angle) => sinOf(x, angle));
export const cos64: Unary = (x) => ofAngle(x, cosOf);
export const tan64: Unary = (x) => ofAngle(x, (angle) => tanOf(x, angle));
