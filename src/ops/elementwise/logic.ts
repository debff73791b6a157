// Comparisons, tests, logical and bitwise functions.

import { isFloat } from "../../core/dtype.ts";
import * as s from "../../kernel/scalar.ts";
import * as c from "../complex/arithmetic.ts";
import { binary, type ElementwiseFunction, REORDERS, toBool, unary } from "./define.ts";

type Op = ElementwiseFunction;

const ordered = (name: string, real: (x: s.Term, y: s.Term) => s.Term): ElementwiseFunction =>
  binary(name, { accepts: "realOrBool", result: toBool, real });
const test = (
  name: string,
  real: (x: s.Term) => s.Term,
  complex: (z: s.ComplexTerm) => s.Term,
): ElementwiseFunction => unary(name, { accepts: "any", result: toBool, real, complex });
/** The operands' truth, joined. */
const logical = (name: string, join: (x: s.Term, y: s.Term) => s.Term): ElementwiseFunction =>
  binary(name, {
    ...REORDERS,
    accepts: "any",
    result: toBool,
    real: (x, y) => join(s.nonZero(x), s.nonZero(y)),
    complex: (x, y) => join(c.nonZero(x), c.nonZero(y)),
  });
const bitwise = (name: string, real: (x: s.Term, y: s.Term) => s.Term): ElementwiseFunction =>
  binary(name, { ...REORDERS, accepts: "integerOrBool", real });

export const equal: Op = binary("equal", {
  commutative: true,
  accepts: "any",
  result: toBool,
  real: s.eq,
  complex: c.equal,
});
export const notEqual: Op = binary("notEqual", {
  commutative: true,
  accepts: "any",
  result: toBool,
  real: s.ne,
  complex: c.notEqual,
});
export const less: Op = ordered("less", s.lt);
export const lessEqual: Op = ordered("lessEqual", s.le);
export const greater: Op = ordered("greater", s.gt);
export const greaterEqual: Op = ordered("greaterEqual", s.ge);

export const isnan: Op = test("isnan", s.isNaN_, c.isnan);
export const isinf: Op = test("isinf", s.isInf, c.isinf);
export const isfinite: Op = test("isfinite", s.isFinite_, c.isfinite);
export const signbit: Op = unary("signbit", {
  accepts: "real",
  result: toBool,
  real: (x) => (isFloat(x.type) ? s.signbit(x) : s.lt(x, s.zero(x.type))),
});

export const logicalAnd: Op = logical("logicalAnd", s.and);
export const logicalOr: Op = logical("logicalOr", s.or);
export const logicalXor: Op = logical("logicalXor", s.xor);
export const logicalNot: Op = test(
  "logicalNot",
  (x) => s.not(s.nonZero(x)),
  (z) => s.not(c.nonZero(z)),
);

export const bitwiseAnd: Op = bitwise("bitwiseAnd", s.and);
export const bitwiseOr: Op = bitwise("bitwiseOr", s.or);
export const bitwiseXor: Op = bitwise("bitwiseXor", s.xor);
export const bitwiseInvert: Op = unary("bitwiseInvert", { accepts: "integerOrBool", real: s.not });
export const bitwiseLeftShift: Op = binary("bitwiseLeftShift", { accepts: "integer", real: s.shl });
export const bitwiseRightShift: Op = binary("bitwiseRightShift", { accepts: "integer", real: s.shr });
