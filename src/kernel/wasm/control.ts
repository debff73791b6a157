// The words through which threads share a job. The calling thread opens a job, works on it itself, closes it, and
// waits until nobody is inside. A helper enters only while a job is open, so one that is late (or not there yet, or
// dead) is not waited for. Must hold: a job's words are written only while it is closed and nobody is inside.

import type { Place } from "../../core/block.ts";
import { InvariantError } from "../../core/errors.ts";
import { LaneFailure } from "../interpret/lanes.ts";
import { TRAP_KINDS, trapOf } from "../traps.ts";
import { CONTROL_AT } from "./memoryLayout.ts";

/** Numbers of the words at CONTROL_AT. `epoch` is odd while a job is open. */
export const WORDS = {
  epoch: 0,
  /** Those that change much have cache lines of their own. */
  next: 16,
  inside: 32,
  kernel: 48,
  codeAt: 49,
  codeBytes: 50,
  parameters: 51,
  units: 52,
  part: 53,
  trapKind: 54,
  trapOrigin: 55,
  failed: 56,
  /** How many slots tiles pass through; 0 for a job whose units are all there from the start. */
  slots: 57,
  /** Each slot: the tile in it (t + 1 when it is ready, −t − 1 when it is done), and its units. */
  firstSlot: 64,
} as const;

export const SLOT_WORDS = 16;
export const MAX_SLOTS = 8;
const CONTROL_WORDS = WORDS.firstSlot + SLOT_WORDS * MAX_SLOTS;

/** About 75 µs: to wake a thread up takes longer than what comes between two jobs of a computation. */
export const SPINS = 25_000;

export type Run = (parameters: number, from: number, to: number) => void;

/** A compiled module; its bytes lie in the memory too, for the other threads. */
export interface WasmKernel {
  readonly number: number;
  readonly run: Run;
  readonly code: Place;
}

export interface JobWords {
  readonly parameters: number;
  /** The first unit that is left. */
  readonly first: number;
  readonly units: number;
  readonly part: number;
  readonly slots: number;
}

export function trap(kind: number, origin: number): void {
  throw new LaneFailure(trapOf(TRAP_KINDS[kind]!), origin);
}

/** The main thread of a page must not sleep: what is left is at most one part of the job. */
const maySleep = typeof (globalThis as { document?: unknown }).document === "undefined";

export class Control {
  readonly words: Int32Array;

  /** A view of a shared memory stays good; one that is not shared never grows. */
  constructor(buffer: ArrayBufferLike) {
    this.words = new Int32Array(buffer, CONTROL_AT, CONTROL_WORDS);
  }

  /** Runs the calling thread's part of a job while others may help, and waits until they are out. */
  share(kernel: WasmKernel, job: JobWords, work: () => void): void {
    const { words } = this;
    words[WORDS.kernel] = kernel.number;
    words[WORDS.codeAt] = kernel.code.address;
    words[WORDS.codeBytes] = kernel.code.bytes;
    words[WORDS.parameters] = job.parameters;
    words[WORDS.units] = job.units;
    words[WORDS.part] = job.part;
    words[WORDS.slots] = job.slots;
    words[WORDS.trapKind] = -1;
    words[WORDS.failed] = 0;
    // What an earlier job left in the slots is nobody's tile.
    words.fill(0, WORDS.firstSlot, WORDS.firstSlot + job.slots * SLOT_WORDS);
    Atomics.store(words, WORDS.next, job.first);
    Atomics.add(words, WORDS.epoch, 1);
    Atomics.notify(words, WORDS.epoch);
    try {
      work();
    } finally {
      Atomics.store(words, WORDS.next, job.units);
      Atomics.add(words, WORDS.epoch, 1);
      this.#waitUntilEmpty();
    }
    this.#throwFailure();
  }

  /** Something went wrong on another thread: the rest need not be done. */
  get hasFailed(): boolean {
    const { words } = this;
    return Atomics.load(words, WORDS.trapKind) >= 0 || Atomics.load(words, WORDS.failed) !== 0;
  }

  #throwFailure(): void {
    const kind = Atomics.load(this.words, WORDS.trapKind);
    if (kind >= 0) trap(kind, Atomics.load(this.words, WORDS.trapOrigin));
    if (Atomics.load(this.words, WORDS.failed) !== 0)
      throw new InvariantError({ what: "a kernel failed on another thread" });
  }

  /** Sleeps until a word changes, or for a moment. */
  pause(word: number, value: number): void {
    if (maySleep) Atomics.wait(this.words, word, value, 1);
  }

  #waitUntilEmpty(): void {
    for (let looks = 0; ; looks++) {
      const inside = Atomics.load(this.words, WORDS.inside);
      if (inside === 0) return;
      if (looks > SPINS) this.pause(WORDS.inside, inside);
    }
  }
}
