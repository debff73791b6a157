// slidingWindow: windows as axes. In: an array, how many places a window has along each axis (attrs.lengths, 0: no window there). Out: the
// array shortened by that, and behind its axes one axis for each window: out[i, …, j, …] = x[i + j, …].
// Every element is in several windows, so that a task reads each once and writes it as often as it is there.

import { type Box, isEmptyBox } from "../../core/chunks.ts";
import { type DenseType, denseType, type MoveOp } from "../../expr/op.ts";
import type { Piece } from "../../expr/pieces.ts";
import type { Calculus, Handle } from "../../expr/pullback.ts";
import { checkCounts } from "../attrChecks.ts";
import { axisOf, seamless } from "./fragments.ts";

const lengthsOf = (attrs: object): readonly number[] =>
  (attrs as { readonly lengths: readonly number[] }).lengths;

/** Axes that have windows, in order. */
const windowAxes = (lengths: readonly number[]): number[] =>
  lengths.flatMap((length, axis) => (length > 0 ? [axis] : []));

export const slidingWindow: MoveOp = {
  name: "slidingWindow",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const lengths = lengthsOf(attrs);
    const ndim = x!.shape.length;
    return [
      windowAxes(lengths).reduceRight(
        (g, axis, window) => unwindowed(g, axis, ndim + window, lengths[axis]!, use),
        cotangent,
      ),
    ];
  },
  injective: false,
  seams: seamless,
  infer([x], attrs) {
    const lengths = lengthsOf(attrs);
    checkCounts("slidingWindow", "lengths", lengths, x!.shape.length);
    const shape = x!.shape.map((n, axis) => n - Math.max(0, lengths[axis]! - 1));
    checkCounts("slidingWindow", "lengths", shape);
    return denseType(x!.dtype, [...shape, ...lengths.filter((length) => length > 0)]);
  },
  chunks: ([chunks], _, attrs, { shape }) =>
    [...chunks!, ...lengthsOf(attrs).filter((length) => length > 0)].map((n, axis) =>
      Math.max(1, Math.min(n, shape[axis]!)),
    ),
  pieces: (out, [x], attrs) => (isEmptyBox(out) ? [] : [windowPiece(out, x!, lengthsOf(attrs))]),
};

/** The transpose along an axis: place j of all windows is moved by j, and all of them are added. */
function unwindowed(g: Handle, axis: number, window: number, length: number, use: Calculus): Handle {
  if (length > MOST_PULLED)
    use.refuse(`windows of ${length} places have no derivative here`, "Use rolling, or shorter windows");
  const parts = Array.from({ length }, (_, j) => {
    const part = use.slice(g, {
      start: g.shape.map((__, a) => (a === window ? j : 0)),
      step: g.shape.map(() => 1),
      shape: g.shape.map((n, a) => (a === window ? 1 : n)),
    });
    return use.padded(use.squeeze(part, [window]), axis, j, length - 1 - j);
  });
  return parts.reduce((sum, part) => use.two("add", sum, part));
}

/** A term for each place. */
const MOST_PULLED = 64;

function windowPiece(out: Box, x: DenseType, lengths: readonly number[]): Piece {
  const ndim = x.shape.length;
  const axes = [...x.shape.keys(), ...windowAxes(lengths)];
  const start = x.shape.map((_, axis) => {
    const window = windowAxes(lengths).indexOf(axis);
    return out.start[axis]! + (window < 0 ? 0 : out.start[ndim + window]!);
  });
  return {
    from: { input: 0, start },
    start: out.start,
    axes: axes.map((axis, at) => axisOf(out.shape[at]!, at, 1, axis, 1)),
  };
}
