// Arrays that are nearly the same, and numbers that are none. In: arrays. Out: masks, single truths, and arrays without NaN.

import { checkAxisList, checkInteger, sameShape } from "../../core/chunks.ts";
import { type DType, isComplex, isFloat } from "../../core/dtype.ts";
import { AxisError } from "../../core/errors.ts";
import { Complex } from "../../core/numbers.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import {
  abs,
  add,
  equal,
  imag,
  isfinite,
  isnan,
  lessEqual,
  logicalAnd,
  logicalOr,
  multiply,
  real,
  subtract,
  where,
} from "../../ops/elementwise/index.ts";
import { all } from "../../ops/reductions.ts";
import { full } from "../functions/creation.ts";
import { flip, permuteDims } from "../functions/manipulation.ts";

/** Options of `cw.isclose` and `cw.allclose`. */
export interface CloseOptions {
  /** How far apart, as a share of the second; 1e-5 unless given. */
  readonly rtol?: number | undefined;
  /** How far apart in any case; 1e-8 unless given. */
  readonly atol?: number | undefined;
  /** NaN is close to NaN. */
  readonly equalNan?: boolean | undefined;
}

function close(
  a: Operand,
  b: Operand,
  { rtol = 1e-5, atol = 1e-8, equalNan = false }: CloseOptions,
): LazyArray {
  const [x, y] = [asLazy(a), asLazy(b)];
  const near = lessEqual(
    abs(subtract(floating(x), floating(y))),
    add(multiply(abs(floating(y)), rtol), atol),
  );
  // Infinities are close to themselves alone.
  const found = where(logicalAnd(isfinite(x), isfinite(y)), near, equal(x, y));
  return equalNan ? logicalOr(found, logicalAnd(isnan(x), isnan(y))) : found;
}

const floating = (x: LazyArray): LazyArray =>
  isComplex(x.dtype) || isFloat(x.dtype) ? x : castTo(x, "float64");

const CLOSE = [2, "rtol", "atol", "equalNan"] as const;

/** |a − b| ≤ atol + rtol·|b|, place by place: `cw.isclose([1, 2], [1 + 1e-9, 2.1])` is [true, false]. */
export const isclose: (a: Operand, b: Operand, options?: CloseOptions) => LazyArray<"bool"> = userCall(
  "isclose",
  (a: Operand, b: Operand, options: CloseOptions = {}): Built => close(a, b, options) as Built,
  CLOSE,
);

/** Whether all are: `await cw.allclose(x, y).compute()`. */
export const allclose: (a: Operand, b: Operand, options?: CloseOptions) => LazyArray<"bool"> = userCall(
  "allclose",
  (a: Operand, b: Operand, options: CloseOptions = {}): Built => all(close(a, b, options)) as Built,
  CLOSE,
);

/** Options of `cw.arrayEqual`. */
export interface ArrayEqualOptions {
  /** NaN equals NaN. */
  readonly equalNan?: boolean | undefined;
}

/** Whether two arrays have one shape and the same elements: `await cw.arrayEqual(x, y).compute()`. */
export const arrayEqual: (a: Operand, b: Operand, options?: ArrayEqualOptions) => LazyArray<"bool"> =
  userCall(
    "arrayEqual",
    (a: Operand, b: Operand, { equalNan = false }: ArrayEqualOptions = {}): Built => {
      const [x, y] = [asLazy(a), asLazy(b)];
      if (!sameShape(x.shape, y.shape)) return full([], false, { dtype: "bool" }) as Built;
      const same = equal(x, y);
      return all(equalNan ? logicalOr(same, logicalAnd(isnan(x), isnan(y))) : same) as Built;
    },
    [2, "equalNan"],
  );

/** Options of `cw.nanToNum`. */
export interface NanToNumOptions {
  /** What stands for NaN; 0 unless given. */
  readonly nan?: number | undefined;
  /** What stands for infinity; the largest number of the dtype unless given. */
  readonly posinf?: number | null | undefined;
  /** What stands for −infinity; the least number of the dtype unless given. */
  readonly neginf?: number | null | undefined;
}

/** The largest finite number. */
const LARGEST: { readonly [D in DType]?: number } = {
  float16: 65504,
  float32: 2 ** 127 * (2 - 2 ** -23),
  float64: Number.MAX_VALUE,
};

/** Numbers for what is none, and for infinities: `cw.nanToNum([1, NaN], {nan: -1})` is [1, -1]. */
export const nanToNum: ArrayFunction<"same", [options?: NanToNumOptions]> = userCall(
  "nanToNum",
  (given: Operand, { nan = 0, posinf, neginf }: NanToNumOptions = {}): Built => {
    const x = asLazy(given);
    const of = (part: LazyArray): LazyArray => {
      const most = LARGEST[part.dtype] ?? 0;
      const high = where(equal(part, Number.POSITIVE_INFINITY), posinf ?? most, part);
      const low = where(equal(part, Number.NEGATIVE_INFINITY), neginf ?? -most, high);
      return castTo(where(isnan(part), nan, low), part.dtype);
    };
    if (isComplex(x.dtype))
      return castTo(add(of(real(x)), multiply(of(imag(x)), new Complex(0, 1))), x.dtype) as Built;
    return (isFloat(x.dtype) ? of(x) : x) as Built;
  },
  [1, "nan", "posinf", "neginf"],
);

/** Options of `cw.rot90`. */
export interface Rot90Options {
  /** How many quarter turns; 1 unless given. */
  readonly k?: number | undefined;
  /** In the plane of two axes, from the first towards the second; the first two unless given. */
  readonly axes?: readonly [number, number] | undefined;
}

/** Turned by quarters: `cw.rot90([[1, 2], [3, 4]])` is [[2, 4], [1, 3]]. */
export const rot90: ArrayFunction<"same", [options?: Rot90Options]> = userCall(
  "rot90",
  (given: Operand, { k = 1, axes = [0, 1] }: Rot90Options = {}): Built => {
    const x = asLazy(given);
    if (axes.length !== 2)
      throw new AxisError({ what: `${axes.length} axes make no plane`, cure: "Name two" });
    const [from, to] = checkAxisList(axes, x.ndim) as [number, number];
    const turns = ((checkInteger(k, "k") % 4) + 4) % 4;
    const swapped = (array: LazyArray): LazyArray =>
      permuteDims(
        array,
        array.shape.map((_, axis) => (axis === from ? to : axis === to ? from : axis)),
      );
    if (turns === 0) return x as Built;
    if (turns === 2) return flip(x, { axis: [from, to] }) as Built;
    return (turns === 1 ? swapped(flip(x, { axis: to })) : flip(swapped(x), { axis: to })) as Built;
  },
  [1, "k", "axes"],
);
