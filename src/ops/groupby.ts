// groupby: of every block along some axes, and for every label, one value: what the elements with that label come to.
// In: a label for each place along neighbouring axes, attrs.axis and those that follow; and x, where elements count and not
// places alone (fold "count", "firstPlace", "lastPlace" of all places). Out: x with these axes replaced by the blocks along each
// of them, attrs.blocks long, and the labels 0 … attrs.labels − 1. What blocks come to together is for reductions along the
// axes of blocks. attrs.fold says what is done (kernel/routines/groupby.ts), attrs.dtype in what; attrs.skipsNaN leaves NaN out.

import type { Attrs } from "../core/block.ts";
import { type Box, isLength, type Shape, sameShape } from "../core/chunks.ts";
import { type DType, isDType } from "../core/dtype.ts";
import { type DenseType, denseType, type RoutineOp, SEAMLESS } from "../expr/op.ts";
import { FOLDS, type FoldName } from "../kernel/routines/groupFolds.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";

export interface GroupAttrs {
  readonly axis: number;
  /** The length of a block along each axis that has labels. */
  readonly blocks: readonly number[];
  /** Of these axes. */
  readonly lengths: readonly number[];
  readonly labels: number;
  /** So many labels are in one chunk. */
  readonly labelChunk: number;
  readonly dtype: DType;
  readonly fold: FoldName;
  readonly skipsNaN: boolean;
  /** What the user calls the number of labels. */
  readonly limit: "numLabels" | "length";
}

export const groupAttrs = (attrs: Attrs): GroupAttrs => attrs as unknown as GroupAttrs;

/** A list with the entries of the labelled axes replaced by others. */
const replaced = (list: readonly number[], axis: number, count: number, by: readonly number[]): number[] => [
  ...list.slice(0, axis),
  ...by,
  ...list.slice(axis + count),
];

/** No elements are one block of none. */
const blocksAlong = (shape: Shape, { axis, blocks }: GroupAttrs): number[] =>
  blocks.map((block, k) => Math.max(1, Math.ceil(shape[axis + k]! / block)));

function check(inputs: readonly DenseType[], attrs: GroupAttrs): void {
  const { axis, blocks, lengths, labels, labelChunk, dtype, fold } = attrs;
  const [first, places] = [inputs[0]!, inputs.at(-1)!];
  checkCounts("groupby", "blocks", blocks, undefined, 1);
  const isLabelled =
    isLength(axis) &&
    blocks.length > 0 &&
    sameShape(first.shape.slice(axis, axis + blocks.length), places.shape) &&
    sameShape(lengths, places.shape);
  if (!isLabelled) throw wrongAttr("groupby", "axis", axis);
  checkCounts("groupby", "labels", [labels]);
  checkCounts("groupby", "labelChunk", [labelChunk], 1, 1);
  if (!isDType(dtype)) throw wrongAttr("groupby", "dtype", dtype);
  if (!FOLDS.includes(fold)) throw wrongAttr("groupby", "fold", fold);
}

export const groupby: RoutineOp = {
  name: "groupby",
  class: "routine",
  routine: "groupby",
  infer(inputs, attrs) {
    const given = groupAttrs(attrs);
    check(inputs, given);
    const { shape } = inputs[0]!;
    const { axis, blocks, labels, dtype } = given;
    return denseType(dtype, replaced(shape, axis, blocks.length, [...blocksAlong(shape, given), labels]));
  },
  computes: (out) => out,
  demand(out, inputs, attrs) {
    const { axis, blocks } = groupAttrs(attrs);
    const { shape } = inputs[0]!;
    const lengths = blocks.map((_, k) => shape[axis + k]!);
    const from = blocks.map((block, k) => Math.min(lengths[k]!, out.start[axis + k]! * block));
    const count = blocks.map(
      (block, k) => Math.min(lengths[k]!, (out.start[axis + k]! + out.shape[axis + k]!) * block) - from[k]!,
    );
    const of = (list: readonly number[], by: readonly number[]): number[] =>
      replaced(list, axis, blocks.length + 1, by);
    const places: Box = { start: from, shape: count };
    const elements: Box = { start: of(out.start, from), shape: of(out.shape, count) };
    return inputs.length === 1 ? [places] : [elements, places];
  },
  // The last block along an axis may be shorter.
  seams: (_, attrs, { shape }) => {
    const { axis, blocks } = groupAttrs(attrs);
    return shape.map((n, at) =>
      at >= axis && at < axis + blocks.length ? { zones: [[n - 1, n]] } : SEAMLESS,
    );
  },
  chunks: ([x], _, attrs) => {
    const { axis, blocks, labels, labelChunk } = groupAttrs(attrs);
    const along = [...blocks.map(() => 1), Math.max(1, Math.min(labels, labelChunk))];
    return replaced(x!, axis, blocks.length, along);
  },
};
