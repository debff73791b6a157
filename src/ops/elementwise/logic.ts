// Comparisons, tests, logical and bitwise functions.

import { isFloat } from "../../core/dtype.ts";
import * as s from "../../kernel/scalar.ts";
import * as c from "../complex/arithmetic.ts";
import { type Binary, binary, REORDERS, type Unary, unary } from "./define.ts";

const ordered = (name: string, real: (x: s.Term, y: s.Term) => s.Term): Binary<"bool"> =>
  binary(name, { accepts: "realOrBool", result: "bool", real });
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

export const equal: Binary<"bool"> = binary("equal", {
  commutative: true,
  accepts: "any",
  result: "bool",
  real: s.eq,
  complex: c.equal,
});
export const notEqual: Binary<"bool"> = binary("notEqual", {
  commutative: true,
  accepts: "any",
  result: "bool",
  real: s.ne,
  complex: c.notEqual,
});
export const less: Binary<"bool"> = ordered("less", s.lt);
export const lessEqual: Binary<"bool"> = ordered("lessEqual", s.le);
export const greater: Binary<"bool"> = ordered("greater", s.gt);
export const greaterEqual: Binary<"bool"> = ordered("greaterEqual", s.ge);

export const isnan: Unary<"bool"> = test("isnan", s.isNaN_, c.isnan);
export const isinf: Unary<"bool"> = test("isinf", s.isInf, c.isinf);
export const isfinite: Unary<"bool"> = test("isfinite", s.isFinite_, c.isfinite);
export const signbit: Unary<"bool"> = unary("signbit", {
  accepts: "real",
  result: "bool",
  real: (x) => (isFloat(x.type) ? s.signbit(x) : s.lt(x, s.zero(x.type))),
});

export const logicalAnd: Binary<"bool"> = logical("logicalAnd", s.and);
export const logicalOr: Binary<"bool"> = logical("logicalOr", s.or);
export const logicalXor: Binary<"bool"> = logical("logicalXor", s.xor);
export const logicalNot: Unary<"bool"> = test(
  "logicalNot",
  (x) => s.not(s.nonZero(x)),
  (z) => s.not(c.nonZero(z)),
);

export const bitwiseAnd: Binary<"same"> = bitwise("bitwiseAnd", s.and);
export const bitwiseOr: Binary<"same"> = bitwise("bitwiseOr", s.or);
export const bitwiseXor: Binary<"same"> = bitwise("bitwiseXor", s.xor);
export const bitwiseInvert: Unary<"same"> = unary("bitwiseInvert", {
  accepts: "integerOrBool",
  result: "same",
  real: s.not,
});
export const bitwiseLeftShift: Binary<"same"> = binary("bitwiseLeftShift", {
  accepts: "integer",
  result: "same",
  real: s.shl,
});
export const bitwiseRightShift: Binary<"same"> = binary("bitwiseRightShift", {
  accepts: "integer",
  result: "same",
  real: s.shr,
});
