// Sorting within segments. In: values and where segments begin. Out: which element comes at each place, stable: equal
// values keep their order, ascending or descending. NaN comes last either way.

import { isWide } from "../../core/dtype.ts";
import { checkKind } from "../../ops/kinds.ts";
import { castFlat } from "../layout/flat.ts";
import { arange } from "../layout/indices.ts";
import type { NumpyLayout, StringLayout } from "../layout/layout.ts";

/** Negative when the first belongs before the second. */
type Compare = (a: number, b: number) => number;

/** Shorter segments are sorted by insertion, without calls. */
const INSERTION = 24;

export function sortedOrder(
  leaf: NumpyLayout | StringLayout,
  offsets: Int32Array,
  ascending: boolean,
): Int32Array {
  const order = arange(leaf.length);
  if (leaf.kind === "string") return sortBy(order, offsets, directed(compareTexts(leaf), ascending));
  checkKind("realOrBool", leaf.dtype);
  if (isWide(leaf.dtype))
    return sortBy(order, offsets, directed(compareWide(leaf.data as BigInt64Array), ascending));
  const keys = castFlat(leaf, "float64").data as Float64Array;
  return sortNumbers(order, offsets, ascending ? keys : negated(keys));
}

/** Ascending by the negative value is descending, with NaN still last. */
function negated(keys: Float64Array): Float64Array {
  return keys.map((key) => -key);
}

function sortNumbers(order: Int32Array, offsets: Int32Array, keys: Float64Array): Int32Array {
  const compare: Compare = (a, b) => {
    const x = keys[a]!;
    const y = keys[b]!;
    if (x < y) return -1;
    return x > y ? 1 : Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  };
  for (let g = 0; g + 1 < offsets.length; g++) {
    const start = offsets[g]!;
    const stop = offsets[g + 1]!;
    if (stop - start <= INSERTION) insert(order, keys, start, stop);
    else order.subarray(start, stop).sort(compare);
  }
  return order;
}

function insert(order: Int32Array, keys: Float64Array, start: number, stop: number): void {
  for (let next = start + 1; next < stop; next++) {
    const element = order[next]!;
    const key = keys[element]!;
    let at = next;
    // A NaN stays behind everything; a number goes before a NaN.
    while (at > start && !Number.isNaN(key)) {
      const before = keys[order[at - 1]!]!;
      if (before <= key) break;
      order[at] = order[at - 1]!;
      at--;
    }
    order[at] = element;
  }
}

function sortBy(order: Int32Array, offsets: Int32Array, compare: Compare): Int32Array {
  for (let g = 0; g + 1 < offsets.length; g++) order.subarray(offsets[g]!, offsets[g + 1]!).sort(compare);
  return order;
}

const directed = (compare: Compare, ascending: boolean): Compare =>
  ascending ? compare : (a, b) => compare(b, a);

const compareWide =
  (data: BigInt64Array | BigUint64Array): Compare =>
  (a, b) =>
    data[a]! < data[b]! ? -1 : data[a]! > data[b]! ? 1 : 0;

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
