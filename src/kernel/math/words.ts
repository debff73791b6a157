// Small words for writing elementary functions in the scalar language: constants, polynomials, bits, and the
// choice of a body by width. In and out: terms. Every body computes in float64; a float32 goes there and back,
// so that a short polynomial already rounds correctly nearly always.

import { add, and, bitcast, constant, convert, gt, mul, shl, shr, sub, type Term } from "../scalar.ts";

export type Unary = (x: Term) => Term;
export type Binary = (x: Term, y: Term) => Term;

export const double = (value: number): Term => constant("float64", value);
export const wide = (value: bigint): Term => constant("int64", BigInt.asIntN(64, value));
export const bitsOf = (x: Term): Term => bitcast(x, "int64");
export const floatOf = (bits: Term): Term => bitcast(bits, "float64");

export const SIGN_BIT: bigint = -(1n << 63n);
/** The upper 26 bits of a mantissa: the square of such a number is exact. */
const UPPER_BITS: bigint = -(1n << 27n);
export const MANTISSA_BITS = 52n;
/** Bits of 1, ∞ and the least normal number; the mantissa's bits. */
export const ONE = 0x3ff0000000000000n;
export const INFINITE = 0x7ff0000000000000n;
export const NORMAL = 0x0010000000000000n;
export const FRACTION = 0x000fffffffffffffn;
/** 1.5·2⁵²: added to |v| < 2⁵¹ it leaves nearest(v) in the low bits. */
export const ROUNDER: number = 1.5 * 2 ** 52;

/**
 * c₀ + c₁x + c₂x² + … by Estrin's scheme: pairs c₀ + c₁x, then pairs of those with x², x⁴, … That is two or three
 * operations more than Horner's, and a chain of dependent ones several times shorter, which is what bounds the speed
 * of a loop over vectors.
 */
export function estrin(x: Term, coefficients: readonly number[]): Term {
  let level = coefficients.map(double);
  for (let power = x; level.length > 1; power = square(power)) level = pairUp(level, power);
  return level[0]!;
}

function pairUp(level: readonly Term[], power: Term): Term[] {
  const pairs: Term[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [low, high] = [level[i]!, level[i + 1]];
    pairs.push(high === undefined ? low : add(low, mul(power, high)));
  }
  return pairs;
}

/** Added to a denominator that may be 0 where the numerator is 0 too; beside any other it is nothing. */
export const TINY: number = 2 ** -900;

export const square: Unary = (x) => mul(x, x);
export const half: Unary = (x) => mul(x, double(0.5));
export const twice: Unary = (x) => add(x, x);

/** The exponent's field of a float without sign: shifted as unsigned, which vectors do in one instruction. */
export const exponentField: Unary = (bits) =>
  convert(shr(convert(bits, "uint64"), constant("uint64", MANTISSA_BITS)), "int64");

/** x with the lower half of its mantissa cleared: x − upper(x) is exact. */
export const upper: Unary = (x) => floatOf(and(bitsOf(x), wide(UPPER_BITS)));

/** 2ᵏ from bits whose low ones are 1023 + k. */
export const powerOfTwo: Unary = (bits) => floatOf(shl(bits, wide(MANTISSA_BITS)));

/** a + b = sum + rest exactly. */
export function twoSum(a: Term, b: Term): { sum: Term; rest: Term } {
  const sum = add(a, b);
  const part = sub(sum, a);
  return { sum, rest: add(sub(a, sub(sum, part)), sub(b, part)) };
}

/** a + b = sum + rest exactly, if a = 0 or |a| ≥ |b|. */
export function fastTwoSum(a: Term, b: Term): { sum: Term; rest: Term } {
  const sum = add(a, b);
  return { sum, rest: add(sub(a, sum), b) };
}

/** not (low ≤ x < high) by one comparison of bits, 0 < low < high: also holds for NaNs and negative x. */
export function isOutside(x: Term, low: bigint, high: bigint): Term {
  return gt(add(bitsOf(x), wide(SIGN_BIT - low)), wide(SIGN_BIT + (high - low) - 1n));
}

/** The body for the argument's width: `single` also computes in float64, with less precision. */
export function byWidth(inDouble: Unary, inSingle: Unary): Unary {
  return (x) => (x.type === "float32" ? convert(inSingle(convert(x, "float64")), "float32") : inDouble(x));
}

export function byWidth2(inDouble: Binary, inSingle: Binary): Binary {
  return (x, y) =>
    x.type === "float32"
      ? convert(inSingle(convert(x, "float64"), convert(y, "float64")), "float32")
      : inDouble(x, y);
}
