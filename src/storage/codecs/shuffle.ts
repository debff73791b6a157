// Byte and bit shuffles: the first bytes (bits) of all elements together, then the second ones, and so on.
// What compressors like. A rest shorter than an element (eight elements, for bits) stays as it is.

import type { BytesCodec } from "./codec.ts";
import { bitShuffleInto, bitUnshuffleInto, shuffleInto, unshuffleInto } from "./wasm.ts";

/** numcodecs' "shuffle" filter. */
export function shuffleCodec(size: number): BytesCodec {
  return {
    name: "shuffle",
    encodedBound: (bound) => bound,
    encode: (bytes) => shuffled(bytes, size),
    decode: (bytes) => {
      const result = new Uint8Array(bytes.length);
      unshuffle(bytes, result, size);
      return result;
    },
  };
}

const isPowerOfTwo = (size: number): boolean => (size & (size - 1)) === 0;

export function shuffled(source: Uint8Array, size: number): Uint8Array {
  const target = new Uint8Array(source.length);
  const count = Math.floor(source.length / size);
  const whole = count * size;
  if (isPowerOfTwo(size)) shuffleInto(source.subarray(0, whole), target, size);
  else
    for (let byte = 0; byte < size; byte++)
      for (let i = 0, from = byte; i < count; i++, from += size) target[byte * count + i] = source[from]!;
  target.set(source.subarray(whole), whole);
  return target;
}

export function unshuffle(source: Uint8Array, target: Uint8Array, size: number): void {
  const count = Math.floor(source.length / size);
  const whole = count * size;
  if (isPowerOfTwo(size)) unshuffleInto(source.subarray(0, whole), target, size);
  else
    for (let byte = 0; byte < size; byte++)
      for (let i = 0, to = byte; i < count; i++, to += size) target[to] = source[byte * count + i]!;
  target.set(source.subarray(whole), whole);
}

/** Row b of the result is bit b % 8 of byte b / 8 of every element, eight elements to a byte. */
export function bitShuffled(source: Uint8Array, size: number): Uint8Array {
  const target = new Uint8Array(source.length);
  const whole = Math.floor(source.length / size / 8) * 8 * size;
  if (isPowerOfTwo(size)) bitShuffleInto(source.subarray(0, whole), target, size);
  else bitsOneByOne(source, target, size, whole, false);
  target.set(source.subarray(whole), whole);
  return target;
}

export function bitUnshuffle(source: Uint8Array, target: Uint8Array, size: number): void {
  const whole = Math.floor(source.length / size / 8) * 8 * size;
  if (isPowerOfTwo(size)) bitUnshuffleInto(source.subarray(0, whole), target, size);
  else bitsOneByOne(source, target, size, whole, true);
  target.set(source.subarray(whole), whole);
}

/** For element sizes that no dtype here has, but a file may. */
function bitsOneByOne(
  source: Uint8Array,
  target: Uint8Array,
  size: number,
  whole: number,
  isBack: boolean,
): void {
  const count = whole / size;
  target.fill(0, 0, whole);
  for (let i = 0; i < count; i++)
    for (let bit = 0; bit < 8 * size; bit++) {
      const element = 8 * size * i + bit;
      const row = bit * count + i;
      const [from, to] = isBack ? [row, element] : [element, row];
      target[to >>> 3]! |= ((source[from >>> 3]! >>> (from & 7)) & 1) << (to & 7);
    }
}
