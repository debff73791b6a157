// log, log1p, log2, log10 of any number: the logarithms of math/naturalLog.ts in other bases, and what it leaves
// out. In: a float64, or one that was a float32 (the short forms). Out: the logarithm within 1 ulp; −∞ at the pole,
// NaN before it; log2 of powers of 2 and log10 of powers of 10 are exact.

import { add, and, copysign, eq, gt, lt, mul, rarely, select, sub, type Term } from "../scalar.ts";
import {
  INV_LN_TEN_HI,
  INV_LN_TEN_LO,
  INV_LN_TWO_HI,
  INV_LN_TWO_LO,
  LOG,
  LOG_SHORT,
  LOG10_2_HI,
  LOG10_2_LO,
} from "./coefficients.ts";
import { type Base, ln, lnOnePlus, lnShort, partsOf, remainder, shortfall } from "./naturalLog.ts";
import {
  double,
  fastTwoSum,
  half,
  INFINITE,
  isOutside,
  MANTISSA_BITS,
  NORMAL,
  type Unary,
  upper,
} from "./words.ts";

/** Scales subnormal numbers into the normal ones. */
const LIFT = 54;
/** Bits of 2¹⁰²⁰. */
const HUGE = BigInt(1023 + 1020) << MANTISSA_BITS;

/** Of base b: 1/ln b and log_b 2, in two parts; no log_b 2 means 1. */
interface Scale {
  readonly inverse: readonly [number, number];
  readonly two?: readonly [number, number];
}

const BINARY: Scale = { inverse: [INV_LN_TWO_HI, INV_LN_TWO_LO] };
const DECIMAL: Scale = { inverse: [INV_LN_TEN_HI, INV_LN_TEN_LO], two: [LOG10_2_HI, LOG10_2_LO] };

/** k log 2 + ln(m)/ln b, ln m = (f − f²/2) + s(f²/2 + R) = high + low: products with the short high are exact. */
function scaled({ inverse, two }: Scale): Base {
  return (k, f) => {
    const halfSquare = mul(half(f), f);
    const { s, r } = remainder(f, LOG);
    const high = upper(sub(f, halfSquare));
    const low = add(sub(sub(f, high), halfSquare), mul(s, add(halfSquare, r)));
    const small = add(mul(low, double(inverse[0])), mul(add(low, high), double(inverse[1])));
    const whole = two === undefined ? k : mul(k, double(two[0]));
    const { sum, rest } = fastTwoSum(whole, mul(high, double(inverse[0])));
    return add(sum, add(rest, two === undefined ? small : add(small, mul(k, double(two[1])))));
  };
}

function scaledShort({ inverse, two }: Scale): Base {
  return (k, f) => {
    const whole = two === undefined ? k : mul(k, double(two[0] + two[1]));
    return add(whole, mul(sub(f, shortfall(f, LOG_SHORT)), double(inverse[0] + inverse[1])));
  };
}

/** log 0 = −∞, log ∞ = ∞, log of a negative number or NaN is NaN. */
const special: Unary = (x) =>
  select(eq(x, double(0)), double(-Infinity), select(gt(x, double(0)), x, double(Number.NaN)));

function ofDouble(base: Base): Unary {
  return (x) => {
    const { k, f } = partsOf(x);
    const lifted = partsOf(mul(x, double(2 ** LIFT)));
    const subnormal = base(sub(lifted.k, double(LIFT)), lifted.f);
    const isSubnormal = and(gt(x, double(0)), lt(x, double(2 ** -1022)));
    return rarely(isOutside(x, NORMAL, INFINITE), select(isSubnormal, subnormal, special(x)), base(k, f));
  };
}

/** Floats are normal numbers in float64. */
function ofSingle(base: Base): Unary {
  return (x) => {
    const { k, f } = partsOf(x);
    return rarely(isOutside(x, NORMAL, INFINITE), special(x), base(k, f));
  };
}

/** The sign is x's, also of −0. */
function log1pWith(coefficients: readonly number[], beyond: (u: Term) => Term): Unary {
  return (x) => {
    const u = add(x, double(1));
    return copysign(rarely(isOutside(u, NORMAL, HUGE), beyond(u), lnOnePlus(x, coefficients)), x);
  };
}

/** 1 is nothing beside a huge x. */
const lnOrSpecial: Unary = (u) => {
  const { k, f } = partsOf(u);
  return select(isOutside(u, NORMAL, INFINITE), special(u), ln(k, f));
};

export const log64: Unary = ofDouble(ln);
export const log32: Unary = ofSingle(lnShort);
export const log2_64: Unary = ofDouble(scaled(BINARY));
export const log2_32: Unary = ofSingle(scaledShort(BINARY));
export const log10_64: Unary = ofDouble(scaled(DECIMAL));
export const log10_32: Unary = ofSingle(scaledShort(DECIMAL));
export const log1p_64: Unary = log1pWith(LOG, lnOrSpecial);
export const log1p_32: Unary = log1pWith(LOG_SHORT, special);
