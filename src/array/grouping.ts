// What reductions of groups are made of: partial results of blocks (ops/groupby.ts), and what blocks come to together. In: an
// array, labels along some of its axes. Out: an array with one axis of labels in the place of those.
// Where labels are in memory, a block has places for its own labels alone, and blocks come together in a tree in which every
// node has places for the labels below it: work and memory follow what is there, not labels times blocks. Elsewhere every
// block has a place for each label, and blocks are reduced like any other axis.

import { sizeOf } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { chunksOf } from "../expr/expr.ts";
import type { FoldName, PlainFold } from "../kernel/routines/groupFolds.ts";
import { node } from "../lazy/build.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { NDArray } from "../lazy/ndarray.ts";
import type { ReduceRecord } from "../ops/define.ts";
import { groupby } from "../ops/groupby.ts";
import * as r from "../ops/reductions.ts";
import { asarray } from "./functions/creation.ts";
import { reshape } from "./functions/manipulation.ts";

/** What is to be grouped. */
export interface Groups {
  readonly x: LazyArray;
  /** For each place along the labelled axes, which are neighbours: 0 … numLabels − 1, below 0 for what is left out. */
  readonly labels: LazyArray;
  /** The labels, where they are in memory. */
  readonly known: Int32Array | null;
  /** The first labelled axis. */
  readonly axis: number;
  readonly numLabels: number;
  /** NaN is left out. */
  readonly skipsNaN: boolean;
  /** What the user calls the number of labels; "length" where labels below 0 are mistakes. */
  readonly limit?: "numLabels" | "length";
}

/** A chunk of partial results has no more elements than this, or than a chunk of x: of more labels there are several chunks. */
const MOST_IN_CHUNK = 1 << 22;

/** The length of a block along each labelled axis. */
const blocksOf = ({ x, labels, axis }: Groups): number[] =>
  chunksOf(x.expr)
    .slice(axis, axis + labels.ndim)
    .map((chunk, k) => Math.max(1, Math.min(chunk, labels.shape[k]!)));

/** What each block comes to, for each label: the labelled axes become those of the blocks, and one of labels. */
export function partial(groups: Groups, fold: FoldName, dtype: DType): LazyArray {
  const { x, labels, axis } = groups;
  return grouped([x, labels], axis, blocksOf(groups), groups, fold, dtype);
}

/** The same of the labels alone, whatever x is: how many there are, and where. */
export const partialOfLabels = (groups: Groups, fold: FoldName, dtype: DType): LazyArray =>
  grouped([groups.labels], 0, blocksOf(groups), { ...groups, skipsNaN: false }, fold, dtype);

function grouped(
  inputs: readonly LazyArray[],
  axis: number,
  blocks: readonly number[],
  { numLabels, skipsNaN, limit = "numLabels" }: Pick<Groups, "numLabels" | "skipsNaN" | "limit">,
  fold: FoldName,
  dtype: DType,
): LazyArray {
  const chunk = chunksOf(inputs[0]!.expr);
  const most = Math.max(MOST_IN_CHUNK, sizeOf(chunk));
  const beside = sizeOf(chunk.filter((_, at) => at < axis || at >= axis + blocks.length));
  const labelChunk = Math.max(1, Math.min(numLabels, Math.floor(most / Math.max(1, beside))));
  const lengths = inputs.at(-1)!.shape;
  return node(groupby, inputs, {
    ...{ fold, axis, blocks, lengths, labels: numLabels, labelChunk, dtype, skipsNaN, limit },
  });
}

/** A reduction over the blocks of some partial results. */
export const overBlocks = (op: ReduceRecord, states: LazyArray, axis: number, count: number): LazyArray =>
  node(op, [states], { axes: Array.from({ length: count }, (_, k) => axis + k), keepdims: false });

/** How partial results come together. */
const TOGETHER: { readonly [F in PlainFold]: readonly [op: ReduceRecord, again: PlainFold] } = {
  ...{ sum: [r.sum, "sum"], count: [r.sum, "sum"], prod: [r.prod, "prod"] },
  ...{ min: [r.min, "min"], max: [r.max, "max"], any: [r.any, "any"], all: [r.all, "all"] },
};

/** One value for each label: the elements' fold in `dtype`. */
export function foldedGroups(groups: Groups, fold: PlainFold, dtype: DType): LazyArray {
  const levels = levelsOf(groups);
  if (levels !== null) return throughLevels(groups, levels, fold, dtype);
  return overBlocks(TOGETHER[fold][0], partial(groups, fold, dtype), groups.axis, groups.labels.ndim);
}

/** One value for each label of how many places it has: float64. */
export function placesOfLabels(groups: Groups): LazyArray {
  const own: Groups = { ...groups, x: groups.labels, axis: 0, skipsNaN: false };
  const levels = levelsOf(own, blocksOf(groups));
  if (levels !== null) return throughLevels(own, levels, "count", "float64");
  return overBlocks(r.sum, partialOfLabels(groups, "count", "float64"), 0, groups.labels.ndim);
}

// Trees of blocks with labels of their own. In: labels in memory, blocks along one axis. Out: for every level of the tree the
// label that each of its rows has within its block, and the blocks; at the last level there is one block, with all labels.

interface Level {
  /** Within its block, of each row. */
  readonly labels: LazyArray;
  /** Rows of a block. */
  readonly block: number;
  readonly numLabels: number;
}

/** So many blocks come together in one. */
const TOGETHER_AT_ONCE = 8;
/** Of the places that blocks would have for all labels, at most this share may be in use. */
const WORTH = 0.6;

const known = new WeakMap<Int32Array, Map<string, readonly Level[] | null>>();

/** Null where labels are not known, or blocks have most of them. */
function levelsOf(groups: Groups, [block] = blocksOf(groups)): readonly Level[] | null {
  const { known: labels, numLabels, labels: given } = groups;
  if (labels === null || given.ndim !== 1 || labels.length <= block!) return null;
  const found = known.get(labels) ?? new Map<string, readonly Level[] | null>();
  known.set(labels, found);
  const key = `${block} ${numLabels}`;
  if (!found.has(key)) found.set(key, makeLevels(labels, block!, numLabels));
  return found.get(key)!;
}

function makeLevels(labels: Int32Array, block: number, numLabels: number): readonly Level[] | null {
  const levels: Level[] = [];
  let [rows, length] = [labels, block];
  while (rows.length > length) {
    const own = ownLabels(rows, length);
    const blocks = own.present.length;
    const inUse = own.present.reduce((sum, list) => sum + list.length, 0);
    if (levels.length === 0 && inUse > WORTH * blocks * numLabels) return null;
    const most = own.present.reduce((width, list) => Math.max(width, list.length), 1);
    levels.push(levelOf(own.labels, length, most));
    rows = new Int32Array(blocks * most).fill(-1);
    own.present.forEach((list, b) => rows.set(list, b * most));
    length = TOGETHER_AT_ONCE * most;
  }
  levels.push(levelOf(rows, Math.max(1, rows.length), numLabels));
  return levels;
}

function levelOf(labels: Int32Array, block: number, numLabels: number): Level {
  const chunks = [Math.max(1, Math.min(block, labels.length))];
  return { labels: asarray(new NDArray(labels, [labels.length]), { chunks }), block, numLabels };
}

/** For each row its label's rank among those of its block, and the labels of each block, ascending. */
function ownLabels(
  rows: Int32Array,
  block: number,
): { readonly labels: Int32Array; readonly present: readonly Int32Array[] } {
  const labels = new Int32Array(rows.length).fill(-1);
  const present: Int32Array[] = [];
  for (let from = 0; from < rows.length; from += block) {
    const part = rows.subarray(from, from + block);
    const list = Int32Array.from(new Set(part))
      .filter((label) => label >= 0)
      .sort();
    const rank = new Map(Array.from(list, (label, at) => [label, at]));
    for (let i = 0; i < part.length; i++) labels[from + i] = rank.get(part[i]!) ?? -1;
    present.push(list);
  }
  return { labels, present };
}

function throughLevels(groups: Groups, levels: readonly Level[], fold: PlainFold, dtype: DType): LazyArray {
  const { axis, skipsNaN } = groups;
  let x = groups.x;
  levels.forEach(({ labels, block, numLabels }, at) => {
    const isFirst = at === 0;
    const made = grouped(
      [x, labels],
      axis,
      [block],
      { numLabels, skipsNaN: isFirst && skipsNaN },
      isFirst ? fold : TOGETHER[fold][1],
      dtype,
    );
    // Blocks and their labels become the rows of the next level.
    const [blocks, own] = [made.shape[axis]!, made.shape[axis + 1]!];
    x = reshape(made, [...made.shape.slice(0, axis), blocks * own, ...made.shape.slice(axis + 2)]);
  });
  return x;
}
