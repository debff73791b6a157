// The natural logarithm that all others are made of. x = 2ᵏ m with m from √½ to √2, f = m − 1 (exact);
// ln m = f − s(f − R) = f − f²/2 + s(f²/2 + R), s = f/(2 + f), R = s²L(s²).
// In: normal positive x (other lanes give anything). Out: ln x, ln 2x, ln(1 + x) within 1 ulp.

import { add, and, div, eq, mul, or, select, sub, type Term } from "../scalar.ts";
import { LN2_HI, LN2_LO, LOG, LOG_POWER, LOG_SHORT } from "./coefficients.ts";
import {
  bitsOf,
  double,
  estrin,
  exponentField,
  FRACTION,
  fastTwoSum,
  floatOf,
  INFINITE,
  ONE,
  square,
  type Unary,
  wide,
} from "./words.ts";

/** Bits of a number next to √½ with a short mantissa. */
const ROOT_HALF = 0x3fe6a09e00000000n;
/** Bits of 2⁵²: a whole number below 2⁵² put into the mantissa makes 2⁵² + it. */
const WHOLE = 0x4330000000000000n;

export interface Parts {
  readonly k: Term;
  /** m − 1, exact. */
  readonly f: Term;
  /** (1023 + k)·2⁵². */
  readonly exponentBits: Term;
}

export function partsOf(x: Term): Parts {
  const moved = add(bitsOf(x), wide(ONE - ROOT_HALF));
  const exponentBits = and(moved, wide(INFINITE));
  const exponent = floatOf(or(exponentField(exponentBits), wide(WHOLE)));
  const m = floatOf(add(and(moved, wide(FRACTION)), wide(ROOT_HALF)));
  return { k: sub(exponent, double(2 ** 52 + 1023)), f: sub(m, double(1)), exponentBits };
}

/** s and R of f. */
export function remainder(f: Term, coefficients: readonly number[]): { s: Term; r: Term } {
  const s = div(f, add(f, double(2)));
  const z = square(s);
  return { s, r: mul(z, estrin(z, coefficients)) };
}

/** f − ln(1 + f) = s(f − R). */
export function shortfall(f: Term, coefficients: readonly number[]): Term {
  const { s, r } = remainder(f, coefficients);
  return mul(s, sub(f, r));
}

/** k ln 2 + (f + (c + k·LN2_LO − less)). */
function assemble(k: Term, f: Term, less: Term, c?: Term): Term {
  const low = mul(k, double(LN2_LO));
  const rest = sub(c === undefined ? low : add(c, low), less);
  return add(mul(k, double(LN2_HI)), add(f, rest));
}

/** The same; what is lost where k ln 2 meets f is not lost. */
function assembleClosely(k: Term, f: Term, less: Term): Term {
  const small = sub(mul(k, double(LN2_LO)), less);
  const { sum, rest } = fastTwoSum(mul(k, double(LN2_HI)), f);
  return add(sum, add(rest, small));
}

/** A logarithm of 2ᵏ(1 + f). */
export type Base = (k: Term, f: Term) => Term;

const lnWith =
  (coefficients: readonly number[]): Base =>
  (k, f) =>
    assemble(k, f, shortfall(f, coefficients));

/** Sums under a logarithm are as exact as it is: rules rely on that. */
export const ln: Base = (k, f) => assembleClosely(k, f, shortfall(f, LOG));
export const lnShort: Base = lnWith(LOG_SHORT);
/** Precise enough to be multiplied by 100 for a float32. */
export const lnPower: Base = lnWith(LOG_POWER);

/** ln 2x, also for x = ∞. */
export const lnOfTwice: Unary = (x) => {
  const { k, f } = partsOf(x);
  return select(eq(x, double(Infinity)), x, ln(add(k, double(1)), f));
};

/**
 * ln(1 + x + rest) for 0 < 1 + x < 2¹⁰²², rest tiny: 1 + x + rest = u + c, u = 2ᵏ(1 + f), and
 * ln = k ln 2 + f + 2⁻ᵏc − shortfall(f + 2⁻ᵏc). For k = 0 the sum f + c is x again, so small x keep their precision.
 */
export function lnOnePlus(x: Term, coefficients: readonly number[], rest?: Term): Term {
  const u = add(x, double(1));
  const { k, f, exponentBits } = partsOf(u);
  const inverse = floatOf(sub(wide(2n * ONE), exponentBits));
  const lost = sub(x, sub(u, double(1)));
  const c = mul(rest === undefined ? lost : add(lost, rest), inverse);
  return assemble(k, f, shortfall(add(f, c), coefficients), c);
}
