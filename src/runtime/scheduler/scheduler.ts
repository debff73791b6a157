// The scheduler: decides what runs, when, and again. It does nothing itself: it is asked for its next action and told
// of what happened, with the time, so that the same code runs under a real clock and a simulated one.
// Must hold: what running tasks state and what is held in memory never exceed the budget together; a task runs when
// all it reads is there; of several attempts the first counts; every failed attempt is followed by a bounded number
// of others, or by the end. A decision costs no more with ten thousand workers than with ten, but for the logarithm of how
// many there are.

import { bytesText } from "../../core/counts.ts";
import { RunError } from "../../core/errors.ts";
import type { TaskStats } from "../events.ts";
import {
  type Attempt,
  type Emit,
  type Entry,
  type Failure,
  Loads,
  mayRetry,
  type Running,
  Teller,
  UnderWay,
} from "./entry.ts";
import { Frontier, Queue } from "./frontier.ts";
import { Holdings } from "./holdings.ts";
import { delayAfter, Pace, type Policy, Recovery } from "./policy.ts";
import type { Shares } from "./shares.ts";
import type { OperationNode, TaskGraph, TaskRef } from "./taskGraph.ts";

export interface SchedulerOptions {
  readonly policy: Policy;
  readonly pool: string;
  readonly workers: number;
  /** How many there are now, where workers come and go. */
  readonly workersNow?: (() => number) | undefined;
  /** Tasks that may be given to a worker that has not finished the one before, where tasks are short. */
  readonly ahead: number;
  /** How long they may wait there, in ms. */
  readonly queueMs?: number | undefined;
  /** Bytes for running tasks and held outputs together. */
  readonly budget: number;
  /** How they share it, where it is not the same memory. */
  readonly shares: Shares | null;
  /** Outputs are stored as soon as they are there, so that a later run finds them. */
  readonly storesAll: boolean;
  /** Outputs are in the store, and nothing of them is in memory here: workers elsewhere have put them there. */
  readonly holdsNothing?: boolean | undefined;
  /** False where there is no place to put outputs when memory runs out. */
  readonly maySpill: boolean;
  readonly emit: Emit | null;
  /** Nobody reads a task's outputs any more. */
  readonly free: (ref: TaskRef) => void;
  /** A task's outputs are in the store, and leave memory. */
  readonly drop: (ref: TaskRef) => void;
}

export type Action =
  | { readonly kind: "start"; readonly ref: TaskRef; readonly attempt: Attempt }
  | { readonly kind: "spill"; readonly ref: TaskRef }
  /** Until something is reported, or this time. */
  | { readonly kind: "wait"; readonly until: number }
  | { readonly kind: "end" };

interface Delayed {
  readonly entry: Entry;
  readonly time: number;
}

/** A task that failed for good, with every attempt. */
export interface TaskFailed {
  readonly ref: TaskRef;
  readonly failures: readonly Failure[];
}

/** A task of an earlier run. */
export interface FoundTask extends TaskRef {
  /** Its outputs that other tasks read are stored too. */
  readonly hasHeld: boolean;
}

/** How soon workers that have joined are given something. */
const JOIN_MS = 250;
/** Tasks that may wait for others, for each worker: chains of so many operations keep all workers busy. */
const WAITING_PER_WORKER = 16;

export class Scheduler {
  readonly #frontier: Frontier;
  readonly #options: SchedulerOptions;
  readonly #operations: readonly OperationNode[];
  readonly #tell: Teller;
  readonly #pace: Pace;
  readonly #holdings: Holdings;
  readonly #recovery: Recovery;
  readonly #running = new UnderWay();
  /** Failed tasks that wait for their next attempt. */
  readonly #delayed = new Queue<Delayed>((a, b) => a.time < b.time);
  /** Tasks that each worker has. */
  readonly #loads: Loads;
  #attempts = 0;
  /** Attempts that were slow when all were looked at last, and when they are looked at again. */
  #slow: Iterator<Running> = [].values();
  #twinCheck = 0;
  #isCancelled = false;
  failure: TaskFailed | null = null;

  constructor(graph: TaskGraph, options: SchedulerOptions) {
    this.#frontier = new Frontier(graph);
    this.#options = options;
    this.#operations = graph.operations;
    this.#tell = new Teller(graph.operations, options.emit);
    this.#pace = new Pace(graph.operations.length, options.ahead, options.queueMs);
    this.#holdings = new Holdings(this.#frontier, options);
    this.#recovery = new Recovery(this.#frontier, options.policy.retry.attempts);
    this.#loads = new Loads(options.workers);
  }

  /** Bytes that running tasks and held outputs take now. */
  get usedBytes(): number {
    return this.#holdings.used;
  }
  get mostUsedBytes(): number {
    return this.#holdings.mostUsed;
  }
  /** It failed or was cancelled: nothing new begins. */
  get isEnding(): boolean {
    return this.failure !== null || this.#isCancelled;
  }
  get runningTasks(): number {
    return this.#running.size;
  }
  /** Tasks of which anything is kept: they run, wait for others, or made what is still to be read. */
  get liveTasks(): number {
    return this.#frontier.size;
  }

  /** Before the first action: outputs of an earlier run that are in the store. */
  found({ op, task, hasHeld }: FoundTask): void {
    this.#frontier.found(op, task, hasHeld);
  }

  begin(now: number): void {
    const tasksDone = this.#frontier.done.reduce((sum, { size }) => sum + size, 0);
    this.#tell.begin(now, this.#options, tasksDone);
  }

  end(now: number, error?: unknown): void {
    const outcome = this.#isCancelled ? "cancelled" : error === undefined ? "done" : "failed";
    this.#tell.end(now, outcome, error);
  }

  /** No new tasks; what runs is waited for. */
  cancel(): void {
    this.#isCancelled = true;
  }

  next(now: number): Action {
    this.#loseSilent(now);
    if (this.failure !== null || this.#isCancelled) return this.#isOver() ? { kind: "end" } : this.#wait(now);
    this.#wakeDelayed(now);
    const worker = this.#freeWorker();
    if (worker === null) return this.#wait(now);
    const entry = this.#frontier.takeReady(this.#mayExpand());
    if (entry === null) return this.#idle(now, worker);
    const operation = this.#operations[entry.op]!;
    if (this.#holdings.hasRoom(operation)) return this.#start(entry, worker, now, false);
    this.#frontier.putBack(entry);
    if (!this.#holdings.isHeldInTheWay(operation)) return this.#wait(now);
    return this.#relieve(entry, now);
  }

  #isOver(): boolean {
    return this.#running.size === 0 && this.#holdings.spilling === 0;
  }

  #wait(now: number): Action {
    return { kind: "wait", until: this.#nextLook(now) };
  }

  /** While there is work, no more tasks are looked at than can soon be begun. */
  #mayExpand(): boolean {
    const most = Math.max(this.#options.policy.maxWaiting, WAITING_PER_WORKER * this.#loads.count);
    return this.#running.size === 0 || this.#frontier.waiting < most;
  }

  #wakeDelayed(now: number): void {
    for (
      let first = this.#delayed.first;
      first !== undefined && first.time <= now;
      first = this.#delayed.first
    ) {
      this.#delayed.takeFirst();
      this.#frontier.putBack(first.entry);
    }
  }

  /** The worker with least to do, unless it has enough. */
  #freeWorker(): number | null {
    const { workersNow } = this.#options;
    if (workersNow !== undefined) this.#loads.resize(Math.max(1, workersNow()));
    return this.#loads.least(this.#pace.mostLoad);
  }

  /** Memory is short: a held output goes to the store. */
  #relieve(blocked: Entry, now: number): Action {
    const relief = this.#holdings.relieve();
    if (relief === "released") return this.next(now);
    if (relief !== null) return { kind: "spill", ref: relief };
    if (!this.#isOver()) return this.#wait(now);
    this.failure = { ref: blocked, failures: [{ error: this.#noRoom(blocked), isLost: false }] };
    return { kind: "end" };
  }

  /** Nothing runs, and there is no store for what is held. */
  #noRoom({ op }: TaskRef): RunError {
    const { projectedMem } = this.#operations[op]!;
    const [used, needed] = [bytesText(this.#holdings.used), bytesText(projectedMem)];
    return new RunError({
      what: `intermediates hold ${used}, the task needs ${needed}, and all may have ${bytesText(this.#options.budget)}`,
      cure: "Give a workDir, so that intermediates can go to files, or a larger allowedMem",
    });
  }

  #start(entry: Entry, worker: number, now: number, isTwin: boolean): Action {
    entry.state = "running";
    entry.tries++;
    const inputs = entry.claimed;
    for (const input of inputs) input.pins++;
    const id = ++this.#attempts;
    const attempt = { id, number: entry.tries, isTwin, worker, startTime: now, entry, inputs };
    entry.attempts++;
    this.#running.add(attempt);
    this.#loads.add(worker, 1);
    this.#holdings.begin(this.#operations[entry.op]!);
    this.#pace.started(entry.op);
    this.#tell.taskStart(now, entry, attempt);
    return { kind: "start", ref: entry, attempt };
  }

  /** Nothing is ready. When all is done, attempts that lost a race may be under way: who runs them may end them. */
  #idle(now: number, worker: number): Action {
    if (this.#frontier.isDone) return this.#holdings.spilling === 0 ? { kind: "end" } : this.#wait(now);
    const slow = this.#slowTask(now);
    // A worker's own twin would wait behind it.
    if (slow === null || slow.worker === worker) return this.#waitForSlow(now);
    const { entry, startTime } = slow;
    entry.hasTwin = true;
    this.#tell.twin(now, entry, now - startTime, this.#pace.median(entry.op)!);
    return this.#start(entry, worker, now, true);
  }

  /** A worker has nothing to do: it may have a twin of what turns out to be slow. */
  #waitForSlow(now: number): Action {
    const { isOn } = this.#options.policy.twins;
    const look =
      isOn && this.#running.size > 0 ? Math.max(now + 1, this.#twinCheck) : Number.POSITIVE_INFINITY;
    return { kind: "wait", until: Math.min(this.#nextLook(now), look) };
  }

  #nextLook(now: number): number {
    let time = this.#delayed.first?.time ?? Number.POSITIVE_INFINITY;
    if (this.failure !== null) time = Number.POSITIVE_INFINITY;
    const { oldest } = this.#running;
    if (oldest === null) return time;
    const { lostAfterMs } = this.#options.policy;
    if (this.#options.workersNow !== undefined) time = Math.min(time, now + JOIN_MS);
    return Math.min(time, oldest.startTime + lostAfterMs);
  }

  /** A task that takes far longer than others of its operation, and is alone. All are looked at now and then. */
  #slowTask(now: number): Running | null {
    const { twins } = this.#options.policy;
    if (!twins.isOn) return null;
    if (now >= this.#twinCheck) {
      this.#twinCheck = now + twins.everyMs;
      this.#slow = [...this.#running.values()].filter((running) => this.#isSlow(running, now)).values();
    }
    for (;;) {
      const { value, done } = this.#slow.next();
      if (done === true) return null;
      if (this.#running.get(value.id) === value && this.#isSlow(value, now)) return value;
    }
  }

  #isSlow({ entry, startTime }: Running, now: number): boolean {
    const operation = this.#operations[entry.op]!;
    const donePart = this.#frontier.done[entry.op]!.size / operation.tasks;
    const isAlone = !entry.hasTwin && entry.state === "running" && this.#holdings.hasRoom(operation);
    const { twins } = this.#options.policy;
    return isAlone && this.#pace.isSlow(entry.op, now - startTime, donePart, twins);
  }

  #loseSilent(now: number): void {
    const { lostAfterMs } = this.#options.policy;
    for (let { oldest } = this.#running; oldest !== null; { oldest } = this.#running) {
      if (now < oldest.startTime + lostAfterMs) return;
      const error = new Error(`nothing was heard of the task for ${lostAfterMs} ms`);
      this.failed(oldest.id, { error, isLost: true }, now);
    }
  }

  /** Takes an attempt off the list; null for one that is not on it (told twice, or given up). */
  #finish(id: number): Running | null {
    const running = this.#running.get(id);
    if (running === undefined) return null;
    const { entry, inputs } = running;
    this.#running.delete(running);
    this.#loads.add(running.worker, -1);
    this.#holdings.end(this.#operations[entry.op]!);
    entry.attempts--;
    for (const input of inputs) input.pins--;
    return running;
  }

  /** A task's outputs are there. True when they count: no other attempt was first. */
  done(id: number, stats: TaskStats, now: number): boolean {
    const attempt = this.#finish(id);
    if (attempt === null) return false;
    const { entry } = attempt;
    const isFirst = entry.state !== "available";
    this.#pace.ended(entry.op, stats.endTime - stats.startTime);
    this.#tell.taskEnd(now, entry, attempt, isFirst ? "done" : "superseded", stats);
    if (!isFirst) return false;
    this.#holdings.complete(entry);
    if (this.#frontier.done[entry.op]!.isFull) this.#tell.operationEnd(now, entry.op);
    return true;
  }

  failed(id: number, failure: Failure, now: number): void {
    const attempt = this.#finish(id);
    if (attempt === null) return;
    const { entry } = attempt;
    const times = { startTime: attempt.startTime, readTime: now, computeTime: now, endTime: now };
    const stats = { ...times, bytesRead: 0, bytesWritten: 0, measuredMem: null };
    this.#tell.taskEnd(now, entry, attempt, "failed", stats);
    const earlier = entry.failures;
    const wasBegun = failure.wasBegun !== false;
    if (wasBegun) entry.failures = [...earlier, failure];
    else entry.tries--;
    if (entry.state === "available" || entry.attempts > 0) return;
    if (failure.lost !== undefined && this.#recovery.redo(entry, failure.lost)) {
      // It did not fail itself.
      entry.failures = earlier;
      entry.tries--;
      this.#tell.retry(now, entry, attempt, failure.error, 0);
      return;
    }
    const most = this.#options.policy.retry.attempts + (entry.hasTwin ? 1 : 0);
    if (entry.tries < most && mayRetry(failure, earlier)) this.#retry(entry, attempt, failure, now);
    else this.failure ??= { ref: entry, failures: entry.failures };
  }

  #retry(entry: Entry, attempt: Attempt, { error, isLost }: Failure, now: number): void {
    // What is lost with its worker did not fail: it begins again at once.
    const delayMs = isLost ? 0 : delayAfter(entry.failures.length, this.#options.policy.retry);
    this.#tell.retry(now, entry, attempt, error, delayMs);
    entry.state = "ready";
    this.#delayed.add({ entry, time: now + delayMs });
  }

  /** An output is in the store. True when its memory is free: nobody began to read it meanwhile. */
  spilled(ref: TaskRef, now: number): boolean {
    this.#tell.spill(now, ref);
    return this.#holdings.spilled(ref);
  }

  spillFailed(ref: TaskRef, failure: Failure): void {
    this.#holdings.spillFailed(ref);
    this.failure ??= { ref, failures: [failure] };
  }

  /** Running attempts: what a pool has to end when the run is over. */
  attempts(): readonly Attempt[] {
    return [...this.#running.values()];
  }
}
