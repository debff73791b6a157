// The pipeline: THE ordered list of passes, read top to bottom, and the modes that pick from it.
// In: expressions and a mode. Out: expressions of the same types that mean the same.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { type Expr, postOrder } from "../expr/expr.ts";
import { cycleError } from "./cycle.ts";
import { Query, query, RuleGroup, RuleSequence, type Stage } from "./database.ts";
import { type Direction, type DriverOptions, type DriverResult, rewrite } from "./driver.ts";
import { FunctionGraph } from "./functionGraph.ts";
import { checkType } from "./matchText.ts";
import { NodeOrder } from "./nodeOrder.ts";
import { type DriverObserver, timed } from "./observer.ts";
import { profileOf, type RanStage, StageProfiler } from "./profile.ts";
import type { Profile } from "./profileFigures.ts";
import {
  applyGlobal,
  FAST_MATH_TAGS,
  functionRule,
  type GlobalContext,
  type GlobalRewrite,
  type Rule,
} from "./rule.ts";
import { ARITHMETIC, RECIPROCALS } from "./rules/arithmetic.ts";
import { BOOLEANS } from "./rules/booleans.ts";
import { CASTS } from "./rules/casts.ts";
import { CHOOSE } from "./rules/choose.ts";
import { COMPARE } from "./rules/compare.ts";
import { AROUND_PRODUCTS, CONTRACTION } from "./rules/contraction.ts";
import { CONSTANTS, type ConstantsBy, foldConstants } from "./rules/folding.ts";
import { INDEXING } from "./rules/indexing.ts";
import { INTEGERS, SHIFTS } from "./rules/integers.ts";
import { FAST_LOGARITHMS, INVERSES } from "./rules/inverses.ts";
import { JOINS } from "./rules/joins.ts";
import { LOG_SUM } from "./rules/logSum.ts";
import { MATRICES } from "./rules/matrixProducts.ts";
import { POWERS, POWERS_LATE } from "./rules/powers.ts";
import { REDUCTIONS } from "./rules/reductions.ts";
import { SHAPES, UNIT_AXES } from "./rules/shapes.ts";
import { STABILIZE } from "./rules/stabilize.ts";
import { LOGARITHMS_WRITTEN, SHORTER_WRITTEN, WRITTEN } from "./rules/written.ts";

// Runs the stages that a query picked, one after another. In: roots and stages. Out: the roots' replacements and
// a report: what each stage applied; with a profile, where time and nodes went.
// Must hold: the types of the roots stay. Stages that bring back what was there before are a cycle of rules, told at once.

/** What one stage did. */
export interface StageReport {
  /** The stage's name. */
  readonly name: string;
  /** The expressions after it. */
  readonly roots: readonly Expr[];
  /** How often each rule was applied, by its name. */
  readonly applied: { readonly [rule: string]: number };
  /** Rules that made too many nodes, and were not applied any more; not said where there are none. */
  readonly stopped?: readonly string[];
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

interface RunOptions extends DriverOptions {
  /** true: counts and times every stage and rule. */
  readonly profile?: boolean;
  /** What global rewrites do that cannot find out what they need to know. */
  readonly onFail?: GlobalContext["onFail"];
}

/** A later stage may make what an earlier one simplifies; so often they are run one after another at most. */
export const MAX_ROUNDS = 4;

function runStages(
  roots: readonly Expr[],
  { name, stages }: { readonly name: string; readonly stages: readonly Stage[] },
  options: RunOptions = {},
): Rewritten {
  const run = new StageRun(name, roots, options);
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
  readonly #name: string;
  readonly #start: readonly Expr[];
  readonly #options: RunOptions;
  readonly #reports: StageReport[] = [];
  readonly #profilers: RanStage[] = [];
  readonly #context: GlobalContext;
  /** The nodes of the roots in order, while they are known. */
  #order: NodeOrder | undefined;
  /** The roots after every change, and how many reports there were then. */
  readonly #states: { readonly roots: readonly Expr[]; readonly reports: number }[];
  /** The roots for which a stage has nothing left to do. */
  readonly #settled = new Map<Stage, readonly Expr[]>();
  /** Rules that made too many nodes: they are not tried in later rounds. */
  readonly #stopped = new Set<Rule>();

  constructor(name: string, roots: readonly Expr[], options: RunOptions) {
    this.#name = name;
    this.roots = roots;
    this.#start = roots;
    this.#states = [{ roots, reports: 0 }];
    this.#options = options;
    this.#context = { onFail: options.onFail, told: new Set() };
  }

  stage(stage: Stage, round: number): void {
    const settled = this.#settled.get(stage);
    if (settled !== undefined && isSame(settled, this.roots)) return;
    const profiler = this.#options.profile === true ? new StageProfiler(stage, this.roots) : null;
    this.#order ??= timed(profiler, "toposort", () => new NodeOrder(this.roots));
    const result = runStage(
      this.roots,
      stage,
      {
        stopsGrowth: true,
        ...this.#options,
        order: this.#order,
        stopped: this.#stopped,
        observer: profiler ?? this.#options.observer,
      },
      this.#context,
    );
    const { roots: after, applied, stopped } = result;
    if (profiler !== null) this.#profilers.push(profiler.end(after));
    const isChanged = !isSame(after, this.roots);
    if (isChanged) this.#order = result.order;
    this.roots = after;
    if (result.isSettled) this.#settled.set(stage, after);
    // Later rounds are told of only where they did something.
    if (round > 1 && applied.size === 0 && !isChanged) return;
    this.#reports.push({
      name: stage.name,
      roots: after,
      applied: Object.fromEntries([...applied].map(([rule, count]) => [rule.name, count])),
      ...(stopped.size > 0 ? { stopped: [...stopped].map((rule) => rule.name) } : {}),
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
    const profile = isProfiled ? profileOf(this.#name, this.#profilers, this.#start, this.roots) : null;
    return { roots: this.roots, report: { stages: this.#reports, profile } };
  }
}

export function runStage(
  roots: readonly Expr[],
  stage: Stage,
  options: DriverOptions,
  context: GlobalContext = { onFail: undefined, told: new Set() },
): Omit<DriverResult, "visited"> {
  if (stage.kind === "rules")
    return rewrite(roots, stage.dispatcher, { ...options, direction: stage.direction });
  const nodes = timed(options.observer, "toposort", () => postOrder(roots));
  const { kind } = stage.rewrite;
  if (kind !== undefined && !nodes.some(({ type }) => type.kind === kind))
    return { roots, applied: new Map(), stopped: NONE, order: undefined, isSettled: true };
  const graph = new FunctionGraph(
    nodes.filter(({ inputs }) => inputs.length === 0),
    roots,
  );
  applyGlobal(stage.rewrite, graph, context);
  timed(options.observer, "validate", () =>
    roots.forEach((root, i) => checkType(stage.rewrite, root, graph.outputs[i]!)),
  );
  tellOf(graph, stage.rewrite, options.observer);
  return { roots: graph.outputs, applied: new Map(), stopped: NONE, order: undefined, isSettled: false };
}

const NONE: ReadonlySet<Rule> = new Set();

/** Who watches sees what a rewrite of the whole graph replaced, by the reasons it gave. */
function tellOf(
  graph: FunctionGraph,
  { name }: GlobalRewrite,
  observer: DriverObserver | undefined | null,
): void {
  if (observer === undefined || observer === null) return;
  for (const what of ["validate", "callback", "toposort"] as const) observer.spent?.(what, graph.costs[what]);
  const reasons = new Map<string, Rule>();
  for (const { reason, replaced } of graph.history) {
    const rule = reasons.get(reason) ?? functionRule(reason, `by ${name}`, { apply: () => null });
    reasons.set(reason, rule);
    for (const [node, now] of replaced) observer.applied(rule, node, now);
  }
}

/** What the list below takes from other rooms. */
export interface PassParts {
  /** Computes what is folded, as a run would: the bits are the same. */
  readonly constants: ConstantsBy;
  /** Sources of ragged arrays are narrowed to the columns that results need. */
  readonly necessaryColumns: GlobalRewrite;
}

/** A database of the built-in rules, for those who change it. Within a stage the order is the order of trying. */
export const pipelineOf = ({ constants, necessaryColumns }: PassParts): RuleSequence =>
  new RuleSequence("pipeline", [
    /** One form for what can be written in several ways; what has no effect goes; constants are folded. */
    stage("canonicalize", [
      ...[
        CONSTANTS,
        ARITHMETIC,
        POWERS,
        BOOLEANS,
        COMPARE,
        CHOOSE,
        CASTS,
        INTEGERS,
        SHAPES,
        JOINS,
        REDUCTIONS,
        WRITTEN,
        SHORTER_WRITTEN,
        MATRICES,
      ],
      foldConstants(constants),
    ]),
    /** Formulas that lose digits or overflow become ones that do not. */
    stage("stabilize", [LOG_SUM, STABILIZE, INVERSES, LOGARITHMS_WRITTEN]),
    /** Combinations of ops become one op that does the same, better. */
    stage("specialize", [RECIPROCALS, POWERS_LATE, SHIFTS, FAST_LOGARITHMS]),
    /** Selections move towards the sources, so that only what is needed is read. */
    stage("project", [INDEXING, UNIT_AXES], "outputsFirst"),
    /** Products of matrices with what is around them. */
    stage("contract", [CONTRACTION, AROUND_PRODUCTS]),
    necessaryColumns,
  ]);

function stage(
  name: string,
  families: readonly (readonly Rule[])[],
  direction: Direction = "inputsFirst",
): RuleGroup {
  const group = new RuleGroup(name, [], direction);
  for (const rule of families.flat())
    group.register(rule, { tags: name === "canonicalize" ? quickTags(rule) : [] });
  return group;
}

/** What is on by default in the first stage is worth its time even in a hurry. */
const quickTags = ({ tags }: Rule): readonly string[] => (tags.includes("fastRun") ? ["fastCompile"] : []);

/**
 * Modes are queries: `MODES["fastRun"]`. `+fastMath` (or `+fastMath:z` …) after a mode's name allows results to change.
 */
export const MODES: { readonly [mode: string]: Query } = {
  fastRun: query({ include: ["fastRun"] }),
  fastCompile: query({ include: ["fastCompile"] }),
  none: query({}),
};

const DEFAULT_MODE = "fastRun";

/**
 * The query of a mode, `fastRun`, `fastRun+fastMath` or `fastRun+fastMath:z+fastMath:r`:
 * `modeQuery("fastRun+fastMath")`.
 */
export function modeQuery(mode: string | Query): Query {
  if (mode instanceof Query) return mode;
  const [name, ...allowed] = mode.split("+");
  const base = MODES[name!];
  if (base === undefined)
    throw new ValueError({
      what: `there is no mode ${JSON.stringify(name)}`,
      cure: closest(name!, Object.keys(MODES)),
    });
  if (allowed.length === 0) return base;
  const classes = allowed.filter((tag) => FAST_MATH_TAGS.includes(tag));
  // Who allows one class of changes does not want a rule that makes others too.
  const others = allowed.includes("fastMath") ? [] : FAST_MATH_TAGS.filter((tag) => !classes.includes(tag));
  const isOnlyClasses = classes.length > 0;
  return isOnlyClasses ? base.including(...allowed).excluding(...others) : base.including(...allowed);
}

export interface OptimizeOptions extends RunOptions {
  /** A mode's name, with what it allows; or a query. */
  readonly mode?: string | Query;
  /** Rules or tags that are wanted besides, in this computation. */
  readonly include?: readonly string[];
  /** Rules or tags that are not wanted, in this computation. */
  readonly exclude?: readonly string[];
  /** Where the rules come from. */
  readonly database: RuleSequence;
}

export function queryOf({
  mode = DEFAULT_MODE,
  include = [],
  exclude = [],
}: Omit<OptimizeOptions, "database">): Query {
  return modeQuery(mode)
    .including(...include)
    .excluding(...exclude);
}

/** Rewrites expressions as a mode says. */
export function optimize(roots: readonly Expr[], options: OptimizeOptions): Rewritten {
  return rewriteExprs(roots, queryOf(options), options);
}

/** Rewrites expressions by what a query picks. */
export function rewriteExprs(
  roots: readonly Expr[],
  wanted: Query,
  { database, ...options }: Omit<OptimizeOptions, "mode" | "include" | "exclude">,
): Rewritten {
  return runStages(roots, { name: database.name, stages: database.query(wanted) }, options);
}
