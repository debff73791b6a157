// Angles modulo π/2, by Cody and Waite: a = n π/2 + r + tail, |r| ≤ π/4, with π/2 in three parts whose first two
// have so few bits that their products with n are exact.
// In: 0 ≤ a ≤ LARGEST. Out: r + tail with a relative error below 2⁻⁵⁵, even next to multiples of π/2: the
// nearest any float64 up to LARGEST comes to n π/2 is n·2⁻⁶⁸·⁶ (n = 145897).

import { add, mul, sub, type Term } from "../scalar.ts";
import { PIO2_1, PIO2_2, PIO2_3, TWO_OVER_PI } from "./coefficients.ts";
import { bitsOf, double, ROUNDER } from "./words.ts";

/** Beyond, math/huge.ts takes over. */
export const LARGEST: number = 2 ** 18;

export interface Angle {
  /** An int64 whose two low bits are n modulo 4. */
  readonly quadrant: Term;
  readonly r: Term;
  /** What r lacks: at most about half an ulp of it, unless r is tiny. */
  readonly tail: Term;
}

export function angleOf(a: Term): Angle {
  const rounded = add(mul(a, double(TWO_OVER_PI)), double(ROUNDER));
  const n = sub(rounded, double(ROUNDER));
  const nearly = sub(a, mul(n, double(PIO2_1)));
  const second = mul(n, double(PIO2_2));
  const r = sub(nearly, second);
  const tail = sub(sub(sub(nearly, r), second), mul(n, double(PIO2_3)));
  return { quadrant: bitsOf(rounded), r, tail };
}
