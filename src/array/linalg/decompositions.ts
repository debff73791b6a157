// cw.linalg: decompositions, and what is solved with them. Batched over all axes but the last two, which a task has whole; tall
// matrices are cut into blocks (tall.ts). In: real arrays. Out: lazy arrays, several of them as a record with the standard's names.

import { describe, shapeText } from "../../core/chunks.ts";
import { infoOf, type Result } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { promote } from "../../core/numbers.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { add, divide, greater, multiply, subtract, where } from "../../ops/elementwise/index.ts";
import { countNonzero, max } from "../../ops/reductions.ts";
import { eye } from "../functions/creation.ts";
import { matmul } from "../functions/linear.ts";
import { expandDims, matrixTranspose, squeeze } from "../functions/manipulation.ts";
import { withPullback } from "../gradients/customPullback.ts";
import { type Matrices, matricesOf, partsOf, realFloat, squareOf, together } from "./matrixParts.ts";
import { blockRows, tallQr } from "./tall.ts";
import { panelOf, tiledCholesky, tiledSolve, tileOf } from "./tiled.ts";

/** An array of the floating dtype of another. */
export type Floating<A> = LazyArray<Result<ArrayDType<A>, "floating">>;

/** Options of `cw.linalg.cholesky`. */
export interface CholeskyOptions {
  /** The upper factor, U with UᵀU = A; the lower one unless so. */
  readonly upper?: boolean | undefined;
}

/** L with LLᵀ = A of symmetric positive definite matrices, of which one triangle is read: `cw.linalg.cholesky([[4, 2], [2, 3]])`. */
export const cholesky: <const A extends Operand>(x: A, options?: CholeskyOptions) => Floating<A> = userCall(
  "cholesky",
  (x: Operand, { upper = false }: CholeskyOptions = {}): Built => {
    const matrices = squareOf(x);
    const lower = upper ? { ...matrices, x: matrixTranspose(matrices.x) } : matrices;
    const tile = tileOf(matrices);
    if (tile !== null) {
      const tiled = tiledCholesky(lower, tile);
      return (upper ? matrixTranspose(tiled) : tiled) as Built;
    }
    const [factor] = partsOf(lower, "cholesky", [[matrices.n, matrices.n]]);
    return upper ? (matrixTranspose(factor!) as Built) : factor!;
  },
  [1, "upper"],
);

const determinants = (x: Operand): Built[] => partsOf(squareOf(x), "determinant", [[], [], []]);

/** Determinants: `cw.linalg.det([[1, 2], [3, 4]])` is −2. */
export const det: <const A extends Operand>(x: A) => Floating<A> = userCall(
  "det",
  (x: Operand): Built => determinants(x)[2]!,
);

/** Signs of determinants and the logarithms of their sizes, which do not overflow: `cw.linalg.slogdet(x).logabsdet`. */
export const slogdet: <const A extends Operand>(
  x: A,
) => { readonly sign: Floating<A>; readonly logabsdet: Floating<A> } = userCall("slogdet", (x: Operand) => {
  const [sign, logabsdet] = determinants(x);
  return { sign: sign!, logabsdet: logabsdet! };
});

/** Inverses; singular matrices are an error when it is computed: `cw.linalg.inv([[1, 2], [3, 4]])`. */
export const inv: <const A extends Operand>(x: A) => Floating<A> = userCall("inv", (x: Operand): Built => {
  const matrices = squareOf(x);
  const tile = panelOf(matrices);
  if (tile !== null)
    return tiledSolve(matrices, eye(matrices.n, null, { dtype: matrices.dtype }), tile) as Built;
  return partsOf(matrices, "inverse", [[matrices.n, matrices.n]])[0]!;
});

/** x with x1·x = x2: a vector where x2 is one, else columns: `cw.linalg.solve([[2, 0], [0, 4]], [2, 2])` is [1, 0.5]. */
export const solve: <const A extends Operand, const B extends Operand>(
  x1: A,
  x2: B,
) => LazyArray<Result<ArrayDType<A>, "floating">> = userCall("solve", (x1: Operand, x2: Operand): Built => {
  const { x, n, dtype } = squareOf(x1);
  const right = asLazy(x2);
  const isVector = right.ndim === 1;
  const columns = isVector ? expandDims(right, 1) : right;
  if (right.ndim === 0 || columns.shape.at(-2) !== n)
    throw new ShapeError({
      what: `shapes ${shapeText(x.shape)} and ${shapeText(right.shape)}: the right side does not have ${n} rows`,
      cure: "The right side must have as many rows as the matrix",
    });
  const [a, b] = together(x, columns);
  const common = promote(dtype, realFloat(right));
  const large = { x: a, batch: a.shape.slice(0, -2), m: n, n, dtype: common };
  const tile = panelOf(large);
  if (tile !== null) {
    const solution = tiledSolve(large, b, tile);
    return (isVector ? squeeze(solution, -1) : solution) as Built;
  }
  const [found] = partsOf(
    { x: a, batch: a.shape.slice(0, -2), dtype: common },
    "solve",
    [[n, b.shape.at(-1)!]],
    b,
  );
  return isVector ? (squeeze(found!, -1) as Built) : found!;
});

/** Options of `cw.linalg.qr`. */
export interface QrOptions {
  /** "reduced": Q has as many columns as R rows; "complete": it is square. */
  readonly mode?: "reduced" | "complete" | undefined;
}

/** Q with orthonormal columns and R upper triangular, Q·R = x; tall matrices block by block: `cw.linalg.qr(x).R`. */
export const qr: <const A extends Operand>(
  x: A,
  options?: QrOptions,
) => { readonly Q: Floating<A>; readonly R: Floating<A> } = userCall(
  "qr",
  (x: Operand, { mode = "reduced" }: QrOptions = {}) => {
    const matrices = matricesOf(x);
    const { m, n } = matrices;
    if (mode === "reduced") return tallQr(matrices) as { Q: Built; R: Built };
    if (mode !== "complete")
      throw new ValueError({ what: `mode is ${describe(mode)}`, cure: 'Use "reduced" or "complete"' });
    const [Q, R] = partsOf(matrices, "completeQr", [
      [m, m],
      [m, n],
    ]);
    return { Q: Q!, R: R! };
  },
  [1, "mode"],
);

/** Eigenvalues of symmetric matrices, ascending, and eigenvectors as columns; the lower triangle is read: `cw.linalg.eigh(x)`. */
export const eigh: <const A extends Operand>(
  x: A,
) => { readonly eigenvalues: Floating<A>; readonly eigenvectors: Floating<A> } = userCall(
  "eigh",
  (x: Operand) => {
    const matrices = squareOf(x);
    const { n } = matrices;
    const [eigenvalues, eigenvectors] = partsOf(matrices, "eigh", [[n], [n, n]]);
    return { eigenvalues: eigenvalues!, eigenvectors: eigenvectors! };
  },
);

/** Eigenvalues of symmetric matrices, ascending: `cw.linalg.eigvalsh([[2, 1], [1, 2]])` is [1, 3]. */
export const eigvalsh: <const A extends Operand>(x: A) => Floating<A> = userCall(
  "eigvalsh",
  (x: Operand): Built => eigh(x).eigenvalues as Built,
);

/** Options of `cw.linalg.svd`. */
export interface SvdOptions {
  /** U and Vh are square; true unless given. */
  readonly fullMatrices?: boolean | undefined;
}

interface Svd<X> {
  readonly U: X;
  readonly S: X;
  readonly Vh: X;
}

function singular(matrices: Matrices, isFull: boolean): Svd<Built> {
  const { m, n } = matrices;
  const k = Math.min(m, n);
  if (!isFull && blockRows(matrices) !== null) {
    const { Q, R } = tallQr(matrices);
    const small = singular({ ...matrices, x: R, m: n }, false);
    return { ...small, U: matmul(Q, small.U) as Built };
  }
  const [rows, columns] = isFull ? [m, n] : [k, k];
  const [U, S, Vh] = partsOf(matrices, isFull ? "fullSvd" : "svd", [[m, rows], [k], [columns, n]]);
  return { U: U!, S: S!, Vh: Vh! };
}

/**
 * x = U·diag(S)·Vh, S descending: `cw.linalg.svd(x, {fullMatrices: false}).S`. Without full matrices, tall ones are decomposed block by
 * block.
 */
export const svd: <const A extends Operand>(x: A, options?: SvdOptions) => Svd<Floating<A>> = userCall(
  "svd",
  (x: Operand, { fullMatrices = true }: SvdOptions = {}) => singular(matricesOf(x), fullMatrices),
  [1, "fullMatrices"],
);

/** Singular values, descending: `cw.linalg.svdvals([[3, 0], [0, 4]])` is [4, 3]. */
export const svdvals: <const A extends Operand>(x: A) => Floating<A> = userCall(
  "svdvals",
  (x: Operand): Built => singular(matricesOf(x), false).S,
);

/** Options of `cw.linalg.matrixRank` and `cw.linalg.pinv`. */
export interface RankOptions {
  /** Singular values up to this share of the largest are taken for 0; the larger length times the dtype's ε unless given. */
  readonly rtol?: Operand | undefined;
}

/** Which singular values count. */
function significant(matrices: Matrices, S: LazyArray, rtol: Operand | undefined): LazyArray {
  const { m, n, dtype } = matrices;
  const epsilon = infoOf(dtype).bytes === 8 ? Number.EPSILON : 2 ** -23;
  const share = rtol === undefined ? Math.max(m, n) * epsilon : rtol;
  const largest = Math.min(m, n) === 0 ? S : max(S, { axis: -1, keepdims: true });
  const least =
    typeof share === "number"
      ? multiply(largest, share)
      : multiply(largest, expandDims(castTo(asLazy(share), dtype), -1));
  return greater(S, least);
}

/** How many singular values are not nearly 0: `cw.linalg.matrixRank([[1, 2], [2, 4]])` is 1. */
export const matrixRank: (x: Operand, options?: RankOptions) => LazyArray<"int64"> = userCall(
  "matrixRank",
  (x: Operand, { rtol }: RankOptions = {}): Built => {
    const matrices = matricesOf(x);
    return countNonzero(significant(matrices, singular(matrices, false).S, rtol), { axis: -1 }) as Built;
  },
  [1, "rtol"],
);

/** Moore and Penrose's inverses, by the singular values that count: `cw.linalg.pinv([[1], [1]])` is [[0.5, 0.5]]. */
export const pinv: <const A extends Operand>(x: A, options?: RankOptions) => Floating<A> = userCall(
  "pinv",
  (x: Operand, { rtol }: RankOptions = {}): Built => {
    const matrices = matricesOf(x);
    const inverted = (own: LazyArray): LazyArray => {
      const { U, S, Vh } = singular({ ...matrices, x: own }, false);
      const counts = significant(matrices, S, rtol);
      const inverse = where(counts, divide(1, where(counts, S, 1)), 0);
      return matmul(multiply(matrixTranspose(Vh), expandDims(inverse, -2)), matrixTranspose(U));
    };
    const own = castTo(matrices.x, matrices.dtype);
    return withPullback(
      (a) => inverted(a!),
      (g, b, a) => pinvCotangent(a!, b, g),
      [own],
    ) as Built;
  },
  [1, "rtol"],
);

/**
 * dB = −B·dA·B + BBᵀ·dAᵀ·(1 − AB) + (1 − BA)·dAᵀ·BᵀB (Golub, Pereyra, 1973), so Ā = −Bᵀ·B̄·Bᵀ + (1 − AB)·B̄ᵀ·BBᵀ + BᵀB·B̄ᵀ·(1 − BA).
 * Singular values that are equal do not matter for it, as they would for the vectors that belong to them.
 */
function pinvCotangent(a: LazyArray, b: LazyArray, cotangent: LazyArray): LazyArray {
  const [bt, gt] = [matrixTranspose(b), matrixTranspose(cotangent)];
  const within = matmul(bt, matmul(cotangent, bt));
  const left = matmul(gt, matmul(b, bt));
  const right = matmul(b, gt);
  return subtract(
    add(subtract(left, matmul(a, matmul(b, left))), matmul(bt, subtract(right, matmul(right, matmul(b, a))))),
    within,
  );
}

/** The x for which ‖x1·x − x2‖ is least, of tall matrices of full rank, by QR: `cw.linalg.lstsq(a, b)`. */
export const lstsq: <const A extends Operand>(x1: A, x2: Operand) => Floating<A> = userCall(
  "lstsq",
  (x1: Operand, x2: Operand): Built => {
    const matrices = matricesOf(x1);
    const right = asLazy(x2);
    if (matrices.m < matrices.n)
      throw new ShapeError({
        what: `${matrices.m} equations do not determine ${matrices.n} unknowns`,
        cure: "Use pinv(x1) for the shortest of all solutions",
      });
    const isVector = right.ndim === 1;
    const { Q, R } = tallQr(matrices);
    const columns = isVector ? expandDims(right, 1) : right;
    const found = solve(R, matmul(matrixTranspose(Q), columns));
    return (isVector ? squeeze(found, -1) : found) as Built;
  },
);
