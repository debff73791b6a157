// Runs the stages that a query picked, one after another. In: roots and stages. Out: the roots' replacements and
// a report: what each stage applied; with a profile, where time and nodes went.
// Must hold: the types of the roots stay.

import type { Expr } from "../expr/expr.ts";
import { postOrder } from "../expr/walk.ts";
import type { Stage } from "./database.ts";
import { checkType, type DriverOptions, type DriverResult, rewrite } from "./driver.ts";
import { FunctionGraph } from "./graph.ts";
import { orderOf } from "./order.ts";
import { type Profile, StageProfiler } from "./profile.ts";

export interface StageReport {
  readonly name: string;
  readonly roots: readonly Expr[];
  /** How often each rule was applied, by its name. */
  readonly applied: { readonly [rule: string]: number };
}

export interface RewriteReport {
  readonly stages: readonly StageReport[];
  /** Only when asked for. */
  readonly profile: Profile | null;
}

export interface Rewritten {
  readonly roots: readonly Expr[];
  readonly report: RewriteReport;
}

export interface RunOptions extends DriverOptions {
  readonly profile?: boolean;
}

export function runStages(
  roots: readonly Expr[],
  stages: readonly Stage[],
  options: RunOptions = {},
): Rewritten {
  const reports: StageReport[] = [];
  const profilers: StageProfiler[] = [];
  let now = roots;
  let order: readonly Expr[] | undefined;
  for (const stage of stages) {
    order ??= orderOf(now);
    const profiler = options.profile === true ? new StageProfiler(stage, now) : null;
    const { roots: after, applied } = runStage(now, stage, {
      ...options,
      order,
      observer: profiler ?? options.observer,
    });
    profiler?.end(after);
    if (profiler !== null) profilers.push(profiler);
    reports.push({
      name: stage.name,
      roots: after,
      applied: Object.fromEntries([...applied].map(([rule, count]) => [rule.name, count])),
    });
    if (!after.every((root, i) => root === now[i])) order = undefined;
    now = after;
  }
  const profile = options.profile === true ? StageProfiler.summary(profilers, roots, now) : null;
  return { roots: now, report: { stages: reports, profile } };
}

export function runStage(
  roots: readonly Expr[],
  stage: Stage,
  options: DriverOptions,
): Pick<DriverResult, "roots" | "applied"> {
  if (stage.kind === "rules") return rewrite(roots, stage.dispatcher, options);
  const sources = postOrder(roots).filter((node) => node.inputs.length === 0);
  const graph = new FunctionGraph(sources, roots);
  stage.rewrite.apply(graph);
  roots.forEach((root, i) => checkType(stage.rewrite, root, graph.outputs[i]!));
  return { roots: graph.outputs, applied: new Map() };
}
