// Arithmetic, rounding and sign.

import { isFloat } from "../../core/dtype.ts";
import * as c from "../../kernel/complex/arithmetic.ts";
import { pow as complexPow } from "../../kernel/complex/exponential.ts";
import * as s from "../../kernel/scalar.ts";
import { binary, FUNCTION_WORK, REORDERS, unary } from "../define.ts";

/** x1 + x2: `cw.add([1, 2], 10)` is [11, 12]. */
export const add = binary("add", {
  ...REORDERS,
  accepts: "numeric",
  result: "same",
  real: s.add,
  complex: c.add,
});
/** x1 − x2: `cw.subtract([5], [2])` is [3]. */
export const subtract = binary("subtract", {
  accepts: "numeric",
  result: "same",
  real: s.sub,
  complex: c.subtract,
});
/** x1 · x2: `cw.multiply([1, 2], 3)` is [3, 6]. */
export const multiply = binary("multiply", {
  ...REORDERS,
  accepts: "numeric",
  result: "same",
  real: s.mul,
  complex: c.multiply,
});
/** x1 / x2, in floating numbers: `cw.divide([1], [2])` is [0.5]. */
export const divide = binary("divide", {
  accepts: "numeric",
  result: "floating",
  real: s.div,
  complex: c.divide,
});
/** ⌊x1 / x2⌋: `cw.floorDivide([-7], [2])` is [-4]. */
export const floorDivide = binary("floorDivide", {
  accepts: "real",
  result: "same",
  real: floorDivideBody,
});
/** x1 − x2·⌊x1 / x2⌋, with the sign of x2: `cw.remainder([-7], [3])` is [2]. */
export const remainder = binary("remainder", {
  accepts: "real",
  result: "same",
  real: remainderBody,
});
/** x1 to the power of x2: `cw.pow([2], [10])` is [1024]. */
export const pow = binary("pow", {
  work: 2 * FUNCTION_WORK,
  accepts: "numeric",
  result: "same",
  real: powBody,
  complex: complexPow,
});
/** −x: `cw.negative([1, -2])` is [-1, 2]. */
export const negative = unary("negative", {
  accepts: "numeric",
  result: "same",
  real: s.neg,
  complex: c.negative,
});
/** x itself: `cw.positive([1, -2])` is [1, -2]. */
export const positive = unary("positive", {
  accepts: "numeric",
  result: "same",
  real: (x) => x,
  complex: (z) => z,
});
/** x²: `cw.square([3])` is [9]. */
export const square = unary("square", {
  accepts: "numeric",
  result: "same",
  real: (x) => s.mul(x, x),
  complex: c.square,
});
/** 1 / x: `cw.reciprocal([4])` is [0.25]. */
export const reciprocal = unary("reciprocal", {
  accepts: "numeric",
  result: "floating",
  real: (x) => s.div(s.one(x.type), x),
  complex: c.reciprocal,
});
/** The absolute value, of complex numbers the modulus: `cw.abs([-2, 3])` is [2, 3]. */
export const abs = unary("abs", {
  accepts: "numeric",
  result: "real",
  real: absBody,
  complex: c.abs,
});
/** −1, 0 or 1: `cw.sign([-3, 0, 5])` is [-1, 0, 1]. */
export const sign = unary("sign", {
  accepts: "numeric",
  result: "same",
  real: signBody,
  complex: c.sign,
});

const wholeNumber =
  (body: (x: s.Term) => s.Term): ((x: s.Term) => s.Term) =>
  (x) =>
    isFloat(x.type) ? body(x) : x;
/** The next whole number below: `cw.floor([-1.2])` is [-2]. */
export const floor = unary("floor", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.floor),
});
/** The next whole number above: `cw.ceil([1.2])` is [2]. */
export const ceil = unary("ceil", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.ceil),
});
/** Without its fraction: `cw.trunc([-1.7])` is [-1]. */
export const trunc = unary("trunc", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.trunc),
});
/** The nearest whole number, the even one of two: `cw.round([0.5, 1.5])` is [0, 2]. */
export const round = unary("round", {
  accepts: "numeric",
  result: "same",
  real: wholeNumber(s.nearest),
  complex: c.round,
});

// A bool max is an or: the same order, false before true.
/** The larger of both: `cw.maximum([1, 5], 3)` is [3, 5]. */
export const maximum = binary("maximum", {
  ...REORDERS,
  accepts: "realOrBool",
  result: "same",
  real: s.max,
});
/** The smaller of both: `cw.minimum([1, 5], 3)` is [1, 3]. */
export const minimum = binary("minimum", {
  ...REORDERS,
  accepts: "realOrBool",
  result: "same",
  real: s.min,
});

/** The absolute value of x1 with the sign of x2: `cw.copysign([1], [-0.5])` is [-1]. */
export const copysign = binary("copysign", {
  accepts: "real",
  result: "floating",
  real: s.copysign,
});
/** The next floating number after x1 towards x2: `cw.nextafter([0], [1])` is [5e-324]. */
export const nextafter = binary("nextafter", {
  accepts: "real",
  result: "floating",
  real: s.nextafter,
});
/** √(x1² + x2²), which does not overflow: `cw.hypot([3], [4])` is [5]. */
export const hypot = binary("hypot", {
  accepts: "real",
  result: "floating",
  real: s.hypot,
});
/** The angle of the point (x2, x1): `cw.atan2(1, -1)` is 3π/4. */
export const atan2 = binary("atan2", {
  work: 2 * FUNCTION_WORK,
  accepts: "real",
  result: "floating",
  real: s.atan2,
});

/** The real part: `cw.real([cw.complex(1, 2)])` is [1]. */
export const real = unary("real", {
  accepts: "numeric",
  result: "real",
  real: (x) => x,
  complex: (z) => z.re,
});
/** The imaginary part: `cw.imag([cw.complex(1, 2)])` is [2]. */
export const imag = unary("imag", {
  accepts: "numeric",
  result: "real",
  real: (x) => s.zero(x.type),
  complex: (z) => z.im,
});
/** The complex conjugate: `cw.conj([cw.complex(1, 2)])` is [1-2j]. */
export const conj = unary("conj", {
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
