// Walking strided blocks. In: blocks of any stride (0 and negative too). Out: where their elements lie, in
// row-major order, and plain copies of them. Must hold: a block that is written to has no two elements in
// one place and shares no memory with the block it is filled from.

import { type Block, copyInto, copyRow, isContiguous, isRow } from "../../core/block.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";
import { allocate, type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import type { Room } from "./room.ts";

// Elements as bits. In: typed arrays of any kind. Out: moved elements. A move only carries bits, so every array is
// seen as words of 8, 16 or 32 bits: three kinds keep the loops fast where ten would not, and no number is made of
// an int64. Must hold: source and target have the same dtype and share no memory.

export type Bits = Uint8Array | Uint16Array | Uint32Array;

/** The bits of some elements and those of the place where they go. All strides below count words. */
interface Passage {
  readonly source: Bits;
  readonly target: Bits;
  /** Words of one element. */
  readonly words: number;
}

/** Two axes of a copy: how many elements, and how far apart they lie. */
interface Plane {
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
function copyPlane(passage: Passage, plane: Plane, from: number, to: number): void {
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
interface Places {
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

/** What a walk has to know of an operand; a Block is one. */
export interface Walkable {
  readonly offset: number;
  readonly strides: readonly number[];
}

/** Counts through a shape in row-major order and keeps the offsets of the current element of each operand. */
export class Odometer {
  readonly offsets: number[];
  readonly #shape: Shape;
  readonly #strides: readonly (readonly number[])[];
  readonly #index: number[];

  /** Strides beyond the shape's axes are not looked at. */
  constructor(shape: Shape, operands: readonly Walkable[]) {
    this.offsets = operands.map((operand) => operand.offset);
    this.#shape = shape;
    this.#strides = operands.map((operand) => operand.strides);
    this.#index = shape.map(() => 0);
  }

  /** On to the next element; from the last one, back to the first. */
  step(): void {
    for (let axis = this.#shape.length - 1; axis >= 0; axis--) {
      const length = this.#shape[axis]!;
      const carries = ++this.#index[axis]! === length;
      this.#advance(axis, carries ? 1 - length : 1);
      if (!carries) return;
      this.#index[axis] = 0;
    }
  }

  #advance(axis: number, count: number): void {
    for (let i = 0; i < this.offsets.length; i++) this.offsets[i]! += count * this.#strides[i]![axis]!;
  }
}

export interface JoinedAxes {
  readonly shape: Shape;
  readonly operands: readonly Walkable[];
}

/** The same walk over fewer axes: lengths of 1 are dropped, axes that every operand walks as one are joined. */
export function joinAxes(shape: Shape, operands: readonly Walkable[]): JoinedAxes {
  const joined: number[] = [];
  const strides: number[][] = operands.map(() => []);
  for (let axis = 0; axis < shape.length; axis++) {
    const length = shape[axis]!;
    if (length === 1) continue;
    const last = joined.length - 1;
    const continues = last >= 0 && operands.every((o, i) => strides[i]![last] === o.strides[axis]! * length);
    const at = continues ? last : last + 1;
    joined[at] = continues ? joined[last]! * length : length;
    for (let i = 0; i < operands.length; i++) strides[i]![at] = operands[i]!.strides[axis]!;
  }
  return { shape: joined, operands: operands.map(({ offset }, i) => ({ offset, strides: strides[i]! })) };
}

/** The block seen along these axes only, in this order, at the start of the others. */
export function selectAxes(block: Block, axes: readonly number[]): Block {
  const shape = axes.map((axis) => block.shape[axis]!);
  return { ...block, shape, strides: axes.map((axis) => block.strides[axis]!) };
}

/** The axes of an array that are not named, ascending. */
export function otherAxes(ndim: number, axes: readonly number[]): number[] {
  return Array.from({ length: ndim }, (_, axis) => axis).filter((axis) => !axes.includes(axis));
}

/** The offset of every element of a block from its first one, row-major. A block spans far fewer than 2^31 elements. */
export function stepsOf(block: Block, room: Room = allocate): Int32Array {
  const steps = room("int32", sizeOf(block.shape)) as Int32Array;
  const { shape, operands } = joinAxes(block.shape, [{ offset: 0, strides: block.strides }]);
  const length = shape.at(-1) ?? 1;
  const stride = operands[0]!.strides.at(-1) ?? 0;
  const rows = new Odometer(shape.slice(0, -1), operands);
  for (let first = 0; first < steps.length; first += length) {
    const offset = rows.offsets[0]!;
    for (let i = 0; i < length; i++) steps[first + i] = offset + i * stride;
    rows.step();
  }
  return steps;
}

/** Fills `target` with the elements of `source`, which has its shape and dtype. */
export function copyElements(source: Block, target: Block): void {
  if (isRow(source) && isRow(target)) copyRow(source.data, target.data);
  else copyStrided(source, target);
}

function copyStrided(source: Block, target: Block): void {
  const way = passage(source.dtype, source.data, target.data);
  const { shape, operands } = joinAxes(source.shape, [source, target]);
  const [from, to] = operands as [Walkable, Walkable];
  const stride = (operand: Walkable, back: number) => (operand.strides.at(back) ?? 0) * way.words;
  const plane = {
    rows: shape.at(-2) ?? 1,
    columns: shape.at(-1) ?? 1,
    fromRow: stride(from, -2),
    fromColumn: stride(from, -1),
    toRow: stride(to, -2),
    toColumn: stride(to, -1),
  };
  const outer = shape.slice(0, -2);
  const odometer = new Odometer(outer, operands);
  for (let left = sizeOf(outer); left > 0; left--) {
    copyPlane(way, plane, odometer.offsets[0]! * way.words, odometer.offsets[1]! * way.words);
    odometer.step();
  }
}

/** The elements one after another, row-major. Possibly the block's own memory: only to be read. */
export function toContiguous(block: Block, room: Room = allocate): TypedArray {
  const { dtype, shape, offset } = block;
  const { slots } = infoOf(dtype);
  const size = sizeOf(shape);
  if (isContiguous(block)) return block.data.subarray(offset * slots, (offset + size) * slots);
  const data = room(dtype, size);
  copyElements(block, plainBlock(block, data));
  return data;
}

/** Fills a block with elements that lie one after another, row-major. */
export function fromContiguous(data: TypedArray, block: Block): void {
  copyElements(plainBlock(block, data), block);
}

function plainBlock({ dtype, shape }: Block, data: TypedArray): Block {
  return { dtype, shape, strides: stridesOf(shape), offset: 0, data };
}
