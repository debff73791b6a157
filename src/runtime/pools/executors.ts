// The executors that there are, by name. In: a name, or an executor itself. Out: the executor, or an error that says which
// there are. An engine has one table; it begins with the built-in ones.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";
import type { CarriedRun, Executor, Pool } from "./pool.ts";

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
