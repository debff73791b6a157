// Dense arrays to partitions and back. fromDense: rows of a block become rows of a partition, other axes regular lists.
// toDense: partitions whose lists all have the lengths that the form says become a block.
// Where rows are not counted yet, a stage counts them first: their lists' offsets are read, and no values.
// attrs of toDense: rows of every partition; dtype, shape and chunks of the dense array.

import { type Attrs, type Block, newBlock, subBlock } from "../../core/block.ts";
import type { Box, ChunkShape, Shape } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { numpyForm } from "../../core/form/form.ts";
import { unknownLength } from "../../core/unknown.ts";
import { type Expr, keyHere, makeExpr } from "../../expr/expr.ts";
import {
  denseOf,
  denseType,
  type Partition,
  type RaggedOp as RaggedNode,
  raggedOf,
  raggedType,
  type StagedOp,
} from "../../expr/op.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { fromNumpy, toNumpy } from "../io/dense.ts";
import type { Layout } from "../layout/layout.ts";
import { rowCounts } from "./structure.ts";

/** attrs.rows: how many rows a partition has (the last may have fewer). */
export const fromDense: RaggedNode = {
  name: "rg.fromDense",
  class: "ragged",
  isPlacewise: false,
  infer: ([input], attrs) => {
    const { dtype, shape } = denseOf(input!);
    const count = Math.max(1, Math.ceil(shape[0]! / (attrs["rows"] as number)));
    return raggedType(numpyForm(dtype, shape.slice(1)), count);
  },
  demand(out, [input], attrs) {
    const { shape } = denseOf(input!);
    const rows = attrs["rows"] as number;
    const start = Math.min(shape[0]!, out.start[0]! * rows);
    const stop = Math.min(shape[0]!, (out.start[0]! + out.shape[0]!) * rows);
    return [{ start: [start, ...shape.slice(1).map(() => 0)], shape: [stop - start, ...shape.slice(1)] }];
  },
  run([input]) {
    const block = input as Block;
    // A copy: the block is there for the task alone.
    const own = newBlock(block.dtype, block.shape);
    copyElements(block, own);
    return fromNumpy(own);
  },
  chunks: () => [1],
};

interface DenseAttrs {
  readonly rows: readonly number[];
  readonly dtype: DType;
  readonly shape: Shape;
  readonly chunks: ChunkShape;
}

const denseAttrs = (attrs: Attrs): DenseAttrs => attrs as unknown as DenseAttrs;

/** The partitions that have rows of a box, and the number of the first of those rows. */
function partitionsOf(rows: readonly number[], out: Box): { box: Box; firstRow: number } {
  const [start, stop] = [out.start[0]!, out.start[0]! + out.shape[0]!];
  let [first, firstRow] = [0, 0];
  while (first < rows.length && firstRow + rows[first]! <= start) firstRow += rows[first++]!;
  let [last, row] = [first, firstRow];
  while (last < rows.length && row < stop) row += rows[last++]!;
  return { box: { start: [first], shape: [last - first] }, firstRow };
}

export const toDense: RaggedNode = {
  name: "rg.toDense",
  class: "ragged",
  isPlacewise: false,
  infer: (_, attrs) => denseType(denseAttrs(attrs).dtype, denseAttrs(attrs).shape),
  demand: (out, _, attrs) => [partitionsOf(denseAttrs(attrs).rows, out).box],
  run([input], attrs, { box }) {
    const { dtype, rows } = denseAttrs(attrs);
    const { box: parts, firstRow } = partitionsOf(rows, box);
    const made = newBlock(dtype, box.shape);
    let row = firstRow;
    (input as readonly Partition[]).forEach((part, i) => {
      copyRows(toNumpy(part as Layout), row, box, made);
      row += rows[parts.start[0]! + i]!;
    });
    return made;
  },
  chunks: (_, attrs) => denseAttrs(attrs).chunks,
};

/** Rows that are counted, as chunks of a dense array: as long as the longest partition. */
export function denseRows(input: Expr, rows: readonly number[], dtype: DType, inner: Shape): Expr {
  const shape = [rows.reduce((sum, n) => sum + n, 0), ...inner];
  const chunks = [Math.max(1, ...rows), ...inner.map((n) => Math.max(1, n))];
  return makeExpr(toDense, [input], { rows, dtype, shape, chunks });
}

/** How long chunks are taken to be before rows are counted. */
const ROWS_UNCOUNTED = 65_536;

/**
 * Rows as a dense array when they are counted: attrs.dtype, attrs.length (what stands for their number) and attrs.inner, the
 * other axes. Inputs: the rows, and how many each partition has.
 * Equation: settle(x, counts) = toDense(x, rows: counts).
 */
export const toDenseUncounted: StagedOp = {
  name: "rg.toDenseUncounted",
  class: "staged",
  takesRagged: true,
  infer: (_, attrs) =>
    denseType(attrs["dtype"] as DType, [attrs["length"] as number, ...(attrs["inner"] as Shape)]),
  chunks: (_, __, ___, { shape }) => [ROWS_UNCOUNTED, ...shape.slice(1).map((n) => Math.max(1, n))],
  questions: ([, counts]) => ({ asks: [counts!] }),
  settle([input], attrs, [counts]) {
    const rows = Array.from(counts!.data as BigInt64Array, Number);
    return denseRows(input as Expr, rows, attrs["dtype"] as DType, attrs["inner"] as Shape);
  },
};

export function denseOfUncounted(input: Expr, dtype: DType, inner: Shape): Expr {
  const { partitions } = raggedOf(input.type);
  const one = new Array<number>(partitions).fill(1);
  const counts = denseRows(makeExpr(rowCounts, [input], {}), one, "int64", []);
  const length = unknownLength(`rows of ${keyHere(input)}`);
  return makeExpr(toDenseUncounted, [input, counts], { dtype, length, inner });
}

/** What a block whose first row is number `row` has of a box. */
function copyRows(block: Block, row: number, { start, shape }: Box, into: Block): void {
  const from = Math.max(start[0]!, row);
  const stop = Math.min(start[0]! + shape[0]!, row + block.shape[0]!);
  if (stop <= from) return;
  const lengths = [stop - from, ...shape.slice(1)];
  copyElements(
    subBlock(block, [from - row, ...start.slice(1)], lengths),
    subBlock(into, [from - start[0]!, ...shape.slice(1).map(() => 0)], lengths),
  );
}
