// Elements of typed arrays taken by index, or repeated. In: data, and indexes that are all within it. Out:
// new data. One loop for
// each width of element, whatever its type, so that every loop sees one kind of array and stays fast.

import { allocate, type DType, infoOf, type TypedArray } from "../../core/dtype.ts";

export function gather(data: TypedArray, dtype: DType, index: Int32Array): TypedArray {
  const out = allocate(dtype, index.length);
  if (dtype === "float64") gatherDoubles(data as Float64Array, index, out as Float64Array);
  else gatherWidth(data, index, out, infoOf(dtype).bytes);
  return out;
}

function gatherWidth(data: TypedArray, index: Int32Array, out: TypedArray, bytes: number): void {
  if (bytes === 1) gatherBytes(asBytes(data), index, asBytes(out));
  else if (bytes === 2) gatherShorts(asShorts(data), index, asShorts(out));
  else if (bytes === 4) gatherWords(asWords(data), index, asWords(out));
  else gatherRuns(asWords(data), index, asWords(out), bytes / 4);
}

const asBytes = (data: TypedArray): Uint8Array =>
  data instanceof Uint8Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
const asShorts = (data: TypedArray): Uint16Array =>
  data instanceof Uint16Array ? data : new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2);
const asWords = (data: TypedArray): Int32Array =>
  data instanceof Int32Array ? data : new Int32Array(data.buffer, data.byteOffset, data.byteLength / 4);

function gatherDoubles(data: Float64Array, index: Int32Array, out: Float64Array): void {
  for (let i = 0; i < index.length; i++) out[i] = data[index[i]!]!;
}
function gatherBytes(data: Uint8Array, index: Int32Array, out: Uint8Array): void {
  for (let i = 0; i < index.length; i++) out[i] = data[index[i]!]!;
}
function gatherShorts(data: Uint16Array, index: Int32Array, out: Uint16Array): void {
  for (let i = 0; i < index.length; i++) out[i] = data[index[i]!]!;
}
function gatherWords(data: Int32Array, index: Int32Array, out: Int32Array): void {
  for (let i = 0; i < index.length; i++) out[i] = data[index[i]!]!;
}
/** Elements of several words: 64-bit integers and complex numbers. */
function gatherRuns(data: Int32Array, index: Int32Array, out: Int32Array, words: number): void {
  let at = 0;
  for (let i = 0; i < index.length; i++) {
    const from = index[i]! * words;
    for (let word = 0; word < words; word++) out[at++] = data[from + word]!;
  }
}

/** Element i in the places from offsets[i] to offsets[i + 1]. */
export function repeat(data: TypedArray, dtype: DType, offsets: Int32Array): TypedArray {
  const out = allocate(dtype, offsets[offsets.length - 1]!);
  const { bytes } = infoOf(dtype);
  if (dtype === "float64") repeatDoubles(data as Float64Array, offsets, out as Float64Array);
  else if (bytes === 1) repeatBytes(asBytes(data), offsets, asBytes(out));
  else if (bytes === 2) repeatShorts(asShorts(data), offsets, asShorts(out));
  else repeatRuns(asWords(data), offsets, asWords(out), bytes / 4);
  return out;
}

function repeatDoubles(data: Float64Array, offsets: Int32Array, out: Float64Array): void {
  for (let i = 0; i + 1 < offsets.length; i++) {
    const value = data[i]!;
    const stop = offsets[i + 1]!;
    for (let at = offsets[i]!; at < stop; at++) out[at] = value;
  }
}
function repeatBytes(data: Uint8Array, offsets: Int32Array, out: Uint8Array): void {
  for (let i = 0; i + 1 < offsets.length; i++) out.fill(data[i]!, offsets[i]!, offsets[i + 1]!);
}
function repeatShorts(data: Uint16Array, offsets: Int32Array, out: Uint16Array): void {
  for (let i = 0; i + 1 < offsets.length; i++) out.fill(data[i]!, offsets[i]!, offsets[i + 1]!);
}
function repeatRuns(data: Int32Array, offsets: Int32Array, out: Int32Array, words: number): void {
  for (let i = 0; i + 1 < offsets.length; i++) {
    const stop = offsets[i + 1]! * words;
    for (let at = offsets[i]! * words; at < stop; at += words)
      for (let word = 0; word < words; word++) out[at + word] = data[i * words + word]!;
  }
}

/** Byte ranges one after another. */
export function gatherRanges(bytes: Uint8Array, starts: Int32Array, offsets: Int32Array): Uint8Array {
  const out = new Uint8Array(offsets[offsets.length - 1]!);
  for (let i = 0; i < starts.length; i++) {
    let from = starts[i]!;
    const stop = offsets[i + 1]!;
    for (let at = offsets[i]!; at < stop; at++) out[at] = bytes[from++]!;
  }
  return out;
}
