// Memory of a task, stated before it runs: its windows, its temporaries and its outputs. Each term has its reason.
// What kernels keep besides (a thread's scratch, tiles of arrays from outside) does not depend on the task.

import { blockBytes } from "../core/block.ts";
import { numberOf, placeOf } from "../core/chunks.ts";
import { sizeOf } from "../core/shape.ts";
import { compileTask } from "./compile/task.ts";
import type { Operation, PlanArray } from "./plan.ts";

export interface MemoryTerm {
  readonly reason: string;
  readonly bytes: number;
}

/** The largest of the first, a middle and the last task. */
export function memoryOf(operation: Operation, arrays: ReadonlyMap<string, PlanArray>): MemoryTerm[] {
  const { grid } = operation;
  if (sizeOf(grid) === 0) return [];
  const places = [grid.map(() => 0), grid.map((n) => Math.floor(n / 2)), grid.map((n) => n - 1)];
  const tasks = new Set(places.map((place) => numberOf(place, grid)));
  const probes = [...tasks].map((task) => taskMemory(operation, arrays, placeOf(task, grid)));
  return probes.reduce((most, terms) => (totalMemory(terms) > totalMemory(most) ? terms : most));
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
