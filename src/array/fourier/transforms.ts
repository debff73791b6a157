// cw.fft: discrete Fourier transforms along one axis. In: arrays, of any length along it, and how the result is scaled. Out: lazy arrays
// of the complex dtype that belongs to the operand's, or of the real one. The axis is whole in a task, others are cut.

import { type AxisName, checkAxis, describe } from "../../core/chunks.ts";
import { type DType, isComplex, resultOf } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { promote } from "../../core/numbers.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { conj, multiply, real } from "../../ops/elementwise/index.ts";
import { fourier } from "../../ops/fourier.ts";
import { partAlong } from "../chunked.ts";
import { zeros } from "../functions/creation.ts";
import { concat } from "../functions/joining.ts";
import { flip, moveaxis } from "../functions/manipulation.ts";
import { rowsOf, transformedInSteps } from "./longLines.ts";

/** Which way is scaled: the inverse by 1/n ("backward"), both by 1/√n ("ortho"), the other one by 1/n ("forward"). */
export type FourierNorm = "backward" | "ortho" | "forward";

/** Options of transforms along one axis. */
export interface FourierOptions {
  /** How long the axis is taken to be: cut, or followed by zeros. */
  readonly n?: number | null | undefined;
  /** Along which axis; the last unless given. */
  readonly axis?: AxisName | undefined;
  /** "backward" unless given. */
  readonly norm?: FourierNorm | undefined;
}

export type ComplexArray = LazyArray<"complex64" | "complex128">;
export type RealArray = LazyArray<"float32" | "float64">;

/** Complex numbers of the precision that an operand has: float32 and complex64 stay so. */
const complexOf = (dtype: DType): DType => promote(resultOf(dtype, "floating"), "complex64");
const realOf = (dtype: DType): DType => (complexOf(dtype) === "complex64" ? "float32" : "float64");

/** The share that a direction is multiplied with. */
export function scaleOf(norm: unknown, n: number, isInverse: boolean): number {
  if (norm === "ortho") return 1 / Math.sqrt(n);
  if (norm !== "backward" && norm !== "forward")
    throw new ValueError({ what: `norm is ${describe(norm)}`, cure: 'Use "backward", "ortho" or "forward"' });
  return (norm === "backward") === isInverse ? 1 / n : 1;
}

export function checkLength(n: unknown): number {
  if (Number.isSafeInteger(n) && (n as number) > 0) return n as number;
  throw new ShapeError({ what: `n is ${describe(n)}`, cure: "A transform needs a length of 1 or more" });
}

/** The axis as long as is asked for. */
export function resized(x: LazyArray, axis: number, n: number): LazyArray {
  const length = x.shape[axis]!;
  if (length === n) return x;
  if (length > n) return partAlong(x, axis, 0, n);
  return concat([x, zeros(x.shape.with(axis, n - length), { dtype: x.dtype })], { axis });
}

/** Along an axis, scaled. */
export function transformed(x: LazyArray, axis: number, isInverse: boolean, scale: number): LazyArray {
  const last = moveaxis(castTo(x, "complex128"), axis, -1);
  const rows = rowsOf(last.shape.at(-1)!);
  const lines =
    rows === null ? node(fourier, [last], { inverse: isInverse }) : transformedInSteps(last, isInverse, rows);
  const found = moveaxis(lines, -1, axis);
  return castTo(scale === 1 ? found : multiply(found, scale), complexOf(x.dtype));
}

/** What is along which axis, and how long. */
function placed(
  given: Operand,
  { n, axis = -1 }: FourierOptions,
): { x: LazyArray; at: number; length: number } {
  const x = asLazy(given);
  const at = checkAxis(axis, x.ndim);
  if (x.dtype === "bool") throw new DTypeError({ what: "bool has no transform", cure: "Cast to a number" });
  return { x, at, length: checkLength(n ?? x.shape[at]) };
}

const OPTIONS = [1, "n", "axis", "norm"] as const;

type ComplexTransform = (x: Operand, options?: FourierOptions) => ComplexArray;
type RealTransform = (x: Operand, options?: FourierOptions) => RealArray;

const complexTransform = (name: string, isInverse: boolean): ComplexTransform =>
  userCall(
    name,
    (given: Operand, options: FourierOptions = {}): Built => {
      const { x, at, length } = placed(given, options);
      const scale = scaleOf(options.norm ?? "backward", length, isInverse);
      return transformed(resized(x, at, length), at, isInverse, scale) as Built;
    },
    OPTIONS,
  );

/** X[k] = Σ x[j]·e^(−2πi·jk/n): `cw.fft.fft([1, 0, 0, 0])` is all 1. */
export const fft: ComplexTransform = complexTransform("fft", false);
/** The inverse of fft: `cw.fft.ifft(cw.fft.fft(x))` is x. */
export const ifft: ComplexTransform = complexTransform("ifft", true);

export function checkReal(x: LazyArray): void {
  if (isComplex(x.dtype))
    throw new DTypeError({ what: `${x.dtype} is not real`, cure: "Use fft, or real(x)" });
}

/** The first ⌊n/2⌋ + 1 numbers of fft of real ones, of which the others are conjugates: `cw.fft.rfft([1, 2, 3, 4])`. */
export const rfft: ComplexTransform = userCall(
  "rfft",
  (given: Operand, options: FourierOptions = {}): Built => {
    const { x, at, length } = placed(given, options);
    checkReal(x);
    const scale = scaleOf(options.norm ?? "backward", length, false);
    return half(transformed(resized(x, at, length), at, false, scale), at, length);
  },
  OPTIONS,
);

export const half = (x: LazyArray, axis: number, n: number): Built =>
  partAlong(x, axis, 0, Math.floor(n / 2) + 1);

/** The real numbers whose rfft these are; n tells whether their count is even: `cw.fft.irfft(cw.fft.rfft(x), {n: 5})`. */
export const irfft: RealTransform = userCall(
  "irfft",
  (given: Operand, options: FourierOptions = {}): Built => {
    const { x, at } = placed(given, { ...options, n: 1 });
    const length = checkLength(options.n ?? 2 * (x.shape[at]! - 1));
    return realInverse(x, at, length, scaleOf(options.norm ?? "backward", length, true));
  },
  OPTIONS,
);

/** With the conjugates of what is left out. */
export function realInverse(x: LazyArray, axis: number, n: number, scale: number): Built {
  const count = Math.floor(n / 2) + 1;
  const head = resized(x, axis, count);
  const tail = flip(conj(castTo(partAlong(head, axis, 1, n - count), complexOf(x.dtype))), { axis });
  const whole = n === count ? head : concat([castTo(head, complexOf(x.dtype)), tail], { axis });
  return castTo(
    real(transformed(castTo(whole, complexOf(x.dtype)), axis, true, scale)),
    realOf(x.dtype),
  ) as Built;
}

const OTHER: { readonly [norm: string]: FourierNorm } = {
  backward: "forward",
  forward: "backward",
  ortho: "ortho",
};
const otherNorm = (norm: FourierNorm = "backward"): FourierNorm => OTHER[norm] ?? norm;

/** fft of what is its own mirror's conjugate, of which the first half is given: real numbers. `cw.fft.hfft([1, 2, 3])`. */
export const hfft: RealTransform = userCall(
  "hfft",
  (given: Operand, options: FourierOptions = {}): Built => {
    const x = asLazy(given);
    return irfft(isComplex(x.dtype) ? conj(x) : x, {
      ...options,
      norm: otherNorm(options.norm),
    }) as LazyArray as Built;
  },
  OPTIONS,
);

/** The inverse of hfft: `cw.fft.ihfft(cw.fft.hfft(x))`. */
export const ihfft: ComplexTransform = userCall(
  "ihfft",
  (given: Operand, options: FourierOptions = {}): Built =>
    conj(rfft(given, { ...options, norm: otherNorm(options.norm) })) as LazyArray as Built,
  OPTIONS,
);
