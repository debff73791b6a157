// Tiles of int64 and uint64. Both are reckoned in int64, which wraps as uint64 does. The engine makes machine
// arithmetic of BigInt.asIntN(64, …) as long as the values come from and go to typed arrays, so the sums stay there.

import type { Block } from "../../core/block.ts";
import type { TypedArray } from "../../core/dtype.ts";
import { DEPTH, STRIP, type Stretch, TILE, type Tiles } from "./tiles.ts";

export class WideTiles implements Tiles {
  readonly #a: BigInt64Array;
  readonly #b: BigInt64Array;
  readonly #output: BigInt64Array;
  readonly #left = new BigInt64Array(TILE * DEPTH);
  readonly #right = new BigInt64Array(TILE * DEPTH);
  readonly #sums = new BigInt64Array(TILE * TILE);

  constructor(a: Block, b: Block, output: Block) {
    this.#a = asSigned(a.data);
    this.#b = asSigned(b.data);
    this.#output = asSigned(output.data);
  }

  clear(rows: number): void {
    this.#sums.fill(0n, 0, rows * TILE);
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
        addDot(this.#sums, row * TILE + column, this.#left, row * DEPTH, this.#right, column * DEPTH, depth);
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

const asSigned = ({ buffer, byteOffset, length }: TypedArray): BigInt64Array =>
  new BigInt64Array(buffer, byteOffset, length);

function load(
  tile: BigInt64Array,
  data: BigInt64Array,
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

function addDot(
  sums: BigInt64Array,
  at: number,
  left: BigInt64Array,
  row: number,
  right: BigInt64Array,
  column: number,
  depth: number,
): void {
  for (let k = 0; k < depth; k++) {
    sums[at] = BigInt.asIntN(64, sums[at]! + left[row + k]! * right[column + k]!);
  }
}
