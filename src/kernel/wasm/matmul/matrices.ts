// Contractions as products of matrices in the kernels' memory. In: a contract call whose blocks lie there. Out: one
// product for every place along the batch axes; null where axes have to be copied together first (inMatrixOrder).

import type { Attrs } from "../../../core/attrs.ts";
import type { Block } from "../../../core/block.ts";
import { type DType, infoOf } from "../../../core/dtype.ts";
import { type MatrixView, matrixCalls } from "../../routines/matrices.ts";
import type { KernelMemory } from "../memory.ts";
import type { Matrix, Product } from "./product.ts";

export function contractAsMatrices(
  memory: KernelMemory,
  a: Block,
  b: Block,
  output: Block,
  attrs: Attrs,
): Product[] | null {
  const calls = matrixCalls(a, b, output, attrs);
  if (calls === null) return null;
  return calls.map((call) => ({
    ...call,
    a: inBytes(memory, call.a, call.dtype),
    b: inBytes(memory, call.b, call.dtype),
    c: inBytes(memory, call.c, call.dtype),
  }));
}

function inBytes(memory: KernelMemory, view: MatrixView, dtype: DType): Matrix {
  const { bytes } = infoOf(dtype);
  return {
    address: memory.placedAddress({ ...view, dtype }),
    rowStride: view.rowStride * bytes,
    columnStride: view.columnStride * bytes,
  };
}
