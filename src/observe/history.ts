// The history of one computation or several after another. In: events. Out: the last tasks, and a summary of every
// operation, as data, JSON, CSV and a table. Must hold: memory is bounded by `limit` tasks and the number of operations.

import { describe, isLength } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type {
  ComputeEnd,
  ComputeStart,
  OperationInfo,
  RunEvent,
  TaskEnd,
  TaskStart,
} from "../runtime/events.ts";
import { csvText, durationOf, type OperationSummary, OperationTally, summaryTable } from "./summary.ts";
import { recordOf, TaskLog, type TaskRecord } from "./taskLog.ts";

/** Options of `history`. */
export interface HistoryOptions {
  /** How many tasks are kept, the last ones: 100,000. Summaries count those that are dropped too. */
  readonly limit?: number | undefined;
}

/** A computation, from its start to its end. */
export interface ComputationRecord {
  /** When it began, in milliseconds since 1970. */
  readonly startTime: number;
  /** When it ended; null while it runs. */
  readonly endTime: number | null;
  /** How it ended. */
  readonly outcome: ComputeEnd["outcome"] | "running";
  /** Why, when it is not done. */
  readonly error: string | undefined;
  /** What carried its tasks. */
  readonly pool: string;
  /** How many tasks could run at once. */
  readonly workers: number;
  /** What tasks and intermediates could use together, in bytes; null: no limit. */
  readonly allowedMem: number | null;
  /** How many tasks it had, */
  readonly tasks: number;
  /** and how many of them an earlier run had done. */
  readonly tasksDone: number;
}

/** A history as plain data: `JSON.parse(JSON.stringify(past))`. */
export interface HistoryData {
  /** One record for each computation. */
  readonly computations: readonly ComputationRecord[];
  /** A summary of each operation. */
  readonly operations: readonly OperationSummary[];
  /** A record of each attempt that is kept. */
  readonly tasks: readonly TaskRecord[];
  /** How many tasks had to go to stay within the limit. */
  readonly tasksDropped: number;
}

const COLUMNS = ["computation", "operation", "task", "attempt", "isTwin", "worker", "startTime", "readTime", "computeTime", "endTime", "bytesRead", "bytesWritten", "measuredMem", "projectedMem", "outcome"] as const satisfies readonly (keyof TaskRecord)[]; // biome-ignore format: a list of names

/**
 * What happened in one computation or several: `history()` makes a `History`, `x.compute({onEvent: past.onEvent})`
 * fills it, and it prints as a table.
 */
export class History {
  readonly #log: TaskLog;
  readonly #computations: ComputationRecord[] = [];
  /** By computation and operation, in the order of the plans. */
  readonly #tallies = new Map<string, OperationTally>();
  readonly #running = new Map<string, TaskStart>();
  #dropped = 0;

  constructor({ limit = 100_000 }: HistoryOptions = {}) {
    if (!isLength(limit) && limit !== Number.POSITIVE_INFINITY) {
      throw new ValueError({
        where: "history",
        what: `limit is ${describe(limit)}`,
        cure: "It is a whole number of tasks, 0 or more, or Infinity",
      });
    }
    this.#log = new TaskLog(limit);
  }

  /** The consumer: `x.compute({onEvent: past.onEvent})`. */
  readonly onEvent = (event: RunEvent): void => {
    switch (event.type) {
      case "computeStart":
        return this.#begin(event);
      case "taskStart":
        return void this.#running.set(attemptKey(event), event);
      case "taskEnd":
        this.#running.delete(attemptKey(event));
        return this.#add(recordOf(this.#computations.length, event));
      case "retry":
        this.#tally(event.operation).retries++;
        return;
      case "twin":
        this.#tally(event.operation).twins++;
        return;
      case "spill": {
        const tally = this.#tally(event.operation);
        tally.spills++;
        tally.bytesSpilled += event.bytes;
        return;
      }
      case "computeEnd":
        return this.#end(event);
      case "operationStart":
      case "operationEnd":
        return;
      default:
        event satisfies never;
    }
  };

  #begin(event: ComputeStart): void {
    const { time, pool, workers, allowedMem, tasks, tasksDone } = event;
    const known = { startTime: time, pool, workers, allowedMem, tasks, tasksDone };
    this.#computations.push({ ...known, endTime: null, outcome: "running", error: undefined });
    this.#running.clear();
    for (const info of event.operations) this.#open(info);
  }

  #open(info: OperationInfo): OperationTally {
    const computation = this.#computations.length;
    const tally = new OperationTally(computation, info);
    this.#tallies.set(tallyKey(computation, info.name), tally);
    return tally;
  }

  /** Of the computation that runs. An operation that its start did not name is taken in all the same. */
  #tally(name: string): OperationTally {
    const known = this.#tallies.get(tallyKey(this.#computations.length, name));
    return known ?? this.#open({ name, label: name, tasks: 0, projectedMem: 0 });
  }

  #add(record: TaskRecord): void {
    this.#tally(record.operation).add(record);
    const gone = this.#log.add(record);
    if (gone === null) return;
    this.#dropped++;
    const owner = this.#tallies.get(tallyKey(gone.computation, gone.operation));
    if (gone.outcome === "done" && owner !== undefined) owner.kept--;
  }

  #end({ time, outcome, error }: ComputeEnd): void {
    for (const start of this.#running.values()) {
      const { projectedMem } = this.#tally(start.operation).info;
      this.#add(unfinished(this.#computations.length, start, time, projectedMem));
    }
    this.#running.clear();
    const last = this.#computations.pop();
    if (last !== undefined) this.#computations.push({ ...last, endTime: time, outcome, error });
  }

  /** One record for each computation. */
  get computations(): readonly ComputationRecord[] {
    return [...this.#computations];
  }

  /** The tasks that are kept, in the order they ended. */
  get tasks(): readonly TaskRecord[] {
    return this.#log.list();
  }

  /** How many tasks had to go to stay within the limit. */
  get tasksDropped(): number {
    return this.#dropped;
  }

  /** A summary per operation, in the order of the plans. */
  get operations(): readonly OperationSummary[] {
    const durations = new Map<string, number[]>();
    for (const record of this.#log.list()) {
      if (record.outcome !== "done") continue;
      const key = tallyKey(record.computation, record.operation);
      const list = durations.get(key);
      if (list === undefined) durations.set(key, [durationOf(record)]);
      else list.push(durationOf(record));
    }
    return [...this.#tallies].map(([key, tally]) => tally.summary(() => durations.get(key) ?? []));
  }

  /** As plain data. */
  toJSON(): HistoryData {
    const { computations, operations, tasks, tasksDropped } = this;
    return { computations, operations, tasks, tasksDropped };
  }

  /** The tasks that are kept, a line each. */
  toCSV(): string {
    const rows = this.tasks.map((record) => COLUMNS.map((column) => record[column]));
    return csvText(COLUMNS, rows);
  }

  /** A table of the operations. */
  toString(): string {
    return summaryTable(this.operations);
  }
}

Object.defineProperty(History.prototype, Symbol.for("nodejs.util.inspect.custom"), {
  value(this: History): string {
    return this.toString();
  },
});

/** Collects events: `const past = history()`, then `x.compute({onEvent: past.onEvent})`. */
export const history = (options?: HistoryOptions): History => new History(options);

const tallyKey = (computation: number, operation: string): string => `${computation} ${operation}`;

const attemptKey = ({ operation, task, attempt, isTwin }: TaskStart | TaskEnd): string =>
  `${task} ${attempt} ${isTwin} ${operation}`;

/** It ran when the computation ended; what it had done is not known. */
function unfinished(computation: number, start: TaskStart, time: number, projectedMem: number): TaskRecord {
  const { operation, task, attempt, isTwin, worker } = start;
  const end = Math.max(time, start.time);
  return {
    computation,
    operation,
    task,
    attempt,
    isTwin,
    worker,
    startTime: start.time,
    readTime: start.time,
    computeTime: end,
    endTime: end,
    bytesRead: 0,
    bytesWritten: 0,
    measuredMem: null,
    projectedMem,
    outcome: "unfinished",
  };
}
