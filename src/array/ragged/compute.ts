// Computing lazy ragged arrays: the same rewriter, planner and scheduler as for dense ones. In: lazy arrays. Out: arrays
// in memory, or single values; partitions can be taken one by one as they come.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import type { Partition } from "../../expr/op.ts";
import { asyncCall, userCall } from "../../lazy/call.ts";
import { type Plan, planOf } from "../../plan/index.ts";
import { type Layout, mergeRows, plain, toList } from "../../ragged/index.ts";
import type { TakePartition } from "../../runtime/partitionTasks.ts";
import { runPlan } from "../../runtime/run.ts";
import { runKey } from "../../runtime/runKey.ts";
import {
  type AsyncComputeOptions,
  type CheckedRun,
  checkRun,
  OPTIONS_AT,
  type PlanOnlyOptions,
  settingFor,
} from "../../runtime/spec.ts";
import { engine } from "../defaultEngine.ts";
import { planOptions, preparePartitions, requestOf, rewritingOf } from "../prepare.ts";
import { dressed } from "./behaviors/dress.ts";
import { type LazyItem, LazyRagged, type LazyResult, RaggedArray, type RaggedValue } from "./raggedArrays.ts";

/** A value of an item, an array of an array, a histogram of a lazy one. */
export type Computed<X> = X extends LazyResult<infer R> ? R : X extends LazyItem ? RaggedValue : RaggedArray;

/** What can be computed. */
export type Computable = LazyRagged | LazyResult<unknown>;

/** What the partitions of each array go to. */
type Takers = readonly TakePartition[];

/** Runs all in one plan; every partition goes to its array's taker as soon as it is there. */
export async function runRagged(
  arrays: readonly LazyRagged[],
  takers: Takers,
  options: CheckedRun,
): Promise<void> {
  const prepared = preparePartitions(
    arrays.map(({ expr }) => expr),
    options,
  );
  const { data, sources } = prepared.plan;
  const byName = new Map<string, TakePartition[]>();
  data.results.forEach((name, i) => byName.set(name, [...(byName.get(name) ?? []), takers[i]!]));
  const setting = await settingFor(data, () => runKey(data, sources), options, engine);
  const takersOf = new Map([...byName].map(([name, list]) => [name, toAll(list)]));
  await runPlan({ ...requestOf(prepared, options), takers: takersOf }, setting);
}

const toAll =
  (takers: Takers): TakePartition =>
  async (at, partition) => {
    for (const take of takers) await take(at, partition);
  };

export async function computeLazy(wanted: readonly Computable[], options: CheckedRun): Promise<unknown[]> {
  const arrays = wanted.map(rowsWanted);
  const parts = arrays.map((): Partition[] => []);
  await runRagged(
    arrays,
    parts.map((list) => (at, partition) => {
      list[at] = partition;
    }),
    options,
  );
  // What has been put together is let go before the next.
  return wanted.map((array, i) => resultOf(array, parts[i]!.splice(0) as Layout[]));
}

const rowsWanted = (array: Computable): LazyRagged => (array instanceof LazyRagged ? array : array.rows);

function resultOf(array: Computable, parts: readonly Layout[]): unknown {
  const rows = mergeRows(parts.map(plain));
  if (!(array instanceof LazyRagged)) return array.resultOf(new RaggedArray(rows));
  return array.isItem ? (toList(rows)[0] as RaggedValue) : dressed(new RaggedArray(rows));
}

/** A lazy array, or the rows of what else is lazy. */
export const lazyOnly = (array: unknown): LazyRagged => rowsWanted(computable(array));

function computable(array: unknown): Computable {
  if (array instanceof LazyRagged || isLazyResult(array)) return array;
  throw new ValueError({
    what: `${describe(array)} is not a lazy ragged array`,
    cure:
      array instanceof RaggedArray
        ? "It is computed already"
        : "Make one with fromParquet, fromLists or lazy",
  });
}

const isLazyResult = (value: unknown): value is LazyResult<unknown> =>
  typeof value === "object" &&
  value !== null &&
  "resultOf" in value &&
  (value as { rows?: unknown }).rows instanceof LazyRagged;

/** Computes one array, or several that share their work: `await rg.compute(x)`, `await rg.compute([x, y])`. */
export const compute: {
  <X extends Computable>(array: X, options?: AsyncComputeOptions): Promise<Computed<X>>;
  <const X extends readonly Computable[]>(
    arrays: X,
    options?: AsyncComputeOptions,
  ): Promise<{ -readonly [K in keyof X]: Computed<X[K]> }>;
} = asyncCall(
  "compute",
  async (arrays: Computable | readonly Computable[], options?: AsyncComputeOptions) => {
    const checked = checkRun(options, "compute", "run", engine.spec);
    if (Array.isArray(arrays)) return computeLazy(Array.from(arrays, computable), checked);
    return (await computeLazy([computable(arrays)], checked))[0]!;
  },
  [1, ...OPTIONS_AT.run],
) as never;

/** The plan of one or several arrays. Computes nothing: `console.log(rg.plan([x, y]))`. */
export const plan: (arrays: Computable | readonly Computable[], options?: PlanOnlyOptions) => Plan = userCall(
  "plan",
  (arrays: Computable | readonly Computable[], given?: PlanOnlyOptions) => {
    const list = Array.from(Array.isArray(arrays) ? arrays : [arrays], lazyOnly);
    const checked = checkRun(given, "plan", "plan", engine.spec);
    const roots = [...new Set(list.map(({ expr }) => expr))];
    const options = { ...checked, spec: checked.spec ?? engine.spec };
    return planOf(rewritingOf(options).apply(roots), planOptions(options));
  },
  [1, ...OPTIONS_AT.plan],
);
