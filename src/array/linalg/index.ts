// cw.linalg: the linear algebra extension of the array API standard 2024.12, and lstsq.

export { matmul, type TensordotOptions, tensordot, type VecdotOptions, vecdot } from "../functions/linear.ts";
export { matrixTranspose } from "../functions/manipulation.ts";
export { type DiagonalOptions, diagonal, outer, type TraceOptions, trace } from "../functions/products.ts";
export * from "./decompositions.ts";
export * from "./norms.ts";
export { type RandomizedSvdOptions, randomizedSvd } from "./randomized.ts";
