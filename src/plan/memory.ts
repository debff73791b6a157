// Memory of a task, stated before it runs: its windows, its temporaries and its outputs. Each term has its reason.
// What kernels keep besides (a thread's scratch, tiles of arrays from outside) does not depend on the task.

import { blockBytes } from "../core/block.ts";
import { numberOf, placeOf } from "../core/chunks.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { compileTask } from "./compile/task.ts";
import type { Operation, PlanArray } from "./plan.ts";

export interface MemoryTerm {
  readonly reason: string;
  readonly bytes: number;
}

/** Up to so many tasks all are looked at; of more, those at the corners of the grid and as many in between. */
const FEW_TASKS = 64;

/** The largest of the tasks that are looked at. */
export function memoryOf(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): MemoryTerm[] {
  const { grid } = operation;
  if (sizeOf(grid) === 0) return [];
  const count = sizeOf(grid);
  const step = Math.max(1, count / FEW_TASKS);
  const tasks = new Set(cornersOf(grid).map((place) => numberOf(place, grid)));
  for (let task = 0; task < count; task += step) tasks.add(Math.floor(task));
  const probes = [...tasks].map((task) => taskMemory(operation, arrays, placeOf(task, grid)));
  return probes.reduce((most, terms) => (totalMemory(terms) > totalMemory(most) ? terms : most));
}

/** Windows that are one on the diagonal are two elsewhere, so corners off it count, along the first axes at least. */
const MAX_CORNERS = 16;

function cornersOf(grid: Shape): number[][] {
  let corners: number[][] = [[]];
  for (const n of grid) {
    const ends = n > 1 && 2 * corners.length <= MAX_CORNERS ? [0, n - 1] : [n - 1];
    corners = ends.flatMap((end) => corners.map((corner) => [...corner, end]));
  }
  return [grid.map(() => 0), ...corners];
}

function taskMemory(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  place: readonly number[],
): MemoryTerm[] {
  const { program, reads, writes } = compileTask(operation, arrays, place);
  const windows = (reason: string, list: typeof reads): MemoryTerm[] =>
    list.map(({ array, box }) => ({
      reason: `${reason} ${array}`,
      bytes: blockBytes(arrays.get(array)!.dtype, box.shape),
    }));
  const temporaries = program.buffers.filter(({ role }) => role === "temporary");
  const temporary = temporaries.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);
  return [
    ...windows("read", reads),
    ...(temporary > 0 ? [{ reason: "temporaries", bytes: temporary }] : []),
    ...windows("write", writes),
  ];
}

export const totalMemory = (terms: readonly MemoryTerm[]): number =>
  terms.reduce((sum, { bytes }) => sum + bytes, 0);
