// groupbyReduce: a reduction along one axis, of the elements of each label by themselves. In: an array, and a label for
// each place along the axis. Out: the array with the axis replaced by one place for each label. Each block is reduced
// by labels where it lies; what blocks come to together is a reduction tree like any other.

import { checkScalar } from "../../core/check.ts";
import { checkAxis, checkShape, describe, isLength, shapeText } from "../../core/chunks.ts";
import {
  checkKind,
  type DType,
  isComplex,
  isFloat,
  isInteger,
  type Result,
  toFloating,
} from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { fitScalar, type Scalar } from "../../core/numbers.ts";
import { closest } from "../../core/suggest.ts";
import { chunksOf } from "../../expr/expr.ts";
import type { FoldName } from "../../kernel/routines/groupby.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { accumulatorOf, type ReduceRecord } from "../../ops/define.ts";
import { add, divide, greater, multiply, sqrt, subtract, where } from "../../ops/elementwise/index.ts";
import { groupby } from "../../ops/groupby.ts";
import * as r from "../../ops/reductions.ts";
import { broadcastTo, expandDims, reshape } from "./manipulation.ts";

// biome-ignore format: a list of names
const GROUP_REDUCTIONS = ["sum", "mean", "min", "max", "count", "var", "std", "prod", "any", "all"] as const;
/** What `cw.groupbyReduce` makes of a group: "sum", "mean", "min", "max", "count" and others. */
export type GroupReduction = (typeof GROUP_REDUCTIONS)[number];

/** Options of `cw.groupbyReduce`. */
export interface GroupbyOptions<F extends GroupReduction = GroupReduction> {
  /**
   * What becomes of the elements of a label: "sum", "mean", "min", "max", "count", "var", "std", "prod", "any", "all".
   */
  readonly reduce: F;
  /** The axis that the labels go along. May be left out for 1-d arrays. */
  readonly axis?: number | undefined;
  /** Labels are 0 … numLabels − 1. May be left out where the labels are in memory. */
  readonly numLabels?: number | undefined;
  /** Of "var" and "std": divides by count − correction. */
  readonly correction?: number | undefined;
  /** What labels without elements get. Unless given: 0 for sums, 1 for products, NaN for means, what no element exceeds for min and max. */
  readonly fillValue?: Scalar | undefined;
}

/** By what rule the dtype of each reduction follows. */
interface GroupRules {
  readonly sum: "total";
  readonly prod: "total";
  readonly min: "same";
  readonly max: "same";
  readonly any: "bool";
  readonly all: "bool";
  readonly mean: "floating";
  readonly var: "floating";
  readonly std: "floating";
  readonly count: "index";
}

/**
 * Reduces the elements of each label along an axis: `cw.groupbyReduce(x, [0, 1, 0], {reduce: "mean"})`. Elements with a
 * label below 0 are left out.
 */
export const groupbyReduce: <const A extends Operand, F extends GroupReduction>(
  x: A,
  labels: Operand,
  options: GroupbyOptions<F>,
) => LazyArray<Result<ArrayDType<A>, GroupRules[F]>, OutputsOf<A>> = userCall(
  "groupbyReduce",
  (x: Operand, labels: Operand, options: GroupbyOptions | undefined): Built => {
    const groups = groupsOf(asLazy(x), labels, options ?? ({} as GroupbyOptions));
    const { fillValue } = options!;
    const reduced = REDUCE[options!.reduce](groups, correctionOf(options!));
    if (fillValue === undefined) return reduced as Built;
    const fill = fitScalar(checkScalar(fillValue, "fillValue"), reduced.dtype);
    return castTo(where(greater(counts(groups), 0), reduced, fill), reduced.dtype) as Built;
  },
  [2, "reduce", "axis", "numLabels", "correction", "fillValue"],
);

/** What is to be grouped, checked. */
interface Groups {
  readonly x: LazyArray;
  readonly labels: LazyArray;
  readonly axis: number;
  readonly numLabels: number;
}

function groupsOf(x: LazyArray, given: Operand, { axis, numLabels, reduce }: GroupbyOptions): Groups {
  if (!GROUP_REDUCTIONS.includes(reduce))
    throw new ValueError({
      what: `reduce is ${describe(reduce)}`,
      cure:
        typeof reduce === "string"
          ? closest(reduce, GROUP_REDUCTIONS)
          : `Use one of ${GROUP_REDUCTIONS.join(", ")}`,
    });
  const at = axisOf(x, axis);
  const labels = asLazy(given);
  if (!isInteger(labels.dtype) && labels.size > 0)
    throw new DTypeError({ what: `the labels are ${labels.dtype}`, cure: "Labels are integers" });
  if (labels.ndim !== 1 || labels.shape[0] !== x.shape[at])
    throw new ShapeError({
      what: `the labels have shape ${shapeText(labels.shape)} and axis ${at} of the array has ${x.shape[at]} places`,
      cure: "Give one label for each place along the axis",
    });
  return { x, labels, axis: at, numLabels: countOf(numLabels, given, labels) };
}

function axisOf(x: LazyArray, axis: number | undefined): number {
  if (axis !== undefined) return checkAxis(axis, x.ndim);
  if (x.ndim === 1) return 0;
  throw new ValueError({
    what: `the array has ${x.ndim} axes and it is not said which one the labels go along`,
    cure: "Pass axis",
  });
}

function countOf(numLabels: unknown, given: Operand, labels: LazyArray): number {
  if (isLength(numLabels)) return checkShape([numLabels])[0]!;
  if (numLabels !== undefined || given instanceof LazyArray)
    throw new ValueError({
      what: `numLabels is ${describe(numLabels)}`,
      cure: "Give a whole number of 0 or more: labels are below it. Lazy labels are not looked at before they are computed",
    });
  let most = -1;
  for (const label of labels.computeSync()) most = Math.max(most, Number(label));
  return checkShape([most + 1])[0]!;
}

function correctionOf({ correction = 0 }: GroupbyOptions): number {
  if (typeof correction === "number" && !Number.isNaN(correction)) return correction;
  throw new ValueError({ what: `correction is ${describe(correction)}`, cure: "It must be a number" });
}

/** What each block comes to, for each label: the axis becomes one of blocks and one of labels. */
function partial(
  x: LazyArray,
  { labels, axis, numLabels }: Omit<Groups, "x">,
  fold: FoldName,
  dtype: DType,
): LazyArray {
  const block = chunksOf(x.expr)[axis]!;
  return node(groupby, [x, labels], { fold, axis, block, labels: numLabels, dtype });
}

const overBlocks = (op: ReduceRecord, states: LazyArray, axis: number): LazyArray =>
  node(op, [states], { axes: [axis], keepdims: false });

/** Floats are added up in double precision. */
function wide(dtype: DType): DType {
  if (isFloat(dtype)) return "float64";
  return isComplex(dtype) ? "complex128" : accumulatorOf(dtype);
}

/** Reduced in a wider dtype, and given in the one that the plain reduction gives. */
function accumulated(groups: Groups, fold: "sum" | "prod", op: ReduceRecord, as: DType): LazyArray {
  const x = isInteger(groups.x.dtype) ? castTo(groups.x, wide(groups.x.dtype)) : groups.x;
  return castTo(overBlocks(op, partial(x, groups, fold, wide(x.dtype)), groups.axis), as);
}

const extreme =
  (op: ReduceRecord, fold: "min" | "max"): Reduce =>
  (groups) => {
    checkKind(op.accepts, groups.x.dtype);
    return overBlocks(op, partial(groups.x, groups, fold, groups.x.dtype), groups.axis);
  };

const truth =
  (op: ReduceRecord, fold: "any" | "all"): Reduce =>
  (groups) =>
    overBlocks(op, partial(castTo(groups.x, "bool"), groups, fold, "bool"), groups.axis);

const total =
  (op: ReduceRecord, fold: "sum" | "prod"): Reduce =>
  (groups) => {
    checkKind(op.accepts, groups.x.dtype);
    return accumulated(groups, fold, op, accumulatorOf(groups.x.dtype));
  };

type Reduce = (groups: Groups, correction: number) => LazyArray;

/** For each block and label how many places there are, as a float64: of the labels alone, whatever x is. */
function blockCounts({ x, labels, numLabels, axis }: Groups): LazyArray {
  const block = chunksOf(x.expr)[axis]!;
  return node(groupby, [labels, labels], {
    fold: "count",
    axis: 0,
    block,
    labels: numLabels,
    dtype: "float64",
  });
}

/** Beside an array whose axis of labels is followed by others. */
function beside(perLabel: LazyArray, { x, axis }: Groups): LazyArray {
  const others = x.ndim - axis - 1;
  return reshape(perLabel, [...perLabel.shape, ...new Array<number>(others).fill(1)]);
}

const counts = (groups: Groups): LazyArray => beside(overBlocks(r.sum, blockCounts(groups), 0), groups);

const floatCounts = (groups: Groups, dtype: DType): LazyArray => castTo(counts(groups), dtype);

const mean: Reduce = (groups) => {
  const { x } = groups;
  const dtype = toFloating(checkKind("numeric", x.dtype));
  const sums = accumulated({ ...groups, x: castTo(x, dtype) }, "sum", r.sum, wide(dtype));
  return castTo(divide(sums, floatCounts(groups, wide(dtype))), dtype);
};

/**
 * Chan's combination of blocks: M₂ = Σ M₂ᵦ + Σ nᵦ·(meanᵦ − mean)², with the mean of all Σ nᵦ·meanᵦ / n. The deviations
 * within a block are from the block's own mean, so that data far from zero lose no digits.
 */
function variance(groups: Groups, correction: number): LazyArray {
  const { axis } = groups;
  const dtype = toFloating(checkKind("real", groups.x.dtype));
  const x = castTo(groups.x, dtype);
  const sizes = beside(blockCounts(groups), groups);
  const means = partial(x, groups, "mean", "float64");
  const n = counts(groups);
  const all = divide(overBlocks(r.sum, multiply(means, sizes), axis), n);
  const apart = subtract(means, expandDims(all, { axis }));
  const between = overBlocks(r.sum, multiply(multiply(apart, apart), sizes), axis);
  const within = overBlocks(r.sum, partial(x, groups, "moment", "float64"), axis);
  const left = subtract(n, correction);
  const divisor = where(greater(left, 0), left, Number.NaN);
  return castTo(divide(add(within, between), divisor), dtype);
}

const REDUCE: { readonly [R in GroupReduction]: Reduce } = {
  sum: total(r.sum, "sum"),
  prod: total(r.prod, "prod"),
  min: extreme(r.min, "min"),
  max: extreme(r.max, "max"),
  any: truth(r.any, "any"),
  all: truth(r.all, "all"),
  mean,
  var: variance,
  std: (groups, correction) => sqrt(variance(groups, correction)),
  count: (groups) => {
    const { x, axis, numLabels } = groups;
    const shape = x.shape.map((n, at) => (at === axis ? numLabels : n));
    return broadcastTo(castTo(counts(groups), "int64"), shape);
  },
};
