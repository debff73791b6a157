// Event streams of runs that never were. In: a seed and what should happen. Out: events in the order of their times,
// as the contract in src/runtime/events.ts says: the same for the same arguments.

import type { OperationInfo, RunEvent, TaskEnd } from "../../src/runtime/events.ts";

export interface Made {
  readonly seed?: number;
  readonly operations?: readonly OperationInfo[];
  readonly workers?: number;
  /** The part of attempts that fail, of tasks that get a twin, of tasks whose output is spilled. */
  readonly failures?: number;
  readonly twins?: number;
  readonly spills?: number;
  readonly startTime?: number;
  readonly allowedMem?: number | null;
  readonly tasksDone?: number;
  readonly outcome?: "done" | "failed" | "cancelled";
  /** The part of the run after which it ends, unless it is done. */
  readonly until?: number;
  readonly meanMs?: number;
  /** How measured memory is to the stated one. */
  readonly measured?: (random: number) => number | null;
}

export const START = 1_700_000_000_000;

export const OPERATIONS: readonly OperationInfo[] = [
  { name: "op-001", label: "multiply, add", tasks: 24, projectedMem: 64e6 },
  { name: "op-002", label: "rechunk", tasks: 16, projectedMem: 128e6 },
  { name: "op-003", label: "mean", tasks: 4, projectedMem: 32e6 },
];

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Waiting {
  readonly operation: OperationInfo;
  readonly task: number;
  readonly attempt: number;
  readonly readyAt: number;
}

export function runEvents(made: Made = {}): RunEvent[] {
  const { operations = OPERATIONS, startTime = START, outcome = "done", allowedMem = 1e9 } = made;
  const tasks = operations.reduce((sum, operation) => sum + operation.tasks, 0);
  const { events, endTime } = taskEvents(made, operations, startTime + 1);
  const all = [...events, ...operationEvents(events, operations)].sort((a, b) => a.time - b.time);
  const stop = outcome === "done" ? endTime : startTime + (endTime - startTime) * (made.until ?? 0.5);
  return [
    {
      type: "computeStart",
      time: startTime,
      operations,
      tasks,
      tasksDone: made.tasksDone ?? 0,
      pool: "threads",
      workers: made.workers ?? 4,
      allowedMem,
    },
    ...all.filter(({ time }) => time <= stop),
    {
      type: "computeEnd",
      time: stop + 1,
      outcome,
      ...(outcome === "done" ? {} : { error: outcome === "failed" ? "disk is full" : "aborted" }),
    },
  ];
}

function taskEvents(
  made: Made,
  operations: readonly OperationInfo[],
  start: number,
): { events: RunEvent[]; endTime: number } {
  const { seed = 1, workers = 4, failures = 0, twins = 0, spills = 0, meanMs = 100 } = made;
  const { measured = (random: number) => 0.5 + random / 2 } = made;
  const random = randomOf(seed);
  const free = Array.from({ length: workers }, () => start);
  const events: RunEvent[] = [];
  const queue: Waiting[] = operations.flatMap((operation) =>
    Array.from({ length: operation.tasks }, (_, task) => ({ operation, task, attempt: 1, readyAt: start })),
  );
  /** One attempt on the worker that is free first. */
  const attempt = (
    { operation, task, attempt: number, readyAt }: Waiting,
    isTwin: boolean,
    result: TaskEnd["outcome"],
  ): TaskEnd => {
    const worker = free.indexOf(Math.min(...free));
    const time = Math.max(free[worker]!, readyAt);
    const length = meanMs * (0.25 + 1.5 * random());
    const known = { operation: operation.name, task, attempt: number, isTwin, worker };
    events.push({ type: "taskStart", time, ...known });
    const share = measured(random());
    const end: TaskEnd = {
      type: "taskEnd",
      ...known,
      time: time + length,
      outcome: result,
      startTime: time + 0.5,
      readTime: time + length * 0.25,
      computeTime: time + length * 0.8,
      endTime: time + length,
      bytesRead: Math.round(operation.projectedMem * 0.5),
      bytesWritten: result === "done" ? Math.round(operation.projectedMem * 0.25) : 0,
      measuredMem: share === null ? null : Math.round(operation.projectedMem * share),
      projectedMem: operation.projectedMem,
    };
    events.push(end);
    free[worker] = end.time;
    return end;
  };
  queue.reverse();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { operation, task } = next;
    const at = { operation: operation.name, task };
    if (next.attempt < 3 && random() < failures) {
      const { time } = attempt(next, false, "failed");
      events.push({
        type: "retry",
        time: time + 0.01,
        ...at,
        attempt: next.attempt,
        error: "EIO",
        delayMs: 50,
      });
      queue.push({ ...next, attempt: next.attempt + 1, readyAt: time + 50 });
    } else if (workers > 1 && random() < twins) {
      const slow = attempt(next, false, "superseded");
      events.push({ type: "twin", time: slow.startTime, ...at, elapsedMs: 3 * meanMs, medianMs: meanMs });
      attempt({ ...next, readyAt: slow.startTime }, true, "done");
    } else {
      const { time } = attempt(next, false, "done");
      if (random() < spills) events.push({ type: "spill", time: time + 0.01, ...at, bytes: 1_000_000 });
    }
  }
  return { events, endTime: Math.max(...free) + 1 };
}

function operationEvents(events: readonly RunEvent[], operations: readonly OperationInfo[]): RunEvent[] {
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  for (const event of events) {
    if (!("operation" in event)) continue;
    const { operation, time } = event;
    first.set(operation, Math.min(first.get(operation) ?? time, time));
    // An attempt that lost a race may end after its operation, and its outputs may be spilled later.
    if (event.type === "taskEnd" && event.outcome === "done")
      last.set(operation, Math.max(last.get(operation) ?? time, time));
  }
  return operations.flatMap(({ name, tasks }): RunEvent[] =>
    first.has(name)
      ? [
          { type: "operationStart", time: first.get(name)! - 0.001, operation: name, tasks },
          { type: "operationEnd", time: last.get(name)! + 0.001, operation: name },
        ]
      : [],
  );
}
