// Going on where an earlier run was. In: a plan, its targets, and its named folder. Out: the tasks whose outputs are stored.
// Must hold: nothing that another computation made is ever taken for ours: the mark of a target says whose it is (zarrFormat.ts),
// the folder of intermediates has the key in its name, and what was damaged meanwhile is removed before (workDir.ts).

import { numberOf } from "../core/chunks.ts";
import { gridOfArray, type PlanArray, type PlanData } from "../plan/plan.ts";
import type { DenseTarget } from "../storage/formats/denseFormat.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import type { FoundTask } from "./scheduler/scheduler.ts";
import type { IntermediateStore } from "./workDir.ts";

/** Numbers of the chunks that are stored: those that were damaged are not there any more. */
async function storedChunks(array: PlanArray, places: Places): Promise<Set<number>> {
  const grid = gridOfArray(array);
  const chunks = new Set<number>();
  for await (const place of places) chunks.add(numberOf(place, grid));
  return chunks;
}

type Places = AsyncIterable<readonly number[]>;

/**
 * Tasks whose results are stored in targets that are resumed, or that have none; with their intermediates, or without.
 * `keepsAll`: there are no targets, and results are kept where intermediates are.
 */
export async function foundTasks(
  plan: PlanData,
  targets: ReadonlyMap<string, DenseTarget>,
  intermediates: IntermediateStore | null,
  keepsAll = false,
): Promise<FoundTask[]> {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const found: FoundTask[] = [];
  for (const [op, { outputs }] of plan.operations.entries()) {
    const made = outputs.map(({ array }) => arrays.get(array)!);
    const results = made.filter(({ role }) => role === "result");
    const held = made.filter(({ role }) => role === "intermediate");
    const inTargets = keepsAll
      ? await storedIn(intermediates, results)
      : await allStored(results, async ({ name }) => targets.get(name)?.written?.());
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
  if (intermediates === null || !intermediates.isNamed || intermediates.isNew) return null;
  const shards = async (array: PlanArray): Promise<Places> => {
    const stored: ZarrArray = await intermediates.arrayFor(array);
    return stored.listShards();
  };
  return allStored(arrays, shards);
}

/** Chunks that all of these arrays have; null when one is not stored at all, or there are none. */
async function allStored(
  arrays: readonly PlanArray[],
  placesOf: (array: PlanArray) => Promise<Places | undefined>,
): Promise<Set<number> | null> {
  const sets: Set<number>[] = [];
  for (const array of arrays) {
    const places = await placesOf(array);
    if (places === undefined) return null;
    sets.push(await storedChunks(array, places));
  }
  const [first, ...others] = sets;
  return first === undefined
    ? null
    : new Set([...first].filter((chunk) => others.every((set) => set.has(chunk))));
}
