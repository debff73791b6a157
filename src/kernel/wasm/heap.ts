// Places in a range of addresses: given away first fit, taken back and joined with their neighbours.
// In: sizes. Out: addresses, multiples of 64. Low addresses come first, so that memory once touched is used again.

/** A cache line. */
const ALIGNMENT = 64;
/** Keeps arrays of 2ⁿ bytes from lying at equal places of their pages, where reads wait for unrelated writes. */
const STAGGER = 2 * ALIGNMENT;

interface Gap {
  at: number;
  size: number;
}

export class Heap {
  /** By address; never touching. */
  readonly #gaps: Gap[] = [];
  readonly #sizes = new Map<number, number>();
  #end: number;
  readonly #limit: number;

  /** From `start`; it may grow to `limit`. */
  constructor(start: number, limit: number) {
    this.#end = Math.ceil(start / ALIGNMENT) * ALIGNMENT;
    this.#limit = limit;
  }

  /** How far the addresses given away have reached. */
  get end(): number {
    return this.#end;
  }

  /** Null when there is no such place left. */
  take(bytes: number): number | null {
    const size = Math.ceil(Math.max(1, bytes) / ALIGNMENT) * ALIGNMENT + STAGGER;
    const at = this.#takeGap(size) ?? this.#extend(size);
    if (at !== null) this.#sizes.set(at, size);
    return at;
  }

  #takeGap(size: number): number | null {
    const index = this.#gaps.findIndex((gap) => gap.size >= size);
    if (index < 0) return null;
    const gap = this.#gaps[index]!;
    const { at } = gap;
    if (gap.size === size) this.#gaps.splice(index, 1);
    else {
      gap.at += size;
      gap.size -= size;
    }
    return at;
  }

  /** Behind the last place, or from the gap there on. */
  #extend(size: number): number | null {
    const last = this.#gaps.at(-1);
    const touches = last !== undefined && last.at + last.size === this.#end;
    const at = touches ? last.at : this.#end;
    if (at + size > this.#limit) return null;
    if (touches) this.#gaps.pop();
    this.#end = at + size;
    return at;
  }

  give(at: number): void {
    const size = this.#sizes.get(at);
    if (size === undefined) return;
    this.#sizes.delete(at);
    const index = this.#firstBehind(at);
    const [before, behind] = [this.#gaps[index - 1], this.#gaps[index]];
    const joinsBefore = before !== undefined && before.at + before.size === at;
    const joinsBehind = behind !== undefined && at + size === behind.at;
    if (joinsBefore) before.size += size + (joinsBehind ? behind.size : 0);
    else if (joinsBehind) {
      behind.at = at;
      behind.size += size;
    } else this.#gaps.splice(index, 0, { at, size });
    if (joinsBefore && joinsBehind) this.#gaps.splice(index, 1);
  }

  #firstBehind(at: number): number {
    let low = 0;
    let high = this.#gaps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#gaps[middle]!.at < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
