// Traffic: the bytes that the tasks of an operation read and write, all together. In: an operation. Out: the sums over all
// tasks, from one of each kind (windows/kinds.ts) and how many are of it. Of ragged arrays bytes are what is expected of
// their partitions.

import { blockBytes } from "../core/block.ts";
import { denseOf } from "../expr/op.ts";
import { compileTask } from "./compile/compileTask.ts";
import { isRagged, type Operation, type PlanArray, type PlanData } from "./plan.ts";
import { arrayBytes, partitionsRead } from "./taskMemory.ts";
import { taskKinds } from "./windows/taskKinds.ts";

export interface Traffic {
  readonly read: number;
  readonly written: number;
}

type Arrays = ReadonlyMap<string, PlanArray>;

const known = new WeakMap<Operation, Traffic>();

export function trafficOf(operation: Operation, arrays: Arrays): Traffic {
  let traffic = known.get(operation);
  if (traffic === undefined) {
    traffic = sumOf(operation, arrays);
    known.set(operation, traffic);
  }
  return traffic;
}

function sumOf(operation: Operation, arrays: Arrays): Traffic {
  const written = operation.outputs.reduce((sum, { array }) => sum + arrayBytes(arrays.get(array)!), 0);
  let read = 0;
  for (const { place, tasks } of taskKinds(operation, arrays))
    read += tasks * bytesRead(operation, arrays, place);
  return { read, written };
}

function bytesRead(operation: Operation, arrays: Arrays, place: readonly number[]): number {
  if (isRagged(operation))
    return [...partitionsRead(operation, arrays, place).values()].reduce((sum, bytes) => sum + bytes, 0);
  const { reads } = compileTask(operation, arrays, place);
  return reads.reduce(
    (sum, { array, box }) => sum + blockBytes(denseOf(arrays.get(array)!).dtype, box.shape),
    0,
  );
}

/** All operations of a plan. */
export function planTraffic({ operations, arrays }: PlanData): Traffic {
  const known = new Map(arrays.map((array) => [array.name, array]));
  const parts = operations.map((operation) => trafficOf(operation, known));
  return {
    read: parts.reduce((sum, { read }) => sum + read, 0),
    written: parts.reduce((sum, { written }) => sum + written, 0),
  };
}
