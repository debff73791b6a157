// Tiles of float32 and float64. Both are reckoned in float64; a float32 result is rounded once, at its end.

import type { Block } from "../../core/block.ts";
import { DEPTH, STRIP, type Stretch, TILE, type Tiles } from "./tiles.ts";

type Floats = Float32Array | Float64Array;

export class FloatTiles implements Tiles {
  readonly #a: Floats;
  readonly #b: Floats;
  readonly #output: Floats;
  readonly #left = new Float64Array(TILE * DEPTH);
  readonly #right = new Float64Array(TILE * DEPTH);
  readonly #sums = new Float64Array(TILE * TILE);

  constructor(a: Block, b: Block, output: Block) {
    this.#a = a.data as Floats;
    this.#b = b.data as Floats;
    this.#output = output.data as Floats;
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
    for (let row = 0; row < rows; row += 2) {
      for (let column = 0; column < columns; column += 2) {
        addPairs(this.#sums, this.#left, this.#right, row, column, depth);
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

function load(
  tile: Float64Array,
  data: Floats,
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

/**
 * Two rows by two columns: four sums at a time need half the loads and do not wait for each other.
 * Behind an odd last line lies an unused one, whose sums nobody reads.
 */
function addPairs(
  sums: Float64Array,
  left: Float64Array,
  right: Float64Array,
  row: number,
  column: number,
  depth: number,
): void {
  const upper = row * DEPTH;
  const lower = upper + DEPTH;
  const near = column * DEPTH;
  const far = near + DEPTH;
  let upperNear = 0;
  let upperFar = 0;
  let lowerNear = 0;
  let lowerFar = 0;
  for (let k = 0; k < depth; k++) {
    const a = left[upper + k]!;
    const b = left[lower + k]!;
    const c = right[near + k]!;
    const d = right[far + k]!;
    upperNear += a * c;
    upperFar += a * d;
    lowerNear += b * c;
    lowerFar += b * d;
  }
  const at = row * TILE + column;
  sums[at]! += upperNear;
  sums[at + 1]! += upperFar;
  sums[at + TILE]! += lowerNear;
  sums[at + TILE + 1]! += lowerFar;
}
