// The queue as a carrier: batches become jobs of BullMQ, workers take them, and what they tell comes back by a stream of the
// run's own. In: batches. Out: reports, or LostWorker when a job's worker, or the job, is gone.
// Must hold: it decides nothing about tasks; nothing rests on a message that may be lost: jobs are looked for every second;
// Redis may go away and come back, and the run goes on; one that stays away, or workers that never come, end the run.

import { setTimeout as sleep } from "node:timers/promises";
import { LostWorker } from "../pool.ts";
import type { Batch, BatchReport, Carrier } from "../remote/carrier.ts";
import { type Attendance, BEAT_MS, fairShare, largestRoom, tellRun } from "./presence.ts";
import { QueueError, textOf } from "./queueErrors.ts";
import { ClusterKeys, jobName, type QueueNames } from "./queueNames.ts";
import { addressText, type RedisAddress } from "./redisAddress.ts";
import { checkRedis } from "./redisChecks.ts";
import { connectRedis } from "./redisConnection.ts";
import { type JobQueue, type JobToAdd, loadBullmq, loadRedis, type RedisClient } from "./redisModules.ts";
import { ReportStream } from "./reportStream.ts";
import { SentJobs } from "./sentJobs.ts";

export interface QueueCarrierOptions {
  readonly names: QueueNames;
  readonly address: RedisAddress;
  /** How long to try to reach Redis at the start. */
  readonly connectWithinMs: number;
  /** How long Redis may be away while a run goes on. */
  readonly redisWithinMs: number;
  /** How long there may be no worker at all while there is work. */
  readonly workersWithinMs: number;
}

/** BullMQ's stream of events is for people who watch; nothing here reads it. */
const KEPT_EVENTS = 1_000;
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: { age: 86_400, count: 1_000 } };
/** So much work of a run waits in the queue, beside what waits by the number of workers; and so many batches at most. */
const RESERVE_MS = 50;
const MOST_RESERVE = 256;
const MEAN_OF = 32;
const LEAVE_MS = 3_000;
const UNWANTED_SECONDS = 3_600;

export async function openQueueCarrier(run: string, options: QueueCarrierOptions): Promise<QueueCarrier> {
  const { names, address, connectWithinMs } = options;
  const [bullmq, Redis] = await Promise.all([loadBullmq(), loadRedis()]);
  const redis = await connectRedis(Redis, address, { withinMs: connectWithinMs });
  const listening = await connectRedis(Redis, address, { withinMs: connectWithinMs });
  try {
    await checkRedis(redis, addressText(address));
    const streams = { events: { maxLen: KEPT_EVENTS } };
    const queue = new bullmq.Queue(names.queue, { connection: redis, prefix: names.prefix, streams });
    const carrier = new QueueCarrier(run, options, { redis, listening, queue });
    await carrier.begin();
    return carrier;
  } catch (error) {
    redis.disconnect();
    listening.disconnect();
    throw error;
  }
}

interface Connections {
  readonly redis: RedisClient;
  readonly listening: RedisClient;
  readonly queue: JobQueue;
}

export class QueueCarrier implements Carrier {
  readonly name: string;
  /** When the run begins. */
  roomBytes: number | null = null;
  readonly #run: string;
  readonly #options: QueueCarrierOptions;
  readonly #keys: ClusterKeys;
  readonly #redis: RedisClient;
  readonly #queue: JobQueue;
  readonly #reports: ReportStream;
  readonly #sent = new SentJobs();
  #outbox: JobToAdd[] = [];
  #serial = 0;
  #capacity = 1;
  #everyMs = 4 * RESERVE_MS;
  #backAt = performance.now();
  #heardAt = Date.now();
  #workersAt = Date.now();
  #trouble = "";
  #broken: QueueError | null = null;
  #isClosed = false;
  #beat: ReturnType<typeof setInterval> | null = null;
  #isBeating = false;

  constructor(run: string, options: QueueCarrierOptions, { redis, listening, queue }: Connections) {
    this.name = `bullmq ${options.names.queue}`;
    this.#run = run;
    this.#options = options;
    this.#keys = new ClusterKeys(options.names);
    this.#redis = redis;
    this.#queue = queue;
    this.#reports = new ReportStream(listening, this.#keys.reports(run), this.#sent.told);
    queue.on("error", (error) => {
      this.#trouble = textOf(error);
    });
  }

  /** Where batches are short, more of them wait: workers find work while messages are on their way. */
  get capacity(): number {
    return this.#capacity + Math.min(MOST_RESERVE, Math.floor(RESERVE_MS / this.#everyMs));
  }

  get slots(): number {
    return this.#capacity;
  }

  /** How often batches come back, as the last few dozen of them did. */
  #cameBack(): void {
    const time = performance.now();
    this.#everyMs += (time - this.#backAt - this.#everyMs) / MEAN_OF;
    this.#backAt = time;
  }

  async begin(): Promise<void> {
    this.#seen(await tellRun(this.#redis, this.#keys, this.#run, 0));
    this.roomBytes = await largestRoom(this.#redis, this.#keys);
    void this.#reports.listen();
    this.#beat = setInterval(() => void this.#look(), BEAT_MS);
  }

  async carry(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    signal.throwIfAborted();
    if (this.#broken !== null) throw this.#broken;
    if (this.#isClosed) throw new LostWorker("the run is over", false);
    const data = { ...batch, run: this.#run };
    const job = jobName(data, ++this.#serial);
    const report = this.#sent.add(job);
    const forget = (): void => this.#forget(job, signal.reason);
    signal.addEventListener("abort", forget, { once: true });
    this.#post({ name: `op-${batch.op}`, data, opts: { ...JOB_OPTIONS, jobId: job } });
    try {
      return await report;
    } finally {
      this.#cameBack();
      signal.removeEventListener("abort", forget);
    }
  }

  /** What is sent in one turn goes in one message. */
  #post(job: JobToAdd): void {
    if (this.#outbox.push(job) > 1) return;
    setImmediate(() => {
      const jobs = this.#outbox;
      this.#outbox = [];
      this.#queue.addBulk(jobs).catch((error: unknown) => {
        for (const { opts } of jobs) this.#sent.fail(String(opts["jobId"]), notAdded(error));
      });
    });
  }

  /** Nobody wants it: out of the queue, or its worker is told with its next beat. */
  #forget(job: string, reason: unknown): void {
    this.#sent.fail(job, reason ?? new LostWorker("nobody wants it any more", false));
    const key = this.#keys.unwanted(this.#run);
    const told = this.#redis
      .pipeline([
        ["sadd", key, job],
        ["expire", key, UNWANTED_SECONDS],
      ])
      .exec();
    told.catch(() => undefined);
    this.#queue.remove(job).catch(() => undefined);
  }

  async #look(): Promise<void> {
    this.#judge();
    // The one before waits for Redis.
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      this.#seen(await tellRun(this.#redis, this.#keys, this.#run, this.#sent.size));
      await this.#sent.look(this.#redis, (job) => this.#queue.toKey(job));
    } catch (error) {
      this.#trouble = textOf(error);
    } finally {
      this.#isBeating = false;
    }
  }

  #seen(there: Attendance): void {
    this.#heardAt = Date.now();
    if (there.workers > 0 || this.#sent.size === 0) this.#workersAt = this.#heardAt;
    this.#capacity = fairShare(there);
  }

  /** Redis or workers that stay away end the run, with the cure. */
  #judge(): void {
    const { address, redisWithinMs, workersWithinMs, names } = this.#options;
    const [redisMs, workersMs] = [Date.now() - this.#heardAt, Date.now() - this.#workersAt];
    const where = addressText(address);
    if (redisMs > redisWithinMs)
      this.#break({
        where,
        what: `Redis has not answered for ${Math.round(redisMs / 1000)} s${this.#trouble === "" ? "" : `: ${this.#trouble}`}`,
        cure: "Start it again and run the same program: what is stored is not done again. {redisWithinMs} says how long a run waits",
      });
    else if (workersMs > workersWithinMs)
      this.#break({
        where,
        what: `no worker has been at the queue ${names.queue} for ${Math.round(workersMs / 1000)} s`,
        cure: `Start some: npx chunkwise worker --redis ${where} --queue ${names.queue} … {workersWithinMs} says how long a run waits`,
      });
  }

  #break(parts: { readonly where: string; readonly what: string; readonly cure: string }): void {
    this.#broken ??= new QueueError(parts);
    this.#sent.failAll(this.#broken);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#beat !== null) clearInterval(this.#beat);
    const jobs = this.#sent.names;
    this.#sent.failAll(new LostWorker("the run is over", false));
    const left = this.#leave(jobs).catch(() => undefined);
    // A Redis that is away is not waited for: what the run left there expires.
    await Promise.race([left, sleep(LEAVE_MS, undefined, { ref: false })]);
    this.#reports.close();
    await Promise.race([
      this.#queue.close().catch(() => undefined),
      sleep(LEAVE_MS, undefined, { ref: false }),
    ]);
    this.#redis.disconnect();
  }

  /** A run that is not listed has no wishes: workers end what they do for it. */
  async #leave(jobs: readonly string[]): Promise<void> {
    const { runs, underWay } = this.#keys;
    const [run, reports, unwanted] = [
      this.#run,
      this.#keys.reports(this.#run),
      this.#keys.unwanted(this.#run),
    ];
    await this.#redis
      .pipeline([
        ["zrem", runs, run],
        ["hdel", underWay, run],
        ["del", reports, unwanted],
      ])
      .exec();
    await Promise.all(jobs.map((job) => this.#queue.remove(job).catch(() => undefined)));
  }
}

/** A connection that broke says nothing of the job; what Redis refuses, as for want of memory, may be accepted later. */
function notAdded(error: unknown): Error {
  if ((error as { name?: unknown } | null)?.name !== "ReplyError")
    return new LostWorker(`the connection broke: ${textOf(error)}`, false);
  const cure = "Give Redis more memory (maxmemory), or check what its user may do";
  const refused = new QueueError({ what: `Redis took no job: ${textOf(error)}`, cure });
  return Object.assign(refused, { retryable: true });
}
