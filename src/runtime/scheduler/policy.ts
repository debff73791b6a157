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

export interface RetryOptions {
  readonly attempts?: number | undefined;
  readonly delayMs?: number | undefined;
  readonly maxDelayMs?: number | undefined;
}
/** `false` for no twins. */
export type TwinOptions =
  | boolean
  | { readonly [K in Exclude<keyof TwinPolicy, "isOn">]?: number | undefined };

export function policyOf(retry: RetryOptions = {}, twins: TwinOptions = true): Policy {
  const given = typeof twins === "boolean" ? {} : twins;
  return {
    ...DEFAULT_POLICY,
    retry: merged(DEFAULT_POLICY.retry, retry, "retries"),
    twins: { ...merged(DEFAULT_POLICY.twins, given, "twins"), isOn: twins !== false },
  };
}

function merged<T extends object>(defaults: T, given: object, where: string): T {
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults) || name === "isOn")
      throw new ValueError({
        where,
        what: `there is no option ${describe(name)}`,
        cure: closest(name, Object.keys(defaults)),
      });
    if (value !== undefined && !(typeof value === "number" && value >= (name === "attempts" ? 1 : 0)))
      throw new ValueError({
        where,
        what: `${name} is ${describe(value)}`,
        cure: "It must be a number of 0 or more",
      });
  }
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

export function delayAfter(attempt: number, { delayMs, maxDelayMs }: RetryPolicy): number {
  return Math.min(maxDelayMs, delayMs * 2 ** (attempt - 1));
}
