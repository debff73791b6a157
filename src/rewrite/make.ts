// Small nodes that rules make. Every node made while a rule is applied keeps the source line of the node that
// is replaced (the driver sees to it), so rules call these and makeExpr without further ado.

import { SCALAR_SHAPE, type Shape, sameShape } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import { fitScalar, type Scalar } from "../core/numbers.ts";
import { chunksOf, type Expr, makeExpr } from "../expr/expr.ts";
import { cast, castAttrs } from "../lazy/cast.ts";
import { full } from "../lazy/lazyArray.ts";
import { broadcast } from "../ops/moves/axisMoves.ts";

/** A 0-d constant: `scalar(2, "float64")`. */
export const scalar = (value: Scalar, dtype: DType): Expr =>
  makeExpr(full, [], { dtype, shape: SCALAR_SHAPE, chunks: SCALAR_SHAPE, value: fitScalar(value, dtype) });

/** A constant of the dtype, the shape and the chunks of a node: `filledLike(0, node)`. */
export const filledLike = (value: Scalar, node: Expr): Expr =>
  makeExpr(full, [], {
    dtype: node.dtype,
    shape: node.shape,
    chunks: chunksOf(node),
    value: fitScalar(value, node.dtype),
  });

/** The node in another dtype; itself where it has that one: `castTo(node, "float32")`. */
export const castTo = (node: Expr, dtype: DType): Expr =>
  node.dtype === dtype ? node : makeExpr(cast, [node], castAttrs(dtype));

/** The node in another shape; itself where it has that one: `broadcastTo(node, [2, 3])`. */
export const broadcastTo = (node: Expr, shape: Shape): Expr =>
  sameShape(node.shape, shape) ? node : makeExpr(broadcast, [node], { shape });

/** Does a shape stretch to another, as broadcasting does? */
export function stretches(from: Shape, to: Shape): boolean {
  const lead = to.length - from.length;
  return lead >= 0 && from.every((length, axis) => length === 1 || length === to[axis + lead]);
}

/** A replacement in the node's shape, if that takes no more than broadcasting; the driver checks the rest. */
export function fitted(replacement: Expr, node: Expr): Expr {
  const { shape } = replacement;
  if (sameShape(shape, node.shape) || !stretches(shape, node.shape)) return replacement;
  const value = replacement.dtype === node.dtype ? constantOf(replacement) : undefined;
  return value === undefined ? broadcastTo(replacement, node.shape) : filledLike(value, node);
}

/**
 * The value of a constant (a `full` of any shape); undefined for any other node: `constantOf(cw.full([3], 2.5).expr)`
 * is 2.5.
 */
export const constantOf = (node: Expr): Scalar | undefined =>
  node.op === full ? (node.attrs["value"] as Scalar) : undefined;
