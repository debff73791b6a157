// pad: more elements around an array. attrs.before and attrs.after per axis, attrs.mode one of NumPy's
// constant, edge, reflect, symmetric, wrap; attrs.value is what constant padding holds.

import { intersect, isEmptyBox } from "../../core/chunks.ts";
import type { Scalar } from "../../core/numbers.ts";
import { denseType, type MoveOp } from "../../expr/op.ts";
import type { AxisSeams, Piece } from "../../expr/pieces.ts";
import type { Calculus, Handle } from "../../expr/pullback.ts";
import { axisOf, type Fragment, run, separable } from "./fragments.ts";
import { everyTime, periodicRuns } from "./select.ts";

export const PAD_MODES = ["constant", "edge", "reflect", "symmetric", "wrap"] as const;
export type PadMode = (typeof PAD_MODES)[number];

interface PadAttrs {
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly mode: PadMode;
  readonly value: Scalar;
}

const padAttrs = (attrs: { readonly [name: string]: unknown }): PadAttrs => attrs as unknown as PadAttrs;

export const pad: MoveOp = {
  name: "pad",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const { before, after, mode } = padAttrs(attrs);
    let part = cotangent;
    before.forEach((first, axis) => {
      part = folded(part, { axis, first, n: x!.shape[axis]!, depth: [first, after[axis]!], mode }, use);
    });
    return [part];
  },
  injective: false,
  seams([input], attrs) {
    const { before, mode } = padAttrs(attrs);
    return input!.shape.map((n, axis) => SEAMS[mode](before[axis]!, n));
  },
  infer([input], attrs) {
    const { before, after } = padAttrs(attrs);
    return denseType(
      input!.dtype,
      input!.shape.map((n, axis) => before[axis]! + n + after[axis]!),
    );
  },
  chunks: ([chunks]) => chunks!,
  pieces(out, [input], attrs) {
    const { before, mode, value } = padAttrs(attrs);
    const inside = { start: before, shape: input!.shape };
    if (mode === "constant") {
      const centre = separable(intersect(out, inside), 0, input!.shape.length, (axis, at, length) => [
        run(axis, at, length, axis, at - before[axis]!, 1),
      ]);
      return isEmptyBox(out) ? [] : [filled(out.start, out.shape, value), ...centre];
    }
    const runs = RUNS[mode];
    return separable(out, 0, input!.shape.length, (axis, at, length) =>
      runs(axis, at, length, at - before[axis]!, input!.shape[axis]!),
    );
  },
};

/** What is along an axis: `n` places from place `first` on, and around them what a mode puts there. */
export interface Around {
  readonly axis: number;
  readonly first: number;
  readonly n: number;
  /** No more places than these before and behind have anything. */
  readonly depth: readonly [before: number, after: number];
  readonly mode: PadMode;
}

/** The transpose of padding along an axis: what lies around is added where it came from. */
export function folded(x: Handle, { axis, first, n, depth, mode }: Around, use: Calculus): Handle {
  const part = (from: number, count: number): Handle =>
    use.slice(x, {
      start: x.shape.map((_, a) => (a === axis ? from : 0)),
      step: x.shape.map(() => 1),
      shape: x.shape.map((all, a) => (a === axis ? count : all)),
    });
  const inside = part(first, n);
  if (mode === "constant") return inside;
  return [
    [first - depth[0], depth[0]],
    [first + n, depth[1]],
  ].reduce((sum, [from, count]) => {
    if (count === 0) return sum;
    const places = Array.from({ length: count! }, (_, i) => sourceOf(mode, from! + i - first, n));
    return use.two("add", sum, use.addAlong(part(from!, count!), axis, places, n));
  }, inside);
}

/** Which element stands at a place beyond the ends. */
function sourceOf(mode: PadMode, place: number, n: number): number {
  const within = (length: number): number => ((place % length) + length) % length;
  if (mode === "edge") return place < 0 ? 0 : n - 1;
  if (mode === "wrap" || n === 1) return within(n);
  if (mode === "symmetric") {
    const at = within(2 * n);
    return at < n ? at : 2 * n - 1 - at;
  }
  const at = within(2 * (n - 1));
  return at < n ? at : 2 * (n - 1) - at;
}

export function filled(start: readonly number[], shape: readonly number[], fill: Scalar): Piece {
  return { from: { fill }, start, axes: shape.map((length, axis) => axisOf(length, axis, 1, -1, 0)) };
}

/** Of an array of n places that begins at `first`. */
const endSeams = (first: number, n: number): AxisSeams => ({
  zones: [
    [first, first],
    [first + n, first + n],
  ],
});

const SEAMS: { readonly [M in PadMode]: (first: number, n: number) => AxisSeams } = {
  constant: endSeams,
  edge: endSeams,
  wrap: (first, n) => everyTime(n, first),
  symmetric(first, n) {
    const every = 2 * n;
    return n < 1 ? {} : { periods: [{ every, at: [first % every, (first + n) % every] }] };
  },
  reflect(first, n) {
    const every = 2 * (n - 1);
    return n < 2 ? {} : { periods: [{ every, at: [first % every, (first + n - 1) % every] }] };
  },
};

type Runs = (axis: number, at: number, length: number, phase: number, n: number) => Fragment[];

/** `phase` is the place relative to the array's begin: negative before it, n and more behind it. */
export const RUNS: { readonly [M in Exclude<PadMode, "constant">]: Runs } = {
  wrap: periodicRuns,
  edge(axis, at, length, phase, n) {
    const before = Math.min(length, Math.max(0, -phase));
    const after = Math.min(length, Math.max(0, phase + length - n));
    const inside = length - before - after;
    const runs: Fragment[] = [];
    if (before > 0) runs.push(run(axis, at, before, axis, 0, 0));
    if (inside > 0) runs.push(run(axis, at + before, inside, axis, phase + before, 1));
    if (after > 0) runs.push(run(axis, at + length - after, after, axis, n - 1, 0));
    return runs;
  },
  /** Forth and back, the ends twice: the period is 2n. */
  symmetric(axis, at, length, phase, n) {
    const period = 2 * n;
    const runs: Fragment[] = [];
    for (let done = 0; done < length; ) {
      const place = (((phase + done) % period) + period) % period;
      const forth = place < n;
      const here = Math.min(length - done, forth ? n - place : period - place);
      runs.push(run(axis, at + done, here, axis, forth ? place : period - 1 - place, forth ? 1 : -1));
      done += here;
    }
    return runs;
  },
  /** Forth and back without repeating the ends: the period is 2(n − 1). */
  reflect(axis, at, length, phase, n) {
    if (n === 1) return [run(axis, at, length, axis, 0, 0)];
    const period = 2 * (n - 1);
    const runs: Fragment[] = [];
    for (let done = 0; done < length; ) {
      const place = (((phase + done) % period) + period) % period;
      const forth = place < n - 1;
      const here = Math.min(length - done, forth ? n - 1 - place : period - place);
      runs.push(run(axis, at + done, here, axis, forth ? place : period - place, forth ? 1 : -1));
      done += here;
    }
    return runs;
  },
};
