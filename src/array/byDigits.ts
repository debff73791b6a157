// Elements of a whole array by their ranks, in constant memory: the digits of all elements' keys are counted, the highest first, until
// the elements are known (kernel/routines/digits.ts). In: an array and ranks. Out: these elements; an ordinary plan.

import { infoOf, isFloat } from "../core/dtype.ts";
import { castTo, node } from "../lazy/build.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { chunksWithin, digitCounts, digitStep, keyElements, LINE_BYTES } from "../ops/order.ts";
import { sum } from "../ops/reductions.ts";
import { full } from "./functions/creation.ts";
import { stack } from "./functions/joining.ts";

/** Counts of so wide digits stay in a cache. */
const DIGIT_BITS = 16;

/** As many passes over the array as its elements have digits. NaN has one of its own if digits have 16 bits, or all. */
export function elementsByDigits(
  given: LazyArray,
  ranks: LazyArray,
  poison: boolean,
  digitBits: number = DIGIT_BITS,
): LazyArray {
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
