// Stored outputs that are gone when a task wants to read them. In: the task, and whose outputs it misses. Out: those are
// computed again, and the task after them; or not, when that was done often enough.
// Must hold: what is computed again is bounded, for each output and for each task that reads.

import type { Entry } from "./entry.ts";
import type { Frontier } from "./frontier.ts";
import type { TaskRef } from "./taskGraph.ts";

/** A task that misses something so often reads what nobody can keep. */
const MOST_REDONE = 100;

export class Recovery {
  readonly #frontier: Frontier;
  readonly #attempts: number;

  constructor(frontier: Frontier, attempts: number) {
    this.#frontier = frontier;
    this.#attempts = attempts;
  }

  /** True when the task will run after what it misses; at once, when that was made again meanwhile. */
  redo(reader: Entry, lost: readonly TaskRef[]): boolean {
    const known = new Set(lost.flatMap((ref) => this.#frontier.entryOf(ref) ?? []));
    const gone = [...known].filter(isGone);
    if (++reader.redone > MOST_REDONE) return false;
    if (gone.some(({ losses }) => losses >= this.#attempts)) return false;
    this.#frontier.reopen(reader);
    for (const entry of gone) {
      entry.losses++;
      entry.begin();
      this.#frontier.reopen(entry);
    }
    return true;
  }
}

/** Neither in memory nor being made again already. */
const isGone = ({ state, isHeld }: Entry): boolean => state === "available" && !isHeld;
