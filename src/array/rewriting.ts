// Which rules a computation's expressions are rewritten by. In: its options. Out: the rewriting, and a text that says
// all it depends on, so that plans can be found again.

import type { Block } from "../core/block.ts";
import type { Expr } from "../expr/expr.ts";
import type { Rewriting } from "../plan/cache.ts";
import { planOf } from "../plan/index.ts";
import { pipeline, optimize as rewriteAll } from "../rewrite/pipeline.ts";
import { registerBuiltIn } from "../rewrite/rules/index.ts";
import type { ComputeOptions } from "../runtime/options.ts";
import { runPlanSync } from "../runtime/run.ts";

export { pipeline };

registerBuiltIn(pipeline, evaluate);

/** The value of a constant expression, by the kernels that would compute it at run time. */
function evaluate(expr: Expr): Block {
  const { data, sources } = planOf([expr], { optimize: false });
  return runPlanSync({ plan: data, sources })[0]!;
}

const NOTHING: Rewriting = { key: "none", apply: (roots) => roots };

/** `optimize: false` rewrites nothing. */
export function rewritingOf({
  optimize = true,
  mode = "fastRun",
  include = [],
  exclude = [],
  onFail,
}: Pick<ComputeOptions, "optimize" | "mode" | "include" | "exclude" | "onFail">): Rewriting {
  if (!optimize) return NOTHING;
  return {
    // The version counts what users register.
    key: `${mode} +${include.join()} -${exclude.join()} ${onFail} ${pipeline.version}`,
    apply: (roots: readonly Expr[]) => rewriteAll(roots, { mode, include, exclude, onFail }).roots,
  };
}
