// Short names for the expressions that the rules for exponentials and logarithms are tried on.

import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { scalar } from "../../src/rewrite/make.ts";
import { n } from "./nodes.ts";
import type { MakeOperand, RuleCase } from "./ruleHarness.ts";

const FLOATS = ["float64", "float32"] as const;

/** A case for floats: real ones of both widths. */
export const on = (rule: string, build: (x: Expr, operand: MakeOperand) => Expr): RuleCase => ({
  rule,
  build: (operand) => build(operand("x"), operand),
  dtypes: FLOATS,
});

type Unary = (x: Expr) => Expr;

/** A chain of functions of one argument, the outermost first: of("log", "exp")(x). */
export const of =
  (...names: readonly string[]): Unary =>
  (x) =>
    names.reduceRight((inner, name) => n(name, inner), x);
export const chain = (rule: string, ...names: readonly string[]): RuleCase => on(rule, of(...names));

export const exp: Unary = of("exp");
export const log: Unary = of("log");
export const negative: Unary = of("negative");
export const sigmoid: Unary = of("sigmoid");
export const constant = (value: number, x: Expr): Expr => scalar(value, x.dtype);
export const oneMinus: Unary = (x) => n("subtract", constant(1, x), x);

export const reduced = (name: string, x: Expr, axes: readonly number[], keepdims: boolean): Expr =>
  makeExpr(opNamed(name), [x], { axes, keepdims });
