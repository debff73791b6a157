// Matrix products by a BLAS library. In: its gemm functions. Out: a product for the kernel's door, which says false
// where BLAS has no way to walk an operand (neither rows nor columns contiguous), for integers, and for products so
// small that the call would cost more than the work.

import type { DType } from "../core/dtype.ts";
import { infoOf, type TypedArray } from "../core/dtype.ts";
import type { MatrixCall, MatrixView } from "../kernel/routines/matrices.ts";
import type { MatrixProduct } from "../kernel/routines/outsideProduct.ts";

export type BlasDType = Extract<DType, "float32" | "float64" | "complex64" | "complex128">;

/** A factor: a number, or the address of a complex one. */
export type Factor = number | TypedArray;

/** cblas_?gemm: order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc. */
export type Gemm = (
  order: number,
  transA: number,
  transB: number,
  m: number,
  n: number,
  k: number,
  alpha: Factor,
  a: TypedArray,
  lda: number,
  b: TypedArray,
  ldb: number,
  beta: Factor,
  c: TypedArray,
  ldc: number,
) => void;

export type Gemms = { readonly [D in BlasDType]: Gemm };

const ROW_MAJOR = 101;
const AS_IT_IS = 111;
const TRANSPOSED = 112;
const LARGEST = 2 ** 31 - 1;
/** Products below which a call is not worth it. */
const FEWEST = 4096;

const FACTORS: { readonly [D in BlasDType]: readonly [one: Factor, zero: Factor] } = {
  float32: [1, 0],
  float64: [1, 0],
  complex64: [Float32Array.of(1, 0), Float32Array.of(0, 0)],
  complex128: [Float64Array.of(1, 0), Float64Array.of(0, 0)],
};

export const blasProduct =
  (gemms: Gemms): MatrixProduct =>
  (call) => {
    if (!(call.dtype in gemms) || call.m * call.n * call.k < FEWEST) return false;
    const gemm = gemms[call.dtype as BlasDType];
    return multiply(gemm, call) || multiply(gemm, transposed(call));
  };

/** False if c is not contiguous by rows, or an operand neither by rows nor by columns. */
function multiply(gemm: Gemm, { dtype, m, n, k, a, b, c }: MatrixCall): boolean {
  const [left, right, result] = [layoutOf(a, m, k), layoutOf(b, k, n), layoutOf(c, m, n)];
  if (left === null || right === null || result?.order !== AS_IT_IS) return false;
  const [one, zero] = FACTORS[dtype as BlasDType];
  const start = ({ data, offset }: MatrixView): TypedArray => data.subarray(offset * infoOf(dtype).slots);
  gemm(
    ROW_MAJOR,
    left.order,
    right.order,
    m,
    n,
    k,
    one,
    start(a),
    left.stride,
    start(b),
    right.stride,
    zero,
    start(c),
    result.stride,
  );
  return true;
}

interface Layout {
  readonly order: typeof AS_IT_IS | typeof TRANSPOSED;
  /** From one contiguous line to the next. */
  readonly stride: number;
}

function layoutOf({ rowStride, columnStride }: MatrixView, rows: number, columns: number): Layout | null {
  const byRows = lineStride(rowStride, rows, columnStride, columns);
  if (byRows !== null) return { order: AS_IT_IS, stride: byRows };
  const byColumns = lineStride(columnStride, columns, rowStride, rows);
  return byColumns === null ? null : { order: TRANSPOSED, stride: byColumns };
}

/** Of `lines` lines whose elements are neighbours, none overlapping another; null if they are not so. */
function lineStride(stride: number, lines: number, inner: number, length: number): number | null {
  if (length > 1 && inner !== 1) return null;
  if (lines === 1) return length;
  return stride >= length && stride <= LARGEST ? stride : null;
}

/** cᵀ = bᵀ · aᵀ */
const transposed = ({ dtype, m, n, k, a, b, c }: MatrixCall): MatrixCall => ({
  dtype,
  m: n,
  n: m,
  k,
  a: flip(b),
  b: flip(a),
  c: flip(c),
});

const flip = (view: MatrixView): MatrixView => ({
  ...view,
  rowStride: view.columnStride,
  columnStride: view.rowStride,
});
