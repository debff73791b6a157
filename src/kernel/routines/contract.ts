// contract: sums of products over shared axes, as XLA's dot_general. In: a and b of one numeric dtype; batchA and
// batchB, contractA and contractB name pairs of equally long axes. Out: the batch axes in batchA's order, then a's
// free axes, then b's. Integers wrap, floats add up in float64, the sum of nothing is 0.

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import { isComplex, isFloat, isWide } from "../../core/dtype.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Routine } from "../routine.ts";
import { blockAt, integersAttr } from "./attributes.ts";
import { DEPTH, Stretch, TILE, type Tiles } from "./tiles.ts";
import { ComplexTiles } from "./tiles-complex.ts";
import { FloatTiles } from "./tiles-float.ts";
import { IntegerTiles } from "./tiles-integer.ts";
import { WideTiles } from "./tiles-wide.ts";
import { Odometer, otherAxes, selectAxes } from "./walk.ts";

export const contract: Routine = ({ inputs, outputs, attrs }) => {
  const [a, b, output] = [blockAt(inputs, 0), blockAt(inputs, 1), blockAt(outputs, 0)];
  const { batch, rows, columns, depth } = groupAxes(a, b, output, attrs);
  const tiles = tilesFor(a, b, output);
  const odometer = new Odometer(batch[0].shape, batch);
  for (let left = sizeOf(batch[0].shape); left > 0; left--) {
    const [inA, inB, inOutput] = odometer.offsets as [number, number, number];
    multiplyMatrices(tiles, { rows, columns, depth }, inA, inB, inOutput);
    odometer.step();
  }
};

function tilesFor(a: Block, b: Block, output: Block): Tiles {
  if (isFloat(a.dtype)) return new FloatTiles(a, b, output);
  if (isComplex(a.dtype)) return new ComplexTiles(a, b, output);
  return isWide(a.dtype) ? new WideTiles(a, b, output) : new IntegerTiles(a, b, output);
}

interface Matrices {
  /** a's free axes, in a and in the output. */
  readonly rows: Stretch;
  /** b's free axes, in b and in the output. */
  readonly columns: Stretch;
  /** The contracted axes, in a and in b. */
  readonly depth: Stretch;
}

function groupAxes(
  a: Block,
  b: Block,
  output: Block,
  attrs: Attrs,
): Matrices & { batch: [Block, Block, Block] } {
  const [batchA, batchB] = [integersAttr(attrs, "batchA"), integersAttr(attrs, "batchB")];
  const [depthA, depthB] = [integersAttr(attrs, "contractA"), integersAttr(attrs, "contractB")];
  const freeA = otherAxes(a.shape.length, [...batchA, ...depthA]);
  const freeB = otherAxes(b.shape.length, [...batchB, ...depthB]);
  const outputAxes = otherAxes(output.shape.length, []);
  const firstColumn = batchA.length + freeA.length;
  const outputOf = (from: number, to?: number) => selectAxes(output, outputAxes.slice(from, to));
  return {
    batch: [selectAxes(a, batchA), selectAxes(b, batchB), outputOf(0, batchA.length)],
    rows: stretch(selectAxes(a, freeA), outputOf(batchA.length, firstColumn), TILE),
    columns: stretch(selectAxes(b, freeB), outputOf(firstColumn), TILE),
    depth: stretch(selectAxes(a, depthA), selectAxes(b, depthB), DEPTH),
  };
}

const stretch = (first: Block, second: Block, limit: number): Stretch =>
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
