// Arithmetic, rounding and sign.

import { isFloat } from "../../core/dtype.ts";
import { Complex } from "../../core/numbers.ts";
import type { PulledTerms } from "../../expr/pullback.ts";
import * as c from "../../kernel/complex/arithmetic.ts";
import { pow as complexPow } from "../../kernel/complex/exponential.ts";
import * as s from "../../kernel/scalar.ts";
import { binary, FUNCTION_WORK, REORDERS, unary } from "../define.ts";
import { addedTimes } from "../timeOps.ts";

/** x1 + x2: `cw.add([1, 2], 10)` is [11, 12]. */
export const add = binary("add", {
  ...REORDERS,
  accepts: "numeric",
  result: "same",
  real: s.add,
  complex: c.add,
  pull: ({ g }) => [g, g],
  ofTimes: (operands) => addedTimes(operands, false),
});
/** x1 − x2: `cw.subtract([5], [2])` is [3]. */
export const subtract = binary("subtract", {
  accepts: "numeric",
  result: "same",
  real: s.sub,
  complex: c.subtract,
  pull: ({ g }) => [g, s.neg(g)],
  ofTimes: (operands) => addedTimes(operands, true),
});
/** x1 · x2: `cw.multiply([1, 2], 3)` is [3, 6]. */
export const multiply = binary("multiply", {
  ...REORDERS,
  accepts: "numeric",
  result: "same",
  real: s.mul,
  complex: c.multiply,
  pull: ({ g, x, y }) => [s.mul(g, y), s.mul(g, x)],
});
/** x1 / x2, in floating numbers: `cw.divide([1], [2])` is [0.5]. */
export const divide = binary("divide", {
  accepts: "numeric",
  result: "floating",
  real: s.div,
  complex: c.divide,
  pull: ({ g, y, f }) => [s.div(g, y), s.neg(s.div(s.mul(g, f), y))],
});
/** ⌊x1 / x2⌋: `cw.floorDivide([-7], [2])` is [-4]. */
export const floorDivide = binary("floorDivide", {
  accepts: "real",
  result: "same",
  real: floorDivideBody,
  pull: () => [null, null],
});
/** x1 − x2·⌊x1 / x2⌋, with the sign of x2: `cw.remainder([-7], [3])` is [2]. */
export const remainder = binary("remainder", {
  accepts: "real",
  result: "same",
  real: remainderBody,
  pull: ({ g, x, y }) => [g, s.neg(s.mul(g, s.floor(s.div(x, y))))],
});
/** x1 to the power of x2: `cw.pow([2], [10])` is [1024]. */
export const pow = binary("pow", {
  work: 2 * FUNCTION_WORK,
  accepts: "numeric",
  result: "same",
  real: powBody,
  complex: complexPow,
  pull: powPull,
});
/** −x: `cw.negative([1, -2])` is [-1, 2]. */
export const negative = unary("negative", {
  accepts: "numeric",
  result: "same",
  real: s.neg,
  complex: c.negative,
  pull: ({ g }) => [s.neg(g)],
});
/** x itself: `cw.positive([1, -2])` is [1, -2]. */
export const positive = unary("positive", {
  accepts: "numeric",
  result: "same",
  real: (x) => x,
  complex: (z) => z,
  pull: ({ g }) => [g],
});
/** x²: `cw.square([3])` is [9]. */
export const square = unary("square", {
  accepts: "numeric",
  result: "same",
  real: (x) => s.mul(x, x),
  complex: c.square,
  pull: ({ g, x }) => [s.mul(g, s.mul(two(x), x))],
});
/** 1 / x: `cw.reciprocal([4])` is [0.25]. */
export const reciprocal = unary("reciprocal", {
  accepts: "numeric",
  result: "floating",
  real: (x) => s.div(s.one(x.type), x),
  complex: c.reciprocal,
  pull: ({ g, f }) => [s.neg(s.mul(g, s.mul(f, f)))],
});
/** The absolute value, of complex numbers the modulus: `cw.abs([-2, 3])` is [2, 3]. */
export const abs = unary("abs", {
  accepts: "numeric",
  result: "real",
  real: absBody,
  complex: c.abs,
  pull: ({ g, x }) => [s.mul(g, signBody(x))],
  // |z| grows along z: conj(z) / |z|, and 0 at 0.
  pullback: ({ inputs: [z], result, cotangent }, use) => {
    const length = use.where(use.two("equal", result, 0), 1, result);
    return [use.two("multiply", use.two("divide", cotangent, length), use.conj(z!))];
  },
});
/** −1, 0 or 1: `cw.sign([-3, 0, 5])` is [-1, 0, 1]. */
export const sign = unary("sign", {
  accepts: "numeric",
  result: "same",
  real: signBody,
  complex: c.sign,
  pull: () => [null],
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
  pull: () => [null],
});
/** The next whole number above: `cw.ceil([1.2])` is [2]. */
export const ceil = unary("ceil", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.ceil),
  pull: () => [null],
});
/** Without its fraction: `cw.trunc([-1.7])` is [-1]. */
export const trunc = unary("trunc", {
  accepts: "real",
  result: "same",
  real: wholeNumber(s.trunc),
  pull: () => [null],
});
/** The nearest whole number, the even one of two: `cw.round([0.5, 1.5])` is [0, 2]. */
export const round = unary("round", {
  accepts: "numeric",
  result: "same",
  real: wholeNumber(s.nearest),
  complex: c.round,
  pull: () => [null],
});

// A bool max is an or: the same order, false before true.
/** The larger of both: `cw.maximum([1, 5], 3)` is [3, 5]. */
export const maximum = binary("maximum", {
  ...REORDERS,
  accepts: "realOrBool",
  result: "same",
  real: s.max,
  pull: sharedPull,
});
/** The smaller of both: `cw.minimum([1, 5], 3)` is [1, 3]. */
export const minimum = binary("minimum", {
  ...REORDERS,
  accepts: "realOrBool",
  result: "same",
  real: s.min,
  pull: sharedPull,
});

/** The absolute value of x1 with the sign of x2: `cw.copysign([1], [-0.5])` is [-1]. */
export const copysign = binary("copysign", {
  accepts: "real",
  result: "floating",
  real: s.copysign,
  pull: ({ g, x, y }) => [s.mul(g, s.mul(signBody(x), s.copysign(s.one(y.type), y))), null],
});
/** The next floating number after x1 towards x2: `cw.nextafter([0], [1])` is [5e-324]. */
export const nextafter = binary("nextafter", {
  accepts: "real",
  result: "floating",
  real: s.nextafter,
  // One step from x1, wherever that is.
  pull: ({ g }) => [g, null],
});
/** √(x1² + x2²), which does not overflow: `cw.hypot([3], [4])` is [5]. */
export const hypot = binary("hypot", {
  accepts: "real",
  result: "floating",
  real: s.hypot,
  pull: ({ g, x, y, f }) => {
    const length = s.select(s.isZero(f), s.one(f.type), f);
    return [s.mul(g, s.div(x, length)), s.mul(g, s.div(y, length))];
  },
});
/** The angle of the point (x2, x1): `cw.atan2(1, -1)` is 3π/4. */
export const atan2 = binary("atan2", {
  work: 2 * FUNCTION_WORK,
  accepts: "real",
  result: "floating",
  real: s.atan2,
  pull: ({ g, x, y }) => {
    const share = s.div(g, s.add(s.mul(x, x), s.mul(y, y)));
    return [s.mul(share, y), s.neg(s.mul(share, x))];
  },
});

/** The real part: `cw.real([cw.complex(1, 2)])` is [1]. */
export const real = unary("real", {
  accepts: "numeric",
  result: "real",
  real: (x) => x,
  complex: (z) => z.re,
  pull: ({ g }) => [g],
  pullback: ({ inputs: [z], cotangent }, use) => [use.cast(cotangent, z!.dtype)],
});
/** The imaginary part: `cw.imag([cw.complex(1, 2)])` is [2]. */
export const imag = unary("imag", {
  accepts: "numeric",
  result: "real",
  real: (x) => s.zero(x.type),
  complex: (z) => z.im,
  pull: () => [null],
  // JAX's convention: ∂/∂re − i ∂/∂im.
  pullback: ({ inputs: [z], cotangent }, use) => [
    use.node("multiply", [use.cast(cotangent, z!.dtype), use.constant(new Complex(0, -1), z!.dtype)], {}),
  ],
});
/** The complex conjugate: `cw.conj([cw.complex(1, 2)])` is [1-2j]. */
export const conj = unary("conj", {
  accepts: "numeric",
  result: "same",
  real: (x) => x,
  complex: c.conj,
  pull: ({ g }) => [g],
  pullback: ({ cotangent }, use) => [use.conj(cotangent)],
});

const two = (x: s.Term): s.Term => s.constant(x.type, 2);

/** g·y·x^(y−1), where y = 0 gives 0; g·xʸ·log x, where x = 0 gives 0. */
function powPull({ g, x, y, f }: PulledTerms): s.Term[] {
  const less = s.select(s.isZero(y), s.one(y.type), s.sub(y, s.one(y.type)));
  const base = s.select(s.isZero(x), s.one(x.type), x);
  return [s.mul(g, s.mul(y, s.pow(x, less))), s.mul(g, s.mul(f, s.log(base)))];
}

/** To the one that was chosen; to each a half where both were. */
function sharedPull({ g, x, y, f }: PulledTerms): s.Term[] {
  const share = s.select(s.eq(x, y), s.mul(g, s.constant(g.type, 0.5)), g);
  const to = (operand: s.Term): s.Term => s.select(s.eq(operand, f), share, s.zero(g.type));
  return [to(x), to(y)];
}

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
