// Sums of exponentials and what is made of them: nothing overflows, however large the elements.
// Must hold: softmax and logSoftmax are the nodes that the rules of rewrite/rules/logSum.ts make.

import { type AxisArgument, checkAxes } from "../core/chunks.ts";
import { checkKind, toFloating } from "../core/dtype.ts";
import type { Op } from "../expr/op.ts";
import * as s from "../kernel/scalar.ts";
import { type Built, built, castTo, node } from "../lazy/build.ts";
import { userCall } from "../lazy/call.ts";
import type { ArrayFunction } from "../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../lazy/lazyArray.ts";
import { add, divide, subtract } from "./elementwise/arithmetic.ts";
import { exp, log1p } from "./elementwise/exponential.ts";
import { stopGradient } from "./elementwise/stopGradient.ts";
import { exponentialSum, expSumRest } from "./exponentialSum.ts";
import { max } from "./reductions.ts";

/** Options of `cw.softmax` and `cw.logSoftmax`. */
export interface SoftmaxOptions {
  /** One axis or several (the last unless said), or null: all of them. */
  readonly axis?: AxisArgument;
}
type SoftmaxFunction = ArrayFunction<"floating", [options?: SoftmaxOptions]>;

/** log Σ eˣ; of no elements −inf: `cw.logsumexp(x, {axis: 1})`. */
export const logsumexp = exponentialSum(
  "logsumexp",
  (largest, others) => s.add(largest, s.log1p(others)),
  // The softmax.
  ({ inputs: [x], result, attrs, cotangent }, use) => {
    const share = use.exp(use.two("subtract", x!, use.spread(result, x!, attrs)));
    return [use.two("multiply", use.spread(cotangent, x!, attrs), share)];
  },
);

/** eˣ / Σ eˣ along an axis: `cw.softmax(x, {axis: -1})`. */
export const softmax: SoftmaxFunction = userCall(
  "softmax",
  (x: Operand, options: SoftmaxOptions = {}): Built => {
    const { array, shifted, others } = shiftedParts(x, options);
    return built(divide(exp(shifted), add(others, 1)).expr, [array]);
  },
  [1, "axis"],
);

/** x − log Σ eˣ along an axis: `cw.logSoftmax(x, {axis: -1})`. */
export const logSoftmax: SoftmaxFunction = userCall(
  "logSoftmax",
  (x: Operand, options: SoftmaxOptions = {}): Built => {
    const { array, shifted, others } = shiftedParts(x, options);
    return built(subtract(shifted, log1p(others)).expr, [array]);
  },
  [1, "axis"],
);

/** x − max x and Σ e^(x − max x) − 1. Nothing has no maximum, and nothing needs to be shifted. */
function shiftedParts(
  x: Operand,
  options: SoftmaxOptions,
): { readonly array: LazyArray; readonly shifted: LazyArray; readonly others: LazyArray } {
  const given = asLazy(x);
  const array = castTo(given, toFloating(checkKind("real", given.dtype)));
  const last = array.ndim === 0 ? null : -1;
  const axes = checkAxes(options.axis === undefined ? last : options.axis, array.ndim);
  const reduced = (op: Op): Built => node(op, [array], { axes, keepdims: true });
  const shifted = array.size === 0 ? array : subtract(array, stopGradient(reduced(max)));
  return { array, shifted, others: reduced(expSumRest) };
}
