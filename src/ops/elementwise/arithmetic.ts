// Arithmetic, rounding and sign.

import { isFloat } from "../../core/dtype.ts";
import * as s from "../../kernel/scalar.ts";
import * as c from "../complex/arithmetic.ts";
import { pow as complexPow } from "../complex/exponential.ts";
import { type Binary, binary, FUNCTION_WORK, REORDERS, type Unary, unary } from "./define.ts";

export const add: Binary<"same"> = binary("add", {
  ...REORDERS,
  accepts: "numeric",
  result: "same",
  real: s.add,
  complex: c.add,
});
export const subtract: Binary<"same"> = binary("subtract", {
  accepts: "numeric",
  result: "same",
  real: s.sub,
  complex: c.subtract,
});
export const multiply: Binary<"same"> = binary("multiply", {
  ...REORDERS,
  accepts: "numeric",
  result: "same",
  real: s.mul,
  complex: c.multiply,
});
export const divide: Binary<"floating"> = binary("divide", {
  accepts: "numeric",
  result: "floating",
  real: s.div,
  complex: c.divide,
});
export const floorDivide: Binary<"same"> = binary("floorDivide", {
  accepts: "real",
  result: "same",
  real: floorDivideBody,
});
export const remainder: Binary<"same"> = binary("remainder", {
  accepts: "real",
  result: "same",
  real: remainderBody,
});
export const pow: Binary<"same"> = binary("pow", {
  work: 2 * FUNCTION_WORK,
  accepts: "numeric",
  result: "same",
  real: powBody,
  complex: complexPow,
});
export const negative: Unary<"same"> = unary("negative", {
  accepts: "numeric",
  result: "same",
  real: s.neg,
  complex: c.negative,
});
export const positive: Unary<"same"> = unary("positive", {
  accepts: "numeric",
  result: "same",
  real: (x) => x,
  complex: (z) => z,
});
export const square: Unary<"same"> = unary("square", {
  accepts: "numeric",
  result: "same",
  real: (x) => s.mul(x, x),
  complex: c.square,
});
export const reciprocal: Unary<"floating"> = unary("reciprocal", {
  accepts: "numeric",
  result: "floating",
  real: (x) => s.div(s.one(x.type), x),
  complex: c.reciprocal,
});
export const abs: Unary<"real"> = unary("abs", {
  accepts: "numeric",
  result: "real",
  real: absBody,
  complex: c.abs,
});
export const sign: Unary<"same"> = unary("sign", {
  accepts: "numeric",
  result: "same",
  real: signBody,
  complex: c.sign,
});

const wholeNumber =
  (body: (x: s.Term) => s.Term): ((x: s.Term) => s.Term) =>
  (x) =>
    isFloat(x.type) ? body(x) : x;
export const floor: Unary<"same"> = unary("floor", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.floor),
});
export const ceil: Unary<"same"> = unary("ceil", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.ceil),
});
export const trunc: Unary<"same"> = unary("trunc", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.trunc),
});
export const round: Unary<"same"> = unary("round", {
  accepts: "numeric",
  result: "same",
  real: wholeNumber(s.nearest),
  complex: c.round,
});

// A bool max is an or: the same order, false before true.
export const maximum: Binary<"same"> = binary("maximum", {
  ...REORDERS,
  accepts: "realOrBool",
  result: "same",
  real: s.max,
});
export const minimum: Binary<"same"> = binary("minimum", {
  ...REORDERS,
  accepts: "realOrBool",
  result: "same",
  real: s.min,
});

export const copysign: Binary<"floating"> = binary("copysign", {
  accepts: "real",
  result: "floating",
  real: s.copysign,
});
export const nextafter: Binary<"floating"> = binary("nextafter", {
  accepts: "real",
  result: "floating",
  real: s.nextafter,
});
export const hypot: Binary<"floating"> = binary("hypot", {
  accepts: "real",
  result: "floating",
  real: s.hypot,
});
export const atan2: Binary<"floating"> = binary("atan2", {
  work: 2 * FUNCTION_WORK,
  accepts: "real",
  result: "floating",
  real: s.atan2,
});

export const real: Unary<"real"> = unary("real", {
  accepts: "numeric",
  result: "real",
  real: (x) => x,
  complex: (z) => z.re,
});
export const imag: Unary<"real"> = unary("imag", {
  accepts: "numeric",
  result: "real",
  real: (x) => s.zero(x.type),
  complex: (z) => z.im,
});
export const conj: Unary<"same"> = unary("conj", {
  accepts: "numeric",
  result: "same",
  real: (x) => x,
  complex: c.conj,
});

/** Unsigned numbers are their own absolute value. */
function absBody(x: s.Term): s.Term {
  return x.type.startsWith("u") ? x : s.abs(x);
}

/** 1, −1, 0, or NaN for NaN. */
function signBody(x: s.Term): s.Term {
  const nothing = s.zero(x.type);
  const other = isFloat(x.type) ? s.select(s.isNaN_(x), x, nothing) : nothing;
  const positiveOr = s.select(s.gt(x, nothing), s.one(x.type), other);
  return x.type.startsWith("u") ? positiveOr : s.select(s.lt(x, nothing), s.constant(x.type, -1), positiveOr);
}

function powBody(x: s.Term, y: s.Term): s.Term {
  return isFloat(x.type) ? s.pow(x, y) : s.ipow(x, y);
}

/** q = ⌊x/y⌋: for integers, truncation corrected by one where the signs differ and something is left. */
function floorDivideBody(x: s.Term, y: s.Term): s.Term {
  if (isFloat(x.type)) return floatFloorDivide(x, y);
  const quotient = s.quot(x, y);
  return s.select(leftoverAgainstSign(x, y), s.sub(quotient, s.one(x.type)), quotient);
}

/** x − y·⌊x/y⌋: has the sign of y. */
function remainderBody(x: s.Term, y: s.Term): s.Term {
  if (isFloat(x.type)) return floatRemainder(x, y);
  const rest = s.rem(x, y);
  return s.select(leftoverAgainstSign(x, y), s.add(rest, y), rest);
}

function leftoverAgainstSign(x: s.Term, y: s.Term): s.Term {
  const rest = s.rem(x, y);
  return s.and(s.nonZero(rest), s.ne(s.lt(rest, s.zero(x.type)), s.lt(y, s.zero(x.type))));
}

function floatRemainder(x: s.Term, y: s.Term): s.Term {
  const rest = s.fmod(x, y);
  const wrongSign = s.ne(s.lt(rest, s.zero(x.type)), s.lt(y, s.zero(x.type)));
  const corrected = s.select(wrongSign, s.add(rest, y), rest);
  return s.select(s.isZero(rest), s.copysign(s.zero(x.type), y), corrected);
}

/**
 * (x − remainder)/y is whole up to rounding: take the nearest whole number. By zero it is x/y. Infinities follow from
 * that as in NumPy: ±inf // y is NaN, which it leaves no remainder of, and x // ±inf is 0 or −1 by the signs.
 */
function floatFloorDivide(x: s.Term, y: s.Term): s.Term {
  const ratio = s.div(x, y);
  const rest = s.fmod(x, y);
  const wrongSign = s.and(s.nonZero(rest), s.ne(s.lt(rest, s.zero(x.type)), s.lt(y, s.zero(x.type))));
  const whole = s.div(s.sub(x, rest), y);
  const lowered = s.select(wrongSign, s.sub(whole, s.one(x.type)), whole);
  const floored = s.floor(lowered);
  const over = s.gt(s.sub(lowered, floored), s.constant(x.type, 0.5));
  const nearest = s.select(over, s.add(floored, s.one(x.type)), floored);
  const result = s.select(s.isZero(lowered), s.copysign(s.zero(x.type), ratio), nearest);
  return s.select(s.isZero(y), ratio, result);
}
