// What methods of linear algebra find, as arrays. In: matrices of any real dtype, and a method of kernel/routines/matrixRows.ts. Out: the
// parts of its rows, each in its shape and in the floating dtype of the matrices; they are one computation.

import { broadcastShapes, type Shape, shapeText, sizeOf } from "../../core/chunks.ts";
import { type DType, isComplex, resultOf } from "../../core/dtype.ts";
import { DTypeError, ShapeError } from "../../core/errors.ts";
import type { MatrixMethodName } from "../../kernel/routines/matrixRows.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { matrixRows } from "../../ops/matrixMethods.ts";
import { broadcastLazy, partAlong } from "../chunked.ts";
import { reshape } from "../functions/manipulation.ts";

/** A stack of matrices: shape [..., m, n]. */
export interface Matrices {
  readonly x: LazyArray;
  readonly batch: Shape;
  readonly m: number;
  readonly n: number;
  /** Of the results. */
  readonly dtype: DType;
}

/** At least two axes, and real numbers: whole ones become float64. */
export function matricesOf(given: Operand): Matrices {
  const x = asLazy(given);
  if (x.ndim < 2)
    throw new ShapeError({
      what: `an array of shape ${shapeText(x.expr.shape)} has no matrices`,
      cure: "Give it at least 2 dimensions; the last two are the matrices'",
    });
  const dtype = realFloat(x);
  const [m, n] = x.shape.slice(-2) as [number, number];
  return { x, batch: x.shape.slice(0, -2), m, n, dtype };
}

export function realFloat(x: LazyArray): DType {
  if (isComplex(x.dtype) || x.dtype === "bool")
    throw new DTypeError({
      what: `this is not computed of ${x.dtype}`,
      cure: "Use real numbers: of complex matrices there are products, norms by elements, traces and transposes",
    });
  return resultOf(x.dtype, "floating");
}

export function squareOf(given: Operand): Matrices {
  const matrices = matricesOf(given);
  if (matrices.m === matrices.n) return matrices;
  throw new ShapeError({
    what: `matrices of ${matrices.m} × ${matrices.n} are not square`,
    cure: "As many rows are needed as columns",
  });
}

/** The parts of what a method finds, by their shapes. */
export function partsOf(
  { x, batch, dtype }: Pick<Matrices, "x" | "batch" | "dtype">,
  method: MatrixMethodName,
  shapes: readonly Shape[],
  right: LazyArray | null = null,
): Built[] {
  const inputs = right === null ? [x] : [x, right];
  const rows = node(
    matrixRows,
    inputs.map((input) => castTo(input, "float64")),
    { method },
  );
  let at = 0;
  return shapes.map((shape) => {
    const count = sizeOf(shape);
    const part = partAlong(rows, batch.length, at, count);
    at += count;
    return castTo(reshape(part, [...batch, ...shape]), dtype) as Built;
  });
}

/** Matrices and right sides, with the axes before the matrices' broadcast. */
export function together(a: LazyArray, b: LazyArray): [LazyArray, LazyArray] {
  const batch = broadcastShapes([a.shape.slice(0, -2), b.shape.slice(0, -2)]);
  return [
    broadcastLazy(a, [...batch, ...a.shape.slice(-2)]),
    broadcastLazy(b, [...batch, ...b.shape.slice(-2)]),
  ];
}
