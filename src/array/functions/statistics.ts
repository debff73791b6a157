// Statistics, searching and truth tests: reductions and scans.

import { type DType, isComplex } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import type { ResultRule } from "../../core/results.ts";
import {
  type AxisArgument,
  checkAxes,
  checkAxis,
  checkInteger,
  describe,
  shapeText,
} from "../../core/shape.ts";
import { makeExpr } from "../../expr/expr.ts";
import type { ScanOp } from "../../expr/op.ts";
import { checkKind, toFloating } from "../../ops/kinds.ts";
import { concat as concatOp } from "../../ops/moves/select.ts";
import * as r from "../../ops/reductions.ts";
import { argsort as argsortOp, searchsorted as searchsortedOp, sort as sortOp } from "../../ops/routines.ts";
import * as scans from "../../ops/scans.ts";
import { type Built, built, castTo, checkDType, node, partAlong, promoteOperands } from "../build.ts";
import { userCall } from "../call.ts";
import type { ArrayFunction, DTypeOption, GuidedFunction, TotalFunction } from "../functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../operandTypes.ts";
import { full } from "./creation.ts";
import { equal, logicalNot, minimum, notEqual, sqrt, subtract } from "./elementwise.ts";
import { take } from "./indexing.ts";
import { concat } from "./joining.ts";
import { expandDims, reshape } from "./manipulation.ts";

export interface ReduceOptions {
  /** One axis, several, or all of them. */
  readonly axis?: AxisArgument;
  readonly keepdims?: boolean | undefined;
}
/** `dtype` is the one to add up in; small integers add up in 64 bits unless said. */
export interface SumOptions extends ReduceOptions, DTypeOption {}
export interface VarianceOptions extends ReduceOptions {
  /** Divides by count − correction: 0 for the population, 1 for a sample. */
  readonly correction?: number | undefined;
}

/** A reduction over axes whose result has a dtype by a rule. */
export type ReduceFunction<R extends ResultRule, Options = ReduceOptions> = ArrayFunction<
  R,
  [options?: Options]
>;

function reduce(
  op: r.ReduceFunction,
  x: LazyArray,
  options: ReduceOptions,
  extra: { readonly correction?: number } = {},
): Built {
  checkKind(op.accepts, x.dtype);
  const axes = checkAxes(options.axis, x.ndim);
  return node(op, [x], { axes, keepdims: options.keepdims === true, ...extra });
}

const plainReduction = <R extends ResultRule>(op: r.ReduceFunction<R>): ReduceFunction<R> =>
  userCall(op.name, (x: Operand, options: ReduceOptions = {}): Built => reduce(op, asLazy(x), options), [
    1,
    "axis",
    "keepdims",
  ]);

const accumulating = (op: r.ReduceFunction): TotalFunction<ReduceOptions> =>
  userCall(
    op.name,
    (x: Operand, options: SumOptions = {}): Built => {
      const array = asLazy(x);
      return reduce(op, castTo(array, accumulator(array, op.accepts, options.dtype)), options);
    },
    [1, "axis", "keepdims", "dtype"],
  );

function accumulator(
  x: LazyArray,
  accepts: r.ReduceFunction["accepts"],
  dtype: DType | null | undefined,
): DType {
  if (dtype !== undefined && dtype !== null) return checkDType(dtype);
  checkKind(accepts, x.dtype);
  return r.accumulatorOf(x.dtype);
}

/** Σx; small integers add up in 64 bits: `cw.sum(x, {axis: 0})`. */
export const sum: TotalFunction<ReduceOptions> = accumulating(r.sum);
/** The product; small integers in 64 bits: `cw.prod(x, {axis: 0})`. */
export const prod: TotalFunction<ReduceOptions> = accumulating(r.prod);
/** The largest; NaN where there is one: `cw.max(x, {axis: 0})`. */
export const max: ReduceFunction<"same"> = plainReduction(r.max);
/** The smallest; NaN where there is one: `cw.min(x, {axis: 0})`. */
export const min: ReduceFunction<"same"> = plainReduction(r.min);
/** Is any not zero: `cw.any(x.greater(3))`. */
export const any: ReduceFunction<"bool"> = plainReduction(r.any);
/** Are all not zero: `cw.all(x.greater(3))`. */
export const all: ReduceFunction<"bool"> = plainReduction(r.all);
/** How many are not zero: `cw.countNonzero(x, {axis: 0})`. */
export const countNonzero: ReduceFunction<"index"> = plainReduction(r.countNonzero);

/** Σx / n: `cw.mean(x, {axis: 0})`. */
export const mean: ReduceFunction<"floating"> = userCall(
  "mean",
  (x: Operand, options: ReduceOptions = {}): Built => {
    const array = asLazy(x);
    return reduce(r.mean, castTo(array, toFloating(checkKind("numeric", array.dtype))), options);
  },
  [1, "axis", "keepdims"],
);

function varianceOf(x: Operand, options: VarianceOptions): Built {
  const array = asLazy(x);
  const { correction = 0 } = options;
  if (typeof correction !== "number" || Number.isNaN(correction)) {
    throw new ValueError({ what: `correction is ${describe(correction)}`, cure: "It must be a number" });
  }
  return reduce(r.variance, castTo(array, toFloating(checkKind("real", array.dtype))), options, {
    correction,
  });
}

/** Σ(x − mean)² / (n − correction), in one stable pass: `cw.var(x, {axis: 0, correction: 1})`. */
const variance: ReduceFunction<"floating", VarianceOptions> = userCall(
  "var",
  (x: Operand, options: VarianceOptions = {}) => varianceOf(x, options),
  [1, "axis", "keepdims", "correction"],
);

export { variance as var };
/** The square root of the variance: `cw.std(x, {axis: 0, correction: 1})`. */
export const std: ReduceFunction<"floating", VarianceOptions> = userCall(
  "std",
  (x: Operand, options: VarianceOptions = {}) => sqrt(varianceOf(x, options)) as Built,
  [1, "axis", "keepdims", "correction"],
);

export interface ArgOptions {
  readonly axis?: number | null | undefined;
  readonly keepdims?: boolean | undefined;
}
const argReduction = (op: r.ReduceFunction): ReduceFunction<"index", ArgOptions> =>
  userCall(op.name, (x: Operand, options: ArgOptions = {}): Built => reduce(op, asLazy(x), options), [
    1,
    "axis",
    "keepdims",
  ]);
/** The place of the largest along an axis, or its row-major place in the whole array: `cw.argmax(x, {axis: 0})`. */
export const argmax: ReduceFunction<"index", ArgOptions> = argReduction(r.argmax);
/** The place of the smallest along an axis, or its row-major place in the whole array: `cw.argmin(x, {axis: 0})`. */
export const argmin: ReduceFunction<"index", ArgOptions> = argReduction(r.argmin);

export interface ScanOptions {
  /** May be left out for 1-d arrays. */
  readonly axis?: number | null | undefined;
  /** Begins with the total of nothing. */
  readonly includeInitial?: boolean | undefined;
}
/** `dtype` is the one to add up in. */
export interface CumulativeOptions extends ScanOptions, DTypeOption {}

const cumulative = (op: ScanOp): TotalFunction<ScanOptions> =>
  userCall(
    op.name,
    (x: Operand, options: CumulativeOptions = {}): Built => {
      const array = asLazy(x);
      const axis = soleAxis(array, options.axis);
      const summed = castTo(array, accumulator(array, "numeric", options.dtype));
      const totals = node(op, [summed], { axis });
      if (options.includeInitial !== true) return totals;
      const shape = array.shape.map((n, a) => (a === axis ? 1 : n));
      const initial = full(shape, op.identity, { dtype: totals.dtype, chunks: "all" });
      return node(concatOp, [initial, totals], { axis });
    },
    [1, "axis", "dtype", "includeInitial"],
  );

function soleAxis(x: LazyArray, axis: number | null | undefined): number {
  if (axis !== undefined && axis !== null) return checkAxis(axis, x.ndim);
  if (x.ndim === 1) return 0;
  throw new ShapeError({
    what: `the array has ${x.ndim} dimensions and no axis is named`,
    cure: "Say which axis: {axis: 0}",
  });
}

/** The sum up to each place along an axis: `cw.cumulativeSum(x, {axis: 0})`. */
export const cumulativeSum: TotalFunction<ScanOptions> = cumulative(scans.cumulativeSum);
/** The product up to each place along an axis: `cw.cumulativeProd(x, {axis: 0})`. */
export const cumulativeProd: TotalFunction<ScanOptions> = cumulative(scans.cumulativeProd);

export interface DiffOptions {
  readonly axis?: number | undefined;
  /** How many times. */
  readonly n?: number | undefined;
  readonly prepend?: Operand | null | undefined;
  readonly append?: Operand | null | undefined;
}

const MOST_DIFFERENCES = 1000;

type PlainDiffOptions = Omit<DiffOptions, "prepend" | "append"> & {
  readonly prepend?: null | undefined;
  readonly append?: null | undefined;
};

/** What stands before or after may be of a higher dtype. */
interface DiffFunction {
  <const A extends Operand>(x: A, options?: PlainDiffOptions): LazyArray<ArrayDType<A>, OutputsOf<A>>;
  <const A extends Operand>(x: A, options: DiffOptions): LazyArray<DType, OutputsOf<A>>;
  readonly "~method"?: {
    <D extends DType, O>(this: LazyArray<D, O>, options?: PlainDiffOptions): LazyArray<D, O>;
    <O>(this: LazyArray<DType, O>, options: DiffOptions): LazyArray<DType, O>;
  };
}

/** x[i + 1] − x[i] along an axis, n times: `cw.diff([1, 4, 9])` is [3, 5]. */
export const diff: DiffFunction = userCall(
  "diff",
  (x: Operand, options: DiffOptions = {}): Built => {
    const { n = 1 } = options;
    const axis = checkAxis(options.axis ?? -1, asLazy(x).ndim);
    if (checkInteger(n, "n") < 0) throw new ValueError({ what: `n is ${n}`, cure: "It must be 0 or more" });
    if (n > MOST_DIFFERENCES) {
      throw new ValueError({
        what: `n is ${n}`,
        cure: `Differences are taken at most ${MOST_DIFFERENCES} times`,
      });
    }
    const parts = [options.prepend, x, options.append].filter(
      (part): part is Operand => part !== undefined && part !== null,
    );
    let result = parts.length === 1 ? asLazy(x) : concat(parts, { axis });
    for (let i = 0; i < n && result.shape[axis]! > 0; i++) result = differences(result, axis);
    return result as Built;
  },
  [1, "axis", "n", "prepend", "append"],
);

function differences(x: LazyArray, axis: number): LazyArray {
  const part = (from: number): LazyArray => partAlong(x, axis, from, x.shape[axis]! - 1);
  return x.dtype === "bool" ? notEqual(part(1), part(0)) : subtract(part(1), part(0));
}

export interface SearchsortedOptions {
  readonly side?: "left" | "right" | undefined;
  /** Places that sort the first array, as argsort gives them. */
  readonly sorter?: Operand | null | undefined;
}

/** Where each element of x2 would go into the sorted 1-d array x1: `cw.searchsorted([1, 3], [2])` is [1]. */
export const searchsorted: GuidedFunction<"index", [options?: SearchsortedOptions]> = userCall(
  "searchsorted",
  (x1: Operand, x2: Operand, { side = "left", sorter }: SearchsortedOptions = {}): Built => {
    if (side !== "left" && side !== "right")
      throw new ValueError({ what: `side is ${describe(side)}`, cure: 'Use "left" or "right"' });
    const sorted = sorter === undefined || sorter === null ? x1 : take(x1, sorter, { axis: 0 });
    const { exprs, parents } = promoteOperands([sorted, x2], (dtype) => checkKind("realOrBool", dtype));
    return built(makeExpr(searchsortedOp, exprs, { side }), parents);
  },
  [2, "side", "sorter"],
);

export interface SortOptions {
  readonly axis?: number | undefined;
  readonly descending?: boolean | undefined;
  /** Sorting is always stable. */
  readonly stable?: boolean | undefined;
}

const sorting = <R extends ResultRule>(op: typeof sortOp): ReduceFunction<R, SortOptions> =>
  userCall(
    op.name,
    (x: Operand, { axis = -1, descending = false }: SortOptions = {}): Built => {
      const array = asLazy(x);
      if (array.ndim === 0)
        throw new ShapeError({
          what: "a 0-d array cannot be sorted",
          cure: `It has shape ${shapeText(array.shape)}`,
        });
      return node(op, [array], { axis: checkAxis(axis, array.ndim), descending });
    },
    [1, "axis", "descending", "stable"],
  );
/** In order along an axis: `cw.sort(x, {axis: 0, descending: true})`. */
export const sort: ReduceFunction<"same", SortOptions> = sorting(sortOp);
/** The places that sort an axis, as takeAlongAxis takes them: `cw.argsort(x, {axis: 1})`. */
export const argsort: ReduceFunction<"index", SortOptions> = sorting(argsortOp);

export interface IsinOptions {
  /** Tells which are not in x2. */
  readonly invert?: boolean | undefined;
}

/** Is each element of x1 among those of x2? NaN is in nothing: `cw.isin([1, 2], [2, 3])` is [false, true]. */
export const isin: GuidedFunction<"bool", [options?: IsinOptions]> = userCall(
  "isin",
  (x1: Operand, x2: Operand, { invert = false }: IsinOptions = {}): Built => {
    const { exprs, parents, dtype } = promoteOperands([asLazy(x1), asLazy(x2)], (promoted) => promoted);
    const x = built(exprs[0]!, parents);
    const among = reshape(built(exprs[1]!, parents), [-1]);
    if (among.size === 0) return full(x.shape, invert, { chunks: x.chunks }) as Built;
    const found = isComplex(dtype) ? isinUnordered(x, among) : isinOrdered(x, among);
    return (invert ? logicalNot(found) : found) as Built;
  },
  [2, "invert"],
);

/** By bisection. The last place is as good as one beyond it: what would go there is larger than all. */
function isinOrdered(x: LazyArray, among: LazyArray): LazyArray {
  const sorted = sort(among);
  return equal(take(sorted, minimum(searchsorted(sorted, x), sorted.size - 1)), x);
}

/** Complex numbers have no order: each is compared with all. */
const isinUnordered = (x: LazyArray, among: LazyArray): LazyArray =>
  any(equal(expandDims(x, { axis: -1 }), among), { axis: -1 });
