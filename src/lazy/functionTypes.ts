// The types of public functions by how their results' dtypes follow, and beside each how it reads as a method
// ("~method", for types only): methods.ts makes the methods of LazyArray from these. A method learns its array's
// dtype and outputs from `this`, so that arrays of a known dtype remain arrays.

import type { AxisArgument } from "../core/chunks.ts";
import type { DType, Result, ResultRule } from "../core/dtype.ts";
import type { Promote } from "../core/numbers.ts";
import type { Called, LazyArray, Operand, OtherArray } from "./lazyArray.ts";
import type { ArrayDType, Meet, MeetWith, OutputsOf, Said } from "./operandTypes.ts";

/** The option `out` of elementwise functions. */
export interface OutOption<E extends DType = DType> {
  /** A lazy array whose dtype and shape the result takes. A plain array is a TypeError: nothing is written in place. */
  readonly out?: LazyArray<E> | undefined;
}

/** The option `dtype` of sums and products. */
export interface DTypeOption<E extends DType = DType> {
  /** In which dtype it is computed, and the result is. */
  readonly dtype?: E | null | undefined;
}

/** An elementwise function of one operand: `cw.abs(x)`, `x.abs()`. `R` is the rule of its result's dtype. */
export interface UnaryFunction<R extends ResultRule = ResultRule> {
  <X extends OtherArray>(x: X): Called<X>;
  <const A extends Operand, E extends DType = never>(
    x: A,
    options?: OutOption<E>,
  ): LazyArray<Said<E, Result<ArrayDType<A>, R>>, OutputsOf<A>>;
  readonly "~method"?: <D extends DType, O, E extends DType = never>(
    this: LazyArray<D, O>,
    options?: OutOption<E>,
  ) => LazyArray<Said<E, Result<D, R>>, O>;
}

/** An elementwise function of two operands: `cw.add(x, y)`, `x.add(y)`. Its rule is applied to where they meet. */
export interface BinaryFunction<R extends ResultRule = ResultRule> {
  <X extends OtherArray, Y>(x1: X, x2: Y): Called<X | Y>;
  <X, Y extends OtherArray>(x1: X, x2: Y): Called<X | Y>;
  <const A extends Operand, const B extends Operand, E extends DType = never>(
    x1: A,
    x2: B,
    options?: OutOption<E>,
  ): LazyArray<Said<E, Result<Meet<A, B>, R>>, OutputsOf<A> & OutputsOf<B>>;
  readonly "~method"?: <D extends DType, O, const B extends Operand, E extends DType = never>(
    this: LazyArray<D, O>,
    other: B,
    options?: OutOption<E>,
  ) => LazyArray<Said<E, Result<MeetWith<D, B>, R>>, O & OutputsOf<B>>;
}

/** A function of one array whose result's dtype follows by a rule: `cw.reshape(x, [2, 3])`, `cw.argmax(x)`. */
export interface ArrayFunction<R extends ResultRule, Args extends readonly unknown[] = []> {
  <const A extends Operand>(x: A, ...args: Args): LazyArray<Result<ArrayDType<A>, R>, OutputsOf<A>>;
  readonly "~method"?: <D extends DType, O>(
    this: LazyArray<D, O>,
    ...args: Args
  ) => LazyArray<Result<D, R>, O>;
}

/** Options of reductions: `cw.sum(x, {axis: 0, keepdims: true})`. */
export interface ReduceOptions {
  /** One axis, several, or all of them. */
  readonly axis?: AxisArgument;
  /** Leaves an axis of one in the place of each that is reduced. */
  readonly keepdims?: boolean | undefined;
}

/** Options of reductions of nested arrays. */
export interface NestedReduceOptions {
  /** Null, or nothing: all axes. */
  readonly axis?: number | null | undefined;
  /** Leaves lists of one in the place of what is reduced. */
  readonly keepdims?: boolean | undefined;
  /** Null for what has no elements; minima, maxima and their places do so unless told otherwise. */
  readonly maskIdentity?: boolean | undefined;
  /** Of mean, var and std: how much each value counts, an array that broadcasts with it. */
  readonly weight?: object | undefined;
  /** Of min and max: the result is no more, or no less, than this; and this where there is nothing and maskIdentity is false. */
  readonly initial?: number | bigint | undefined;
}

/** One value where all axes are reduced and none is kept. */
type Reduced<X, O> = O extends { readonly axis: number } | { readonly keepdims: true }
  ? Called<X>
  : Called<X, "value">;

type NestedReduce<Nested> = <X extends OtherArray, const O extends Nested | undefined = undefined>(
  x: X,
  options?: O,
) => Reduced<X, O>;

/** A reduction over axes whose result has a dtype by a rule: `cw.max(x, {axis: 0})`. */
export interface ReduceFunction<R extends ResultRule, Options = ReduceOptions, Nested = NestedReduceOptions>
  extends NestedReduce<Nested>,
    ArrayFunction<R, [options?: Options]> {}

/** A function that adds up, in a dtype that may be named: `cw.sum(x, {dtype: "float32"})`. */
export interface TotalFunction<Options> {
  <const A extends Operand, E extends DType = never>(
    x: A,
    options?: Options & DTypeOption<E>,
  ): LazyArray<Said<E, Result<ArrayDType<A>, "total">>, OutputsOf<A>>;
  readonly "~method"?: <D extends DType, O, E extends DType = never>(
    this: LazyArray<D, O>,
    options?: Options & DTypeOption<E>,
  ) => LazyArray<Said<E, Result<D, "total">>, O>;
}

/** A reduction that adds up. */
export interface SumFunction extends NestedReduce<NestedReduceOptions>, TotalFunction<ReduceOptions> {}

/** A function of two arrays in the dtype where they meet: `cw.matmul(x, y)`. */
export interface PairFunction<Args extends readonly unknown[] = []> {
  <const A extends Operand, const B extends Operand>(
    x1: A,
    x2: B,
    ...args: Args
  ): LazyArray<Promote<ArrayDType<A>, ArrayDType<B>>, OutputsOf<A> & OutputsOf<B>>;
  readonly "~method"?: <D extends DType, O, const B extends Operand>(
    this: LazyArray<D, O>,
    other: B,
    ...args: Args
  ) => LazyArray<Promote<D, ArrayDType<B>>, O & OutputsOf<B>>;
}

/** A function of an array and of what says how it is read: `cw.take(x, [2, 0])`. The rule is of the first. */
export interface GuidedFunction<R extends ResultRule, Args extends readonly unknown[] = []> {
  <const A extends Operand, const B extends Operand>(
    x1: A,
    x2: B,
    ...args: Args
  ): LazyArray<Result<ArrayDType<A>, R>, OutputsOf<A> & OutputsOf<B>>;
  readonly "~method"?: <D extends DType, O, const B extends Operand>(
    this: LazyArray<D, O>,
    other: B,
    ...args: Args
  ) => LazyArray<Result<D, R>, O & OutputsOf<B>>;
}
