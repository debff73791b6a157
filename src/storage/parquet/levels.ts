// Definition and repetition levels of a column chunk, gathered page by page. In: the encoded levels of a page. Out: one
// byte per entry, or nothing at all as long as every entry has one and the same level, which is common: columns
// without nulls. Entries are counted as they are decoded. What must hold: no level is above the column's highest.

import type { Room } from "../codecs/codec.ts";
import { Damage } from "./errors.ts";
import {
  type Cursor,
  runLength,
  singleRun,
  takeHeader,
  takeNumber,
  takePacked,
  unpackBits,
} from "./hybrid.ts";
import type { EncodingName } from "./names.ts";

/** Bits of a level, where `most` is the highest. */
export const levelWidth = (most: number): number => 32 - Math.clz32(most);

export class Levels {
  /** The highest level of the column. */
  readonly most: number;
  readonly width: number;
  length = 0;
  /** Entries of the highest level: those that have values. */
  highest = 0;
  /** Entries at or above the level that was given as `slot`. */
  slots = 0;
  readonly #slot: number;
  /** The level of all entries while `#data` is not there. */
  #uniform = 0;
  #data: Uint8Array | null = null;
  readonly #expected: number;
  readonly #room: Room;

  /**
   * `expected`: how many entries the chunk says it has; memory grows by what pages really bring, and is good until
   * `room` ends.
   */
  constructor(most: number, slot: number, expected: number, room: Room) {
    this.most = most;
    this.width = levelWidth(most);
    this.#slot = slot;
    this.#expected = expected;
    this.#room = room;
  }

  /** The level that all entries have; null when they differ. */
  get uniform(): number | null {
    return this.#data === null ? this.#uniform : null;
  }

  /** One byte per entry. */
  data(): Uint8Array {
    if (this.#data === null) this.#spread(this.length);
    return this.#data!.subarray(0, this.length);
  }

  /** The entries from `from` to before `to` alone. */
  cut(from: number, to: number): Levels {
    const cut = new Levels(this.most, this.#slot, to - from, this.#room);
    cut.length = to - from;
    if (this.#data === null) {
      cut.#uniform = this.#uniform;
      cut.#count(this.#uniform, to - from);
    } else {
      cut.#data = this.#data.subarray(from, to);
      for (const level of cut.#data) {
        if (level === this.most) cut.highest++;
        if (level >= this.#slot) cut.slots++;
      }
    }
    return cut;
  }

  /** How many of the first entries have the highest level. */
  highestBefore(entry: number): number {
    if (this.#data === null) return this.#uniform === this.most ? entry : 0;
    let count = 0;
    for (let i = 0; i < entry; i++) if (this.#data[i] === this.most) count++;
    return count;
  }

  /** Takes the levels of `count` entries. How many of them are the highest. */
  append(cursor: Cursor, encoding: EncodingName, count: number): number {
    const before = this.highest;
    const run = encoding === "rle" ? singleRun(cursor, this.width, count) : undefined;
    if (run !== undefined) this.#repeat(run, count);
    else {
      this.#spread(this.length + count);
      if (encoding === "rle") this.#takeRuns(cursor, this.#data!, count);
      else if (encoding === "bitPacked") this.#takeHighFirst(cursor, this.#data!, count);
      else throw new Damage(`levels encoded as ${encoding}`);
      this.length += count;
    }
    return this.highest - before;
  }

  /** All entries of a page have one level. */
  #repeat(level: number, count: number): void {
    if (this.length === 0) this.#uniform = level;
    else if (this.#data === null && level !== this.#uniform) this.#spread(this.length);
    if (this.#data !== null) {
      this.#spread(this.length + count);
      this.#data.fill(level, this.length, this.length + count);
    }
    this.#count(level, count);
    this.length += count;
  }

  #count(level: number, count: number): void {
    if (level > this.most) throw tooHigh(level, this.most);
    if (level === this.most) this.highest += count;
    if (level >= this.#slot) this.slots += count;
  }

  #takeRuns(cursor: Cursor, data: Uint8Array, count: number): void {
    const { width } = this;
    const end = this.length + count;
    for (let at = this.length; at < end; ) {
      const header = takeHeader(cursor);
      const taken = Math.min(runLength(header), end - at);
      if (header % 2 === 0) {
        const level = takeNumber(cursor, width);
        this.#count(level, taken);
        // A call costs more than a short loop, and most runs are short.
        if (taken > 64) data.fill(level, at, at + taken);
        else for (let i = at; i < at + taken; i++) data[i] = level;
      } else this.#takePacked(cursor.bytes, takePacked(cursor, header, width, taken), data, at, taken);
      at += taken;
    }
  }

  #takePacked(bytes: Uint8Array, start: number, data: Uint8Array, from: number, count: number): void {
    // Lists that are not nested: each entry begins one or goes on with one.
    if (this.width === 1 && this.#slot > 1) return unpackBits(bytes, start, data, from, count);
    const { most, width } = this;
    const slot = this.#slot;
    const mask = (1 << width) - 1;
    let [highest, slots, top] = [0, 0, 0];
    let at = start;
    let buffer = 0;
    let bits = 0;
    for (let i = from; i < from + count; i++) {
      if (bits < width) {
        buffer |= bytes[at++]! << bits;
        bits += 8;
      }
      const level = buffer & mask;
      data[i] = level;
      highest += level === most ? 1 : 0;
      slots += level >= slot ? 1 : 0;
      top = level > top ? level : top;
      buffer >>>= width;
      bits -= width;
    }
    if (top > most) throw tooHigh(top, most);
    this.highest += highest;
    this.slots += slots;
  }

  /** The older way to keep levels: packed with the highest bit first, without runs. */
  #takeHighFirst(cursor: Cursor, data: Uint8Array, count: number): void {
    const { width } = this;
    const needed = Math.ceil((count * width) / 8);
    if (cursor.at + needed > cursor.end) throw new Damage("packed levels are cut short");
    for (let i = 0; i < count; i++) {
      let level = 0;
      for (let bit = i * width; bit < (i + 1) * width; bit++)
        level = (level << 1) | ((cursor.bytes[cursor.at + (bit >>> 3)]! >>> (7 - (bit & 7))) & 1);
      data[this.length + i] = level;
      this.#count(level, 1);
    }
    cursor.at += needed;
  }

  /** Makes sure that there is a byte for each of `entries` entries. */
  #spread(entries: number): void {
    const old = this.#data;
    if (old !== null && old.length >= entries) return;
    const data = this.#room.take(grown(old?.length ?? 0, entries, this.#expected));
    if (old !== null) data.set(old);
    else data.fill(this.#uniform, 0, this.length);
    this.#data = data;
  }
}

const tooHigh = (level: number, most: number): Damage =>
  new Damage(`a level of ${level}, where ${most} is the highest`);

/** What a chunk says of itself is believed up to this many elements; beyond, memory doubles as pages come. */
const BELIEVED = 2 ** 22;

/** How many elements to make room for. */
export const grown = (now: number, needed: number, expected: number): number =>
  Math.max(needed, Math.min(expected, Math.max(2 * now, BELIEVED)));
