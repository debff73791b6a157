// Reductions that leave NaN out, as NumPy's: what is left is reduced; nothing left is NaN (0 for sums, 1 for products).

import { type DType, isComplex, isFloat } from "../../core/dtype.ts";
import type { Built } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction, DTypeOption, ReduceOptions, TotalFunction } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { divide, isnan, logicalNot, where } from "../../ops/elementwise/index.ts";
import { all, countNonzero, max, mean, min, prod, sum } from "../../ops/reductions.ts";
import { astype } from "./dtypes.ts";

type NanSumOptions = ReduceOptions & DTypeOption;

const canBeNaN = (dtype: DType): boolean => isFloat(dtype) || isComplex(dtype);

/** x with NaN replaced by what does not change the reduction. */
const filled = (x: LazyArray, neutral: number): LazyArray =>
  canBeNaN(x.dtype) ? where(isnan(x), neutral, x) : x;

/** Σx without NaN: `cw.nansum([1, NaN])` is 1. */
export const nansum: TotalFunction<ReduceOptions> = userCall(
  "nansum",
  (x: Operand, options: NanSumOptions = {}): Built => sum(filled(asLazy(x), 0), options) as Built,
  [1, "axis", "keepdims", "dtype"],
);

/** The product without NaN: `cw.nanprod([2, NaN])` is 2. */
export const nanprod: TotalFunction<ReduceOptions> = userCall(
  "nanprod",
  (x: Operand, options: NanSumOptions = {}): Built => prod(filled(asLazy(x), 1), options) as Built,
  [1, "axis", "keepdims", "dtype"],
);

/** The mean of what is not NaN: `cw.nanmean([1, NaN])` is 1. */
export const nanmean: ArrayFunction<"floating", [options?: ReduceOptions]> = userCall(
  "nanmean",
  (x: Operand, options: ReduceOptions = {}): Built => {
    const array = asLazy(x);
    if (!canBeNaN(array.dtype)) return mean(array, options) as Built;
    const total = sum(filled(array, 0), options);
    const count = countNonzero(logicalNot(isnan(array)), options);
    return divide(total, astype(count, total.dtype)) as Built;
  },
  [1, "axis", "keepdims"],
);

/** The extreme of what is not NaN; NaN where nothing else is there. */
const extremeOf = (
  name: string,
  reduce: typeof max,
  neutral: number,
): ArrayFunction<"same", [options?: ReduceOptions]> =>
  userCall(
    name,
    (x: Operand, options: ReduceOptions = {}): Built => {
      const array = asLazy(x);
      if (!canBeNaN(array.dtype)) return reduce(array, options) as Built;
      return where(all(isnan(array), options), Number.NaN, reduce(filled(array, neutral), options)) as Built;
    },
    [1, "axis", "keepdims"],
  );

/** The largest that is not NaN: `cw.nanmax([1, NaN])` is 1. */
export const nanmax: ArrayFunction<"same", [options?: ReduceOptions]> = extremeOf("nanmax", max, -Infinity);
/** The smallest that is not NaN: `cw.nanmin([1, NaN])` is 1. */
export const nanmin: ArrayFunction<"same", [options?: ReduceOptions]> = extremeOf("nanmin", min, Infinity);
