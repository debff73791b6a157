// What the scheduler does when things go wrong or slowly. In: what the user set. Out: all constants, checked.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { closest } from "../../core/suggest.ts";

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
  /** Tasks that wait for others, at most, while there is work. */
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
