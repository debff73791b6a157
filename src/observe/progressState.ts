// Where a run is: a value that follows from its events, `progressed(state, event)`, and nothing else. In: events in
// order. Out: counts per operation and in all, what runs now, and a few recent samples to take rates from.
// Must hold: a state is never changed; an event costs about the same whatever the number of operations and tasks.

import type { ComputeEnd, ComputeStart, OperationInfo, RunEvent, Spill, TaskEnd } from "../runtime/events.ts";
import { appended, itemAt, type Vector, vectorOf, withItem } from "./vector.ts";

/** How far an operation is. */
export interface OperationProgress {
  /** As the plan prints it: "op-001". */
  readonly name: string;
  /** What it does, for people. */
  readonly label: string;
  /** The most memory that one of its tasks is stated to need, in bytes. */
  readonly projectedMem: number;
  /** How many tasks it has. */
  readonly tasks: number;
  /** How many are done. */
  readonly done: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Attempts that followed a failure. */
  readonly retries: number;
  /** Attempts that run now. */
  readonly running: number;
  /** Bytes that were read and written. */
  readonly bytes: number;
  /** What its finished attempts took together. */
  readonly busyMs: number;
  /** When it began; null before that. */
  readonly startTime: number | null;
  /** true: all is done. */
  readonly ended: boolean;
}

/** The totals at one moment; two of them make a rate. */
export interface Sample {
  readonly time: number;
  readonly done: number;
  readonly bytes: number;
}

/** Counts of all operations together. */
export interface Totals {
  /** How many tasks there are. */
  readonly tasks: number;
  /** How many are done. */
  readonly done: number;
  /** Done by an earlier run: no part of any rate. */
  readonly doneBefore: number;
  /** Attempts that failed. */
  readonly failed: number;
  /** Attempts that followed a failure. */
  readonly retries: number;
  /** Tasks that got a second worker. */
  readonly twins: number;
  /** Bytes that were read. */
  readonly bytesRead: number;
  /** Bytes that were written. */
  readonly bytesWritten: number;
  /** Bytes that went to storage because memory was short. */
  readonly bytesSpilled: number;
  /** What all finished attempts took together. */
  readonly busyMs: number;
  /** The stated memory of all attempts that run now. */
  readonly runningMem: number;
}

/** How far a run is: a value that follows from its events, by `progressed`. */
export interface ProgressState {
  /** Before the first event "waiting", then "running", then how it ended. */
  readonly status: "waiting" | "running" | ComputeEnd["outcome"];
  /** Why, when it is not done. */
  readonly error: string | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly startTime: number;
  /** When it ended; null while it runs. */
  readonly endTime: number | null;
  /** What tasks and intermediates may use together, in bytes; null: no limit. */
  readonly allowedMem: number | null;
  /** How far each operation is. */
  readonly operations: Vector<OperationProgress>;
  /** Where each operation is in the list. */
  readonly places: ReadonlyMap<string, number>;
  /** Counts of all together. */
  readonly all: Totals;
  /** The oldest first. */
  readonly samples: readonly Sample[];
}

const NOTHING: Totals = {
  tasks: 0,
  done: 0,
  doneBefore: 0,
  failed: 0,
  retries: 0,
  twins: 0,
  bytesRead: 0,
  bytesWritten: 0,
  bytesSpilled: 0,
  busyMs: 0,
  runningMem: 0,
};

/** The state before the first event: `events.reduce(progressed, initialProgress)`. */
export const initialProgress: ProgressState = {
  status: "waiting",
  error: undefined,
  startTime: 0,
  endTime: null,
  allowedMem: null,
  operations: vectorOf<OperationProgress>([]),
  places: new Map(),
  all: NOTHING,
  samples: [],
};

/** Rates are those of about the last ten seconds. */
const SAMPLE_MS = 500;
const MOST_SAMPLES = 20;

/** The state after an event: `state = progressed(state, event)`. */
export function progressed(state: ProgressState, event: RunEvent): ProgressState {
  switch (event.type) {
    case "computeStart":
      return started(event);
    case "operationStart":
      return ofOperation(state, event.operation, ({ startTime }) => ({
        tasks: event.tasks,
        startTime: startTime ?? event.time,
      }));
    case "taskStart":
      return taskStarted(state, event.operation);
    case "taskEnd":
      return sampled(taskEnded(state, event), event.time);
    case "retry":
      return inAll(
        ofOperation(state, event.operation, ({ retries }) => ({ retries: retries + 1 })),
        { retries: state.all.retries + 1 },
      );
    case "twin":
      return inAll(state, { twins: state.all.twins + 1 });
    case "spill":
      return spilled(state, event);
    case "operationEnd":
      return ofOperation(state, event.operation, () => ({ ended: true, running: 0 }));
    case "computeEnd":
      return ended(state, event);
    default:
      // A newer runtime may tell of more.
      event satisfies never;
      return state;
  }
}

function started({ time, operations, tasks, tasksDone, allowedMem }: ComputeStart): ProgressState {
  return {
    ...initialProgress,
    status: "running",
    startTime: time,
    allowedMem,
    operations: vectorOf(operations.map(unstarted)),
    places: new Map(operations.map(({ name }, at) => [name, at])),
    all: { ...NOTHING, tasks, done: tasksDone, doneBefore: tasksDone },
    samples: [{ time, done: tasksDone, bytes: 0 }],
  };
}

const unstarted = ({ name, label, tasks, projectedMem }: OperationInfo): OperationProgress => ({
  name,
  label,
  projectedMem,
  tasks,
  done: 0,
  failed: 0,
  retries: 0,
  running: 0,
  bytes: 0,
  busyMs: 0,
  startTime: null,
  ended: false,
});

const inAll = (state: ProgressState, change: Partial<Totals>): ProgressState => ({
  ...state,
  all: { ...state.all, ...change },
});

function ofOperation(
  state: ProgressState,
  name: string,
  change: (operation: OperationProgress) => Partial<OperationProgress>,
): ProgressState {
  const at = state.places.get(name);
  if (at === undefined) return ofOperation(announced(state, name), name, change);
  const operation = itemAt(state.operations, at);
  const operations = withItem(state.operations, at, { ...operation, ...change(operation) });
  return { ...state, operations };
}

/** An operation that computeStart did not name: shown all the same. */
function announced(state: ProgressState, name: string): ProgressState {
  return {
    ...state,
    operations: appended(state.operations, unstarted({ name, label: name, tasks: 0, projectedMem: 0 })),
    places: new Map([...state.places, [name, state.operations.length]]),
  };
}

function taskStarted(state: ProgressState, name: string): ProgressState {
  const next = ofOperation(state, name, ({ running }) => ({ running: running + 1 }));
  const { projectedMem } = operationOf(next, name);
  return inAll(next, { runningMem: state.all.runningMem + projectedMem });
}

function taskEnded(state: ProgressState, event: TaskEnd): ProgressState {
  const isDone = event.outcome === "done" ? 1 : 0;
  const isFailed = event.outcome === "failed" ? 1 : 0;
  const busyMs = Math.max(0, event.time - event.startTime);
  const next = ofOperation(state, event.operation, ({ done, failed, running, bytes, busyMs: before }) => ({
    done: done + isDone,
    failed: failed + isFailed,
    running: Math.max(0, running - 1),
    bytes: bytes + event.bytesRead + event.bytesWritten,
    busyMs: before + busyMs,
  }));
  const { all } = state;
  return inAll(next, {
    done: all.done + isDone,
    failed: all.failed + isFailed,
    bytesRead: all.bytesRead + event.bytesRead,
    bytesWritten: all.bytesWritten + event.bytesWritten,
    busyMs: all.busyMs + busyMs,
    runningMem: Math.max(0, all.runningMem - operationOf(next, event.operation).projectedMem),
  });
}

function spilled(state: ProgressState, { bytes }: Spill): ProgressState {
  return inAll(state, { bytesSpilled: state.all.bytesSpilled + bytes });
}

function ended(state: ProgressState, { time, outcome, error }: ComputeEnd): ProgressState {
  return inAll({ ...state, status: outcome, error, endTime: time }, { runningMem: 0 });
}

export const operationOf = ({ operations, places }: ProgressState, name: string): OperationProgress =>
  itemAt(operations, places.get(name)!);

function sampled(state: ProgressState, time: number): ProgressState {
  const { samples, all } = state;
  const last = samples.at(-1);
  if (last !== undefined && time - last.time < SAMPLE_MS) return state;
  const sample = { time, done: all.done, bytes: all.bytesRead + all.bytesWritten };
  return { ...state, samples: [...samples.slice(-(MOST_SAMPLES - 1)), sample] };
}
