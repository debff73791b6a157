// How many tasks go into one batch. In: how long the tasks of earlier batches took, and what waits. Out: tasks of one operation,
// as ranges. Must hold: a batch is about so much work as was asked for, and of an operation that nobody knows yet one task for
// each thread of a worker; one that was lost with a worker comes back among fewer, and then alone, so that it is known which one it is.

import { MOST_RANGES } from "./batchChecks.ts";
import type { BatchReport, TaskRange } from "./carrier.ts";

/** How much the newest batch counts. */
const NEWEST = 0.5;
const MOST_AT_ONCE = 1024;
/** A second attempt goes with so many fewer. */
const FEWER = 8;

export class BatchSizes {
  readonly #targetMs: number;
  /** By operation: ms a task takes of a worker's time, beside others that the worker does at once. */
  readonly #costs = new Map<number, number>();
  /** Tasks that a worker does at once: fewer in a batch would leave threads idle. */
  atOnce = 1;

  constructor(targetMs: number) {
    this.#targetMs = targetMs;
  }

  learn(op: number, { done, atOnce = 1 }: BatchReport): void {
    this.atOnce = atOnce;
    if (done.length === 0) return;
    let [first, last] = [Number.POSITIVE_INFINITY, 0];
    for (const { stats } of done) {
      first = Math.min(first, stats.startTime);
      last = Math.max(last, stats.endTime);
    }
    const cost = Math.max(0, last - first) / done.length;
    const known = this.#costs.get(op);
    this.#costs.set(op, known === undefined ? cost : known + NEWEST * (cost - known));
  }

  /** What a task of an operation takes, in ms; null where that is not known. */
  costOf(op: number): number | null {
    return this.#costs.get(op) ?? null;
  }

  /**
   * `attempt`: 1 for the first. `waiting`: tasks of the operation that wait; `batches`: how many they are shared among. So
   * batches get smaller towards the end of an operation, and nobody is left with more to do than others.
   */
  sizeOf(op: number, attempt: number, waiting: number, batches: number): number {
    const cost = this.#costs.get(op);
    if (attempt > 2) return 1;
    const inTime = cost === undefined ? 1 : Math.floor(this.#targetMs / Math.max(cost, 0.001));
    const fitting = Math.min(MOST_AT_ONCE, Math.max(this.atOnce, inTime));
    const whole = Math.min(fitting, Math.ceil(waiting / Math.max(1, batches)));
    return Math.max(1, attempt === 1 ? whole : Math.floor(whole / FEWER));
  }
}

/** The first tasks of a list that is in order, so many at most, as few ranges. */
export function rangesOf(tasks: readonly number[], most: number): { ranges: TaskRange[]; count: number } {
  const ranges: [number, number][] = [];
  let count = 0;
  for (const task of tasks) {
    if (count === most) break;
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === task) last[1]++;
    else if (ranges.length === MOST_RANGES) break;
    else ranges.push([task, task + 1]);
    count++;
  }
  return { ranges, count };
}
