// In which state the sources of a run are. In: a source, and the plan that reads it. Out: a text that is another for another
// state of what is read, or null where that cannot be known: then nothing of an earlier run is taken for this one's.

import type { Resource } from "../core/attrs.ts";
import { gridOf, placeOf } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import { PartitionResource } from "../ops/partitions.ts";
import { type PlanData, readsOf } from "../plan/plan.ts";
import { taskWindows } from "../plan/windows.ts";
import { keyIn, type Store, type StoreKey } from "../storage/store.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";
import { mapLimited } from "../storage/zarr/limited.ts";
import { chunksIn } from "./planGraph.ts";
import { ZarrResource } from "./zarrResource.ts";

export async function sourceState(name: string, resource: Resource, plan: PlanData): Promise<string | null> {
  // Nobody asks servers for the versions of such files.
  if (resource instanceof PartitionResource && isRemote(resource)) return null;
  // The fingerprint says it: elements in memory by what they are, files by size and time.
  if (!(resource instanceof ZarrResource)) return "";
  const { array } = resource;
  const { store, path } = array;
  const state = await folderState(store, path);
  return state ?? (store.version === undefined ? null : versionsRead(name, array, plan));
}

const isRemote = (resource: PartitionResource): boolean =>
  /"https?:\/\//i.test(JSON.stringify(resource.location()));

/** The states of an array's objects, but the mark that a run leaves; null where the store does not tell them. */
export async function folderState(store: Store, path: string): Promise<string | null> {
  if (store.states === undefined) return null;
  const states = await store.states((path === "" ? "/" : path) as StoreKey);
  return states.filter((state) => !state.startsWith(keyIn(path, MARK))).join("\n");
}

/** The file in a target that says which computation fills it. */
export const MARK = ".chunkwise-run";

const METADATA = ["zarr.json", ".zarray", ".zattrs"];
const AT_ONCE = 16;

async function versionsRead(name: string, array: ZarrArray, plan: PlanData): Promise<string | null> {
  const units = unitsRead(name, array, plan);
  if (units === null) return null;
  const grid = gridOf(array.shape, array.metadata.unitShape);
  const keys = [
    ...METADATA.map((document) => keyIn(array.path, document)),
    ...[...units].map((unit) => array.shardKey(placeOf(unit, grid))),
  ];
  return versionsOf(array.store, keys);
}

async function versionsOf(store: Store, keys: readonly StoreKey[]): Promise<string | null> {
  const versions = new Map<StoreKey, string>();
  await mapLimited(keys, AT_ONCE, async (key) => {
    const version = await store.version!(key);
    if (version !== null) versions.set(key, version ?? "none");
  });
  return versions.size < keys.length ? null : keys.map((key) => `${key} ${versions.get(key)}`).join("\n");
}

/** Each is a request of its own, before the run. */
const MOST_ASKED = 4096;
/** The windows of so many tasks are looked at. */
const MOST_TASKS = 100_000;

/** Numbers of the stored objects that a plan reads of a source; null when they are too many to ask for each. */
export function unitsRead(
  name: string,
  { shape, metadata: { unitShape } }: Pick<ZarrArray, "shape" | "metadata">,
  plan: PlanData,
): Set<number> | null {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const readers = plan.operations.filter((operation) => [...readsOf(operation)].includes(name));
  const tasks = readers.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  const units = new Set<number>();
  const grid = gridOf(shape, unitShape);
  if (tasks > MOST_TASKS) {
    const all = sizeOf(grid);
    for (let unit = 0; unit < Math.min(all, MOST_ASKED + 1); unit++) units.add(unit);
  } else
    for (const operation of readers)
      for (let task = 0; task < sizeOf(operation.grid); task++)
        for (const { array, box } of taskWindows(operation, arrays, placeOf(task, operation.grid)))
          if (array === name) {
            for (const unit of chunksIn(box, grid, unitShape)) units.add(unit);
            if (units.size > MOST_ASKED) return null;
          }
  return units.size > MOST_ASKED ? null : units;
}
