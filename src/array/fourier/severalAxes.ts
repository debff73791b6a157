// cw.fft: transforms along several axes, one after another, and what goes with their results: frequencies and shifts.

import { checkAxes, checkAxisList, describe } from "../../core/chunks.ts";
import { DEFAULT_FLOAT, type DType, isFloat } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { type Built, castTo, checkDType } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { less, multiply, subtract, where } from "../../ops/elementwise/index.ts";
import type { CreationOptions } from "../functions/creation.ts";
import { arange } from "../functions/ranges.ts";
import { roll } from "../functions/repeating.ts";
import {
  type ComplexArray,
  checkLength,
  checkReal,
  type FourierNorm,
  half,
  type RealArray,
  realInverse,
  resized,
  scaleOf,
  transformed,
} from "./transforms.ts";

/** Options of transforms along several axes. */
export interface FourierAxesOptions {
  /** How long each axis is taken to be: cut, or followed by zeros. */
  readonly s?: readonly number[] | null | undefined;
  /** Along which axes; all of them, or the last where s has fewer, unless given. */
  readonly axes?: readonly number[] | null | undefined;
  /** "backward" unless given. */
  readonly norm?: FourierNorm | undefined;
}

interface Axes {
  readonly x: LazyArray;
  readonly axes: readonly number[];
  /** Of each; null: as it is. */
  readonly lengths: readonly (number | null)[];
  readonly norm: FourierNorm;
}

function axesOf(given: Operand, { s, axes, norm = "backward" }: FourierAxesOptions): Axes {
  const x = asLazy(given);
  if (x.dtype === "bool") throw new DTypeError({ what: "bool has no transform", cure: "Cast to a number" });
  const count = Array.isArray(s) ? s.length : x.ndim;
  const last = Array.from({ length: count }, (_, i) => i - count);
  const along = checkAxisList([...(axes ?? last)], x.ndim);
  if (s !== null && s !== undefined && (!Array.isArray(s) || s.length !== along.length))
    throw new ValueError({
      what: `s is ${describe(s)} for ${along.length} axes`,
      cure: "Give a length for each axis",
    });
  if (along.length === 0) throw new ValueError({ what: "no axis is named", cure: "Name at least one" });
  return {
    x,
    axes: along,
    lengths: along.map((_, i) => (s === null || s === undefined ? null : checkLength(s[i]))),
    norm,
  };
}

const alongEach = (
  x: LazyArray,
  { axes, lengths, norm }: Pick<Axes, "axes" | "lengths" | "norm">,
  isInverse: boolean,
): LazyArray =>
  axes.reduce((from, axis, i) => {
    const n = checkLength(lengths[i] ?? from.shape[axis]);
    return transformed(resized(from, axis, n), axis, isInverse, scaleOf(norm, n, isInverse));
  }, x);

const OPTIONS = [1, "s", "axes", "norm"] as const;
type ComplexTransform = (x: Operand, options?: FourierAxesOptions) => ComplexArray;

const several = (name: string, isInverse: boolean): ComplexTransform =>
  userCall(
    name,
    (given: Operand, options: FourierAxesOptions = {}): Built => {
      const axes = axesOf(given, options);
      return alongEach(axes.x, axes, isInverse) as Built;
    },
    OPTIONS,
  );

/** fft along several axes: `cw.fft.fftn(x, {axes: [0, 1]})`. */
export const fftn: ComplexTransform = several("fftn", false);
/** ifft along several axes: `cw.fft.ifftn(x)`. */
export const ifftn: ComplexTransform = several("ifftn", true);

/** rfft along the last of several axes, fft along the others: `cw.fft.rfftn(x)`. */
export const rfftn: ComplexTransform = userCall(
  "rfftn",
  (given: Operand, options: FourierAxesOptions = {}): Built => {
    const { x, axes, lengths, norm } = axesOf(given, options);
    checkReal(x);
    const last = axes.at(-1)!;
    const n = checkLength(lengths.at(-1) ?? x.shape[last]);
    const first = half(transformed(resized(x, last, n), last, false, scaleOf(norm, n, false)), last, n);
    return alongEach(first, { axes: axes.slice(0, -1), lengths: lengths.slice(0, -1), norm }, false) as Built;
  },
  OPTIONS,
);

/** The real array whose rfftn this is: `cw.fft.irfftn(cw.fft.rfftn(x), {s: [4, 5]})`. */
export const irfftn: (x: Operand, options?: FourierAxesOptions) => RealArray = userCall(
  "irfftn",
  (given: Operand, options: FourierAxesOptions = {}): Built => {
    const { x, axes, lengths, norm } = axesOf(given, options);
    const last = axes.at(-1)!;
    const n = checkLength(lengths.at(-1) ?? 2 * (x.shape[last]! - 1));
    const others = alongEach(x, { axes: axes.slice(0, -1), lengths: lengths.slice(0, -1), norm }, true);
    return realInverse(others, last, n, scaleOf(norm, n, true));
  },
  OPTIONS,
);

/** Options of `cw.fft.fftfreq` and `cw.fft.rfftfreq`. */
export interface FrequencyOptions<E extends DType = DType> extends CreationOptions<E> {
  /** How far samples are apart; 1 unless given. */
  readonly d?: number | undefined;
}

type Frequencies = <E extends "float32" | "float64" = "float64">(
  n: number,
  options?: FrequencyOptions<E>,
) => LazyArray<E>;

const frequencies = (name: string, isHalf: boolean): Frequencies =>
  userCall(
    name,
    (n: number, { d = 1, dtype, chunks }: FrequencyOptions = {}): Built => {
      const length = checkLength(n);
      if (typeof d !== "number" || d === 0 || !Number.isFinite(d))
        throw new ValueError({ what: `d is ${describe(d)}`, cure: "Use a number other than 0" });
      const kind = dtype === undefined ? DEFAULT_FLOAT : checkDType(dtype);
      if (!isFloat(kind))
        throw new DTypeError({ what: `frequencies are not ${kind}`, cure: "Use a floating dtype" });
      const place = arange(isHalf ? Math.floor(length / 2) + 1 : length, { dtype: DEFAULT_FLOAT, chunks });
      const turned = isHalf
        ? place
        : where(less(place, Math.ceil(length / 2)), place, subtract(place, length));
      return castTo(multiply(turned, 1 / (length * d)), kind) as Built;
    },
    [1, "d", "dtype", "chunks"],
  );

/** The frequencies of fft's numbers: `cw.fft.fftfreq(4)` is [0, 0.25, −0.5, −0.25]. */
export const fftfreq: Frequencies = frequencies("fftfreq", false);
/** The frequencies of rfft's numbers: `cw.fft.rfftfreq(4)` is [0, 0.25, 0.5]. */
export const rfftfreq: Frequencies = frequencies("rfftfreq", true);

/** Options of `cw.fft.fftshift` and `cw.fft.ifftshift`. */
export interface ShiftOptions {
  /** Along which axes; all of them unless given. */
  readonly axes?: number | readonly number[] | null | undefined;
}

type Shift = <const A extends Operand>(x: A, options?: ShiftOptions) => LazyArray<ArrayDType<A>>;

const shifting = (name: string, by: (n: number) => number): Shift =>
  userCall(
    name,
    (given: Operand, { axes }: ShiftOptions = {}): Built => {
      const x = asLazy(given);
      const along = checkAxes(axes, x.ndim);
      if (along.length === 0) return x as Built;
      return roll(
        x,
        along.map((axis) => by(x.shape[axis]!)),
        { axis: along },
      ) as Built;
    },
    [1, "axes"],
  );

/** Frequency 0 to the middle: `cw.fft.fftshift([0, 1, 2, -2, -1])` is [−2, −1, 0, 1, 2]. */
export const fftshift: Shift = shifting("fftshift", (n) => Math.floor(n / 2));
/** And back: `cw.fft.ifftshift(cw.fft.fftshift(x))`. */
export const ifftshift: Shift = shifting("ifftshift", (n) => -Math.floor(n / 2));
