// Runs: blocks along one axis that are sorted by themselves, and runs of them that are merged. In: blocks of an array; or rows, each of
// which has runs of sorted blocks one after another, as long as attrs.counts says. Out: their elements in order, or
// where these stood. A merge of runs in the order of their blocks, which takes equal elements from the first, is the stable sort of the whole.
// Must hold: `sort` and `argsort` are the routines of that name, or what is quicker and gives the same bits.

import { type Block, subBlock } from "../../core/block.ts";
import { allocate } from "../../core/dtype.ts";
import type { Routine, RoutineCall } from "../routine.ts";
import { blockAt, booleanAttr, integerAttr } from "./attributes.ts";
import type { Room } from "./room.ts";
import { argsort, comparison, sort } from "./sort.ts";
import { moveElements, passage, stepsOf, toContiguous } from "./stridedWalk.ts";

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

/** Of each row the merge of its runs, attrs.chunk elements from number attrs.skips[row] on. */
export const mergeRuns: Routine = (call) => {
  for (const row of rowsToMerge(call)) take(row.values, orderOf(row, call), row.output, call.room);
};

/** Rows of elements, and rows of where these stood. Out: where those in order stood. */
export const mergePlaces: Routine = (call) => {
  for (const row of rowsToMerge(call)) take(row.places!, orderOf(row, call), row.output, call.room);
};

/** A row of a call, and what is asked of it. */
export interface RowToMerge {
  readonly values: Block;
  /** Where these stood, if that is asked for. */
  readonly places: Block | null;
  /** How many elements its runs have, which lie one after another. */
  readonly counts: readonly number[];
  /** Of these in order all from number `skip` on go to the output, which they fill. */
  readonly skip: number;
  readonly output: Block;
}

/** The rows of a call: attrs.counts says how long the runs are, attrs.rows with which each row begins. */
export function* rowsToMerge({ inputs, outputs, attrs, starts }: RoutineCall): Generator<RowToMerge> {
  const [values, places, output] = [blockAt(inputs, 0), inputs[1] ?? null, blockAt(outputs, 0)];
  const chunk = integerAttr(attrs, "chunk");
  const [all, rows, skips] = ["counts", "rows", "skips"].map((name) => attrs[name]) as [
    readonly number[],
    readonly number[],
    readonly number[],
  ];
  const first = starts[0]![0]!;
  for (let at = 0; at < values.shape[0]!; at++) {
    const from = at * chunk;
    const count = Math.min(chunk, output.shape[0]! - from);
    if (count <= 0) return;
    const counts = all.slice(rows[first + at]!, rows[first + at + 1]!);
    const length = counts.reduce((sum, n) => sum + n, 0);
    yield {
      ...{ values: rowOf(values, at, length), places: places === null ? null : rowOf(places, at, length) },
      ...{ counts, skip: skips[first + at]!, output: part(output, from, count) },
    };
  }
}

const rowOf = (block: Block, at: number, count: number): Block => ({
  ...block,
  shape: [count],
  strides: [block.strides[1]!],
  offset: block.offset + at * block.strides[0]!,
});

/** The places of a row's elements in order: of the runs' first elements that are left always the least, of equal ones the first. */
function orderOf({ values, counts, skip, output }: RowToMerge, { attrs, room }: RoutineCall): Int32Array {
  const data = toContiguous(values, room);
  const before = comparison(values.dtype, data, booleanAttr(attrs, "descending") ? -1 : 1);
  const order = (room ?? allocate)("int32", output.shape[0]!) as Int32Array;
  const heads: { at: number; readonly end: number }[] = [];
  for (const count of counts) {
    const at = heads.at(-1)?.end ?? 0;
    heads.push({ at, end: at + count });
  }
  for (let i = 0; i < skip + order.length; i++) {
    let least: (typeof heads)[number] | null = null;
    for (const head of heads)
      if (head.at < head.end && (least === null || before(head.at, least.at) < 0)) least = head;
    if (i >= skip) order[i - skip] = least!.at;
    least!.at++;
  }
  return order;
}

/** output[i] = from[order[i]]. */
function take(from: Block, order: Int32Array, output: Block, room?: Room): void {
  const way = passage(from.dtype, toContiguous(from, room), output.data);
  const to = { base: output.offset, steps: stepsOf(output, room), first: 0 };
  moveElements(way, { base: 0, steps: order, first: 0 }, to, order.length);
}

export const sortRuns: Routine = sortRunsBy(sort);
export const argsortRuns: Routine = argsortRunsBy(argsort);
