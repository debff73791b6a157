// The scheduler's record of a task while it matters: from the moment somebody needs it until nobody reads what it
// made. Tasks that are not needed yet and tasks that are over have none.

import type { Failure } from "./failure.ts";
import type { ReaderRange, TaskRef } from "./taskGraph.ts";

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
