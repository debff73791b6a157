// groupby: of every block along an axis, and for every label, one value: what the elements with that label come to.
// In: x, and a label for each place along attrs.axis. Out: x with that axis replaced by two: the blocks along it, each
// attrs.block long, and the labels 0 … attrs.labels − 1. What blocks come to together is for reductions along the axis of blocks.
// attrs.fold says what is done (kernel/routines/groupby.ts), attrs.dtype in what.

import type { Attrs } from "../core/block.ts";
import { isLength } from "../core/chunks.ts";
import { type DType, isDType } from "../core/dtype.ts";
import { denseType, type RoutineOp, SEAMLESS } from "../expr/op.ts";
import { FOLDS, type FoldName } from "../kernel/routines/groupby.ts";
import { checkCounts, wrongAttr } from "./attrChecks.ts";

interface GroupAttrs {
  readonly axis: number;
  readonly block: number;
  readonly labels: number;
  readonly dtype: DType;
  readonly fold: FoldName;
}

const groupAttrs = (attrs: Attrs): GroupAttrs => attrs as unknown as GroupAttrs;

/** A list with one entry replaced by two. */
const splitAt = (list: readonly number[], at: number, first: number, second: number): number[] => [
  ...list.slice(0, at),
  ...[first, second],
  ...list.slice(at + 1),
];

export const groupby: RoutineOp = {
  name: "groupby",
  class: "routine",
  routine: "groupby",
  infer([x, places], attrs) {
    const { axis, block, labels, dtype, fold } = groupAttrs(attrs);
    const isLabelled = x!.shape[axis] === places!.shape[0] && places!.shape.length === 1;
    if (!isLength(axis) || !isLabelled) throw wrongAttr("groupby", "axis", axis);
    checkCounts("groupby", "block", [block], 1, 1);
    checkCounts("groupby", "labels", [labels]);
    if (!isDType(dtype)) throw wrongAttr("groupby", "dtype", dtype);
    if (!FOLDS.includes(fold)) throw wrongAttr("groupby", "fold", fold);
    // No elements are one block of none.
    const blocks = Math.max(1, Math.ceil(x!.shape[axis]! / block));
    return denseType(dtype, splitAt(x!.shape, axis, blocks, labels));
  },
  computes(out, type, attrs) {
    const at = groupAttrs(attrs).axis + 1;
    return {
      start: out.start.map((x, axis) => (axis === at ? 0 : x)),
      shape: out.shape.map((n, axis) => (axis === at ? type.shape[at]! : n)),
    };
  },
  demand(out, [x], attrs) {
    const { axis, block } = groupAttrs(attrs);
    const length = x!.shape[axis]!;
    const from = Math.min(length, out.start[axis]! * block);
    const count = Math.min(length, (out.start[axis]! + out.shape[axis]!) * block) - from;
    const without = (list: readonly number[], value: number): number[] => [
      ...list.slice(0, axis),
      value,
      ...list.slice(axis + 2),
    ];
    return [
      { start: without(out.start, from), shape: without(out.shape, count) },
      { start: [from], shape: [count] },
    ];
  },
  // The last block may be shorter.
  seams: (_, attrs, { shape }) =>
    shape.map((n, axis) => (axis === groupAttrs(attrs).axis ? { zones: [[n - 1, n]] } : SEAMLESS)),
  chunks: ([x], _, attrs) => {
    const { axis, labels } = groupAttrs(attrs);
    return splitAt(x!, axis, 1, Math.max(1, labels));
  },
};
