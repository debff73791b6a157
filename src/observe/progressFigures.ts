// What a state of progress says about speed and about what is left. In: a state and the time. Out: rates, and how
// long it may still take: for each operation what its tasks took so far, at the concurrency that was seen so far.

import type { OperationProgress, ProgressState } from "./progressState.ts";
import { itemsOf } from "./vector.ts";

export interface Rates {
  readonly tasksPerSecond: number;
  readonly bytesPerSecond: number;
}

/** Of the last ten seconds or so while it runs, of all the time when it has ended; null before anything is known. */
export function ratesOf(state: ProgressState, now: number): Rates | null {
  const { all, endTime, startTime, samples } = state;
  const bytes = all.bytesRead + all.bytesWritten;
  const from = endTime === null ? samples[0] : { time: startTime, done: all.doneBefore, bytes: 0 };
  if (from === undefined) return null;
  const seconds = ((endTime ?? now) - from.time) / 1000;
  if (seconds <= 0) return null;
  return { tasksPerSecond: (all.done - from.done) / seconds, bytesPerSecond: (bytes - from.bytes) / seconds };
}

/** Milliseconds until the end, or null when nothing has been done yet. */
export function etaOf(state: ProgressState, now: number): number | null {
  const { all, startTime } = state;
  const elapsed = now - startTime;
  const done = all.done - all.doneBefore;
  if (done === 0 || elapsed <= 0) return null;
  const left = Math.max(0, all.tasks - all.done);
  if (left === 0) return 0;
  // Without durations (a clock too coarse) the count has to do.
  if (all.busyMs === 0) return (left * elapsed) / done;
  const concurrency = all.busyMs / elapsed;
  return workLeft(state, all.busyMs / done, left) / concurrency;
}

/** Milliseconds of work: operations that have not finished a task are taken to be like the others. */
function workLeft(state: ProgressState, usual: number, left: number): number {
  let work = 0;
  let counted = 0;
  for (const operation of itemsOf(state.operations)) {
    const tasks = operation.ended ? 0 : Math.max(0, operation.tasks - operation.done);
    counted += tasks;
    work += tasks * (operation.done === 0 ? usual : operation.busyMs / operation.done);
  }
  // Tasks of an earlier run are not told by operation: the rest is scaled down to what is left in all.
  return counted === 0 ? left * usual : (work * left) / counted;
}

export function operationRates({ done, bytes, startTime }: OperationProgress, now: number): Rates | null {
  const seconds = startTime === null ? 0 : (now - startTime) / 1000;
  return seconds <= 0 ? null : { tasksPerSecond: done / seconds, bytesPerSecond: bytes / seconds };
}

export function operationEta({ tasks, done, startTime }: OperationProgress, now: number): number | null {
  if (startTime === null || done === 0 || now <= startTime) return null;
  return ((tasks - done) * (now - startTime)) / done;
}
