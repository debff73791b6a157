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

/** A later stage may make what an earlier one simplifies; so often they are run one after another at most. */
const MAX_ROUNDS = 4;

export function runStages(
  roots: readonly Expr[],
  stages: readonly Stage[],
  options: RunOptions = {},
): Rewritten {
  const run = new StageRun(roots, options);
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const before = run.roots;
    for (const stage of stages) run.stage(stage, round);
    if (isSame(before, run.roots)) break;
  }
  return run.result();
}

const isSame = (a: readonly Expr[], b: readonly Expr[]): boolean => a.every((root, i) => root === b[i]);

class StageRun {
  roots: readonly Expr[];
  readonly #start: readonly Expr[];
  readonly #options: RunOptions;
  readonly #reports: StageReport[] = [];
  readonly #profilers: StageProfiler[] = [];
  /** The nodes of the roots in order, while they are known. */
  #order: readonly Expr[] | undefined;

  constructor(roots: readonly Expr[], options: RunOptions) {
    this.roots = roots;
    this.#start = roots;
    this.#options = options;
  }

  stage(stage: Stage, round: number): void {
    this.#order ??= orderOf(this.roots);
    const profiler = this.#options.profile === true ? new StageProfiler(stage, this.roots) : null;
    const { roots: after, applied } = runStage(this.roots, stage, {
      ...this.#options,
      order: this.#order,
      observer: profiler ?? this.#options.observer,
    });
    profiler?.end(after);
    if (!isSame(after, this.roots)) this.#order = undefined;
    this.roots = after;
    // Later rounds are told of only where they did something.
    if (round > 1 && applied.size === 0) return;
    if (profiler !== null) this.#profilers.push(profiler);
    this.#reports.push({
      name: stage.name,
      roots: after,
      applied: Object.fromEntries([...applied].map(([rule, count]) => [rule.name, count])),
    });
  }

  result(): Rewritten {
    const isProfiled = this.#options.profile === true;
    const profile = isProfiled ? StageProfiler.summary(this.#profilers, this.#start, this.roots) : null;
    return { roots: this.roots, report: { stages: this.#reports, profile } };
  }
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
