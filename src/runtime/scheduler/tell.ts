// What the scheduler tells of: events, made only when somebody listens.

import type { RunEvent, TaskStats } from "../events.ts";
import type { Attempt } from "./entry.ts";
import { messageOf } from "./failure.ts";
import type { OperationNode, TaskRef } from "./taskGraph.ts";

export type Emit = (event: RunEvent) => void;

interface Setting {
  readonly pool: string;
  readonly workers: number;
  readonly budget: number;
}

export class Teller {
  readonly #operations: readonly OperationNode[];
  readonly #emit: Emit | null;
  readonly #hasBegun: boolean[];
  readonly #hasEnded: boolean[];

  constructor(operations: readonly OperationNode[], emit: Emit | null) {
    this.#operations = operations;
    this.#emit = emit;
    this.#hasBegun = operations.map(() => false);
    this.#hasEnded = operations.map(() => false);
  }

  begin(time: number, { pool, workers, budget }: Setting, tasksDone: number): void {
    if (this.#emit === null) return;
    const operations = this.#operations.map(({ name, label, tasks, projectedMem }) => ({
      ...{ name, label, tasks, projectedMem },
    }));
    this.#emit({
      ...{ type: "computeStart", time, operations, tasksDone, pool, workers },
      tasks: operations.reduce((sum, { tasks }) => sum + tasks, 0),
      allowedMem: Number.isFinite(budget) ? budget : null,
    });
  }

  end(time: number, outcome: "done" | "failed" | "cancelled", error: unknown): void {
    const reason = error === undefined ? {} : { error: messageOf(error) };
    this.#emit?.({ type: "computeEnd", time, outcome, ...reason });
  }

  taskStart(time: number, ref: TaskRef, attempt: Attempt): void {
    if (this.#emit === null) return;
    const { name, tasks } = this.#operations[ref.op]!;
    if (!this.#hasBegun[ref.op]) this.#emit({ type: "operationStart", time, operation: name, tasks });
    this.#hasBegun[ref.op] = true;
    this.#emit({ type: "taskStart", time, ...this.#about(ref, attempt) });
  }

  taskEnd(
    time: number,
    ref: TaskRef,
    attempt: Attempt,
    outcome: "done" | "failed" | "superseded",
    stats: TaskStats,
  ): void {
    if (this.#emit === null) return;
    const { projectedMem } = this.#operations[ref.op]!;
    this.#emit({ type: "taskEnd", time, ...this.#about(ref, attempt), outcome, ...stats, projectedMem });
  }

  #about(
    { op, task }: TaskRef,
    { number, isTwin, worker }: Attempt,
  ): {
    readonly operation: string;
    readonly task: number;
    readonly attempt: number;
    readonly isTwin: boolean;
    readonly worker: number;
  } {
    return { operation: this.#operations[op]!.name, task, attempt: number, isTwin, worker };
  }

  operationEnd(time: number, op: number): void {
    if (this.#hasEnded[op]) return;
    this.#hasEnded[op] = true;
    this.#emit?.({ type: "operationEnd", time, operation: this.#operations[op]!.name });
  }

  retry(time: number, { op, task }: TaskRef, attempt: Attempt, error: unknown, delayMs: number): void {
    const operation = this.#operations[op]!.name;
    const about = { operation, task, attempt: attempt.number };
    this.#emit?.({ type: "retry", time, ...about, error: messageOf(error), delayMs });
  }

  twin(time: number, { op, task }: TaskRef, elapsedMs: number, medianMs: number): void {
    this.#emit?.({ type: "twin", time, operation: this.#operations[op]!.name, task, elapsedMs, medianMs });
  }

  spill(time: number, { op, task }: TaskRef): void {
    const { name, heldBytes } = this.#operations[op]!;
    this.#emit?.({ type: "spill", time, operation: name, task, bytes: heldBytes });
  }
}
