// A worker at the queue: takes jobs, has their batches done, tells the run. In: where the queue is, and what does batches.
// Out: reports. Must hold: a job is looked at before anything is done for it; it ends only after its report is told; what
// nobody wants is given up within a beat; who leaves hands back what it has not finished, so that others do it at once;
// a job whose worker was lost is not done again here: the run decides, which counts attempts.

import { setTimeout as sleep } from "node:timers/promises";
import { checkBatch } from "../remote/batchChecks.ts";
import type { Batch, BatchWork } from "../remote/carrier.ts";
import { sendError } from "../sentError.ts";
import { BEAT_MS, forgetWorker, tellWorker } from "./presence.ts";
import { type Told, toldText } from "./queuedReport.ts";
import { QueueError, textOf } from "./queueErrors.ts";
import { ClusterKeys, isJobName, type QueueNames } from "./queueNames.ts";
import { addressText, type RedisAddress } from "./redisAddress.ts";
import { checkRedis } from "./redisChecks.ts";
import { connectRedis, inOnePiece } from "./redisConnection.ts";
import { type JobWorker, loadBullmq, loadRedis, type QueuedJob, type RedisClient } from "./redisModules.ts";
import { WorkerFigures } from "./workerFigures.ts";

export interface QueueWorkerOptions {
  readonly names: QueueNames;
  readonly address: RedisAddress;
  /** Its own: for events, messages and lists of workers. */
  readonly name: string;
  /** Batches at once. */
  readonly slots: number;
  readonly work: BatchWork;
  /** For people who look at the list of workers. */
  readonly about: { readonly [name: string]: string | number };
  /** How long to try to reach Redis at the start. */
  readonly connectWithinMs: number;
  readonly log: (line: string) => void;
}

/** A lost worker is noticed after LOCK_MS and a check; locks are renewed from a loop that is never busy for long. */
const LOCK_MS = 8_000;
const CHECK_MS = 2_000;
/** BullMQ gives up a job that was lost more often; ours is answered for by the first worker that finds it lost. */
const MOST_STALLED = 10;
/** A run that does not listen does not fill Redis. */
const MOST_REPORTS = 10_000;

type Reason = "unwanted" | "handBack";

/** A job that is being done. */
interface Active {
  readonly batch: Batch;
  readonly stop: AbortController;
}

export async function joinQueue(options: QueueWorkerOptions): Promise<QueueWorker> {
  const { names, address, connectWithinMs } = options;
  const [bullmq, Redis] = await Promise.all([loadBullmq(), loadRedis()]);
  const redis = await connectRedis(Redis, address, { withinMs: connectWithinMs, isPatient: true });
  try {
    await checkRedis(redis, addressText(address));
    const worker = new QueueWorker(options, redis);
    const jobs = new bullmq.Worker(names.queue, (job, token) => worker.process(job, token ?? ""), {
      ...{ connection: redis, prefix: names.prefix, name: options.name, concurrency: options.slots },
      ...{ lockDuration: LOCK_MS, stalledInterval: CHECK_MS, maxStalledCount: MOST_STALLED },
      ...{ drainDelay: 2, runRetryDelay: 1_000 },
    });
    await worker.begin(jobs);
    return worker;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

export class QueueWorker {
  readonly figures: WorkerFigures = new WorkerFigures();
  readonly #options: QueueWorkerOptions;
  readonly #keys: ClusterKeys;
  readonly #redis: RedisClient;
  readonly #active = new Map<string, Active>();
  /** When a run was last known to be there. */
  readonly #runs = new Map<string, number>();
  #jobs: JobWorker | null = null;
  #beat: ReturnType<typeof setInterval> | null = null;
  #isBeating = false;
  #heardAt = 0;
  #leaving: Promise<void> | null = null;

  constructor(options: QueueWorkerOptions, redis: RedisClient) {
    this.#options = options;
    this.#keys = new ClusterKeys(options.names);
    this.#redis = redis;
  }

  /** Batches that are being done. */
  get active(): number {
    return this.#active.size;
  }

  /** Since when nothing was heard of Redis. */
  get silentMs(): number {
    return Date.now() - this.#heardAt;
  }

  async begin(jobs: JobWorker): Promise<void> {
    this.#jobs = jobs;
    const { figures } = this;
    jobs.on("error", (error: Error) => {
      figures.errors++;
      this.#options.log(`queue: ${textOf(error)}`);
    });
    jobs.on("locksRenewed", ({ count }: { count: number }) => {
      figures.lockRenewals += count;
    });
    jobs.on("lockRenewalFailed", (ids: readonly string[]) => {
      figures.locksLost += ids.length;
    });
    await jobs.waitUntilReady();
    await this.#tell();
    this.#beat = setInterval(() => void this.#look(), BEAT_MS);
  }

  async #tell(): Promise<void> {
    const { name, slots, about } = this.#options;
    await tellWorker(this.#redis, this.#keys, { name, slots, about: JSON.stringify(about) });
    this.#heardAt = Date.now();
  }

  async #look(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      if (this.#leaving === null) await this.#tell();
      for (const [id, { batch, stop }] of [...this.#active])
        if (!(await this.#isWanted(id, batch))) stop.abort("unwanted" satisfies Reason);
    } catch (error) {
      this.figures.errors++;
      this.#options.log(`Redis: ${textOf(error)}`);
    } finally {
      this.#isBeating = false;
    }
  }

  async #isWanted(id: string, { run }: Batch): Promise<boolean> {
    const asked = [
      ["zscore", this.#keys.runs, run],
      ["sismember", this.#keys.unwanted(run), id],
    ];
    const [known, unwanted] = (await this.#redis.pipeline(asked).exec()) ?? [];
    if (known?.[0] || unwanted?.[0]) throw known?.[0] ?? unwanted?.[0];
    return known?.[1] !== null && Number(unwanted?.[1]) === 0;
  }

  /** Jobs that are not wanted leave the queue: of a run that lately was there only those that are being done are asked for. */
  async #isStillWanted(id: string, batch: Batch): Promise<boolean> {
    if (Date.now() - (this.#runs.get(batch.run) ?? 0) < BEAT_MS) return true;
    const isWanted = await this.#isWanted(id, batch);
    if (isWanted) this.#runs.set(batch.run, Date.now());
    for (const [run, time] of this.#runs) if (Date.now() - time > BEAT_MS) this.#runs.delete(run);
    return isWanted;
  }

  /** A job, from its fetching to its end; what it throws is what BullMQ understands. */
  async process(job: QueuedJob, token: string): Promise<string> {
    const batch = this.#checked(job);
    const id = job.id!;
    const { batches } = this.figures;
    if (!(await this.#isStillWanted(id, batch))) {
      batches.unwanted++;
      return "unwanted";
    }
    if (job.stalledCounter > 0) {
      batches.lostBefore++;
      this.#report(id, batch, { kind: "lost" });
      return "lost before";
    }
    const stop = new AbortController();
    this.#active.set(id, { batch, stop });
    try {
      return await this.#do(job, token, batch, stop.signal);
    } finally {
      this.#active.delete(id);
    }
  }

  #checked({ id, data }: QueuedJob): Batch {
    try {
      if (!isJobName(id)) throw new QueueError({ what: "a job of the queue has no name of ours" });
      return checkBatch(data);
    } catch (error) {
      this.figures.batches.refused++;
      this.#options.log(textOf(error));
      throw named("UnrecoverableError", textOf(error));
    }
  }

  async #do(job: QueuedJob, token: string, batch: Batch, signal: AbortSignal): Promise<string> {
    const { name, work } = this.#options;
    const { batches } = this.figures;
    try {
      const report = await orAborted(work.run(batch, signal), signal);
      this.figures.add(report);
      this.#report(job.id!, batch, { kind: "report", report: { ...report, worker: name } });
      return "done";
    } catch (error) {
      if (signal.reason === "handBack") {
        batches.handedBack++;
        await job.moveToWait(token);
        throw named("WaitingError", "handed back");
      }
      if (signal.aborted) {
        batches.unwanted++;
        return "unwanted";
      }
      batches.refused++;
      this.#options.log(`refused ${job.id}: ${textOf(error)}`);
      this.#report(job.id!, batch, { kind: "refused", error: sendError(error) });
      return "refused";
    }
  }

  /**
   * Into the run's stream, which is there as long as the run is. That the job has ended goes by the same connection, after it;
   * where Redis takes no report, the run finds out that the job is gone.
   */
  #report(id: string, { run }: Batch, told: Told): void {
    inOnePiece(this.#redis);
    const entry = ["NOMKSTREAM", "MAXLEN", "~", MOST_REPORTS, "*", id, toldText(told)];
    this.#redis.call("XADD", this.#keys.reports(run), ...entry).catch((error: unknown) => {
      this.figures.errors++;
      this.#options.log(`Redis took no report: ${textOf(error)}`);
    });
  }

  /** Takes nothing new, finishes what it can within the time, hands back the rest. */
  leave(graceMs: number): Promise<void> {
    this.#leaving ??= this.#left(graceMs);
    return this.#leaving;
  }

  async #left(graceMs: number): Promise<void> {
    await bounded(forgetWorker(this.#redis, this.#keys, this.#options.name), 2_000);
    await bounded(this.#jobs?.pause(true), 2_000);
    const until = Date.now() + graceMs;
    while (this.#active.size > 0 && Date.now() < until) await sleep(20);
    this.handBack();
    await bounded(this.#jobs?.close(), 5_000);
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#redis.disconnect();
  }

  /** What is being done goes back to the queue now. */
  handBack(): void {
    for (const { stop } of this.#active.values()) stop.abort("handBack" satisfies Reason);
  }
}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** Whoever is told to stop is not waited for: what it publishes late is what it would have been. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** A Redis that is away is not waited for by those who leave. */
async function bounded(work: Promise<unknown> | undefined, ms: number): Promise<void> {
  await Promise.race([work?.catch(() => undefined), sleep(ms, undefined, { ref: false })]);
}
