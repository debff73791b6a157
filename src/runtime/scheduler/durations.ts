// How long tasks of an operation take: enough to tell a slow one. Keeps the last few.

const KEPT = 63;

export class Durations {
  readonly #last: number[] = [];
  #next = 0;
  #median: number | null = null;
  count = 0;

  add(ms: number): void {
    this.#last[this.#next] = ms;
    this.#next = (this.#next + 1) % KEPT;
    this.#median = null;
    this.count++;
  }

  /** null when there are none. */
  get median(): number | null {
    if (this.#last.length === 0) return null;
    this.#median ??= this.#last.toSorted((a, b) => a - b)[this.#last.length >> 1]!;
    return this.#median;
  }
}
