// Distinct values of a column, for a dictionary. In: physical values. Out: the distinct ones in the order of their first
// appearance, and for every value its number; null when there are so many that a dictionary does not pay.

import type { PhysicalValues } from "./physical.ts";

export interface Distinct {
  readonly dictionary: PhysicalValues;
  readonly indices: Uint32Array;
}

const MOST_VALUES = 2 ** 16;
/** So many values are looked at before giving up. */
const SAMPLE = 4096;
/** Of a column less than this part may be distinct. */
const MOST_SHARE = 0.5;

export function distinctOf(values: PhysicalValues, mostBytes: number): Distinct | null {
  const { count } = values;
  if (count === 0) return null;
  const numbering = numberingOf(values);
  const indices = new Uint32Array(count);
  const { firsts } = numbering;
  let size = 0;
  for (let i = 0; i < count; i++) {
    const known = firsts.length;
    indices[i] = numbering.numberOf(i);
    if (firsts.length === known) continue;
    size += sizeAt(values, i);
    if (known + 1 > MOST_VALUES || size > mostBytes) return null;
    if (i >= SAMPLE && known > MOST_SHARE * i) return null;
  }
  return firsts.length > MOST_SHARE * count ? null : { dictionary: picked(values, firsts), indices };
}

const sizeAt = (values: PhysicalValues, i: number): number =>
  values.kind === "fixed" ? values.width : 4 + values.offsets[i + 1]! - values.offsets[i]!;

function numberingOf(values: PhysicalValues): Numbering {
  const width = values.kind === "fixed" ? values.width : 0;
  if (width === 4) return new WordNumbering(values.bytes);
  return width === 8 ? new PairNumbering(values.bytes) : new BytesNumbering(values);
}

/** A hash table from values to the numbers they were given. Where a value is found depends on its kind. */
abstract class Numbering {
  /** The index of the first value of each number. */
  readonly firsts: number[] = [];
  protected slots: Int32Array = new Int32Array(1024).fill(-1);

  abstract numberOf(index: number): number;
  protected abstract hash(index: number): number;

  /** A value that was not found, in the slot where it should have been. */
  protected added(index: number, slot: number): number {
    const number = this.firsts.push(index) - 1;
    this.slots[slot] = number;
    if (2 * number > this.slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    this.slots = new Int32Array(4 * this.slots.length).fill(-1);
    const mask = this.slots.length - 1;
    for (const [number, index] of this.firsts.entries()) {
      let slot = this.hash(index) & mask;
      while (this.slots[slot]! >= 0) slot = (slot + 1) & mask;
      this.slots[slot] = number;
    }
  }
}

/** The high bits of a product depend on all bits. */
const mixed = (word: number): number => {
  const product = Math.imul(word ^ (word >>> 16), 0x9e3779b1);
  return product ^ (product >>> 15);
};

const wordsOf = (bytes: Uint8Array): Uint32Array => {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
};

class WordNumbering extends Numbering {
  readonly #words: Uint32Array;

  constructor(bytes: Uint8Array) {
    super();
    this.#words = wordsOf(bytes);
  }

  numberOf(index: number): number {
    const words = this.#words;
    const { slots, firsts } = this;
    const mask = slots.length - 1;
    const word = words[index]!;
    for (let slot = mixed(word) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]!;
      if (number < 0) return this.added(index, slot);
      if (words[firsts[number]!] === word) return number;
    }
  }

  protected hash(index: number): number {
    return mixed(this.#words[index]!);
  }
}

class PairNumbering extends Numbering {
  readonly #words: Uint32Array;

  constructor(bytes: Uint8Array) {
    super();
    this.#words = wordsOf(bytes);
  }

  numberOf(index: number): number {
    const words = this.#words;
    const { slots, firsts } = this;
    const mask = slots.length - 1;
    const [low, high] = [words[2 * index]!, words[2 * index + 1]!];
    for (let slot = mixed(low ^ mixed(high)) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]!;
      if (number < 0) return this.added(index, slot);
      const first = 2 * firsts[number]!;
      if (words[first] === low && words[first + 1] === high) return number;
    }
  }

  protected hash(index: number): number {
    return mixed(this.#words[2 * index]! ^ mixed(this.#words[2 * index + 1]!));
  }
}

class BytesNumbering extends Numbering {
  readonly #values: PhysicalValues;

  constructor(values: PhysicalValues) {
    super();
    this.#values = values;
  }

  numberOf(index: number): number {
    const mask = this.slots.length - 1;
    for (let slot = this.hash(index) & mask; ; slot = (slot + 1) & mask) {
      const number = this.slots[slot]!;
      if (number < 0) return this.added(index, slot);
      if (this.#isEqual(index, this.firsts[number]!)) return number;
    }
  }

  #start(index: number): number {
    return this.#values.kind === "fixed" ? index * this.#values.width : this.#values.offsets[index]!;
  }

  /** FNV-1a, with the high bits brought down. */
  protected hash(index: number): number {
    const { bytes } = this.#values;
    const end = this.#start(index + 1);
    let hash = 0x811c9dc5;
    for (let at = this.#start(index); at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    return hash ^ (hash >>> 15);
  }

  #isEqual(a: number, b: number): boolean {
    const { bytes } = this.#values;
    const [from, other] = [this.#start(a), this.#start(b)];
    const length = this.#start(a + 1) - from;
    if (this.#start(b + 1) - other !== length) return false;
    for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[other + i]) return false;
    return true;
  }
}

function picked(values: PhysicalValues, indices: readonly number[]): PhysicalValues {
  const count = indices.length;
  if (values.kind === "fixed") {
    const { width } = values;
    const bytes = new Uint8Array(count * width);
    for (const [to, from] of indices.entries())
      bytes.set(values.bytes.subarray(from * width, (from + 1) * width), to * width);
    return { ...values, count, bytes };
  }
  const offsets = new Int32Array(count + 1);
  for (const [to, from] of indices.entries())
    offsets[to + 1] = offsets[to]! + values.offsets[from + 1]! - values.offsets[from]!;
  const bytes = new Uint8Array(offsets[count]!);
  for (const [to, from] of indices.entries())
    bytes.set(values.bytes.subarray(values.offsets[from]!, values.offsets[from + 1]!), offsets[to]!);
  return { kind: "bytes", count, offsets, bytes };
}
