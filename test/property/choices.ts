// Choices: a list of random numbers, read one after another as decisions. In: numbers from fast-check. Out: picks.
// Must hold: 0 is the simplest choice everywhere, and what is missing is 0, so that shrinking makes simple programs.

export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** A number below `count`. */
  below(count: number): number {
    return count <= 1 ? 0 : (this.#numbers[this.#at++] ?? 0) % count;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** False is the simple one. */
  flip(): boolean {
    return this.below(2) === 1;
  }

  /** From `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Some of them, in order. */
  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.flip());
  }

  /** All of them in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const rest = [...list];
    return list.map(() => rest.splice(this.below(rest.length), 1)[0]!);
  }
}
