// Compaction: rows of x where a mask is true, one after another. In: rows, and a mask with one bool for each. Out: the rows that
// the mask selects, from a given one of them on. A row is all that x has at a place of its first axis.
// Must hold: the mask has as many trues as are asked for.

import { type Block, copyInto, isContiguous } from "../../core/block.ts";
import { isLength, sizeOf } from "../../core/chunks.ts";
import { allocate, infoOf } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { type Routine, Trap } from "../routine.ts";
import { blockAt, integerAttr, integersAttr } from "./attributes.ts";
import type { Room } from "./room.ts";
import { type Bits, bitsOf, fromContiguous, toContiguous } from "./stridedWalk.ts";

/** How many trues each block of attrs.block places of a mask has; of counts, what they come to. */
export const countTrue: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const given = toContiguous(blockAt(inputs, 0), room);
  const mask = given instanceof BigInt64Array ? numbersOf(given) : (given as Uint8Array);
  const block = integerAttr(attrs, "block");
  const { data, offset, shape, strides } = blockAt(outputs, 0);
  const first = starts[1]![0]! * block - starts[0]![0]!;
  for (let i = 0; i < shape[0]!; i++) {
    const from = Math.min(mask.length, first + i * block);
    const to = Math.min(mask.length, from + block);
    const count = mask instanceof Uint8Array ? truesIn(mask, from, to) : sumOf(mask, from, to);
    data[offset + i * strides[0]!] = BigInt(count);
  }
};

function numbersOf(counts: BigInt64Array): Float64Array {
  const numbers = Float64Array.from(counts, Number);
  const wrong = numbers.find((n) => !isLength(n));
  if (wrong === undefined) return numbers;
  throw new Trap(`a count of repeats is ${wrong}`, "Give whole numbers of 0 or more");
}

function sumOf(counts: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += counts[i]!;
  return sum;
}

/** Each row of x as often as its count says. attrs.before: how many rows come of what is before each block, and in all. */
export const repeatRows: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const counts = numbersOf(toContiguous(blockAt(inputs, 1), room) as BigInt64Array);
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  const isPlain = isContiguous(output);
  const data = isPlain ? toContiguous(output) : allocate(output.dtype, sizeOf(output.shape));
  const [from, to] = [bitsOf(toContiguous(x, room)), bitsOf(data)];
  const words = (infoOf(x.dtype).bytes / to.BYTES_PER_ELEMENT) * sizeOf(x.shape.slice(1));
  const first = starts[2]![0]!;
  const end = first + output.shape[0]!;
  let at = integersAttr(attrs, "before")[starts[1]![0]! / integerAttr(attrs, "block")]!;
  for (let row = 0; row < counts.length && at < end; row++) {
    const next = at + counts[row]!;
    for (let copy = Math.max(at, first); copy < Math.min(next, end); copy++)
      for (let word = 0; word < words; word++) to[(copy - first) * words + word] = from[row * words + word]!;
    at = next;
  }
  if (!isPlain) fromContiguous(data, output);
};

/** Four bools at a time, each of which counts in a byte of its own, until a byte could overflow. */
function truesIn(mask: Uint8Array, from: number, to: number): number {
  let count = 0;
  let at = from;
  for (; at < to && (mask.byteOffset + at) % 4 !== 0; at++) count += mask[at]!;
  if (at >= to) return count;
  const words = new Uint32Array(mask.buffer, mask.byteOffset + at, Math.floor((to - at) / 4));
  for (let word = 0; word < words.length; ) {
    const end = Math.min(words.length, word + 255);
    let bytes = 0;
    for (; word < end; word++) bytes += words[word]!;
    const pairs = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff);
    count += (pairs & 0xffff) + (pairs >>> 16);
  }
  for (at += 4 * words.length; at < to; at++) count += mask[at]!;
  return count;
}

/** attrs.before: how many trues there are before each block of attrs.block places, and in all. */
export const compact: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const before = integersAttr(attrs, "before");
  const mask = toContiguous(blockAt(inputs, 1), room) as Uint8Array;
  const skip = starts[2]![0]! - before[starts[1]![0]! / integerAttr(attrs, "block")]!;
  selectRows(blockAt(inputs, 0), mask, skip, blockAt(outputs, 0), room);
};

/** Rows of x, but where the mask is true, rows of values in their order: the values from the first block's first true on. */
export const placeRows: Routine = ({ inputs, outputs, starts, room }) => {
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  const mask = toContiguous(blockAt(inputs, 1), room) as Uint8Array;
  const lead = starts[3]![0]! - starts[1]![0]!;
  const isPlain = isContiguous(output);
  const data = isPlain ? toContiguous(output) : allocate(output.dtype, sizeOf(output.shape));
  const [from, to] = [bitsOf(toContiguous(blockAt(inputs, 2), room)), bitsOf(data)];
  copyInto(to, bitsOf(toContiguous(x, room)), 0);
  const words = (infoOf(x.dtype).bytes / to.BYTES_PER_ELEMENT) * sizeOf(x.shape.slice(1));
  let next = truesIn(mask, 0, lead);
  for (let i = 0; i < output.shape[0]!; i++) {
    if (mask[lead + i] === 0) continue;
    for (let word = 0; word < words; word++) to[i * words + word] = from[next * words + word]!;
    next++;
  }
  if (!isPlain) fromContiguous(data, output);
};

/** A row of the output for each block of attrs.block places; what it has no elements for is 0. */
export const compactRows: Routine = ({ inputs, outputs, attrs, starts, room }) => {
  const block = integerAttr(attrs, "block");
  const [x, output] = [blockAt(inputs, 0), blockAt(outputs, 0)];
  const mask = toContiguous(blockAt(inputs, 1), room) as Uint8Array;
  const first = starts[2]![0]! * block - starts[1]![0]!;
  for (let row = 0; row < output.shape[0]!; row++) {
    const from = Math.min(mask.length, first + row * block);
    const to = Math.min(mask.length, from + block);
    const part = { ...x, ...partOf(x, from, to - from) };
    const target = { ...output, ...partOf(output, row, 1) };
    const line = { ...target, shape: target.shape.slice(1), strides: target.strides.slice(1) };
    zero(line);
    const count = Math.min(line.shape[0]!, truesIn(mask, from, to));
    selectRows(part, mask.subarray(from, to), 0, { ...line, ...partOf(line, 0, count) }, room);
  }
};

const partOf = (
  { shape, strides, offset }: Block,
  from: number,
  count: number,
): Pick<Block, "shape" | "offset"> => ({
  shape: [count, ...shape.slice(1)],
  offset: offset + from * strides[0]!,
});

function zero(block: Block): void {
  fromContiguous(allocate(block.dtype, sizeOf(block.shape)), block);
}

function selectRows(x: Block, mask: Uint8Array, skip: number, output: Block, room: Room = allocate): void {
  const count = output.shape[0]!;
  if (sizeOf(output.shape) === 0) return;
  const from = bitsOf(toContiguous(x, room));
  const isPlain = isContiguous(output);
  const data = isPlain ? toContiguous(output) : room(output.dtype, sizeOf(output.shape));
  const to = bitsOf(data);
  const words = (infoOf(x.dtype).bytes / from.BYTES_PER_ELEMENT) * sizeOf(x.shape.slice(1));
  const start = placeAfter(mask, skip);
  const made =
    words <= 2
      ? selectShort(from, mask, start, to, count, words)
      : selectLong(from, mask, start, to, count, words);
  if (made !== count)
    throw new InvariantError({ what: `a mask has ${made} of ${count} trues that it was counted to have` });
  if (!isPlain) fromContiguous(data, output);
}

/** The place behind so many trues. */
export function placeAfter(mask: Uint8Array, trues: number): number {
  let at = 0;
  for (let left = trues; left > 0 && at < mask.length; at++) left -= mask[at]!;
  return at;
}

/** Each row is written where the next one goes; one that is not selected is written over. */
function selectShort(
  from: Bits,
  mask: Uint8Array,
  start: number,
  to: Bits,
  count: number,
  words: number,
): number {
  let made = 0;
  if (words === 1)
    for (let i = start; i < mask.length && made < count; i++) {
      to[made] = from[i]!;
      made += mask[i]!;
    }
  else
    for (let i = start; i < mask.length && made < count; i++) {
      to[2 * made] = from[2 * i]!;
      to[2 * made + 1] = from[2 * i + 1]!;
      made += mask[i]!;
    }
  return made;
}

function selectLong(
  from: Bits,
  mask: Uint8Array,
  start: number,
  to: Bits,
  count: number,
  words: number,
): number {
  let made = 0;
  for (let i = start; i < mask.length && made < count; i++) {
    if (mask[i] === 0) continue;
    for (let word = 0; word < words; word++) to[made * words + word] = from[i * words + word]!;
    made++;
  }
  return made;
}
