// Does batches where a worker is. In: batches, from whoever can send some, and what the worker was started with: the shared store,
// roots, threads, memory. Out: reports. Must hold: a batch is checked before anything is made for it, and its plan before
// anything of it is opened; running tasks state no more than the worker's memory together; what is published already is not
// done again; kernels run on threads, so that whoever renews the batch's lock is never kept waiting.

import { placeOf, sizeOf } from "../../../core/chunks.ts";
import { bytesText } from "../../../core/counts.ts";
import type { StopSignal } from "../../../core/platform.ts";
import { machineThreads } from "../../../core/threads.ts";
import type { Backend } from "../../../kernel/backend.ts";
import { type StoreArgument, storeOf } from "../../../storage/location.ts";
import type { Store } from "../../../storage/store.ts";
import type { TaskStats } from "../../events.ts";
import type { AccessRoots } from "../../planAccess.ts";
import { now } from "../../scheduler/policy.ts";
import { Spec } from "../../spec.ts";
import type { TaskParts } from "../../taskParts.ts";
import type { StoreHandle } from "../messages.ts";
import { sendError } from "../sentError.ts";
import { BatchRefusedError, checkBatch, tasksOf } from "./batchChecks.ts";
import { BATCH_VERSION, type Batch, type BatchReport, type BatchWork } from "./carrier.ts";
import { type KnownRun, KnownRuns } from "./knownRuns.ts";
import { InlineCrew, type TaskCrew, ThreadCrew } from "./taskCrew.ts";
import { TaskRoom } from "./taskRoom.ts";

/** What a worker is started with. */
export interface WorkerOptions extends AccessRoots {
  /** The store that runs have as their `workDir`: a folder, an address, or a store. */
  readonly store: StoreArgument;
  /** Threads that do tasks; 0: this one does. As many as the machine has, unless given. */
  readonly threads?: number | undefined;
  /** What the process may use: "2GB". 60 % of the machine's memory, unless given. */
  readonly allowedMem?: number | string | undefined;
  /** For events and messages; chance, unless given. */
  readonly name?: string | undefined;
}

/** What a worker has done so far. */
export interface WorkerCounts {
  readonly tasksDone: number;
  /** Of these, so many that others had done already. */
  readonly tasksFound: number;
  readonly tasksFailed: number;
  readonly tasksRunning: number;
}

const runIsOver = (): BatchRefusedError =>
  new BatchRefusedError({ where: "batch", what: "the run is over, and has taken its folder away" });

/** Tasks of one thread that are under way where stores are far: they wait most of the time. */
const FAR_LANES = 4;

export class BatchRunner implements BatchWork {
  /** For reports. */
  readonly name: string;
  readonly #runs: KnownRuns;
  readonly #crew: TaskCrew;
  readonly #room: TaskRoom;
  readonly #ending = new AbortController();
  #tasksDone = 0;
  #tasksFailed = 0;
  #tasksFound = 0;
  readonly #underWay = new Set<Promise<unknown>>();

  private constructor(name: string, runs: KnownRuns, crew: TaskCrew, budget: number) {
    this.name = name;
    this.#runs = runs;
    this.#crew = crew;
    this.#room = new TaskRoom(crew.size, budget);
  }

  /** `parts` and `backend`: what tasks need of other rooms (array/batchWorker.ts puts them together). */
  static async open(options: WorkerOptions, parts: TaskParts, backend: Backend): Promise<BatchRunner> {
    const { threads, allowedMem, name = `worker-${crypto.randomUUID().slice(0, 8)}` } = options;
    const store = await storeOf(options.store);
    const spec = new Spec({ allowedMem, threads: threads === 0 ? 1 : threads });
    const count = threads ?? machineThreads;
    const proxies: Store[] = [store];
    const crew =
      count === 0
        ? new InlineCrew(parts, backend, proxies)
        : new ThreadCrew(count, store.near === undefined ? FAR_LANES : 1, backend, proxies);
    const handle: StoreHandle = store.location?.() ?? { kind: "proxy", id: 0 };
    const runs = new KnownRuns({ store, handle, parts, roots: options, crew });
    const budget = spec.budget - Math.max(0, count - 1) * spec.threadMem;
    return new BatchRunner(name, runs, crew, Math.max(0, budget));
  }

  /** What tasks may state together. */
  get roomBytes(): number {
    return this.#room.budget;
  }

  /** What it has done so far, for health and metrics. */
  get counts(): WorkerCounts {
    return {
      ...{ tasksDone: this.#tasksDone, tasksFound: this.#tasksFound, tasksFailed: this.#tasksFailed },
      tasksRunning: this.#room.running,
    };
  }

  /** A report; a `BatchRefusedError` for a batch that no worker would do. */
  async run(batch: Batch, signal: StopSignal = new AbortController().signal): Promise<BatchReport> {
    const checked = checkBatch(batch);
    this.#ending.signal.throwIfAborted();
    const ended = AbortSignal.any([signal, this.#ending.signal]);
    const stop = (): void => {
      this.#room.leave(ended);
      this.#crew.stop(ended);
    };
    ended.addEventListener("abort", stop, { once: true });
    const running = this.#runs.with(checked.plan, (run) => this.#runAll(run, checked, ended));
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      ended.removeEventListener("abort", stop);
      this.#underWay.delete(running);
    }
  }

  async #runAll(run: KnownRun, batch: Batch, signal: StopSignal): Promise<BatchReport> {
    const bytes = this.#statedFor(run, batch);
    if (await run.isOver()) throw runIsOver();
    const done: { task: number; stats: TaskStats }[] = [];
    const failed: BatchReport["failed"][number][] = [];
    const one = async (task: number): Promise<void> => {
      try {
        const stats = await this.#room.pass(bytes, signal, () => this.#runOne(run, batch.op, task, signal));
        done.push({ task, stats: rounded(stats) });
        this.#tasksDone++;
      } catch (error) {
        signal.throwIfAborted();
        failed.push({ task, error: sendError(error) });
        this.#tasksFailed++;
      }
    };
    const ends = await Promise.allSettled([...tasksOf(batch)].map(one));
    await this.#takeBack(run, batch);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    return { v: BATCH_VERSION, worker: this.name, atOnce: this.#crew.size, done, failed };
  }

  /** Its tasks are there, and fit into this worker's memory. */
  #statedFor({ plan, opening }: KnownRun, { op, tasks }: Batch): number {
    const operation = plan.operations[op];
    const count = operation === undefined ? 0 : sizeOf(operation.grid);
    const last = tasks.at(-1)![1];
    if (operation === undefined || last > count)
      throw new BatchRefusedError({
        where: "batch",
        what:
          operation === undefined
            ? `there is no operation ${op} of ${plan.operations.length}`
            : `there is no task ${last - 1} of the ${count} of ${operation.name}`,
      });
    const bytes = opening.limits[op]!;
    if (bytes <= this.#room.budget) return bytes;
    throw new BatchRefusedError({
      where: operation.name,
      what: `its tasks need ${bytesText(bytes)} each, and this worker has ${bytesText(this.#room.budget)} for tasks`,
      cure: "Start workers with a larger allowedMem, or plan with a smaller one: compute({allowedMem})",
    });
  }

  /** What was published after the run had been cleared away belongs to nobody. */
  async #takeBack(run: KnownRun, batch: Batch): Promise<void> {
    if (!(await run.isOver())) return;
    const { grid } = run.plan.operations[batch.op]!;
    for (const task of tasksOf(batch)) await run.withdraw(batch.op, placeOf(task, grid));
    throw runIsOver();
  }

  async #runOne(run: KnownRun, op: number, task: number, signal: AbortSignal): Promise<TaskStats> {
    const startTime = now();
    const { grid } = run.plan.operations[op]!;
    if (await run.isPublished(op, placeOf(task, grid))) {
      this.#tasksFound++;
      return foundSince(startTime);
    }
    return this.#crew.run(run.number, op, task, signal);
  }

  async close(): Promise<void> {
    this.#ending.abort(new BatchRefusedError({ what: "the worker ends" }));
    await Promise.allSettled(this.#underWay);
    await this.#crew.end();
  }
}

/** Of a task that somebody else has done. */
function foundSince(startTime: number): TaskStats {
  const times = { startTime, readTime: startTime, computeTime: startTime, endTime: now() };
  return { ...times, bytesRead: 0, bytesWritten: 0, measuredMem: null };
}

const rounded = (stats: TaskStats): TaskStats => ({
  ...stats,
  startTime: thousandth(stats.startTime),
  readTime: thousandth(stats.readTime),
  computeTime: thousandth(stats.computeTime),
  endTime: thousandth(stats.endTime),
});

const thousandth = (ms: number): number => Math.round(ms * 1000) / 1000;
