// Elements as bits. In: typed arrays of any kind. Out: moved elements. A move only carries bits, so every array is
// seen as words of 8, 16 or 32 bits: three kinds keep the loops fast where ten would not, and no number is made of
// an int64. Must hold: source and target have the same dtype and share no memory.

import { copyInto } from "../../core/copy.ts";
import { type DType, infoOf, type TypedArray } from "../../core/dtype.ts";

export type Bits = Uint8Array | Uint16Array | Uint32Array;

/** The bits of some elements and those of the place where they go. All strides below count words. */
export interface Passage {
  readonly source: Bits;
  readonly target: Bits;
  /** Words of one element. */
  readonly words: number;
}

/** Two axes of a copy: how many elements, and how far apart they lie. */
export interface Plane {
  readonly rows: number;
  readonly columns: number;
  readonly fromRow: number;
  readonly fromColumn: number;
  readonly toRow: number;
  readonly toColumn: number;
}

/** Where in a pair of words the low half of a 64 bit integer lies. */
export const LOW_WORD: 0 | 1 = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;
export const HIGH_WORD: 0 | 1 = LOW_WORD === 0 ? 1 : 0;

/** So many source lines stay in the cache while a transposed plane is read. */
const STRIP = 32;
/** Below this a call of `set` costs more than the loop. */
const LONG_ROW = 32;

export function bitsOf(data: TypedArray): Bits {
  const { buffer, byteOffset, byteLength } = data;
  if (data.BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  if (data.BYTES_PER_ELEMENT === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The 32 bit words of an int64 or uint64 array, two for each element. */
export const wordsOf = (data: TypedArray): Uint32Array =>
  new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);

export function passage(dtype: DType, source: TypedArray, target: TypedArray): Passage {
  const bits = bitsOf(source);
  return { source: bits, target: bitsOf(target), words: infoOf(dtype).bytes / bits.BYTES_PER_ELEMENT };
}

/** Copies a plane that starts at the words `from` and `to`. */
export function copyPlane(passage: Passage, plane: Plane, from: number, to: number): void {
  const dense = plane.fromColumn === passage.words && plane.toColumn === passage.words;
  if (dense && plane.columns >= LONG_ROW) {
    copyDenseRows(passage, plane, from, to);
    return;
  }
  for (let first = 0; first < plane.columns; first += STRIP) {
    const columns = Math.min(STRIP, plane.columns - first);
    copyStrip(passage, plane, columns, from + first * plane.fromColumn, to + first * plane.toColumn);
  }
}

function copyDenseRows({ source, target, words }: Passage, plane: Plane, from: number, to: number): void {
  const length = plane.columns * words;
  for (let row = 0; row < plane.rows; row++) {
    const start = from + row * plane.fromRow;
    copyInto(target, source.subarray(start, start + length), to + row * plane.toRow);
  }
}

// The first word stands outside of the loop over words, here and below: short elements then pay for no loop.
function copyStrip(passage: Passage, plane: Plane, columns: number, from: number, to: number): void {
  const { source, target, words } = passage;
  const { rows, fromRow, fromColumn, toRow, toColumn } = plane;
  for (let row = 0; row < rows; row++) {
    let read = from + row * fromRow;
    let write = to + row * toRow;
    for (let column = 0; column < columns; column++) {
      target[write] = source[read]!;
      for (let word = 1; word < words; word++) target[write + word] = source[read + word]!;
      read += fromColumn;
      write += toColumn;
    }
  }
}

/** Some places of an operand, as distances in elements from a base. */
export interface Places {
  readonly base: number;
  readonly steps: Int32Array;
  /** The first step that counts. */
  readonly first: number;
}

/** A row of elements that moves along with every place; strides count elements. */
export interface Row {
  readonly length: number;
  readonly fromStride: number;
  readonly toStride: number;
}

/** Moves an element from each of `count` places to the place that answers it, in their order. */
export function moveElements(passage: Passage, from: Places, to: Places, count: number): void {
  if (passage.words === 1) moveSingles(passage, from, to, count);
  else if (passage.words === 2) movePairs(passage, from, to, count);
  else moveFours(passage, from, to, count);
}

function moveSingles({ source, target }: Passage, from: Places, to: Places, count: number): void {
  const { base: fromBase, steps: fromSteps, first: fromFirst } = from;
  const { base: toBase, steps: toSteps, first: toFirst } = to;
  for (let i = 0; i < count; i++) {
    target[toBase + toSteps[toFirst + i]!] = source[fromBase + fromSteps[fromFirst + i]!]!;
  }
}

/** Elements of 8 bytes. */
function movePairs({ source, target }: Passage, from: Places, to: Places, count: number): void {
  const { base: fromBase, steps: fromSteps, first: fromFirst } = from;
  const { base: toBase, steps: toSteps, first: toFirst } = to;
  for (let i = 0; i < count; i++) {
    const read = (fromBase + fromSteps[fromFirst + i]!) * 2;
    const write = (toBase + toSteps[toFirst + i]!) * 2;
    target[write] = source[read]!;
    target[write + 1] = source[read + 1]!;
  }
}

/** Elements of 16 bytes. */
function moveFours({ source, target }: Passage, from: Places, to: Places, count: number): void {
  const { base: fromBase, steps: fromSteps, first: fromFirst } = from;
  const { base: toBase, steps: toSteps, first: toFirst } = to;
  for (let i = 0; i < count; i++) {
    const read = (fromBase + fromSteps[fromFirst + i]!) * 4;
    const write = (toBase + toSteps[toFirst + i]!) * 4;
    target[write] = source[read]!;
    target[write + 1] = source[read + 1]!;
    target[write + 2] = source[read + 2]!;
    target[write + 3] = source[read + 3]!;
  }
}

/** Moves a row from each of `count` places to the place that answers it, in their order. */
export function moveRows(passage: Passage, from: Places, to: Places, count: number, row: Row): void {
  const { words } = passage;
  const fromColumn = row.fromStride * words;
  const toColumn = row.toStride * words;
  const plane = { rows: 1, columns: row.length, fromRow: 0, fromColumn, toRow: 0, toColumn };
  for (let i = 0; i < count; i++) {
    const read = (from.base + from.steps[from.first + i]!) * words;
    copyPlane(passage, plane, read, (to.base + to.steps[to.first + i]!) * words);
  }
}
