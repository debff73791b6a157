// The scheduler's record of a task while it matters: from the moment somebody needs it until nobody reads what it
// made. Tasks that are not needed yet and tasks that are over have none.

import { ChunkwiseError } from "../../core/errors.ts";
import { LaneFailure } from "../../kernel/interpret/index.ts";
import type { RunEvent, TaskStats } from "../events.ts";
import type { OperationNode, ReaderRange, TaskRef } from "./taskGraph.ts";

// How many tasks each worker has, and who has least. In: workers that are given tasks and end them, and how many workers there
// are now. Out: the worker with least to do, the first of several.
// Must hold: a step costs as much as the number of workers has digits, however many there are; what a worker has that left is
// still counted down when it ends.

export class Loads {
  /** By worker: also of those that are not there any more. */
  readonly #loads: number[] = [];
  /** A tree of least loads: the children of `i` are `2i` and `2i + 1`, and workers are its leaves. */
  #tree: Float64Array = new Float64Array([0, Number.POSITIVE_INFINITY]);
  #leaves = 1;
  #count = 0;

  constructor(workers: number) {
    this.resize(workers);
  }

  /** How many workers there are. */
  get count(): number {
    return this.#count;
  }

  /** Workers have joined or left: the last ones. */
  resize(workers: number): void {
    if (workers === this.#count) return;
    const before = this.#count;
    this.#count = workers;
    while (this.#loads.length < workers) this.#loads.push(0);
    if (workers > this.#leaves) return this.#rebuild();
    for (let worker = Math.min(before, workers); worker < Math.max(before, workers); worker++)
      this.#update(worker);
  }

  #rebuild(): void {
    while (this.#leaves < this.#count) this.#leaves *= 2;
    this.#tree = new Float64Array(2 * this.#leaves).fill(Number.POSITIVE_INFINITY);
    for (let worker = 0; worker < this.#count; worker++)
      this.#tree[this.#leaves + worker] = this.#loads[worker]!;
    for (let node = this.#leaves - 1; node > 0; node--) this.#tree[node] = this.#leastBelow(node);
  }

  #leastBelow(node: number): number {
    return Math.min(this.#tree[2 * node]!, this.#tree[2 * node + 1]!);
  }

  add(worker: number, tasks: 1 | -1): void {
    this.#loads[worker]! += tasks;
    this.#update(worker);
  }

  #update(worker: number): void {
    if (worker >= this.#leaves) return;
    let node = this.#leaves + worker;
    this.#tree[node] = worker < this.#count ? this.#loads[worker]! : Number.POSITIVE_INFINITY;
    for (node >>= 1; node > 0; node >>= 1) this.#tree[node] = this.#leastBelow(node);
  }

  /** The worker with least to do, if it has less than so many tasks. */
  least(below: number): number | null {
    const least = this.#tree[1]!;
    if (!(least < below)) return null;
    let node = 1;
    while (node < this.#leaves) node = this.#tree[2 * node] === least ? 2 * node : 2 * node + 1;
    return node - this.#leaves;
  }
}

// Failed attempts: which are worth another try. In: what was thrown. Out: whether, and why not.
// I/O may succeed later; a thread may die of something else than the task. What our own checks refuse is refused
// again. A user's function may fail by accident once; the same message twice is no accident.

export interface Failure {
  readonly error: unknown;
  /** The worker is gone, or was not heard of any more: nothing is known of the task. */
  readonly isLost: boolean;
  /** False for a task that had not begun when its worker was lost: it counts as no attempt. */
  readonly wasBegun?: boolean | undefined;
  /** It could not read these tasks' outputs, which were stored and are gone. */
  readonly lost?: readonly TaskRef[] | undefined;
}

export function mayRetry(failure: Failure, earlier: readonly Failure[]): boolean {
  if (failure.isLost) return true;
  const { error } = failure;
  if (isRetryable(error)) return true;
  if (error instanceof ChunkwiseError || error instanceof LaneFailure) return false;
  const message = messageOf(error);
  return !earlier.some((other) => !other.isLost && messageOf(other.error) === message);
}

/** Codes of system calls that may succeed later. */
const PASSING: ReadonlySet<unknown> = new Set([
  ...["EAGAIN", "EBUSY", "EIO", "EMFILE", "ENFILE", "ENOBUFS", "ESTALE", "ETIMEDOUT"],
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ENETDOWN", "ENETUNREACH", "EHOSTUNREACH"],
]);

function isRetryable(error: unknown): boolean {
  const { retryable, code } = (error ?? {}) as { retryable?: unknown; code?: unknown };
  return retryable === true || PASSING.has(code);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export type EntryState =
  /** What it needs is being looked for. */
  | "expanding"
  /** Others have to be done first. */
  | "waiting"
  /** It can run: now, or at a set time when an attempt failed. */
  | "ready"
  | "running"
  /** Done; its outputs are there for those that read them. */
  | "available";

export interface Attempt {
  /** Differs between all attempts of a run. */
  readonly id: number;
  readonly number: number;
  readonly isTwin: boolean;
  readonly worker: number;
  readonly startTime: number;
}

export class Entry implements TaskRef {
  readonly op: number;
  readonly task: number;
  state: EntryState = "expanding";
  /** Needs that are left to look at; null when all were. */
  needs: Iterator<TaskRef> | null;
  /** How many of its needs are not there yet. */
  pending = 0;
  /** Those that wait for it. */
  waiters: Entry[] = [];
  readonly attempts: Attempt[] = [];
  failures: Failure[] = [];
  /** Attempts so far. */
  tries = 0;
  hasTwin = false;
  /** Who may read its outputs; null until they are there. */
  readers: readonly ReaderRange[] | null = null;
  /** Its outputs take memory. */
  isHeld = false;
  /** Its outputs are also in the store of intermediates. */
  isStored = false;
  isSpilling = false;
  /**
   * Tasks that own its outputs: from the moment when these were there for them until those tasks are done, through every
   * attempt. While there are any, the outputs stay, in memory or in the store.
   */
  claims = 0;
  /** What this task owns so. One that it reads twice may be named twice. */
  claimed: Entry[] = [];
  /** Running attempts that read its outputs from memory: while there are any, they stay there. */
  pins = 0;
  /** How often its stored outputs were gone when somebody wanted them. */
  losses = 0;
  /** How often it missed something that it reads. */
  redone = 0;

  constructor(op: number, task: number, needs: Iterator<TaskRef>) {
    this.op = op;
    this.task = task;
    this.needs = needs;
  }

  /** As if it had never run, unless an attempt that lost a race still does: what it made is gone. */
  begin(): void {
    this.isStored = false;
    if (this.attempts.length > 0) return;
    this.failures = [];
    this.tries = 0;
    this.hasTwin = false;
  }
}

// What the scheduler tells of: events, made only when somebody listens.

export type Emit = (event: RunEvent) => void;

interface Setting {
  readonly pool: string;
  readonly workers: number;
  readonly budget: number;
}

export class Teller {
  readonly #operations: readonly OperationNode[];
  readonly #emit: Emit | null;
  readonly #hasBegun: boolean[];
  readonly #hasEnded: boolean[];

  constructor(operations: readonly OperationNode[], emit: Emit | null) {
    this.#operations = operations;
    this.#emit = emit;
    this.#hasBegun = operations.map(() => false);
    this.#hasEnded = operations.map(() => false);
  }

  begin(time: number, { pool, workers, budget }: Setting, tasksDone: number): void {
    if (this.#emit === null) return;
    const operations = this.#operations.map(({ name, label, tasks, projectedMem }) => ({
      ...{ name, label, tasks, projectedMem },
    }));
    this.#emit({
      ...{ type: "computeStart", time, operations, tasksDone, pool, workers },
      tasks: operations.reduce((sum, { tasks }) => sum + tasks, 0),
      allowedMem: Number.isFinite(budget) ? budget : null,
    });
  }

  end(time: number, outcome: "done" | "failed" | "cancelled", error: unknown): void {
    const reason = error === undefined ? {} : { error: messageOf(error) };
    this.#emit?.({ type: "computeEnd", time, outcome, ...reason });
  }

  taskStart(time: number, ref: TaskRef, attempt: Attempt): void {
    if (this.#emit === null) return;
    const { name, tasks } = this.#operations[ref.op]!;
    if (!this.#hasBegun[ref.op]) this.#emit({ type: "operationStart", time, operation: name, tasks });
    this.#hasBegun[ref.op] = true;
    this.#emit({ type: "taskStart", time, ...this.#about(ref, attempt) });
  }

  taskEnd(
    time: number,
    ref: TaskRef,
    attempt: Attempt,
    outcome: "done" | "failed" | "superseded",
    stats: TaskStats,
  ): void {
    if (this.#emit === null) return;
    const { projectedMem } = this.#operations[ref.op]!;
    this.#emit({ type: "taskEnd", time, ...this.#about(ref, attempt), outcome, ...stats, projectedMem });
  }

  #about(
    { op, task }: TaskRef,
    { number, isTwin, worker }: Attempt,
  ): {
    readonly operation: string;
    readonly task: number;
    readonly attempt: number;
    readonly isTwin: boolean;
    readonly worker: number;
  } {
    return { operation: this.#operations[op]!.name, task, attempt: number, isTwin, worker };
  }

  operationEnd(time: number, op: number): void {
    if (this.#hasEnded[op]) return;
    this.#hasEnded[op] = true;
    this.#emit?.({ type: "operationEnd", time, operation: this.#operations[op]!.name });
  }

  retry(time: number, { op, task }: TaskRef, attempt: Attempt, error: unknown, delayMs: number): void {
    const operation = this.#operations[op]!.name;
    const about = { operation, task, attempt: attempt.number };
    this.#emit?.({ type: "retry", time, ...about, error: messageOf(error), delayMs });
  }

  twin(time: number, { op, task }: TaskRef, elapsedMs: number, medianMs: number): void {
    this.#emit?.({ type: "twin", time, operation: this.#operations[op]!.name, task, elapsedMs, medianMs });
  }

  spill(time: number, { op, task }: TaskRef): void {
    const { name, heldBytes } = this.#operations[op]!;
    this.#emit?.({ type: "spill", time, operation: name, task, bytes: heldBytes });
  }
}
