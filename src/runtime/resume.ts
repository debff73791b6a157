// Going on where an earlier run was. In: a plan, its sources and its targets. Out: a key that is the same for the same
// computation in every process and differs for any other, and the tasks whose outputs are stored already.
// Must hold: nothing that another computation made is ever taken for ours. A target says in a file beside its
// metadata which computation fills it; the folder of intermediates has the key in its name; and the key covers
// what the plan does, where its sources are, and the state of their files.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import { gridOf, numberOf } from "../core/chunks.ts";
import type { PlanArray, PlanData } from "../plan/plan.ts";
import { FileStore } from "../storage/fileStore.ts";
import { keyIn, requireSet, type Store } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import type { StoredArray } from "./arrays.ts";
import { digest } from "./runKey.ts";
import type { FoundTask } from "./scheduler/scheduler.ts";
import { folderState, MARK } from "./sourceState.ts";
import type { IntermediateStore } from "./workDir.ts";

/** True when the target was begun by the computation with this key, and nobody changed it after it was finished. */
export async function isOurs(store: Store, path: string, key: string): Promise<boolean> {
  const bytes = await store.get(keyIn(path, MARK));
  if (bytes === undefined) return false;
  const [marked, state] = new TextDecoder().decode(bytes).split(" ");
  return marked === key && (state === undefined || state === (await finishedState(store, path)));
}

/** True when whoever filled the target said that it is done. */
export async function isFinished(store: Store, path: string): Promise<boolean> {
  const bytes = await store.get(keyIn(path, MARK));
  return bytes !== undefined && new TextDecoder().decode(bytes).includes(" ");
}

export const markBegun = (store: Store, path: string, key: string): Promise<void> =>
  setMark(store, path, key);

export async function markFinished(store: Store, path: string, key: string): Promise<void> {
  await setMark(store, path, `${key} ${await finishedState(store, path)}`);
}

/** It holds what others wrote, too. */
export async function removeMark(store: Store, path: string): Promise<void> {
  await store.delete?.(keyIn(path, MARK));
}

async function setMark(store: Store, path: string, text: string): Promise<void> {
  await requireSet(store)(keyIn(path, MARK), utf8ToBytes(text));
}

async function finishedState(store: Store, path: string): Promise<string> {
  if (!(store instanceof FileStore)) return "done";
  return digest(await folderState(store, path));
}

/** Numbers of the chunks that are stored. */
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
