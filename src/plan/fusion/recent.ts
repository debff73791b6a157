// Recent: what was made last is found again instead of being made anew. Plans of many operations have few kinds of
// them, so a handful of entries answers nearly all questions, and equal answers are the same object.
// Must hold: an entry depends on nothing but what `isSame` compares. What is kept goes with what it is kept for.

const KEPT = 16;

interface Kept<Entry> {
  readonly entries: Entry[];
  next: number;
}

export class Recent<Owner extends object, Entry> {
  readonly #kept = new WeakMap<Owner, Kept<Entry>>();

  /** What is known already for an owner (the arrays of a plan, say), or else what `make` makes. */
  get(owner: Owner, isSame: (entry: Entry) => boolean, make: () => Entry): Entry {
    const kept = this.#keptFor(owner);
    for (const entry of kept.entries) if (isSame(entry)) return entry;
    const entry = make();
    kept.entries[kept.next] = entry;
    kept.next = (kept.next + 1) % KEPT;
    return entry;
  }

  #keptFor(owner: Owner): Kept<Entry> {
    let kept = this.#kept.get(owner);
    if (kept === undefined) {
      kept = { entries: [], next: 0 };
      this.#kept.set(owner, kept);
    }
    return kept;
  }
}
