// exp: x = k ln(2)/64 + r with |r| ≤ ln(2)/128, eˣ = 2^(k/64) eʳ, 2^(j/64) from a table, eʳ − 1 = r + r²P(r).
// expm1: x = k ln 2 + r with |r| ≤ ln(2)/2, where eʳ − 1 has a small relative error.
// In: a float64, or one that was a float32 (the short forms, which never leave the normal range of float64).
// Out: eˣ within 0.52 ulp, eˣ − 1 within about 1; results that are subnormal are rounded once more.

import {
  abs,
  add,
  and,
  copysign,
  div,
  gt,
  lookup,
  lt,
  mul,
  rarely,
  select,
  shl,
  sub,
  type Term,
} from "../scalar.ts";
import { EXP_SCALES, EXP_TAILS } from "../tables.ts";
import {
  EXP,
  EXP_SHORT,
  EXP_STEP,
  EXP_STEP_HI,
  EXP_STEP_LO,
  EXPM1,
  EXPM1_SHORT,
  INV_EXP_STEP,
  INV_LN2,
  LN2,
  LN2_HI,
  LN2_LO,
} from "./coefficients.ts";
import {
  bitsOf,
  double,
  estrin,
  fastTwoSum,
  floatOf,
  half,
  MANTISSA_BITS,
  powerOfTwo,
  ROUNDER,
  square,
  wide,
} from "./words.ts";

/** The rounder with the exponent's bias: the low bits of x/ln 2 + BIASED are those of 2ᵏ. */
const BIASED = ROUNDER + 1023;
/** Up to here 2ᵏ and the result are normal. */
export const USUAL = 708;
/** Up to here eˣ is normal in float64; beyond, float32 has 0 or ∞. */
export const USUAL_SINGLE = 200;
/** Up to here 2ᵏ − 1 is exact. */
const USUAL_LESS_ONE = 37;
/** Beyond, eˣ and eˣ/2 are ∞ or 0; before, 2^(k ± AWAY) is normal. */
const LARGEST = 800;
const AWAY = 200;

/** eˣ = scale + scale·less. */
export interface Power {
  /** Right while it is normal. */
  readonly scale: Term;
  /** So small that its rounding hardly matters. */
  readonly less: Term;
}

/** k = nearest(64 x/ln 2), and what the table has for it. */
function stepOf(x: Term): { k: Term; scale: Term; place: Term } {
  const rounded = add(mul(x, double(INV_EXP_STEP)), double(ROUNDER));
  const bits = bitsOf(rounded);
  const place = and(bits, wide(63n));
  const scale = floatOf(add(bitsOf(lookup(EXP_SCALES, place)), shl(bits, wide(MANTISSA_BITS - 6n))));
  return { k: sub(rounded, double(ROUNDER)), scale, place };
}

/** Of x + rest, rest tiny. */
export function powerOf(x: Term, rest?: Term): Power {
  const { k, scale, place } = stepOf(x);
  const product = mul(k, double(EXP_STEP_LO));
  const low = rest === undefined ? product : sub(product, rest);
  const r = sub(sub(x, mul(k, double(EXP_STEP_HI))), low);
  const tail = add(lookup(EXP_TAILS, place), r);
  return { scale, less: add(tail, mul(square(r), estrin(r, EXP))) };
}

/** For what was a float32. */
export function powerShort(x: Term): Power {
  const { k, scale } = stepOf(x);
  const r = sub(x, mul(k, double(EXP_STEP)));
  return { scale, less: add(r, mul(square(r), estrin(r, EXP_SHORT))) };
}

export const powerValue = ({ scale, less }: Power): Term => add(scale, mul(scale, less));

export const beyond = (x: Term, limit: number): Term => gt(abs(x), double(limit));

/** factor·eˣ where the scale leaves the normal numbers: with one that is 2^(±200) times as large, and 2^∓200. */
export function farPower(x: Term, { scale, less }: Power, factor = 1): Term {
  const below = lt(x, double(0));
  const shift = BigInt(AWAY) << MANTISSA_BITS;
  const nearer = floatOf(add(bitsOf(scale), select(below, wide(shift), wide(-shift))));
  const back = select(below, double(factor * 2 ** -AWAY), double(factor * 2 ** AWAY));
  const power = mul(powerValue({ scale: nearer, less }), back);
  const large = select(gt(x, double(LARGEST)), double(Infinity), power);
  return select(lt(x, double(-LARGEST)), double(0), large);
}

export function exp64(x: Term): Term {
  const power = powerOf(x);
  return rarely(beyond(x, USUAL), farPower(x, power), powerValue(power));
}

export function exp32(x: Term): Term {
  const far = select(gt(x, double(0)), double(Infinity), double(0));
  return rarely(beyond(x, USUAL_SINGLE), far, powerValue(powerShort(x)));
}

export interface Reduced {
  /** 2ᵏ: right while it is normal. */
  readonly scale: Term;
  /** eʳ − 1 = high + tail, high exact, and tail so much smaller that its rounding hardly matters. */
  readonly high: Term;
  readonly tail: Term;
}

function multiplier(x: Term): { k: Term; scale: Term } {
  const rounded = add(mul(x, double(INV_LN2)), double(BIASED));
  return { k: sub(rounded, double(BIASED)), scale: powerOfTwo(bitsOf(rounded)) };
}

/** eʳ − 1 − high from r and low, where r = high − low. */
type Tail = (r: Term, low: Term) => Term;

export function reduce(x: Term, tailOf: Tail): Reduced {
  const { k, scale } = multiplier(x);
  const high = sub(x, mul(k, double(LN2_HI)));
  const low = mul(k, double(LN2_LO));
  return { scale, high, tail: tailOf(sub(high, low), low) };
}

/** r²/2 + (r³Q(r) − low): the larger summand has one rounding, since expm1 has no 1 to hide errors behind. */
export const expm1Tail: Tail = (r, low) => {
  const squared = square(r);
  return add(half(squared), sub(mul(mul(r, squared), estrin(r, EXPM1)), low));
};

/** For what was a float32: ln 2 needs no second part. */
export function reduceShort(x: Term, coefficients: readonly number[]): Reduced {
  const { k, scale } = multiplier(x);
  const r = sub(x, mul(k, double(LN2)));
  return { scale, high: r, tail: mul(square(r), estrin(r, coefficients)) };
}

export const asPower = ({ scale, high, tail }: Reduced): Power => ({ scale, less: add(high, tail) });

/** 2ᵏ eʳ − 1 = (2ᵏ − 1) + 2ᵏ high + 2ᵏ tail, the first sum with its rounding error. */
export function lessOne({ scale, high, tail }: Reduced): Term {
  const { sum, rest } = fastTwoSum(sub(scale, double(1)), mul(scale, high));
  return add(sum, add(rest, mul(scale, tail)));
}

export const lessOneShort = ({ scale, high, tail }: Reduced): Term =>
  add(sub(scale, double(1)), mul(scale, add(high, tail)));

/** The sign is x's, also of −0, which the sum has lost. */
export function expm1_64(x: Term): Term {
  const reduced = reduce(x, expm1Tail);
  const near = lessOne(reduced);
  return copysign(rarely(beyond(x, USUAL_LESS_ONE), farExpm1(x, reduced, near), near), x);
}

/** From 2⁵³ on 2ᵏ − 1 is not exact: 2ᵏ(1 + high + (tail − 2⁻ᵏ)) is. */
function farExpm1(x: Term, { scale, high, tail }: Reduced, near: Term): Term {
  const power = asPower({ scale, high, tail: sub(tail, div(double(1), scale)) });
  const below = select(lt(x, double(-USUAL)), double(-1), near);
  return select(lt(x, double(0)), below, farPower(x, power));
}

export function expm1_32(x: Term): Term {
  const far = select(gt(x, double(0)), double(Infinity), double(-1));
  return copysign(rarely(beyond(x, USUAL_SINGLE), far, lessOneShort(reduceShort(x, EXPM1_SHORT))), x);
}
