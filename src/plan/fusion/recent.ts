// Recent: what was made last is found again instead of being made anew. Plans of many operations have few kinds of
// them, so a handful of entries answers nearly all questions, and equal answers are the same object.
// Must hold: an entry depends on nothing but what `isSame` compares.

const KEPT = 16;

export class Recent<Entry> {
  readonly #entries: Entry[] = [];
  #next = 0;

  /** What is known already, or else what `make` makes. */
  get(isSame: (entry: Entry) => boolean, make: () => Entry): Entry {
    for (const entry of this.#entries) if (isSame(entry)) return entry;
    const entry = make();
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % KEPT;
    return entry;
  }
}
