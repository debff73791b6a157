// Small expressions for the tests of the rewriter.

import type { Shape } from "../../src/core/chunks.ts";
import type { DType } from "../../src/core/dtype.ts";
import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { rewrite } from "../../src/rewrite/driver.ts";
import { scalar } from "../../src/rewrite/make.ts";
import { Dispatcher, type Rule } from "../../src/rewrite/rule.ts";

/** A source that is different for every number. */
export const source = (start: number, dtype: DType = "float64", shape: Shape = [4]): Expr =>
  makeExpr(opNamed("arange"), [], { dtype, shape, chunks: shape, start, step: 1 });

export const f64 = (value: number): Expr => scalar(value, "float64");

/** A node by the name of its op; numbers take the dtype of the first node. */
export function n(name: string, ...inputs: readonly (Expr | number)[]): Expr {
  const dtype = inputs.find((input) => typeof input !== "number")?.dtype ?? "float64";
  return makeExpr(
    opNamed(name),
    inputs.map((input) => (typeof input === "number" ? scalar(input, dtype) : input)),
  );
}

export const sum = (x: Expr, axes: readonly number[] = [0], keepdims = false): Expr =>
  makeExpr(opNamed("sum"), [x], { axes, keepdims });

/** One root, rewritten by these rules. */
export const run = (root: Expr, ...rules: readonly Rule[]): Expr =>
  rewrite([root], new Dispatcher(rules)).roots[0]!;
