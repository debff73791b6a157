// Complex arithmetic, tests and comparisons as scalar bodies.
// In: complex terms of float32 or float64 parts. Out: complex terms, or one term (abs, tests).
// Must hold: sums, products and quotients round as NumPy's do: the textbook formulas and Smith's division,
// in the precision of the parts. There is no recovery of infinities from NaNs (C's one-infinity model).

import type { ComplexTerm, Term } from "../scalar.ts";
import * as s from "../scalar.ts";
import { anyInf, type ComplexBinary, type ComplexUnary, double, inDouble, midRange } from "./double.ts";

export const add: ComplexBinary = (z, w) => ({ re: s.add(z.re, w.re), im: s.add(z.im, w.im) });

export const subtract: ComplexBinary = (z, w) => ({ re: s.sub(z.re, w.re), im: s.sub(z.im, w.im) });

/** (a + bi)(c + di) = (ac − bd) + (ad + bc)i. */
export const multiply: ComplexBinary = ({ re: a, im: b }, { re: c, im: d }) => ({
  re: s.sub(s.mul(a, c), s.mul(b, d)),
  im: s.add(s.mul(a, d), s.mul(b, c)),
});

export const square: ComplexUnary = (z) => multiply(z, z);

export const negative: ComplexUnary = ({ re, im }) => ({ re: s.neg(re), im: s.neg(im) });

export const conj: ComplexUnary = ({ re, im }) => ({ re, im: s.neg(im) });

/** Smith's view of a divisor c + di: p is its larger part, q the other. */
interface Divisor {
  /** |c| < |d|: p is the imaginary part. */
  readonly swapped: Term;
  readonly isZero: Term;
  /** q/p, at most 1 in size. */
  readonly ratio: Term;
  /** p + q²/p = (c² + d²)/p; |c| where the divisor is zero, so that x/0 keeps the sign of x. */
  readonly scale: Term;
}

function divisorOf({ re: c, im: d }: ComplexTerm): Divisor {
  const swapped = s.not(s.ge(s.abs(c), s.abs(d)));
  const p = s.select(swapped, d, c);
  const q = s.select(swapped, c, d);
  const isZero = s.and(s.isZero(c), s.isZero(d));
  const ratio = s.div(q, p);
  return { swapped, isZero, ratio, scale: s.select(isZero, s.abs(p), s.add(p, s.mul(q, ratio))) };
}

/**
 * Smith, r = q/p and m = p + qr:
 * |c| ≥ |d|: ((a + br) + (b − ar)i)/m;  otherwise: ((ar + b) + (br − a)i)/m;  by zero: (a + bi)/|0|.
 */
export const divide: ComplexBinary = ({ re: a, im: b }, w) => {
  const { swapped, isZero, ratio, scale } = divisorOf(w);
  const first = s.select(swapped, b, a);
  const second = s.select(swapped, a, b);
  const product = s.mul(first, ratio);
  const re = s.add(first, s.mul(second, ratio));
  // Two operand selects, not a negation: where the difference is zero it is +0 both ways.
  const im = s.sub(s.select(swapped, product, second), s.select(swapped, second, product));
  return { re: s.div(s.select(isZero, a, re), scale), im: s.div(s.select(isZero, b, im), scale) };
};

/** 1/z: `divide` with a = 1, b = 0. */
export const reciprocal: ComplexUnary = (z) => {
  const { swapped, isZero, ratio, scale } = divisorOf(z);
  const [none, unit] = [s.zero(ratio.type), s.one(ratio.type)];
  // + 0 as in `divide`, where −0·1 + 0 is +0; zero is not swapped.
  const re = s.select(swapped, s.add(ratio, none), unit);
  const im = s.select(swapped, s.neg(unit), s.sub(none, ratio));
  return { re: s.div(re, scale), im: s.div(s.select(isZero, none, im), scale) };
};

export const abs = ({ re, im }: ComplexTerm): Term => s.hypot(re, im);

/** z/|z|; 0 for 0. One infinite part leaves its direction, two leave none: NaN (as NumPy 2). */
export const sign: ComplexUnary = inDouble((z) => {
  const { x, y } = midRange(direction(z.re, z.im), direction(z.im, z.re));
  const length = s.sqrt(s.add(s.mul(x, x), s.mul(y, y)));
  const part = (w: Term): Term => s.select(s.isZero(length), double(0), s.div(w, length));
  return { re: part(x), im: part(y) };
});

/** A part of a finite number as it is; of an infinite one ±1 if infinite, else 0. NaN beside it stays NaN. */
function direction(part: Term, other: Term): Term {
  const unit = s.add(s.copysign(double(1), part), s.mul(other, double(0)));
  const nothing = s.mul(s.abs(part), double(0));
  return s.select(s.isInf(part), unit, s.select(s.isInf(other), nothing, part));
}

/** Each part to the nearest whole number, ties to even. */
export const round: ComplexUnary = ({ re, im }) => ({ re: s.nearest(re), im: s.nearest(im) });

export const isnan = ({ re, im }: ComplexTerm): Term => s.or(s.isNaN_(re), s.isNaN_(im));

export const isinf = (z: ComplexTerm): Term => anyInf(z);

export const isfinite = ({ re, im }: ComplexTerm): Term => s.and(s.isFinite_(re), s.isFinite_(im));

export const equal = (z: ComplexTerm, w: ComplexTerm): Term => s.and(s.eq(z.re, w.re), s.eq(z.im, w.im));

export const notEqual = (z: ComplexTerm, w: ComplexTerm): Term => s.or(s.ne(z.re, w.re), s.ne(z.im, w.im));

/** NaN is not zero. */
export const nonZero = ({ re, im }: ComplexTerm): Term => s.or(s.nonZero(re), s.nonZero(im));
