// Least and greatest of segments, and where they are. In: real numbers or bools and where segments begin. Out: one for
// each segment: NaN if there is one, its first place. A segment without elements has the value that every other beats.

import { allocate, type DType, isFloat, isWide, type TypedArray } from "../../core/dtype.ts";
import { integerRange } from "../../core/numbers.ts";
import { checkKind } from "../../ops/kinds.ts";
import { type NumpyLayout, numpyOf } from "../layout/layout.ts";

/** What every value of the dtype is at least, or at most. */
function weakest(dtype: DType, wantsMax: boolean): number | bigint {
  if (dtype === "bool") return wantsMax ? 0 : 1;
  if (isFloat(dtype)) return wantsMax ? -Infinity : Infinity;
  const limit = integerRange(dtype)[wantsMax ? 0 : 1];
  return isWide(dtype) ? limit : Number(limit);
}

export function extremeSegments(
  { dtype, data }: NumpyLayout,
  offsets: Int32Array,
  wantsMax: boolean,
): NumpyLayout {
  checkKind("realOrBool", dtype);
  const out = allocate(dtype, offsets.length - 1);
  const start = weakest(dtype, wantsMax);
  if (isWide(dtype))
    wideExtremes(data as BigInt64Array, offsets, out as BigInt64Array, start as bigint, wantsMax);
  else if (wantsMax) greatest(data as Float64Array, offsets, out as Float64Array, start as number);
  else least(data as Float64Array, offsets, out as Float64Array, start as number);
  return numpyOf(out, dtype);
}

// Math.min and Math.max give NaN if there is one, and know −0 from 0.
function least(data: Float64Array, offsets: Int32Array, out: Float64Array, start: number): void {
  for (let g = 0; g < out.length; g++) {
    let best = start;
    const stop = offsets[g + 1]!;
    for (let at = offsets[g]!; at < stop; at++) best = Math.min(best, data[at]!);
    out[g] = best;
  }
}

function greatest(data: Float64Array, offsets: Int32Array, out: Float64Array, start: number): void {
  for (let g = 0; g < out.length; g++) {
    let best = start;
    const stop = offsets[g + 1]!;
    for (let at = offsets[g]!; at < stop; at++) best = Math.max(best, data[at]!);
    out[g] = best;
  }
}

function wideExtremes(
  data: BigInt64Array,
  offsets: Int32Array,
  out: BigInt64Array,
  start: bigint,
  wantsMax: boolean,
): void {
  for (let g = 0; g < out.length; g++) {
    let best = start;
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++) {
      const value = data[at]!;
      if (wantsMax ? value > best : value < best) best = value;
    }
    out[g] = best;
  }
}

/** Places of the extremes, counted as `positions` says; −1 for a segment without elements. */
export function extremePlaces(
  { dtype, data }: NumpyLayout,
  offsets: Int32Array,
  positions: Int32Array | null,
  wantsMax: boolean,
): Int32Array {
  checkKind("realOrBool", dtype);
  const out = new Int32Array(offsets.length - 1);
  for (let g = 0; g < out.length; g++) {
    const start = offsets[g]!;
    const stop = offsets[g + 1]!;
    const best = start === stop ? -1 : bestOf(data, start, stop, wantsMax);
    out[g] = best < 0 ? -1 : positions === null ? best - start : positions[best]!;
  }
  return out;
}

function bestOf(data: TypedArray, start: number, stop: number, wantsMax: boolean): number {
  let best = start;
  let value = data[start]!;
  for (let at = start + 1; at < stop; at++) {
    // NaN is the only value that is not itself: the first one stays.
    if (Number.isNaN(value)) return best;
    const next = data[at]!;
    if ((wantsMax ? next > value : next < value) || Number.isNaN(next)) {
      best = at;
      value = next;
    }
  }
  return best;
}

/** True where a segment has a true (or, for `all`, no false). Bools only. */
export function truthSegments(data: Uint8Array, offsets: Int32Array, wantsAll: boolean): NumpyLayout {
  const out = new Uint8Array(offsets.length - 1);
  const absorbing = wantsAll ? 0 : 1;
  for (let g = 0; g < out.length; g++) {
    let result = 1 - absorbing;
    for (let at = offsets[g]!; at < offsets[g + 1]!; at++) {
      if (data[at] !== absorbing) continue;
      result = absorbing;
      break;
    }
    out[g] = result;
  }
  return numpyOf(out, "bool");
}
