// Attempts that are repeated with growing pauses, and a turnstile that lets so many through at a time.

import { StorageError } from "./errors.ts";

export interface Backoff {
  readonly retries: number;
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Repeats while the error says that this may help. The pauses double, and half of each is chance, so that many clients do not come back at once. */
export async function retrying<T>(
  { retries, firstMs, mostMs }: Backoff,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 0; ; count++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (cause) {
      if (count >= retries || !(cause instanceof StorageError) || !cause.retryable) throw cause;
      const pause = Math.min(mostMs, firstMs * 2 ** count) * (0.5 + Math.random() / 2);
      const { retryAfterMs = 0 } = cause as { retryAfterMs?: number };
      await sleep(Math.max(pause, Math.min(retryAfterMs, mostMs)), signal);
    }
  }
}

/** So long, unless it is over earlier: then with the reason. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

export class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = Math.max(1, limit);
  }

  /** Who does not want to wait any more leaves at once. */
  async pass<T>(signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    try {
      signal?.throwIfAborted();
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal!.reason);
      };
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      this.#waiting.push(go);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
