// The nodes of softmax and logSoftmax along some axes: what the functions make, and what rules make of formulas.
// In: an array of floats with elements, and axes. Out: a node of its shape.

import { type Expr, makeExpr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { divide } from "./elementwise/arithmetic.ts";
import { expShifted, expSumRest, expSumShifted, lessLogSum } from "./exponentialSum.ts";
import { max } from "./reductions.ts";

const kept = (op: Op, x: Expr, axes: readonly number[]): Expr => makeExpr(op, [x], { axes, keepdims: true });

export const softmaxOver = (x: Expr, axes: readonly number[]): Expr =>
  makeExpr(divide, [makeExpr(expShifted, [x, kept(max, x, axes)]), kept(expSumShifted, x, axes)]);

export const logSoftmaxOver = (x: Expr, axes: readonly number[]): Expr =>
  makeExpr(lessLogSum, [x, kept(max, x, axes), kept(expSumRest, x, axes)]);
