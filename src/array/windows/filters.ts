// Filters of images, volumes and series, as scipy.ndimage has them. In: an array, and what a window is. Out: an array of the same shape, one
// operation in a plan: a task reads a chunk and what lies around it, and the passes of a separable filter follow one another in it.
// Sums of whole numbers are float64 here; scipy.ndimage rounds them to the array's dtype.

import { checkAxis, describe } from "../../core/chunks.ts";
import { type DType, infoOf, isComplex, isInteger, type Result, toFloating } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { multiply } from "../../ops/elementwise/index.ts";
import { windowed } from "../../ops/windowed.ts";
import { asarray } from "../functions/creation.ts";
import { type BorderOptions, bordered, checkModes, checkSizes, perAxis, reachOf } from "./borders.ts";
import { gaussianWeights } from "./gaussian.ts";

/** A pass of weighted sums: a window along one axis. */
interface Line {
  readonly axis: number;
  readonly weights: Float64Array;
  readonly reach: readonly [before: number, after: number];
}

export function realOf(given: Operand): LazyArray {
  const x = asLazy(given);
  if (isComplex(x.dtype))
    throw new DTypeError({ what: `this is not computed of ${x.dtype}`, cure: "Filter real(x) and imag(x)" });
  return x;
}

const oneAlong = (ndim: number, axis: number, length: number): number[] =>
  Array.from({ length: ndim }, (_, a) => (a === axis ? length : 1));

/** All passes in one task, but where what is constant around the array changes from one to the next. */
export function linesFiltered(x: LazyArray, lines: readonly Line[], options: BorderOptions): LazyArray {
  const modes = checkModes(options.mode, x.ndim);
  const cval = options.cval ?? 0;
  const isConstant =
    lines.length > 1 && Number(cval) !== 0 && lines.some(({ axis }) => modes[axis] === "constant");
  if (isConstant) return lines.reduce((array, line) => linesFiltered(array, [line], options), x);
  if (lines.length === 0) return x;
  const reach = x.shape.map(
    (_, axis) => lines.find((line) => line.axis === axis)?.reach ?? ([0, 0] as const),
  );
  const passes = lines.map(({ axis, weights }) => oneAlong(x.ndim, axis, weights.length));
  const inputs = lines.map(({ weights }, at) => asarray(weights, { chunks: "all" }).reshape(passes[at]!));
  const attrs = { kind: "weights", passes, rank: 0, skip: false };
  return node(windowed, [bordered(x, { reach, modes, cval }), ...inputs], attrs);
}

/** Options of `cw.gaussianFilter`. */
export interface GaussianFilterOptions extends BorderOptions {
  /** Of the derivative, for all axes or for each; 0, no derivative, unless given. */
  readonly order?: number | readonly number[] | undefined;
  /** Weights end so many standard deviations from the centre; 4 unless given. */
  readonly truncate?: number | undefined;
  /** How far weights go, instead of that; for all axes or for each. */
  readonly radius?: number | readonly number[] | undefined;
}

type Floating<A> = LazyArray<Result<ArrayDType<A>, "floating">>;

/** Blurred by normal distributions, of one standard deviation or one for each axis: `cw.gaussianFilter(image, 2)`. */
export const gaussianFilter: <const A extends Operand>(
  x: A,
  sigma: number | readonly number[],
  options?: GaussianFilterOptions,
) => Floating<A> = userCall(
  "gaussianFilter",
  (given: Operand, sigma: number | readonly number[], options: GaussianFilterOptions = {}): Built => {
    const x = realOf(given);
    const { order = 0, truncate = 4, radius } = options;
    const [sigmas, orders, radii] = [
      perAxis(sigma, x.ndim, "sigma"),
      perAxis(order, x.ndim, "order"),
      perAxis(radius, x.ndim, "radius"),
    ];
    const lines = sigmas.flatMap((each, axis): Line[] => {
      const weights = gaussianWeights(each, orders[axis]!, radii[axis], truncate);
      const reach = (weights.length - 1) / 2;
      return weights.length === 1 ? [] : [{ axis, weights, reach: [reach, reach] }];
    });
    return linesFiltered(castTo(x, toFloating(x.dtype)), lines, options) as Built;
  },
  [2, "order", "mode", "cval", "truncate", "radius"],
);

/** Options of `cw.uniformFilter`, `cw.minimumFilter`, `cw.maximumFilter` and `cw.medianFilter`. */
export interface WindowFilterOptions extends BorderOptions {
  /** Moves windows: 0, in the middle, unless given; for all axes or for each. */
  readonly origin?: number | readonly number[] | undefined;
}

const WINDOW_OPTIONS = [2, "mode", "cval", "origin"] as const;

/** Along more places than this, sums are made in two halves for all windows together. */
const SHORT = 24;

/** The mean of each window, of one length or one for each axis: `cw.uniformFilter(x, 3)`. */
export const uniformFilter: <const A extends Operand>(
  x: A,
  size: number | readonly number[],
  options?: WindowFilterOptions,
) => Floating<A> = userCall(
  "uniformFilter",
  (given: Operand, size: number | readonly number[], options: WindowFilterOptions = {}): Built => {
    const x = realOf(given);
    const sizes = checkSizes(size, x.ndim);
    const dtype = toFloating(x.dtype);
    const origins = perAxis(options.origin ?? 0, x.ndim, "origin");
    const lines = sizes.flatMap((length, axis): Line[] => {
      const reach = reachOf(length, origins[axis]!);
      return length === 1 ? [] : [{ axis, weights: new Float64Array(length).fill(1 / length), reach }];
    });
    const isShort = (line: Line): boolean => line.weights.length <= SHORT;
    const summed = lines
      .filter((line) => !isShort(line))
      .reduce((array, line) => longMeans(array, line, options), castTo(x, dtype));
    return linesFiltered(summed, lines.filter(isShort), options) as Built;
  },
  WINDOW_OPTIONS,
);

function longMeans(x: LazyArray, { axis, weights, reach }: Line, options: BorderOptions): LazyArray {
  const around = x.shape.map((_, a) => (a === axis ? reach : ([0, 0] as const)));
  const border = { reach: around, modes: checkModes(options.mode, x.ndim), cval: options.cval ?? 0 };
  const sums = windowSums(bordered(castTo(x, "float64"), border), axis, weights.length);
  return castTo(multiply(sums, 1 / weights.length), x.dtype);
}

/** Σ of each window along an axis, of float64. */
export const windowSums = (x: LazyArray, axis: number, length: number): LazyArray =>
  node(windowed, [x], { kind: "sum", passes: [oneAlong(x.ndim, axis, length)], rank: 0, skip: false });

/** What holds all values of a dtype and has vectors: small whole numbers are float32 on the way. */
function comparedIn(dtype: DType): DType {
  if (!isInteger(dtype) && dtype !== "bool") return dtype;
  const { bytes } = infoOf(dtype);
  return bytes === 8 ? dtype : bytes === 4 ? "float64" : "float32";
}

/** What is asked of windows. */
interface Found {
  readonly kind: "min" | "max" | "rank";
  readonly passes: readonly (readonly number[])[];
  readonly rank: number;
}

function ofWindows(
  given: Operand,
  sizes: readonly number[],
  options: WindowFilterOptions,
  { kind, passes, rank }: Found,
): Built {
  const x = realOf(given);
  const origins = perAxis(options.origin ?? 0, x.ndim, "origin");
  const reach = sizes.map((length, axis) => reachOf(length, origins[axis]!));
  const border = { reach, modes: checkModes(options.mode, x.ndim), cval: options.cval ?? 0 };
  if (passes.length === 0) return x as Built;
  const around = bordered(castTo(x, comparedIn(x.dtype)), border);
  return castTo(node(windowed, [around], { kind, passes, rank, skip: false }), x.dtype) as Built;
}

type WindowFilter = <const A extends Operand>(
  x: A,
  size: number | readonly number[],
  options?: WindowFilterOptions,
) => LazyArray<ArrayDType<A>>;

const boundFilter = (name: string, kind: "min" | "max"): WindowFilter =>
  userCall(
    name,
    (given: Operand, size: number | readonly number[], options: WindowFilterOptions = {}): Built => {
      const { ndim } = realOf(given);
      const sizes = checkSizes(size, ndim);
      const passes = sizes.flatMap((length, axis) => (length === 1 ? [] : [oneAlong(ndim, axis, length)]));
      return ofWindows(given, sizes, options, { kind, passes, rank: 0 });
    },
    WINDOW_OPTIONS,
  );

/** The least of each window; NaN where there is one: `cw.minimumFilter(x, [3, 3])`. */
export const minimumFilter: WindowFilter = boundFilter("minimumFilter", "min");
/** The largest of each window; NaN where there is one: `cw.maximumFilter(x, 5)`. */
export const maximumFilter: WindowFilter = boundFilter("maximumFilter", "max");

/** The element in the middle of each window, of an even number the larger of two; NaN where there is one: `cw.medianFilter(x, 3)`. */
export const medianFilter: WindowFilter = userCall(
  "medianFilter",
  (given: Operand, size: number | readonly number[], options: WindowFilterOptions = {}): Built => {
    const sizes = checkSizes(size, realOf(given).ndim);
    const count = sizes.reduce((product, n) => product * n, 1);
    return ofWindows(given, sizes, options, {
      kind: "rank",
      passes: [sizes],
      rank: Math.floor(count / 2),
    });
  },
  WINDOW_OPTIONS,
);

/** The element of a rank in each window, −1 the largest: `cw.rankFilter(x, -2, 3)`. */
export const rankFilter: <const A extends Operand>(
  x: A,
  rank: number,
  size: number | readonly number[],
  options?: WindowFilterOptions,
) => LazyArray<ArrayDType<A>> = userCall(
  "rankFilter",
  (
    given: Operand,
    rank: number,
    size: number | readonly number[],
    options: WindowFilterOptions = {},
  ): Built => {
    const sizes = checkSizes(size, realOf(given).ndim);
    const count = sizes.reduce((product, n) => product * n, 1);
    const place = rank < 0 ? rank + count : rank;
    if (!Number.isInteger(place) || place < 0 || place >= count)
      throw new ValueError({
        what: `rank is ${describe(rank)} and a window has ${count} elements`,
        cure: "Use a whole number below that",
      });
    return ofWindows(given, sizes, options, { kind: "rank", passes: [sizes], rank: place });
  },
  [3, "mode", "cval", "origin"],
);

/** An axis of an array that has one. */
export const axisOf = (axis: number | undefined, x: LazyArray): number => checkAxis(axis ?? -1, x.ndim);
