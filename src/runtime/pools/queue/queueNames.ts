// Names in Redis: of keys, and of jobs. In: the prefix, the queue, the run. Out: texts.
// Must hold: BullMQ's own keys are `prefix:queue:…`, and ours lie among them below `cluster:`, which no job can be called, so
// that one pattern of an access list (`~bull:chunkwise:*`) allows all that workers and runs need, and nothing else.

import { describe } from "../../../core/chunks.ts";
import { ValueError } from "../../../core/errors.ts";
import type { Batch } from "../remote/carrier.ts";

/** A queue by the names that Redis knows it under. */
export interface QueueNames {
  readonly queue: string;
  readonly prefix: string;
}

/** Letters, digits, dashes, dots and underscores: nothing that Redis, BullMQ or a pattern reads as more. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const RUN = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/;
const JOB = /^[A-Za-z0-9][A-Za-z0-9-]{0,180}-b\d{1,15}$/;

export const isRunName = (name: unknown): name is string => typeof name === "string" && RUN.test(name);
export const isJobName = (name: unknown): name is string => typeof name === "string" && JOB.test(name);

export function queueNames(queue: unknown = "chunkwise", prefix: unknown = "bull"): QueueNames {
  const wrong = [queue, prefix].find((name) => typeof name !== "string" || !NAME.test(name));
  if (wrong === undefined) return { queue: queue as string, prefix: prefix as string };
  throw new ValueError({
    what: `${describe(wrong)} is no name of a queue`,
    cure: 'Use letters, digits, dashes, dots and underscores, at most 64: {queue: "chunkwise"}',
  });
}

export class ClusterKeys {
  /** Workers by the time when they were last heard of; what each can do at once; what there is to know of them. */
  readonly workers: string;
  readonly slots: string;
  readonly about: string;
  /** Runs by the time when they were last heard of, and how many batches each has under way. */
  readonly runs: string;
  readonly underWay: string;
  readonly #base: string;

  constructor({ prefix, queue }: QueueNames) {
    this.#base = `${prefix}:${queue}:cluster`;
    this.workers = `${this.#base}:workers`;
    this.slots = `${this.#base}:slots`;
    this.about = `${this.#base}:about`;
    this.runs = `${this.#base}:runs`;
    this.underWay = `${this.#base}:under-way`;
  }

  /** The stream of what workers tell a run. */
  reports(run: string): string {
    return `${this.#base}:reports:${run}`;
  }

  /** Jobs of a run that nobody wants any more. */
  unwanted(run: string): string {
    return `${this.#base}:unwanted:${run}`;
  }
}

/** Differs between all jobs of a run: BullMQ keeps the first of two that have one name. No colon, and never a number. */
export const jobName = ({ run, op, tasks, attempt }: Batch, serial: number): string =>
  `${run}-${op}-${tasks[0]?.[0] ?? 0}-${attempt}-b${serial}`;
