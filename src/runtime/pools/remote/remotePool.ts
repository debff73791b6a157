// The pool whose workers are other processes. In: tasks, one by one, as the scheduler gives them out. Out: batches of tasks of one
// operation for a carrier, and for each task how it went. What tasks read and make is in stores; of this process's memory
// there are only results that were asked for here, which are fetched as they are made (deposits.ts).
// Must hold: the store is the truth. A report that never comes is made up for by what is published; one that comes twice, or
// for an attempt that nobody waits for, changes nothing.

import { placeOf } from "../../../core/chunks.ts";
import { bytesText } from "../../../core/counts.ts";
import type { PlanData } from "../../../plan/plan.ts";
import { statedBytes } from "../../../plan/statedBytes.ts";
import { requireSet } from "../../../storage/store.ts";
import type { ZarrArray } from "../../../storage/zarr/array.ts";
import { mapLimited } from "../../../storage/zarr/limited.ts";
import type { TaskStats } from "../../events.ts";
import { now } from "../../scheduler/policy.ts";
import type { FoundTask } from "../../scheduler/scheduler.ts";
import type { SentError } from "../messages.ts";
import {
  type CarriedRun,
  type Executor,
  LostWorker,
  type Pool,
  type SharedFolder,
  type TaskJob,
} from "../pool.ts";
import { receiveError } from "../sentError.ts";
import { BatchRefusedError, checkReport, MOST_TASKS, shifted, shiftOf } from "./batchChecks.ts";
import { BatchSizes, rangesOf } from "./batchSizes.ts";
import { BATCH_VERSION, type Batch, type BatchReport, type Carrier, type TaskRange } from "./carrier.ts";
import { Deposits } from "./deposits.ts";
import { hashOf, keptArrays, planKey, runText, storedPlan } from "./runText.ts";

/** Options of pools whose workers are elsewhere. */
export interface RemoteOptions {
  /** By which options and messages name it. */
  readonly name: string;
  /** How much work a batch is, in ms: 400 unless given. */
  readonly batchMs?: number | undefined;
  /** How often it is looked at what is published of batches that nobody has told of, in ms: 5000 unless given. */
  readonly repairMs?: number | undefined;
}

/** Makes the carrier of a run: a queue's, a function service's. */
export type CarrierFor = (run: CarriedRun) => Carrier | Promise<Carrier>;

/** An executor whose workers are other processes, which a carrier reaches. */
export function remoteExecutor(carrierFor: CarrierFor, options: RemoteOptions): Executor {
  return {
    name: options.name,
    isElsewhere: true,
    pool: (run) => remotePool(run, carrierFor, options),
  };
}

async function remotePool(run: CarriedRun, carrierFor: CarrierFor, options: RemoteOptions): Promise<Pool> {
  const { arrays: execution, shared } = run;
  const names = new Set(keptArrays(execution).map(({ name }) => name));
  const plan = storedPlan(execution.request.plan, names, shared!);
  const text = runText(execution, plan, shared!);
  const kept = new Map<string, ZarrArray>();
  await mapLimited(keptArrays(execution), OPENED_AT_ONCE, async (array) => {
    kept.set(array.name, await shared!.arrayFor(array));
  });
  const deposits = new Deposits(execution, kept);
  await deposits.putSources();
  const hash = hashOf(text);
  await requireSet(shared!.store)(planKey(hash), new TextEncoder().encode(text));
  const carrier = await carrierFor(run);
  try {
    checkFits(plan, carrier);
  } catch (error) {
    await carrier.close();
    throw error;
  }
  return new RemotePool(run, carrier, { hash, kept, deposits, shared: shared! }, options);
}

/** What no worker that is there can do is found out before anything runs. */
function checkFits({ operations, arrays }: PlanData, { roomBytes }: Carrier): void {
  if (roomBytes === null || roomBytes === undefined) return;
  const named = new Map(arrays.map((array) => [array.name, array]));
  for (const operation of operations) {
    const bytes = statedBytes(operation, named);
    if (bytes > roomBytes)
      throw new BatchRefusedError({
        where: operation.name,
        what: `its tasks need ${bytesText(bytes)} each, and the largest worker has ${bytesText(roomBytes)} for tasks`,
        cure: "Start workers with a larger --allowed-mem, or plan with a smaller one: compute({allowedMem})",
      });
  }
}

const OPENED_AT_ONCE = 8;
/** Less would not be worth its message, more would be long to wait for where workers leave. */
const BATCH_MS = 400;
const REPAIR_MS = 5000;

/** What a run has in the shared store. */
interface Laid {
  readonly hash: string;
  readonly kept: ReadonlyMap<string, ZarrArray>;
  readonly deposits: Deposits;
  readonly shared: SharedFolder;
}

interface Waiting {
  readonly job: TaskJob;
  resolve(stats: TaskStats): void;
  reject(error: unknown): void;
}

/** A batch that a carrier has, and what it is to tell. */
interface Sent {
  readonly batch: Batch;
  readonly sentAt: number;
  readonly ending: AbortController;
  readonly tasks: Map<number, Waiting>;
}

/** Tasks that wait, as they came: taken from the front, as few ranges as there are. */
class WaitingLine {
  #all: Waiting[] = [];
  #from = 0;

  get size(): number {
    return this.#all.length - this.#from;
  }
  get first(): Waiting {
    return this.#all[this.#from]!;
  }
  get all(): readonly Waiting[] {
    return this.#all.slice(this.#from);
  }

  push(one: Waiting): void {
    this.#all.push(one);
  }

  take(most: number): { taken: Waiting[]; ranges: readonly TaskRange[] } {
    const first = this.#all.slice(this.#from, this.#from + most);
    first.sort((a, b) => a.job.ref.task - b.job.ref.task);
    const { ranges, count } = rangesOf(
      first.map(({ job }) => job.ref.task),
      most,
    );
    // Those that are in too many pieces go first the next time.
    first.slice(count).forEach((one, i) => {
      this.#all[this.#from + count + i] = one;
    });
    this.#from += count;
    if (2 * this.#from > this.#all.length) {
      this.#all = this.#all.slice(this.#from);
      this.#from = 0;
    }
    return { taken: first.slice(0, count), ranges };
  }
}

class RemotePool implements Pool {
  readonly name: string;
  readonly ahead = MOST_TASKS - 1;
  readonly queueMs: number;
  readonly canEnd = true;
  readonly hasOwnMemory = true;
  readonly isElsewhere = true;
  readonly #carrier: Carrier;
  readonly #execution: CarriedRun["arrays"];
  readonly #laid: Laid;
  readonly #id = crypto.randomUUID();
  readonly #sizes: BatchSizes;
  /** Tasks that wait for a batch, by operation and attempt: the first that came goes first. */
  readonly #waiting = new Map<string, WaitingLine>();
  readonly #sent = new Set<Sent>();
  readonly #repairMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isPumping = false;
  #isClosed = false;

  constructor({ arrays }: CarriedRun, carrier: Carrier, laid: Laid, options: RemoteOptions) {
    this.name = options.name;
    this.#carrier = carrier;
    this.#execution = arrays;
    this.#laid = laid;
    const { batchMs = BATCH_MS, repairMs = REPAIR_MS } = options;
    this.#sizes = new BatchSizes(batchMs);
    // One batch is done while another waits here.
    this.queueMs = 2 * batchMs;
    this.#repairMs = repairMs;
    this.#timer = setInterval(() => void this.#repair(), repairMs);
    (this.#timer as { unref?(): void }).unref?.();
  }

  get workers(): number {
    return this.#batches * this.#sizes.atOnce;
  }

  /** Batches at once. */
  get #batches(): number {
    return Math.max(1, this.#carrier.capacity);
  }

  /** Batches that are done at once, or next: those in reserve besides are there for the way. */
  get #slots(): number {
    return Math.max(1, this.#carrier.slots ?? this.#carrier.capacity);
  }

  async found(tasks: readonly FoundTask[]): Promise<FoundTask[]> {
    const there: FoundTask[] = [];
    const { deposits } = this.#laid;
    await mapLimited(tasks, OPENED_AT_ONCE, async (task) => {
      if (!deposits.isWanted(task) || (await deposits.fetch(task))) there.push(task);
    });
    return there;
  }

  run(job: TaskJob): Promise<TaskStats> {
    const { op } = job.ref;
    const key = `${op} ${job.attempt.number}`;
    return new Promise((resolve, reject) => {
      let waiting = this.#waiting.get(key);
      if (waiting === undefined) {
        waiting = new WaitingLine();
        this.#waiting.set(key, waiting);
      }
      waiting.push({ job, resolve, reject });
      this.#soon();
    });
  }

  /** Tasks that are given out at once go together. */
  #soon(): void {
    if (this.#isPumping || this.#isClosed) return;
    this.#isPumping = true;
    queueMicrotask(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const [key, waiting] of this.#waiting)
      while (waiting.size > 0) {
        const free = this.#batches - this.#sent.size;
        if (free <= 0 || this.#isClosed) return;
        void this.#carry(this.#cut(key, waiting, free));
      }
  }

  /** The next batch of those that wait. */
  #cut(key: string, waiting: WaitingLine, free: number): Sent {
    const { ref, attempt } = waiting.first.job;
    const most = this.#sizes.sizeOf(ref.op, attempt.number, waiting.size, Math.max(free, this.#slots));
    const { taken, ranges } = waiting.take(most);
    if (waiting.size === 0) this.#waiting.delete(key);
    const batch: Batch = {
      ...{ v: BATCH_VERSION, run: this.#id, plan: this.#laid.hash, op: ref.op, tasks: ranges },
      attempt: attempt.number - 1,
    };
    const tasks = new Map(taken.map((one) => [one.job.ref.task, one]));
    const sent = { batch, sentAt: now(), ending: new AbortController(), tasks };
    this.#sent.add(sent);
    return sent;
  }

  async #carry(sent: Sent): Promise<void> {
    try {
      // One that is made again waits until what it made before is gone.
      for (const left of this.#leaving(sent)) await left;
      const report = checkReport(await this.#carrier.carry(sent.batch, sent.ending.signal), sent.batch);
      if (report === null) throw new LostWorker(`what ${this.name} brought back is no report`, true);
      this.#sizes.learn(sent.batch.op, report);
      this.#heard(sent, report);
      if (sent.tasks.size > 0)
        this.#failAll(sent, new LostWorker(`worker ${report.worker} said nothing of the task`, true));
    } catch (error) {
      this.#failAll(sent, error);
    } finally {
      this.#sent.delete(sent);
      this.#soon();
    }
  }

  /** What the tasks made before and is on its way out: of most of them nothing. */
  #leaving({ tasks }: Sent): Promise<void>[] {
    const leaving: Promise<void>[] = [];
    for (const { job } of tasks.values())
      for (const held of this.#execution.heldBy(job.ref)) {
        const left = held.leaving(job.ref.task);
        if (left !== undefined) leaving.push(left.catch(() => {}));
      }
    return leaving;
  }

  #heard({ tasks, sentAt }: Sent, { worker, done, failed }: BatchReport): void {
    const shift = shiftOf(done, sentAt, now());
    for (const { task, stats } of done) {
      const waiting = tasks.get(task);
      tasks.delete(task);
      if (waiting !== undefined) this.#finish(waiting, shifted(stats, shift, worker));
    }
    for (const { task, error } of failed) {
      tasks.get(task)?.reject(errorOf(error, worker));
      tasks.delete(task);
    }
  }

  #finish(waiting: Waiting, stats: TaskStats): void {
    if (this.#laid.deposits.isWanted(waiting.job.ref)) void this.#fetched(waiting, stats);
    else waiting.resolve(stats);
  }

  async #fetched({ job, resolve, reject }: Waiting, stats: TaskStats): Promise<void> {
    try {
      if (await this.#laid.deposits.fetch(job.ref)) resolve(stats);
      else reject(new LostWorker("what the task made is not there any more", true));
    } catch (error) {
      reject(error);
    }
  }

  #failAll({ tasks }: Sent, error: unknown): void {
    for (const { reject } of tasks.values()) reject(error);
    tasks.clear();
  }

  /** Batches that nobody has told of for long: what is published of them is done. */
  async #repair(): Promise<void> {
    const overdue = [...this.#sent].filter(({ sentAt }) => now() - sentAt > this.#repairMs);
    for (const sent of overdue) {
      const made = this.#execution.request.plan.operations[sent.batch.op]!.outputs.map(({ array }) =>
        this.#laid.kept.get(array),
      );
      if (made.includes(undefined)) continue;
      // Where nobody answers, nothing is known: it is asked again later.
      await this.#lookAt(sent, made as ZarrArray[]).catch(() => {});
    }
  }

  async #lookAt(sent: Sent, made: readonly ZarrArray[]): Promise<void> {
    const { grid } = this.#execution.request.plan.operations[sent.batch.op]!;
    await mapLimited([...sent.tasks.keys()], OPENED_AT_ONCE, async (task) => {
      for (const array of made) if (!(await array.hasShard(placeOf(task, grid)))) return;
      const waiting = sent.tasks.get(task);
      sent.tasks.delete(task);
      if (waiting !== undefined) this.#finish(waiting, this.#unheard(sent));
    });
  }

  /** Of a task that nobody told of, only that it is done. */
  #unheard({ batch, sentAt }: Sent): TaskStats {
    const endTime = now();
    const startTime = Math.max(sentAt, endTime - (this.#sizes.costOf(batch.op) ?? 0));
    const times = { startTime, readTime: startTime, computeTime: endTime, endTime };
    return { ...times, bytesRead: 0, bytesWritten: 0, measuredMem: null };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const over = new LostWorker("the run is over", true);
    for (const waiting of this.#waiting.values()) for (const { reject } of waiting.all) reject(over);
    this.#waiting.clear();
    for (const sent of this.#sent) {
      sent.ending.abort(over);
      this.#failAll(sent, over);
    }
    await this.#carrier.close();
    const { shared, hash } = this.#laid;
    shared.later(Promise.resolve(shared.store.delete?.(planKey(hash))));
  }
}

/** What a worker said, as an error again: one that lost a thread has lost the task. */
const errorOf = (error: SentError, worker: string): Error =>
  error.name === "LostWorker"
    ? new LostWorker(`worker ${worker}: ${error.message}`, true)
    : receiveError(error);
