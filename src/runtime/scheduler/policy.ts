// What the scheduler does when things go wrong or slowly. In: what the user set. Out: all constants, checked.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { closest } from "../../core/suggest.ts";
import type { Entry } from "./entry.ts";
import type { Frontier } from "./frontier.ts";
import type { TaskRef } from "./taskGraph.ts";

const origin = performance.timeOrigin;
/** The time of events, and of waiting. */
export const now = (): number => origin + performance.now();

// How long tasks of an operation take: enough to tell a slow one. Keeps the last few.

const KEPT = 63;

class Durations {
  readonly #last: number[] = [];
  #next = 0;
  #median: number | null = null;
  count = 0;

  add(ms: number): void {
    this.#last[this.#next] = ms;
    this.#next = (this.#next + 1) % KEPT;
    this.#median = null;
    this.count++;
  }

  /** null when there are none. */
  get median(): number | null {
    if (this.#last.length === 0) return null;
    this.#median ??= this.#last.toSorted((a, b) => a - b)[this.#last.length >> 1]!;
    return this.#median;
  }
}

export interface RetryPolicy {
  /** How often a task is tried in all. */
  readonly attempts: number;
  /** How long the second attempt waits; every further one twice as long. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
}

/** When a task that takes long gets a second worker. */
export interface TwinPolicy {
  readonly isOn: boolean;
  /** So many tasks of the operation must have begun, */
  readonly minStarted: number;
  /** this part of all its tasks must be done, */
  readonly minDone: number;
  /** and the task must have taken so many times the median of those, */
  readonly slowdown: number;
  /** and no less than this. */
  readonly minMs: number;
  /** How often it is looked at. */
  readonly everyMs: number;
}

export interface Policy {
  readonly retry: RetryPolicy;
  readonly twins: TwinPolicy;
  /** An attempt of which nothing is heard for so long is taken for lost. Pools whose workers cannot vanish have none. */
  readonly lostAfterMs: number;
  /** Tasks that wait for others, at most, while there is work; with many workers, as many as these can soon begin. */
  readonly maxWaiting: number;
}

export const DEFAULT_POLICY: Policy = {
  retry: { attempts: 3, delayMs: 200, maxDelayMs: 10_000 },
  twins: { isOn: true, minStarted: 10, minDone: 0.5, slowdown: 3, minMs: 500, everyMs: 500 },
  lostAfterMs: Number.POSITIVE_INFINITY,
  maxWaiting: 1000,
};

/** How often a task is tried: the option `retries` of `x.compute` and of a Spec. */
export interface RetryOptions {
  /** How often a task is tried in all: 3. */
  readonly attempts?: number | undefined;
  /** How long the second attempt waits: 200 ms; every further one twice as long. */
  readonly delayMs?: number | undefined;
  /** But never longer than this: 10 s. */
  readonly maxDelayMs?: number | undefined;
}
/** `false` for no twins. */
export type TwinOptions =
  | boolean
  | { readonly [K in Exclude<keyof TwinPolicy, "isOn">]?: number | undefined };

/** What an option must be. */
interface Rule {
  readonly wanted: string;
  readonly accepts: (value: number) => boolean;
}

const DURATION: Rule = { wanted: "a number of milliseconds, 0 or more", accepts: (value) => value >= 0 };
const COUNT: Rule = {
  wanted: "a whole number of 1 or more",
  accepts: (value) => value >= 1 && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
};

const RETRY_RULES: { readonly [K in keyof RetryPolicy]: Rule } = {
  attempts: COUNT,
  delayMs: DURATION,
  maxDelayMs: DURATION,
};

const TWIN_RULES: { readonly [K in Exclude<keyof TwinPolicy, "isOn">]: Rule } = {
  minStarted: { wanted: "a number of tasks, 0 or more", accepts: (value) => value >= 0 },
  minDone: { wanted: "a part of all, from 0 to 1", accepts: (value) => value >= 0 && value <= 1 },
  slowdown: { wanted: "a factor of 1 or more", accepts: (value) => value >= 1 },
  minMs: DURATION,
  everyMs: DURATION,
};

export const policyOf = (retry: RetryOptions = {}, twins: TwinOptions = true): Policy => ({
  ...DEFAULT_POLICY,
  retry: retryPolicy(retry),
  twins: twinPolicy(twins),
});

export const retryPolicy = (given: RetryOptions): RetryPolicy =>
  merged(DEFAULT_POLICY.retry, given, "retries", RETRY_RULES);

export function twinPolicy(given: TwinOptions): TwinPolicy {
  const numbers = typeof given === "boolean" ? {} : given;
  return { ...merged(DEFAULT_POLICY.twins, numbers, "twins", TWIN_RULES), isOn: given !== false };
}

type Rules = { readonly [name: string]: Rule };

function merged<T extends object>(defaults: T, given: unknown, where: string, rules: Rules): T {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ValueError({
      where,
      what: `${where} is ${describe(given)}`,
      cure: `Give ${where === "twins" ? "true, false or " : ""}an object: {${Object.keys(rules).join(", ")}}`,
    });
  for (const [name, value] of Object.entries(given)) checkOption(name, value, where, rules);
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

function checkOption(name: string, value: unknown, where: string, rules: Rules): void {
  const names = Object.keys(rules);
  if (!names.includes(name))
    throw new ValueError({ where, what: `there is no option ${describe(name)}`, cure: closest(name, names) });
  const { wanted, accepts } = rules[name]!;
  if (value === undefined || (typeof value === "number" && accepts(value))) return;
  throw new ValueError({ where, what: `${name} is ${describe(value)}`, cure: `It must be ${wanted}` });
}

export function delayAfter(attempt: number, { delayMs, maxDelayMs }: RetryPolicy): number {
  return Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1));
}

// How fast tasks go: how many a worker may have in its queue, and which one takes too long.

/** How much work may be queued at a worker, where its pool says nothing. */
const QUEUE_MS = 20;
const LOOK_EVERY = 16;

export class Pace {
  readonly #durations: readonly Durations[];
  readonly #started: number[];
  readonly #ahead: number;
  readonly #queueMs: number;
  #ends = 0;
  /** Tasks that a worker may have at once: no more than it can do in a short while, for others could do them too. */
  mostLoad = 1;

  constructor(operations: number, ahead: number, queueMs: number = QUEUE_MS) {
    this.#queueMs = queueMs;
    this.#durations = Array.from({ length: operations }, () => new Durations());
    this.#started = new Array<number>(operations).fill(0);
    this.#ahead = ahead;
  }

  started(op: number): void {
    this.#started[op]!++;
  }

  ended(op: number, ms: number): void {
    this.#durations[op]!.add(ms);
    if (this.#ahead === 0 || this.#ends++ % LOOK_EVERY !== 0) return;
    const tasks = Math.floor(this.#queueMs / Math.max(this.#durations[op]!.median!, 0.01));
    this.mostLoad = Math.max(1, Math.min(1 + this.#ahead, tasks));
  }

  median(op: number): number | null {
    return this.#durations[op]!.median;
  }

  /** True for a task that takes far longer than the others of its operation, most of which are done. */
  isSlow(op: number, elapsedMs: number, donePart: number, policy: TwinPolicy): boolean {
    const median = this.median(op);
    // It may have waited behind others for most of it.
    const waited = this.mostLoad > 1 ? this.#queueMs : 0;
    return (
      median !== null &&
      this.#started[op]! >= policy.minStarted &&
      donePart > policy.minDone &&
      elapsedMs > waited + Math.max(policy.minMs, policy.slowdown * median)
    );
  }
}

// Stored outputs that are gone when a task wants to read them. In: the task, and whose outputs it misses. Out: those are
// computed again, and the task after them; or not, when that was done often enough.
// Must hold: what is computed again is bounded, for each output and for each task that reads.

/** A task that misses something so often reads what nobody can keep. */
const MOST_REDONE = 100;

export class Recovery {
  readonly #frontier: Frontier;
  readonly #attempts: number;

  constructor(frontier: Frontier, attempts: number) {
    this.#frontier = frontier;
    this.#attempts = attempts;
  }

  /** True when the task will run after what it misses; at once, when that was made again meanwhile. */
  redo(reader: Entry, lost: readonly TaskRef[]): boolean {
    const known = new Set(lost.flatMap((ref) => this.#frontier.entryOf(ref) ?? []));
    const gone = [...known].filter(isGone);
    if (++reader.redone > MOST_REDONE) return false;
    if (gone.some(({ losses }) => losses >= this.#attempts)) return false;
    this.#frontier.reopen(reader);
    for (const entry of gone) {
      entry.losses++;
      entry.begin();
      this.#frontier.reopen(entry);
    }
    return true;
  }
}

/** Neither in memory nor being made again already. */
const isGone = ({ state, isHeld }: Entry): boolean => state === "available" && !isHeld;
