// Functions of exponentials that keep their digits where the formula one would write loses them or overflows.
// In: floats. Out: within 3 ulp for every x, infinities too.

import { infoOf } from "../../core/dtype.ts";
import type { PulledTerms } from "../../expr/pullback.ts";
import * as s from "../../kernel/scalar.ts";
import { type Unary, unary } from "../define.ts";

const floating = (
  name: string,
  real: (x: s.Term) => s.Term,
  pull: (at: PulledTerms) => s.Term,
): Unary<"floating"> => unary(name, { accepts: "real", result: "floating", real, pull: (at) => [pull(at)] });

/** 1 / (1 + e⁻ˣ): `cw.sigmoid(0)` is 0.5. */
export const sigmoid = floating("sigmoid", sigmoidBody, ({ g, f }) =>
  s.mul(g, s.mul(f, s.sub(s.one(f.type), f))),
);
/** log(1 + eˣ): `cw.softplus(0)` is about 0.693. */
export const softplus = floating("softplus", softplusBody, ({ g, x }) =>
  s.div(g, s.add(s.one(x.type), s.exp(s.neg(x)))),
);
/** log(1 − eˣ), for x below 0: `cw.log1mexp([-1])` is about [-0.459]. */
export const log1mexp = floating("log1mexp", log1mexpBody, ({ g, x }) => s.neg(s.div(g, s.expm1(s.neg(x)))));

/** With t = e^−|x| ≤ 1: 1/(1 + t) for x ≥ 0 and t/(1 + t) below. Nothing overflows, small results stay relative. */
function sigmoidBody(x: s.Term): s.Term {
  const t = s.exp(s.neg(s.abs(x)));
  const above = s.select(s.lt(x, s.zero(x.type)), t, s.one(x.type));
  if (x.type === "float64") return overOnePlus(above, t);
  const [top, wide] =
    x.type === "float32" ? [above, t].map((term) => s.convert(term, "float64")) : [above, t];
  return s.convert(s.div(top!, s.add(s.one(wide!.type), wide!)), x.type);
}

/** The upper 26 bits of a mantissa: the product of two such numbers is exact. */
const upper = (x: s.Term): s.Term =>
  s.bitcast(s.and(s.bitcast(x, "int64"), s.constant("int64", -(1n << 27n))), "float64");

/**
 * above / (1 + t), above t or 1, rounded once: q + (above − q(1 + t)) / (1 + t), where q is the upper half of the quotient and
 * 1 + t is in two halves, so that the difference is exact.
 */
function overOnePlus(above: s.Term, t: s.Term): s.Term {
  const one = s.one(t.type);
  const whole = s.add(one, t);
  const high = upper(whole);
  const low = s.sub(t, s.sub(high, one));
  const q = upper(s.div(above, whole));
  const rest = s.sub(s.sub(above, s.mul(q, high)), s.mul(q, low));
  return s.add(q, s.div(rest, whole));
}

/** max(x, 0) + log1p(e^−|x|). */
function softplusBody(x: s.Term): s.Term {
  return s.add(s.max(x, s.zero(x.type)), s.log1p(s.exp(s.neg(s.abs(x)))));
}

/**
 * log(−expm1 x) near 0, where 1 − eˣ cancels; log1p(−eˣ) below −log 2, where it is close to 1 (Mächler). NaN above 0, but
 * −inf as far above as rounding may leave the logarithm of a probability of 1.
 */
function log1mexpBody(x: s.Term): s.Term {
  const left = s.neg(s.expm1(x));
  const isRounding = s.ge(left, s.constant(x.type, -(2 ** (2 - infoOf(x.type).digits))));
  const near = s.log(s.select(isRounding, s.max(left, s.zero(x.type)), left));
  const far = s.log1p(s.neg(s.exp(x)));
  return s.select(s.lt(x, s.constant(x.type, -Math.LN2)), far, near);
}
