// Tiles of complex64 and complex128, both reckoned in float64 and rounded once, at the end. The imaginary parts of
// a tile lie behind all of its real parts.

import type { Block } from "../../core/block.ts";
import { DEPTH, STRIP, type Stretch, TILE, type Tiles } from "./tiles.ts";

type Floats = Float32Array | Float64Array;

const IMAGINARY = TILE * DEPTH;

export class ComplexTiles implements Tiles {
  readonly #a: Floats;
  readonly #b: Floats;
  readonly #output: Floats;
  readonly #left = new Float64Array(2 * IMAGINARY);
  readonly #right = new Float64Array(2 * IMAGINARY);
  /** Pairs, as in the output. */
  readonly #sums = new Float64Array(2 * TILE * TILE);

  constructor(a: Block, b: Block, output: Block) {
    this.#a = a.data as Floats;
    this.#b = b.data as Floats;
    this.#output = output.data as Floats;
  }

  clear(rows: number): void {
    this.#sums.fill(0, 0, 2 * rows * TILE);
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
        const at = 2 * (row * TILE + column);
        addDot(this.#sums, at, this.#left, row * DEPTH, this.#right, column * DEPTH, depth);
      }
    }
  }

  store(base: number, rows: Stretch, columns: Stretch): void {
    for (let row = 0; row < rows.count; row++) {
      for (let column = 0; column < columns.count; column++) {
        const from = 2 * (row * TILE + column);
        const to = 2 * (base + rows.second[row]! + columns.second[column]!);
        this.#output[to] = this.#sums[from]!;
        this.#output[to + 1] = this.#sums[from + 1]!;
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
      for (let k = first; k < end; k++) {
        const from = 2 * (base + lines[line]! + depths[k]!);
        tile[line * DEPTH + k] = data[from]!;
        tile[line * DEPTH + k + IMAGINARY] = data[from + 1]!;
      }
    }
  }
}

function addDot(
  sums: Float64Array,
  at: number,
  left: Float64Array,
  row: number,
  right: Float64Array,
  column: number,
  depth: number,
): void {
  let re = 0;
  let im = 0;
  for (let k = 0; k < depth; k++) {
    const aRe = left[row + k]!;
    const aIm = left[row + k + IMAGINARY]!;
    const bRe = right[column + k]!;
    const bIm = right[column + k + IMAGINARY]!;
    re += aRe * bRe - aIm * bIm;
    im += aRe * bIm + aIm * bRe;
  }
  sums[at]! += re;
  sums[at + 1]! += im;
}
