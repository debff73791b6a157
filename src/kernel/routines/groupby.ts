// groupby: what the elements of each label come to, block by block along an axis. In: x and the labels along the axis.
// Out: for each block and label one value (ops/groupby.ts). Labels below 0 are left out. Floats are folded in doubles.
// Must hold: a label without elements has the value that changes nothing, so that blocks can be folded in any order.

import { type Block, subBlock } from "../../core/block.ts";
import { type Shape, sizeOf } from "../../core/chunks.ts";
import { allocate, type DType, infoOf, isFloat, isWide, type TypedArray } from "../../core/dtype.ts";
import { integerRange } from "../../core/numbers.ts";
import { type Routine, Trap } from "../routine.ts";
import type { Room } from "./room.ts";
import { fromContiguous, toContiguous } from "./stridedWalk.ts";

export const FOLDS = ["sum", "prod", "min", "max", "any", "all", "count", "mean", "moment"] as const;
export type FoldName = (typeof FOLDS)[number];

/** Elements of one block: `outer` times a row of `length` places, each `inner` slots long. */
interface Rows {
  readonly data: TypedArray;
  readonly outer: number;
  readonly length: number;
  readonly inner: number;
  readonly labels: Int32Array;
  readonly groups: number;
}

/** Takes `count` slots of x from `from` on into the groups' slots from `at` on. */
type Fold = (groups: Values, at: number, x: Values, from: number, count: number) => void;
/** Numbers and BigInts are never mixed: both sides are of one kind. */
type Values = Float64Array;

export const groupby: Routine = ({ inputs: [x, labels], outputs: [output], attrs, starts, room }) => {
  const axis = attrs["axis"] as number;
  const block = attrs["block"] as number;
  const fold = attrs["fold"] as FoldName;
  const groups = attrs["labels"] as number;
  const places = labelsOf(labels!, groups, starts[1]![0]!, room);
  const length = x!.shape[axis]!;
  for (let i = 0; i < output!.shape[axis]!; i++) {
    const from = Math.min(length, i * block);
    const count = Math.min(length, from + block) - from;
    const part = subBlock(x!, at(x!.shape, axis, from, 0), at(x!.shape, axis, count));
    const rows = rowsOf(part, axis, places.subarray(from, from + count), groups, room);
    const target = subBlock(output!, at(output!.shape, axis, i, 0), at(output!.shape, axis, 1));
    fromContiguous(folded(rows, fold, output!.dtype), target);
  }
};

/** The list with `value` at one place, and `others` (or what they are) elsewhere. */
const at = (list: Shape, axis: number, value: number, others?: number): number[] =>
  list.map((x, a) => (a === axis ? value : (others ?? x)));

function labelsOf(labels: Block, groups: number, start: number, room?: Room): Int32Array {
  const given = toContiguous(labels, room);
  const places = new Int32Array(given.length);
  for (let i = 0; i < given.length; i++) {
    const label = Number(given[i]);
    if (label >= groups)
      throw new Trap(
        `the label ${given[i]} at place ${start + i} is not below numLabels, which is ${groups}`,
        "Give a larger numLabels, or labels below 0 for what is to be left out",
      );
    places[i] = Math.max(-1, label);
  }
  return places;
}

function rowsOf(part: Block, axis: number, labels: Int32Array, groups: number, room?: Room): Rows {
  const { shape, dtype } = part;
  return {
    data: toContiguous(part, room),
    outer: sizeOf(shape.slice(0, axis)),
    length: shape[axis]!,
    inner: sizeOf(shape.slice(axis + 1)) * infoOf(dtype).slots,
    labels,
    groups,
  };
}

function folded(rows: Rows, fold: FoldName, dtype: DType): TypedArray {
  const { outer, groups, inner } = rows;
  const { slots } = infoOf(dtype);
  const result = allocate(dtype, (outer * groups * inner) / slots);
  const values = result as Values;
  if (fold === "mean") meansInto(rows, values);
  else if (fold === "moment") momentsInto(rows, values);
  else {
    start(result, fold, dtype);
    foldInto(rows, values, foldOf(fold, dtype));
  }
  return result;
}

function foldInto({ data, outer, length, inner, labels, groups }: Rows, result: Values, fold: Fold): void {
  for (let o = 0; o < outer; o++)
    for (let i = 0; i < length; i++) {
      const group = labels[i]!;
      if (group < 0) continue;
      fold(result, (o * groups + group) * inner, data as Values, (o * length + i) * inner, inner);
    }
}

/** Fills with what changes nothing. */
function start(result: TypedArray, fold: PlainFold, dtype: DType): void {
  if (fold === "sum" || fold === "count" || fold === "any") return;
  if (fold === "prod" && infoOf(dtype).slots === 2) {
    for (let i = 0; i < result.length; i += 2) result[i] = 1;
    return;
  }
  const value = fold === "min" || fold === "max" ? extremeOf(fold, dtype) : 1;
  result.fill((isWide(dtype) ? BigInt(value) : Number(value)) as never);
}

function extremeOf(fold: "min" | "max", dtype: DType): number | bigint {
  if (dtype === "bool") return fold === "min" ? 1 : 0;
  if (isFloat(dtype)) return fold === "min" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return integerRange(dtype)[fold === "min" ? 1 : 0];
}

type PlainFold = Exclude<FoldName, "mean" | "moment">;

function foldOf(fold: PlainFold, dtype: DType): Fold {
  if (fold === "prod" && infoOf(dtype).slots === 2) return complexProduct;
  if (isWide(dtype) && (fold === "min" || fold === "max")) return WIDE[fold];
  return PLAIN[fold];
}

/** NaN stays and −0 is smaller than 0, as Math.min and Math.max have it. */
const PLAIN: { readonly [F in PlainFold]: Fold } = {
  sum(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! += x[from + j]!;
  },
  prod(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! *= x[from + j]!;
  },
  min(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j] = Math.min(groups[at + j]!, x[from + j]!);
  },
  max(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j] = Math.max(groups[at + j]!, x[from + j]!);
  },
  any(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! |= x[from + j]!;
  },
  all(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) groups[at + j]! &= x[from + j]!;
  },
  /** What x holds does not matter. */
  count(groups, at, _, __, count) {
    for (let j = 0; j < count; j++) groups[at + j]! += 1;
  },
};

/** BigInts have no Math.min. */
const WIDE: { readonly [F in "min" | "max"]: Fold } = {
  min(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) if (x[from + j]! < groups[at + j]!) groups[at + j] = x[from + j]!;
  },
  max(groups, at, x, from, count) {
    for (let j = 0; j < count; j++) if (x[from + j]! > groups[at + j]!) groups[at + j] = x[from + j]!;
  },
};

const complexProduct: Fold = (groups, at, x, from, count) => {
  for (let j = 0; j < count; j += 2) {
    const [re, im] = [groups[at + j]!, groups[at + j + 1]!];
    const [xRe, xIm] = [x[from + j]!, x[from + j + 1]!];
    groups[at + j] = re * xRe - im * xIm;
    groups[at + j + 1] = re * xIm + im * xRe;
  }
};

/** Σx / n of each group; 0 where there is nothing. */
function meansInto(rows: Rows, means: Values): void {
  foldInto(rows, means, PLAIN.sum);
  divideByCounts(rows, means);
}

function divideByCounts(rows: Rows, values: Values): void {
  const { groups, inner, outer } = rows;
  const counts = countsOf(rows);
  for (let o = 0; o < outer; o++)
    for (let group = 0; group < groups; group++) {
      const n = Math.max(1, counts[group]!);
      const first = (o * groups + group) * inner;
      for (let j = first; j < first + inner; j++) values[j]! /= n;
    }
}

function countsOf({ labels, groups }: Rows): Float64Array {
  const counts = new Float64Array(groups);
  for (const group of labels) if (group >= 0) counts[group]! += 1;
  return counts;
}

/** Σ(x − mean)² of each group, less (Σ(x − mean))² / n: what the mean's rounding would add. */
function momentsInto(rows: Rows, moments: Values): void {
  const means = new Float64Array(moments.length);
  const rests = new Float64Array(moments.length);
  meansInto(rows, means);
  foldInto(rows, moments, (groups, at, x, from, count) => {
    for (let j = 0; j < count; j++) {
      const apart = x[from + j]! - means[at + j]!;
      groups[at + j]! += apart * apart;
      rests[at + j]! += apart;
    }
  });
  means.set(rests);
  divideByCounts(rows, means);
  for (let i = 0; i < moments.length; i++) moments[i]! -= rests[i]! * means[i]!;
}
