// Quantiles of durations. In: numbers ≥ 0, one at a time. Out: quantiles that are within 1 % of an exact one,
// from counts in logarithmic classes, so that memory does not grow with the number of tasks.

/** Neighbouring classes differ by this factor: their middle is within 1 % of all that is in them. */
const FACTOR = 1.02;
const LOG_FACTOR = Math.log(FACTOR);
/** Below this (a nanosecond, in milliseconds) all is one class. */
const SMALLEST = 1e-6;

export class DurationCounts {
  readonly #classes = new Map<number, number>();
  #total = 0;

  add(value: number): void {
    const index = value <= SMALLEST ? 0 : Math.ceil(Math.log(value / SMALLEST) / LOG_FACTOR);
    this.#classes.set(index, (this.#classes.get(index) ?? 0) + 1);
    this.#total++;
  }

  /** The value that the part `q` of all does not exceed. */
  quantile(q: number): number {
    let left = rankOf(q, this.#total);
    for (const [index, count] of [...this.#classes].sort((a, b) => a[0] - b[0])) {
      left -= count;
      if (left < 0) return index === 0 ? 0 : SMALLEST * FACTOR ** (index - 0.5);
    }
    return Number.NaN;
  }
}

/** By nearest rank: always one of the values. */
const rankOf = (q: number, count: number): number => Math.max(0, Math.ceil(q * count) - 1);

/** Of a sorted list. */
export const exactQuantile = (sorted: readonly number[], q: number): number =>
  sorted[rankOf(q, sorted.length)] ?? Number.NaN;
