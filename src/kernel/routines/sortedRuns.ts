// Runs: blocks along one axis that are sorted by themselves, and runs of them that are merged. In: blocks of an array; or rows, each of
// which has runs of sorted blocks one after another, as many elements as attrs.lengths says. Out: their elements in order, or
// where these stood. A stable sort of runs in the order of their blocks is that of the whole.
// Must hold: `sort` and `argsort` are the routines of that name, or what is quicker and gives the same bits.

import { type Block, isContiguous, subBlock } from "../../core/block.ts";
import { allocate } from "../../core/dtype.ts";
import type { Routine, RoutineCall } from "../routine.ts";
import { blockAt, integerAttr, integersAttr } from "./attributes.ts";
import type { Room } from "./room.ts";
import { argsort, sort } from "./sort.ts";
import { copyElements, toContiguous } from "./stridedWalk.ts";

const ALONG = { axis: 0 } as const;

/** A part of a 1-d block. */
const part = (block: Block, from: number, count: number): Block => subBlock(block, [from], [count]);

/** Of every attrs.block places the elements in order. */
export const sortRunsBy =
  (sorts: Routine): Routine =>
  (call) => {
    const [x, output] = [blockAt(call.inputs, 0), blockAt(call.outputs, 0)];
    eachRun(call, x, (from, count) => {
      const run = { inputs: [part(x, from, count)], outputs: [part(output, from, count)] };
      sorts({ ...call, ...run, attrs: { ...call.attrs, ...ALONG } });
    });
  };

/** The same, where these stood in the whole array. */
export const argsortRunsBy =
  (sorts: Routine): Routine =>
  (call) => {
    const [x, output] = [blockAt(call.inputs, 0), blockAt(call.outputs, 0)];
    eachRun(call, x, (from, count) => {
      const places = part(output, from, count);
      const run = { inputs: [part(x, from, count)], outputs: [places] };
      sorts({ ...call, ...run, attrs: { ...call.attrs, ...ALONG } });
      addTo(places, BigInt(call.starts[0]![0]! + from));
    });
  };

/** Blocks begin where the whole array's do. */
function eachRun(
  { attrs }: RoutineCall,
  { shape }: Block,
  visit: (from: number, count: number) => void,
): void {
  const block = integerAttr(attrs, "block");
  for (let from = 0; from < shape[0]!; from += block) visit(from, Math.min(block, shape[0]! - from));
}

function addTo({ data, offset, shape, strides }: Block, shift: bigint): void {
  if (shift === 0n) return;
  const numbers = data as BigInt64Array;
  for (let i = 0; i < shape[0]!; i++) numbers[offset + i * strides[0]!]! += shift;
}

/** Of each row, which has attrs.lengths[row] elements, attrs.chunk from number attrs.skips[row] on, in order. */
export const mergeRunsBy =
  (sorts: Routine): Routine =>
  (call) => {
    const output = blockAt(call.outputs, 0);
    eachRow(call, ({ row, skip, from, count }) => {
      const sorted = block(call.room, row.dtype, row.shape[0]!);
      sorts({ ...call, inputs: [row], outputs: [sorted], attrs: { ...call.attrs, ...ALONG } });
      copyElements(part(sorted, skip, count), part(output, from, count));
    });
  };

/** Rows of elements, and rows of where these stood. Out: where those in order stood. */
export const mergePlacesBy =
  (sorts: Routine): Routine =>
  (call) => {
    const [places, output] = [blockAt(call.inputs, 1), blockAt(call.outputs, 0)];
    eachRow(call, ({ row, at, skip, from, count }) => {
      const order = block(call.room, "int64", row.shape[0]!);
      sorts({ ...call, inputs: [row], outputs: [order], attrs: { ...call.attrs, ...ALONG } });
      const own = { ...places, ...rowOf(places, at, row.shape[0]!) };
      pickInto(part(output, from, count), own, part(order, skip, count), call.room);
    });
  };

interface RowPart {
  /** Its elements, and its number among the rows at hand. */
  readonly row: Block;
  readonly at: number;
  /** Of these in order `count` from number `skip` on go to the output's place `from`. */
  readonly skip: number;
  readonly from: number;
  readonly count: number;
}

function eachRow({ inputs, attrs, starts, outputs }: RoutineCall, visit: (part: RowPart) => void): void {
  const rows = blockAt(inputs, 0);
  const chunk = integerAttr(attrs, "chunk");
  const [lengths, skips] = [integersAttr(attrs, "lengths"), integersAttr(attrs, "skips")];
  const first = starts[0]![0]!;
  const length = blockAt(outputs, 0).shape[0]!;
  for (let at = 0; at < rows.shape[0]!; at++) {
    const row = { ...rows, ...rowOf(rows, at, lengths[first + at]!) };
    const from = at * chunk;
    const count = Math.min(chunk, length - from);
    if (count > 0) visit({ row, at, skip: skips[first + at]!, from, count });
  }
}

const rowOf = ({ strides, offset }: Block, at: number, count: number) => ({
  shape: [count],
  strides: [strides[1]!],
  offset: offset + at * strides[0]!,
});

function block(room: Room = allocate, dtype: Block["dtype"], length: number): Block {
  return { dtype, shape: [length], strides: [1], offset: 0, data: room(dtype, length) };
}

/** output[i] = values[order[i]], all int64. */
function pickInto(output: Block, values: Block, order: Block, room?: Room): void {
  const from = toContiguous(values, room) as BigInt64Array;
  const places = toContiguous(order, room) as BigInt64Array;
  const low = new Int32Array(places.buffer, places.byteOffset, 2 * places.length);
  const target = isContiguous(output)
    ? (output.data as BigInt64Array).subarray(output.offset, output.offset + places.length)
    : new BigInt64Array(places.length);
  for (let i = 0; i < places.length; i++) target[i] = from[low[2 * i]!]!;
  if (!isContiguous(output)) copyElements({ ...output, strides: [1], offset: 0, data: target }, output);
}

export const sortRuns: Routine = sortRunsBy(sort);
export const argsortRuns: Routine = argsortRunsBy(argsort);
export const mergeRuns: Routine = mergeRunsBy(sort);
export const mergePlaces: Routine = mergePlacesBy(argsort);
