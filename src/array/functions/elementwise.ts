// The standard's elementwise functions: one line each, all of it said by the op table.

import type { DType } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import type { ResultRule } from "../../core/results.ts";
import { makeExpr } from "../../expr/expr.ts";
import * as a from "../../ops/elementwise/arithmetic.ts";
import { where as whereOp } from "../../ops/elementwise/choice.ts";
import type { Binary, Unary } from "../../ops/elementwise/define.ts";
import * as e from "../../ops/elementwise/exponential.ts";
import * as l from "../../ops/elementwise/logic.ts";
import * as p from "../../ops/elementwise/special.ts";
import { checkKind } from "../../ops/kinds.ts";
import { type Built, built, castTo, elementwiseCall, promoteOperands, withOut } from "../build.ts";
import { looseCall, userCall } from "../call.ts";
import type { BinaryFunction, OutOption, UnaryFunction } from "../functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../lazyArray.ts";
import type { ArrayDType, Meet, OutputsOf, Said } from "../operandTypes.ts";

/** The public function of an op: its types follow from the op's arity and rule. */
type Call<F> =
  F extends Unary<infer R> ? UnaryFunction<R> : F extends Binary<infer R> ? BinaryFunction<R> : never;

const unary = <R extends ResultRule>(op: Unary<R>): UnaryFunction<R> =>
  userCall(op.name, (x: Operand, options?: OutOption): Built => elementwiseCall(op, [x], options), [
    1,
    "out",
  ]);
const binary = <R extends ResultRule>(op: Binary<R>): BinaryFunction<R> =>
  userCall(
    op.name,
    (x: Operand, y: Operand, options?: OutOption): Built => elementwiseCall(op, [x, y], options),
    [2, "out"],
  );

/** |x|, of complex numbers the modulus: `cw.abs([-2, 3])` is [2, 3]. */
export const abs: Call<typeof a.abs> = unary(a.abs);
/** The angle whose cosine is x: `cw.acos(1)` is 0. */
export const acos: Call<typeof e.acos> = unary(e.acos);
/** The inverse of cosh: `cw.acosh(1)` is 0. */
export const acosh: Call<typeof e.acosh> = unary(e.acosh);
/** x1 + x2: `cw.add([1, 2], 10)` is [11, 12]. */
export const add: Call<typeof a.add> = binary(a.add);
/** The angle whose sine is x: `cw.asin(0)` is 0. */
export const asin: Call<typeof e.asin> = unary(e.asin);
/** The inverse of sinh: `cw.asinh(0)` is 0. */
export const asinh: Call<typeof e.asinh> = unary(e.asinh);
/** The angle whose tangent is x: `cw.atan(0)` is 0. */
export const atan: Call<typeof e.atan> = unary(e.atan);
/** The angle of the point (x2, x1): `cw.atan2(1, -1)` is 3π/4. */
export const atan2: Call<typeof a.atan2> = binary(a.atan2);
/** The inverse of tanh: `cw.atanh(0)` is 0. */
export const atanh: Call<typeof e.atanh> = unary(e.atanh);
/** Bits that both have: `cw.bitwiseAnd([6], [3])` is [2]. */
export const bitwiseAnd: Call<typeof l.bitwiseAnd> = binary(l.bitwiseAnd);
/** All bits the other way: `cw.bitwiseInvert([0])` is [-1]. */
export const bitwiseInvert: Call<typeof l.bitwiseInvert> = unary(l.bitwiseInvert);
/** Bits moved up: `cw.bitwiseLeftShift([1], [3])` is [8]. */
export const bitwiseLeftShift: Call<typeof l.bitwiseLeftShift> = binary(l.bitwiseLeftShift);
/** Bits that either has: `cw.bitwiseOr([6], [3])` is [7]. */
export const bitwiseOr: Call<typeof l.bitwiseOr> = binary(l.bitwiseOr);
/** Bits moved down: `cw.bitwiseRightShift([8], [3])` is [1]. */
export const bitwiseRightShift: Call<typeof l.bitwiseRightShift> = binary(l.bitwiseRightShift);
/** Bits that one of both has: `cw.bitwiseXor([6], [3])` is [5]. */
export const bitwiseXor: Call<typeof l.bitwiseXor> = binary(l.bitwiseXor);
/** The next whole number above: `cw.ceil([1.2])` is [2]. */
export const ceil: Call<typeof a.ceil> = unary(a.ceil);
/** The complex conjugate: `cw.conj([cw.complex(1, 2)])` is [1-2j]. */
export const conj: Call<typeof a.conj> = unary(a.conj);
/** |x1| with the sign of x2: `cw.copysign([1], [-0.5])` is [-1]. */
export const copysign: Call<typeof a.copysign> = binary(a.copysign);
/** The cosine: `cw.cos(0)` is 1. */
export const cos: Call<typeof e.cos> = unary(e.cos);
/** The hyperbolic cosine: `cw.cosh(0)` is 1. */
export const cosh: Call<typeof e.cosh> = unary(e.cosh);
/** x1 / x2, in floating numbers: `cw.divide([1], [2])` is [0.5]. */
export const divide: Call<typeof a.divide> = binary(a.divide);
/** x1 = x2: `cw.equal([1, 2], 2)` is [false, true]. */
export const equal: Call<typeof l.equal> = binary(l.equal);
/** eˣ: `cw.exp(0)` is 1. */
export const exp: Call<typeof e.exp> = unary(e.exp);
/** eˣ − 1, exact near 0: `cw.expm1(1e-20)` is 1e-20. */
export const expm1: Call<typeof e.expm1> = unary(e.expm1);
/** The next whole number below: `cw.floor([-1.2])` is [-2]. */
export const floor: Call<typeof a.floor> = unary(a.floor);
/** ⌊x1 / x2⌋: `cw.floorDivide([-7], [2])` is [-4]. */
export const floorDivide: Call<typeof a.floorDivide> = binary(a.floorDivide);
/** x1 > x2: `cw.greater([1, 3], 2)` is [false, true]. */
export const greater: Call<typeof l.greater> = binary(l.greater);
/** x1 ≥ x2: `cw.greaterEqual([1, 2], 2)` is [false, true]. */
export const greaterEqual: Call<typeof l.greaterEqual> = binary(l.greaterEqual);
/** √(x1² + x2²), which does not overflow: `cw.hypot([3], [4])` is [5]. */
export const hypot: Call<typeof a.hypot> = binary(a.hypot);
/** The imaginary part: `cw.imag([cw.complex(1, 2)])` is [2]. */
export const imag: Call<typeof a.imag> = unary(a.imag);
/** Is it neither infinite nor NaN: `cw.isfinite([1, Infinity])` is [true, false]. */
export const isfinite: Call<typeof l.isfinite> = unary(l.isfinite);
/** Is it infinite: `cw.isinf([1, Infinity])` is [false, true]. */
export const isinf: Call<typeof l.isinf> = unary(l.isinf);
/** Is it not a number: `cw.isnan([1, NaN])` is [false, true]. */
export const isnan: Call<typeof l.isnan> = unary(l.isnan);
/** x1 < x2: `cw.less([1, 3], 2)` is [true, false]. */
export const less: Call<typeof l.less> = binary(l.less);
/** x1 ≤ x2: `cw.lessEqual([2, 3], 2)` is [true, false]. */
export const lessEqual: Call<typeof l.lessEqual> = binary(l.lessEqual);
/** The natural logarithm: `cw.log(1)` is 0. */
export const log: Call<typeof e.log> = unary(e.log);
/** log(1 + x), exact near 0: `cw.log1p(1e-20)` is 1e-20. */
export const log1p: Call<typeof e.log1p> = unary(e.log1p);
/** log(1 − eˣ), for x below 0: `cw.log1mexp([-1])` is about [-0.459]. */
export const log1mexp: Call<typeof p.log1mexp> = unary(p.log1mexp);
/** The logarithm to base 2: `cw.log2([8])` is [3]. */
export const log2: Call<typeof e.log2> = unary(e.log2);
/** The logarithm to base 10: `cw.log10([1000])` is [3]. */
export const log10: Call<typeof e.log10> = unary(e.log10);
/** log(eˣ¹ + eˣ²), which does not overflow: `cw.logaddexp([1000], [1000])` is about [1000.69]. */
export const logaddexp: Call<typeof e.logaddexp> = binary(e.logaddexp);
/** Do both hold: `cw.logicalAnd([true, true], [true, false])` is [true, false]. */
export const logicalAnd: Call<typeof l.logicalAnd> = binary(l.logicalAnd);
/** Does it not hold: `cw.logicalNot([true, false])` is [false, true]. */
export const logicalNot: Call<typeof l.logicalNot> = unary(l.logicalNot);
/** Does either hold: `cw.logicalOr([true, false], [false, false])` is [true, false]. */
export const logicalOr: Call<typeof l.logicalOr> = binary(l.logicalOr);
/** Does one of both hold: `cw.logicalXor([true, true], [true, false])` is [false, true]. */
export const logicalXor: Call<typeof l.logicalXor> = binary(l.logicalXor);
/** The larger of both: `cw.maximum([1, 5], 3)` is [3, 5]. */
export const maximum: Call<typeof a.maximum> = binary(a.maximum);
/** The smaller of both: `cw.minimum([1, 5], 3)` is [1, 3]. */
export const minimum: Call<typeof a.minimum> = binary(a.minimum);
/** x1 · x2: `cw.multiply([1, 2], 3)` is [3, 6]. */
export const multiply: Call<typeof a.multiply> = binary(a.multiply);
/** −x: `cw.negative([1, -2])` is [-1, 2]. */
export const negative: Call<typeof a.negative> = unary(a.negative);
/** The next floating number after x1 towards x2: `cw.nextafter([0], [1])` is [5e-324]. */
export const nextafter: Call<typeof a.nextafter> = binary(a.nextafter);
/** x1 ≠ x2: `cw.notEqual([1, 2], 2)` is [true, false]. */
export const notEqual: Call<typeof l.notEqual> = binary(l.notEqual);
/** x itself: `cw.positive([1, -2])` is [1, -2]. */
export const positive: Call<typeof a.positive> = unary(a.positive);
/** x1 to the power of x2: `cw.pow([2], [10])` is [1024]. */
export const pow: Call<typeof a.pow> = binary(a.pow);
/** The real part: `cw.real([cw.complex(1, 2)])` is [1]. */
export const real: Call<typeof a.real> = unary(a.real);
/** 1 / x: `cw.reciprocal([4])` is [0.25]. */
export const reciprocal: Call<typeof a.reciprocal> = unary(a.reciprocal);
/** x1 − x2·⌊x1 / x2⌋, with the sign of x2: `cw.remainder([-7], [3])` is [2]. */
export const remainder: Call<typeof a.remainder> = binary(a.remainder);
/** The nearest whole number, the even one of two: `cw.round([0.5, 1.5])` is [0, 2]. */
export const round: Call<typeof a.round> = unary(a.round);
/** 1 / (1 + e⁻ˣ): `cw.sigmoid(0)` is 0.5. */
export const sigmoid: Call<typeof p.sigmoid> = unary(p.sigmoid);
/** −1, 0 or 1: `cw.sign([-3, 0, 5])` is [-1, 0, 1]. */
export const sign: Call<typeof a.sign> = unary(a.sign);
/** Is the sign negative, of −0 too: `cw.signbit([-2, 3])` is [true, false]. */
export const signbit: Call<typeof l.signbit> = unary(l.signbit);
/** The sine: `cw.sin(0)` is 0. */
export const sin: Call<typeof e.sin> = unary(e.sin);
/** The hyperbolic sine: `cw.sinh(0)` is 0. */
export const sinh: Call<typeof e.sinh> = unary(e.sinh);
/** log(1 + eˣ): `cw.softplus(0)` is about 0.693. */
export const softplus: Call<typeof p.softplus> = unary(p.softplus);
/** The square root: `cw.sqrt([9])` is [3]. */
export const sqrt: Call<typeof e.sqrt> = unary(e.sqrt);
/** x²: `cw.square([3])` is [9]. */
export const square: Call<typeof a.square> = unary(a.square);
/** x1 − x2: `cw.subtract([5], [2])` is [3]. */
export const subtract: Call<typeof a.subtract> = binary(a.subtract);
/** The tangent: `cw.tan(0)` is 0. */
export const tan: Call<typeof e.tan> = unary(e.tan);
/** The hyperbolic tangent: `cw.tanh(0)` is 0. */
export const tanh: Call<typeof e.tanh> = unary(e.tanh);
/** Without its fraction: `cw.trunc([-1.7])` is [-1]. */
export const trunc: Call<typeof a.trunc> = unary(a.trunc);

interface WhereFunction {
  <const C extends Operand, const A extends Operand, const B extends Operand>(
    condition: C,
    x1: A,
    x2: B,
  ): LazyArray<Meet<A, B>, OutputsOf<C> & OutputsOf<A> & OutputsOf<B>>;
  readonly "~method"?: <O, const A extends Operand, const B extends Operand>(
    this: LazyArray<DType, O>,
    x1: A,
    x2: B,
  ) => LazyArray<Meet<A, B>, O & OutputsOf<A> & OutputsOf<B>>;
}

/** x1 where the condition holds, else x2: `cw.where([true, false], 1, 2)` is [1, 2]. */
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

type Bound = Operand | null | undefined;
interface ClipOptions<L extends Bound, U extends Bound, E extends DType> extends OutOption<E> {
  readonly min?: L;
  readonly max?: U;
}
interface ClipFunction {
  <
    const A extends Operand,
    const L extends Bound = undefined,
    const U extends Bound = undefined,
    E extends DType = never,
  >(
    x: A,
    min?: L,
    max?: U,
    options?: OutOption<E>,
  ): LazyArray<Said<E, ArrayDType<A>>, OutputsOf<A> & OutputsOf<L> & OutputsOf<U>>;
  <
    const A extends Operand,
    const L extends Bound = undefined,
    const U extends Bound = undefined,
    E extends DType = never,
  >(
    x: A,
    ...options: [min: L, options: Omit<ClipOptions<L, U, E>, "min">] | [options: ClipOptions<L, U, E>]
  ): LazyArray<Said<E, ArrayDType<A>>, OutputsOf<A> & OutputsOf<L> & OutputsOf<U>>;
  readonly "~method"?: {
    <
      D extends DType,
      O,
      const L extends Bound = undefined,
      const U extends Bound = undefined,
      E extends DType = never,
    >(
      this: LazyArray<D, O>,
      min?: L,
      max?: U,
      options?: OutOption<E>,
    ): LazyArray<Said<E, D>, O & OutputsOf<L> & OutputsOf<U>>;
    <
      D extends DType,
      O,
      const L extends Bound = undefined,
      const U extends Bound = undefined,
      E extends DType = never,
    >(
      this: LazyArray<D, O>,
      ...options: [min: L, options: Omit<ClipOptions<L, U, E>, "min">] | [options: ClipOptions<L, U, E>]
    ): LazyArray<Said<E, D>, O & OutputsOf<L> & OutputsOf<U>>;
  };
}

/** min(max(x, lower), upper), in the dtype of x: `cw.clip([1, 5, 9], 2, 8)` is [2, 5, 8]. */
export const clip: ClipFunction = looseCall(
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
  [["x", "min", "max"], "out"],
);
