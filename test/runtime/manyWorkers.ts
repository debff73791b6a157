// A cluster of any size under the real scheduler, with a virtual clock. In: how many workers and tasks, how bad the world is,
// and a seed. Out: how long the run took against the ideal, and how many decisions it was. The same seed gives the same run.
// Unlike `simulated.ts` it computes no values and checks nothing on the way, so that 10⁷ tasks take minutes.

import { DEFAULT_POLICY, type Policy } from "../../src/runtime/scheduler/policy.ts";
import { type Action, Scheduler } from "../../src/runtime/scheduler/scheduler.ts";
import type { ReaderRange, TaskGraph, TaskRef } from "../../src/runtime/scheduler/taskGraph.ts";
import { randomFrom } from "./simulated.ts";

export interface Cluster {
  readonly workers: number;
  /** Tasks of the first operation: a power of 16 divides it twice, so that there are no odd ones. */
  readonly width: number;
  /** Chances, per attempt: it takes ten times as long; nothing is ever heard of it. */
  readonly straggles: number;
  readonly losses: number;
  readonly seed: number;
  /** Called now and then, with how many tasks something is kept of. */
  readonly look?: ((live: number) => void) | undefined;
}

export interface ClusterRun {
  readonly tasks: number;
  /** Attempts that were begun: twins and those after a loss too. */
  readonly decisions: number;
  /** Virtual milliseconds from the first start to the last end. */
  readonly makespan: number;
  /** What the tasks' first attempts take, stragglers as they are and without losses, shared evenly by all workers. */
  readonly ideal: number;
  /** The same, as if there were no stragglers. */
  readonly idealWithoutStragglers: number;
}

const FAN = 16;

/** x → g(x) → f(g(x)), chunk by chunk, and a sum of all: by sixteens, twice. */
export function mapsAndSums(width: number): TaskGraph {
  const sizes = [width, width, width / FAN, width / FAN ** 2];
  const operations = sizes.map((tasks, op) => ({
    ...{ name: `op-${op}`, label: "f", tasks, projectedMem: 0, isWanted: op === 3 },
    heldBytes: op === 3 ? 0 : 1,
  }));
  const one = (op: number, task: number): ReaderRange[] => [
    { op, count: 1, last: task, tasks: () => [task] },
  ];
  return {
    operations,
    needs: (op, task): TaskRef[] => {
      if (op === 0) return [];
      if (op === 1) return [{ op: 0, task }];
      return Array.from({ length: FAN }, (_, i) => ({ op: op - 1, task: FAN * task + i }));
    },
    readers: (op, task): ReaderRange[] =>
      op === 3 ? [] : one(op + 1, op === 0 ? task : Math.floor(task / FAN)),
  };
}

/** A worker of which nothing is heard for so long is lost, as at a queue. */
export const CLUSTER_POLICY: Policy = { ...DEFAULT_POLICY, lostAfterMs: 30_000 };

const TASK_MS = 1000;
const STRAGGLING = 10;
const LOOK_EVERY = 250_000;

/** Which attempts end when, the next one first: numbers beside each other, since ten thousand objects would be all over memory. */
class Ends {
  readonly #times: number[] = [];
  readonly #starts: number[] = [];
  readonly #ids: number[] = [];

  get next(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY;
  }

  add(id: number, startTime: number, time: number): void {
    let at = this.#times.length;
    for (let above = (at - 1) >> 1; at > 0 && time < this.#times[above]!; above = (at - 1) >> 1) {
      this.#put(at, this.#ids[above]!, this.#starts[above]!, this.#times[above]!);
      at = above;
    }
    this.#put(at, id, startTime, time);
  }

  take(): { id: number; startTime: number } {
    const [id, startTime] = [this.#ids[0]!, this.#starts[0]!];
    const [lastId, lastStart, time] = [this.#ids.pop()!, this.#starts.pop()!, this.#times.pop()!];
    const { length } = this.#times;
    let at = 0;
    for (let least = 1; least < length; least = 2 * at + 1) {
      if (least + 1 < length && this.#times[least + 1]! < this.#times[least]!) least++;
      if (time <= this.#times[least]!) break;
      this.#put(at, this.#ids[least]!, this.#starts[least]!, this.#times[least]!);
      at = least;
    }
    if (length > 0) this.#put(at, lastId, lastStart, time);
    return { id, startTime };
  }

  #put(at: number, id: number, startTime: number, time: number): void {
    this.#ids[at] = id;
    this.#starts[at] = startTime;
    this.#times[at] = time;
  }
}

export function runCluster({ workers, width, straggles, losses, seed, look }: Cluster): ClusterRun {
  const random = randomFrom(seed);
  const graph = mapsAndSums(width);
  const scheduler = new Scheduler(graph, {
    ...{ policy: CLUSTER_POLICY, pool: "simulated", workers, ahead: 0, budget: Number.POSITIVE_INFINITY },
    ...{ shares: null, storesAll: true, holdsNothing: true, maySpill: false, emit: null },
    ...{ free: () => {}, drop: () => {} },
  });
  const coming = new Ends();
  let [time, decisions, done, work, evenWork] = [0, 0, 0, 0, 0];

  const begin = ({ attempt }: Action & { kind: "start" }): void => {
    decisions++;
    const even = TASK_MS * (0.75 + 0.5 * random());
    const ms = random() < straggles ? STRAGGLING * even : even;
    if (attempt.number === 1) [work, evenWork] = [work + ms, evenWork + even];
    if (random() >= losses) coming.add(attempt.id, time, time + ms);
  };
  const end = ({ id, startTime }: { id: number; startTime: number }): void => {
    const times = { startTime, readTime: time, computeTime: time, endTime: time };
    const stats = { ...times, bytesRead: 0, bytesWritten: 0, measuredMem: null };
    if (scheduler.done(id, stats, time) && ++done % LOOK_EVERY === 0) look?.(scheduler.liveTasks);
  };
  for (;;) {
    const action = scheduler.next(time);
    if (action.kind === "end") break;
    if (action.kind === "start") begin(action);
    else if (action.kind === "wait") {
      time = Math.min(action.until, coming.next);
      if (coming.next <= time) end(coming.take());
    }
  }
  if (scheduler.failure !== null) throw new Error(`a task failed: ${JSON.stringify(scheduler.failure.ref)}`);
  const tasks = graph.operations.reduce((sum, operation) => sum + operation.tasks, 0);
  if (done !== tasks) throw new Error(`${done} of ${tasks} tasks were done`);
  const ideal = work / workers;
  return { tasks, decisions, makespan: time, ideal, idealWithoutStragglers: evenWork / workers };
}
