// Angles modulo π/2 for huge arguments, after Payne and Hanek: only those bits of 2/π are multiplied that can
// touch the result. a = X·2ᵉ, 1 ≤ X < 2; windows of 25 bits of 2/π at bits e, e + 25, … times the two halves of X
// give exact products, in levels L₀ + L₁ + …, each 2⁻²⁵ of the one before; multiples of 4 fall away.
// In: a > LARGEST of angle.ts, infinite or NaN too (which gives NaN); other lanes are computed as 2²⁰.
// Out: an Angle whose relative error is below 2⁻⁵⁸ for every float64.

import { add, and, gt, lookup, mul, or, select, sub, type Term } from "../scalar.ts";
import { TWO_OVER_PI_WINDOWS, WINDOW_BITS } from "../tables.ts";
import { type Angle, LARGEST } from "./angle.ts";
import { PIO2, PIO2_LOWER, PIO2_UPPER } from "./coefficients.ts";
import {
  bitsOf,
  double,
  exponentField,
  FRACTION,
  fastTwoSum,
  floatOf,
  ONE,
  ROUNDER,
  twoSum,
  upper,
  wide,
} from "./words.ts";

const LEVELS = 6;
/** Rounds to a multiple of 2⁻²⁵: half of the mantissa of 1 ≤ X < 2. */
const HALF_ROUNDER = 1.5 * 2 ** 27;

export function hugeAngle(a: Term): Angle {
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
