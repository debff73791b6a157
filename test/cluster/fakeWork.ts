// Batches that take as long as a test says, and compute nothing: for tests of the queue alone.

import { setTimeout as sleep } from "node:timers/promises";
import type { TaskStats } from "../../src/runtime/events.ts";
import {
  BATCH_VERSION,
  type Batch,
  type BatchReport,
  type BatchWork,
} from "../../src/runtime/pools/remote/carrier.ts";

const stats = (): TaskStats => {
  const time = Date.now();
  return {
    ...{ startTime: time, readTime: time, computeTime: time, endTime: time },
    ...{ bytesRead: 8, bytesWritten: 16, measuredMem: null },
  };
};

export const tasksOf = ({ tasks }: Batch): number[] =>
  tasks.flatMap(([lo, hi]) => Array.from({ length: hi - lo }, (_, i) => lo + i));

export class FakeWork implements BatchWork {
  readonly begun: Batch[] = [];
  readonly ended: Batch[] = [];
  readonly aborted: Batch[] = [];
  readonly #ms: (batch: Batch) => number;

  constructor(ms: (batch: Batch) => number = () => 0) {
    this.#ms = ms;
  }

  async run(batch: Batch, signal: AbortSignal): Promise<BatchReport> {
    this.begun.push(batch);
    signal.addEventListener("abort", () => this.aborted.push(batch));
    await sleep(this.#ms(batch), undefined, { signal });
    this.ended.push(batch);
    return {
      ...{ v: BATCH_VERSION, worker: "fake", failed: [] },
      done: tasksOf(batch).map((task) => ({ task, stats: stats() })),
    };
  }

  async close(): Promise<void> {}
}

export const batchFor = (run: string, lo: number, count = 4): Batch => ({
  ...{ v: BATCH_VERSION, run, plan: "0".repeat(64), op: 0, attempt: 0 },
  tasks: [[lo, lo + count]],
});
