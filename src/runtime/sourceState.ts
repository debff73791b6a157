// In which state the sources of a run are. In: a source, and the plan that reads it. Out: a text that is another for another
// state of what is read, or null where that cannot be known: then nothing of an earlier run is taken for this one's.

import type { Resource } from "../core/attrs.ts";
import { type ChunkShape, gridOf, placeOf } from "../core/chunks.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { PartitionResource } from "../ops/partitions.ts";
import { type PlanData, readsOf } from "../plan/plan.ts";
import { taskWindows } from "../plan/windows.ts";
import { StoredSource } from "../storage/formats/storedSource.ts";
import { chunksIn } from "./planGraph.ts";

export async function sourceState(name: string, resource: Resource, plan: PlanData): Promise<string | null> {
  // Nobody asks servers for the versions of such files.
  if (resource instanceof PartitionResource && isRemote(resource)) return null;
  // The fingerprint says it: elements in memory by what they are, files by size and time.
  if (!(resource instanceof StoredSource)) return "";
  const { array } = resource;
  return array.state?.((unit) => unitsRead(name, array.shape, unit, plan)) ?? null;
}

const isRemote = (resource: PartitionResource): boolean =>
  /"https?:\/\//i.test(JSON.stringify(resource.location()));

/** Each is a request of its own, before the run. */
const MOST_ASKED = 4096;
/** The windows of so many tasks are looked at. */
const MOST_TASKS = 100_000;

/** Numbers of the stored objects that a plan reads of a source; null when they are too many to ask for each. */
function unitsRead(name: string, shape: Shape, unit: ChunkShape, plan: PlanData): Set<number> | null {
  const arrays = new Map(plan.arrays.map((array) => [array.name, array]));
  const readers = plan.operations.filter((operation) => [...readsOf(operation)].includes(name));
  const tasks = readers.reduce((sum, { grid }) => sum + sizeOf(grid), 0);
  const units = new Set<number>();
  const grid = gridOf(shape, unit);
  if (tasks > MOST_TASKS) {
    const all = sizeOf(grid);
    for (let at = 0; at < Math.min(all, MOST_ASKED + 1); at++) units.add(at);
  } else
    for (const operation of readers)
      for (let task = 0; task < sizeOf(operation.grid); task++)
        for (const { array, box } of taskWindows(operation, arrays, placeOf(task, operation.grid)))
          if (array === name) {
            for (const at of chunksIn(box, grid, unit)) units.add(at);
            if (units.size > MOST_ASKED) return null;
          }
  return units.size > MOST_ASKED ? null : units;
}
