// The door of `chunkwise/rewrite`: rules, patterns, databases; and the default engine's pipeline, by which expressions are
// rewritten and explained unless another database is given.

import { engine } from "../array/defaultEngine.ts";
import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import type { Query, RuleSequence } from "../rewrite/database.ts";
import {
  type Explanation,
  explain as explainBy,
  type Subject,
  type WhyNotReport,
} from "../rewrite/explain.ts";
import {
  type OptimizeOptions as Options,
  optimize as optimizeBy,
  type Rewritten,
  rewriteExprs as rewriteBy,
} from "../rewrite/pipeline.ts";

export * from "../rewrite/index.ts";

/**
 * Makes an op known by its name, so that plans that are loaded can use it: `const sinc = registerOp(unary("sinc",
 * line))`.
 */
export const registerOp = <T extends Op>(op: T): T => engine.tasks.ops.add(op);

/** The passes that rewrite expressions, in order: `pipeline.group("stabilize").register(rule)`. */
export const pipeline: RuleSequence = engine.pipeline;

/** Options of `optimize` and `explain`: mode, rules to include and exclude, database, profile. */
export interface OptimizeOptions extends Omit<Options, "database"> {
  /** Another database than the built-in one. */
  readonly database?: RuleSequence;
}

/** Rewrites expressions as a mode says: `const {roots} = optimize([x.expr], {mode: "fastRun+fastMath"})`. */
export const optimize = (roots: readonly Expr[], options: OptimizeOptions = {}): Rewritten =>
  optimizeBy(roots, { database: pipeline, ...options });

/** Rewrites expressions by what a query picks: `rewriteExprs([x.expr], query({include: ["stabilize"]}))`. */
export const rewriteExprs = (
  roots: readonly Expr[],
  wanted: Query,
  options: Omit<OptimizeOptions, "mode" | "include" | "exclude"> = {},
): Rewritten => rewriteBy(roots, wanted, { database: pipeline, ...options });

/**
 * What rewriting did to an expression, stage by stage: `console.log(String(explain(x)))`; with `rule`, why that rule
 * did or did not fire: `explain(x, {rule: "log1p"})`.
 */
export function explain(subject: Subject, options: ExplainOptions & { readonly rule: string }): WhyNotReport;
export function explain(subject: Subject, options?: ExplainOptions): Explanation;
export function explain(
  subject: Subject,
  options: ExplainOptions & { readonly rule?: string } = {},
): Explanation | WhyNotReport {
  return explainBy(subject, { database: pipeline, ...options } as Options & { readonly rule: string });
}

/** Options of `explain`: those of `optimize`, and names of arrays. */
export interface ExplainOptions extends OptimizeOptions {
  /** By these the text calls arrays: `explain(x.add(y), {names: {x, y}})`. */
  readonly names?: { readonly [name: string]: Expr | { readonly expr: Expr } } | undefined;
}
