// Exponentials, logarithms, trigonometry: the standard's floating functions.

import type { PulledTerms } from "../../expr/pullback.ts";
import * as e from "../../kernel/complex/exponential.ts";
import * as h from "../../kernel/complex/hyperbolic.ts";
import * as t from "../../kernel/complex/trigonometric.ts";
import * as s from "../../kernel/scalar.ts";
import { binary, FUNCTION_WORK, type Unary, unary } from "../define.ts";
import { unlessCancelling } from "../exponentialSum.ts";

const floating = (
  name: string,
  real: (x: s.Term) => s.Term,
  complex: (z: s.ComplexTerm) => s.ComplexTerm,
  pull: (at: PulledTerms) => s.Term,
  work: number = FUNCTION_WORK,
): Unary<"floating"> =>
  unary(name, { accepts: "numeric", result: "floating", real, complex, work, pull: (at) => [pull(at)] });

const one = (x: s.Term): s.Term => s.one(x.type);
const squared = (x: s.Term): s.Term => s.mul(x, x);
const times = (x: s.Term, by: number): s.Term => s.mul(x, s.constant(x.type, by));

/** eˣ: `cw.exp(0)` is 1. */
export const exp = floating("exp", s.exp, e.exp, ({ g, f }) => s.mul(g, f));
/** eˣ − 1, exact near 0: `cw.expm1(1e-20)` is 1e-20. */
export const expm1 = floating("expm1", s.expm1, e.expm1, ({ g, f }) => s.mul(g, s.add(f, one(f))));
/** The natural logarithm: `cw.log(1)` is 0. */
export const log = floating("log", s.log, e.log, ({ g, x }) => s.div(g, x));
/** log(1 + x), exact near 0: `cw.log1p(1e-20)` is 1e-20. */
export const log1p = floating("log1p", s.log1p, e.log1p, ({ g, x }) => s.div(g, s.add(x, one(x))));
/** The logarithm to base 2: `cw.log2([8])` is [3]. */
export const log2 = floating("log2", s.log2, e.log2, ({ g, x }) => s.div(g, times(x, Math.LN2)));
/** The logarithm to base 10: `cw.log10([1000])` is [3]. */
export const log10 = floating("log10", s.log10, e.log10, ({ g, x }) => s.div(g, times(x, Math.LN10)));
/** The square root: `cw.sqrt([9])` is [3]. */
export const sqrt = floating("sqrt", s.sqrt, e.sqrt, ({ g, f }) => s.div(g, times(f, 2)), 4);
/** The sine: `cw.sin(0)` is 0. */
export const sin = floating("sin", s.sin, t.sin, ({ g, x }) => s.mul(g, s.cos(x)));
/** The cosine: `cw.cos(0)` is 1. */
export const cos = floating("cos", s.cos, t.cos, ({ g, x }) => s.neg(s.mul(g, s.sin(x))));
/** The tangent: `cw.tan(0)` is 0. */
export const tan = floating("tan", s.tan, t.tan, ({ g, f }) => s.mul(g, s.add(squared(f), one(f))));
/** The angle whose sine is x: `cw.asin(0)` is 0. */
export const asin = floating("asin", s.asin, t.asin, ({ g, x }) =>
  s.div(g, s.sqrt(s.sub(one(x), squared(x)))),
);
/** The angle whose cosine is x: `cw.acos(1)` is 0. */
export const acos = floating("acos", s.acos, t.acos, ({ g, x }) =>
  s.neg(s.div(g, s.sqrt(s.sub(one(x), squared(x))))),
);
/** The angle whose tangent is x: `cw.atan(0)` is 0. */
export const atan = floating("atan", s.atan, t.atan, ({ g, x }) => s.div(g, s.add(squared(x), one(x))));
/** The hyperbolic sine: `cw.sinh(0)` is 0. */
export const sinh = floating("sinh", s.sinh, h.sinh, ({ g, x }) => s.mul(g, s.cosh(x)));
/** The hyperbolic cosine: `cw.cosh(0)` is 1. */
export const cosh = floating("cosh", s.cosh, h.cosh, ({ g, x }) => s.mul(g, s.sinh(x)));
/** The hyperbolic tangent: `cw.tanh(0)` is 0. */
export const tanh = floating("tanh", s.tanh, h.tanh, ({ g, f }) => s.mul(g, s.sub(one(f), squared(f))));
/** The inverse of sinh: `cw.asinh(0)` is 0. */
export const asinh = floating("asinh", s.asinh, h.asinh, ({ g, x }) =>
  s.div(g, s.sqrt(s.add(squared(x), one(x)))),
);
/** The inverse of cosh: `cw.acosh(1)` is 0. */
export const acosh = floating("acosh", s.acosh, h.acosh, ({ g, x }) =>
  s.div(g, s.mul(s.sqrt(s.sub(x, one(x))), s.sqrt(s.add(x, one(x))))),
);
/** The inverse of tanh: `cw.atanh(0)` is 0. */
export const atanh = floating("atanh", s.atanh, h.atanh, ({ g, x }) => s.div(g, s.sub(one(x), squared(x))));

/** 2ˣ, exact for whole x: `cw.exp2([3, -1])` is [8, 0.5]. */
export const exp2 = unary("exp2", {
  accepts: "real",
  result: "floating",
  work: 2 * FUNCTION_WORK,
  real: (x) => s.pow(s.constant(x.type, 2), x),
  pull: ({ g, f }) => [s.mul(g, times(f, Math.LN2))],
});

/** log(eˣ¹ + eˣ²), which does not overflow: `cw.logaddexp([1000], [1000])` is about [1000.69]. */
export const logaddexp = binary("logaddexp", {
  commutative: true,
  accepts: "real",
  result: "floating",
  work: 2 * FUNCTION_WORK,
  real: logaddexpBody,
  // eˣ / (eˣ + eʸ), where infinities take part in nothing.
  pull: ({ g, x, y, f }) => {
    const share = (of: s.Term): s.Term => s.mul(g, s.exp(s.sub(finite(of), finite(f))));
    return [share(x), share(y)];
  },
});

const finite = (x: s.Term): s.Term => s.select(s.eq(x, s.constant(x.type, Infinity)), s.zero(x.type), x);

/**
 * log(eˣ + eʸ) = max + log1p(e^−|x−y|), equal infinities being 0 apart; as it is written where the two cancel.
 */
function logaddexpBody(x: s.Term, y: s.Term): s.Term {
  const apart = s.select(s.eq(x, y), s.zero(x.type), s.neg(s.abs(s.sub(x, y))));
  const [wideX, wideY] = [s.convert(x, "float64"), s.convert(y, "float64")];
  const written = s.convert(s.log(s.add(s.exp(wideX), s.exp(wideY))), x.type);
  return unlessCancelling(s.max(x, y), s.log1p(s.exp(apart)), written);
}
