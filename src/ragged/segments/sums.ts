// Sums and products of segments. In: numbers one after another and where segments begin. Out: one number for each
// segment; nothing sums to 0 and multiplies to 1. Small integers add up in 64 bits and wrap there, floats in float64
// and are rounded at the end. Must hold: loops see one kind of array each, and make no object.

import { allocate, type DType, isComplex, isFloat, isWide } from "../../core/dtype.ts";
import { checkKind } from "../../ops/kinds.ts";
import { accumulatorOf } from "../../ops/reductions.ts";
import { castFlat } from "../layout/flat.ts";
import { type NumpyLayout, numpyOf } from "../layout/layout.ts";

/** The dtype of a sum; bools are counted. */
export const sumDType = (dtype: DType): DType =>
  dtype === "bool" ? "int64" : accumulatorOf(checkKind("numeric", dtype));

export function sumSegments(leaf: NumpyLayout, offsets: Int32Array): NumpyLayout {
  const { dtype, data } = leaf;
  const result = sumDType(dtype);
  if (isComplex(dtype)) return complexSums(leaf, offsets);
  if (isFloat(dtype)) {
    // Stored in the dtype's own array, which rounds.
    const out = allocate(dtype, offsets.length - 1) as Float64Array;
    floatSums(data as Float64Array, offsets, out);
    return numpyOf(out);
  }
  if (isWide(dtype)) return numpyOf(wideSums(data as BigInt64Array, offsets, result), result);
  const halves = new Int32Array(2 * (offsets.length - 1));
  integerSums(data as Int32Array, offsets, halves);
  const out = result === "uint64" ? new BigUint64Array(halves.buffer) : new BigInt64Array(halves.buffer);
  return numpyOf(out, result);
}

/** Added up in float64, whatever the data are. */
export function floatSums(
  data: Float64Array | Float32Array,
  offsets: Int32Array,
  out: Float64Array | Float32Array,
): void {
  for (let g = 0; g < out.length; g++) {
    let sum = 0;
    const stop = offsets[g + 1]!;
    for (let at = offsets[g]!; at < stop; at++) sum += data[at]!;
    out[g] = sum;
  }
}

function complexSums({ data, dtype }: NumpyLayout, offsets: Int32Array): NumpyLayout {
  const parts = data as Float64Array;
  const out = allocate(dtype, offsets.length - 1);
  for (let g = 0; g + 1 < offsets.length; g++) {
    let re = 0;
    let im = 0;
    for (let at = 2 * offsets[g]!; at < 2 * offsets[g + 1]!; at += 2) {
      re += parts[at]!;
      im += parts[at + 1]!;
    }
    out[2 * g] = re;
    out[2 * g + 1] = im;
  }
  return numpyOf(out, dtype);
}

/** So many 32-bit integers add up exactly in a double. */
const EXACT_COUNT = 1 << 20;

/** Into pairs of halves: doubles hold the sums of up to 2²⁰ elements, longer segments go on in bigints. */
function integerSums(data: Int32Array | Uint8Array, offsets: Int32Array, halves: Int32Array): void {
  for (let g = 0; g + 1 < offsets.length; g++) {
    const start = offsets[g]!;
    const stop = offsets[g + 1]!;
    if (stop - start > EXACT_COUNT) {
      storeWide(halves, g, longSum(data, start, stop));
      continue;
    }
    let sum = 0;
    for (let at = start; at < stop; at++) sum += data[at]!;
    halves[2 * g] = sum | 0;
    halves[2 * g + 1] = Math.floor(sum / 2 ** 32);
  }
}

function longSum(data: Int32Array | Uint8Array, start: number, stop: number): bigint {
  let total = 0n;
  for (let from = start; from < stop; from += EXACT_COUNT) {
    const to = Math.min(stop, from + EXACT_COUNT);
    let sum = 0;
    for (let at = from; at < to; at++) sum += data[at]!;
    total += BigInt(sum);
  }
  return total;
}

function storeWide(halves: Int32Array, at: number, value: bigint): void {
  halves[2 * at] = Number(BigInt.asIntN(32, value));
  halves[2 * at + 1] = Number(BigInt.asIntN(32, value >> 32n));
}

type Wide = BigInt64Array | BigUint64Array;

function wideSums(data: Wide, offsets: Int32Array, dtype: DType): Wide {
  const out = wideArray(dtype, offsets.length - 1);
  for (let g = 0; g < out.length; g++) {
    let sum = 0n;
    const stop = offsets[g + 1]!;
    for (let at = offsets[g]!; at < stop; at++) sum = BigInt.asIntN(64, sum + data[at]!);
    out[g] = sum;
  }
  return out;
}

const wideArray = (dtype: DType, length: number): Wide =>
  dtype === "uint64" ? new BigUint64Array(length) : new BigInt64Array(length);

export function prodSegments(leaf: NumpyLayout, offsets: Int32Array): NumpyLayout {
  const dtype = sumDType(leaf.dtype);
  const { data } = castFlat(leaf, dtype);
  if (isComplex(dtype)) return castFlat(complexProducts(data as Float64Array, offsets), dtype);
  if (isFloat(dtype)) return castFlat(numpyOf(floatProducts(data as Float64Array, offsets)), dtype);
  return numpyOf(wideProducts(data as Wide, offsets, dtype), dtype);
}

function floatProducts(data: Float64Array | Float32Array, offsets: Int32Array): Float64Array {
  const out = new Float64Array(offsets.length - 1);
  for (let g = 0; g < out.length; g++) {
    let product = 1;
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++) product *= data[at]!;
    out[g] = product;
  }
  return out;
}

function wideProducts(data: Wide, offsets: Int32Array, dtype: DType): Wide {
  const out = wideArray(dtype, offsets.length - 1);
  for (let g = 0; g < out.length; g++) {
    let product = 1n;
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++) product = BigInt.asIntN(64, product * data[at]!);
    out[g] = product;
  }
  return out;
}

function complexProducts(data: Float64Array, offsets: Int32Array): NumpyLayout {
  const out = new Float64Array(2 * (offsets.length - 1));
  for (let g = 0; g + 1 < offsets.length; g++) {
    let re = 1;
    let im = 0;
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++) {
      const [x, y] = [data[2 * at]!, data[2 * at + 1]!];
      [re, im] = [re * x - im * y, re * y + im * x];
    }
    out[2 * g] = re;
    out[2 * g + 1] = im;
  }
  return numpyOf(out, "complex128");
}

/** Σ(x − mean)² of every segment: two passes, so that data far from zero keep their digits. */
export function squaredDeviations(
  data: Float64Array | Float32Array,
  offsets: Int32Array,
  means: Float64Array,
): Float64Array {
  const out = new Float64Array(means.length);
  for (let g = 0; g < out.length; g++) {
    const mean = means[g]!;
    let sum = 0;
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++) {
      const apart = data[at]! - mean;
      sum += apart * apart;
    }
    out[g] = sum;
  }
  return out;
}
