// Elements of typed arrays taken by index, or repeated. In: data, and indexes that are all within it. Out: new data, in the
// kernels' memory where it is large.

import { allocate, type DType, type TypedArray } from "../../core/dtype.ts";
import { blockOfData, newNumbers, runRoutine } from "./leafKernels.ts";

/** Where an index is negative comes `other`, one element; without one there are no such indexes. */
export function gather(
  data: TypedArray,
  dtype: DType,
  index: Int32Array,
  other: TypedArray = allocate(dtype, 1),
): TypedArray {
  const inputs = [blockOfData(data, dtype), blockOfData(index, "int32"), blockOfData(other, dtype)];
  const out = newNumbers(dtype, index.length);
  runRoutine("pick", inputs, out, {}, index.length);
  return out.data;
}

/** Element i in the places from offsets[i] to offsets[i + 1]. */
export function repeat(data: TypedArray, dtype: DType, offsets: Int32Array): TypedArray {
  const inputs = [blockOfData(data, dtype), blockOfData(offsets, "int32")];
  const out = newNumbers(dtype, offsets[offsets.length - 1]!);
  runRoutine("spread", inputs, out, {}, out.shape[0]! + offsets.length);
  return out.data;
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
