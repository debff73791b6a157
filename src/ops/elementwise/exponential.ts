// Exponentials, logarithms, trigonometry: the standard's floating functions.

import * as s from "../../kernel/scalar.ts";
import * as e from "../complex/exponential.ts";
import * as h from "../complex/hyperbolic.ts";
import * as t from "../complex/trigonometric.ts";
import { type Binary, binary, FUNCTION_WORK, type Unary, unary } from "./define.ts";

const floating = (
  name: string,
  real: (x: s.Term) => s.Term,
  complex: (z: s.ComplexTerm) => s.ComplexTerm,
  work: number = FUNCTION_WORK,
): Unary<"floating"> => unary(name, { accepts: "numeric", result: "floating", real, complex, work });

export const exp: Unary<"floating"> = floating("exp", s.exp, e.exp);
export const expm1: Unary<"floating"> = floating("expm1", s.expm1, e.expm1);
export const log: Unary<"floating"> = floating("log", s.log, e.log);
export const log1p: Unary<"floating"> = floating("log1p", s.log1p, e.log1p);
export const log2: Unary<"floating"> = floating("log2", s.log2, e.log2);
export const log10: Unary<"floating"> = floating("log10", s.log10, e.log10);
export const sqrt: Unary<"floating"> = floating("sqrt", s.sqrt, e.sqrt, 4);
export const sin: Unary<"floating"> = floating("sin", s.sin, t.sin);
export const cos: Unary<"floating"> = floating("cos", s.cos, t.cos);
export const tan: Unary<"floating"> = floating("tan", s.tan, t.tan);
export const asin: Unary<"floating"> = floating("asin", s.asin, t.asin);
export const acos: Unary<"floating"> = floating("acos", s.acos, t.acos);
export const atan: Unary<"floating"> = floating("atan", s.atan, t.atan);
export const sinh: Unary<"floating"> = floating("sinh", s.sinh, h.sinh);
export const cosh: Unary<"floating"> = floating("cosh", s.cosh, h.cosh);
export const tanh: Unary<"floating"> = floating("tanh", s.tanh, h.tanh);
export const asinh: Unary<"floating"> = floating("asinh", s.asinh, h.asinh);
export const acosh: Unary<"floating"> = floating("acosh", s.acosh, h.acosh);
export const atanh: Unary<"floating"> = floating("atanh", s.atanh, h.atanh);

export const logaddexp: Binary<"floating"> = binary("logaddexp", {
  commutative: true,
  accepts: "real",
  result: "floating",
  work: 2 * FUNCTION_WORK,
  real: logaddexpBody,
});

/** log(eˣ + eʸ) = max + log1p(e^−|x−y|); x = y (infinite, too) gives x + log 2. */
function logaddexpBody(x: s.Term, y: s.Term): s.Term {
  const apart = s.sub(x, y);
  const sum = s.add(s.max(x, y), s.log1p(s.exp(s.neg(s.abs(apart)))));
  return s.select(s.eq(x, y), s.add(x, s.constant(x.type, Math.LN2)), sum);
}
