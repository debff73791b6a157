// searchsorted: where values would be inserted into a sorted list. In: a sorted 1-d block and values of the same
// real dtype. Out: int64, for each value how many elements go before it: those that are less (side "left"), or
// less or equal ("right"). NaN is greater than every number and equal to itself.

import { subBlock } from "../../core/block.ts";
import { describe } from "../../core/chunks.ts";
import { allocate, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import type { Routine } from "../routine.ts";
import { blockAt, integerAttr } from "./attributes.ts";
import type { Room } from "./room.ts";
import { fromContiguous, HIGH_WORD, LOW_WORD, toContiguous, wordsOf } from "./stridedWalk.ts";

type Side = "left" | "right";
type WideArray = BigInt64Array | BigUint64Array;

export const searchsorted: Routine = ({ inputs, outputs, attrs, room = allocate }) => {
  const { side } = attrs;
  if (side !== "left" && side !== "right")
    throw new InvariantError({ what: `the side is ${describe(side)}` });
  const sorted = toContiguous(blockAt(inputs, 0), room);
  const values = toContiguous(blockAt(inputs, 1), room);
  const counts = room("int64", values.length);
  // A count fits the low word: a block has far fewer than 2^31 elements.
  const words = wordsOf(counts).subarray(LOW_WORD);
  const [list, wanted] = [float64Of(sorted, room), float64Of(values, room)];
  if (list !== null && wanted !== null) countBeforeNumbers(words, list, wanted, side);
  else if (isWideArray(sorted) && isWideArray(values)) countBeforeWide(words, sorted, values, side);
  else throw new InvariantError({ what: "searchsorted was given two different dtypes" });
  fromContiguous(counts, blockAt(outputs, 0));
};

const isWideArray = (data: TypedArray): data is WideArray =>
  data instanceof BigInt64Array || data instanceof BigUint64Array;

/** The same numbers, exactly, or null: float64 holds every dtype that is not 64 bits wide, and most of those. */
function float64Of(data: TypedArray, room: Room): Float64Array | null {
  if (data instanceof Float64Array) return data;
  if (isWideArray(data)) return shortIntegers(data, room);
  const numbers = room("float64", data.length) as Float64Array;
  for (let i = 0; i < data.length; i++) numbers[i] = data[i]!;
  return numbers;
}

/** Null if one is beyond ±2^52. BigInts would take much longer. */
function shortIntegers(data: WideArray, room: Room): Float64Array | null {
  const words = wordsOf(data);
  const numbers = room("float64", data.length) as Float64Array;
  const limit = 2 ** 20;
  for (let i = 0; i < numbers.length; i++) {
    const unsigned = words[2 * i + HIGH_WORD]!;
    const high = data instanceof BigInt64Array ? unsigned | 0 : unsigned;
    if (high >= limit || high < -limit) return null;
    numbers[i] = high * 2 ** 32 + words[2 * i + LOW_WORD]!;
  }
  return numbers;
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
  if (side === "left") countLess(words, sorted, numbers, values);
  else countLessOrEqual(words, sorted, numbers, values);
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) words[2 * i] = beforeNaN;
}

// A comparison goes into the place as a number, not through a branch: half of such branches are guessed wrong, and
// without them the searches of several values overlap.
function countLess(words: Uint32Array, sorted: Float64Array, count: number, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    let before = 0;
    for (let left = count; left > 0; ) {
      const half = (left + 1) >>> 1;
      before += half & -Number(sorted[before + half - 1]! < value);
      left -= half;
    }
    words[2 * i] = before;
  }
}

function countLessOrEqual(
  words: Uint32Array,
  sorted: Float64Array,
  count: number,
  values: Float64Array,
): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    let before = 0;
    for (let left = count; left > 0; ) {
      const half = (left + 1) >>> 1;
      before += half & -Number(sorted[before + half - 1]! <= value);
      left -= half;
    }
    words[2 * i] = before;
  }
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

/** The same in each attrs.block places of a longer list: a row of counts for every block, which add up to the place in the whole. */
export const searchsortedIn: Routine = (call) => {
  const [sorted, values] = [blockAt(call.inputs, 0), blockAt(call.inputs, 1)];
  const output = blockAt(call.outputs, 0);
  const block = integerAttr(call.attrs, "block");
  for (let row = 0; row < output.shape[0]!; row++) {
    const from = row * block;
    const part = subBlock(sorted, [from], [Math.min(block, sorted.shape[0]! - from)]);
    const line = subBlock(output, [row, ...values.shape.map(() => 0)], [1, ...values.shape]);
    const counts = { ...line, shape: line.shape.slice(1), strides: line.strides.slice(1) };
    searchsorted({ ...call, inputs: [part, values], outputs: [counts] });
  }
};
