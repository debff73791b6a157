// Comparisons, tests, logical and bitwise functions.

import { isFloat } from "../../core/dtype.ts";
import * as c from "../../kernel/complex/arithmetic.ts";
import * as s from "../../kernel/scalar.ts";
import { type Binary, binary, REORDERS, type Unary, unary } from "../define.ts";
import { comparedTimes } from "../timeOps.ts";

const ordered = (name: string, real: (x: s.Term, y: s.Term) => s.Term): Binary<"bool"> =>
  binary(name, {
    accepts: "realOrBool",
    result: "bool",
    real,
    ofTimes: (operands) => comparedTimes(name, operands),
  });
const test = (
  name: string,
  real: (x: s.Term) => s.Term,
  complex: (z: s.ComplexTerm) => s.Term,
): Unary<"bool"> => unary(name, { accepts: "any", result: "bool", real, complex });
/** The operands' truth, joined. */
const logical = (name: string, join: (x: s.Term, y: s.Term) => s.Term): Binary<"bool"> =>
  binary(name, {
    ...REORDERS,
    accepts: "any",
    result: "bool",
    real: (x, y) => join(s.nonZero(x), s.nonZero(y)),
    complex: (x, y) => join(c.nonZero(x), c.nonZero(y)),
  });
const bitwise = (name: string, real: (x: s.Term, y: s.Term) => s.Term): Binary<"same"> =>
  binary(name, { ...REORDERS, accepts: "integerOrBool", result: "same", real });

/** x1 = x2: `cw.equal([1, 2], 2)` is [false, true]. */
export const equal = binary("equal", {
  commutative: true,
  accepts: "any",
  result: "bool",
  real: s.eq,
  complex: c.equal,
  ofTimes: (operands) => comparedTimes("equal", operands),
});
/** x1 ≠ x2: `cw.notEqual([1, 2], 2)` is [true, false]. */
export const notEqual = binary("notEqual", {
  commutative: true,
  accepts: "any",
  result: "bool",
  real: s.ne,
  complex: c.notEqual,
  ofTimes: (operands) => comparedTimes("notEqual", operands),
});
/** x1 < x2: `cw.less([1, 3], 2)` is [true, false]. */
export const less = ordered("less", s.lt);
/** x1 ≤ x2: `cw.lessEqual([2, 3], 2)` is [true, false]. */
export const lessEqual = ordered("lessEqual", s.le);
/** x1 > x2: `cw.greater([1, 3], 2)` is [false, true]. */
export const greater = ordered("greater", s.gt);
/** x1 ≥ x2: `cw.greaterEqual([1, 2], 2)` is [false, true]. */
export const greaterEqual = ordered("greaterEqual", s.ge);

/** Is it not a number: `cw.isnan([1, NaN])` is [false, true]. */
export const isnan = test("isnan", s.isNaN_, c.isnan);
/** Is it infinite: `cw.isinf([1, Infinity])` is [false, true]. */
export const isinf = test("isinf", s.isInf, c.isinf);
/** Is it neither infinite nor NaN: `cw.isfinite([1, Infinity])` is [true, false]. */
export const isfinite = test("isfinite", s.isFinite_, c.isfinite);
/** Is the sign negative, of −0 too: `cw.signbit([-2, 3])` is [true, false]. */
export const signbit = unary("signbit", {
  accepts: "real",
  result: "bool",
  real: (x) => (isFloat(x.type) ? s.signbit(x) : s.lt(x, s.zero(x.type))),
});

/** Do both hold: `cw.logicalAnd([true, true], [true, false])` is [true, false]. */
export const logicalAnd = logical("logicalAnd", s.and);
/** Does either hold: `cw.logicalOr([true, false], [false, false])` is [true, false]. */
export const logicalOr = logical("logicalOr", s.or);
/** Does one of both hold: `cw.logicalXor([true, true], [true, false])` is [false, true]. */
export const logicalXor = logical("logicalXor", s.xor);
/** Does it not hold: `cw.logicalNot([true, false])` is [false, true]. */
export const logicalNot = test(
  "logicalNot",
  (x) => s.not(s.nonZero(x)),
  (z) => s.not(c.nonZero(z)),
);

/** Bits that both have: `cw.bitwiseAnd([6], [3])` is [2]. */
export const bitwiseAnd = bitwise("bitwiseAnd", s.and);
/** Bits that either has: `cw.bitwiseOr([6], [3])` is [7]. */
export const bitwiseOr = bitwise("bitwiseOr", s.or);
/** Bits that one of both has: `cw.bitwiseXor([6], [3])` is [5]. */
export const bitwiseXor = bitwise("bitwiseXor", s.xor);
/** All bits the other way: `cw.bitwiseInvert([0])` is [-1]. */
export const bitwiseInvert = unary("bitwiseInvert", {
  accepts: "integerOrBool",
  result: "same",
  real: s.not,
});
/** Bits moved up: `cw.bitwiseLeftShift([1], [3])` is [8]. */
export const bitwiseLeftShift = binary("bitwiseLeftShift", {
  accepts: "integer",
  result: "same",
  real: s.shl,
});
/** Bits moved down: `cw.bitwiseRightShift([8], [3])` is [1]. */
export const bitwiseRightShift = binary("bitwiseRightShift", {
  accepts: "integer",
  result: "same",
  real: s.shr,
});
