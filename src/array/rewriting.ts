// Which rules a computation's expressions are rewritten by. In: its options. Out: the rewriting, and a text that says
// all it depends on, so that plans can be found again.

import type { Expr } from "../expr/expr.ts";
import type { Rewriting } from "../plan/cache.ts";
import { optimize as rewriteAll } from "../rewrite/pipeline.ts";
import type { ComputeOptions } from "../runtime/options.ts";
import { engine } from "./defaultEngine.ts";

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
  const database = engine.pipeline;
  return {
    // The version counts what users register.
    key: `${mode} +${include.join()} -${exclude.join()} ${onFail} ${database.version}`,
    apply: (roots: readonly Expr[]) => rewriteAll(roots, { database, mode, include, exclude, onFail }).roots,
  };
}
