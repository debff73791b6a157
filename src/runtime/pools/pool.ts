// A pool carries tasks to where they run; the scheduler decides which. In: a task and where its outputs are kept.
// Out: what it took, at once or soon; an error when it failed; a LostWorker when the worker is gone.

import { ChunkwiseError } from "../../core/errors.ts";
import type { TaskStats } from "../events.ts";
import type { AttemptOutputs } from "../outputs.ts";
import type { Attempt } from "../scheduler/entry.ts";
import type { TaskRef } from "../scheduler/graph.ts";

export interface TaskJob {
  readonly ref: TaskRef;
  readonly attempt: Attempt;
  /** Outputs that other tasks will read. */
  readonly outputs: AttemptOutputs;
}

export interface Pool {
  readonly name: string;
  /** Tasks that run at once. */
  readonly workers: number;
  /** Tasks that a worker may have besides the one it runs. */
  readonly ahead: number;
  /** Workers can be ended while they run something. */
  readonly canEnd: boolean;
  /** Each worker has memory of its own, and keeps what it has once used; else tasks and held chunks share theirs. */
  readonly hasOwnMemory: boolean;
  run(job: TaskJob): TaskStats | Promise<TaskStats>;
  /** The run is over: attempts that are still under way do not matter any more. */
  close(running: readonly Attempt[]): Promise<void>;
}

/** The worker died: nothing is known of its task. */
export class LostWorker extends ChunkwiseError {
  /** False for a task that was waiting behind another: it has nothing to do with it. */
  readonly wasBegun: boolean;

  constructor(what: string, wasBegun: boolean) {
    super({ what });
    this.wasBegun = wasBegun;
  }
}
