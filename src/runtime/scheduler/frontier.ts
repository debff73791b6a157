// The edge of what is known of a run: which task can run next. Work is pulled from its end: the next task that
// somebody asked for is looked at, then what it needs, and so on down, depth first, so that what is computed is
// read soon and can go. In: a graph. Out: entries that are ready.
// Must hold: what a task needs and was found there stays there until the task is done (claims), whatever is known of other
// readers; what is kept is bounded by what is running, waiting and held, not by the number of tasks; loops only.

import { Entry } from "./entry.ts";
import { Roots } from "./roots.ts";
import type { TaskGraph, TaskRef } from "./taskGraph.ts";
import { TaskSet } from "./taskSet.ts";

/** What a task needs is there: it is the task's own from now on, until the task is done. */
function claim(reader: Entry, input: Entry): void {
  input.claims++;
  reader.claimed.push(input);
}

export class Frontier {
  readonly graph: TaskGraph;
  /** Per operation: tasks that were done, in this run or found stored by it. */
  readonly done: readonly TaskSet[];
  readonly #live: readonly Map<number, Entry>[];
  readonly #stack: Entry[] = [];
  readonly #ready: Entry[] = [];
  readonly #wanted: readonly number[];
  readonly #roots: Roots;
  /** Of those that are wanted, so many from the first on were done when they were looked at. */
  #wereDone = 0;
  #waiting = 0;

  constructor(graph: TaskGraph) {
    this.graph = graph;
    this.done = graph.operations.map(({ tasks }) => new TaskSet(tasks));
    this.#live = graph.operations.map(() => new Map<number, Entry>());
    this.#wanted = graph.operations.flatMap(({ isWanted }, op) => (isWanted ? [op] : []));
    this.#roots = new Roots(this.#wanted.map((op) => ({ op, tasks: graph.operations[op]!.tasks })));
  }

  entryOf({ op, task }: TaskRef): Entry | undefined {
    return this.#live[op]!.get(task);
  }

  /** Entries whose outputs are held, oldest first within an operation. */
  *entries(): Iterable<Entry> {
    for (const live of this.#live) yield* live.values();
  }

  /** How many entries wait for others. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Outputs that are there: nobody has to run for them. */
  isThere(ref: TaskRef): boolean {
    const entry = this.entryOf(ref);
    if (entry !== undefined) return entry.state === "available";
    // Without an entry, outputs that only other tasks read are gone; what somebody asked for stays where it is.
    return this.graph.operations[ref.op]!.heldBytes === 0 && this.done[ref.op]!.has(ref.task);
  }

  /** A ready entry, the most recent first; looks for one when there is none and `mayExpand`. */
  takeReady(mayExpand: boolean): Entry | null {
    return this.#ready.pop() ?? (mayExpand ? this.#expand() : null);
  }

  /** For one that was taken and cannot run yet. */
  putBack(entry: Entry): void {
    entry.state = "ready";
    this.#ready.push(entry);
  }

  #expand(): Entry | null {
    for (;;) {
      const top = this.#stack.at(-1) ?? this.#nextRoot();
      if (top === null) return null;
      const need = top.needs?.next();
      if (need === undefined || need.done === true) {
        this.#stack.pop();
        top.needs = null;
        if (top.pending === 0) return this.#readied(top);
        top.state = "waiting";
        this.#waiting++;
      } else this.#follow(top, need.value);
    }
  }

  #readied(entry: Entry): Entry {
    entry.state = "ready";
    return entry;
  }

  #follow(top: Entry, need: TaskRef): void {
    let entry = this.entryOf(need);
    if (this.isThere(need)) return entry === undefined ? undefined : claim(top, entry);
    if (entry === undefined) {
      entry = this.#open(need.op, need.task);
      this.#stack.push(entry);
    } else if (entry.waiters.at(-1) === top) return;
    entry.waiters.push(top);
    top.pending++;
  }

  #open(op: number, task: number): Entry {
    // One that runs again, because what it made is gone, reads its own inputs again: they must not go before.
    this.done[op]!.delete(task);
    const entry = new Entry(op, task, this.graph.needs(op, task)[Symbol.iterator]());
    this.#live[op]!.set(task, entry);
    return entry;
  }

  /** One that ran, or could not: what it needs is looked for again, and then it runs again. */
  reopen(entry: Entry): void {
    this.done[entry.op]!.delete(entry.task);
    entry.state = "running";
    // An attempt that lost a race is under way: it will do.
    if (entry.attempts.length > 0) return;
    // It claims anew what is there.
    for (const input of entry.claimed) input.claims--;
    entry.claimed = [];
    entry.needs = this.graph.needs(entry.op, entry.task)[Symbol.iterator]();
    entry.state = "expanding";
    entry.pending = 0;
    this.#stack.push(entry);
  }

  /** Of several operations that were asked for, the one that is least far: what they share is read soon by all. */
  #nextRoot(): Entry | null {
    const next = this.#roots.take((op, from) => this.#nextUnknown(op, from));
    if (next === null) return null;
    const entry = this.#open(next.op, next.task);
    this.#stack.push(entry);
    return entry;
  }

  /** Tasks that are done, or that somebody needed already, are not begun again. */
  #nextUnknown(op: number, from: number): number {
    const live = this.#live[op]!;
    let task = from;
    do task = this.done[op]!.nextMissing(task);
    while (live.has(task) && task++ >= 0);
    return task;
  }

  /** A task's outputs are there: those that waited for them may go on. `keeps`: others will read them. */
  complete(entry: Entry, keeps: boolean): void {
    this.done[entry.op]!.add(entry.task);
    entry.state = "available";
    for (const waiter of entry.waiters) {
      if (keeps) claim(waiter, entry);
      this.#arrived(waiter);
    }
    entry.waiters = [];
    if (!keeps) this.#live[entry.op]!.delete(entry.task);
  }

  #arrived(waiter: Entry): void {
    waiter.pending--;
    if (waiter.pending > 0 || waiter.state !== "waiting") return;
    this.#waiting--;
    this.putBack(waiter);
  }

  /** Outputs that an earlier run left: as if the task had just been done. `hasHeld`: also those that others read. */
  found(op: number, task: number, hasHeld: boolean): void {
    if (hasHeld && this.graph.operations[op]!.heldBytes > 0) {
      const entry = this.#open(op, task);
      entry.needs = null;
      entry.state = "available";
      entry.isStored = true;
    }
    this.done[op]!.add(task);
  }

  /** False for one that was freed, whatever has its number now. */
  isLive(entry: Entry): boolean {
    return this.entryOf(entry) === entry;
  }

  forget(entry: Entry): void {
    this.#live[entry.op]!.delete(entry.task);
  }

  /** True when all that was asked for is done. */
  get isDone(): boolean {
    const isDone = (op: number): boolean => this.done[op]!.isFull;
    while (this.#wereDone < this.#wanted.length && isDone(this.#wanted[this.#wereDone]!)) this.#wereDone++;
    if (this.#wereDone < this.#wanted.length) return false;
    // What was done may have been begun again since.
    this.#wereDone = 0;
    return this.#wanted.every(isDone);
  }
}
