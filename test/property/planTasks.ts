// The tasks of a plan, compiled, and what they need. In: plan data. Out: task programs, bytes.

import { blockBytes } from "../../src/core/block.ts";
import { placeOf, sizeOf } from "../../src/core/chunks.ts";
import { type Buffer, liveBytes } from "../../src/kernel/blockProgram.ts";
import { compileTask } from "../../src/plan/compile/compileTask.ts";
import type { TaskProgram } from "../../src/plan/compile/programWriter.ts";
import { roundsOf } from "../../src/plan/compile/rounds.ts";
import { isStraightCopy } from "../../src/plan/compile/straightCopy.ts";
import type { Operation, PlanArray, PlanData } from "../../src/plan/plan.ts";

export type Arrays = ReadonlyMap<string, PlanArray>;

export const arraysOf = (plan: PlanData): Arrays => new Map(plan.arrays.map((array) => [array.name, array]));

export function tasksOf(operation: Operation, arrays: Arrays): TaskProgram[] {
  const count = sizeOf(operation.grid);
  return Array.from({ length: count }, (_, i) => compileTask(operation, arrays, placeOf(i, operation.grid)));
}

/** The most bytes that a task has at once: of two rounds where it has rounds, and of what comes behind them. */
function taskBytes(task: TaskProgram): number {
  const rounded = roundsOf(task);
  if (rounded === null) return bufferBytes(task);
  const { reads, program } = rounded.round(0);
  const windows = reads.reduce((sum, { buffer }) => {
    const { dtype, shape } = program.buffers[buffer]!;
    return sum + blockBytes(dtype, shape);
  }, 0);
  return 2 * windows + bufferBytes(rounded.rest);
}

/** The most bytes that buffers have at once: windows always, temporaries while they are alive; one where a copy is read into its place. */
function bufferBytes(task: TaskProgram): number {
  const { program } = task;
  const isHeld = ({ role }: Buffer): boolean =>
    role === "output" || (role === "input" && !isStraightCopy(task));
  const bound = program.buffers.filter(isHeld);
  const windows = bound.reduce((sum, { dtype, shape }) => sum + blockBytes(dtype, shape), 0);
  return windows + Math.max(0, ...liveBytes(program));
}

/** The most that any task of an operation needs. */
export const mostBytes = (operation: Operation, arrays: Arrays): number =>
  Math.max(0, ...tasksOf(operation, arrays).map(taskBytes));
