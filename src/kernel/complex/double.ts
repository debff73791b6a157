// What the complex bodies share: the way into double precision, and a few tests and constants there.
// In: complex terms of float32 or float64 parts. Out: the same, computed in float64.
// Must hold: a body under `inDouble` only ever sees float64 parts, so its constants have one type.

import {
  abs,
  type ComplexTerm,
  constant,
  convert,
  copysign,
  gt,
  isInf,
  isNaN_,
  lt,
  max,
  mul,
  neg,
  one,
  or,
  select,
  type Term,
  zero,
} from "../scalar.ts";

export type ComplexUnary = (z: ComplexTerm) => ComplexTerm;
export type ComplexBinary = (z: ComplexTerm, w: ComplexTerm) => ComplexTerm;

const convertParts = ({ re, im }: ComplexTerm, type: "float32" | "float64"): ComplexTerm => ({
  re: convert(re, type),
  im: convert(im, type),
});

const partType = (z: ComplexTerm): "float32" | "float64" => (z.re.type === "float32" ? "float32" : "float64");

/** One set of constants serves both precisions, and float32 results are almost always correctly rounded. */
export const inDouble =
  (body: ComplexUnary): ComplexUnary =>
  (z) =>
    convertParts(body(convertParts(z, "float64")), partType(z));

export const inDoubleBinary =
  (body: ComplexBinary): ComplexBinary =>
  (z, w) =>
    convertParts(body(convertParts(z, "float64"), convertParts(w, "float64")), partType(z));

/** −i·f(i·z): how sin, tan, asin and atan follow from sinh, tanh, asinh and atanh, zeros' signs included. */
export const turned =
  (body: ComplexUnary): ComplexUnary =>
  (z) => {
    const { re, im } = body(timesI(z));
    return { re: im, im: neg(re) };
  };

/** i·(x + iy) = −y + ix. */
export const timesI = ({ re, im }: ComplexTerm): ComplexTerm => ({ re: neg(im), im: re });

export const double = (value: number): Term => constant("float64", value);

export const half = (x: Term): Term => mul(x, double(0.5));

/** `size` with the sign of x, which may be NaN: it counts as positive, as JavaScript cannot see its sign bit. */
export const withSign = (size: Term, x: Term): Term => copysign(size, select(isNaN_(x), one(x.type), x));

/** A zero with the sign of x. */
export const zeroLike = (x: Term): Term => withSign(zero(x.type), x);

/** C's notion of an infinite complex number: one infinite part is enough, NaN beside it or not. */
export const anyInf = ({ re, im }: ComplexTerm): Term => or(isInf(re), isInf(im));

/** Smallest positive double: max(x, TINY) keeps 0/0 out of quotients whose numerator is then 0 too. */
export const TINY = 5e-324;

/** x and y times one power of two under which x² + y² neither overflows nor loses its larger square. */
export function midRange(x: Term, y: Term): { x: Term; y: Term; huge: Term; tiny: Term } {
  const size = max(abs(x), abs(y));
  const huge = gt(size, double(2 ** 500));
  const tiny = lt(size, double(2 ** -500));
  const scale = select(huge, double(2 ** -600), select(tiny, double(2 ** 600), double(1)));
  return { x: mul(x, scale), y: mul(y, scale), huge, tiny };
}
