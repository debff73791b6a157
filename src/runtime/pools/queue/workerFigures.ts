// What a worker has done since it began, in numbers: for its metrics. In: reports, and what happens to jobs. Out: counts.

import type { BatchReport } from "../remote/carrier.ts";

export class WorkerFigures {
  /** Batches by how they ended. */
  readonly batches = { done: 0, refused: 0, unwanted: 0, handedBack: 0, lostBefore: 0 };
  tasksDone = 0;
  tasksFailed = 0;
  bytesRead = 0;
  bytesWritten = 0;
  /** Time that tasks took, all together. */
  taskMs = 0;
  /** Locks of jobs that were renewed, and that others had taken meanwhile. */
  lockRenewals = 0;
  locksLost = 0;
  /** Errors of the queue and its connection. */
  errors = 0;

  add({ done, failed }: BatchReport): void {
    this.batches.done++;
    this.tasksDone += done.length;
    this.tasksFailed += failed.length;
    for (const { stats } of done) {
      this.bytesRead += stats.bytesRead;
      this.bytesWritten += stats.bytesWritten;
      this.taskMs += stats.endTime - stats.startTime;
    }
  }
}
