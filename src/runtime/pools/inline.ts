// The inline pool: tasks run on the thread that asks for them, one after another (or, where they wait for a network,
// a few at once); their loops may still be shared by helper threads. Tasks whose arrays are all in memory are done when `run` returns.

import type { Operation } from "../../plan/plan.ts";
import type { TaskStats } from "../events.ts";
import { runTask, type TaskArrays } from "../task.ts";
import type { Pool, TaskJob } from "./pool.ts";

export class InlinePool implements Pool {
  readonly name = "inline";
  readonly workers: number;
  readonly ahead = 0;
  readonly canEnd = false;
  readonly #operations: readonly Operation[];
  readonly #arrays: TaskArrays;

  constructor(operations: readonly Operation[], arrays: TaskArrays, workers = 1) {
    this.#operations = operations;
    this.#arrays = arrays;
    this.workers = workers;
  }

  run({ ref, outputs }: TaskJob): TaskStats | Promise<TaskStats> {
    const { arrays, run } = this.#arrays;
    const using = {
      arrays,
      run,
      source: (name: string) => this.#arrays.source(name),
      target: (name: string) => outputs.target(name) ?? this.#arrays.target(name),
    };
    const stats = runTask(this.#operations[ref.op]!, ref.task, using);
    return this.workers === 1 ? stats : unmeasured(stats);
  }

  async close(): Promise<void> {}
}

/** Several tasks at once: whose memory was it? */
const unmeasured = async (stats: TaskStats | Promise<TaskStats>): Promise<TaskStats> => ({
  ...(await stats),
  measuredMem: null,
});
