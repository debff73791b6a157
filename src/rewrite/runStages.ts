// Runs the stages that a query picked, one after another. In: roots and stages. Out: the roots' replacements and
// a report: what each stage applied; with a profile, where time and nodes went.
// Must hold: the types of the roots stay. Stages that bring back what was there before are a cycle of rules, told at once.

import { type Expr, postOrder } from "../expr/expr.ts";
import { cycleError } from "./cycle.ts";
import type { Stage } from "./database.ts";
import { type DriverOptions, type DriverResult, rewrite } from "./driver.ts";
import { FunctionGraph, NodeOrder } from "./functionGraph.ts";
import { checkType } from "./matchText.ts";

import { type Profile, StageProfiler } from "./profile.ts";
import type { GlobalContext } from "./rule.ts";

/** What one stage did. */
export interface StageReport {
  /** The stage's name. */
  readonly name: string;
  /** The expressions after it. */
  readonly roots: readonly Expr[];
  /** How often each rule was applied, by its name. */
  readonly applied: { readonly [rule: string]: number };
}

/** What each stage of a rewriting did. */
export interface RewriteReport {
  /** The stages that ran, in order. */
  readonly stages: readonly StageReport[];
  /** Only when asked for. */
  readonly profile: Profile | null;
}

/** What `optimize` and `rewriteExprs` give. */
export interface Rewritten {
  /** The expressions, rewritten. */
  readonly roots: readonly Expr[];
  /** What each stage did. */
  readonly report: RewriteReport;
}

export interface RunOptions extends DriverOptions {
  /** true: counts and times every stage and rule. */
  readonly profile?: boolean;
  /** What global rewrites do that cannot find out what they need to know. */
  readonly onFail?: GlobalContext["onFail"];
}

/** A later stage may make what an earlier one simplifies; so often they are run one after another at most. */
export const MAX_ROUNDS = 4;

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

export const isSame = (a: readonly Expr[], b: readonly Expr[]): boolean =>
  a.every((root, i) => root === b[i]);

class StageRun {
  roots: readonly Expr[];
  readonly #start: readonly Expr[];
  readonly #options: RunOptions;
  readonly #reports: StageReport[] = [];
  readonly #profilers: StageProfiler[] = [];
  readonly #context: GlobalContext;
  /** The nodes of the roots in order, while they are known. */
  #order: NodeOrder | undefined;
  /** The roots after every change, and how many reports there were then. */
  readonly #states: { readonly roots: readonly Expr[]; readonly reports: number }[];
  /** The roots for which a stage has nothing left to do. */
  readonly #settled = new Map<Stage, readonly Expr[]>();

  constructor(roots: readonly Expr[], options: RunOptions) {
    this.roots = roots;
    this.#start = roots;
    this.#states = [{ roots, reports: 0 }];
    this.#options = options;
    this.#context = { onFail: options.onFail, told: new Set() };
  }

  stage(stage: Stage, round: number): void {
    const settled = this.#settled.get(stage);
    if (settled !== undefined && isSame(settled, this.roots)) return;
    this.#order ??= new NodeOrder(this.roots);
    const profiler = this.#options.profile === true ? new StageProfiler(stage, this.roots) : null;
    const result = runStage(
      this.roots,
      stage,
      {
        ...this.#options,
        order: this.#order,
        observer: profiler ?? this.#options.observer,
      },
      this.#context,
    );
    const { roots: after, applied } = result;
    profiler?.end(after);
    const isChanged = !isSame(after, this.roots);
    if (isChanged) this.#order = result.order;
    this.roots = after;
    if (result.isSettled) this.#settled.set(stage, after);
    // Later rounds are told of only where they did something.
    if (round > 1 && applied.size === 0 && !isChanged) return;
    if (profiler !== null) this.#profilers.push(profiler);
    this.#reports.push({
      name: stage.name,
      roots: after,
      applied: Object.fromEntries([...applied].map(([rule, count]) => [rule.name, count])),
    });
    if (isChanged) this.#checkNew();
  }

  #checkNew(): void {
    const at = this.#states.findIndex(({ roots }) => isSame(roots, this.roots));
    if (at < 0) return void this.#states.push({ roots: this.roots, reports: this.#reports.length });
    const since = this.#reports.slice(this.#states[at]!.reports);
    const names = since.flatMap(({ applied }) => Object.keys(applied));
    const other = this.#states[at + 1]!.roots;
    const root = this.roots.findIndex((one, i) => one !== other[i]);
    throw cycleError([...new Set(names)], this.roots[root]!, other[root]!);
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
  context: GlobalContext = { onFail: undefined, told: new Set() },
): Omit<DriverResult, "visited"> {
  if (stage.kind === "rules") return rewrite(roots, stage.dispatcher, options);
  const sources = postOrder(roots).filter((node) => node.inputs.length === 0);
  const graph = new FunctionGraph(sources, roots);
  stage.rewrite.apply(graph, context);
  roots.forEach((root, i) => checkType(stage.rewrite, root, graph.outputs[i]!));
  return { roots: graph.outputs, applied: new Map(), order: undefined, isSettled: false };
}
