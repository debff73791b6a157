// Derivatives without rules: a function is computed on both sides of a point, along a direction: the error is that of the third
// derivative times h²/6, and what rounding leaves of h. In: a function of arrays that gives a number, where, and in which direction. Out: its
// change in that direction.

import * as cw from "chunkwise";

export type Scalarly = (...xs: cw.LazyArray[]) => cw.LazyArray;

const STEP = 2 ** -17;

/** Of float64 arrays; the sum over all. */
export function directional(f: Scalarly, xs: readonly cw.LazyArray[], vs: readonly cw.LazyArray[]): number {
  const at = (t: number): cw.LazyArray => f(...xs.map((x, i) => x.add(vs[i]!.multiply(t * STEP))));
  const [after, before] = cw.computeSync([at(1), at(-1)]).map((each) => each.item() as number);
  return (after! - before!) / (2 * STEP);
}

/** The same by the gradient. */
export function byGradient(f: Scalarly, xs: readonly cw.LazyArray[], vs: readonly cw.LazyArray[]): number {
  const numbers = xs.map((_, i) => i);
  const parts = cw.grad(f, { argnums: numbers })(...xs) as cw.LazyArray[];
  const sums = parts.map((part, i) => part.multiply(vs[i]!).sum());
  return cw.computeSync(sums).reduce((sum, each) => sum + (each.item() as number), 0);
}

/** By how much they differ, of what they are. */
export const apart = (a: number, b: number): number =>
  Math.abs(a - b) / Math.max(1, Math.abs(a), Math.abs(b));
