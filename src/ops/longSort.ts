// Sorting what no task can hold. Blocks are sorted by themselves; a stage keeps them, and asks in which order a sample of them stands.
// From that follows which runs of which blocks can have elements of a chunk of the result, and each chunk is the merge of its runs:
// two passes over the data. How long runs are, the sample bounds; which of a run's elements belong to the chunk is found when they
// are merged, so chunks are exactly regular, whatever the data.
// Must hold: 1-d; elements are in order by value, then by block, then by place within it: the sort is stable.

import type { Attrs, Block } from "../core/block.ts";
import { type Box, isLength } from "../core/chunks.ts";
import { INDEX_DTYPE, infoOf } from "../core/dtype.ts";
import { chunksOf, type Expr, makeExpr } from "../expr/expr.ts";
import {
  type AxisSeams,
  denseType,
  type MoveOp,
  type Piece,
  type RoutineOp,
  SEAMLESS,
  type StagedOp,
} from "../expr/op.ts";
import type { Pullback } from "../expr/pullback.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";
import { slice } from "./moves/select.ts";
import { argsort, sort } from "./routines.ts";

/** The box widened to whole blocks of a length. */
function wholeBlocks({ start, shape }: Box, block: number, length: number): Box {
  const from = Math.floor(start[0]! / block) * block;
  const to = Math.min(length, Math.ceil((start[0]! + shape[0]!) / block) * block);
  return { start: [from], shape: [shape[0] === 0 ? 0 : to - from] };
}

function runsOp(name: string, places: boolean): RoutineOp {
  return {
    name,
    class: "routine",
    routine: name,
    infer([x], attrs) {
      checkCounts(name, "block", [attrs["block"]], 1, 1);
      if (x!.shape.length !== 1) throw wrongAttr(name, "axis", x!.shape.length);
      return places ? denseType(INDEX_DTYPE, x!.shape) : x!;
    },
    computes: (out, type, attrs) => wholeBlocks(out, attrs["block"] as number, type.shape[0]!),
    demand: (out) => [out],
    // A box in the middle of a block needs all of it, the last of less.
    seams: (_, attrs) => [{ periods: [{ every: attrs["block"] as number, at: "all" }] }],
    chunks: (_, __, attrs, { shape }) => [Math.max(1, Math.min(attrs["block"] as number, shape[0]!))],
  };
}

/** Every attrs.block elements in order; attrs.descending. */
export const sortRuns: RoutineOp = runsOp("sortRuns", false);
/** Where these stood in the whole. */
export const argsortRuns: RoutineOp = runsOp("argsortRuns", true);

// Runs side by side: attrs.starts and attrs.counts say where each run begins and how long it is, row after row; attrs.rows,
// before which run each row begins; attrs.most, how long rows are. What a row has no elements for is 0.

interface RunRows {
  readonly starts: readonly number[];
  readonly counts: readonly number[];
  readonly rows: readonly number[];
  readonly most: number;
}

const runRowsAttrs = (attrs: Attrs): RunRows => attrs as unknown as RunRows;

/** What a task makes follows from lists: no two rows need be alike. */
const byItself = (shape: readonly number[]): AxisSeams[] =>
  shape.map((n, axis) => (axis === 0 ? { zones: [[0, n]] } : SEAMLESS));

export const runRows: MoveOp = {
  name: "runRows",
  class: "move",
  injective: false,
  infer([x], attrs) {
    const { starts, counts, rows, most } = runRowsAttrs(attrs);
    checkCounts("runRows", "rows", rows);
    checkCounts("runRows", "starts", starts, rows.at(-1)!);
    checkCounts("runRows", "counts", counts, rows.at(-1)!);
    checkCounts("runRows", "most", [most], 1, 1);
    if (starts.some((start, i) => start + counts[i]! > x!.shape[0]!))
      throw wrongAttr("runRows", "starts", "");
    return denseType(x!.dtype, [rows.length - 1, most]);
  },
  seams: (_, __, { shape }) => byItself(shape),
  pieces(out, _, attrs) {
    const { rows } = runRowsAttrs(attrs);
    const pieces: Piece[] = [];
    for (let row = out.start[0]!; row < out.start[0]! + out.shape[0]!; row++) {
      const [from, to] = [out.start[1]!, out.start[1]! + out.shape[1]!];
      let at = 0;
      for (let run = rows[row]!; run < rows[row + 1]!; run++)
        at = addRun(pieces, runRowsAttrs(attrs), row, run, at, from, to);
      const rest = Math.max(at, from);
      if (rest < to)
        pieces.push({
          from: { fill: 0 },
          start: [row, rest],
          axes: [{ ...ALONG_ROW, length: to - rest, inAxis: -1 }],
        });
    }
    return pieces;
  },
  chunks: (_, __, ___, { shape }) => [1, shape[1]!],
};

const ALONG_ROW = { outAxis: 1, outStep: 1, inAxis: 0, inStep: 1 } as const;

/** The part of a run, which begins at place `at` of its row, between two places. Gives where the next one begins. */
function addRun(
  pieces: Piece[],
  { starts, counts }: RunRows,
  row: number,
  run: number,
  at: number,
  from: number,
  to: number,
): number {
  const first = Math.max(at, from);
  const length = Math.min(at + counts[run]!, to) - first;
  if (length > 0)
    pieces.push({
      from: { input: 0, start: [starts[run]! + first - at] },
      start: [row, first],
      axes: [{ ...ALONG_ROW, length }],
    });
  return at + counts[run]!;
}

function mergeOp(name: string, places: boolean): RoutineOp {
  return {
    name,
    class: "routine",
    routine: name,
    infer([rows, at], attrs) {
      const { lengths, skips, chunk, length } = attrs;
      checkCounts(name, "chunk", [chunk], 1, 1);
      checkCounts(name, "lengths", lengths, rows!.shape[0]!);
      checkCounts(name, "skips", skips, rows!.shape[0]!);
      const isFit = isLength(length) && Math.ceil(length / (chunk as number)) === rows!.shape[0];
      if (!isFit) throw wrongAttr(name, "length", length!);
      return denseType(places ? at!.dtype : rows!.dtype, [length]);
    },
    computes: (out, type, attrs) => wholeBlocks(out, attrs["chunk"] as number, type.shape[0]!),
    demand: (out, inputs, attrs) => {
      const chunk = attrs["chunk"] as number;
      const first = out.start[0]! / chunk;
      const count = Math.ceil(out.shape[0]! / chunk);
      return inputs.map(({ shape }) => ({ start: [first, 0], shape: [count, shape[1]!] }));
    },
    seams: (_, __, { shape }) => byItself(shape),
    chunks: (_, __, attrs, { shape }) => [Math.max(1, Math.min(attrs["chunk"] as number, shape[0]!))],
  };
}

/** Rows merged, one for each chunk of the result; attrs.lengths, attrs.skips, attrs.chunk, attrs.length, attrs.descending. */
export const mergeRuns: RoutineOp = mergeOp("mergeRuns", false);
/** The same of where elements stood: rows of elements and rows of places. */
export const mergePlaces: RoutineOp = mergeOp("mergePlaces", true);

/** A sample has about so many elements of a block for every block there is, and no more than so many in all. */
const SAMPLES = 8;
const MOST_SAMPLES = 1 << 20;

interface LongAttrs {
  readonly descending: boolean;
  /** Bytes that one task sorts. */
  readonly most: number;
}

const longAttrs = (attrs: Attrs): LongAttrs => attrs as unknown as LongAttrs;

const isLong = (x: Expr, { most }: LongAttrs): boolean => x.shape[0]! * infoOf(x.dtype).bytes > most;

/** As long as chunks of x are, if a task can sort one; several together where they are short. */
function blockOf(x: Expr, { most }: LongAttrs): number {
  const { bytes } = infoOf(x.dtype);
  let block = chunksOf(x)[0]!;
  while (block * bytes > most && block > 1) block = Math.ceil(block / 2);
  return block * Math.max(1, Math.floor(most / 2 / (block * bytes)));
}

function sampleStep(length: number, block: number): number {
  const blocks = Math.ceil(length / block);
  return Math.max(1, Math.floor(block / (SAMPLES * blocks)), Math.ceil(length / MOST_SAMPLES));
}

/** Every `step`-th element, from number step − 1 on. */
function sampled(runs: Expr, step: number): Expr {
  const count = Math.floor(runs.shape[0]! / step);
  return makeExpr(slice, [runs], { start: [step - 1], step: [step], shape: [count] });
}

/** As of a short sort (ops/routines.ts). */
const longPullback: Pullback = ({ inputs: [x], attrs, cotangent }, use) => {
  const order = use.argsort(x!, 0, longAttrs(attrs).descending);
  return [use.takeAlong(cotangent, use.argsort(order, 0, false), 0)];
};

function longOp(name: string, places: boolean): StagedOp {
  return {
    name,
    class: "staged",
    ...(places ? {} : { pullback: longPullback }),
    infer: ([x]) => (places ? denseType(INDEX_DTYPE, x!.shape) : x!),
    chunks: ([x]) => x!,
    questions([given], attrs) {
      const x = given as Expr;
      const own = longAttrs(attrs);
      if (!isLong(x, own)) return { asks: [] };
      const block = blockOf(x, own);
      const { descending } = own;
      const runs = makeExpr(sortRuns, [x], { block, descending });
      const sample = sampled(runs, sampleStep(x.shape[0]!, block));
      const keeps = places ? [runs, makeExpr(argsortRuns, [x], { block, descending })] : [runs];
      return { asks: [makeExpr(argsort, [sample], { axis: 0, descending })], keeps, inParts: true };
    },
    settle([given], attrs, [order], kept) {
      const x = given as Expr;
      const own = longAttrs(attrs);
      const { descending } = own;
      if (order === undefined) return makeExpr(places ? argsort : sort, [x], { axis: 0, descending });
      const block = blockOf(x, own);
      const { lengths, skips, ...rows } = rowsOf(order, x.shape[0]!, block);
      const merged = { lengths, skips, chunk: block, length: x.shape[0]!, descending };
      const inRows = kept.map((runs) => makeExpr(runRows, [runs as Expr], { ...rows }));
      return makeExpr(places ? mergePlaces : mergeRuns, inRows, merged);
    },
  };
}

/** sort(x) and argsort(x) of a 1-d array of any length. */
export const longSort: StagedOp = longOp("longSort", false);
export const longArgsort: StagedOp = longOp("longArgsort", true);

// Which runs a chunk of the result is made of. In: the order of a sample of sorted blocks. An element of the sample has at least as many
// elements before it as its own and all lesser samples say, and at most as many as the next greater samples of other blocks
// leave room for. What is certainly before a chunk, or behind it, is no part of its runs.

interface Rows extends RunRows {
  /** How many elements each row has, and how many of them are before the chunk. */
  readonly lengths: readonly number[];
  readonly skips: readonly number[];
}

function rowsOf(order: Block, length: number, block: number): Rows {
  const step = sampleStep(length, block);
  const blocks = Math.ceil(length / block);
  const targets = Array.from({ length: blocks + 1 }, (_, k) => Math.min(length, k * block));
  const places = Array.from(order.data as BigInt64Array, (at) => Number(at) * step + step - 1);
  const below = certainlyBefore(places, targets.slice(0, -1), length, block, step);
  const above = possiblyBefore(places, targets.slice(1), length, block);
  const [starts, counts, rows, lengths, skips]: number[][] = [[], [], [0], [], []];
  for (let k = 0; k < blocks; k++) {
    let [sum, before] = [0, 0];
    for (let b = 0; b < blocks; b++) {
      const [from, to] = [below[k]![b]!, above[k]![b]!];
      before += from;
      if (to <= from) continue;
      starts!.push(b * block + from);
      counts!.push(to - from);
      sum += to - from;
    }
    rows!.push(starts!.length);
    lengths!.push(sum);
    skips!.push(targets[k]! - before);
  }
  const most = Math.max(1, ...lengths!);
  return { starts: starts!, counts: counts!, rows: rows!, most, lengths: lengths!, skips: skips! };
}

/**
 * For every rank, how many elements of each block are certainly before it: up to the last sample that is. A sample has at most as many before
 * it as lie before the next sample of each block.
 */
function certainlyBefore(
  places: readonly number[],
  ranks: readonly number[],
  length: number,
  block: number,
  step: number,
): Float64Array[] {
  const blocks = Math.ceil(length / block);
  const endOf = (b: number): number => Math.min(length, (b + 1) * block);
  // Of each block: elements up to its last sample, and before its next one.
  const counts = new Float64Array(blocks);
  const next = Float64Array.from(
    { length: blocks },
    (_, b) => nextSample(b * block, endOf(b), step) - b * block,
  );
  let most = next.reduce((sum, n) => sum + n, 0);
  let at = 0;
  return ranks.map((rank) => {
    for (; at < places.length; at++) {
      const place = places[at]!;
      const b = Math.floor(place / block);
      // The sample itself comes with it: `most` counts what is before the next sample of this block.
      const after = nextSample(place + 1, endOf(b), step) - b * block;
      // Before this sample: its own place in its block, and of others what lies before their next.
      if (most - next[b]! + (place - b * block) + 1 > rank) break;
      most += after - next[b]!;
      next[b] = after;
      counts[b] = place - b * block + 1;
    }
    return counts.slice();
  });
}

/** The first sample from a place on, or the end. */
const nextSample = (from: number, end: number, step: number): number =>
  Math.min(end, Math.ceil((from + 1) / step) * step - 1);

/** For every rank, how many elements of each block may be before it: up to the first sample that certainly is not. */
function possiblyBefore(
  places: readonly number[],
  ranks: readonly number[],
  length: number,
  block: number,
): Float64Array[] {
  const blocks = Math.ceil(length / block);
  const ends = Float64Array.from({ length: blocks }, (_, b) => Math.min(length, (b + 1) * block) - b * block);
  // Going down: a sample has at least as many before it as its own block has, and others up to their last lesser sample.
  const counts = ends.slice();
  const last = lastSamples(places, blocks, block);
  let least = last.at.reduce((sum, n) => sum + n, 0);
  let at = places.length - 1;
  return ranks
    .toReversed()
    .map((rank) => {
      for (; at >= 0; at--) {
        const place = places[at]!;
        const b = Math.floor(place / block);
        if (least - 1 < rank) break;
        counts[b] = place - b * block;
        least += last.before(at) - last.at[b]!;
        last.at[b] = last.before(at);
      }
      return counts.slice();
    })
    .toReversed();
}

/** Of each block how many elements there are up to its last sample; and up to the one before a sample. */
function lastSamples(places: readonly number[], blocks: number, block: number) {
  const at = new Float64Array(blocks);
  const before = new Float64Array(places.length);
  places.forEach((place, i) => {
    const b = Math.floor(place / block);
    before[i] = at[b]!;
    at[b] = place - b * block + 1;
  });
  return { at, before: (i: number): number => before[i]! };
}

export const LONG_SORT_OPS: readonly (RoutineOp | MoveOp | StagedOp)[] = [
  ...[sortRuns, argsortRuns, runRows, mergeRuns, mergePlaces],
  ...[longSort, longArgsort],
];
