// Tiles: the lanes that are worked on at once. A domain's axes are divided into inner ones (that a
// reduction or scan runs along) and outer ones; a tile is `rows` inner by `columns` outer places, lane
// k = row · columns + column. In: a domain and accesses bound to blocks. Out: lanes read and written.

import type { Block } from "../../core/block.ts";
import { placeOf, type Shape, sizeOf } from "../../core/chunks.ts";
import { infoOf, type TypedArray } from "../../core/dtype.ts";
import type { Access } from "../blockProgram.ts";
import type { LaneSource } from "./lanes.ts";

/** Lanes per tile: registers of a few instructions stay in cache. */
export const TILE_LANES = 4096;

/** An access bound to memory: element offset and one stride per domain axis. */
export interface Bound {
  readonly data: TypedArray;
  readonly slots: 1 | 2;
  readonly offset: number;
  readonly strides: readonly number[];
}

export function bind(access: Access, blocks: readonly Block[]): Bound {
  const block = blocks[access.buffer]!;
  const offset = access.start.reduce((at, x, axis) => at + x * block.strides[axis]!, block.offset);
  const strides = access.axes.map((axis, d) => (axis < 0 ? 0 : access.steps[d]! * block.strides[axis]!));
  return { data: block.data, slots: infoOf(block.dtype).slots, offset, strides };
}

export class Tile implements LaneSource {
  readonly #domain: Shape;
  readonly #inner: readonly number[];
  readonly #outer: readonly number[];
  readonly #operands: readonly Bound[];
  readonly #from: readonly number[];
  #row = 0;
  #column = 0;
  rows = 0;
  columns = 0;

  constructor(domain: Shape, inner: readonly number[], operands: readonly Bound[], from: readonly number[]) {
    this.#domain = domain;
    this.#inner = inner;
    this.#outer = domain.map((_, axis) => axis).filter((axis) => !inner.includes(axis));
    this.#operands = operands;
    this.#from = from;
  }

  get innerSize(): number {
    return sizeOf(this.#inner.map((axis) => this.#domain[axis]!));
  }
  get outerSize(): number {
    return sizeOf(this.#outer.map((axis) => this.#domain[axis]!));
  }
  get count(): number {
    return this.rows * this.columns;
  }

  moveTo(row: number, rows: number, column: number, columns: number): void {
    this.#row = row;
    this.rows = rows;
    this.#column = column;
    this.columns = columns;
  }

  load(operand: number, part: 0 | 1, into: TypedArray, _count: number): void {
    const { data, slots, offset, strides } = this.#operands[operand]!;
    const rows = this.#rowOffsets(strides);
    const columns = this.#columnOffsets(strides);
    let lane = 0;
    for (const row of rows) {
      const base = offset + row;
      for (let j = 0; j < columns.length; j++) into[lane++] = data[(base + columns[j]!) * slots + part]!;
    }
  }

  index(axis: number, into: TypedArray, _count: number): void {
    const only = this.#domain.map((_, d) => (d === axis ? 1 : 0));
    const rows = this.#rowOffsets(only);
    const columns = this.#columnOffsets(only);
    const from = this.#from[axis] ?? 0;
    let lane = 0;
    for (const row of rows) for (const column of columns) into[lane++] = BigInt(from + row + column);
  }

  /** Writes the lanes of a result's parts. */
  store(result: Bound, parts: readonly TypedArray[]): void {
    const { data, slots, offset, strides } = result;
    const rows = this.#rowOffsets(strides);
    const columns = this.#columnOffsets(strides);
    parts.forEach((lanes, part) => {
      let lane = 0;
      for (const row of rows) {
        for (let j = 0; j < columns.length; j++)
          data[(offset + row + columns[j]!) * slots + part] = lanes[lane++]!;
      }
    });
  }

  #rowOffsets(strides: readonly number[]): Float64Array {
    return offsetsAlong(this.#domain, this.#inner, strides, this.#row, this.rows);
  }
  #columnOffsets(strides: readonly number[]): Float64Array {
    return offsetsAlong(this.#domain, this.#outer, strides, this.#column, this.columns);
  }
}

/** Element offsets of `count` places from the `first` on, row-major over some axes of a domain. */
function offsetsAlong(
  domain: Shape,
  axes: readonly number[],
  strides: readonly number[],
  first: number,
  count: number,
): Float64Array {
  const lengths = axes.map((axis) => domain[axis]!);
  const steps = axes.map((axis) => strides[axis]!);
  const place = placeOf(first, lengths);
  let at = place.reduce((sum, x, i) => sum + x * steps[i]!, 0);
  const offsets = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    offsets[k] = at;
    for (let i = lengths.length - 1; i >= 0; i--) {
      at += steps[i]!;
      if (++place[i]! < lengths[i]!) break;
      at -= steps[i]! * lengths[i]!;
      place[i] = 0;
    }
  }
  return offsets;
}
