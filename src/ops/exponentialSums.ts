// Sums of exponentials and what is made of them: nothing overflows, however large the elements.
// Must hold: softmax and logSoftmax are the nodes that the rules of rewrite/rules/logSum.ts make.

import { type AxisArgument, checkAxes } from "../core/chunks.ts";
import { checkKind, toFloating } from "../core/dtype.ts";
import type { Expr } from "../expr/expr.ts";
import { type Built, built, castTo } from "../lazy/build.ts";
import { userCall } from "../lazy/call.ts";
import type { ArrayFunction } from "../lazy/functionTypes.ts";
import { asLazy, type Operand } from "../lazy/lazyArray.ts";
import { logOfSum } from "./exponentialSum.ts";
import { logSoftmaxOver, softmaxOver } from "./softmax.ts";

/** Options of `cw.softmax` and `cw.logSoftmax`. */
export interface SoftmaxOptions {
  /** One axis or several (the last unless said), or null: all of them. */
  readonly axis?: AxisArgument;
}
type SoftmaxFunction = ArrayFunction<"floating", [options?: SoftmaxOptions]>;

/** log Σ eˣ; of no elements −inf: `cw.logsumexp(x, {axis: 1})`. */
export const logsumexp = logOfSum("logsumexp");

/** eˣ / Σ eˣ along an axis: `cw.softmax(x, {axis: -1})`. */
export const softmax: SoftmaxFunction = userCall(
  "softmax",
  (x: Operand, options: SoftmaxOptions = {}): Built => alongAxes(x, options, softmaxOver),
  [1, "axis"],
);

/** x − log Σ eˣ along an axis: `cw.logSoftmax(x, {axis: -1})`. */
export const logSoftmax: SoftmaxFunction = userCall(
  "logSoftmax",
  (x: Operand, options: SoftmaxOptions = {}): Built => alongAxes(x, options, logSoftmaxOver),
  [1, "axis"],
);

function alongAxes(
  x: Operand,
  options: SoftmaxOptions,
  over: (x: Expr, axes: readonly number[]) => Expr,
): Built {
  const given = asLazy(x);
  const array = castTo(given, toFloating(checkKind("real", given.dtype)));
  const last = array.ndim === 0 ? null : -1;
  const axes = checkAxes(options.axis === undefined ? last : options.axis, array.ndim);
  return built(array.size === 0 ? array.expr : over(array.expr, axes), [array]);
}
