// From lazy arrays to a plan that can be run. Several arrays are one plan, so what they share is computed once.

import { type Block, once } from "../core/block.ts";
import { type ChunkShape, describe, sameShape } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type { Transfer } from "../core/transfer.ts";
import { chunksOf, type Expr, makeExpr } from "../expr/expr.ts";
import type { Site } from "../expr/site.ts";
import type { Backend } from "../kernel/backend.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { NDArray } from "../lazy/ndarray.ts";
import { rechunk } from "../ops/moves/axisMoves.ts";
import type { Rewriting } from "../plan/cache.ts";
import { type Plan, type PlanOptions, planOf } from "../plan/index.ts";
import { type SiteOf, siteOfNode } from "../plan/origin.ts";
import type { PlanData } from "../plan/plan.ts";
import { RuleSequence } from "../rewrite/database.ts";
import { optimize as rewriteAll } from "../rewrite/pipeline.ts";
import type { Profile } from "../rewrite/profileFigures.ts";
import type { RunEvent } from "../runtime/events.ts";
import type { RunRequest } from "../runtime/runArrays.ts";
import type { RuleDatabase } from "../runtime/settings.ts";
import { type AsyncComputeOptions, type ComputeOptions, planningOf, type Spec } from "../runtime/spec.ts";
import { planStorage } from "../runtime/storedArrays.ts";
import { engine } from "./defaultEngine.ts";

// Which rules a computation's expressions are rewritten by. In: its options. Out: the rewriting, and a text that says
// all it depends on, so that plans can be found again.

const NOTHING: Rewriting = { key: "none", apply: (roots) => roots };

type RewritingOptions = Pick<
  ComputeOptions,
  "optimize" | "mode" | "include" | "exclude" | "onFail" | "database"
>;
const rewritings = new WeakMap<object, { readonly version: number; readonly rewriting: Rewriting }>();

/** What a computation's options make of expressions; with `isProfiled`, and where the time went. */
export function rewrittenBy(
  roots: readonly Expr[],
  options: RewritingOptions,
  isProfiled: boolean,
): { readonly roots: readonly Expr[]; readonly profile: Profile | null } {
  if (!isProfiled || options.optimize === false)
    return { roots: rewritingOf(options).apply(roots), profile: null };
  const { mode = "fastRun", include = [], exclude = [], onFail, database: given } = options;
  const database = given === undefined ? engine.pipeline : ruleSequence(given);
  const rewritten = rewriteAll(roots, { database, mode, include, exclude, onFail, profile: true });
  return { roots: rewritten.roots, profile: rewritten.report.profile };
}

/** `optimize: false` rewrites nothing. Options that come again have the same rewriting, unless rules were registered since. */
export function rewritingOf(options: RewritingOptions): Rewriting {
  if (options.optimize === false) return NOTHING;
  const database = options.database === undefined ? engine.pipeline : ruleSequence(options.database);
  const { version } = database;
  const known = rewritings.get(options);
  if (known?.version === version) return known.rewriting;
  const rewriting = rewritingBy(database, options);
  rewritings.set(options, { version, rewriting });
  return rewriting;
}

function rewritingBy(
  database: RuleSequence,
  { mode = "fastRun", include = [], exclude = [], onFail }: RewritingOptions,
): Rewriting {
  return {
    // The version counts what users register.
    key: `${mode} +${include.join()} -${exclude.join()} ${onFail} ${database.number}.${database.version}`,
    apply: (roots: readonly Expr[]) => rewriteAll(roots, { database, mode, include, exclude, onFail }).roots,
  };
}

function ruleSequence(given: RuleDatabase): RuleSequence {
  if (given instanceof RuleSequence) return given;
  throw new ValueError({ what: `database is ${describe(given)}`, cure: "It must be a RuleSequence" });
}

/**
 * The line that made each node *here*: the expression may be shared with one that was written elsewhere before.
 */
export function sitesOf(arrays: readonly LazyArray[]): (node: Expr) => Site | null {
  // Most plans are found again, and nobody asks.
  const sites = once(() => {
    const found = new Map<Expr, Site | null>();
    const seen = new Set<LazyArray>(arrays);
    for (const array of seen) {
      if (array.site !== null) found.set(array.expr, array.site);
      for (const parent of array.parents) seen.add(parent);
    }
    return found;
  });
  return (node) => sites().get(node) ?? node.site;
}

export interface Prepared {
  readonly plan: Plan;
  /** The plan's data with the lines of the user's code. */
  readonly withLines: () => PlanData;
  readonly results: (blocks: readonly Block[]) => NDArray[];
}

/** Each expression once in the plan, each array's result in its place. */
export function prepare(
  arrays: readonly LazyArray[],
  options: PlanningOptions & Pick<ComputeOptions, "backend">,
): Prepared {
  const backend = backendOf(options);
  // Most often one, and then every microsecond is seen.
  const isOne = arrays.length === 1;
  const roots = isOne ? [arrays[0]!.expr] : [...new Set(arrays.map(({ expr }) => expr))];
  const { plan, withLines } = planned(roots, rewritingOf(options), options, { siteOf: sitesOf(arrays) });
  const results = (blocks: readonly Block[]): NDArray[] => {
    const made = blocks.map((block) => NDArray.fromBlock(block, backend));
    if (isOne) return made;
    const byExpr = new Map(roots.map((root, i) => [root, made[i]!]));
    return arrays.map(({ expr }) => byExpr.get(expr)!);
  };
  return { plan, withLines, results };
}

/** The same for arrays whose results are to have these chunks, one result per array, whatever the optimizer made of them. */
export function prepareCut(
  arrays: readonly LazyArray[],
  cuts: readonly ResultCut[],
  options: PlanningOptions,
): Pick<Prepared, "plan" | "withLines"> {
  const roots = arrays.map(({ expr }) => expr);
  const transfers = cuts.map(({ transfer }) => transfer);
  return planned(roots, cutAfter(rewritingOf(options), cuts), options, {
    siteOf: sitesOf(arrays),
    transfers,
  });
}

/** How a result is stored. */
export interface ResultCut {
  readonly chunks: ChunkShape;
  readonly transfer: Transfer;
  /** Other results may be computed from what is stored of it. */
  readonly isReadable: boolean;
}

/** The same for partitions, which go to whoever takes them. */
export function preparePartitions(
  roots: readonly Expr[],
  options: PlanningOptions,
): Pick<Prepared, "plan" | "withLines"> {
  const rewriting = rewritingOf(options);
  // What nobody can look into was told of when the plan was made.
  const again = rewritingOf({ ...options, onFail: "pass" });
  return planned(roots, rewriting, options, { again });
}

/** What a plan depends on, and with what it may be run. */
export type PlanningOptions = Pick<AsyncComputeOptions, keyof ComputeOptions | "spec">;

interface PlannedWith {
  /** Which lines the nodes have, where these are not their own. */
  readonly siteOf?: SiteOf;
  /** How expressions are rewritten when lines are asked for. */
  readonly again?: Rewriting;
  /** Where results go, if not to memory. */
  readonly transfers?: readonly Transfer[];
}

function planned(
  roots: readonly Expr[],
  rewriting: Rewriting,
  options: PlanningOptions,
  { siteOf = siteOfNode, again = rewriting, transfers }: PlannedWith,
): Pick<Prepared, "plan" | "withLines"> {
  const chosen = storedTo(planOptions(options), options.spec, transfers);
  const exactly = (): Plan => planOf(again.apply(roots), { ...chosen, siteOf });
  return { plan: engine.plans.planFor(roots, rewriting, chosen, exactly), withLines: () => exactly().data };
}

const chosenOf = new WeakMap<PlanningOptions, PlanOptions>();

/** The options of planning alone, and the budget of the spec. */
export function planOptions(options: PlanningOptions): PlanOptions {
  let chosen = chosenOf.get(options);
  if (chosen === undefined) {
    const { spec } = options;
    const memory = spec === undefined ? NO_OPTIONS : budgetOf(spec);
    const planning = planningOf(options);
    chosen = Object.keys(planning).length === 0 ? memory : { ...memory, ...planning };
    chosenOf.set(options, chosen);
  }
  return chosen;
}

/** The same for results that go to stores. */
const storedTo = (
  options: PlanOptions,
  spec: Spec | undefined,
  transfers?: readonly Transfer[],
): PlanOptions =>
  transfers === undefined
    ? options
    : { ...options, storage: planStorage(spec?.codecs ?? null, engine.codecs, transfers) };

const NO_OPTIONS: PlanOptions = {};
const budgets = new WeakMap<Spec, PlanOptions>();

/** One object for each spec: what plans depend on is then known by it. */
function budgetOf(spec: Spec): PlanOptions {
  let budget = budgets.get(spec);
  if (budget === undefined) {
    budget = {
      allowedMem: spec.budget,
      reservedMem: spec.reservedMem,
      storage: planStorage(spec.codecs, engine.codecs),
    };
    budgets.set(spec, budget);
  }
  return budget;
}

function cutAfter(rewriting: Rewriting, cuts: readonly ResultCut[]): Rewriting {
  const chunks = cuts.map((cut) => cut.chunks);
  const recut = (root: Expr, i: number): Expr => makeExpr(rechunk, [root], { chunks: chunks[i]! }, root.site);
  const cutAll = (roots: readonly Expr[]): Expr[] => {
    const seen = new Set<Expr>();
    return roots.map((root, i) => {
      let cut = sameShape(chunksOf(root), chunks[i]!) ? root : recut(root, i);
      // A copy, where others could read what cannot be read.
      if (!cuts[i]!.isReadable && roots.length > 1) cut = recut(cut, i);
      // The same array may go to two places: each is a result of its own.
      while (seen.has(cut)) cut = recut(cut, i);
      seen.add(cut);
      return cut;
    });
  };
  return {
    key: `${rewriting.key} cut ${cuts.map(({ chunks, isReadable }) => `${chunks.join()}${isReadable ? "" : "!"}`).join(";")}`,
    apply: (roots) => cutAll(rewriting.apply(roots)),
  };
}

/** What computes: what the call names, or the engine's. */
export const backendOf = ({ backend }: Pick<ComputeOptions, "backend">): Backend => backend ?? engine.backend;

export function requestOf(
  { plan, withLines }: Pick<Prepared, "plan" | "withLines">,
  options: ComputeOptions,
): RunRequest {
  const { onEvent, threads } = options;
  return {
    plan: plan.data,
    sources: plan.sources,
    withLines,
    emit: onEvent === undefined ? null : guarded(onEvent),
    codecs: engine.codecs,
    formats: engine.formats,
    partitions: engine.tasks.partitions,
    backend: backendOf(options),
    threads,
  };
}

/** Who looks on must not break the run. */
export function guarded(onEvent: (event: RunEvent) => void): (event: RunEvent) => void {
  let isOn = true;
  return (event) => {
    if (!isOn) return;
    try {
      onEvent(event);
    } catch (error) {
      isOn = false;
      console.warn(`chunkwise: onEvent threw at ${event.type} and sees no more events:`, error);
    }
  };
}
