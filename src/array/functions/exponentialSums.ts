// Sums of exponentials and what is made of them: nothing overflows, however large the elements.
// Must hold: softmax and logSoftmax are the nodes that the rules of rewrite/rules/logSum.ts make.

import { type AxisArgument, checkAxes } from "../../core/shape.ts";
import type { Op } from "../../expr/op.ts";
import * as sums from "../../ops/exponentialSums.ts";
import { checkKind, toFloating } from "../../ops/kinds.ts";
import { max } from "../../ops/reductions.ts";
import { type Built, built, castTo, node } from "../build.ts";
import { userCall } from "../call.ts";
import { asLazy, type LazyArray, type Operand } from "../lazyArray.ts";
import { add, divide, exp, log1p, subtract } from "./elementwise.ts";
import type { ReduceFunction, ReduceOptions } from "./statistics.ts";

export interface SoftmaxOptions {
  /** One axis or several (the last unless said), or null: all of them. */
  readonly axis?: AxisArgument;
}

const floating = (x: Operand): LazyArray => {
  const array = asLazy(x);
  return castTo(array, toFloating(checkKind("real", array.dtype)));
};

/** log Σ eˣ; of no elements −inf: `cw.logsumexp(x, {axis: 1})`. */
export const logsumexp: ReduceFunction<"floating"> = userCall(
  "logsumexp",
  (x: Operand, options: ReduceOptions = {}): Built => {
    const array = floating(x);
    const axes = checkAxes(options.axis, array.ndim);
    return node(sums.logsumexp, [array], { axes, keepdims: options.keepdims === true });
  },
  [1, "axis", "keepdims"],
);

/** eˣ / Σ eˣ along an axis: `cw.softmax(x, {axis: -1})`. */
export const softmax: ReduceFunction<"floating", SoftmaxOptions> = userCall(
  "softmax",
  (x: Operand, options: SoftmaxOptions = {}): Built => {
    const { array, shifted, others } = shiftedParts(x, options);
    return built(divide(exp(shifted), add(others, 1)).expr, [array]);
  },
  [1, "axis"],
);

/** x − log Σ eˣ along an axis: `cw.logSoftmax(x, {axis: -1})`. */
export const logSoftmax: ReduceFunction<"floating", SoftmaxOptions> = userCall(
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
  const array = floating(x);
  const last = array.ndim === 0 ? null : -1;
  const axes = checkAxes(options.axis === undefined ? last : options.axis, array.ndim);
  const reduced = (op: Op): Built => node(op, [array], { axes, keepdims: true });
  const shifted = array.size === 0 ? array : subtract(array, reduced(max));
  return { array, shifted, others: reduced(sums.expSumRest) };
}
