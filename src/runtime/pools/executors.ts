// The executors that there are, by name. In: a name, or an executor itself. Out: the executor, or an error that says which
// there are. An engine has one table; it begins with the built-in ones.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { closest } from "../../core/suggest.ts";
import type { Operation } from "../../plan/plan.ts";
import type { TaskArrays } from "../arrays.ts";
import type { TaskStats } from "../events.ts";
import { runTask } from "../task.ts";
import type { CarriedRun, Executor, Pool, TaskJob } from "./pool.ts";

// The inline pool: tasks run on the thread that asks for them, one after another (or, where they wait for something,
// a few at once); their loops may still be shared by helper threads. Tasks whose arrays are all in memory are done when `run` returns.

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
      taskMem: this.#arrays.taskMem,
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

export class ExecutorTable {
  readonly #executors = new Map<string, Executor>();

  constructor(executors: Iterable<Executor>) {
    for (const executor of executors) this.add(executor);
  }

  /** From now on options may name it. */
  add(executor: Executor): void {
    const { name } = executor;
    const isOne = typeof name === "string" && name !== "" && typeof executor.pool === "function";
    if (!isOne || this.#executors.has(name))
      throw new ValueError({
        where: "executors.add",
        what: isOne ? `there is an executor ${describe(name)} already` : `${describe(executor)} is none`,
        cure: "An executor is {name, pool(run)}, with a name of its own",
      });
    this.#executors.set(name, executor);
  }

  find(wanted: string | Executor): Executor {
    if (typeof wanted !== "string") return wanted;
    const found = this.#executors.get(wanted);
    if (found !== undefined) return found;
    throw new ValueError({
      what: `there is no executor ${describe(wanted)}`,
      cure: closest(wanted, [...this.#executors.keys()]),
    });
  }
}

/** The pool of a run, as its executor makes it; where it makes none, this thread does the tasks. */
export async function poolOf(executor: Executor, run: CarriedRun): Promise<Pool> {
  const pool = (await executor.pool(run)) ?? run.here();
  const { workers, ahead } = pool;
  const isOne = Number.isSafeInteger(workers) && workers > 0 && Number.isSafeInteger(ahead) && ahead >= 0;
  if (isOne && typeof pool.run === "function" && typeof pool.close === "function") return pool;
  throw new ValueError({
    what: `the executor ${describe(executor.name)} gave ${describe(pool)}, which is no pool`,
    cure: "A pool is {name, workers, ahead, canEnd, hasOwnMemory, run(job), close(running)}, as run.here() is",
  });
}
