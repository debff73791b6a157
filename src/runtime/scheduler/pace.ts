// How fast tasks go: how many a worker may have in its queue, and which one takes too long.

import { Durations } from "./durations.ts";
import type { TwinPolicy } from "./policy.ts";

/** How much work may be queued at a worker. */
const QUEUE_MS = 20;
const LOOK_EVERY = 16;

export class Pace {
  readonly #durations: readonly Durations[];
  readonly #started: number[];
  readonly #ahead: number;
  #ends = 0;
  /** Tasks that a worker may have at once: no more than it can do in a short while, for others could do them too. */
  mostLoad = 1;

  constructor(operations: number, ahead: number) {
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
    const tasks = Math.floor(QUEUE_MS / Math.max(this.#durations[op]!.median!, 0.01));
    this.mostLoad = Math.max(1, Math.min(1 + this.#ahead, tasks));
  }

  median(op: number): number | null {
    return this.#durations[op]!.median;
  }

  /** True for a task that takes far longer than the others of its operation, most of which are done. */
  isSlow(op: number, elapsedMs: number, donePart: number, policy: TwinPolicy): boolean {
    const median = this.median(op);
    return (
      median !== null &&
      this.#started[op]! >= policy.minStarted &&
      donePart > policy.minDone &&
      elapsedMs > Math.max(policy.minMs, policy.slowdown * median)
    );
  }
}
