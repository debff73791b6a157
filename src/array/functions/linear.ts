// Linear algebra of the main namespace: matmul, tensordot, vecdot. All of them are one op, `contract`.

import {
  type AxisName,
  broadcastShapes,
  checkAxis,
  checkAxisList,
  checkInteger,
  describe,
  type Shape,
  shapeText,
} from "../../core/chunks.ts";
import { checkKind } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { type Built, built, elementwiseCall, node, promoteOperands } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { PairFunction } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { contract } from "../../ops/contraction.ts";
import { conj } from "../../ops/elementwise/arithmetic.ts";
import { squeeze } from "../../ops/moves/axisMoves.ts";
import { broadcastLazy } from "../chunked.ts";
import { expandDims, moveaxis } from "./manipulation.ts";

/** Both operands as arrays of their common dtype. */
function promoted(x1: Operand, x2: Operand): [LazyArray, LazyArray] {
  const arrays = [asLazy(x1), asLazy(x2)];
  const { exprs } = promoteOperands(arrays, (dtype) => checkKind("numeric", dtype));
  return [built(exprs[0]!, [arrays[0]!]), built(exprs[1]!, [arrays[1]!])];
}

/** The matrix product over the last two axes; the axes before them broadcast: `cw.matmul(a, b)`. */
export const matmul: PairFunction = userCall("matmul", (x1: Operand, x2: Operand): Built => {
  const [a, b] = promoted(x1, x2);
  if (a.ndim === 0 || b.ndim === 0) {
    throw new ShapeError({
      what: `shapes ${shapeText(a.expr.shape)} and ${shapeText(b.expr.shape)}: a 0-d array has no matrix product`,
      cure: "Use multiply",
    });
  }
  // A vector is a row on the left and a column on the right; the extra axis goes again at the end.
  const left = a.ndim === 1 ? expandDims(a, { axis: 0 }) : a;
  const right = b.ndim === 1 ? expandDims(b, { axis: 1 }) : b;
  const product = matrixProduct(left, right, a, b);
  const dropped = [...(a.ndim === 1 ? [product.ndim - 2] : []), ...(b.ndim === 1 ? [product.ndim - 1] : [])];
  return dropped.length === 0 ? product : node(squeeze, [product], { axes: dropped });
});

function matrixProduct(left: LazyArray, right: LazyArray, a: LazyArray, b: LazyArray): Built {
  if (left.expr.shape.at(-1) !== right.expr.shape.at(-2)) {
    throw new ShapeError({
      what: `shapes ${shapeText(a.expr.shape)} and ${shapeText(b.expr.shape)} do not fit: ${left.expr.shape.at(-1)} columns and ${right.expr.shape.at(-2)} rows`,
      cure: "The columns of the first must be the rows of the second; transpose one of them",
    });
  }
  const batch = batchShape(left, right);
  const x = broadcastLazy(left, [...batch, ...left.expr.shape.slice(-2)]);
  const y = broadcastLazy(right, [...batch, ...right.expr.shape.slice(-2)]);
  const axes = batch.map((_, axis) => axis);
  const n = batch.length;
  return node(contract, [x, y], { batchA: axes, batchB: axes, contractA: [n + 1], contractB: [n] });
}

function batchShape(left: LazyArray, right: LazyArray): Shape {
  const shapes = [left.expr.shape.slice(0, -2), right.expr.shape.slice(0, -2)];
  try {
    return broadcastShapes(shapes);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ShapeError({
      what: `shapes ${shapeText(left.expr.shape)} and ${shapeText(right.expr.shape)}: the axes before the last two do not broadcast`,
      cure: "They must be equally long, or one of them 1",
    });
  }
}

/** Options of `cw.tensordot`. */
export interface TensordotOptions {
  /** How many last axes of x1 meet how many first ones of x2, or the two lists of axes that meet. */
  readonly axes?: number | readonly [readonly number[], readonly number[]] | undefined;
}

/** Sums of products over pairs of axes: `cw.tensordot(a, b, {axes: 1})`. */
export const tensordot: PairFunction<[options?: TensordotOptions]> = userCall(
  "tensordot",
  (x1: Operand, x2: Operand, { axes = 2 }: TensordotOptions = {}): Built => {
    const [a, b] = promoted(x1, x2);
    const [contractA, contractB] = Array.isArray(axes)
      ? pairedAxes(a, b, axes)
      : lastAndFirst(a, b, axes as number);
    if (contractA.length !== contractB.length) {
      throw new ValueError({
        what: `${contractA.length} axes of the first meet ${contractB.length} of the second`,
        cure: "Name as many of both",
      });
    }
    return node(contract, [a, b], { batchA: [], batchB: [], contractA, contractB });
  },
  [2, "axes"],
);

function pairedAxes(a: LazyArray, b: LazyArray, axes: readonly unknown[]): [number[], number[]] {
  if (axes.length !== 2) {
    throw new ValueError({ what: `axes is ${describe(axes)}`, cure: "Use a number, or two lists of axes" });
  }
  return [checkAxisList(axes[0] as number[], a.ndim), checkAxisList(axes[1] as number[], b.ndim)];
}

function lastAndFirst(a: LazyArray, b: LazyArray, count: number): [number[], number[]] {
  if (checkInteger(count, "axes") < 0 || count > Math.min(a.ndim, b.ndim)) {
    throw new ValueError({
      what: `axes is ${describe(count)} for arrays of ${a.ndim} and ${b.ndim} dimensions`,
      cure: "Use no more axes than there are",
    });
  }
  const places = Array.from({ length: count }, (_, i) => i);
  return [places.map((i) => a.ndim - count + i), places];
}

/** Options of `cw.vecdot`. */
export interface VecdotOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: AxisName | undefined;
}

/** Σ conj(x1)·x2 along an axis; the other axes broadcast: `cw.vecdot([1, 2], [3, 4])` is 11. */
export const vecdot: PairFunction<[options?: VecdotOptions]> = userCall(
  "vecdot",
  (x1: Operand, x2: Operand, { axis = -1 }: VecdotOptions = {}): Built => {
    const [a, b] = promoted(x1, x2).map((x) => moveaxis(x, checkAxis(axis, x.ndim), -1)) as [
      LazyArray,
      LazyArray,
    ];
    if (a.expr.shape.at(-1) !== b.expr.shape.at(-1)) {
      throw new ShapeError({
        what: `the vectors have ${a.expr.shape.at(-1)} and ${b.expr.shape.at(-1)} elements`,
        cure: "They must be equally long",
      });
    }
    const shape = broadcastShapes([a.expr.shape, b.expr.shape]);
    const batch = shape.slice(0, -1).map((_, i) => i);
    const contracted = [shape.length - 1];
    const conjugate = elementwiseCall(conj, [broadcastLazy(a, shape)]);
    return node(contract, [conjugate, broadcastLazy(b, shape)], {
      batchA: batch,
      batchB: batch,
      contractA: contracted,
      contractB: contracted,
    });
  },
  [2, "axis"],
);
