// Diagonals, outer products and matrices that are put together. In: arrays. Out: moves, products and sums of them.

import { checkInteger, checkShape, describe, shapeText } from "../../core/chunks.ts";
import type { DType, Result } from "../../core/dtype.ts";
import { ShapeError } from "../../core/errors.ts";
import type { Promote } from "../../core/numbers.ts";
import { type Built, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, Said } from "../../lazy/operandTypes.ts";
import { multiply, where } from "../../ops/elementwise/index.ts";
import { slice } from "../../ops/moves/select.ts";
import { sum } from "../../ops/reductions.ts";
import { eye, zeros } from "./creation.ts";
import { concat } from "./joining.ts";
import { expandDims, reshape } from "./manipulation.ts";

/** Options of `cw.linalg.diagonal`. */
export interface DiagonalOptions {
  /** 0 the main diagonal, positive above it. */
  readonly offset?: number | undefined;
}

/** Diagonals of the last two axes: `cw.linalg.diagonal([[1, 2], [3, 4]])` is [1, 4]. */
export const diagonal: <const A extends Operand>(
  x: A,
  options?: DiagonalOptions,
) => LazyArray<ArrayDType<A>> = userCall(
  "diagonal",
  (x: Operand, { offset = 0 }: DiagonalOptions = {}): Built => {
    const array = asLazy(x);
    if (array.ndim < 2)
      throw new ShapeError({
        what: `needs at least 2 dimensions, not ${array.ndim}`,
        cure: "Use diag to make a matrix of a vector",
      });
    const [m, n] = array.shape.slice(-2) as [number, number];
    const k = checkInteger(offset, "offset");
    const [row, column] = [Math.max(0, -k), Math.max(0, k)];
    const count = Math.max(0, Math.min(m - row, n - column));
    const batch = array.shape.slice(0, -2);
    // In one line, elements of a diagonal are n + 1 apart.
    const flat = reshape(array, [...batch, m * n]);
    return node(slice, [flat], {
      start: [...batch.map(() => 0), count === 0 ? 0 : row * n + column],
      step: [...batch.map(() => 1), n + 1],
      shape: [...batch, count],
    });
  },
  [1, "offset"],
);

/** Options of `cw.trace`. */
export interface TraceOptions<E extends DType = DType> extends DiagonalOptions {
  /** In which dtype it is added up. */
  readonly dtype?: E | null | undefined;
}

/** Sums of the diagonals of the last two axes: `cw.trace([[1, 2], [3, 4]])` is 5. */
export const trace: <const A extends Operand, E extends DType = never>(
  x: A,
  options?: TraceOptions<E>,
) => LazyArray<Said<E, Result<ArrayDType<A>, "total">>> = userCall(
  "trace",
  (x: Operand, { offset = 0, dtype }: TraceOptions = {}): Built =>
    sum(diagonal(x, { offset }), { axis: -1, dtype }) as Built,
  [1, "offset", "dtype"],
);

/** Options of `cw.diag`. */
export interface DiagOptions {
  /** 0 the main diagonal, positive above it. */
  readonly k?: number | undefined;
}

/** A matrix with a vector on its diagonal, or the diagonal of a matrix: `cw.diag([1, 2])` is [[1, 0], [0, 2]]. */
export const diag: <const A extends Operand>(x: A, options?: DiagOptions) => LazyArray<ArrayDType<A>> =
  userCall(
    "diag",
    (x: Operand, { k = 0 }: DiagOptions = {}): Built => {
      const array = asLazy(x);
      const offset = checkInteger(k, "k");
      if (array.ndim === 2) return diagonal(array, { offset }) as Built;
      if (array.ndim !== 1)
        throw new ShapeError({
          what: `the array has ${array.ndim} dimensions`,
          cure: "Use a vector or a matrix",
        });
      const [length] = checkShape([array.shape[0]! + Math.abs(offset)]);
      // Row i has the vector's element i, or those below the diagonal column i.
      const gap = zeros(Math.abs(offset), { dtype: array.dtype });
      const line = expandDims(concat([array, gap]), offset < 0 ? 0 : 1);
      return where(
        eye(length!, { k: offset, dtype: "bool" }),
        line,
        zeros([], { dtype: array.dtype }),
      ) as Built;
    },
    [1, "k"],
  );

type Product = <const A extends Operand, const B extends Operand>(
  x1: A,
  x2: B,
) => LazyArray<Promote<ArrayDType<A>, ArrayDType<B>>>;

/** All products of two vectors' elements: `cw.outer([1, 2], [3, 4])` is [[3, 4], [6, 8]]. */
export const outer: Product = userCall("outer", (x1: Operand, x2: Operand): Built => {
  const [a, b] = [asLazy(x1), asLazy(x2)];
  if (a.ndim === 1 && b.ndim === 1) return multiply(expandDims(a, 1), expandDims(b, 0)) as Built;
  throw new ShapeError({
    what: `shapes ${shapeText(a.expr.shape)} and ${shapeText(b.expr.shape)}: outer is of two vectors`,
    cure: "Use reshape(x, [-1]), or tensordot with axes: 0",
  });
});

/** Kronecker's product, x2 in the place of each element of x1: `cw.kron([1, 2], [1, 1])` is [1, 1, 2, 2]. */
export const kron: Product = userCall("kron", (x1: Operand, x2: Operand): Built => {
  const [a, b] = [asLazy(x1), asLazy(x2)];
  const dims = Math.max(a.ndim, b.ndim);
  const full = (x: LazyArray): readonly number[] => [...new Array<number>(dims - x.ndim).fill(1), ...x.shape];
  const [left, right] = [full(a), full(b)];
  const product = multiply(
    reshape(
      a,
      left.flatMap((n) => [n, 1]),
    ),
    reshape(
      b,
      right.flatMap((n) => [1, n]),
    ),
  );
  return reshape(
    product,
    left.map((n, axis) => n * right[axis]!),
  ) as Built;
});

/** A list of blocks, each an array or such a list. */
export type Blocks = Operand | readonly Blocks[];

const isBlocks = (value: unknown): value is readonly Blocks[] =>
  Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null);

/** An array of blocks, the innermost lists along the last axis: `cw.block([[a, b], [c, d]])`. */
export const block: (blocks: Blocks) => LazyArray = userCall("block", (blocks: Blocks): Built => {
  const depth = depthOf(blocks);
  if (depth > MOST_DEPTH) throw new ShapeError({ what: `blocks are ${depth} lists deep`, cure: "Use fewer" });
  return joined(blocks, depth, Math.max(depth, ...leavesOf(blocks).map((leaf) => leaf.ndim))) as Built;
});

const MOST_DEPTH = 32;
const depthOf = (blocks: Blocks): number => (isBlocks(blocks) ? 1 + Math.max(...blocks.map(depthOf)) : 0);
const leavesOf = (blocks: Blocks): LazyArray[] =>
  isBlocks(blocks) ? blocks.flatMap(leavesOf) : [asLazy(blocks as Operand)];

function joined(blocks: Blocks, depth: number, dims: number): LazyArray {
  if (isBlocks(blocks) && depth > 0)
    return concat(
      blocks.map((inner) => joined(inner, depth - 1, dims)),
      { axis: dims - depth },
    );
  if (depth > 0 || isBlocks(blocks))
    throw new ShapeError({
      what: `${describe(blocks)} stands where a list of blocks belongs`,
      cure: "All lists must be as deep",
    });
  const array = asLazy(blocks as Operand);
  return reshape(array, [...new Array<number>(dims - array.ndim).fill(1), ...array.shape]);
}
