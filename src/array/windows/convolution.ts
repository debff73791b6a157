// Convolutions and correlations with weights that are arrays, too. In: an array and weights. Out: sums of windows times weights: without
// `boundary` as NumPy's convolve and correlate, of any number of axes; with it as scipy.ndimage's, as long as the array.

import { describe, shapeText } from "../../core/chunks.ts";
import { type DType, infoOf, isComplex, toFloating } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { Complex, type Promote, promote, type RealScalar } from "../../core/numbers.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { add, conj, imag, multiply, real, subtract } from "../../ops/elementwise/index.ts";
import { windowed } from "../../ops/windowed.ts";
import { flip } from "../functions/manipulation.ts";
import { type BorderMode, bordered, checkModes, perAxis, reachOf } from "./borders.ts";

/** Options of `cw.convolve` and `cw.correlate`. */
export interface ConvolveOptions {
  /** Which windows, of an array with zeros around it: all that meet it ("full"), as many as it has elements ("same"), those inside ("valid"). */
  readonly mode?: "full" | "same" | "valid" | undefined;
  /** What lies beyond the ends, instead: there is a window for each element. */
  readonly boundary?: BorderMode | readonly BorderMode[] | undefined;
  /** Of the boundary "constant": the value; 0 unless given. */
  readonly cval?: RealScalar | undefined;
  /** With a boundary: moves windows; 0, in the middle, unless given. */
  readonly origin?: number | readonly number[] | undefined;
}

type ConvolveFunction = <const A extends Operand, const B extends Operand>(
  x: A,
  weights: B,
  options?: ConvolveOptions,
) => LazyArray<Promote<ArrayDType<A>, ArrayDType<B>>>;

const OPTIONS = [2, "mode", "boundary", "cval", "origin"] as const;

/** Sums are made in float64, exactly for whole numbers below 2⁵³. */
function weighed(x: LazyArray, weights: LazyArray, dtype: DType): LazyArray {
  const attrs = { kind: "weights", passes: [weights.shape], rank: 0, skip: false };
  const isSingle = infoOf(toFloating(dtype)).bytes < 8;
  return node(windowed, [castTo(x, isSingle ? "float32" : "float64"), castTo(weights, "float64")], attrs);
}

/** Complex numbers by their parts: (a + bi)(c + di) = (ac − bd) + (ad + bc)i. */
function sums(x: LazyArray, weights: LazyArray): LazyArray {
  const dtype = promote(x.dtype, weights.dtype);
  if (!isComplex(dtype)) return castTo(weighed(x, weights, dtype), dtype);
  const [[a, b], [c, d]] = [partsOf(x), partsOf(weights)];
  const by = (part: LazyArray, weight: LazyArray): LazyArray => weighed(part, weight, part.dtype);
  const re = b === null || d === null ? by(a, c) : subtract(by(a, c), by(b, d));
  const across = [d === null ? null : by(a, d), b === null ? null : by(b, c)].filter((each) => each !== null);
  const im = across.reduce((sum, each) => add(sum, each));
  return castTo(add(re, multiply(im, new Complex(0, 1))), dtype);
}

const partsOf = (x: LazyArray): readonly [LazyArray, LazyArray | null] =>
  isComplex(x.dtype) ? [real(x), imag(x)] : [x, null];

function checkBoth(given: Operand, by: Operand): readonly [LazyArray, LazyArray] {
  const [x, weights] = [asLazy(given), asLazy(by)];
  if (x.ndim !== weights.ndim || x.ndim === 0 || x.size === 0 || weights.size === 0)
    throw new ShapeError({
      what: `an array of shape ${shapeText(x.shape)} and weights of shape ${shapeText(weights.shape)}`,
      cure: "Both need the same number of axes, 1 or more, and elements",
    });
  return [x, weights];
}

/** How far windows reach beyond the ends, along an axis. */
function reachIn(mode: unknown, length: number): readonly [number, number] {
  if (mode === "full") return [length - 1, length - 1];
  if (mode === "valid") return [0, 0];
  if (mode === "same") return [Math.floor(length / 2), length - 1 - Math.floor(length / 2)];
  throw new ValueError({ what: `mode is ${describe(mode)}`, cure: 'Use "full", "same" or "valid"' });
}

function amongZeros(x: LazyArray, weights: LazyArray, mode: unknown): LazyArray {
  const reach = weights.shape.map((length) => reachIn(mode, length));
  const around = bordered(x, { reach, modes: reach.map(() => "constant"), cval: 0 });
  const long = weights.shape.findIndex((length, axis) => length > around.shape[axis]!);
  if (long >= 0)
    throw new ShapeError({
      what: `weights of ${weights.shape[long]} do not fit along axis ${long} of shape ${shapeText(x.shape)}`,
      cure: "Use shorter weights, or another mode",
    });
  return sums(around, weights);
}

function withBorders(
  x: LazyArray,
  weights: LazyArray,
  options: ConvolveOptions,
  isTurned: boolean,
): LazyArray {
  if (options.mode !== undefined)
    throw new ValueError({ what: "both mode and boundary are given", cure: "Give one of them" });
  const origins = perAxis(options.origin ?? 0, x.ndim, "origin");
  // Turned round, the middle of a window of even length is on the other side.
  const moved = weights.shape.map((length, axis) =>
    isTurned ? -origins[axis]! - (length % 2 === 0 ? 1 : 0) : origins[axis]!,
  );
  const reach = weights.shape.map((length, axis) => reachOf(length, moved[axis]!));
  const modes = checkModes(options.boundary, x.ndim);
  return sums(bordered(x, { reach, modes, cval: options.cval ?? 0 }), weights);
}

const isLonger = (a: LazyArray, b: LazyArray): boolean => a.ndim === 1 && b.shape[0]! > a.shape[0]!;

/** Σ x[i − j]·weights[j], every window unless told otherwise, as NumPy's: `cw.convolve([1, 2, 3], [0, 1, 0.5])`. */
export const convolve: ConvolveFunction = userCall(
  "convolve",
  (given: Operand, by: Operand, options: ConvolveOptions = {}): Built => {
    const [x, weights] = checkBoth(given, by);
    if (options.boundary !== undefined) return withBorders(x, flip(weights), options, true) as Built;
    const [long, short] = isLonger(x, weights) ? [weights, x] : [x, weights];
    return amongZeros(long, flip(short), options.mode ?? "full") as Built;
  },
  OPTIONS,
);

/** Σ x[i + j]·conj(weights[j]), the windows inside unless told otherwise, as NumPy's: `cw.correlate([1, 2, 3], [0, 1, 0.5])`. */
export const correlate: ConvolveFunction = userCall(
  "correlate",
  (given: Operand, by: Operand, options: ConvolveOptions = {}): Built => {
    const [x, weights] = checkBoth(given, by);
    const own = isComplex(weights.dtype) ? conj(weights) : weights;
    if (options.boundary !== undefined) return withBorders(x, own, options, false) as Built;
    if (!isLonger(x, own)) return amongZeros(x, own, options.mode ?? "valid") as Built;
    return flip(amongZeros(own, x, options.mode ?? "valid")) as Built;
  },
  OPTIONS,
);
