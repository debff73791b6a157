// What a task misses when it could not read a stored intermediate. In: the task and its error. Out: the tasks whose outputs
// are not there any more, all of them at once; null for any other error.

import { sameShape } from "../core/chunks.ts";
import { LostChunkError } from "../storage/errors.ts";
import type { HeldArray } from "./arrays.ts";
import type { RunArrays } from "./runArrays.ts";
import type { TaskRef } from "./scheduler/taskGraph.ts";
import type { IntermediateStore } from "./workDir.ts";

export function lostInputs(
  execution: RunArrays,
  store: IntermediateStore | null,
  ref: TaskRef,
  error: unknown,
): Promise<TaskRef[]> | null {
  return error instanceof LostChunkError && store !== null ? missingFor(execution, store, ref, error) : null;
}

async function missingFor(
  execution: RunArrays,
  store: IntermediateStore,
  { op, task }: TaskRef,
  error: LostChunkError,
): Promise<TaskRef[]> {
  const missing = new Map<string, TaskRef>();
  for (const need of execution.graph.needs(op, task)) {
    const key = `${need.op}.${need.task}`;
    if (missing.has(key)) continue;
    for (const held of execution.heldBy(need))
      if (await isMissing(held, need.task, error)) missing.set(key, need);
  }
  await store.mend();
  return [...missing.values()];
}

async function isMissing(held: HeldArray, chunk: number, { path, place }: LostChunkError): Promise<boolean> {
  const { store } = held;
  if (store === null || held.inMemory(chunk) !== undefined) return false;
  const at = held.placeOf(chunk);
  // What is damaged is there by its name.
  const isNamed = store.path === path && place !== null && sameShape(at, place);
  return isNamed || !(await store.hasShard(at));
}
