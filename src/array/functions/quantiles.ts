// Quantiles, exact, in bounded memory. In: an array, quantiles between 0 and 1, axes, and how to choose between two elements. Out: for every
// quantile the array without those axes. How, array/quantilesOfLines.ts says.

import type { AxisArgument } from "../../core/chunks.ts";
import type { DType, Result } from "../../core/dtype.ts";
import { DISCRETE_METHODS, type QuantileMethod } from "../../kernel/routines/quantilePlaces.ts";
import type { Built } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction, ReduceOptions } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
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

const quantileCall = (name: string, whole: number, skipsNaN: boolean): QuantileFunction =>
  userCall(
    name,
    (x: Operand, q: Quantiles, { method = "linear", ...options }: QuantileOptions = {}): Built => {
      const shaped = asarray(q as Operand);
      const values = valuesOf(q, whole);
      checkMethod(method);
      const lines = linesOf(asLazy(x), options, DISCRETE_METHODS.has(method));
      const found = quantilesOf(lines, { values, method, skipsNaN }, interpolated);
      return reshape(moveaxis(found, -1, 0), [...shaped.shape, ...lines.outer]) as Built;
    },
    [2, "axis", "keepdims", "method"],
  ) as QuantileFunction;

/** The quantiles of an array, exactly; NaN where there is one: `cw.quantile([1, 2, 4], 0.5)` is 2. */
export const quantile: QuantileFunction = quantileCall("quantile", 1, false);
/** The same by percents: `cw.percentile([1, 2, 4], [0, 50])` is [1, 2]. */
export const percentile: QuantileFunction = quantileCall("percentile", 100, false);
/** The quantiles of what is not NaN: `cw.nanquantile([1, NaN, 3], 0.5)` is 2. */
export const nanquantile: QuantileFunction = quantileCall("nanquantile", 1, true);
/** The same by percents: `cw.nanpercentile([1, NaN, 3], 50)` is 2. */
export const nanpercentile: QuantileFunction = quantileCall("nanpercentile", 100, true);

const medianCall = (name: string, skipsNaN: boolean): ArrayFunction<"floating", [options?: ReduceOptions]> =>
  userCall(
    name,
    (x: Operand, options: ReduceOptions = {}): Built => {
      const lines = linesOf(asLazy(x), options, false);
      return reshape(quantilesOf(lines, { ...MIDDLE, skipsNaN }, meanOfBoth), lines.outer) as Built;
    },
    [1, "axis", "keepdims"],
  );

/** The middle of an array, or the mean of the two in the middle; NaN where there is one: `cw.median([1, 4, 2])` is 2. */
export const median: ArrayFunction<"floating", [options?: ReduceOptions]> = medianCall("median", false);
/** The middle of what is not NaN: `cw.nanmedian([1, NaN, 3])` is 2. */
export const nanmedian: ArrayFunction<"floating", [options?: ReduceOptions]> = medianCall("nanmedian", true);
