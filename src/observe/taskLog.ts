// The last n attempts of a run, as records. In: events of tasks. Out: plain records in the order they ended.
// Must hold: memory is bounded by the limit; what falls out is told to the caller, so that it can keep count.

import type { TaskEnd } from "../runtime/events.ts";

/** One attempt at a task. Times are milliseconds since 1970. */
export interface TaskRecord {
  /** Which computation of the history: 1 for the first. */
  readonly computation: number;
  /** As the plan prints it: "op-001". */
  readonly operation: string;
  /** Its number in the operation, from 0. */
  readonly task: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** true for the second of two attempts that run at once. */
  readonly isTwin: boolean;
  /** Which of the pool's workers had it. */
  readonly worker: number;
  /** Its name, where workers are other processes. */
  readonly by?: string | undefined;
  /** When the worker began, had its inputs, had its outputs, and when they were stored. Never descending. */
  readonly startTime: number;
  /** When it had its inputs. */
  readonly readTime: number;
  /** When it had its outputs. */
  readonly computeTime: number;
  /** When they were stored. */
  readonly endTime: number;
  /** Bytes that it read. */
  readonly bytesRead: number;
  /** Bytes that it wrote. */
  readonly bytesWritten: number;
  /** The most bytes of blocks that it had at once; null where it is not measured. */
  readonly measuredMem: number | null;
  /** What it was stated to need. */
  readonly projectedMem: number;
  /** `unfinished`: the computation ended first. */
  readonly outcome: TaskEnd["outcome"] | "unfinished";
}

/** Clocks of two machines may differ a little; a phase is never shorter than nothing. */
export function recordOf(computation: number, event: TaskEnd): TaskRecord {
  const endTime = Math.min(event.endTime, event.time);
  const startTime = Math.min(event.startTime, endTime);
  const readTime = Math.min(Math.max(event.readTime, startTime), endTime);
  const computeTime = Math.min(Math.max(event.computeTime, readTime), endTime);
  const { operation, task, attempt, isTwin, worker, bytesRead, bytesWritten, measuredMem, projectedMem } =
    event;
  return {
    computation,
    operation,
    task,
    attempt,
    isTwin,
    worker,
    ...(event.by === undefined ? {} : { by: event.by }),
    startTime,
    readTime,
    computeTime,
    endTime,
    bytesRead,
    bytesWritten,
    measuredMem,
    projectedMem,
    outcome: event.outcome,
  };
}

/** A ring of records. */
export class TaskLog {
  readonly #limit: number;
  readonly #records: TaskRecord[] = [];
  /** Where the oldest is, once the ring is full. */
  #oldest = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The record that had to go, if any. */
  add(record: TaskRecord): TaskRecord | null {
    if (this.#limit === 0) return record;
    if (this.#records.length < this.#limit) {
      this.#records.push(record);
      return null;
    }
    const gone = this.#records[this.#oldest]!;
    this.#records[this.#oldest] = record;
    this.#oldest = (this.#oldest + 1) % this.#limit;
    return gone;
  }

  get size(): number {
    return this.#records.length;
  }

  /** The oldest first. */
  list(): TaskRecord[] {
    return [...this.#records.slice(this.#oldest), ...this.#records.slice(0, this.#oldest)];
  }
}
