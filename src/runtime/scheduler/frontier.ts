// The edge of what is known of a run: which task can run next. Work is pulled from its end: the next task that
// somebody asked for is looked at, then what it needs, and so on down, depth first, so that what is computed is
// read soon and can go. In: a graph. Out: entries that are ready.
// Must hold: what a task needs and was found there stays there until the task is done (claims), whatever is known of other
// readers; what is kept is bounded by what is running, waiting and held, not by the number of tasks; loops only.

import { Entry, grown, NONE } from "./entry.ts";
import type { TaskGraph, TaskRef } from "./taskGraph.ts";

// What comes first of many. In: things, and which of two comes first. Out: the first.
// Must hold: a step costs the logarithm of how many there are; each is at least as late as the one at half its place.

export class Queue<T> {
  readonly #heap: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): T | undefined {
    return this.#heap[0];
  }

  add(item: T): void {
    const heap = this.#heap;
    let at = heap.length;
    for (let above = (at - 1) >> 1; at > 0 && this.#isBefore(item, heap[above]!); above = (at - 1) >> 1) {
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = item;
  }

  takeFirst(): T | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (this.#heap.length > 0) this.#sink(last!);
    return first;
  }

  /** The first has become later than it was. */
  firstMoved(): void {
    this.#sink(this.#heap[0]!);
  }

  /** Something takes the first place, and goes down to where it belongs. */
  #sink(item: T): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let least = 2 * at + 1;
      if (least + 1 < heap.length && this.#isBefore(heap[least + 1]!, heap[least]!)) least++;
      if (least >= heap.length || !this.#isBefore(heap[least]!, item)) break;
      heap[at] = heap[least]!;
      at = least;
    }
    heap[at] = item;
  }
}

// Which task of what was asked for is begun next: of several operations, one of that which is least far, so that what
// they share is read soon by all. In: operations and how many tasks they have. Out: tasks, each once.
// Must hold: a step costs the logarithm of the number of operations, since thousands of arrays may be asked for at once.

interface Root {
  readonly op: number;
  readonly tasks: number;
  /** The first task that was not given yet. How far one is only grows. */
  next: number;
}

export class Roots {
  readonly #roots = new Queue<Root>(isLessFar);

  constructor(operations: readonly { readonly op: number; readonly tasks: number }[]) {
    for (const { op, tasks } of operations) if (tasks > 0) this.#roots.add({ op, tasks, next: 0 });
  }

  /** The next that is to be begun; `skip` gives the first task from one on that is still to do. */
  take(skip: (op: number, from: number) => number): { op: number; task: number } | null {
    for (let root = this.#roots.first; root !== undefined; root = this.#roots.first) {
      const next = skip(root.op, root.next);
      const isIt = next === root.next;
      root.next = isIt ? next + 1 : next;
      if (root.next >= root.tasks) this.#roots.takeFirst();
      else this.#roots.firstMoved();
      if (isIt) return { op: root.op, task: next };
    }
    return null;
  }
}

/** Of those that are equally far, the one that was asked for first. */
function isLessFar(a: Root, b: Root): boolean {
  const [partOfA, partOfB] = [a.next / a.tasks, b.next / b.tasks];
  return partOfA < partOfB || (partOfA === partOfB && a.op < b.op);
}

// A set of task numbers below a limit: a bit each, in pages that are made when they are touched and shared when
// they are full. 10⁷ tasks that are done in order cost a few kilobytes; in any order, a little more than a megabyte.

const PAGE_BITS = 15;
const PAGE_TASKS = 1 << PAGE_BITS;

interface Page {
  readonly words: Uint32Array;
  count: number;
}

export class TaskSet {
  readonly limit: number;
  #size = 0;
  /** Pages that are neither empty nor full. */
  readonly #pages = new Map<number, Page>();
  /** Pages below this one are full; so are those named one by one. */
  #fullBelow = 0;
  readonly #full = new Set<number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size === this.limit;
  }

  has(task: number): boolean {
    const at = Math.floor(task / PAGE_TASKS);
    if (this.#isFullPage(at)) return true;
    const page = this.#pages.get(at);
    return page !== undefined && (page.words[wordOf(task)]! & bitOf(task)) !== 0;
  }

  #isFullPage(at: number): boolean {
    return at < this.#fullBelow || this.#full.has(at);
  }

  /** False when it was there already. */
  add(task: number): boolean {
    if (this.has(task)) return false;
    const at = Math.floor(task / PAGE_TASKS);
    let page = this.#pages.get(at);
    if (page === undefined) {
      page = { words: new Uint32Array(Math.ceil(this.#lengthOf(at) / 32)), count: 0 };
      this.#pages.set(at, page);
    }
    page.words[wordOf(task)]! |= bitOf(task);
    page.count++;
    this.#size++;
    if (page.count === this.#lengthOf(at)) this.#closePage(at);
    return true;
  }

  delete(task: number): void {
    if (!this.has(task)) return;
    const at = Math.floor(task / PAGE_TASKS);
    if (this.#isFullPage(at)) this.#openPage(at);
    const page = this.#pages.get(at)!;
    page.words[wordOf(task)]! &= ~bitOf(task);
    page.count--;
    this.#size--;
  }

  #lengthOf(at: number): number {
    return Math.min(PAGE_TASKS, this.limit - at * PAGE_TASKS);
  }

  #closePage(at: number): void {
    this.#pages.delete(at);
    this.#full.add(at);
    while (this.#full.delete(this.#fullBelow)) this.#fullBelow++;
  }

  #openPage(at: number): void {
    for (let page = at; page < this.#fullBelow; page++) this.#full.add(page);
    this.#fullBelow = Math.min(this.#fullBelow, at);
    this.#full.delete(at);
    this.#pages.set(at, {
      words: new Uint32Array(Math.ceil(this.#lengthOf(at) / 32)).fill(0xffffffff),
      count: this.#lengthOf(at),
    });
  }

  /** The first task from `from` on that is not in the set; the limit when all are. */
  nextMissing(from: number): number {
    let task = from;
    while (task < this.limit) {
      const at = Math.floor(task / PAGE_TASKS);
      if (this.#isFullPage(at)) {
        task = (at + 1) * PAGE_TASKS;
        continue;
      }
      const words = this.#pages.get(at)?.words;
      if (words === undefined) return task;
      const end = Math.min(this.limit, (at + 1) * PAGE_TASKS);
      for (; task < end; task++) {
        if (task % 32 === 0 && words[wordOf(task)] === 0xffffffff) task += 31;
        else if ((words[wordOf(task)]! & bitOf(task)) === 0) return task;
      }
    }
    return this.limit;
  }
}

const wordOf = (task: number): number => (task % PAGE_TASKS) >>> 5;
const bitOf = (task: number): number => 1 << (task % 32);

/** What a task needs is there: it is the task's own from now on, until the task is done. */
function claim(reader: Entry, input: Entry): void {
  input.claims++;
  reader.claimed = grown(reader.claimed, input);
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

  /** How many entries there are. */
  get size(): number {
    return this.#live.reduce((sum, { size }) => sum + size, 0);
  }

  /** How many entries wait for others. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Outputs that are there: nobody has to run for them. */
  isThere(ref: TaskRef, entry: Entry | undefined = this.entryOf(ref)): boolean {
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
    if (this.isThere(need, entry)) return entry === undefined ? undefined : claim(top, entry);
    if (entry === undefined) {
      entry = this.#open(need.op, need.task);
      this.#stack.push(entry);
    } else if (entry.waiters.at(-1) === top) return;
    entry.waiters = grown(entry.waiters, top);
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
    if (entry.attempts > 0) return;
    // It claims anew what is there.
    for (const input of entry.claimed) input.claims--;
    entry.claimed = NONE;
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
    entry.waiters = NONE;
    if (!keeps) this.forget(entry);
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

  forget(entry: Entry): void {
    entry.isLive = false;
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
