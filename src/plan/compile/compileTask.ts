// Compiling a task: an operation and one of its places → a block program, what it reads and what it
// writes. Neighbouring elementwise steps become one loop; moves become views where one regular walk does;
// a loop that only feeds a reduction becomes part of it.

import type { Operation, PlanArray } from "../plan.ts";
import { emitLoops, emitSource } from "./elementwiseLoops.ts";
import { type TaskKind, type TaskProgram, TaskWriter } from "./programWriter.ts";
import { emitStep } from "./steps.ts";
import { layoutOf, type TaskLayout } from "./taskLayout.ts";
import { unitsOf } from "./units.ts";

export const compileTask = (
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  place: readonly number[],
): TaskProgram => compileLayout(operation, layoutOf(operation, arrays, place)).task;

export function compileLayout(operation: Operation, layout: TaskLayout): TaskKind {
  const task = new TaskWriter(operation, layout, emitSource);
  for (const unit of unitsOf(operation, task.boxes)) {
    if (unit.kind === "loop") emitLoops(task, unit.steps);
    else emitStep(task, unit.step);
  }
  task.copyOutputs();
  return task.finish();
}
