// The jobs that a run has in the queue, until each is settled, once. In: what was told of them, and what Redis knows of them.
// Out: promises kept or broken. Must hold: told twice, late, or of a job that is not here does nothing; a job that Redis has
// lost, or that ended without a word, is found out by looking.

import { LostWorker } from "../pool.ts";
import type { BatchReport } from "../remote/carrier.ts";
import { receiveError } from "../sentError.ts";
import type { Told } from "./queuedReport.ts";
import { QueueError } from "./queueErrors.ts";
import type { RedisClient } from "./redisModules.ts";

interface Sent {
  readonly time: number;
  /** How often it was looked for and was not there. */
  missing: number;
  readonly resolve: (report: BatchReport) => void;
  readonly reject: (error: unknown) => void;
}

type Found = readonly (string | null | undefined)[];

/** Where jobs are that wait, or are being done. */
const LISTS = ["wait", "paused", "active"] as const;
const MOST_LISTED = 5_000;

/** A report is there before its job ends: after so many looks it is not coming. */
const LOOKS = 3;
const LOOK_AFTER_MS = 1_500;

export class SentJobs {
  readonly #sent = new Map<string, Sent>();

  get size(): number {
    return this.#sent.size;
  }
  get names(): readonly string[] {
    return [...this.#sent.keys()];
  }

  add(job: string): Promise<BatchReport> {
    return new Promise((resolve, reject) => {
      this.#sent.set(job, { time: Date.now(), missing: 0, resolve, reject });
    });
  }

  readonly told = (job: string, told: Told): void => {
    if (told.kind === "refused") return this.fail(job, receiveError(told.error));
    if (told.kind === "lost")
      return this.fail(job, new LostWorker(`the worker that had ${job} died or was cut off`, true));
    const sent = this.#take(job);
    sent?.resolve(told.report);
  };

  fail(job: string, error: unknown): void {
    this.#take(job)?.reject(error);
  }

  failAll(error: unknown): void {
    for (const job of this.names) this.fail(job, error);
  }

  #take(job: string): Sent | undefined {
    const sent = this.#sent.get(job);
    this.#sent.delete(job);
    return sent;
  }

  /** Asks Redis for those that were sent a while ago; `keyOf`: the key of a job, or of a list of jobs. */
  async look(redis: RedisClient, keyOf: (name: string) => string): Promise<void> {
    const old = [...this.#sent].filter(([, { time }]) => Date.now() - time > LOOK_AFTER_MS);
    if (old.length === 0) return;
    const fields = ["timestamp", "finishedOn", "failedReason"];
    const asked = LISTS.map((list) => ["lrange", keyOf(list), 0, MOST_LISTED] as const);
    const all = [...asked, ...old.map(([job]) => ["hmget", keyOf(job), ...fields])];
    const answers = (await redis.pipeline(all).exec()) ?? [];
    const lists = answers.slice(0, LISTS.length).map(([, names]) => (names ?? []) as readonly string[]);
    const isLong = lists.some((names) => names.length > MOST_LISTED);
    const listed = new Set(lists.flat());
    answers.slice(LISTS.length).forEach(([error, found], i) => {
      const [job, sent] = old[i]!;
      if (error === null) this.#found(job, sent, found as Found, isLong || listed.has(job));
    });
  }

  /** `isListed`: it waits or is being done; one that is there and in no list nobody will ever do. */
  #found(job: string, sent: Sent, [timestamp, finished, reason]: Found, isListed: boolean): void {
    const isThere = timestamp !== null && timestamp !== undefined && !finished && isListed;
    sent.missing = isThere ? 0 : sent.missing + 1;
    if (sent.missing < LOOKS || this.#sent.get(job) !== sent) return;
    const isRefused = typeof reason === "string" && reason !== "" && !/stalled/.test(reason);
    if (isRefused) return this.fail(job, refusal(reason));
    // Nobody's fault but the queue's: it counts as no attempt.
    this.fail(job, new LostWorker(`${job} ended, and nobody told how`, false));
  }
}

const refusal = (reason: string): QueueError =>
  new QueueError({
    what: `a worker refused a batch: ${reason.slice(0, 1000)}`,
    cure: "Workers and the program that asks them must have the same version of chunkwise",
  });
