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
import { type LazyItem, LazyRagged, RaggedArray, type RaggedValue } from "./raggedArrays.ts";

/** A value of an item, an array of an array. */
export type Computed<X> = X extends LazyItem ? RaggedValue : RaggedArray;

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

export async function computeLazy(
  arrays: readonly LazyRagged[],
  options: CheckedRun,
): Promise<(RaggedArray | RaggedValue)[]> {
  const parts = arrays.map((): Partition[] => []);
  await runRagged(
    arrays,
    parts.map((list) => (at, partition) => {
      list[at] = partition;
    }),
    options,
  );
  // What has been put together is let go before the next.
  return arrays.map((array, i) => resultOf(array, parts[i]!.splice(0) as Layout[]));
}

function resultOf(array: LazyRagged, parts: readonly Layout[]): RaggedArray | RaggedValue {
  const rows = mergeRows(parts.map(plain));
  return array.isItem ? (toList(rows)[0] as RaggedValue) : new RaggedArray(rows);
}

export function lazyOnly(array: unknown): LazyRagged {
  if (array instanceof LazyRagged) return array;
  throw new ValueError({
    what: `${describe(array)} is not a lazy ragged array`,
    cure:
      array instanceof RaggedArray
        ? "It is computed already"
        : "Make one with fromParquet, fromLists or lazy",
  });
}

/** Computes one array, or several that share their work: `await rg.compute(x)`, `await rg.compute([x, y])`. */
export const compute: {
  <X extends LazyRagged>(array: X, options?: AsyncComputeOptions): Promise<Computed<X>>;
  <const X extends readonly LazyRagged[]>(
    arrays: X,
    options?: AsyncComputeOptions,
  ): Promise<{ -readonly [K in keyof X]: Computed<X[K]> }>;
} = asyncCall(
  "compute",
  async (arrays: LazyRagged | readonly LazyRagged[], options?: AsyncComputeOptions) => {
    const checked = checkRun(options, "compute", "run", engine.spec);
    if (Array.isArray(arrays)) return computeLazy(Array.from(arrays, lazyOnly), checked);
    return (await computeLazy([lazyOnly(arrays)], checked))[0]!;
  },
  [1, ...OPTIONS_AT.run],
) as never;

/** The plan of one or several arrays. Computes nothing: `console.log(rg.plan([x, y]))`. */
export const plan: (arrays: LazyRagged | readonly LazyRagged[], options?: PlanOnlyOptions) => Plan = userCall(
  "plan",
  (arrays: LazyRagged | readonly LazyRagged[], given?: PlanOnlyOptions) => {
    const list = Array.from(Array.isArray(arrays) ? arrays : [arrays], lazyOnly);
    const checked = checkRun(given, "plan", "plan", engine.spec);
    const roots = [...new Set(list.map(({ expr }) => expr))];
    const options = { ...checked, spec: checked.spec ?? engine.spec };
    return planOf(rewritingOf(options).apply(roots), planOptions(options));
  },
  [1, ...OPTIONS_AT.plan],
);
