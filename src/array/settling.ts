// Running stages: what an expression waits for is computed, until it waits for nothing. In: lazy arrays, and the options of a
// run, which are those of each stage. Out: equal arrays that can be lowered, for as long as somebody computes them.

import type { Block } from "../core/block.ts";
import { chunksOf, type Expr } from "../expr/expr.ts";
import { exprOfBlock, LazyArray } from "../lazy/lazyArray.ts";
import { afterStage, type Found, nextStage, type Stage } from "../plan/stages.ts";
import { runPlan, runPlanSync } from "../runtime/run.ts";
import { runKey } from "../runtime/runKey.ts";
import { type CheckedRun, type ComputeOptions, settingFor } from "../runtime/spec.ts";
import { engine } from "./defaultEngine.ts";
import { backendOf, type PlanningOptions, type Prepared, prepare, requestOf } from "./prepare.ts";

/** Runs a plan; its results are in memory. */
export async function run(prepared: Prepared, options: CheckedRun): Promise<Block[]> {
  const relief = backendOf(options).relieve();
  if (relief !== null) await relief;
  const { data, sources } = prepared.plan;
  const setting = await settingFor(data, () => runKey(data, sources), options, engine);
  return runPlan(requestOf(prepared, options), setting);
}

export const runSync = (prepared: Prepared, options: ComputeOptions): Block[] =>
  runPlanSync(requestOf(prepared, options));

/** Does something with arrays that wait for no stage. What was kept for them is given back afterwards. */
export async function withStages<T>(
  arrays: readonly LazyArray[],
  options: CheckedRun,
  last: (settled: readonly LazyArray[]) => Promise<T>,
): Promise<T> {
  return last(
    await throughStages(arrays, async (stage) => {
      const { asks, keeps } = stage;
      const prepared = prepareStage([...asks, ...keeps], options);
      return foundBy(stage, await run(prepared, options));
    }),
  );
}

/** Arrays for later: what could be kept is made again when they are computed. */
export const settleArrays = (arrays: readonly LazyArray[], options: CheckedRun): Promise<LazyArray[]> =>
  throughStages(arrays, async ({ asks, keeps }) => ({
    answers: answersOf(asks, await run(prepareStage(asks, options), options)),
    kept: new Map(keeps.map((keep) => [keep, keep])),
  }));

async function throughStages(
  arrays: readonly LazyArray[],
  find: (stage: Stage) => Promise<Found>,
): Promise<LazyArray[]> {
  let roots = arrays.map(({ expr }) => expr);
  for (let stage = nextStage(roots); stage !== null; stage = nextStage(roots))
    roots = afterStage(
      roots,
      stage,
      stage.asks.length + stage.keeps.length === 0 ? NOTHING : await find(stage),
    );
  return arrays.map((array, i) => settledAs(array, roots[i]!));
}

const NOTHING: Found = { answers: new Map(), kept: new Map() };

/** The same at once. */
export function withStagesSync<T>(
  arrays: readonly LazyArray[],
  options: ComputeOptions,
  last: (settled: readonly LazyArray[]) => T,
): T {
  let roots = arrays.map(({ expr }) => expr);
  for (let stage = nextStage(roots); stage !== null; stage = nextStage(roots)) {
    const wanted = [...stage.asks, ...stage.keeps];
    const blocks = wanted.length === 0 ? [] : runSync(prepareStage(wanted, options), options);
    roots = afterStage(roots, stage, foundBy(stage, blocks));
  }
  return last(arrays.map((array, i) => settledAs(array, roots[i]!)));
}

const settledAs = (array: LazyArray, expr: Expr): LazyArray =>
  expr === array.expr ? array : new LazyArray(expr, array.parents);

/** What a stage computes. */
export const stageArrays = ({ asks, keeps }: Stage): LazyArray[] =>
  [...asks, ...keeps].map((expr) => new LazyArray(expr));

const prepareStage = (exprs: readonly Expr[], options: PlanningOptions): Prepared =>
  prepare(
    exprs.map((expr) => new LazyArray(expr)),
    options,
  );

const answersOf = (asks: readonly Expr[], blocks: readonly Block[]): Map<Expr, Block> =>
  new Map(asks.map((ask, i) => [ask, blocks[i]!]));

function foundBy({ asks, keeps }: Stage, blocks: readonly Block[]): Found {
  const made = blocks.slice(asks.length);
  return {
    answers: answersOf(asks, blocks),
    kept: new Map(keeps.map((keep, i) => [keep, exprOfBlock(made[i]!, chunksOf(keep))])),
  };
}
