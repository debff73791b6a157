// Nodes for the cases of rules, written shortly.

import type { Attrs } from "../../src/core/block.ts";
import type { Shape } from "../../src/core/chunks.ts";
import type { DType } from "../../src/core/dtype.ts";
import type { Scalar } from "../../src/core/numbers.ts";
import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { scalar } from "../../src/rewrite/make.ts";

/** A node by its op's name. */
export const op = (name: string, inputs: readonly Expr[], attrs?: Attrs): Expr =>
  makeExpr(opNamed(name), inputs, attrs);

/** A number of the dtype of a node. */
export const like = (value: Scalar, node: Expr): Expr => scalar(value, node.dtype);

export const reduce = (name: string, x: Expr, axes: readonly number[], keepdims = false): Expr =>
  op(name, [x], { axes, keepdims });

export const permute = (x: Expr, ...axes: number[]): Expr => op("permute", [x], { axes });
export const expand = (x: Expr, ...axes: number[]): Expr => op("expandDims", [x], { axes });
export const squeeze = (x: Expr, ...axes: number[]): Expr => op("squeeze", [x], { axes });
export const reshape = (x: Expr, ...shape: number[]): Expr => op("reshape", [x], { shape });
export const broadcast = (x: Expr, ...shape: number[]): Expr => op("broadcast", [x], { shape });
export const concat = (axis: number, ...parts: Expr[]): Expr => op("concat", parts, { axis });
export const cast = (x: Expr, dtype: DType): Expr => op("cast", [x], { dtype });

export const full = (value: Scalar, dtype: DType, shape: Shape): Expr =>
  op("full", [], { dtype, shape, chunks: shape.map((n) => Math.max(1, n)), value });

/** x[a:b:c, …]: per axis [start, length] or [start, length, step]. */
export const slice = (x: Expr, ...runs: (readonly [number, number, number?])[]): Expr =>
  op("slice", [x], runAttrs(runs));

export const setSlice = (x: Expr, value: Expr, ...runs: (readonly [number, number, number?])[]): Expr =>
  op("setSlice", [x, value], runAttrs(runs));

const runAttrs = (runs: readonly (readonly [number, number, number?])[]): Attrs => ({
  start: runs.map(([start]) => start),
  step: runs.map(([, , step = 1]) => step),
  shape: runs.map(([, length]) => length),
});
