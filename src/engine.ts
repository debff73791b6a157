// The engine, put together: which passes there are, and what computations share. One value owns what is remembered between
// them; there is a default one, which the functions of the namespace use.
// Must hold: nothing enters itself into a table when it is imported; what there is stands here.

import type { Block } from "./core/block.ts";
import type { Expr } from "./expr/expr.ts";
import { PlanCache } from "./plan/cache.ts";
import { planOf } from "./plan/index.ts";
import { necessaryColumnsPass } from "./ragged/lazy/necessaryColumns.ts";
import type { RuleSequence } from "./rewrite/database.ts";
import { pipelineOf } from "./rewrite/pipeline.ts";
import { runPlanSync } from "./runtime/run.ts";
import { Spec } from "./runtime/spec.ts";

export class Engine {
  /** The passes that rewrite expressions, in order. */
  readonly pipeline: RuleSequence = pipelineOf({ evaluate, necessaryColumns: necessaryColumnsPass });
  /** Plans of computations that were planned before. */
  readonly plans: PlanCache = new PlanCache();
  #spec: Spec | null = null;

  /** The settings of computations that name none: made when they are first asked for, of what the environment says then. */
  get spec(): Spec {
    this.#spec ??= new Spec();
    return this.#spec;
  }
}

/** The value of a constant expression, by the kernels that would compute it at run time. */
function evaluate(expr: Expr): Block {
  const { data, sources } = planOf([expr], { optimize: false });
  return runPlanSync({ plan: data, sources })[0]!;
}

export const engine: Engine = new Engine();
