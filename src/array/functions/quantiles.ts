// Quantiles in bounded memory, exact unless it is said that they need not be. In: an array, quantiles between 0 and 1, axes, and how to choose between two elements. Out: for every
// quantile the array without those axes. How, array/quantilesOfLines.ts says.

import type { Attrs } from "../../core/block.ts";
import { type AxisArgument, checkAxes, describe } from "../../core/chunks.ts";
import { checkKind, type DType, type Result, toFloating } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { DISCRETE_METHODS, type QuantileMethod } from "../../kernel/routines/quantilePlaces.ts";
import type { Built } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction, ReduceOptions } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { isUnsettled, laterCall } from "../later.ts";
import {
  checkMethod,
  interpolated,
  linesOf,
  MIDDLE,
  meanOfBoth,
  type Quantiles,
  quantilesOf,
  valuesOf,
} from "../quantilesOfLines.ts";
import { asarray } from "./creation.ts";
import { moveaxis, reshape } from "./manipulation.ts";

export type { QuantileMethod };

/** Options of `cw.quantile` and its kin. */
export interface QuantileOptions<M extends QuantileMethod = QuantileMethod> {
  /** One axis, several, or all of them. */
  readonly axis?: AxisArgument;
  /** Leaves an axis of one in the place of each that is gone. */
  readonly keepdims?: boolean | undefined;
  /** How to choose between two elements: NumPy's thirteen methods. "linear" unless given. */
  readonly method?: M | undefined;
  /** Of lines of more than 16 MB: one pass over the array, and ranks that are off by up to a thousandth of its elements. */
  readonly approximate?: boolean | undefined;
}

/** Options of `cw.median`. */
export interface MedianOptions extends ReduceOptions {
  /** Of lines of more than 16 MB: one pass over the array, and ranks that are off by up to a thousandth of its elements. */
  readonly approximate?: boolean | undefined;
}

type Discrete = "inverted_cdf" | "closest_observation" | "lower" | "higher" | "nearest";
type QuantileResult<D extends DType, M extends QuantileMethod> = [M] extends [Discrete]
  ? D
  : Result<D, "floating">;

interface QuantileFunction {
  <const A extends Operand, M extends QuantileMethod = "linear">(
    x: A,
    q: Quantiles,
    options?: QuantileOptions<M>,
  ): LazyArray<QuantileResult<ArrayDType<A>, M>, OutputsOf<A>>;
  readonly "~method"?: <D extends DType, O, M extends QuantileMethod = "linear">(
    this: LazyArray<D, O>,
    q: Quantiles,
    options?: QuantileOptions<M>,
  ) => LazyArray<QuantileResult<D, M>, O>;
}

/** A call as attributes: it may have to wait until lengths are known. */
interface QuantileCall {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
  readonly method: QuantileMethod;
  readonly approximate: boolean;
  readonly skipsNaN: boolean;
  readonly values: readonly number[];
  /** Of the quantiles. */
  readonly shape: readonly number[];
}

function checkApproximate(approximate: unknown): void {
  if (typeof approximate !== "boolean")
    throw new ValueError({ what: `approximate is ${describe(approximate)}`, cure: "Use true or false" });
}

function quantilesAlong(array: LazyArray, { axes, keepdims, shape, ...asked }: QuantileCall): LazyArray {
  const lines = linesOf(array, { axis: axes, keepdims }, DISCRETE_METHODS.has(asked.method));
  const found = quantilesOf(lines, asked, interpolated);
  return reshape(moveaxis(found, -1, 0), [...shape, ...lines.outer]);
}

function mediansAlong(array: LazyArray, { axes, keepdims, shape, ...asked }: QuantileCall): LazyArray {
  const lines = linesOf(array, { axis: axes, keepdims }, false);
  return reshape(quantilesOf(lines, asked, meanOfBoth), lines.outer);
}

const LATER = {
  quantiles: laterCall("quantile", (x, attrs) => quantilesAlong(x, attrs as unknown as QuantileCall)),
  medians: laterCall("median", (x, attrs) => mediansAlong(x, attrs as unknown as QuantileCall)),
};

/** Now, or when the array's lengths are known. */
function nowOrLater(array: LazyArray, kind: keyof typeof LATER, call: QuantileCall): Built {
  if (!isUnsettled(array))
    return (kind === "medians" ? mediansAlong(array, call) : quantilesAlong(array, call)) as Built;
  checkKind("realOrBool", array.dtype);
  const { axes, keepdims, shape, method } = call;
  const dtype = DISCRETE_METHODS.has(method) ? array.dtype : toFloating(array.dtype);
  const outer = array.expr.shape.flatMap((n, a) => (axes.includes(a) ? (keepdims ? [1] : []) : [n]));
  return LATER[kind](array, dtype, [...shape, ...outer], call as unknown as Attrs);
}

const quantileCall = (name: string, whole: number, skipsNaN: boolean): QuantileFunction =>
  userCall(
    name,
    (x: Operand, q: Quantiles, options: QuantileOptions = {}): Built => {
      const { method = "linear", approximate = false, axis, keepdims = false } = options;
      const { shape } = asarray(q as Operand);
      const values = valuesOf(q, whole);
      checkMethod(method);
      checkApproximate(approximate);
      const array = asLazy(x);
      const axes = checkAxes(axis, array.ndim);
      const call = { axes, keepdims, method, approximate, skipsNaN, values, shape: [...shape] };
      return nowOrLater(array, "quantiles", call);
    },
    [2, "axis", "keepdims", "method", "approximate"],
  ) as QuantileFunction;

/** The quantiles of an array, exactly; NaN where there is one: `cw.quantile([1, 2, 4], 0.5)` is 2. */
export const quantile: QuantileFunction = quantileCall("quantile", 1, false);
/** The same by percents: `cw.percentile([1, 2, 4], [0, 50])` is [1, 2]. */
export const percentile: QuantileFunction = quantileCall("percentile", 100, false);
/** The quantiles of what is not NaN: `cw.nanquantile([1, NaN, 3], 0.5)` is 2. */
export const nanquantile: QuantileFunction = quantileCall("nanquantile", 1, true);
/** The same by percents: `cw.nanpercentile([1, NaN, 3], 50)` is 2. */
export const nanpercentile: QuantileFunction = quantileCall("nanpercentile", 100, true);

const medianCall = (name: string, skipsNaN: boolean): ArrayFunction<"floating", [options?: MedianOptions]> =>
  userCall(
    name,
    (x: Operand, { axis, keepdims = false, approximate = false }: MedianOptions = {}): Built => {
      checkApproximate(approximate);
      const array = asLazy(x);
      const axes = checkAxes(axis, array.ndim);
      const call = { ...MIDDLE, axes, keepdims, approximate, skipsNaN, shape: [] };
      return nowOrLater(array, "medians", call);
    },
    [1, "axis", "keepdims", "approximate"],
  );

/** The middle of an array, or the mean of the two in the middle; NaN where there is one: `cw.median([1, 4, 2])` is 2. */
export const median: ArrayFunction<"floating", [options?: MedianOptions]> = medianCall("median", false);
/** The middle of what is not NaN: `cw.nanmedian([1, NaN, 3])` is 2. */
export const nanmedian: ArrayFunction<"floating", [options?: MedianOptions]> = medianCall("nanmedian", true);
