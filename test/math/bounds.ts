// What the expansions promise: the largest error in ulps, and how many primitive operations the usual path has
// (constants and bitcasts not counted, nor what only a slow path needs).

import type { FloatDType } from "../../src/core/dtype.ts";
import type { Prim } from "../../src/kernel/scalar.ts";

/** Halves are computed in float32. */
export type Written = Exclude<FloatDType, "float16">;

export interface Promised {
  readonly ulps: { readonly [T in Written]: number };
  readonly operations: { readonly [T in Written]: number };
}

const promise = (ulps: readonly [number, number], operations: readonly [number, number]): Promised => ({
  ulps: { float64: ulps[0], float32: ulps[1] },
  operations: { float64: operations[0], float32: operations[1] },
});

export const PROMISES: ReadonlyMap<Prim, Promised> = new Map<Prim, Promised>([
  ["exp", promise([0.52, 0.51], [27, 21])],
  ["expm1", promise([1.1, 0.51], [46, 29])],
  ["log", promise([1, 0.52], [39, 29])],
  ["log1p", promise([1.1, 0.52], [44, 37])],
  ["log2", promise([0.85, 0.52], [48, 27])],
  ["log10", promise([0.8, 0.52], [51, 28])],
  ["sin", promise([0.9, 0.61], [58, 27])],
  ["cos", promise([0.9, 0.61], [58, 28])],
  ["tan", promise([2, 0.51], [43, 31])],
  ["asin", promise([0.85, 0.51], [54, 29])],
  ["acos", promise([0.85, 0.51], [57, 36])],
  ["atan", promise([1, 0.52], [49, 38])],
  ["sinh", promise([1.9, 0.51], [55, 33])],
  ["cosh", promise([1, 0.51], [30, 24])],
  ["tanh", promise([1.9, 0.51], [54, 32])],
  ["asinh", promise([1.5, 0.52], [53, 43])],
  ["acosh", promise([1.9, 0.52], [58, 42])],
  ["atanh", promise([1.9, 0.52], [50, 43])],
  ["atan2", promise([1.75, 0.52], [61, 46])],
  ["hypot", promise([0.95, 0.51], [25, 9])],
  ["pow", promise([0.52, 0.51], [112, 54])],
]);
