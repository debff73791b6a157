// searchsorted: where values would be inserted into a sorted list. In: a sorted 1-d block and values of the same
// real dtype. Out: int64, for each value how many elements go before it: those that are less (side "left"), or
// less or equal ("right"). NaN is greater than every number and equal to itself.

import { allocate, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import type { Routine } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { LOW_WORD, wordsOf } from "./bits.ts";
import { fromContiguous, toContiguous } from "./walk.ts";

type Side = "left" | "right";
type WideArray = BigInt64Array | BigUint64Array;

export const searchsorted: Routine = ({ inputs, outputs, attrs }) => {
  const { side } = attrs;
  if (side !== "left" && side !== "right")
    throw new InvariantError({ what: `the side is ${describe(side)}` });
  const sorted = toContiguous(blockAt(inputs, 0));
  const values = toContiguous(blockAt(inputs, 1));
  const counts = allocate("int64", values.length);
  // A count fits the low word: a block has far fewer than 2^31 elements.
  const words = wordsOf(counts).subarray(LOW_WORD);
  if (isWideArray(sorted) && isWideArray(values)) countBeforeWide(words, sorted, values, side);
  else countBeforeNumbers(words, float64Of(sorted), float64Of(values), side);
  fromContiguous(counts, blockAt(outputs, 0));
};

const isWideArray = (data: TypedArray): data is WideArray =>
  data instanceof BigInt64Array || data instanceof BigUint64Array;

/** The same numbers, exactly: float64 holds every dtype that is not 64 bits wide. */
function float64Of(data: TypedArray): Float64Array {
  if (isWideArray(data)) throw new InvariantError({ what: "searchsorted was given two different dtypes" });
  return data instanceof Float64Array ? data : new Float64Array(data);
}

function countBeforeNumbers(
  words: Uint32Array,
  sorted: Float64Array,
  values: Float64Array,
  side: Side,
): void {
  let numbers = sorted.length;
  while (numbers > 0 && Number.isNaN(sorted[numbers - 1])) numbers--;
  const beforeNaN = side === "left" ? numbers : sorted.length;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    words[2 * i] = Number.isNaN(value) ? beforeNaN : searchNumbers(sorted, value, side === "right");
  }
}

/** NaNs at the end are never less than the value or equal to it, so it does not lead beyond the numbers. */
function searchNumbers(sorted: Float64Array, value: number, orEqual: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const element = sorted[middle]!;
    if (element < value || (orEqual && element === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countBeforeWide(words: Uint32Array, sorted: WideArray, values: WideArray, side: Side): void {
  for (let i = 0; i < values.length; i++) {
    words[2 * i] = searchWide(sorted, values[i]!, side === "right");
  }
}

function searchWide(sorted: WideArray, value: bigint, orEqual: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const element = sorted[middle]!;
    if (element < value || (orEqual && element === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
