// contract: sums of products over shared axes, as XLA's dot_general. In: a and b of one numeric dtype; batchA and
// batchB, contractA and contractB name pairs of equally long axes. Out: the batch axes in batchA's order, then a's
// free axes, then b's. Integers wrap, floats add up in float64, the sum of nothing is 0. A product from outside comes
// first (product.ts).

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import { isComplex, isFloat, isWide } from "../../core/dtype.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Routine } from "../routine.ts";
import { blockAt } from "./attributes.ts";
import { groupAxes, matrixCalls, type Pair } from "./matrices.ts";
import { currentProduct } from "./product.ts";
import { DEPTH, Stretch, TILE, type Tiles } from "./tiles.ts";
import { ComplexTiles } from "./tiles-complex.ts";
import { FloatTiles } from "./tiles-float.ts";
import { IntegerTiles } from "./tiles-integer.ts";
import { WideTiles } from "./tiles-wide.ts";
import { Odometer } from "./walk.ts";

export const contract: Routine = ({ inputs, outputs, attrs }) => {
  const [a, b, output] = [blockAt(inputs, 0), blockAt(inputs, 1), blockAt(outputs, 0)];
  if (!contractByProduct(a, b, output, attrs)) contractByTiles(a, b, output, attrs);
};

/** True if the product from outside has done it. */
export function contractByProduct(a: Block, b: Block, output: Block, attrs: Attrs): boolean {
  const product = currentProduct();
  if (product === null) return false;
  const calls = matrixCalls(a, b, output, attrs);
  return calls?.every(product) ?? false;
}

function contractByTiles(a: Block, b: Block, output: Block, attrs: Attrs): void {
  const { batch, rows, columns, depth } = groupAxes(a, b, output, attrs);
  const tiles = tilesFor(a, b, output);
  const matrices = {
    rows: stretch(rows, TILE),
    columns: stretch(columns, TILE),
    depth: stretch(depth, DEPTH),
  };
  const odometer = new Odometer(batch[0].shape, batch);
  for (let left = sizeOf(batch[0].shape); left > 0; left--) {
    const [inA, inB, inOutput] = odometer.offsets as [number, number, number];
    multiplyMatrices(tiles, matrices, inA, inB, inOutput);
    odometer.step();
  }
}

function tilesFor(a: Block, b: Block, output: Block): Tiles {
  if (isFloat(a.dtype)) return new FloatTiles(a, b, output);
  if (isComplex(a.dtype)) return new ComplexTiles(a, b, output);
  return isWide(a.dtype) ? new WideTiles(a, b, output) : new IntegerTiles(a, b, output);
}

interface Matrices {
  readonly rows: Stretch;
  readonly columns: Stretch;
  readonly depth: Stretch;
}

const stretch = ([first, second]: Pair, limit: number): Stretch =>
  new Stretch(first.shape, [first.strides, second.strides], limit);

/** One product of matrices, tile by tile. The numbers say where they start in a, b and the output. */
function multiplyMatrices(tiles: Tiles, matrices: Matrices, a: number, b: number, output: number): void {
  const { rows, columns } = matrices;
  for (let row = 0; row < rows.size; row += TILE) {
    rows.moveTo(row);
    for (let column = 0; column < columns.size; column += TILE) {
      columns.moveTo(column);
      tiles.clear(rows.count);
      addTiles(tiles, matrices, a, b);
      tiles.store(output, rows, columns);
    }
  }
}

function addTiles(tiles: Tiles, { rows, columns, depth }: Matrices, a: number, b: number): void {
  for (let start = 0; start < depth.size; start += DEPTH) {
    depth.moveTo(start);
    tiles.loadLeft(a, rows, depth);
    tiles.loadRight(b, columns, depth);
    tiles.multiply(rows.count, columns.count, depth.count);
  }
}
