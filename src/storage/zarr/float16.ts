// Half-precision floats ⇄ single precision, on bit patterns: NaN payloads survive, subnormals are exact,
// and narrowing rounds to nearest, ties to even, as IEEE 754 and NumPy do.

import { once } from "../../core/once.ts";

/** The single-precision bits of all 65536 halves. */
const singleTable = once(() => Uint32Array.from({ length: 65536 }, (_, half) => widen(half)));

/** Bits of a half → bits of the same number in single precision. */
export function widen(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >>> 10) & 31;
  const mantissa = half & 0x3ff;
  if (exponent === 31) return (sign | 0x7f800000 | (mantissa << 13)) >>> 0;
  if (exponent !== 0) return (sign | ((exponent + 112) << 23) | (mantissa << 13)) >>> 0;
  if (mantissa === 0) return sign >>> 0;
  // A subnormal half is a normal single: move its first bit to the hidden place.
  const shift = Math.clz32(mantissa) - 21;
  return (sign | ((113 - shift) << 23) | (((mantissa << shift) & 0x3ff) << 13)) >>> 0;
}

/** Bits of a single → bits of the nearest half. */
export function narrow(single: number): number {
  const sign = (single >>> 16) & 0x8000;
  const exponent = ((single >>> 23) & 255) - 112;
  const mantissa = single & 0x7fffff;
  if (exponent === 143) return sign | 0x7c00 | (mantissa === 0 ? 0 : mantissa >>> 13 || 1);
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent > 0) return sign | roundedShift((exponent << 23) | mantissa, 13);
  return exponent < -10 ? sign : sign | roundedShift(mantissa | 0x800000, 14 - exponent);
}

/** A carry out of the mantissa goes into the exponent: that is the next number, or infinity. */
function roundedShift(bits: number, shift: number): number {
  const quotient = bits >>> shift;
  const rest = bits & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (quotient & 1) === 1) ? quotient + 1 : quotient;
}

export function widenAll(halves: Uint16Array, into: Uint32Array): void {
  const table = singleTable();
  for (let i = 0; i < halves.length; i++) into[i] = table[halves[i]!]!;
}

export function narrowAll(singleBits: Uint32Array, into: Uint16Array): void {
  for (let i = 0; i < into.length; i++) into[i] = narrow(singleBits[i]!);
}
