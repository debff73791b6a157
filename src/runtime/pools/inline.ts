// The inline pool: tasks run on the thread that asks for them, one after another (or, where they wait for something,
// a few at once); their loops may still be shared by helper threads. Tasks whose arrays are all in memory are done when `run` returns.

import type { Operation } from "../../plan/plan.ts";
import type { TaskArrays } from "../arrays.ts";
import type { TaskStats } from "../events.ts";
import { runTask } from "../task.ts";
import type { Executor, Pool, TaskJob } from "./pool.ts";

/** Tasks on the thread that asks for them. */
export const inlineExecutor: Executor = { name: "inline", isHere: true, pool: (run) => run.here() };

export class InlinePool implements Pool {
  readonly name = "inline";
  readonly workers: number;
  readonly ahead = 0;
  readonly canEnd = false;
  readonly hasOwnMemory = false;
  readonly #operations: readonly Operation[];
  readonly #arrays: TaskArrays;
  readonly #underWay = new Set<Promise<TaskStats>>();

  constructor(operations: readonly Operation[], arrays: TaskArrays, workers = 1) {
    this.#operations = operations;
    this.#arrays = arrays;
    this.workers = workers;
  }

  run({ ref, outputs }: TaskJob): TaskStats | Promise<TaskStats> {
    const { arrays, partitions, backend, run } = this.#arrays;
    const using = {
      ...{ arrays, partitions, backend, run },
      source: (name: string) => this.#arrays.source(name),
      target: (name: string) => outputs.target(name) ?? this.#arrays.target(name),
      partitionSource: (name: string) => this.#arrays.partitionSource(name),
      partitionTarget: (name: string) => outputs.partitionTarget(name) ?? this.#arrays.partitionTarget(name),
      limitOf: this.#limitOf,
    };
    const stats = runTask(this.#operations[ref.op]!, ref.task, using);
    return stats instanceof Promise ? this.#watched(stats) : stats;
  }

  #watched(stats: Promise<TaskStats>): Promise<TaskStats> {
    this.#underWay.add(stats);
    return stats.finally(() => this.#underWay.delete(stats));
  }

  readonly #limitOf = (operation: Operation): number =>
    this.#arrays.limitOf?.(operation) ?? Number.POSITIVE_INFINITY;

  /** Attempts that lost a race cannot be ended: they are waited for, since they read and write what is freed next. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}
