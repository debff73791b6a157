// Logarithms and the square root of complex numbers as scalar bodies.
// In: complex terms. Out: complex terms with the special values of C99 Annex G.
// Must hold: the branch cut is the negative real axis, its side is the sign of the imaginary zero;
// nothing overflows or underflows on the way to a result that does not.

import type { ComplexTerm, Term } from "../scalar.ts";
import * as s from "../scalar.ts";
import { anyInf, type ComplexUnary, double, half, inDouble, midRange, TINY, withSign } from "./double.ts";

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
