// Contractions as products of matrices in the kernels' memory. In: a contract call whose blocks lie there. Out: one
// product for every place along the batch axes; null where axes have to be copied together first (inMatrixOrder).

import type { Attrs } from "../../../core/attrs.ts";
import type { Block } from "../../../core/block.ts";
import { infoOf } from "../../../core/dtype.ts";
import { type MatrixView, matrixCalls } from "../../routines/matrices.ts";
import type { Matrix, Product } from "./product.ts";

export function contractAsMatrices(a: Block, b: Block, output: Block, attrs: Attrs): Product[] | null {
  const { bytes } = infoOf(output.dtype);
  const calls = matrixCalls(a, b, output, attrs);
  if (calls === null) return null;
  return calls.map((call) => ({
    ...call,
    a: inBytes(call.a, bytes),
    b: inBytes(call.b, bytes),
    c: inBytes(call.c, bytes),
  }));
}

const inBytes = ({ data, offset, rowStride, columnStride }: MatrixView, bytes: number): Matrix => ({
  address: data.byteOffset + offset * bytes,
  rowStride: rowStride * bytes,
  columnStride: columnStride * bytes,
});
