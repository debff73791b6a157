// Reductions over repetitions: the same element n times has the extreme it has, and n times its sum.

import { type DType, infoOf, isInteger, isWide, kindOf } from "../../core/dtype.ts";
import { sizeOf } from "../../core/shape.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op, ReduceOp } from "../../expr/op.ts";
import { multiply } from "../../ops/elementwise/arithmetic.ts";
import * as r from "../../ops/reductions.ts";
import { broadcastTo, castTo, scalar } from "../make.ts";
import { on, p, x } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import type { Rule } from "../rule.ts";
import { axesOf, squeezed } from "./axes.ts";

const IDEMPOTENT: readonly Op[] = [r.max, r.min, r.any, r.all];

interface OverRepeats {
  /** The reduction over what is not repeated; broadcasts to the node's shape. */
  readonly value: Expr;
  /** How often each element is repeated along reduced axes. */
  readonly times: number;
}

/** A reduction of a broadcast, over the array below it. Null where no repetition is reduced. */
function overRepeats(node: Expr, inner: Expr, x: Expr): OverRepeats | null {
  const lead = inner.shape.length - x.shape.length;
  const axes = axesOf(node);
  const isStretched = (axis: number): boolean => axis < lead || x.shape[axis - lead] !== inner.shape[axis];
  const times = sizeOf(axes.filter(isStretched).map((axis) => inner.shape[axis]!));
  if (!axes.some(isStretched) || times === 0) return null;
  const own = axes.filter((axis) => !isStretched(axis)).map((axis) => axis - lead);
  const value = own.length === 0 ? ofOneElement(node, x) : makeExpr(node.op, [x], withAxes(node, own));
  if (value === null) return null;
  const gone = axes.filter((axis) => axis >= lead).map((axis) => axis - lead);
  return { value: node.attrs["keepdims"] === true ? value : squeezed(value, gone), times };
}

const withAxes = ({ attrs }: Expr, axes: readonly number[]): Expr["attrs"] => ({
  ...attrs,
  axes,
  keepdims: true,
});

/** One element as the result of a reduction that says what it gives; null for others. */
export function ofOneElement({ op, dtype }: Expr, x: Expr): Expr | null {
  const { alone } = op as ReduceOp;
  if (alone === "truth") return castTo(castTo(x, "bool"), dtype);
  return alone === "element" ? x : null;
}

/** A count as an integer dtype holds it: modulo 2ⁿ. */
export function wrapped(value: bigint, dtype: DType): number | bigint {
  const bits = infoOf(dtype).bytes * 8;
  const rest = kindOf(dtype) === "uint" ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  return isWide(dtype) ? rest : Number(rest);
}

function multiplied({ value, times }: OverRepeats, node: Expr): Expr {
  const count = isInteger(node.dtype) ? wrapped(BigInt(times), node.dtype) : times;
  return broadcastTo(makeExpr(multiply, [value, scalar(count, node.dtype)]), node.shape);
}

const NOT_REPEATED = decline("no repetition is reduced");

export const REDUCED_BROADCASTS: readonly Rule[] = [
  rule(
    "extremeBroadcast",
    "max(broadcast(x)) = max(x)",
    on(IDEMPOTENT)(p.broadcast(x).as("inner")),
    ({ x, inner }, node) => {
      const over = overRepeats(node, inner, x);
      return over === null ? NOT_REPEATED : broadcastTo(over.value, node.shape);
    },
  ),
  rule(
    "sumBroadcastInteger",
    "sum(broadcast(x, n)) = n·x",
    on([r.sum, r.countNonzero])(p.broadcast(x).as("inner")),
    ({ x, inner }, node) => {
      if (!isInteger(node.dtype)) return decline("not a sum of integers");
      const over = overRepeats(node, inner, x);
      return over === null ? NOT_REPEATED : multiplied(over, node);
    },
  ),
  rule(
    "sumBroadcast",
    "sum(broadcast(x, n)) = n·x",
    p.sum(p.broadcast(x).as("inner")),
    ({ x, inner }, node) => {
      if (isInteger(node.dtype)) return decline("an exact rule does integers");
      const over = overRepeats(node, inner, x);
      return over === null ? NOT_REPEATED : multiplied(over, node);
    },
    { changes: ["rounding", "nan"] },
  ),
  rule(
    "meanBroadcast",
    "mean(broadcast(x, n)) = x",
    p.mean(p.broadcast(x).as("inner")),
    ({ x, inner }, node) => {
      if (isInteger(node.dtype)) return decline("a mean of integers");
      const over = overRepeats(node, inner, x);
      return over === null ? NOT_REPEATED : broadcastTo(over.value, node.shape);
    },
    { changes: ["rounding", "nan"] },
  ),
];
