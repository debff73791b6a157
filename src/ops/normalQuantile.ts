// The quantiles of the normal distribution: Wichura's algorithm AS 241 (PPND16, 1988), in three rational functions. In: q = p − ½ for
// a probability p from 2⁻⁵³ to 1 − 2⁻⁵³. Out: Φ⁻¹(p), within a few units in the last place.
//   |q| ≤ 0.425:                    q · A(r)/B(r),  r = 0.425² − q²
//   else, with r = √−log(½ − |q|):  ± C(r − 1.6)/D(r − 1.6) for r ≤ 5, ± E(r − 5)/F(r − 5) beyond.

import * as s from "../kernel/scalar.ts";

// The highest power first.
const A = [
  2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
  1971.5909503065513, 133.14166789178438, 3.3871328727963665,
] as const;
const B = [
  5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
  687.1870074920579, 42.31333070160091, 1,
] as const;
const C = [
  0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
  5.769497221460691, 4.630337846156546, 1.4234371107496835,
] as const;
const D = [
  1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
  1.6763848301838038, 2.053191626637759, 1,
] as const;
const E = [
  2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
  0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
] as const;
const F = [
  2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
  0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
] as const;

const double = (value: number): s.Term => s.constant("float64", value);

/** Horner's scheme. */
const polynomial = (coefficients: readonly number[], x: s.Term): s.Term =>
  coefficients.slice(1).reduce((sum, next) => s.add(s.mul(sum, x), double(next)), double(coefficients[0]!));

const ratio = (above: readonly number[], below: readonly number[], x: s.Term): s.Term =>
  s.div(polynomial(above, x), polynomial(below, x));

export function normalQuantile(q: s.Term): s.Term {
  const middle = s.mul(q, ratio(A, B, s.sub(double(0.425 * 0.425), s.mul(q, q))));
  const r = s.sqrt(s.neg(s.log(s.sub(double(0.5), s.abs(q)))));
  const near = ratio(C, D, s.sub(r, double(1.6)));
  const far = ratio(E, F, s.sub(r, double(5)));
  const tail = s.copysign(s.rarely(s.gt(r, double(5)), far, near), q);
  return s.rarely(s.gt(s.abs(q), double(0.425)), tail, middle);
}
