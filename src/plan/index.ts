// Plan, as users see it: data, printable, with the figures that matter. Made from expressions; the blocks
// of sources in memory ride along for the run and are no part of the data.

import { sizeOf } from "../core/shape.ts";
import type { Expr } from "../expr/expr.ts";
import { checkBudget, MemoryError } from "./budget.ts";
import { withTriedCure } from "./cure.ts";
import { fuse } from "./fuse.ts";
import { checkFusionNames, type FusionOptions } from "./fusion/fusionOptions.ts";
import { lower } from "./lower.ts";
import type { SiteOf } from "./origin.ts";
import type { PlanData } from "./plan.ts";
import { planToJson } from "./planJson.ts";
import { arrayBytes } from "./plannedPartitions.ts";
import { planText } from "./print.ts";
import { memoryOf, totalMemory } from "./taskMemory.ts";
import { planTraffic } from "./traffic.ts";
import type { Lowered, LowerSettings } from "./writer.ts";

/**
 * How arrays would be computed, as `x.plan()` gives it: operations, tasks, memory. A `Plan` prints as text and computes
 * by `cw.computePlan(plan)`.
 */
export class Plan {
  /** The plan as plain data: arrays and operations. */
  readonly data: PlanData;
  /** The arrays that it reads. */
  readonly sources: Lowered["sources"];
  /** The plan with one operation per node; null where it was not optimised, or not kept. */
  readonly before: PlanData | null;

  constructor(data: PlanData, sources: Lowered["sources"], before: PlanData | null = null) {
    this.data = data;
    this.sources = sources;
    this.before = before;
  }

  get numTasks(): number {
    return this.data.operations.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  }

  get numOperations(): number {
    return this.data.operations.length;
  }

  /** Bytes of the arrays that are stored: intermediates and results. */
  get totalBytes(): number {
    const stored = this.data.arrays.filter(({ role }) => role !== "source");
    return stored.reduce((sum, array) => sum + arrayBytes(array), 0);
  }

  /** The most memory that any one task is stated to need. */
  get maxProjectedMem(): number {
    const arrays = new Map(this.data.arrays.map((array) => [array.name, array]));
    return this.data.operations.reduce(
      (most, operation) => Math.max(most, totalMemory(memoryOf(operation, arrays))),
      0,
    );
  }

  /** Bytes that all tasks read together. */
  get bytesRead(): number {
    return planTraffic(this.data).read;
  }

  /** Bytes that all tasks write together. */
  get bytesWritten(): number {
    return this.totalBytes;
  }

  toString(): string {
    return planText(this.data, this.before);
  }

  /** Plain data: numbers that JSON cannot hold become tagged strings. */
  toJSON(): unknown {
    return planToJson(this.data);
  }
}

/** Options of planning, beneath `PlanCallOptions`: what is fused, and how much memory a task may use. */
export interface PlanOptions extends FusionOptions, LowerSettings {
  /** false: one operation per node, nothing fused. */
  readonly optimize?: boolean | undefined;
  /** Takes the place of fusion: from the plan with one operation per node to the one that runs. */
  readonly optimizeFunction?: ((plan: PlanData) => PlanData) | undefined;
  /** Bytes that one task may use: more is refused, and nothing is fused that would need more. */
  readonly allowedMem?: number | undefined;
  /** What has to be allowed besides, as messages about `allowedMem` say. */
  readonly reservedMem?: number | undefined;
}

/** `siteOf` tells which of the user's lines made a node, where that is not the node's own. */
export function planOf(
  roots: readonly Expr[],
  options: PlanOptions & { readonly siteOf?: SiteOf } = {},
): Plan {
  try {
    return planned(roots, options, ({ operations }) => checkFusionNames(options, operations));
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    throw withTriedCure(error, roots, (others, allowedMem) => {
      // Cut otherwise, a plan may lack operations that the options name.
      planned(others, { ...options, allowedMem, debug: false }, () => {});
    });
  }
}

function planned(
  roots: readonly Expr[],
  { siteOf, ...options }: PlanOptions & { readonly siteOf?: SiteOf },
  checkLowered: (data: PlanData) => void,
): Plan {
  const { data, sources } = lower(roots, siteOf, options);
  checkLowered(data);
  const final = optimized(data, options);
  const plan = new Plan(final, sources, final === data ? null : data);
  if (options.allowedMem !== undefined) checkBudget(plan.data, options.allowedMem, options.reservedMem);
  return plan;
}

function optimized(data: PlanData, options: PlanOptions): PlanData {
  const { optimize = true, optimizeFunction = (plan) => fuse(plan, options) } = options;
  return optimize ? optimizeFunction(data) : data;
}

Object.defineProperty(Plan.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: Plan): string {
    return this.toString();
  },
});
