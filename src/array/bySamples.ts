// Elements of a whole array by about their ranks, in one pass over it: samples of sorted blocks say where they lie. In: an array and
// ranks. Out: elements whose ranks are off by no more than a thousandth of all elements; the same on every executor, not for every
// chunking.

import { sizeOf } from "../core/chunks.ts";
import { castTo, node } from "../lazy/build.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { LINE_BYTES, rowsWithin } from "../ops/order.ts";
import { blockSample, sampledElements } from "../ops/sampling.ts";

/** Samples of a block: half a distance is 1/2000 of it. */
const SAMPLES = 1000;

/** Blocks have at most `most` bytes. */
export function elementsBySamples(
  given: LazyArray,
  ranks: LazyArray,
  poison: boolean,
  most: number = LINE_BYTES,
): LazyArray {
  const x = castTo(given, "float64");
  const samples = node(blockSample, [x], { block: blockOf(x, most), count: SAMPLES });
  return castTo(node(sampledElements, [samples, ranks], { length: x.size, poison }), given.dtype);
}

/** Chunks that are too large for a task are cut, and small ones taken together: each block has samples of its own. */
function blockOf(x: LazyArray, most: number): number[] {
  const block = rowsWithin(x.chunks, 8, most).map((n) => Math.max(1, n));
  x.shape.forEach((length, axis) => {
    const times = Math.floor(most / (8 * sizeOf(block)));
    if (times > 1 && block[axis]! < length) block[axis] = Math.min(length, block[axis]! * times);
  });
  return block;
}
