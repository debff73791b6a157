// Samples of blocks in order, and elements found by them (ops/sampling.ts). In: blocks of float64, or samples and ranks. Out: samples,
// each block's in order, and how many numbers it had; or the least sampled element that has more than its rank before it or equal.

import { type Block, isContiguous, newBlock } from "../../core/block.ts";
import { sizeOf } from "../../core/chunks.ts";
import type { Routine } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import { countedBlocks } from "./bins.ts";
import type { Room } from "./room.ts";
import { sort } from "./sort.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

/** Must hold: `sorts` is the routine sort, or what is quicker and gives the same bits. */
export const blockSampleBy =
  (sorts: Routine): Routine =>
  (call) => {
    const count = integerAttr(call.attrs, "count");
    for (const [x, output] of countedBlocks(call)) {
      const line = flat(x, call.room);
      const ordered = flatBlock(line.shape[0]!, call.room);
      sorts({ ...call, inputs: [line], outputs: [ordered], attrs: { axis: 0, descending: false } });
      const data = ordered.data as Float64Array;
      let numbers = line.shape[0]!;
      while (numbers > 0 && Number.isNaN(data[numbers - 1])) numbers--;
      const row = new Float64Array(count + 1).fill(Number.NaN);
      for (let j = 0; j < count && numbers > 0; j++)
        row[j] = data[Math.min(numbers - 1, Math.floor(((j + 0.5) * numbers) / count))]!;
      row[count] = numbers;
      fromContiguous(row, output);
    }
  };

function flat(x: Block, room?: Room): Block {
  if (isContiguous(x)) return { ...x, shape: [sizeOf(x.shape)], strides: [1] };
  const data = toContiguous(x, room);
  return { ...x, shape: [sizeOf(x.shape)], strides: [1], offset: 0, data, place: undefined };
}

const flatBlock = (length: number, room?: Room): Block => {
  if (room === undefined) return newBlock("float64", [length]);
  return { dtype: "float64", shape: [length], strides: [1], offset: 0, data: room("float64", length) };
};

export const blockSample: Routine = blockSampleBy(sort);

export const sampledElements: Routine = ({ inputs, outputs, attrs, room }) => {
  const samples = toContiguous(blockAt(inputs, 0), room) as Float64Array;
  const ranks = toContiguous(blockAt(inputs, 1), room) as BigInt64Array;
  const rows = rowsOf(samples, blockAt(inputs, 0).shape.at(-1)!);
  const numbers = rows.reduce((sum, row) => sum + row.numbers, 0);
  const isPoisoned = booleanAttr(attrs, "poison") && numbers < integerAttr(attrs, "length");
  const found = Float64Array.from(ranks, (rank) =>
    isPoisoned || rank < 0n || Number(rank) >= numbers ? Number.NaN : elementAt(rows, Number(rank)),
  );
  fromContiguous(found, blockAt(outputs, 0));
};

/** A block's samples, in order, and how many numbers they stand for. */
interface Row {
  readonly values: Float64Array;
  readonly numbers: number;
}

function rowsOf(samples: Float64Array, width: number): Row[] {
  const rows: Row[] = [];
  for (let from = 0; from < samples.length; from += width) {
    const numbers = samples[from + width - 1]!;
    if (numbers > 0) rows.push({ values: samples.subarray(from, from + width - 1), numbers });
  }
  return rows;
}

/** The least sample up to which more elements lie than `rank`: its number among all keys is halved 64 times. */
function elementAt(rows: readonly Row[], rank: number): number {
  let [low, high] = [keyOf(Number.NEGATIVE_INFINITY), keyOf(Number.POSITIVE_INFINITY)];
  while (low < high) {
    const middle = (low + high) >> 1n;
    if (upTo(rows, elementOf(middle)) > rank) high = middle;
    else low = middle + 1n;
  }
  return elementOf(low);
}

const upTo = (rows: readonly Row[], value: number): number =>
  rows.reduce((sum, { values, numbers }) => sum + (countUpTo(values, value) * numbers) / values.length, 0);

function countUpTo(values: Float64Array, value: number): number {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! <= value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whole numbers in the order of floats. */
function keyOf(value: number): bigint {
  const bits = BigInt.asIntN(64, new BigInt64Array(Float64Array.of(value).buffer)[0]!);
  return bits < 0n ? -(bits & MAGNITUDE) : bits;
}

function elementOf(key: bigint): number {
  const magnitude = key < 0n ? -key : key;
  const size = new Float64Array(BigInt64Array.of(magnitude).buffer)[0]!;
  return key < 0n ? -size : size;
}

const MAGNITUDE = 0x7fff_ffff_ffff_ffffn;
