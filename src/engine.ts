// The engine, put together: which passes there are, and what computations share. One value owns what is remembered between
// them; the default one, which the functions of the namespace use, is made in array/defaultEngine.ts.
// Must hold: nothing enters itself into a table when it is imported; what there is stands here.

import type { Block } from "./core/block.ts";
import type { Expr } from "./expr/expr.ts";
import type { Backend } from "./kernel/backend.ts";
import { calculatingOn } from "./kernel/calculate.ts";
import { referenceBackend } from "./kernel/interpret/backend.ts";
import { PlanCache } from "./plan/cache.ts";
import { planOf } from "./plan/index.ts";
import { type BehaviorClass, BehaviorTable } from "./ragged/behaviors.ts";
import { necessaryColumnsPass } from "./ragged/lazy/project.ts";
import type { RuleSequence } from "./rewrite/database.ts";
import { pipelineOf } from "./rewrite/pipeline.ts";
import { Bodies } from "./runtime/bodies.ts";
import { ExecutorTable, inlineExecutor } from "./runtime/pools/executors.ts";
import { threadExecutor } from "./runtime/pools/threadPool.ts";
import { runPlanSync } from "./runtime/run.ts";
import type { RunRequest } from "./runtime/runArrays.ts";
import { Spec } from "./runtime/spec.ts";
import type { TaskParts } from "./runtime/taskParts.ts";
import { CodecTable } from "./storage/codecs/table.ts";
import { FormatTable } from "./storage/formats/table.ts";

export class Engine {
  /** What tasks need: ops by their names, partitions, users' functions. */
  readonly tasks: TaskParts;
  /** What computes, where a call names no other. */
  readonly backend: Backend;
  /** The passes that rewrite expressions, in order. */
  readonly pipeline: RuleSequence;
  /** The codecs that stored arrays may name; `add` takes others besides. */
  readonly codecs: CodecTable = new CodecTable();
  /** Ways in which arrays lie in stores and files; `add` takes others besides. */
  readonly formats: FormatTable;
  /** What carries tasks, by the names that the option `executor` takes. */
  readonly executors: ExecutorTable = new ExecutorTable([threadExecutor(), inlineExecutor]);
  /** What records of a name can do besides; `add` takes classes for others. */
  readonly behaviors: BehaviorTable;
  /** Plans of computations that were planned before. */
  readonly plans: PlanCache = new PlanCache();
  /** Bodies of loops that were made before. */
  readonly bodies: Bodies = new Bodies();
  #spec: Spec | null = null;

  constructor(
    tasks: TaskParts,
    backend: Backend,
    behaviors: { readonly [name: string]: BehaviorClass } = {},
  ) {
    this.behaviors = new BehaviorTable(behaviors);
    this.tasks = tasks;
    this.formats = new FormatTable(tasks.formats);
    this.backend = backend;
    // The bits are those of any backend; constants are asked for at once.
    const atOnce = backend.isAsync === true ? referenceBackend : backend;
    this.pipeline = pipelineOf({
      constants: {
        evaluate: (expr) => evaluated(expr, { backend: atOnce, partitions: tasks.partitions }),
        calculating: calculatingOn(atOnce),
      },
      necessaryColumns: necessaryColumnsPass,
    });
  }

  /** The settings of computations that name none: made when they are first asked for, of what the environment says then. */
  get spec(): Spec {
    this.#spec ??= new Spec();
    return this.#spec;
  }
}

/** The value of a constant expression, by the kernels that would compute it at run time. */
function evaluated(expr: Expr, by: Pick<RunRequest, "backend" | "partitions">): Block {
  const { data, sources } = planOf([expr], { optimize: false });
  return runPlanSync({ plan: data, sources, ...by })[0]!;
}
