// Exponentials and powers of complex numbers as scalar bodies.
// In: complex terms. Out: complex terms with the special values of C99 Annex G and the array API standard.
// Must hold: a finite result does not pass through an infinity: eˣ is kept as mantissa · factor.

import type { ComplexTerm, Term } from "../scalar.ts";
import * as s from "../scalar.ts";
import { multiply, square } from "./arithmetic.ts";
import {
  anyInf,
  type ComplexBinary,
  type ComplexUnary,
  double,
  half,
  inDouble,
  inDoubleBinary,
  midRange,
  TINY,
  withSign,
  zeroLike,
} from "./double.ts";

// Logarithms and the square root of complex numbers as scalar bodies.
// In: complex terms. Out: complex terms with the special values of C99 Annex G.
// Must hold: the branch cut is the negative real axis, its side is the sign of the imaginary zero;
// nothing overflows or underflows on the way to a result that does not.

/** A base of logarithms: its real logarithm, and what turns natural logarithms into its own. */
interface Base {
  readonly log: (x: Term) => Term;
  readonly perNatural: number;
}
const NATURAL: Base = { log: s.log, perNatural: 1 };
const BINARY: Base = { log: s.log2, perNatural: Math.LOG2E };
const DECIMAL: Base = { log: s.log10, perNatural: Math.LOG10E };

/**
 * log z where |z|² − 1 is known to more digits than |z|. With a the larger and b the smaller part:
 * near |z| = 1: log|z| = log1p(|z|² − 1)/2;  elsewhere: log|z| = log a + log1p((b/a)²)/2.
 */
function logWith(z: ComplexTerm, squareMinusOne: Term, { log, perNatural }: Base): ComplexTerm {
  const { a, b } = sorted(z);
  const ratio = s.div(b, s.max(a, double(TINY)));
  const near = s.lt(s.abs(squareMinusOne), double(0.5));
  const lead = s.select(near, double(0), log(a));
  const rest = s.log1p(s.select(near, squareMinusOne, s.mul(ratio, ratio)));
  const modulus = s.add(lead, s.mul(rest, double(perNatural / 2)));
  const angle = s.atan2(z.im, z.re);
  return {
    re: s.select(anyInf(z), double(Infinity), modulus),
    im: perNatural === 1 ? angle : s.mul(angle, double(perNatural)),
  };
}

function sorted({ re, im }: ComplexTerm): { a: Term; b: Term } {
  const [x, y] = [s.abs(re), s.abs(im)];
  return { a: s.max(x, y), b: s.min(x, y) };
}

/** |z|² − 1 = (a − 1)(a + 1) + b²: the first factor is exact where it matters. */
function squareMinusOne(z: ComplexTerm): Term {
  const { a, b } = sorted(z);
  return s.add(s.mul(s.sub(a, double(1)), s.add(a, double(1))), s.mul(b, b));
}

/** log z of float64 parts: log|z| + i·arg z. */
export const logarithm: ComplexUnary = (z) => logWith(z, squareMinusOne(z), NATURAL);

export const log: ComplexUnary = inDouble(logarithm);

export const log2: ComplexUnary = inDouble((z) => logWith(z, squareMinusOne(z), BINARY));

export const log10: ComplexUnary = inDouble((z) => logWith(z, squareMinusOne(z), DECIMAL));

/** log(1 + z), with |1 + z|² − 1 = x(x + 2) + y². */
export const log1p: ComplexUnary = inDouble(({ re: x, im: y }) => {
  const excess = s.add(s.mul(x, s.add(x, double(2))), s.mul(y, y));
  return logWith({ re: s.add(x, double(1)), im: y }, excess, NATURAL);
});

/**
 * √z: with t = √((|x| + |z|)/2) and u = |y|/2t the parts are (t, ±u) for x ≥ 0 and (u, ±t) for x < 0,
 * the sign being that of y. t is computed from a scaled z.
 */
export const sqrt: ComplexUnary = inDouble((z) => {
  const [infiniteY, infinity] = [s.isInf(z.im), double(Infinity)];
  const t = s.select(anyInf(z), infinity, largerRoot(z));
  const u = s.select(infiniteY, infinity, s.div(s.abs(z.im), s.max(s.add(t, t), double(TINY))));
  const left = s.lt(z.re, double(0));
  return { re: s.select(left, u, t), im: withSign(s.select(left, t, u), z.im) };
});

/** √((|x| + |z|)/2). */
function largerRoot(z: ComplexTerm): Term {
  const { x, y, huge, tiny } = midRange(s.abs(z.re), z.im);
  const length = s.sqrt(s.add(s.mul(x, x), s.mul(y, y)));
  const root = s.sqrt(half(s.add(x, length)));
  const unscale = s.select(huge, double(2 ** 300), s.select(tiny, double(2 ** -300), double(1)));
  return s.mul(root, unscale);
}

/** eˣ overflows beyond LARGE; there it is split as eˣ⁻ˢ · eˢ with s = SHIFT. */
export const LARGE = 709;
export const SHIFT = 670;

interface ScaledExp {
  readonly mantissa: Term;
  readonly factor: Term;
}

/** eˣ = mantissa · factor; both finite up to x = 1379, where even a part eˣ·1e-291 has overflowed. */
function scaledExp(x: Term): ScaledExp {
  const large = s.gt(x, double(LARGE));
  return {
    mantissa: s.exp(s.sub(x, s.select(large, double(SHIFT), double(0)))),
    factor: s.select(large, double(Math.exp(SHIFT)), double(1)),
  };
}

interface Direction {
  readonly angle: Term;
  readonly cos: Term;
  readonly sin: Term;
}

/** cos y + i sin y beside eˣ; where y has no direction, x = ±∞ may still settle the result. */
function directionOf({ re: x, im: y }: ComplexTerm): Direction {
  const lost = s.not(s.isFinite_(y));
  // e^−∞ is 0 whatever y is; e^+∞ is infinite in its real part at least.
  const angle = s.select(s.and(lost, s.eq(x, double(-Infinity))), zeroLike(y), y);
  const cos = s.select(s.and(lost, s.eq(x, double(Infinity))), double(1), s.cos(angle));
  return { angle, cos, sin: s.sin(angle) };
}

/** eˣ(cos y + i sin y); for y = 0 the imaginary part is 0 beside any eˣ. */
function product({ mantissa, factor }: ScaledExp, { angle, cos, sin }: Direction): ComplexTerm {
  const part = (direction: Term): Term => s.mul(s.mul(mantissa, direction), factor);
  return { re: part(cos), im: s.select(s.isZero(angle), angle, part(sin)) };
}

/** e^(x+iy) = eˣ cos y + i eˣ sin y. */
export const exp: ComplexUnary = inDouble((z) => product(scaledExp(z.re), directionOf(z)));

/** e^z − 1: re = eˣ cos y − 1 = expm1(x)·cos y + (cos y − 1), im = eˣ sin y. */
export const expm1: ComplexUnary = inDouble((z) => {
  const direction = directionOf(z);
  const { re, im } = product(scaledExp(z.re), direction);
  const small = s.add(s.mul(s.expm1(z.re), direction.cos), cosMinusOne(direction));
  return { re: s.select(s.le(s.abs(z.re), double(1)), small, s.sub(re, double(1))), im };
});

/** cos y − 1 = −sin² y / (1 + cos y), which does not cancel where cos y > 0. */
function cosMinusOne({ cos, sin }: Direction): Term {
  const quotient = s.neg(s.div(s.mul(sin, sin), s.add(cos, double(1))));
  return s.select(s.gt(cos, double(0)), quotient, s.sub(cos, double(1)));
}

/**
 * z^w = e^(w·log z), with NumPy's exact cases: w = 0 gives 1; 0^w is 0 for re w > 0, else NaN;
 * w = 1, 2, 3 are products.
 */
export const pow: ComplexBinary = inDoubleBinary((z, w) => {
  const exponentIs = (n: number): Term => s.and(s.eq(w.re, double(n)), s.isZero(w.im));
  const squared = square(z);
  const cases: [Term, ComplexTerm][] = [
    [s.and(s.isZero(z.re), s.isZero(z.im)), powOfZero(w)],
    [exponentIs(3), multiply(z, squared)],
    [exponentIs(2), squared],
    [exponentIs(1), z],
    [exponentIs(0), { re: double(1), im: double(0) }],
  ];
  return cases.reduce((rest, [holds, value]) => choose(holds, value, rest), generalPow(z, w));
});

function powOfZero(w: ComplexTerm): ComplexTerm {
  const part = s.select(s.gt(w.re, double(0)), double(0), double(Number.NaN));
  return { re: part, im: part };
}

/**
 * w·log z has a relative error, so e^(w·log z) an error that grows with |w·log z|. For real w the modulus
 * |z|^w needs no logarithm of ours; it is used wherever neither |z| nor it is near the ends of the range.
 */
function generalPow(z: ComplexTerm, w: ComplexTerm): ComplexTerm {
  const log = logarithm(z);
  const exponent = multiply(w, log);
  const { mantissa, factor } = scaledExp(exponent.re);
  const inRange = (x: Term): Term => s.lt(s.abs(x), double(LARGE - 1));
  const direct = s.and(s.isZero(w.im), s.and(inRange(log.re), inRange(exponent.re)));
  const modulus = s.select(direct, s.pow(s.hypot(z.re, z.im), w.re), mantissa);
  return product({ mantissa: modulus, factor }, directionOf(exponent));
}

const choose = (holds: Term, yes: ComplexTerm, no: ComplexTerm): ComplexTerm => ({
  re: s.select(holds, yes.re, no.re),
  im: s.select(holds, yes.im, no.im),
});
