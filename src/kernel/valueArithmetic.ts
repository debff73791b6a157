// Arithmetic of values, real or complex alike: what reductions and scans of either are made of.

import type { RealDType } from "../core/dtype.ts";
import * as c from "./complex/arithmetic.ts";
import * as s from "./scalar.ts";

/** a + b. */
export const addValues = (a: s.Value, b: s.Value): s.Value =>
  s.isComplexTerm(a) ? c.add(a, b as s.ComplexTerm) : s.add(a, b as s.Term);

/** a · b. */
export const multiplyValues = (a: s.Value, b: s.Value): s.Value =>
  s.isComplexTerm(a) ? c.multiply(a, b as s.ComplexTerm) : s.mul(a, b as s.Term);

/** x / n, with n as a number of the type that x has. */
export function dividedBy(x: s.Value, count: (type: RealDType) => s.Term): s.Value {
  if (!s.isComplexTerm(x)) return s.div(x, count(x.type));
  const n = count(x.re.type);
  return { re: s.div(x.re, n), im: s.div(x.im, n) };
}
