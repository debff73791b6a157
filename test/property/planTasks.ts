// The tasks of a plan, compiled, and what they need. In: plan data. Out: task programs, bytes.

import { blockBytes } from "../../src/core/block.ts";
import { placeOf } from "../../src/core/chunks.ts";
import { sizeOf } from "../../src/core/shape.ts";
import { liveBytes } from "../../src/kernel/lifetimes.ts";
import { compileTask, type TaskProgram } from "../../src/plan/compile/task.ts";
import type { Operation, PlanArray, PlanData } from "../../src/plan/plan.ts";

export type Arrays = ReadonlyMap<string, PlanArray>;

export const arraysOf = (plan: PlanData): Arrays => new Map(plan.arrays.map((array) => [array.name, array]));

export function tasksOf(operation: Operation, arrays: Arrays): TaskProgram[] {
  const count = sizeOf(operation.grid);
  return Array.from({ length: count }, (_, i) => compileTask(operation, arrays, placeOf(i, operation.grid)));
}

/** The most bytes that a task's buffers have at once: windows always, temporaries while they are alive. */
function bufferBytes({ program }: TaskProgram): number {
  const bound = program.buffers.filter(({ role }) => role !== "temporary");
  const windows = bound.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);
  return windows + Math.max(0, ...liveBytes(program));
}

/** The most that any task of an operation needs. */
export const mostBytes = (operation: Operation, arrays: Arrays): number =>
  Math.max(0, ...tasksOf(operation, arrays).map(bufferBytes));
