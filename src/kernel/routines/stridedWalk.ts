// Walking strided blocks. In: blocks of any stride (0 and negative too). Out: where their elements lie, in
// row-major order, and plain copies of them. Must hold: a block that is written to has no two elements in
// one place and shares no memory with the block it is filled from.

import { type Block, isContiguous } from "../../core/block.ts";
import { allocate, infoOf, type TypedArray } from "../../core/dtype.ts";
import { type Shape, sizeOf, stridesOf } from "../../core/shape.ts";
import { copyPlane, passage } from "./elementBits.ts";
import type { Room } from "./room.ts";

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
