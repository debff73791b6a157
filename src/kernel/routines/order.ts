// The stable order of a row by number keys. In: keys, one for each element as they are ordered so far. Out: the
// elements' positions so that the keys ascend, NaN last, equal keys as they were. Sorting by a minor key and then
// by a major one thus orders by both. Scratch memory is kept from row to row.

interface Run {
  keys: Float64Array;
  order: Int32Array;
}

/** Runs of this length are sorted by insertion, which is faster while they are short. */
const SHORT = 16;

export class StableOrder {
  readonly length: number;
  #current: Run;
  #spare: Run;

  constructor(length: number) {
    this.length = length;
    this.#current = newRun(length);
    this.#spare = newRun(length);
  }

  /** The position in the row of the first element, the second… Overwritten by the next row. */
  get order(): Int32Array {
    return this.#current.order;
  }

  /** Where the caller puts the key of each element, in the order of `order`. */
  get keys(): Float64Array {
    return this.#current.keys;
  }

  /** Back to the elements' own order. */
  restart(): void {
    const { order } = this.#current;
    for (let i = 0; i < order.length; i++) order[i] = i;
  }

  sortByKeys(): void {
    if (isAscending(this.keys)) return;
    const numbers = moveNaNsToEnd(this.#current, this.#spare.order);
    for (let start = 0; start < numbers; start += SHORT) {
      insertionSort(this.#current, start, Math.min(start + SHORT, numbers));
    }
    for (let width = SHORT; width < numbers; width *= 2) this.#mergeRuns(width, numbers);
  }

  #mergeRuns(width: number, numbers: number): void {
    for (let start = 0; start < numbers; start += 2 * width) {
      const middle = Math.min(start + width, numbers);
      const end = Math.min(middle + width, numbers);
      if (isAscendingAt(this.keys, middle, end)) copyRun(this.#current, this.#spare, start, end);
      else merge(this.#current, this.#spare, start, middle, end);
    }
    copyRun(this.#current, this.#spare, numbers, this.length);
    [this.#current, this.#spare] = [this.#spare, this.#current];
  }
}

const newRun = (length: number): Run => ({ keys: new Float64Array(length), order: new Int32Array(length) });

/** False where a NaN is, wherever it is. */
function isAscending(keys: Float64Array): boolean {
  for (let i = 1; i < keys.length; i++) if (!(keys[i - 1]! <= keys[i]!)) return false;
  return true;
}

/** True when the run from `middle` on goes behind the one before it, or there is none. */
const isAscendingAt = (keys: Float64Array, middle: number, end: number): boolean =>
  middle === end || keys[middle - 1]! <= keys[middle]!;

/** Moves NaNs behind the numbers, both in their order, and returns how many numbers there are. */
function moveNaNsToEnd({ keys, order }: Run, nans: Int32Array): number {
  let numbers = 0;
  let moved = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (Number.isNaN(key)) {
      nans[moved++] = order[i]!;
    } else {
      keys[numbers] = key;
      order[numbers++] = order[i]!;
    }
  }
  keys.fill(Number.NaN, numbers);
  order.set(nans.subarray(0, moved), numbers);
  return numbers;
}

function insertionSort({ keys, order }: Run, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const key = keys[i]!;
    const element = order[i]!;
    let at = i;
    for (; at > start && key < keys[at - 1]!; at--) {
      keys[at] = keys[at - 1]!;
      order[at] = order[at - 1]!;
    }
    keys[at] = key;
    order[at] = element;
  }
}

/** Merges two ascending neighbours. An equal element of the left one goes first: that is what makes it stable. */
function merge({ keys, order }: Run, to: Run, start: number, middle: number, end: number): void {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const takesRight = left === middle || (right < end && keys[right]! < keys[left]!);
    const taken = takesRight ? right++ : left++;
    to.keys[at] = keys[taken]!;
    to.order[at] = order[taken]!;
  }
}

function copyRun(from: Run, to: Run, start: number, end: number): void {
  if (start === end) return;
  to.keys.set(from.keys.subarray(start, end), start);
  to.order.set(from.order.subarray(start, end), start);
}
