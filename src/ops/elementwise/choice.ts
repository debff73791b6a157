// Choosing between values: where, whose condition has a dtype of its own, and clip, which is two choices.

import { checkKind, type DType } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import { makeExpr } from "../../expr/expr.ts";
import { broadcastType, type ElementwiseOp } from "../../expr/op.ts";
import * as s from "../../kernel/scalar.ts";
import { type Built, built, castTo, promoteOperands, scalarExpr, withOut } from "../../lazy/build.ts";
import { looseCall, opCall } from "../../lazy/call.ts";
import type { OutOption } from "../../lazy/functionTypes.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, Meet, OutputsOf, Said } from "../../lazy/operandTypes.ts";
import { maximum, minimum, positive } from "./arithmetic.ts";

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

const whereOp: ElementwiseOp = {
  name: "where",
  class: "elementwise",
  infer(inputs) {
    const [condition, x, y] = inputs;
    if (condition!.dtype !== "bool" || x!.dtype !== y!.dtype) {
      throw new DTypeError({
        what: `takes a bool condition and two arrays of one dtype, not ${inputs.map((i) => i.dtype).join(", ")}`,
        cure: "Compare to get a condition; cast the values to one dtype",
      });
    }
    return broadcastType(inputs, x!.dtype);
  },
  body: ([condition, x, y]) => s.selectValue(condition as s.Term, x!, y!),
  pull: ({ g, x }) => [null, s.select(x, g, s.zero(g.type)), s.select(x, s.zero(g.type), g)],
};

/** x1 where the condition holds, else x2: `cw.where([true, false], 1, 2)` is [1, 2]. */
export const where: ElementwiseOp & WhereFunction = opCall(
  whereOp,
  (condition: Operand, x1: Operand, x2: Operand): Built => {
    // A literal is a constant, as numbers beside arrays are: rules know what is chosen.
    const mask =
      typeof condition === "boolean" ? new LazyArray(scalarExpr(condition, "bool")) : asLazy(condition);
    if (mask.dtype !== "bool") {
      throw new DTypeError({
        what: `the condition is ${mask.dtype}, not bool`,
        cure: "Compare first, for example x.greater(0)",
      });
    }
    const { exprs, parents } = promoteOperands([x1, x2], (dtype) => dtype);
    return built(makeExpr(where, [mask.expr, ...exprs]), [mask, ...parents]);
  },
  [3],
);

type Bound = Operand | null | undefined;
interface ClipOptions<L extends Bound, U extends Bound, E extends DType> extends OutOption<E> {
  /** What is less becomes this; null, or nothing: no lower bound. */
  readonly min?: L;
  /** What is more becomes this; null, or nothing: no upper bound. */
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
    const floored = lower === undefined || lower === null ? array : (maximum(array, lower) as LazyArray);
    const clipped = upper === undefined || upper === null ? floored : (minimum(floored, upper) as LazyArray);
    const bounded = clipped === array ? (positive(array) as LazyArray) : clipped;
    return withOut(castTo(bounded, array.dtype) as Built, options);
  },
  [["x", "min", "max"], "out"],
);
