// Smallest and largest value of a chunk, as a footer holds them. In: physical values and their type. Out: bytes; null when
// the type has no order, nothing but NaN is there, or the values are long. What must hold: what statistics.ts reads back
// are bounds.

import type { PhysicalValues } from "./physical.ts";
import type { LeafType } from "./schema.ts";
import { compareBytes } from "./statistics.ts";

export interface Extremes {
  readonly min: Uint8Array;
  readonly max: Uint8Array;
}

/** Longer texts are not worth their place in the footer. */
const LONGEST = 64;

export function extremesOf(values: PhysicalValues, type: LeafType): Extremes | null {
  if (values.count === 0) return null;
  if (values.kind === "bytes")
    return ofBytes(
      values.count,
      (i) => values.bytes.subarray(values.offsets[i]!, values.offsets[i + 1]!),
      type,
    );
  const { bytes, width, count } = values;
  if (type.physical === "fixed")
    return ofBytes(count, (i) => bytes.subarray(i * width, (i + 1) * width), type);
  return ofNumbers(bytes, type);
}

/** Intervals have no order; decimals and half floats compare otherwise than their bytes. */
const UNORDERED: ReadonlySet<string> = new Set([
  "interval",
  "decimal",
  "float16",
  "null",
  "geometry",
  "geography",
]);

function ofBytes(count: number, at: (i: number) => Uint8Array, { logical }: LeafType): Extremes | null {
  if (logical !== null && UNORDERED.has(logical.kind)) return null;
  let min = at(0);
  let max = min;
  for (let i = 1; i < count; i++) {
    const value = at(i);
    if (compareBytes(value, min) < 0) min = value;
    else if (compareBytes(value, max) > 0) max = value;
  }
  return min.length > LONGEST || max.length > LONGEST ? null : { min: min.slice(), max: max.slice() };
}

function ofNumbers(bytes: Uint8Array, type: LeafType): Extremes | null {
  const size = WIDTHS[type.physical] ?? 1;
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  const isUnsigned = type.logical?.kind === "int" && !type.logical.signed;
  const found =
    type.physical === "int64"
      ? placesOfWide(aligned, isUnsigned)
      : placesOf(numbersOf(aligned, type, isUnsigned));
  if (found === null) return null;
  const cutOut = (i: number): Uint8Array => aligned.slice(i * size, (i + 1) * size);
  const extremes = { min: cutOut(found.min), max: cutOut(found.max) };
  const isFloat = type.physical === "float" || type.physical === "double";
  return isFloat ? withBothZeros(extremes) : extremes;
}

const WIDTHS: { readonly [physical: string]: number } = { int32: 4, int64: 8, float: 4, double: 8 };

function numbersOf(bytes: Uint8Array, { physical }: LeafType, isUnsigned: boolean): ArrayLike<number> {
  const { buffer, byteOffset, length } = bytes;
  if (physical === "float") return new Float32Array(buffer, byteOffset, length / 4);
  if (physical === "double") return new Float64Array(buffer, byteOffset, length / 8);
  if (physical === "boolean") return bytes;
  return isUnsigned
    ? new Uint32Array(buffer, byteOffset, length / 4)
    : new Int32Array(buffer, byteOffset, length / 4);
}

interface Places {
  readonly min: number;
  readonly max: number;
}

/** Numbers of all types are compared as float64, a block at a time: one loop that sees one type of array. */
const BLOCK = 1024;
const block = new Float64Array(BLOCK);

function placesOf(data: ArrayLike<number>): Places | null {
  let [min, max] = [-1, -1];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let from = 0; from < data.length; from += BLOCK) {
    const count = Math.min(BLOCK, data.length - from);
    block.set((data as Float64Array).subarray(from, from + count));
    for (let i = 0; i < count; i++) {
      const value = block[i]!;
      // NaN compares with nothing. The first of all is taken even when it is infinite.
      if (value < low || (min < 0 && value === low)) {
        low = value;
        min = from + i;
      }
      if (value > high || (max < 0 && value === high)) {
        high = value;
        max = from + i;
      }
    }
  }
  return min < 0 || max < 0 ? null : { min, max };
}

/** Integers of 64 bits by their halves. */
function placesOfWide(bytes: Uint8Array, isUnsigned: boolean): Places | null {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  // Signed numbers are in order when their sign is turned.
  const sign = isUnsigned ? 0 : 0x80000000;
  const isLess = (a: number, b: number): boolean => {
    const [left, right] = [(words[2 * a + 1]! ^ sign) >>> 0, (words[2 * b + 1]! ^ sign) >>> 0];
    return left < right || (left === right && words[2 * a]! < words[2 * b]!);
  };
  let [min, max] = [0, 0];
  for (let i = 1; i < words.length / 2; i++) {
    if (isLess(i, min)) min = i;
    if (isLess(max, i)) max = i;
  }
  return { min, max };
}

/** Whichever zero was found, readers must expect the other one too: the format's rule. */
function withBothZeros({ min, max }: Extremes): Extremes {
  if (isZero(min)) min[min.length - 1] = 0x80;
  if (isZero(max)) max[max.length - 1] = 0;
  return { min, max };
}

const isZero = (bytes: Uint8Array): boolean =>
  bytes.every((byte, i) => byte === 0 || (i === bytes.length - 1 && byte === 0x80));
