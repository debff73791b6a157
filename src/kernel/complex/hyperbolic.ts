// Hyperbolic functions of complex numbers and their inverses as scalar bodies.
// In: complex terms. Out: complex terms with the special values of C99 Annex G and the array API standard.
// Must hold: f(conj z) = conj f(z); sinh, tanh, asinh, atanh are odd and cosh is even, zeros included.

import type { ComplexTerm, Term } from "../scalar.ts";
import * as s from "../scalar.ts";
import { acosParts, asinParts, atanhParts } from "./arc.ts";
import { type ComplexUnary, double, inDouble, zeroLike } from "./double.ts";
import { LARGE, SHIFT } from "./exponential.ts";

interface Growth {
  /** 2·sinh|x| / factor and 2·cosh x / factor. */
  readonly sinh: Term;
  readonly cosh: Term;
  /** Includes the ½. */
  readonly factor: Term;
}

/**
 * With t = e^|x| − 1: 2 sinh|x| = t + t/(t + 1), 2 cosh x = (t + 1) + 1/(t + 1): one exponential for both.
 * Beyond LARGE both are e^|x|, split so that a product with a small sine does not overflow first.
 */
function growth(x: Term): Growth {
  const size = s.abs(x);
  const large = s.gt(size, double(LARGE));
  const t = s.expm1(s.sub(size, s.select(large, double(SHIFT), double(0))));
  const e = s.add(t, double(1));
  return {
    sinh: s.add(t, s.select(large, double(0), s.div(t, e))),
    cosh: s.add(e, s.div(double(1), e)),
    factor: s.select(large, double(Math.exp(SHIFT) / 2), double(0.5)),
  };
}

/** sinh(x + iy) = sinh x cos y + i cosh x sin y. */
export const sinh: ComplexUnary = inDouble(({ re: x, im: y }) => {
  const { sinh, cosh, factor } = growth(x);
  // Beside x = 0 and x = ±∞ the real part does not need to know y.
  const certain = s.and(s.not(s.isFinite_(y)), s.or(s.isZero(x), s.isInf(x)));
  const cos = s.select(certain, double(1), s.cos(y));
  return {
    re: s.mul(s.mul(s.copysign(sinh, x), cos), factor),
    im: s.select(s.isZero(y), y, s.mul(s.mul(cosh, s.sin(y)), factor)),
  };
});

/** cosh(x + iy) = cosh x cos y + i sinh x sin y. */
export const cosh: ComplexUnary = inDouble(({ re: x, im: y }) => {
  const { sinh, cosh, factor } = growth(x);
  const lost = s.not(s.isFinite_(y));
  const cos = s.select(s.and(lost, s.isInf(x)), double(1), s.cos(y));
  const vanishes = s.or(s.isZero(y), s.and(lost, s.isZero(x)));
  const nothing = s.select(lost, double(0), s.mul(zeroLike(x), y));
  return {
    re: s.mul(s.mul(cosh, cos), factor),
    im: s.select(vanishes, nothing, s.mul(s.mul(s.copysign(sinh, x), s.sin(y)), factor)),
  };
});

/**
 * With w = e^(−2|x|), m = 1 − w and d = m² + 4w cos² y (which does not cancel):
 * tanh(x + iy) = ±m(1 + w)/d + i·4w sin y cos y/d.
 */
export const tanh: ComplexUnary = inDouble(({ re: x, im: y }) => {
  // At x = ±∞ the result is ±1 ± 0i whatever y is.
  const angle = s.select(s.isInf(x), zeroLike(y), y);
  const cos = s.cos(angle);
  const t = s.expm1(s.mul(s.abs(x), double(2)));
  const w = s.div(double(1), s.add(t, double(1)));
  const m = s.select(s.gt(t, double(2 ** 60)), double(1), s.mul(t, w));
  const share = s.mul(s.mul(w, double(4)), cos);
  const d = s.add(s.mul(m, m), s.mul(share, cos));
  const re = s.div(s.mul(m, s.add(w, double(1))), d);
  return {
    re: s.select(s.isZero(x), x, s.copysign(re, x)),
    im: s.select(s.isZero(y), y, s.div(s.mul(share, s.sin(angle)), d)),
  };
});

/** asinh(x + iy) = η + iξ where asin(y + ix) = ξ + iη. */
export const asinh: ComplexUnary = inDouble(({ re, im }) => {
  const { re: xi, im: eta } = asinParts({ re: im, im: re });
  return { re: eta, im: xi };
});

/** acosh z = ±i acos z, the sign making the real part positive. */
export const acosh: ComplexUnary = inDouble((z: ComplexTerm) => {
  const { re, im } = acosParts(z);
  return { re: s.abs(im), im: s.copysign(re, z.im) };
});

export const atanh: ComplexUnary = inDouble(atanhParts);
