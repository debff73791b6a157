// Hyperbolic functions of complex numbers and their inverses as scalar bodies.
// In: complex terms. Out: complex terms with the special values of C99 Annex G and the array API standard.
// Must hold: f(conj z) = conj f(z); sinh, tanh, asinh, atanh are odd and cosh is even, zeros included.

import type { ComplexTerm, Term } from "../scalar.ts";
import * as s from "../scalar.ts";
import { anyInf, type ComplexUnary, double, half, inDouble, TINY, withSign, zeroLike } from "./double.ts";
import { LARGE, SHIFT } from "./exponential.ts";

// The inverse functions that the circular and the hyperbolic ones share: asin, acos, atanh.
// In: complex terms of float64 parts. Out: the same.
// Must hold: every sum below is of two terms of one sign, so each part is good to a few ulp by itself;
// branch cuts follow the sign of zero.

/** Kahan's roots of a number in the first quadrant: √(1 − z) = p₁ − ip₂ and √(1 + z) = q₁ + iq₂. */
interface Roots {
  readonly p1: Term;
  readonly p2: Term;
  readonly q1: Term;
  readonly q2: Term;
  readonly x: Term;
  /** log of what |z| was divided by to stay in range; 1 is nothing to such numbers. */
  readonly logScale: Term;
}

function rootsOf(z: ComplexTerm): Roots {
  const [ax, ay] = [s.abs(z.re), s.abs(z.im)];
  const huge = s.gt(s.max(ax, ay), double(2 ** 1000));
  const scale = s.select(huge, double(1 / 16), double(1));
  const [x, y] = [s.mul(ax, scale), s.mul(ay, scale)];
  const p = root(s.sub(double(1), x), y);
  const q = root(s.add(double(1), x), y);
  const inside = s.le(x, double(1));
  return {
    p1: s.select(inside, p.larger, p.smaller),
    p2: s.select(inside, p.smaller, p.larger),
    q1: q.larger,
    q2: q.smaller,
    x,
    logScale: s.select(huge, double(Math.log(16)), double(0)),
  };
}

/** The parts of √(x + iy) by size, y ≥ 0: t = √((|x| + |x + iy|)/2) and y/2t. */
function root(x: Term, y: Term): { larger: Term; smaller: Term } {
  const t = s.sqrt(half(s.add(s.abs(x), s.hypot(x, y))));
  return { larger: t, smaller: s.div(y, s.max(s.add(t, t), double(TINY))) };
}

/** η = asinh(p₁q₂ + p₂q₁): the imaginary part of asin and, but for its sign, of acos. */
function eta({ p1, p2, q1, q2, logScale }: Roots, infinite: Term): Term {
  const size = s.asinh(s.add(s.mul(p1, q2), s.mul(p2, q1)));
  return s.select(infinite, double(Infinity), s.add(size, logScale));
}

/** asin z = ξ + iη, ξ = atan2(x, p₁q₁ + p₂q₂); at infinity ξ is the angle atan2(x, y). */
export const asinParts: ComplexUnary = (z) => {
  const roots = rootsOf(z);
  const infinite = anyInf(z);
  const { p1, p2, q1, q2 } = roots;
  const cosine = s.add(s.mul(p1, q1), s.mul(p2, q2));
  const xi = s.atan2(s.select(infinite, s.abs(z.re), roots.x), s.select(infinite, s.abs(z.im), cosine));
  return {
    re: s.select(s.isZero(z.re), z.re, s.copysign(xi, z.re)),
    im: withSign(eta(roots, infinite), z.im),
  };
};

/** acos z = 2 atan2(p₁, q₁) − iη, roles exchanged for x < 0; at infinity atan2(|y|, x). */
export const acosParts: ComplexUnary = (z) => {
  const roots = rootsOf(z);
  const infinite = anyInf(z);
  const left = s.lt(z.re, double(0));
  const above = s.select(left, roots.q1, roots.p1);
  const beside = s.select(left, roots.p1, roots.q1);
  const angle = s.atan2(s.select(infinite, s.abs(z.im), above), s.select(infinite, z.re, beside));
  const re = s.mul(angle, s.select(infinite, double(1), double(2)));
  return {
    re: s.select(s.isZero(z.re), double(Math.PI / 2), re),
    im: s.neg(withSign(eta(roots, infinite), z.im)),
  };
};

/**
 * atanh z, x ≥ 0:  re = ½ log(|1 + z|/|1 − z|) = ½ log1p(4x/(|1 − z|(|1 + z| + |1 − z|))),
 * im = ½ arg((1 + z)(1 − conj z)) = ½ atan2(2y, (1 − x)(1 + x) − y²).
 * Where |1 − z| is subnormal the quotient overflows and the real part is ∞: only at x = ±1 with y subnormal.
 */
export const atanhParts: ComplexUnary = (z) => {
  const [x, y] = [s.abs(z.re), s.abs(z.im)];
  const infinite = anyInf(z);
  const [minus, plus] = [s.sub(double(1), x), s.add(double(1), x)];
  const [near, far] = [s.hypot(minus, y), s.hypot(plus, y)];
  const excess = s.div(s.mul(s.div(x, s.add(near, far)), double(4)), near);
  const cosine = s.select(infinite, double(-Infinity), half(s.sub(s.mul(minus, plus), s.mul(y, y))));
  // At infinity the angle is π; atan2(∞, −∞) would be 3π/4.
  const angle = s.atan2(s.select(s.isInf(y), double(1), y), cosine);
  const vanishes = s.or(s.isZero(x), infinite);
  return {
    re: s.select(vanishes, zeroLike(z.re), s.copysign(half(s.log1p(excess)), z.re)),
    im: s.copysign(half(angle), z.im),
  };
};

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
