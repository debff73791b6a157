// Sorting what no task can hold. Blocks are sorted by themselves; a stage keeps them, and asks in which order a sample of them stands.
// From that follows which runs of which blocks can have elements of a chunk of the result, and each chunk is the merge of its runs:
// two passes over the data. Of very many blocks, groups are merged first, and then these: a pass more, and a plan that stays small.
// How long runs are, the sample bounds; which of a run's elements belong to the chunk is found when they
// are merged, so chunks are exactly regular, whatever the data.
// Must hold: 1-d; elements are in order by value, then by block, then by place within it: the sort is stable.

import type { Attrs } from "../core/block.ts";
import { type Box, isLength } from "../core/chunks.ts";
import { INDEX_DTYPE, infoOf } from "../core/dtype.ts";
import { chunksOf, type Expr, makeExpr } from "../expr/expr.ts";
import { denseType, type MoveOp, type RoutineOp, type StagedOp } from "../expr/op.ts";
import { type AxisSeams, type Piece, SEAMLESS } from "../expr/pieces.ts";
import type { Pullback } from "../expr/pullback.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";
import { slice } from "./moves/select.ts";
import { argsort, sort } from "./routines.ts";
import { type RunRows, rowsOf } from "./runRanks.ts";

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
    const [row, from] = out.start as readonly [number, number];
    const own = runRowsAttrs(attrs);
    if (out.shape[0] !== 1 || from > 0 || out.shape[1] !== own.most) return piecesIn(out, own);
    const known = wholeRows.get(attrs) ?? [];
    wholeRows.set(attrs, known);
    known[row] ??= piecesIn(out, own);
    return known[row];
  },
  chunks: (_, __, ___, { shape }) => [1, shape[1]!],
};

/** Of rows as a whole, which a plan asks for again and again: there may be very many pieces. */
const wholeRows = new WeakMap<Attrs, Piece[][]>();

function piecesIn(out: Box, own: RunRows): Piece[] {
  const pieces: Piece[] = [];
  const [from, to] = [out.start[1]!, out.start[1]! + out.shape[1]!];
  for (let row = out.start[0]!; row < out.start[0]! + out.shape[0]!; row++) {
    let at = 0;
    for (let run = own.rows[row]!; run < own.rows[row + 1]!; run++)
      at = addRun(pieces, own, row, run, at, from, to);
    const rest = Math.max(at, from);
    if (rest < to)
      pieces.push({
        from: { fill: 0 },
        start: [row, rest],
        axes: [{ ...ALONG_ROW, length: to - rest, inAxis: -1 }],
      });
  }
  return pieces;
}

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
      const { counts, rows: begins, skips, chunk, length } = attrs;
      checkCounts(name, "chunk", [chunk], 1, 1);
      checkCounts(name, "rows", begins, rows!.shape[0]! + 1);
      checkCounts(name, "counts", counts, (begins as readonly number[]).at(-1)!);
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

/** Rows merged, one for each chunk of the result: attrs.counts and attrs.rows as above, attrs.skips, attrs.chunk, attrs.length, attrs.descending. */
export const mergeRuns: RoutineOp = mergeOp("mergeRuns", false);
/** The same of where elements stood: rows of elements and rows of places. */
export const mergePlaces: RoutineOp = mergeOp("mergePlaces", true);

/** A sample has about so many elements of a run for every run that it is merged with, and no more than so many in all. */
const SAMPLES = 16;
const MOST_SAMPLES = 1 << 20;

/** More runs are merged in groups, and what these come to in turn: a plan has as many reads as there are runs, times those of a group. */
const MOST_RUNS = 48;
const MOST_TOGETHER = 8;

interface LongAttrs {
  readonly descending: boolean;
  /** Bytes that one task sorts. */
  readonly most: number;
  /** So many elements, from the first on, are in order already: groups that were merged. 0: none. */
  readonly run: number;
  /** Elements of a chunk of what was merged. */
  readonly block: number;
}

const longAttrs = (attrs: Attrs): LongAttrs => ({ run: 0, block: 0, ...attrs }) as unknown as LongAttrs;

const isLong = (x: Expr, { most }: LongAttrs): boolean => x.shape[0]! * infoOf(x.dtype).bytes > most;

/** As long as chunks of x are, if a task can sort one; several together where they are short. */
function blockOf(x: Expr, { most }: LongAttrs): number {
  const { bytes } = infoOf(x.dtype);
  let block = chunksOf(x)[0]!;
  while (block * bytes > most && block > 1) block = Math.ceil(block / 2);
  return block * Math.max(1, Math.floor(most / 2 / (block * bytes)));
}

/** How a round goes. */
interface Round {
  readonly block: number;
  readonly run: number;
  /** So many runs are merged together. */
  readonly together: number;
  /** Every so many elements one is looked at. */
  readonly step: number;
}

function roundOf(x: Expr, own: LongAttrs): Round {
  const length = x.shape[0]!;
  const block = own.run === 0 ? blockOf(x, own) : own.block;
  const run = own.run === 0 ? block : own.run;
  const count = Math.ceil(length / run);
  const isOneRound = count <= (own.run === 0 ? MOST_RUNS : MOST_TOGETHER);
  const rounds = isOneRound ? 1 : Math.ceil(Math.log(count) / Math.log(MOST_TOGETHER));
  const together = Math.ceil(count ** (1 / rounds));
  const apart = evenly(block, Math.max(1, Math.floor(block / (SAMPLES * together))));
  const step = Math.max(apart, Math.ceil(length / MOST_SAMPLES));
  return { block, run, together, step };
}

/** The largest divisor of a block's length up to a number, if it has one not below half of it: then each block has as many samples. */
function evenly(block: number, most: number): number {
  for (let step = most; 2 * step >= most; step--) if (block % step === 0) return step;
  return most;
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

/** Inputs are x; in later rounds what was merged, and for places where that stood. */
function longOp(name: string, places: boolean): StagedOp {
  const op: StagedOp = {
    name,
    class: "staged",
    ...(places ? {} : { pullback: longPullback }),
    infer: ([x]) => (places ? denseType(INDEX_DTYPE, x!.shape) : x!),
    chunks: ([x]) => x!,
    questions(inputs, attrs) {
      const [x] = inputs as readonly Expr[];
      const own = longAttrs(attrs);
      if (!isLong(x!, own)) return { asks: [] };
      const { block, step } = roundOf(x!, own);
      const sorts = { block, descending: own.descending };
      const runs = own.run === 0 ? makeExpr(sortRuns, [x!], sorts) : x!;
      const stood = own.run === 0 && places ? [makeExpr(argsortRuns, [x!], sorts)] : inputs.slice(1);
      const order = makeExpr(argsort, [sampled(runs, step)], { axis: 0, descending: own.descending });
      return { asks: [order], keeps: [runs, ...stood], inParts: true };
    },
    settle(inputs, attrs, [order], kept) {
      const x = inputs[0] as Expr;
      const own = longAttrs(attrs);
      const { descending } = own;
      if (order === undefined) return makeExpr(places ? argsort : sort, [x], { axis: 0, descending });
      const length = x.shape[0]!;
      const round = roundOf(x, own);
      const { skips, ...rows } = rowsOf(order, length, round);
      const { counts, rows: begins } = rows;
      const merge = { counts, rows: begins, skips, chunk: round.block, length, descending };
      const inRows = kept.map((runs) => makeExpr(runRows, [runs as Expr], { ...rows }));
      const stand = (): Expr => makeExpr(mergePlaces, inRows, merge);
      const inOrder = (): Expr => makeExpr(mergeRuns, inRows.slice(0, 1), merge);
      const run = round.run * round.together;
      if (run >= length) return places ? stand() : inOrder();
      return makeExpr(op, places ? [inOrder(), stand()] : [inOrder()], { ...attrs, run, block: round.block });
    },
  };
  return op;
}

/** sort(x) and argsort(x) of a 1-d array of any length. */
export const longSort: StagedOp = longOp("longSort", false);
export const longArgsort: StagedOp = longOp("longArgsort", true);

export const LONG_SORT_OPS: readonly (RoutineOp | MoveOp | StagedOp)[] = [
  ...[sortRuns, argsortRuns, runRows, mergeRuns, mergePlaces],
  ...[longSort, longArgsort],
];
