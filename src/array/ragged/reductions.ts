// Reductions along any axis. Nulls are left out; sums of nothing are 0, minima and maxima of nothing null, means NaN.
// Over all axes (axis: null, as when nothing is said) the result is one value.

import { REDUCTIONS, type ReduceAttrs } from "../../ragged/index.ts";
import { userCall } from "../call.ts";
import { apply } from "./apply.ts";
import type { LazyItem, LazyRagged, RaggedValue } from "./arrays.ts";
import { asRagged, type RaggedInput } from "./operands.ts";
import type { Joint } from "./types.ts";

export interface ReduceOptions {
  /** Null, or nothing: all axes. */
  readonly axis?: number | null | undefined;
  readonly keepdims?: boolean | undefined;
  /** Null for what has no elements; minima, maxima and their places do so unless told otherwise. */
  readonly maskIdentity?: boolean | undefined;
}
export interface VarianceOptions extends ReduceOptions {
  /** What is taken off the count. */
  readonly ddof?: number | undefined;
}

/** One value where all axes are reduced and none is kept. */
type Reduced<X, O> = O extends { readonly axis: number } | { readonly keepdims: true }
  ? Joint<X>
  : Joint<X> extends LazyRagged
    ? LazyItem
    : RaggedValue;

export type Reduction<Options = ReduceOptions> = <
  const X extends RaggedInput,
  const O extends Options | undefined = undefined,
>(
  x: X,
  options?: O,
) => Reduced<X, O>;

function reduction(
  name: string,
  ...more: readonly string[]
): (x: RaggedInput, options?: ReduceAttrs) => unknown {
  const record = REDUCTIONS[name]!;
  return userCall(
    name,
    (x: RaggedInput, options: ReduceAttrs = {}) => apply(record as never, [asRagged(x)], options),
    [1, "axis", "keepdims", "maskIdentity", ...more],
  );
}

export const sum: Reduction = reduction("sum") as Reduction;
export const prod: Reduction = reduction("prod") as Reduction;
export const min: Reduction = reduction("min") as Reduction;
export const max: Reduction = reduction("max") as Reduction;
export const any: Reduction = reduction("any") as Reduction;
export const all: Reduction = reduction("all") as Reduction;
export const count: Reduction = reduction("count") as Reduction;
export const countNonzero: Reduction = reduction("countNonzero") as Reduction;
export const argmin: Reduction = reduction("argmin") as Reduction;
export const argmax: Reduction = reduction("argmax") as Reduction;
export const mean: Reduction = reduction("mean") as Reduction;
export const std: Reduction<VarianceOptions> = reduction("std", "ddof") as Reduction<VarianceOptions>;
const variance: Reduction<VarianceOptions> = reduction("var", "ddof") as Reduction<VarianceOptions>;

export { variance as var };
