// Butterflies: the transform of p points, as code for pairs of lines. In: points in locals. Out: code that leaves each result in locals when
// it is asked for. The same order as the passes of fourier/transform.ts.

import { unitRoot } from "../fourier/roots.ts";
import type { FunctionWriter, Local } from "./assembler.ts";

/** A number of each line of a pair. */
export interface Pair {
  readonly re: Local;
  readonly im: Local;
}

export const pairOf = (w: FunctionWriter): Pair => ({ re: w.local("v128"), im: w.local("v128") });

/** Takes result r, which is there once it is made. */
export type Put = (r: number, make: () => Pair) => void;

/** X[r] = Σ e^(−2πi·rt/p)·x[t] */
export function butterfly(w: FunctionWriter, x: readonly Pair[], put: Put): void {
  if (x.length === 2) butterfly2(w, x, put);
  else if (x.length === 4) butterfly4(w, x, put);
  else butterflyOdd(w, x.length, x, put);
}

const sum = (w: FunctionWriter, a: Local, b: Local, to: Local): void => {
  w.get(a).get(b).op("f64x2.add").set(to);
};
const difference = (w: FunctionWriter, a: Local, b: Local, to: Local): void => {
  w.get(a).get(b).op("f64x2.sub").set(to);
};
function both(w: FunctionWriter, op: typeof sum, a: Pair, b: Pair, to: Pair): Pair {
  op(w, a.re, b.re, to.re);
  op(w, a.im, b.im, to.im);
  return to;
}

function butterfly2(w: FunctionWriter, [a, b]: readonly Pair[], put: Put): void {
  const found = pairOf(w);
  put(0, () => both(w, sum, a!, b!, found));
  put(1, () => both(w, difference, a!, b!, found));
}

function butterfly4(w: FunctionWriter, [a, b, c, d]: readonly Pair[], put: Put): void {
  const [even, less, odd, turn, found] = [pairOf(w), pairOf(w), pairOf(w), pairOf(w), pairOf(w)];
  both(w, sum, a!, c!, even);
  both(w, difference, a!, c!, less);
  both(w, sum, b!, d!, odd);
  // −i·(b − d)
  difference(w, b!.im, d!.im, turn.re);
  difference(w, d!.re, b!.re, turn.im);
  put(0, () => both(w, sum, even, odd, found));
  put(1, () => both(w, sum, less, turn, found));
  put(2, () => both(w, difference, even, odd, found));
  put(3, () => both(w, difference, less, turn, found));
}

/** Terms t and p − t together: sums meet cosines, differences sines. */
function butterflyOdd(w: FunctionWriter, p: number, x: readonly Pair[], put: Put): void {
  const half = (p - 1) / 2;
  const found = pairOf(w);
  const sums = Array.from({ length: half }, () => pairOf(w));
  const apart = Array.from({ length: half }, () => pairOf(w));
  for (let t = 1; t <= half; t++) {
    both(w, sum, x[t]!, x[p - t]!, sums[t - 1]!);
    both(w, difference, x[t]!, x[p - t]!, apart[t - 1]!);
  }
  put(0, () => sums.reduce((whole, each) => both(w, sum, whole, each, found), x[0]!));
  const [even, odd] = [pairOf(w), pairOf(w)];
  for (let r = 1; r <= half; r++) {
    for (const part of ["re", "im"] as const) {
      w.get(x[0]![part]).set(even[part]);
      w.f64(0).op("f64x2.splat").set(odd[part]);
    }
    for (let t = 1; t <= half; t++) {
      const [c, d] = unitRoot((r * t) % p, p);
      const times = (value: Local, by: number): FunctionWriter =>
        w.f64(by).op("f64x2.splat").get(value).op("f64x2.mul");
      w.get(even.re);
      times(sums[t - 1]!.re, c)
        .op("f64x2.add")
        .set(even.re);
      w.get(even.im);
      times(sums[t - 1]!.im, c)
        .op("f64x2.add")
        .set(even.im);
      w.get(odd.re);
      times(apart[t - 1]!.im, d)
        .op("f64x2.sub")
        .set(odd.re);
      w.get(odd.im);
      times(apart[t - 1]!.re, d)
        .op("f64x2.add")
        .set(odd.im);
    }
    put(r, () => both(w, sum, even, odd, found));
    put(p - r, () => both(w, difference, even, odd, found));
  }
}
