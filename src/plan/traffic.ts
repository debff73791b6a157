// Traffic: the bytes that the tasks of an operation read and write, all together. In: an operation. Out: sums over all
// tasks without looking at all of them. Without moves the tasks of an operation differ only where chunks at the ends are
// shorter, so one task for each combination of ends stands for all of its kind and the sum is exact; with moves it is
// exact where tasks are few, and otherwise what some of them read, times how many there are.

import { blockBytes } from "../core/block.ts";
import { placeOf } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import { compileTask } from "./compile/task.ts";
import { isRagged, type Operation, type PlanArray, type PlanData } from "./plan.ts";
import { arrayBytes, partitionsRead } from "./ragged.ts";

export interface Traffic {
  readonly read: number;
  readonly written: number;
  /** False where `read` is an estimate. */
  readonly isExact: boolean;
}

type Arrays = ReadonlyMap<string, PlanArray>;

const FEW_TASKS = 64;

export function trafficOf(operation: Operation, arrays: Arrays): Traffic {
  const isRegular = operation.steps.every(
    ({ kind }) => kind !== "move" && kind !== "scan" && kind !== "ragged",
  );
  const count = sizeOf(operation.grid);
  const written = operation.outputs.reduce((sum, { array }) => sum + arrayBytes(arrays.get(array)!), 0);
  const isExact = isRegular || count <= FEW_TASKS;
  const kinds = isRegular ? kindsOf(operation) : sampleOf(operation, count);
  const read = kinds.reduce((sum, { place, tasks }) => sum + tasks * bytesRead(operation, arrays, place), 0);
  return { read: Math.round(read), written, isExact };
}

function bytesRead(operation: Operation, arrays: Arrays, place: readonly number[]): number {
  if (isRagged(operation))
    return [...partitionsRead(operation, arrays, place).values()].reduce((sum, bytes) => sum + bytes, 0);
  const { reads } = compileTask(operation, arrays, place);
  return reads.reduce((sum, { array, box }) => sum + blockBytes(arrays.get(array)!.dtype, box.shape), 0);
}

interface TaskKind {
  readonly place: readonly number[];
  /** How many tasks are of this kind. */
  readonly tasks: number;
}

/** Along every axis the last task is one kind, and all others are another. */
function kindsOf({ grid }: Operation): TaskKind[] {
  let kinds: TaskKind[] = [{ place: [], tasks: 1 }];
  for (const n of grid) {
    const ends = [
      { at: 0, times: n - 1 },
      { at: n - 1, times: Math.min(1, n) },
    ].filter(({ times }) => times > 0);
    kinds = kinds.flatMap(({ place, tasks }) =>
      ends.map(({ at, times }) => ({ place: [...place, at], tasks: tasks * times })),
    );
  }
  return kinds;
}

function sampleOf({ grid }: Operation, count: number): TaskKind[] {
  const looked = Math.min(count, FEW_TASKS);
  return Array.from({ length: looked }, (_, i) => ({
    place: placeOf(Math.floor((i * count) / looked), grid),
    tasks: count / looked,
  }));
}

/** All operations of a plan. */
export function planTraffic({ operations, arrays }: PlanData): Traffic {
  const known = new Map(arrays.map((array) => [array.name, array]));
  const parts = operations.map((operation) => trafficOf(operation, known));
  return {
    read: parts.reduce((sum, { read }) => sum + read, 0),
    written: parts.reduce((sum, { written }) => sum + written, 0),
    isExact: parts.every(({ isExact }) => isExact),
  };
}
