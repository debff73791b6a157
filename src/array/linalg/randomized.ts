// The largest singular values of a matrix of any shape, by a random sample of what it maps to (Halko, Martinsson, Tropp, 2011). In: one
// matrix, how many values. Out: U, S and Vh of that rank; the matrix is read 2 + 2·iterations times, in its chunks, and nothing else is
// larger than a few columns.

import { describe, isLength, shapeText } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { LazyArray, Operand } from "../../lazy/lazyArray.ts";
import { partAlong } from "../chunked.ts";
import { matmul } from "../functions/linear.ts";
import { matrixTranspose } from "../functions/manipulation.ts";
import { random } from "../random/generator.ts";
import { type Floating, svd } from "./decompositions.ts";
import { matricesOf } from "./matrixParts.ts";
import { tallQr } from "./tall.ts";

/** Options of `cw.linalg.randomizedSvd`. */
export interface RandomizedSvdOptions {
  /** So many more columns are sampled; 10 unless given. */
  readonly oversample?: number | undefined;
  /** How often the sample goes through the matrix and back, which makes small differences of singular values larger; 2 unless given. */
  readonly iterations?: number | undefined;
  /** Of the sample; 0 unless given. */
  readonly seed?: number | undefined;
}

interface LowRank<X> {
  readonly U: X;
  readonly S: X;
  readonly Vh: X;
}

/** x ≈ U·diag(S)·Vh with the k largest singular values: `cw.linalg.randomizedSvd(x, 20).S`. */
export const randomizedSvd: <const A extends Operand>(
  x: A,
  k: number,
  options?: RandomizedSvdOptions,
) => LowRank<Floating<A>> = userCall(
  "randomizedSvd",
  (given: Operand, k: number, { oversample = 10, iterations = 2, seed = 0 }: RandomizedSvdOptions = {}) => {
    const { x, batch, m, n, dtype } = matricesOf(given);
    if (batch.length > 0)
      throw new ShapeError({
        what: `shape ${shapeText(x.shape)} is a batch of matrices`,
        cure: "Give one matrix",
      });
    if (!isLength(k) || k === 0 || k > Math.min(m, n))
      throw new ValueError({
        what: `k is ${describe(k)} and the matrix ${m} × ${n}`,
        cure: "Use 1 up to the shorter side",
      });
    for (const [name, value] of Object.entries({ oversample, iterations }))
      if (!isLength(value))
        throw new ValueError({
          what: `${name} is ${describe(value)}`,
          cure: "Use a whole number, 0 or more",
        });
    const a = castTo(x, "float64");
    const count = Math.min(m, n, k + oversample);
    const basis = sampled(a, count, iterations, seed);
    // A ≈ Q·B, B = Qᵀ·A, of which the transpose is tall: Bᵀ = P·R, R = W·S·Zᵀ.
    const { Q: P, R } = orthonormal(matmul(matrixTranspose(a), basis));
    const small = svd(R, { fullMatrices: false });
    const U = partAlong(matmul(basis, matrixTranspose(small.Vh)), 1, 0, k);
    const V = partAlong(matmul(P, small.U), 1, 0, k);
    return {
      U: castTo(U, dtype) as Built,
      S: castTo(partAlong(small.S, 0, 0, k), dtype) as Built,
      Vh: castTo(matrixTranspose(V), dtype) as Built,
    };
  },
  [2, "oversample", "iterations", "seed"],
);

/** An orthonormal basis of what a matrix maps random vectors to. */
function sampled(a: LazyArray, count: number, iterations: number, seed: number): LazyArray {
  let basis = orthonormal(matmul(a, random(seed).normal([a.shape[1]!, count]))).Q;
  for (let i = 0; i < iterations; i++) {
    const back = orthonormal(matmul(matrixTranspose(a), basis)).Q;
    basis = orthonormal(matmul(a, back)).Q;
  }
  return basis;
}

function orthonormal(x: LazyArray): { readonly Q: LazyArray; readonly R: LazyArray } {
  const [m, n] = x.shape as [number, number];
  return tallQr({ x, batch: [], m, n, dtype: "float64" });
}
