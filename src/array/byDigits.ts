// Elements of a whole array by their ranks, in constant memory: the digits of all elements' keys are counted, the highest first, until
// the elements are known (kernel/routines/digits.ts). In: an array and ranks. Out: these elements; an ordinary plan. Their gradient goes
// to the elements that they are.

import { infoOf, isFloat } from "../core/dtype.ts";
import { castTo, node } from "../lazy/build.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { add, equal, less, logicalAnd, subtract, where } from "../ops/elementwise/index.ts";
import { chunksWithin, digitCounts, digitStep, keyElements, LINE_BYTES } from "../ops/order.ts";
import { sum } from "../ops/reductions.ts";
import { cumulativeSum } from "../ops/scans.ts";
import { partAlong } from "./chunked.ts";
import { full } from "./functions/creation.ts";
import { stack } from "./functions/joining.ts";
import { reshape, squeeze } from "./functions/manipulation.ts";
import { withPullback } from "./gradients/customPullback.ts";

/** Counts of so wide digits stay in a cache. */
const DIGIT_BITS = 16;

/** As many passes over the array as its elements have digits. NaN has one of its own if digits have 16 bits, or all. */
export const elementsByDigits = (
  given: LazyArray,
  ranks: LazyArray,
  poison: boolean,
  digitBits: number = DIGIT_BITS,
): LazyArray =>
  withPullback(
    (x, places) => found(x!, places!, poison, digitBits),
    (cotangent, value, x, places) => [cameFrom(cotangent, value, x!, places!), null],
    [given, ranks],
  );

/**
 * What comes back to the elements: each rank's part to the element that a stable sort puts there. Of the elements that equal the
 * value v of rank r it is number r − #(x < v), counted from 0.
 */
function cameFrom(cotangent: LazyArray, value: LazyArray, x: LazyArray, ranks: LazyArray): LazyArray {
  const axis = x.shape.map((_, a) => a);
  const parts = Array.from({ length: ranks.size }, (_, k) => {
    const [part, v, rank] = [cotangent, value, ranks].map((list) => placeOf(list, k));
    const isEqual = equal(x, v!);
    const counted = reshape(cumulativeSum(reshape(castTo(isEqual, "int64"), [-1])), x.shape);
    const number = subtract(castTo(rank!, "int64"), sum(castTo(less(x, v!), "int64"), { axis }));
    return where(logicalAnd(isEqual, equal(counted, add(number, 1))), part!, 0);
  });
  return parts.reduce((all, part) => add(all, part));
}

/** An element of a list. */
const placeOf = (list: LazyArray, k: number): LazyArray => squeeze(partAlong(list, 0, k, 1), 0);

function found(given: LazyArray, ranks: LazyArray, poison: boolean, digitBits: number): LazyArray {
  const x = castTo(given, infoOf(given.dtype).computesIn);
  const all = 8 * infoOf(x.dtype).bytes;
  const bits = Math.min(digitBits, all);
  const block = chunksWithin(x.chunks, infoOf(x.dtype).bytes, LINE_BYTES);
  const zeros = full([ranks.size], 0, { dtype: "uint64" });
  let state: LazyArray = stack([zeros, castTo(ranks, "uint64")], { axis: 1 });
  for (let shift = all - bits; shift >= 0; shift -= bits) {
    const isFirst = shift === all - bits;
    const inputs = isFirst ? [x] : [x, state];
    const counts = node(digitCounts, inputs, { shift, bits, block });
    const total = sum(counts, { axis: x.shape.map((_, axis) => axis) });
    state = node(digitStep, [total, state], { bits, poison: poison && isFirst && isFloat(x.dtype) });
  }
  return castTo(node(keyElements, [state], { dtype: x.dtype }), given.dtype);
}
