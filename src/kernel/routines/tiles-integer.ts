// Tiles of integers up to 32 bits. All are reckoned in int32, which wraps as each of them does: the low bits of a
// product depend on the low bits of its factors only, and not on whether the top bit is read as a sign.

import type { Block } from "../../core/block.ts";
import type { TypedArray } from "../../core/dtype.ts";
import { DEPTH, STRIP, type Stretch, TILE, type Tiles } from "./tiles.ts";

type Integers = Int8Array | Int16Array | Int32Array;

export class IntegerTiles implements Tiles {
  readonly #a: Integers;
  readonly #b: Integers;
  readonly #output: Integers;
  readonly #left = new Int32Array(TILE * DEPTH);
  readonly #right = new Int32Array(TILE * DEPTH);
  readonly #sums = new Int32Array(TILE * TILE);

  constructor(a: Block, b: Block, output: Block) {
    this.#a = asSigned(a.data);
    this.#b = asSigned(b.data);
    this.#output = asSigned(output.data);
  }

  clear(rows: number): void {
    this.#sums.fill(0, 0, rows * TILE);
  }

  loadLeft(base: number, rows: Stretch, depth: Stretch): void {
    load(this.#left, this.#a, base, rows.first, rows.count, depth.first, depth.count);
  }

  loadRight(base: number, columns: Stretch, depth: Stretch): void {
    load(this.#right, this.#b, base, columns.first, columns.count, depth.second, depth.count);
  }

  multiply(rows: number, columns: number, depth: number): void {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        this.#sums[row * TILE + column]! += dot(this.#left, this.#right, row * DEPTH, column * DEPTH, depth);
      }
    }
  }

  store(base: number, rows: Stretch, columns: Stretch): void {
    for (let row = 0; row < rows.count; row++) {
      const at = base + rows.second[row]!;
      for (let column = 0; column < columns.count; column++) {
        this.#output[at + columns.second[column]!] = this.#sums[row * TILE + column]!;
      }
    }
  }
}

/** The same bits: three kinds of array keep the loops fast where six would not. */
function asSigned({ buffer, byteOffset, length, BYTES_PER_ELEMENT }: TypedArray): Integers {
  if (BYTES_PER_ELEMENT === 1) return new Int8Array(buffer, byteOffset, length);
  if (BYTES_PER_ELEMENT === 2) return new Int16Array(buffer, byteOffset, length);
  return new Int32Array(buffer, byteOffset, length);
}

function load(
  tile: Int32Array,
  data: Integers,
  base: number,
  lines: Float64Array,
  count: number,
  depths: Float64Array,
  depth: number,
): void {
  for (let first = 0; first < depth; first += STRIP) {
    const end = Math.min(first + STRIP, depth);
    for (let line = 0; line < count; line++) {
      const from = base + lines[line]!;
      const to = line * DEPTH;
      for (let k = first; k < end; k++) tile[to + k] = data[from + depths[k]!]!;
    }
  }
}

function dot(left: Int32Array, right: Int32Array, row: number, column: number, depth: number): number {
  let sum = 0;
  for (let k = 0; k < depth; k++) sum = (sum + Math.imul(left[row + k]!, right[column + k]!)) | 0;
  return sum;
}
