// The scheduler's record of a task while it matters: from the moment somebody needs it until nobody reads what it
// made. Tasks that are not needed yet and tasks that are over have none.

import { ChunkwiseError } from "../../core/errors.ts";
import { LaneFailure } from "../../kernel/interpret/index.ts";
import type { RunEvent, TaskStats } from "../events.ts";
import type { OperationNode, ReaderRange, TaskRef } from "./taskGraph.ts";

// How many tasks each worker has, and who has least. In: workers that are given tasks and end them, and how many workers there
// are now. Out: the worker with least to do, the first of several.
// Must hold: a step touches a handful of words, however many workers there are: these stay in caches while tasks come and go;
// what a worker has that left is still counted down when it ends.

/** Some of so many numbers, and the first of them: a bit for each, and above 32 bits one that says whether any is set. */
class Places {
  readonly #levels: Uint32Array[] = [];

  constructor(count: number) {
    for (let words = count; words > 1 || this.#levels.length === 0; ) {
      words = Math.ceil(words / 32);
      this.#levels.push(new Uint32Array(words));
    }
  }

  get isEmpty(): boolean {
    return this.#levels.at(-1)![0] === 0;
  }

  add(place: number): void {
    let at = place;
    for (const words of this.#levels) {
      const before = words[at >>> 5]!;
      words[at >>> 5] = before | (1 << (at & 31));
      if (before !== 0) return;
      at >>>= 5;
    }
  }

  delete(place: number): void {
    let at = place;
    for (const words of this.#levels) {
      words[at >>> 5]! &= ~(1 << (at & 31));
      if (words[at >>> 5] !== 0) return;
      at >>>= 5;
    }
  }

  /** Of those that are not empty. */
  get first(): number {
    let at = 0;
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const word = this.#levels[level]![at]!;
      at = 32 * at + 31 - Math.clz32(word & -word);
    }
    return at;
  }
}

export class Loads {
  /** By worker: also of those that are not there any more. */
  readonly #loads: number[] = [];
  /** Workers that are there, by how many tasks they have; those that have `#least` are the first that are any. */
  #having: Places[] = [];
  #least = 0;
  #room = 32;
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
    while (this.#loads.length < workers) this.#loads.push(0);
    if (workers > this.#room) return this.#rebuild(workers);
    for (let worker = workers; worker < this.#count; worker++) this.#placesOf(worker).delete(worker);
    const before = this.#count;
    this.#count = workers;
    for (let worker = before; worker < workers; worker++) this.#enter(worker);
    this.#findLeast();
  }

  #rebuild(workers: number): void {
    while (this.#room < workers) this.#room *= 2;
    this.#having = [];
    this.#count = workers;
    for (let worker = 0; worker < workers; worker++) this.#enter(worker);
    this.#findLeast();
  }

  #placesOf(worker: number): Places {
    const load = this.#loads[worker]!;
    while (this.#having.length <= load) this.#having.push(new Places(this.#room));
    return this.#having[load]!;
  }

  #enter(worker: number): void {
    this.#placesOf(worker).add(worker);
    this.#least = Math.min(this.#least, this.#loads[worker]!);
  }

  /** A worker that got another task has one more than the least: this goes up by one. Only when workers leave it may be more. */
  #findLeast(): void {
    while (this.#least < this.#having.length - 1 && this.#having[this.#least]!.isEmpty) this.#least++;
  }

  add(worker: number, tasks: 1 | -1): void {
    const isThere = worker < this.#count;
    if (isThere) this.#placesOf(worker).delete(worker);
    this.#loads[worker]! += tasks;
    if (!isThere) return;
    this.#enter(worker);
    this.#findLeast();
  }

  /** The worker with least to do, if it has less than so many tasks. */
  least(below: number): number | null {
    return this.#least < below ? this.#having[this.#least]!.first : null;
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

export const NONE: readonly never[] = Object.freeze([]);

/** Most lists of a task have one member or none: one that begins with its first is a fifth of what is made to be pushed to. */
export function grown<T>(list: readonly T[], member: T): readonly T[] {
  if (list.length === 0) return [member];
  (list as T[]).push(member);
  return list;
}

/** An attempt that is under way. */
export interface Running extends Attempt {
  readonly entry: Entry;
  /** Entries that it reads: what the task owned when it began. */
  readonly inputs: readonly Entry[];
}

/** Attempts that are under way, and which of them began first: a step costs the same, however many there are. */
export class UnderWay {
  readonly #all = new Map<number, Running>();
  /** Numbers in the order in which they began, from `#from` on; some of them are over. */
  #begun: number[] = [];
  #from = 0;
  #oldest: Running | null = null;

  get size(): number {
    return this.#all.size;
  }

  get(id: number): Running | undefined {
    return this.#all.get(id);
  }

  values(): Iterable<Running> {
    return this.#all.values();
  }

  add(running: Running): void {
    this.#all.set(running.id, running);
    this.#begun.push(running.id);
    if (this.#begun.length <= 2 * this.#all.size + MOST_OVER) return;
    this.#begun = [...this.#all.keys()];
    this.#from = 0;
  }

  delete(running: Running): void {
    this.#all.delete(running.id);
    if (running === this.#oldest) this.#oldest = null;
  }

  get oldest(): Running | null {
    while (this.#oldest === null && this.#from < this.#begun.length) {
      this.#oldest = this.#all.get(this.#begun[this.#from]!) ?? null;
      if (this.#oldest === null) this.#from++;
    }
    return this.#oldest;
  }
}

/** So many that are over are kept, beside as many as are not. */
const MOST_OVER = 64;

export class Entry implements TaskRef {
  readonly op: number;
  readonly task: number;
  state: EntryState = "expanding";
  /** False for one that was freed, whatever has its number now. */
  isLive = true;
  /** Needs that are left to look at; null when all were. */
  needs: Iterator<TaskRef> | null;
  /** How many of its needs are not there yet. */
  pending = 0;
  /** Those that wait for it. */
  waiters: readonly Entry[] = NONE;
  /** Attempts that are under way. */
  attempts = 0;
  failures: readonly Failure[] = NONE;
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
  claimed: readonly Entry[] = NONE;
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
    if (this.attempts > 0) return;
    this.failures = NONE;
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
