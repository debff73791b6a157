// The standard's elementwise functions: one line each, all of it said by the op table.

import { DTypeError } from "../../core/errors.ts";
import { makeExpr } from "../../expr/expr.ts";
import * as a from "../../ops/elementwise/arithmetic.ts";
import { where as whereOp } from "../../ops/elementwise/choice.ts";
import type { ElementwiseFunction } from "../../ops/elementwise/define.ts";
import * as e from "../../ops/elementwise/exponential.ts";
import * as l from "../../ops/elementwise/logic.ts";
import * as p from "../../ops/elementwise/special.ts";
import { checkKind } from "../../ops/kinds.ts";
import {
  type Built,
  built,
  castTo,
  elementwiseCall,
  type OutOption,
  promoteOperands,
  withOut,
} from "../build.ts";
import { userCall } from "../call.ts";
import { asLazy, type LazyArray, type Operand } from "../lazyArray.ts";

export type UnaryFunction = <O = unknown>(x: Operand<O>, options?: OutOption) => LazyArray<O>;
export type BinaryFunction = <P = unknown, Q = unknown>(
  x1: Operand<P>,
  x2: Operand<Q>,
  options?: OutOption,
) => LazyArray<P & Q>;

const unary = (op: ElementwiseFunction): UnaryFunction =>
  userCall(op.name, (x: Operand, options?: OutOption): Built => elementwiseCall(op, [x], options), [
    1,
    "out",
  ]);
const binary = (op: ElementwiseFunction): BinaryFunction =>
  userCall(
    op.name,
    (x: Operand, y: Operand, options?: OutOption): Built => elementwiseCall(op, [x, y], options),
    [2, "out"],
  );

export const abs: UnaryFunction = unary(a.abs);
export const acos: UnaryFunction = unary(e.acos);
export const acosh: UnaryFunction = unary(e.acosh);
export const add: BinaryFunction = binary(a.add);
export const asin: UnaryFunction = unary(e.asin);
export const asinh: UnaryFunction = unary(e.asinh);
export const atan: UnaryFunction = unary(e.atan);
export const atan2: BinaryFunction = binary(a.atan2);
export const atanh: UnaryFunction = unary(e.atanh);
export const bitwiseAnd: BinaryFunction = binary(l.bitwiseAnd);
export const bitwiseInvert: UnaryFunction = unary(l.bitwiseInvert);
export const bitwiseLeftShift: BinaryFunction = binary(l.bitwiseLeftShift);
export const bitwiseOr: BinaryFunction = binary(l.bitwiseOr);
export const bitwiseRightShift: BinaryFunction = binary(l.bitwiseRightShift);
export const bitwiseXor: BinaryFunction = binary(l.bitwiseXor);
export const ceil: UnaryFunction = unary(a.ceil);
export const conj: UnaryFunction = unary(a.conj);
export const copysign: BinaryFunction = binary(a.copysign);
export const cos: UnaryFunction = unary(e.cos);
export const cosh: UnaryFunction = unary(e.cosh);
export const divide: BinaryFunction = binary(a.divide);
export const equal: BinaryFunction = binary(l.equal);
export const exp: UnaryFunction = unary(e.exp);
export const expm1: UnaryFunction = unary(e.expm1);
export const floor: UnaryFunction = unary(a.floor);
export const floorDivide: BinaryFunction = binary(a.floorDivide);
export const greater: BinaryFunction = binary(l.greater);
export const greaterEqual: BinaryFunction = binary(l.greaterEqual);
export const hypot: BinaryFunction = binary(a.hypot);
export const imag: UnaryFunction = unary(a.imag);
export const isfinite: UnaryFunction = unary(l.isfinite);
export const isinf: UnaryFunction = unary(l.isinf);
export const isnan: UnaryFunction = unary(l.isnan);
export const less: BinaryFunction = binary(l.less);
export const lessEqual: BinaryFunction = binary(l.lessEqual);
export const log: UnaryFunction = unary(e.log);
export const log1p: UnaryFunction = unary(e.log1p);
export const log1mexp: UnaryFunction = unary(p.log1mexp);
export const log2: UnaryFunction = unary(e.log2);
export const log10: UnaryFunction = unary(e.log10);
export const logaddexp: BinaryFunction = binary(e.logaddexp);
export const logicalAnd: BinaryFunction = binary(l.logicalAnd);
export const logicalNot: UnaryFunction = unary(l.logicalNot);
export const logicalOr: BinaryFunction = binary(l.logicalOr);
export const logicalXor: BinaryFunction = binary(l.logicalXor);
export const maximum: BinaryFunction = binary(a.maximum);
export const minimum: BinaryFunction = binary(a.minimum);
export const multiply: BinaryFunction = binary(a.multiply);
export const negative: UnaryFunction = unary(a.negative);
export const nextafter: BinaryFunction = binary(a.nextafter);
export const notEqual: BinaryFunction = binary(l.notEqual);
export const positive: UnaryFunction = unary(a.positive);
export const pow: BinaryFunction = binary(a.pow);
export const real: UnaryFunction = unary(a.real);
export const reciprocal: UnaryFunction = unary(a.reciprocal);
export const remainder: BinaryFunction = binary(a.remainder);
export const round: UnaryFunction = unary(a.round);
export const sigmoid: UnaryFunction = unary(p.sigmoid);
export const sign: UnaryFunction = unary(a.sign);
export const signbit: UnaryFunction = unary(l.signbit);
export const sin: UnaryFunction = unary(e.sin);
export const sinh: UnaryFunction = unary(e.sinh);
export const softplus: UnaryFunction = unary(p.softplus);
export const sqrt: UnaryFunction = unary(e.sqrt);
export const square: UnaryFunction = unary(a.square);
export const subtract: BinaryFunction = binary(a.subtract);
export const tan: UnaryFunction = unary(e.tan);
export const tanh: UnaryFunction = unary(e.tanh);
export const trunc: UnaryFunction = unary(a.trunc);

type WhereFunction = <C = unknown, P = unknown, Q = unknown>(
  condition: Operand<C>,
  x1: Operand<P>,
  x2: Operand<Q>,
) => LazyArray<C & P & Q>;

/** x1 where the condition holds, else x2. */
export const where: WhereFunction = userCall(
  "where",
  (condition: Operand, x1: Operand, x2: Operand): Built => {
    const mask = asLazy(condition);
    if (mask.dtype !== "bool") {
      throw new DTypeError({
        what: `the condition is ${mask.dtype}, not bool`,
        cure: "Compare first, for example x.greater(0)",
      });
    }
    const { exprs, parents } = promoteOperands([x1, x2], (dtype) => dtype);
    return built(makeExpr(whereOp, [mask.expr, ...exprs]), [mask, ...parents]);
  },
);

type ClipFunction = <O = unknown, P = unknown, Q = unknown>(
  x: Operand<O>,
  min?: Operand<P> | null,
  max?: Operand<Q> | null,
  options?: OutOption,
) => LazyArray<O & P & Q>;

/** min(max(x, lower), upper), in the dtype of x. */
export const clip: ClipFunction = userCall(
  "clip",
  (x: Operand, lower?: Operand | null, upper?: Operand | null, options?: OutOption): Built => {
    const array = asLazy(x);
    checkKind("real", array.dtype);
    const floored =
      lower === undefined || lower === null ? array : elementwiseCall(a.maximum, [array, lower]);
    const clipped =
      upper === undefined || upper === null ? floored : elementwiseCall(a.minimum, [floored, upper]);
    const bounded = clipped === array ? elementwiseCall(a.positive, [array]) : clipped;
    return withOut(castTo(bounded, array.dtype) as Built, options);
  },
  [3, "out"],
);
