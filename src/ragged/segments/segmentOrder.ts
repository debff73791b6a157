// Sorting within segments. In: values and where segments begin. Out: values in order, or which element comes at each place;
// stable: equal values keep their order, ascending or descending. NaN comes last either way. Numbers are sorted by the
// kernels of dense arrays.

import { checkKind, infoOf } from "../../core/dtype.ts";

import { castFlat } from "../layout/flat.ts";
import { arange } from "../layout/indices.ts";
import { type NumpyLayout, numpyOf, type StringLayout } from "../layout/layout.ts";
import { blockOfData, newNumbers, runRoutine } from "../layout/leafKernels.ts";

/** Negative when the first belongs before the second. */
type Compare = (a: number, b: number) => number;

/** Values in order; or, as int64, the places in their segments that they had. */
export function sortedNumbers(
  leaf: NumpyLayout,
  offsets: Int32Array,
  ascending: boolean,
  wantsPlaces: boolean,
): NumpyLayout {
  checkKind("realOrBool", leaf.dtype);
  const { dtype, data, length } = castFlat(leaf, infoOf(leaf.dtype).computesIn);
  const inputs = [blockOfData(data, dtype), blockOfData(offsets, "int32")];
  const out = newNumbers(wantsPlaces ? "int64" : dtype, length);
  const routine = wantsPlaces ? "segmentArgsort" : "segmentSort";
  runRoutine(routine, inputs, out, { descending: !ascending }, length);
  return castFlat(numpyOf(out.data, out.dtype), wantsPlaces ? "int64" : leaf.dtype);
}

/** Which string comes at each place. */
export function sortedStrings(leaf: StringLayout, offsets: Int32Array, ascending: boolean): Int32Array {
  const compare = compareTexts(leaf);
  const directed: Compare = ascending ? compare : (a, b) => compare(b, a);
  const order = arange(leaf.length);
  for (let g = 0; g + 1 < offsets.length; g++) order.subarray(offsets[g]!, offsets[g + 1]!).sort(directed);
  return order;
}

/** By bytes, which for UTF-8 is by code points. */
function compareTexts({ offsets, bytes }: StringLayout): Compare {
  return (a, b) => {
    const fromA = offsets[a]!;
    const fromB = offsets[b]!;
    const countA = offsets[a + 1]! - fromA;
    const countB = offsets[b + 1]! - fromB;
    const common = Math.min(countA, countB);
    for (let at = 0; at < common; at++) {
      const apart = bytes[fromA + at]! - bytes[fromB + at]!;
      if (apart !== 0) return apart;
    }
    return countA - countB;
  };
}
