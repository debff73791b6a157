// Selection from more than fits: by the digits of keys, the highest first. In: blocks of elements, or counts. Out: how many elements of a
// block have each digit, behind digits that are known; the digit that has a rank; and the element of a key.
// Keys are numbers without sign in the order of the elements: of a float's bits, those of negative ones inverted and the sign bit
// of others set; NaN has the greatest, zeros of both signs have one (kernel/wasm/sort/keys.ts has the same).
// Must hold: a state is two numbers for each rank: the digits that are known, and the rank among what has them.

import { allocate, type DType, infoOf, isFloat, kindOf, type TypedArray } from "../../core/dtype.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import { fromContiguous, HIGH_WORD, LOW_WORD, toContiguous, wordsOf } from "./stridedWalk.ts";

/** Which digit is counted, and the prefixes behind which: high and low words of what is above it. None: it is the highest digit. */
interface Digits {
  readonly shift: number;
  readonly bits: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** For each prefix as many as there are digits. */
  readonly counts: Int32Array;
}

export const digitCounts: Routine = ({ inputs, outputs, attrs, room }) => {
  const x = blockAt(inputs, 0);
  const state = inputs.length > 1 ? (toContiguous(blockAt(inputs, 1), room) as BigUint64Array) : NO_STATE;
  const output = blockAt(outputs, 0);
  const [shift, bits] = [integerAttr(attrs, "shift"), integerAttr(attrs, "bits")];
  // Ranks with the same digits above have the same counts.
  const prefixes = state.filter((_, i) => i % 2 === 0);
  const distinct = BigUint64Array.from(new Set(prefixes));
  const words = wordsOf(distinct);
  const counts = new Int32Array(Math.max(1, distinct.length) << bits);
  const wordsAt = (word: number) => Uint32Array.from(distinct, (_, i) => words[2 * i + word]!);
  const digits = { shift, bits, high: wordsAt(HIGH_WORD), low: wordsAt(LOW_WORD), counts };
  const data = toContiguous(x, room);
  if (infoOf(x.dtype).bytes === 8) countWide(data, x.dtype, digits);
  else countNarrow(data, x.dtype, digits);
  const wanted = Array.from(prefixes, (prefix) => distinct.indexOf(prefix));
  const all = allocate("int32", Math.max(1, wanted.length) << bits) as Int32Array;
  if (wanted.length === 0) all.set(counts);
  wanted.forEach((at, rank) => all.set(counts.subarray(at << bits, (at + 1) << bits), rank << bits));
  fromContiguous(all, output);
};

const NO_STATE = new BigUint64Array(0);

function countWide(data: TypedArray, dtype: DType, { shift, bits, high, low, counts }: Digits): void {
  const words = wordsOf(data);
  const isReal = isFloat(dtype);
  const sign = kindOf(dtype) === "uint" ? 0 : 0x80000000;
  const [mask, above, count] = [2 ** bits - 1, shift + bits, high.length];
  for (let i = 0; i < words.length; i += 2) {
    let top = words[i + HIGH_WORD]!;
    let bottom = words[i + LOW_WORD]!;
    if (isReal) {
      const size = top & 0x7fffffff;
      const flip = top >> 31;
      if (size > 0x7ff00000 || (size === 0x7ff00000 && bottom !== 0)) top = bottom = -1;
      else if ((size | bottom) === 0) top = 0x80000000;
      else {
        top ^= flip | 0x80000000;
        bottom ^= flip;
      }
    } else top ^= sign;
    const digit = (shift >= 32 ? top >>> (shift - 32) : bottom >>> shift) & mask;
    if (count === 0) counts[digit]! += 1;
    else {
      const [upper, lower] =
        above >= 32
          ? [0, top >>> (above - 32)]
          : [top >>> above, ((top << (32 - above)) | (bottom >>> above)) >>> 0];
      for (let k = 0; k < count; k++)
        if (lower === low[k] && upper === high[k]) counts[(k << bits) | digit]! += 1;
    }
  }
}

function countNarrow(data: TypedArray, dtype: DType, { shift, bits, low, counts }: Digits): void {
  const isReal = isFloat(dtype);
  const { bytes } = infoOf(dtype);
  const words = isReal ? new Int32Array(data.buffer, data.byteOffset, data.length) : (data as Int32Array);
  const sign = kindOf(dtype) === "int" ? 2 ** (8 * bytes - 1) : 0;
  const all = bytes === 4 ? -1 : 2 ** (8 * bytes) - 1;
  const [mask, above, count] = [2 ** bits - 1, shift + bits, low.length];
  for (let i = 0; i < words.length; i++) {
    let key = words[i]!;
    if (isReal) {
      const size = key & 0x7fffffff;
      if (size > 0x7f800000) key = -1;
      else if (size === 0) key = 0x80000000;
      else key ^= (key >> 31) | 0x80000000;
    } else key = (key ^ sign) & all;
    const digit = (key >>> shift) & mask;
    if (count === 0) counts[digit]! += 1;
    else {
      const prefix = key >>> above;
      for (let k = 0; k < count; k++) if (prefix === low[k]) counts[(k << bits) | digit]! += 1;
    }
  }
}

/** The state with one digit more, from how often each occurs among all elements. */
export const digitStep: Routine = ({ inputs, outputs, attrs, room }) => {
  const counts = toContiguous(blockAt(inputs, 0), room) as BigInt64Array;
  const state = toContiguous(blockAt(inputs, 1), room) as BigUint64Array;
  const bits = integerAttr(attrs, "bits");
  const width = 2 ** bits;
  const isCommon = counts.length === width;
  const next = BigUint64Array.from(state);
  for (let k = 0; 2 * k < state.length; k++) {
    const own = isCommon ? counts : counts.subarray(k * width, (k + 1) * width);
    let rank = state[2 * k + 1]!;
    let digit = 0;
    // A NaN anywhere, whose digit nothing else has, is what is found.
    if (booleanAttr(attrs, "poison") && own[width - 1]! > 0n) [digit, rank] = [width - 1, 0n];
    else for (; digit < width - 1 && rank >= BigInt.asUintN(64, own[digit]!); digit++) rank -= own[digit]!;
    next[2 * k] = (state[2 * k]! << BigInt(bits)) | BigInt(digit);
    next[2 * k + 1] = rank;
  }
  fromContiguous(next, blockAt(outputs, 0));
};

/** Elements of whole keys. */
export const keyElements: Routine = ({ inputs, outputs, room }) => {
  const state = toContiguous(blockAt(inputs, 0), room) as BigUint64Array;
  const output = blockAt(outputs, 0);
  const { array: ArrayOf, bytes } = infoOf(output.dtype);
  const bits = 8 * bytes;
  const raw = new BigUint64Array(state.length / 2);
  for (let k = 0; k < raw.length; k++) raw[k] = bitsOfKey(state[2 * k]!, output.dtype, bits);
  const elements = new ArrayOf(raw.length);
  const bytesOf = new DataView(elements.buffer);
  raw.forEach((word, k) => {
    if (bytes === 8) bytesOf.setBigUint64(8 * k, word, true);
    else if (bytes === 4) bytesOf.setUint32(4 * k, Number(word), true);
    else if (bytes === 2) bytesOf.setUint16(2 * k, Number(word), true);
    else bytesOf.setUint8(k, Number(word));
  });
  fromContiguous(elements, output);
};

function bitsOfKey(key: bigint, dtype: DType, bits: number): bigint {
  const sign = 1n << BigInt(bits - 1);
  const all = (sign << 1n) - 1n;
  if (kindOf(dtype) === "int") return key ^ sign;
  if (!isFloat(dtype)) return key;
  if (key === all) return dtype === "float64" ? 0x7ff8n << 48n : 0x7fc0n << 16n;
  return (key & sign) === 0n ? key ^ all : key ^ sign;
}
