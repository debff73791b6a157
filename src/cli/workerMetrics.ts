// What a worker has done, as Prometheus reads it. In: its figures. Out: metrics.

import type { WorkerFigures } from "../runtime/pools/queue/workerFigures.ts";
import type { Metric } from "./health.ts";

export interface WorkerState {
  readonly name: string;
  readonly figures: WorkerFigures;
  readonly active: number;
  readonly slots: number;
  readonly allowedMem: number | undefined;
  readonly residentBytes: number;
}

const counter = (name: string, help: string, values: Metric["values"]): Metric => ({
  ...{ name: `chunkwise_worker_${name}_total`, kind: "counter", help, values },
});
const gauge = (name: string, help: string, value: number): Metric => ({
  ...{ name: `chunkwise_worker_${name}`, kind: "gauge", help, values: [[{}, value]] },
});

export function workerMetrics(state: WorkerState): Metric[] {
  const { figures, active, slots, allowedMem, residentBytes } = state;
  const { done, refused, unwanted, handedBack, lostBefore } = figures.batches;
  const outcomes = { done, refused, unwanted, handed_back: handedBack, lost_before: lostBefore };
  return [
    { name: "chunkwise_worker_info", kind: "gauge", help: "Who it is.", values: [[{ name: state.name }, 1]] },
    counter(
      "batches",
      "Batches by how they ended.",
      Object.entries(outcomes).map(([outcome, n]) => [{ outcome }, n]),
    ),
    counter("tasks", "Tasks by how they ended.", [
      [{ outcome: "done" }, figures.tasksDone],
      [{ outcome: "failed" }, figures.tasksFailed],
    ]),
    counter("task_seconds", "Time that tasks took, all together.", [[{}, figures.taskMs / 1000]]),
    counter("bytes", "Bytes of elements that tasks read and wrote.", [
      [{ direction: "read" }, figures.bytesRead],
      [{ direction: "written" }, figures.bytesWritten],
    ]),
    counter("lock_renewals", "Locks of jobs that were renewed.", [[{}, figures.lockRenewals]]),
    counter("locks_lost", "Locks that others had taken when they were to be renewed.", [
      [{}, figures.locksLost],
    ]),
    counter("queue_errors", "Errors of the queue and its connection.", [[{}, figures.errors]]),
    gauge("active_batches", "Batches that are being done.", active),
    gauge("slots", "Batches that it does at once.", slots),
    gauge("resident_bytes", "Memory of the process, as the system counts it.", residentBytes),
    ...(allowedMem === undefined ? [] : [gauge("allowed_bytes", "What --allowed-mem says.", allowedMem)]),
  ];
}
