// Cholesky's factor of a matrix, and solutions with it, tile by tile, of matrices that no task should hold. In: one square matrix, how long a
// tile is. Out: lazy arrays, whose plan has a task for every tile and step: factors of tiles on the diagonal (or of panels, where rows
// change places), solutions of triangular tiles, and products, which are most of the work.
// Must hold: backward errors as those of a whole matrix; how tiles lie depends on the shape alone, not on chunks.

import { type Built, castTo, node } from "../../lazy/build.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import { subtract } from "../../ops/elementwise/index.ts";
import { slice } from "../../ops/moves/select.ts";
import { zeros } from "../functions/creation.ts";
import { concat } from "../functions/joining.ts";
import { matmul } from "../functions/linear.ts";
import { matrixTranspose } from "../functions/manipulation.ts";
import { take } from "../functions/taking.ts";
import { type Matrices, partsOf } from "./matrixParts.ts";

/** A matrix of so many rows is one task's. */
const MOST_ROWS = 1024;
/** Tiles of matrices up to so many rows are half as long. */
const MEDIUM = 4096;

/** How long the tiles of a matrix are; null for matrices that are not cut. */
export function tileOf({ batch, n }: Matrices): number | null {
  if (batch.length > 0 || n <= MOST_ROWS) return null;
  return n <= MEDIUM ? MOST_ROWS / 2 : 1000;
}

/** How wide panels of whole columns are, in which pivots are found. */
export function panelOf(matrices: Matrices): number | null {
  const tile = tileOf(matrices);
  return tile === null ? null : tile / 2;
}

/** Rows and columns from places on. */
const part = (x: LazyArray, row: number, rows: number, column: number, columns: number): Built =>
  node(slice, [x], { start: [row, column], step: [1, 1], shape: [rows, columns] });

/** Where tiles begin, and how long they are. */
const cuts = (n: number, tile: number): readonly { readonly at: number; readonly length: number }[] =>
  Array.from({ length: Math.ceil(n / tile) }, (_, i) => ({
    at: i * tile,
    length: Math.min(tile, n - i * tile),
  }));

/** What a method finds of one tile. */
function found(
  method: Parameters<typeof partsOf>[1],
  a: LazyArray,
  shape: readonly number[],
  b?: LazyArray,
): LazyArray {
  return partsOf({ x: a, batch: [], dtype: "float64" }, method, [shape], b ?? null)[0]!;
}

/** L[i][j] = (A[i][j] − Σ L[i][k]·L[j][k]ᵀ)·L[j][j]⁻ᵀ, k < j; on the diagonal the factor of what is in the brackets. */
export function tiledCholesky({ x, n, dtype }: Matrices, tile: number): LazyArray {
  const a = castTo(x, "float64");
  const tiles = cuts(n, tile);
  const factor: LazyArray[][] = tiles.map(() => []);
  tiles.forEach((across, j) => {
    tiles.slice(j).forEach((down, below) => {
      const i = j + below;
      const rest = factor[j]!.slice(0, j).reduce(
        (sum: LazyArray, left, k) => subtract(sum, matmul(factor[i]![k]!, matrixTranspose(left))),
        part(a, down.at, down.length, across.at, across.length),
      );
      const shape = [across.length, down.length];
      factor[i]![j] =
        i === j
          ? found("cholesky", rest, shape)
          : matrixTranspose(found("lowerSolve", factor[j]![j]!, shape, matrixTranspose(rest)));
    });
  });
  const rows = factor.map((row, i) => {
    const { at, length } = tiles[i]!;
    const missing = n - at - length;
    return concat(missing > 0 ? [...row, zeros([length, missing], { dtype: "float64" })] : row, { axis: 1 });
  });
  return castTo(concat(rows, { axis: 0 }), dtype);
}

/** One step: the rows of a panel in their new order, its factors, and what lies above other columns. */
interface Step {
  /** L below the diagonal and U on and above it, as many rows as columns. */
  readonly top: LazyArray;
  /** Of all columns behind the panel. */
  readonly above: readonly LazyArray[];
}

/**
 * P·A = L·U, panel by panel, with the largest element of each column as its pivot. What is behind a panel is put in its rows' order, has
 * L⁻¹ times its first rows above, and below the rest less L times that. Then U·X = Y from the last rows up.
 */
export function tiledSolve({ x, n, dtype }: Matrices, right: LazyArray, tile: number): LazyArray {
  const [a, b] = [castTo(x, "float64"), castTo(right, "float64")];
  const tiles = cuts(n, tile);
  const rightTiles = cuts(b.shape[1]!, tile);
  let columns: LazyArray[] = [
    ...tiles.map(({ at, length }) => part(a, 0, n, at, length)),
    ...rightTiles.map(({ at, length }) => part(b, 0, n, at, length)),
  ];
  const steps: Step[] = [];
  for (const { length } of tiles) {
    const [panel, ...others] = columns as [LazyArray, ...LazyArray[]];
    const rows = panel.shape[0]!;
    const [packed, order] = partsOf({ x: panel, batch: [], dtype: "float64" }, "panelLu", [
      [rows, length],
      [rows],
    ]);
    const top = part(packed!, 0, length, 0, length);
    const moved = others.map((column) => take(column, castTo(order!, "int64"), { axis: 0 }));
    const above = moved.map((column) => {
      const shape = [length, column.shape[1]!];
      return found("unitLowerSolve", top, shape, part(column, 0, length, 0, column.shape[1]!));
    });
    steps.push({ top, above });
    const left = rows - length;
    const lower = part(packed!, length, left, 0, length);
    columns =
      left === 0
        ? moved
        : moved.map((column, k) =>
            subtract(part(column, length, left, 0, column.shape[1]!), matmul(lower, above[k]!)),
          );
  }
  const solutions = rightTiles.map((_, k) => backwards(steps, k, rightTiles.length));
  return castTo(concat(solutions, { axis: 1 }), dtype);
}

/** X[i] = U[i][i]⁻¹·(Y[i] − Σ U[i][j]·X[j]), j > i, of one block of right sides. */
function backwards(steps: readonly Step[], k: number, count: number): LazyArray {
  const solved: LazyArray[] = [];
  for (let i = steps.length - 1; i >= 0; i--) {
    const { top, above } = steps[i]!;
    const behind = above.slice(0, above.length - count);
    const given = above[behind.length + k]!;
    const rest = behind.reduce((sum: LazyArray, u, j) => subtract(sum, matmul(u, solved[j]!)), given);
    solved.unshift(found("upperSolve", top, rest.shape, rest));
  }
  return concat(solved, { axis: 0 });
}
