// Tiles: pieces of a contraction that fit the cache. In: stretches of rows, columns and depth (the contracted
// axes) of strided operands. Out: sums of products. A tile is read once into plain memory of the type it is
// reckoned in, line by line with the depth running along the line, and then used many times. Every family of
// dtypes has loops of its own, alike as they look: loops shared by all would see ten kinds of arrays and be slow.

import type { Shape } from "../../core/shape.ts";
import { joinAxes, type Walkable } from "./walk.ts";

/** Rows or columns of a tile, and its depth. */
export const TILE = 64;
export const DEPTH = 256;
/** So many depths are read for all lines in turn: if lines are neighbours, they share what the cache fetched. */
export const STRIP = 16;

/** What one family of dtypes does with tiles. Offsets count elements. */
export interface Tiles {
  clear(rows: number): void;
  loadLeft(base: number, rows: Stretch, depth: Stretch): void;
  loadRight(base: number, columns: Stretch, depth: Stretch): void;
  /** Adds the products of the loaded tiles to the sums. */
  multiply(rows: number, columns: number, depth: number): void;
  store(base: number, rows: Stretch, columns: Stretch): void;
}

/** Up to `limit` neighbouring positions of some axes, counted row-major, and where they lie in two operands. */
export class Stretch {
  readonly size: number;
  readonly limit: number;
  count = 0;
  readonly first: Float64Array;
  readonly second: Float64Array;
  #start = -1;
  readonly #shape: Shape;
  readonly #strides: readonly [readonly number[], readonly number[]];

  constructor(shape: Shape, strides: readonly [readonly number[], readonly number[]], limit: number) {
    const operands = strides.map((each) => ({ offset: 0, strides: each }));
    const joined = joinAxes(shape, operands);
    const [first, second] = joined.operands as [Walkable, Walkable];
    this.size = shape.reduce((size, length) => size * length, 1);
    this.limit = limit;
    this.first = new Float64Array(limit);
    this.second = new Float64Array(limit);
    this.#shape = joined.shape;
    this.#strides = [first.strides, second.strides];
  }

  /** Staying in place costs nothing, so that small products in great number do not pay for this. */
  moveTo(start: number): void {
    if (this.#start === start) return;
    this.#start = start;
    this.count = Math.min(this.limit, this.size - start);
    for (let i = 0; i < this.count; i++) {
      this.first[i] = offsetAt(start + i, this.#shape, this.#strides[0]);
      this.second[i] = offsetAt(start + i, this.#shape, this.#strides[1]);
    }
  }
}

function offsetAt(position: number, shape: Shape, strides: readonly number[]): number {
  let offset = 0;
  let rest = position;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const length = shape[axis]!;
    offset += (rest % length) * strides[axis]!;
    rest = Math.floor(rest / length);
  }
  return offset;
}
