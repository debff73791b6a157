// A failed task as the error that users see: what, the op, the chunk, the user's line, and every attempt. In: the plan, which
// task, and how its attempts ended. Out: a RunError.

import { placeOf } from "../core/chunks.ts";
import { ChunkwiseError, RunError } from "../core/errors.ts";
import { LaneFailure } from "../kernel/interpret/lanes.ts";
import type { Operation, PlanData, PlanStep } from "../plan/plan.ts";
import { messageOf } from "../storage/errors.ts";
import type { TaskFailed } from "./scheduler/scheduler.ts";

export function taskError({ ref, failures }: TaskFailed, plan: PlanData): RunError {
  const operation = plan.operations[ref.op]!;
  const chunk = placeOf(ref.task, operation.grid);
  const { error } = failures.at(-1)!;
  const step = stepOf(operation, error);
  const op = step !== undefined && "op" in step ? step.op.name : operation.name;
  const call = step?.call === undefined || step.call === op ? op : `${op} in ${step.call}`;
  const line = step?.line;
  const at = line === undefined ? "" : ` at ${line}`;
  const { what, cure } = partsOf(error);
  return new RunError(
    {
      what: `${what}${attemptsText(failures.map(({ error: reason }) => partsOf(reason).what))}`,
      where: `${call}${at}, chunk [${chunk.join(", ")}] of ${operation.name}`,
      cure,
      operation: op,
      chunk,
      line,
    },
    { cause: error },
  );
}

/** The step that failed, where that is known; else the last one that a line made. */
function stepOf({ steps }: Operation, error: unknown): PlanStep | undefined {
  const origin = originOf(error);
  return origin === undefined
    ? (steps.findLast(({ line }) => line !== undefined) ?? steps.at(-1))
    : steps[origin];
}

/** Errors of other threads carry the number of the step with them. */
function originOf(error: unknown): number | undefined {
  if (error instanceof LaneFailure) return error.origin;
  const { origin } = (error ?? {}) as { origin?: unknown };
  return typeof origin === "number" ? origin : undefined;
}

function partsOf(error: unknown): { what: string; cure: string | undefined } {
  if (error instanceof LaneFailure) return { what: error.trap.message, cure: error.trap.cure };
  if (!(error instanceof ChunkwiseError)) return { what: messageOf(error), cure: undefined };
  const place = error.where === undefined ? "" : ` (${error.where})`;
  return { what: `${error.what}${place}`, cure: error.cure };
}

function attemptsText(messages: readonly string[]): string {
  if (messages.length < 2) return "";
  return `; ${messages.length} attempts failed: ${messages.map((text, i) => `${i + 1}) ${text}`).join(" ")}`;
}

/** The same for the one task of an operation that was run by itself. */
export const failedTask = (plan: PlanData, op: number, error: unknown): RunError =>
  taskError({ ref: { op, task: 0 }, failures: [{ error, isLost: false }] }, plan);
