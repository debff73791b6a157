// Memory: what running tasks state, and outputs that are held until all that read them have run. In: tasks that begin
// and end. Out: whether there is room, what to put into the store when there is none, and what nobody reads any more.
// Must hold: nothing is freed that a task owns or an attempt reads: who will read what is foretold only tells when it may
// go, never that it may go too early. `used` never exceeds the budget, except for one task alone. Where tasks have memory of
// their own (shares.ts), neither they nor what is held exceed their shares.

import { type Entry, NONE } from "./entry.ts";
import type { Frontier } from "./frontier.ts";
import type { Shares } from "./shares.ts";
import type { OperationNode, TaskRef } from "./taskGraph.ts";

interface HoldingOptions {
  readonly budget: number;
  readonly shares: Shares | null;
  readonly storesAll: boolean;
  readonly holdsNothing?: boolean | undefined;
  readonly maySpill: boolean;
  readonly free: (ref: TaskRef) => void;
  /** What is stored leaves memory. */
  readonly drop: (ref: TaskRef) => void;
}

/** Readers are looked at one by one up to this many. */
const FEW_READERS = 256;
/** Those that linger are looked at after so many tasks, and no more often than there are of them: a look costs each. */
const SWEEP_EVERY = 256;

export class Holdings {
  readonly #frontier: Frontier;
  readonly #options: HoldingOptions;
  /** Entries whose readers were not all done when one of them was. */
  readonly #lingering = new Set<Entry>();
  /** Since those were looked at. */
  #completions = 0;
  used = 0;
  mostUsed = 0;
  /** Of running tasks: what they state, and what of that will be held. */
  #running = 0;
  #outputs = 0;
  /** Outputs on their way to the store. */
  spilling = 0;

  constructor(frontier: Frontier, options: HoldingOptions) {
    this.#frontier = frontier;
    this.#options = options;
  }

  /** One task may run whatever it states, when it is alone: the plan has checked it. */
  hasRoom({ projectedMem, heldBytes }: OperationNode): boolean {
    const { shares, budget } = this.#options;
    if (this.used === 0) return true;
    if (this.used + projectedMem > budget) return false;
    return shares === null || (this.#mayRun(projectedMem, shares) && this.#mayHold(heldBytes, shares));
  }

  #mayRun(bytes: number, { tasks }: Shares): boolean {
    return this.#running === 0 || this.#running + bytes <= tasks;
  }

  /** Outputs of a task alone are a part of what it states. */
  #mayHold(bytes: number, { held }: Shares): boolean {
    const others = this.used - this.#running + this.#outputs;
    return bytes === 0 || others === 0 || others + bytes <= held;
  }

  /** False where a task waits for others to end: nothing that is held is in its way. */
  isHeldInTheWay({ projectedMem }: OperationNode): boolean {
    const { shares } = this.#options;
    return shares === null || this.#mayRun(projectedMem, shares);
  }

  begin({ projectedMem, heldBytes }: OperationNode): void {
    this.#running += projectedMem;
    this.#outputs += heldBytes;
    this.#take(projectedMem);
  }

  end({ projectedMem, heldBytes }: OperationNode): void {
    this.#running -= projectedMem;
    this.#outputs -= heldBytes;
    this.used -= projectedMem;
  }

  #take(bytes: number): void {
    this.used += bytes;
    this.mostUsed = Math.max(this.mostUsed, this.used);
  }

  #bytesOf({ op }: TaskRef): number {
    return this.#frontier.graph.operations[op]!.heldBytes;
  }

  #release(entry: Entry): void {
    if (!entry.isHeld) return;
    entry.isHeld = false;
    this.used -= this.#bytesOf(entry);
  }

  /** A task is done: its outputs are held, and what it owned of others may go. */
  complete(entry: Entry): void {
    const bytes = this.#bytesOf(entry);
    if (bytes > 0) this.#hold(entry, bytes);
    this.#frontier.complete(entry, bytes > 0);
    for (const input of entry.claimed) input.claims--;
    for (const input of entry.claimed) this.#freeUnread(input);
    entry.claimed = NONE;
    if (++this.#completions >= Math.max(SWEEP_EVERY, this.#lingering.size)) this.#sweep();
  }

  #hold(entry: Entry, bytes: number): void {
    const { storesAll, holdsNothing } = this.#options;
    entry.isStored = storesAll || holdsNothing === true;
    if (holdsNothing === true) return;
    entry.isHeld = true;
    this.#take(bytes);
  }

  #freeUnread(entry: Entry): void {
    if (entry.state !== "available" || !entry.isLive) return;
    if (entry.claims > 0 || entry.pins > 0 || entry.isSpilling || !this.#isRead(entry)) {
      this.#lingering.add(entry);
      return;
    }
    this.#lingering.delete(entry);
    this.#release(entry);
    this.#frontier.forget(entry);
    this.#options.free(entry);
  }

  /** True when all tasks that may read an entry's outputs are done. */
  #isRead(entry: Entry): boolean {
    entry.readers ??= this.#frontier.graph.readers(entry.op, entry.task);
    return entry.readers.every((range) => {
      const done = this.#frontier.done[range.op]!;
      if (done.isFull) return true;
      if (range.count > FEW_READERS) return done.nextMissing(0) > range.last;
      for (const task of range.tasks()) if (!done.has(task)) return false;
      return true;
    });
  }

  #sweep(): void {
    this.#completions = 0;
    for (const entry of [...this.#lingering]) this.#freeUnread(entry);
  }

  /** What is held longest goes to the store, if no attempt reads it now (those that own it find it there); what is there already just leaves memory. */
  relieve(): TaskRef | "released" | null {
    const before = this.used;
    this.#sweep();
    if (this.used < before) return "released";
    for (const entry of this.#options.maySpill ? this.#frontier.entries() : []) {
      if (!entry.isHeld || entry.isSpilling || entry.pins > 0) continue;
      if (entry.isStored) {
        this.#release(entry);
        this.#options.drop(entry);
        return "released";
      }
      entry.isSpilling = true;
      this.spilling++;
      return entry;
    }
    return null;
  }

  spilled(ref: TaskRef): boolean {
    const entry = this.#frontier.entryOf(ref)!;
    this.spilling--;
    entry.isSpilling = false;
    entry.isStored = true;
    if (entry.pins > 0) return false;
    this.#release(entry);
    this.#freeUnread(entry);
    return true;
  }

  spillFailed(ref: TaskRef): void {
    this.spilling--;
    this.#frontier.entryOf(ref)!.isSpilling = false;
  }
}
