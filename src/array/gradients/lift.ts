// From the scalar language to arrays: what a pullback says of one element, said of all. In: a term, and the arrays that its
// registers stand for. Out: an expression of the ops that compute what its primitives do.
// Must hold: constants take the dtype of the arrays, so that what is written for real numbers is right for complex ones.

import type { DType } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import type { Prim, Term } from "../../kernel/scalar.ts";
import { scalarExpr } from "../../lazy/build.ts";
import * as e from "../../ops/elementwise/index.ts";

/** The op that does what a primitive does. */
const OP_OF: { readonly [P in Prim]?: Op } = {
  ...{ add: e.add, sub: e.subtract, mul: e.multiply, div: e.divide, neg: e.negative, abs: e.abs },
  ...{ min: e.minimum, max: e.maximum, pow: e.pow, copysign: e.copysign, hypot: e.hypot, atan2: e.atan2 },
  ...{ floor: e.floor, ceil: e.ceil, trunc: e.trunc, nearest: e.round },
  ...{ sqrt: e.sqrt, exp: e.exp, expm1: e.expm1, log: e.log, log1p: e.log1p, log2: e.log2, log10: e.log10 },
  ...{ sin: e.sin, cos: e.cos, tan: e.tan, asin: e.asin, acos: e.acos, atan: e.atan },
  ...{ sinh: e.sinh, cosh: e.cosh, tanh: e.tanh, asinh: e.asinh, acosh: e.acosh, atanh: e.atanh },
  ...{ eq: e.equal, ne: e.notEqual, lt: e.less, le: e.lessEqual, gt: e.greater, ge: e.greaterEqual },
  ...{ and: e.logicalAnd, or: e.logicalOr, not: e.logicalNot, select: e.where, rarely: e.where },
};

/** Terms of one pullback share what they have in common. */
export function lifter(registers: readonly Expr[], dtype: DType): (term: Term) => Expr {
  const known = new Map<Term, Expr>();
  const lifted = (term: Term): Expr => {
    let found = known.get(term);
    if (found === undefined) {
      found = made(term);
      known.set(term, found);
    }
    return found;
  };
  const made = (term: Term): Expr => {
    if (term.prim === "register") return registers[Number(term.imm)]!;
    if (term.prim === "const")
      return scalarExpr(
        term.type === "bool" ? term.imm !== 0 : term.imm,
        term.type === "bool" ? "bool" : dtype,
      );
    const op = OP_OF[term.prim];
    if (op !== undefined) return makeExpr(op, term.args.map(lifted));
    throw new InvariantError({ what: `a pullback has ${term.prim}, which no op computes` });
  };
  return lifted;
}
