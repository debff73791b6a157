// cw.linalg: norms, powers, and products that are moves and sums. In: arrays of any number of dimensions. Out: lazy arrays.

import {
  type AxisArgument,
  type AxisName,
  checkAxes,
  checkAxis,
  checkInteger,
  describe,
} from "../../core/chunks.ts";
import { resultOf } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import type { Promote } from "../../core/numbers.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { abs, multiply, notEqual, pow, sqrt, square, subtract } from "../../ops/elementwise/index.ts";
import { max, min, sum } from "../../ops/reductions.ts";
import { eye } from "../functions/creation.ts";
import { broadcastArrays, stack } from "../functions/joining.ts";
import { matmul } from "../functions/linear.ts";
import { broadcastTo, expandDims, moveaxis } from "../functions/manipulation.ts";
import { type Floating, inv, svdvals } from "./decompositions.ts";

const floating = (x: Operand): LazyArray => {
  const array = asLazy(x);
  return castTo(array, resultOf(array.dtype, "floating"));
};

/** Options of `cw.linalg.vectorNorm`. */
export interface VectorNormOptions {
  /** Along which axes; all of them, as one vector, unless given. */
  readonly axis?: AxisArgument;
  /** Leaves axes of one in their places. */
  readonly keepdims?: boolean | undefined;
  /** 2 unless given; Infinity is the largest size, −Infinity the least, 0 how many are not 0. */
  readonly ord?: number | undefined;
}

/** (Σ|x|ᵖ)^(1/p): `cw.linalg.vectorNorm([3, 4])` is 5. */
export const vectorNorm: <const A extends Operand>(x: A, options?: VectorNormOptions) => LazyArray = userCall(
  "vectorNorm",
  (x: Operand, { axis, keepdims = false, ord = 2 }: VectorNormOptions = {}): Built => {
    const sizes = abs(floating(x));
    const over = { axis: checkAxes(axis, sizes.ndim), keepdims };
    if (typeof ord !== "number" || Number.isNaN(ord))
      throw new ValueError({ what: `ord is ${describe(ord)}`, cure: "Use a number" });
    if (ord === Number.POSITIVE_INFINITY) return max(sizes, over) as Built;
    if (ord === Number.NEGATIVE_INFINITY) return min(sizes, over) as Built;
    if (ord === 0) return sum(castTo(notEqual(sizes, 0), sizes.dtype), over) as Built;
    if (ord === 1) return sum(sizes, over) as Built;
    if (ord === 2) return sqrt(sum(square(sizes), over)) as Built;
    return pow(sum(pow(sizes, ord), over), 1 / ord) as Built;
  },
  [1, "axis", "keepdims", "ord"],
);

/** Which norm of matrices. */
export type MatrixOrd = "fro" | "nuc" | 1 | -1 | 2 | -2 | number;

/** Options of `cw.linalg.matrixNorm`. */
export interface MatrixNormOptions {
  /** Leaves axes of one in the places of the matrices' two. */
  readonly keepdims?: boolean | undefined;
  /** "fro" unless given; "nuc", 1, −1, 2, −2, Infinity, −Infinity. */
  readonly ord?: MatrixOrd | undefined;
}

/** Norms of matrices, the last two axes: `cw.linalg.matrixNorm(x, {ord: "nuc"})`. */
export const matrixNorm: <const A extends Operand>(x: A, options?: MatrixNormOptions) => LazyArray = userCall(
  "matrixNorm",
  (x: Operand, { keepdims = false, ord = "fro" }: MatrixNormOptions = {}): Built => {
    const array = floating(x);
    if (array.ndim < 2)
      throw new ShapeError({
        what: `needs at least 2 dimensions, not ${array.ndim}`,
        cure: "Use vectorNorm",
      });
    const norm = matrixNormOf(array, ord);
    return (keepdims ? expandDims(norm, [-2, -1]) : norm) as Built;
  },
  [1, "keepdims", "ord"],
);

function matrixNormOf(x: LazyArray, ord: MatrixOrd): LazyArray {
  const most = ord === Number.NEGATIVE_INFINITY || Number(ord) < 0 ? min : max;
  switch (ord) {
    case "fro":
      return sqrt(sum(square(abs(x)), { axis: [-2, -1] }));
    case "nuc":
      return sum(svdvals(x), { axis: -1 });
    case 2:
    case -2:
      return most(svdvals(x), { axis: -1 });
    case 1:
    case -1:
      return most(sum(abs(x), { axis: -2 }), { axis: -1 });
    case Number.POSITIVE_INFINITY:
    case Number.NEGATIVE_INFINITY:
      return most(sum(abs(x), { axis: -1 }), { axis: -1 });
    default:
      throw new ValueError({
        what: `ord is ${describe(ord)}`,
        cure: 'Use "fro", "nuc", 1, -1, 2, -2, Infinity or -Infinity',
      });
  }
}

/** Matrices multiplied with themselves n times; negative n by inverses: `cw.linalg.matrixPower(x, 3)`. */
export const matrixPower: <const A extends Operand>(x: A, n: number) => LazyArray<ArrayDType<A>> = userCall(
  "matrixPower",
  (x: Operand, n: number): Built => {
    const array = asLazy(x);
    const [rows, columns] = array.shape.slice(-2);
    if (array.ndim < 2 || rows !== columns)
      throw new ShapeError({
        what: `the shape is ${describe(array.shape)}`,
        cure: "Matrices must be square",
      });
    if (checkInteger(n, "n") < 0) return matrixPower(inv(array), -n) as Built;
    if (n === 0) return broadcastTo(eye(rows!, { dtype: array.dtype }), array.shape) as Built;
    let [result, base]: [LazyArray | null, LazyArray] = [null, array];
    for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = result === null ? base : matmul(result, base);
      if (rest > 1) base = matmul(base, base);
    }
    return result as Built;
  },
);

/** Options of `cw.linalg.cross`. */
export interface CrossOptions {
  /** Along which axis, of length 3; the last unless given. */
  readonly axis?: AxisName | undefined;
}

/** Products of vectors of three numbers that stand on both: `cw.linalg.cross([1, 0, 0], [0, 1, 0])` is [0, 0, 1]. */
export const cross: <const A extends Operand, const B extends Operand>(
  x1: A,
  x2: B,
  options?: CrossOptions,
) => LazyArray<Promote<ArrayDType<A>, ArrayDType<B>>> = userCall(
  "cross",
  (x1: Operand, x2: Operand, { axis = -1 }: CrossOptions = {}): Built => {
    const [a, b] = broadcastArrays(x1, x2).map((x) => moveaxis(x, checkAxis(axis, x.ndim), -1)) as [
      LazyArray,
      LazyArray,
    ];
    const given = [asLazy(x1), asLazy(x2)].map((x) => x.shape[checkAxis(axis, x.ndim)]);
    if (given.some((length) => length !== 3))
      throw new ShapeError({
        what: `the axis is ${describe(given)} long`,
        cure: "It must have length 3 in both",
      });
    const at = (x: LazyArray, i: number): LazyArray => x.get("...", i % 3);
    const parts = [0, 1, 2].map((i) =>
      subtract(multiply(at(a, i + 1), at(b, i + 2)), multiply(at(a, i + 2), at(b, i + 1))),
    );
    return moveaxis(stack(parts, { axis: -1 }), -1, axis as number) as Built;
  },
  [2, "axis"],
);

export type { Floating };
