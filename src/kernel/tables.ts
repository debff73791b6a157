// Tables of constants that `lookup` reads. A table's number is its place in this list.

import { EXP_LACKS, EXP_ROOTS, TWO_OVER_PI_DIGITS } from "./math/coefficients.ts";

/** Bits in a window of 2/π: products with half a mantissa are exact, and so are sums of two of them. */
export const WINDOW_BITS = 25;
/** The place of the window whose last bit is the units' bit of 2/π. */
const ORIGIN = 29;

/**
 * windows[p] = nearest(A) − 2²⁵ nearest(2⁻²⁵A), A = 2/π · 2^(p − 29): a digit of A, base 2²⁵, from −2²⁴ to 2²⁴.
 * Windows 25 places apart add up: 2/π · 2^(p − 29) = windows[p] + 2⁻²⁵ windows[p + 25] + … modulo 2²⁵.
 */
function windowsOf(digits: string): Float64Array {
  const value = BigInt(`0x${digits}`);
  const bits = 4 * digits.length;
  const nearest = (drop: number): bigint => ((value >> BigInt(drop - 1)) + 1n) >> 1n;
  return Float64Array.from({ length: bits + ORIGIN }, (_, place) => {
    const drop = bits + ORIGIN - place;
    return Number(nearest(drop) - (nearest(drop + WINDOW_BITS) << BigInt(WINDOW_BITS)));
  });
}

/** The table of the windows of 2/π, for huge arguments of sin, cos and tan (math/huge.ts). */
export const TWO_OVER_PI_WINDOWS = 0;

/** 2^(j/64), for eˣ (math/exponential.ts): as bits, less j·2⁴⁶, so that k·2⁴⁶ added to them makes 2^(k/64). */
export const EXP_SCALES = 1;
/** What they lack, relative to them. */
export const EXP_TAILS = 2;

function scalesOf(roots: readonly number[]): Float64Array {
  const scales = Float64Array.from(roots);
  const bits = new BigInt64Array(scales.buffer);
  roots.forEach((_, j) => {
    bits[j]! -= BigInt(j) << 46n;
  });
  return scales;
}

export const TABLES: readonly Float64Array[] = [
  windowsOf(TWO_OVER_PI_DIGITS),
  scalesOf(EXP_ROOTS),
  Float64Array.from(EXP_LACKS),
];
