// A pool carries the tasks of a run to where they are done; the scheduler decides which, and when. In: a task and where its
// outputs are kept. Out: what it took, at once or soon; an error when it failed; a LostWorker when the worker is gone.
// An executor makes the pool of a run. Built-in ones (executors.ts, threadPool.ts) and users' have the same interface.

import { ChunkwiseError } from "../../core/errors.ts";
import type { Transfer } from "../../core/transfer.ts";
import type { DensePlanArray, PlanArray } from "../../plan/plan.ts";
import type { Store } from "../../storage/store.ts";
import type { ZarrArray } from "../../storage/zarr/array.ts";
import type { TaskStats } from "../events.ts";
import type { RunArrays } from "../runArrays.ts";
import type { Attempt } from "../scheduler/entry.ts";
import type { FoundTask } from "../scheduler/scheduler.ts";
import type { TaskRef } from "../scheduler/taskGraph.ts";
import type { AttemptOutputs } from "../task.ts";

/** What a run and its workers share: a folder of a store, in which the run keeps what is between its tasks. */
export interface SharedFolder {
  /** Where it is: workers have the same store, by whatever address. */
  readonly store: Store;
  /** Of the run, in the store: "/chunkwise-…". */
  readonly path: string;
  /** The array for what the run keeps under an array's name; made when it is first asked for. */
  arrayFor(array: PlanArray): Promise<ZarrArray>;
  /** How arrays of the run are stored, for what tasks state. */
  transferOf(array: DensePlanArray): Transfer;
  /** Work that nobody waits for before the end. */
  later(work: Promise<unknown>): void;
}

/** A task that a pool is to run. */
export interface TaskJob {
  /** Which task of which operation. */
  readonly ref: TaskRef;
  /** Which attempt at it. */
  readonly attempt: Attempt;
  /** Outputs that other tasks will read. */
  readonly outputs: AttemptOutputs;
}

/** The workers of one run: they are given tasks, and tell what these took. */
export interface Pool {
  /** For events and messages. */
  readonly name: string;
  /** Tasks, or batches of them, that run at once: looked at again and again where `isElsewhere`. */
  readonly workers: number;
  /** Tasks that a worker may have besides the one it runs. */
  readonly ahead: number;
  /** Workers can be ended while they run something. */
  readonly canEnd: boolean;
  /** Threads that were ended, or died, while they may have been writing. */
  readonly endedThreads?: ReadonlySet<number>;
  /** Each worker has memory of its own, and keeps what it has once used; else tasks and held chunks share theirs. */
  readonly hasOwnMemory: boolean;
  /** How long tasks that a worker has besides may wait there, in ms; 20 unless given. */
  readonly queueMs?: number | undefined;
  /** Workers are other processes: they read and write stores alone, with memory of their own, and come and go. */
  readonly isElsewhere?: boolean | undefined;
  /** Memory has room for so many workers only: what others kept of earlier runs is given back before a task begins. */
  only?(workers: number): Promise<void>;
  /** Of tasks that an earlier run has done, those whose outputs can be had: the others are done again. All, unless given. */
  found?(tasks: readonly FoundTask[]): Promise<readonly FoundTask[]>;
  /** Does a task; what it took, at once or by a promise. A `LostWorker` error says that the worker is gone. */
  run(job: TaskJob): TaskStats | Promise<TaskStats>;
  /** The run is over: attempts that are still under way do not matter any more. */
  close(running: readonly Attempt[]): Promise<void>;
}

/** A run, as executors see it. */
export interface CarriedRun {
  /** The plan, and its arrays while it runs. */
  readonly arrays: RunArrays;
  /** How many threads the user allows. */
  readonly threads: number;
  /** Somebody named this executor: it carries everything, however little that is. */
  readonly isAskedFor: boolean;
  /** What all workers reach, where the executor's are elsewhere; else null. */
  readonly shared: SharedFolder | null;
  /** A pool that does tasks on this thread, so many at once. Executors of their own do what they cannot do elsewhere with it. */
  here(workers?: number): Pool;
}

/** What carries tasks, for the option `executor`: it makes a pool for each run. */
export interface Executor {
  /** By which options and messages name it. */
  readonly name: string;
  /** It uses this thread alone, so that a run of a single task needs no pool. */
  readonly isHere?: boolean;
  /** Its workers are other processes: a run needs a `workDir` that they reach too, and keeps everything there. */
  readonly isElsewhere?: boolean | undefined;
  /** Undefined: another thread would gain nothing, and the tasks are done on this one. */
  pool(run: CarriedRun): Pool | undefined | Promise<Pool | undefined>;
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
