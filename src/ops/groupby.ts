// groupby: of every block along some axes, and for every label, one value: what the elements with that label come to.
// In: a label for each place along neighbouring axes, attrs.axis and those that follow; and x, where elements count and not
// places alone (fold "count", "firstPlace", "lastPlace" of all places). Out: x with these axes replaced by the blocks along each
// of them, attrs.blocks long, and the labels 0 … attrs.labels − 1. What blocks come to together is for reductions along the
// axes of blocks. attrs.fold says what is done (kernel/routines/groupby.ts), attrs.dtype in what; attrs.skipsNaN leaves NaN out.

import type { Attrs } from "../core/block.ts";
import { type Box, isLength, type Shape, sameShape } from "../core/chunks.ts";
import { type DType, INDEX_DTYPE, isDType } from "../core/dtype.ts";
import { type DenseType, denseType, type RoutineOp } from "../expr/op.ts";
import { SEAMLESS } from "../expr/pieces.ts";
import type { Calculus, Handle, Pullback, Pulled } from "../expr/pullback.ts";
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

/**
 * Each element gets what came back to its block and label. Sums get it as it is; means, moments, products, minima and maxima by how
 * the element takes part; of first and last ones it goes to the element that was found.
 */
const groupPullback: Pullback = (at, use) => {
  const { inputs, attrs, cotangent, result } = at;
  const [x, labels] = inputs as [Handle, Handle];
  const { fold, skipsNaN } = groupAttrs(attrs);
  if (inputs.length === 1) return [null];
  const of = (perLabel: Handle): Handle => elementsOf(perLabel, at, use);
  const kept = (part: Handle, otherwise = 0): Handle =>
    skipsNaN ? use.where(use.isnan(x), otherwise, part) : part;
  const counted = (what: Handle): Handle => use.node("groupby", [what, labels], { ...attrs, fold: "sum" });
  const g = of(use.cast(cotangent, x.dtype));
  switch (fold) {
    case "sum":
      return [kept(g), null];
    case "mean":
    case "moment": {
      const there = skipsNaN ? use.cast(use.logicalNot(use.isnan(x)), x.dtype) : use.filled(x, 1);
      if (fold === "mean") return [kept(use.two("divide", g, of(use.cast(counted(there), x.dtype)))), null];
      const means = use.cast(use.node("groupby", [x, labels], { ...attrs, fold: "mean" }), x.dtype);
      return [kept(use.two("multiply", use.two("multiply", g, 2), use.two("subtract", x, of(means)))), null];
    }
    case "min":
    case "max": {
      const isIt = use.cast(use.two("equal", x, of(use.cast(result, x.dtype))), x.dtype);
      return [use.two("multiply", use.two("divide", g, of(use.cast(counted(isIt), x.dtype))), isIt), null];
    }
    case "prod": {
      const isZero = use.two("equal", x, 0);
      const others = kept(use.where(isZero, 1, x), 1);
      const zeros = of(counted(use.cast(isZero, x.dtype)));
      const product = of(use.cast(use.node("groupby", [others, labels], attrs), x.dtype));
      const isOnly = use.two("equal", use.cast(zeros, x.dtype), use.cast(isZero, x.dtype));
      return [kept(use.two("multiply", g, use.where(isOnly, use.two("divide", product, others), 0))), null];
    }
    case "first":
    case "last": {
      const places = use.node("groupby", inputs, { ...attrs, fold: `${fold}Place`, dtype: INDEX_DTYPE });
      return [use.where(use.two("equal", of(places), placeIn(x, attrs, use)), g, 0), null];
    }
    default:
      // Counts, places and truth.
      return [null, null];
  }
};

/** Where each element stands along the labelled axes, counted through all of them. */
function placeIn(x: Handle, attrs: Attrs, use: Calculus): Handle {
  const { axis, lengths } = groupAttrs(attrs);
  return lengths
    .map((_, k) => use.places(x, axis + k))
    .reduce((place, next, k) => use.two("add", use.two("multiply", place, lengths[k]!), next));
}

/** What each element's block and label have; 0 for elements without a label. */
function elementsOf(perLabel: Handle, { inputs, attrs }: Pulled, use: Calculus): Handle {
  const [x, labels] = inputs as [Handle, Handle];
  const { axis, blocks } = groupAttrs(attrs);
  const places = use.cast(labels, INDEX_DTYPE);
  const block = blocks.map((length, k) => use.two("floorDivide", use.places(places, k), length));
  const isThere = use.two("lessEqual", 0, places);
  const own = Array.from({ length: blocks.length + 1 }, (_, k) => axis + k);
  const found = use.gather(perLabel, own, axis, [...block, use.two("maximum", places, 0)]);
  const others = x.shape.map((_, a) => a).filter((a) => a < axis || a >= axis + blocks.length);
  return use.where(use.expandDims(isThere, others), found, 0);
}

export const groupby: RoutineOp = {
  name: "groupby",
  class: "routine",
  pullback: groupPullback,
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
