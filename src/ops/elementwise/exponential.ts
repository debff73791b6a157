// Exponentials, logarithms, trigonometry: the standard's floating functions.

import * as s from "../../kernel/scalar.ts";
import * as e from "../complex/exponential.ts";
import * as h from "../complex/hyperbolic.ts";
import * as t from "../complex/trigonometric.ts";
import { binary, type ElementwiseFunction, FUNCTION_WORK, unary } from "./define.ts";

type Op = ElementwiseFunction;

const floating = (
  name: string,
  real: (x: s.Term) => s.Term,
  complex: (z: s.ComplexTerm) => s.ComplexTerm,
  work: number = FUNCTION_WORK,
): ElementwiseFunction => unary(name, { accepts: "numeric", floating: true, real, complex, work });

export const exp: Op = floating("exp", s.exp, e.exp);
export const expm1: Op = floating("expm1", s.expm1, e.expm1);
export const log: Op = floating("log", s.log, e.log);
export const log1p: Op = floating("log1p", s.log1p, e.log1p);
export const log2: Op = floating("log2", s.log2, e.log2);
export const log10: Op = floating("log10", s.log10, e.log10);
export const sqrt: Op = floating("sqrt", s.sqrt, e.sqrt, 4);
export const sin: Op = floating("sin", s.sin, t.sin);
export const cos: Op = floating("cos", s.cos, t.cos);
export const tan: Op = floating("tan", s.tan, t.tan);
export const asin: Op = floating("asin", s.asin, t.asin);
export const acos: Op = floating("acos", s.acos, t.acos);
export const atan: Op = floating("atan", s.atan, t.atan);
export const sinh: Op = floating("sinh", s.sinh, h.sinh);
export const cosh: Op = floating("cosh", s.cosh, h.cosh);
export const tanh: Op = floating("tanh", s.tanh, h.tanh);
export const asinh: Op = floating("asinh", s.asinh, h.asinh);
export const acosh: Op = floating("acosh", s.acosh, h.acosh);
export const atanh: Op = floating("atanh", s.atanh, h.atanh);

export const logaddexp: Op = binary("logaddexp", {
  commutative: true,
  accepts: "real",
  floating: true,
  work: 2 * FUNCTION_WORK,
  real: logaddexpBody,
});

/** log(eˣ + eʸ) = max + log1p(e^−|x−y|); x = y (infinite, too) gives x + log 2. */
function logaddexpBody(x: s.Term, y: s.Term): s.Term {
  const apart = s.sub(x, y);
  const sum = s.add(s.max(x, y), s.log1p(s.exp(s.neg(s.abs(apart)))));
  return s.select(s.eq(x, y), s.add(x, s.constant(x.type, Math.LN2)), sum);
}
