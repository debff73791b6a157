// Windows as axes, and grids with fewer points. In: arrays. Out: moves of them, and reductions of those.

import { checkAxisList, checkShape, describe, isLength, shapeText } from "../../core/chunks.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { type Built, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { slidingWindow } from "../../ops/moves/slidingWindow.ts";
import { max, mean, min } from "../../ops/reductions.ts";
import { partAlong } from "../chunked.ts";
import { reshape } from "../functions/manipulation.ts";

/** Options of `cw.slidingWindowView`. */
export interface SlidingWindowOptions {
  /** Along which axis each length goes; all of them in order unless given. */
  readonly axis?: number | readonly number[] | undefined;
}

/**
 * All windows of an array, as axes behind its own: `cw.slidingWindowView([1, 2, 3, 4], 2)` is [[1, 2], [2, 3], [3, 4]]. An axis may have
 * several windows.
 */
export const slidingWindowView: <const A extends Operand>(
  x: A,
  windowShape: number | readonly number[],
  options?: SlidingWindowOptions,
) => LazyArray<ArrayDType<A>, OutputsOf<A>> = userCall(
  "slidingWindowView",
  (given: Operand, windowShape: number | readonly number[], { axis }: SlidingWindowOptions = {}): Built => {
    const x = asLazy(given);
    const lengths = checkShape(windowShape);
    const axes = axis === undefined ? [...x.shape.keys()] : typeof axis === "number" ? [axis] : axis;
    if (lengths.length !== axes.length)
      throw new ShapeError({
        what: `${lengths.length} lengths of windows and ${axes.length} axes`,
        cure: "Give one for each axis, or name the axes",
      });
    return axes.reduce((array: LazyArray, each, at) => {
      const [place] = checkAxisList([each], x.ndim) as [number];
      return oneWindow(array, place, lengths[at]!);
    }, x) as Built;
  },
  [2, "axis"],
);

function oneWindow(x: LazyArray, axis: number, length: number): LazyArray {
  if (length > x.shape[axis]! || length === 0)
    throw new ShapeError({
      what: `windows of ${length} do not fit along axis ${axis} of shape ${shapeText(x.shape)}`,
      cure: "Use windows of at least 1 that are no longer than the axis",
    });
  return node(slidingWindow, [x], { lengths: x.shape.map((_, a) => (a === axis ? length : 0)) });
}

/** Options of `cw.coarsen`. */
export interface CoarsenOptions {
  /** Of what is left over at the end: an error ("exact", unless given), or cut off ("trim"). */
  readonly boundary?: "exact" | "trim" | undefined;
}

/** What makes one element of each block: a reduction, or a function of an array and axes. */
export type Coarsening = (x: LazyArray, options: { readonly axis: number[] }) => LazyArray;

/** Blocks of so many elements along each axis as one element, by a reduction: `cw.coarsen(x, {0: 2, 1: 2}, cw.mean)`. */
export const coarsen: (
  x: Operand,
  lengths: { readonly [axis: number]: number },
  reduce: Coarsening,
  options?: CoarsenOptions,
) => LazyArray = userCall(
  "coarsen",
  (
    given: Operand,
    lengths: { readonly [axis: number]: number },
    reduce: Coarsening,
    { boundary = "exact" }: CoarsenOptions = {},
  ): Built => {
    if (boundary !== "exact" && boundary !== "trim")
      throw new ValueError({ what: `boundary is ${describe(boundary)}`, cure: 'Use "exact" or "trim"' });
    const x = asLazy(given);
    const each = blockLengths(lengths, x);
    const found = reduce(...inBlocks(x, each, boundary));
    if (found instanceof LazyArray && found.ndim === x.ndim) return found as Built;
    throw new ValueError({
      what: "the function does not reduce the axes that it is given",
      cure: "Give a reduction as cw.mean, or (x, options) => cw.sum(x, options)",
    });
  },
  [3, "boundary"],
);

function blockLengths(lengths: { readonly [axis: number]: number }, x: LazyArray): number[] {
  const each = x.shape.map(() => 1);
  for (const [axis, length] of Object.entries(lengths)) {
    const [at] = checkAxisList([Number(axis)], x.ndim) as [number];
    if (!isLength(length) || length === 0)
      throw new ValueError({
        what: `the blocks along axis ${axis} are ${describe(length)} long`,
        cure: "Use whole numbers from 1 on",
      });
    each[at] = length;
  }
  return each;
}

/** Each axis as two: blocks, and the places in one, which are reduced. */
function inBlocks(x: LazyArray, each: readonly number[], boundary: string): Parameters<Coarsening> {
  const whole = each.reduce((array: LazyArray, length, axis) => {
    const rest = array.shape[axis]! % length;
    if (rest > 0 && boundary === "exact")
      throw new ShapeError({
        what: `${array.shape[axis]} places along axis ${axis} are not whole blocks of ${length}`,
        cure: 'Use {boundary: "trim"} to leave out the rest',
      });
    return rest === 0 ? array : partAlong(array, axis, 0, array.shape[axis]! - rest);
  }, x);
  const shape = each.flatMap((length, axis) => [whole.shape[axis]! / length, length]);
  return [reshape(whole, shape), { axis: each.map((_, axis) => 2 * axis + 1) }];
}

/** Options of `cw.pyramid`. */
export interface PyramidOptions {
  /** How many arrays, the first as it is; as many as have two places along every axis unless given. */
  readonly levels?: number | undefined;
  /** Along which axes; the last two unless given. */
  readonly axis?: number | readonly number[] | undefined;
  /** How many places become one; 2 unless given. */
  readonly factor?: number | undefined;
  /** Their "mean", unless given, "min", "max", or the first of them ("nearest"). */
  readonly method?: "mean" | "min" | "max" | "nearest" | undefined;
}

const MOST_LEVELS = 32;
const METHODS: { readonly [name: string]: Coarsening } = {
  mean: (x, options) => mean(x, options),
  min: (x, options) => min(x, options),
  max: (x, options) => max(x, options),
};

/** An image at several scales, each made of the one before: `const [whole, half, quarter] = cw.pyramid(image, {levels: 3})`. */
export const pyramid: (x: Operand, options?: PyramidOptions) => LazyArray[] = userCall(
  "pyramid",
  (given: Operand, options: PyramidOptions = {}): Built[] => {
    const x = asLazy(given);
    const { factor = 2, method = "mean", axis = x.shape.map((_, a) => a).slice(-2) } = options;
    const axes = checkAxisList(axis, x.ndim);
    if (!isLength(factor) || factor < 2)
      throw new ValueError({ what: `factor is ${describe(factor)}`, cure: "Use a whole number from 2 on" });
    if (method !== "nearest" && !Object.hasOwn(METHODS, method))
      throw new ValueError({
        what: `method is ${describe(method)}`,
        cure: 'Use "mean", "min", "max" or "nearest"',
      });
    const shortest = Math.min(...axes.map((a) => x.shape[a]!));
    const possible = 1 + Math.floor(Math.log(Math.max(1, shortest)) / Math.log(factor) + 1e-9);
    const levels = options.levels ?? possible;
    if (!isLength(levels) || levels === 0 || levels > Math.min(possible, MOST_LEVELS))
      throw new ValueError({ what: `levels is ${describe(levels)}`, cure: `There can be 1 to ${possible}` });
    const made: LazyArray[] = [x];
    while (made.length < levels) made.push(nextLevel(made.at(-1)!, axes, factor, method));
    return made as Built[];
  },
  [1, "levels", "axis", "factor", "method"],
);

function nextLevel(x: LazyArray, axes: readonly number[], factor: number, method: string): LazyArray {
  const each = x.shape.map((_, axis) => (axes.includes(axis) ? factor : 1));
  if (method !== "nearest") {
    const found = METHODS[method]!(...inBlocks(x, each, "trim"));
    return found.dtype === x.dtype ? found : found.astype(x.dtype);
  }
  const ends = each.map((length, axis) => x.shape[axis]! - (x.shape[axis]! % length));
  return x.get(...each.map((length, axis) => `0:${ends[axis]}:${length}`));
}
