// What windows can be asked for, and how far they reach. In: the lengths of windows. Out: places, as distances.

import { type Shape, sizeOf, stridesOf } from "../../core/chunks.ts";

export const WINDOW_KINDS = ["weights", "sum", "squares", "min", "max", "rank", "median"] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number];

/** How much shorter an array is when windows have gone over it, along each axis: Σ (length − 1). */
export const extentOfPasses = (passes: readonly Shape[], ndim: number): number[] =>
  Array.from({ length: ndim }, (_, axis) => passes.reduce((sum, lengths) => sum + lengths[axis]! - 1, 0));

/** The shape that a pass leaves. */
export const afterPass = (shape: Shape, lengths: Shape): number[] =>
  shape.map((n, axis) => n - lengths[axis]! + 1);

/** How far each element of a window is from its first, in row-major order, in an array of these strides. */
export function tapsOf(lengths: Shape, strides: readonly number[]): Int32Array {
  const taps = new Int32Array(sizeOf(lengths));
  const own = stridesOf(lengths);
  for (let t = 0; t < taps.length; t++)
    taps[t] = lengths.reduce((sum, n, axis) => sum + (Math.floor(t / own[axis]!) % n) * strides[axis]!, 0);
  return taps;
}
