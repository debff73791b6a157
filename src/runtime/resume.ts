// Going on where an earlier run was. In: a plan, its targets, and its named folder. Out: the tasks whose outputs are stored.
// Must hold: nothing that another computation made is ever taken for ours: the mark of a target says whose it is (mark.ts),
// the folder of intermediates has the key in its name, and what was damaged meanwhile is removed before (damaged.ts).

import { gridOf, numberOf } from "../core/chunks.ts";
import type { PlanArray, PlanData } from "../plan/plan.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import type { StoredArray } from "./arrays.ts";
import type { FoundTask } from "./scheduler/scheduler.ts";
import type { IntermediateStore } from "./workDir.ts";

/** Numbers of the chunks that are stored: those that were damaged are not there any more. */
async function storedChunks(array: ZarrArray): Promise<Set<number>> {
  const grid = gridOf(array.shape, array.metadata.unitShape);
  const chunks = new Set<number>();
  for await (const place of array.listShards()) chunks.add(numberOf(place, grid));
  return chunks;
}

/** Tasks whose results are stored in targets that are resumed, or that have none; with their intermediates, or without. */
export async function foundTasks(
  plan: PlanData,
  targets: ReadonlyMap<string, StoredArray>,
  intermediates: IntermediateStore | null,
): Promise<FoundTask[]> {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const found: FoundTask[] = [];
  for (const [op, { outputs }] of plan.operations.entries()) {
    const made = outputs.map(({ array }) => arrays.get(array)!);
    const results = made.filter(({ role }) => role === "result");
    const held = made.filter(({ role }) => role === "intermediate");
    const inTargets = await allStored(results.map(({ name }) => targets.get(name)?.array));
    const inStore = await storedIn(intermediates, held);
    const tasks = results.length > 0 ? inTargets : inStore;
    for (const task of tasks ?? []) found.push({ op, task, hasHeld: inStore?.has(task) ?? false });
  }
  return found;
}

async function storedIn(
  intermediates: IntermediateStore | null,
  arrays: readonly PlanArray[],
): Promise<Set<number> | null> {
  if (intermediates === null || !intermediates.isNamed) return null;
  const stored: ZarrArray[] = [];
  for (const array of arrays) stored.push(await intermediates.arrayFor(array));
  return allStored(stored);
}

/** Chunks that all of these arrays have; null when one is not stored at all, or there are none. */
async function allStored(arrays: readonly (ZarrArray | undefined)[]): Promise<Set<number> | null> {
  const sets: Set<number>[] = [];
  for (const array of arrays) {
    if (array === undefined) return null;
    sets.push(await storedChunks(array));
  }
  const [first, ...others] = sets;
  return first === undefined
    ? null
    : new Set([...first].filter((chunk) => others.every((set) => set.has(chunk))));
}
