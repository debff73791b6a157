// matrixRows: linear algebra of whole matrices, batched over all axes but the last two. In: float64 matrices (and right sides, attrs.method
// saying for which). Out: for each a row of all that the method finds (kernel/routines/matrixRows.ts), of which slices are the
// parts: one computation for all of them, however many are asked for.

import { type Box, type Shape, sameShape, shapeText } from "../core/chunks.ts";
import { DTypeError, ShapeError } from "../core/errors.ts";
import { type DenseType, denseType, type RoutineOp } from "../expr/op.ts";
import { MATRIX_METHODS, type MatrixMethodName } from "../kernel/routines/matrixRows.ts";
import { wrongAttr } from "./attrChecks.ts";
import { matrixPullback } from "./matrixPullbacks.ts";
import { chunksWithin, LINE_BYTES } from "./order.ts";

const batchOf = (shape: Shape): Shape => shape.slice(0, -2);

function checkMatrices([a, b]: readonly DenseType[]): void {
  for (const { dtype, shape } of b === undefined ? [a!] : [a!, b]) {
    if (dtype !== "float64")
      throw new DTypeError({
        what: `matrices are ${dtype}`,
        cure: "Use real numbers: matrices are computed in float64",
      });
    if (shape.length < 2)
      throw new ShapeError({
        what: `an array of shape ${shapeText(shape)} has no matrices`,
        cure: "Give it at least 2 dimensions",
      });
  }
  if (
    b === undefined ||
    (sameShape(batchOf(a!.shape), batchOf(b.shape)) && a!.shape.at(-2) === b.shape.at(-2))
  )
    return;
  throw new ShapeError({
    what: `shapes ${shapeText(a!.shape)} and ${shapeText(b.shape)} do not fit`,
    cure: "Matrices and right sides must have as many rows, and the axes before them must be alike",
  });
}

export const matrixRows: RoutineOp = {
  name: "matrixRows",
  class: "routine",
  routine: "matrixRows",
  pullback: ({ result, inputs, attrs, cotangent }, use) =>
    matrixPullback(attrs["method"] as MatrixMethodName, inputs, result, cotangent, use),
  infer([a, b], attrs) {
    const method = MATRIX_METHODS[attrs["method"] as MatrixMethodName];
    if (method === undefined) throw wrongAttr("matrixRows", "method", attrs["method"]!);
    checkMatrices(b === undefined ? [a!] : [a!, b]);
    const [m, n] = a!.shape.slice(-2) as [number, number];
    const length = (method.length as (m: number, n: number, k: number) => number)(m, n, b?.shape.at(-1) ?? 0);
    return denseType("float64", [...batchOf(a!.shape), length]);
  },
  computes: ({ start, shape }, type): Box => ({
    start: [...start.slice(0, -1), 0],
    shape: [...shape.slice(0, -1), type.shape.at(-1)!],
  }),
  demand: ({ start, shape }, inputs) =>
    inputs.map((input) => ({
      start: [...start.slice(0, -1), 0, 0],
      shape: [...shape.slice(0, -1), ...input.shape.slice(-2)],
    })),
  // Several matrices to a task while they are small.
  chunks([a], [type], _, { shape }) {
    const [m, n] = type!.shape.slice(-2) as [number, number];
    const length = shape.at(-1)!;
    const bytes = 8 * Math.max(1, m * n + length);
    return [...chunksWithin(batchOf(a!), bytes, LINE_BYTES), Math.max(1, length)];
  },
};
