// Constants that need no kernels to be known: moves and reductions of one repeated value. The rest is folding.ts.

import { infoOf, isComplex, isFloat, isInteger } from "../../core/dtype.ts";
import { Complex, isZero, type Scalar } from "../../core/numbers.ts";
import type { Expr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { OPS, REDUCE_OPS } from "../../ops/index.ts";
import { overlap } from "../../ops/moves/overlap.ts";
import { pad } from "../../ops/moves/pad.ts";
import { reducedCount } from "../../ops/reduction.ts";
import * as r from "../../ops/reductions.ts";
import { constantOf, filledLike } from "../make.ts";
import { sameScalar } from "../matchText.ts";
import { on, p } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import { functionRule, type Rule } from "../rule.ts";
import { wrapped } from "./reducedBroadcasts.ts";

const MOVES: readonly Op[] = [...OPS.values()].filter((op) => op.class === "move");

/** One value everywhere, wherever it is moved. */
function movedFull(node: Expr): Expr | null {
  const value = constantOf(node.inputs[0]!);
  if (value === undefined) return null;
  const isSame = node.inputs.every((input) => {
    const other = constantOf(input);
    return other !== undefined && sameScalar(value, other);
  });
  const isKept = fillsOf(node).every((fill) => sameScalar(value, fill));
  return isSame && isKept ? filledLike(value, node) : null;
}

const NO_FILLS: readonly unknown[] = [];

/** Values that a move puts beside those of its inputs. */
export function fillsOf({ op, attrs }: Expr): readonly unknown[] {
  if (op === pad) return attrs["mode"] === "constant" ? [attrs["value"]] : NO_FILLS;
  if (op !== overlap) return NO_FILLS;
  const modes = attrs["modes"] as readonly string[];
  return (attrs["values"] as readonly unknown[]).filter((_, axis) => modes[axis] === "constant");
}

/** The sum of `count` equal values, if it is the same in any order; null otherwise. */
function exactSum(value: Scalar, count: number, node: Expr): Scalar | null {
  const { dtype } = node;
  if (isInteger(dtype)) return wrapped(BigInt(value as bigint) * BigInt(count), dtype);
  if (!isFloat(dtype) || typeof value !== "number") return null;
  if (count === 0) return 0;
  if (value === 0 || !Number.isFinite(value)) return value;
  const isExact = Number.isInteger(value) && Math.abs(value) * count <= 2 ** infoOf(dtype).digits;
  return isExact ? value * count : null;
}

/** What `count` equal values are reduced to; null where that is not known exactly. */
function reducedValue(node: Expr, value: Scalar, count: number): Scalar | null {
  switch (node.op) {
    case r.max:
    case r.min:
      return value;
    case r.any:
      return count > 0 && !isZero(value);
    case r.all:
      return count === 0 || !isZero(value);
    case r.countNonzero:
      return isZero(value) ? 0n : BigInt(count);
    case r.argmax:
    case r.argmin:
      return 0n;
    case r.sum:
      return exactSum(value, count, node);
    case r.mean:
      return count > 0 && isFloat(node.dtype) && exactSum(value, count, node) !== null ? value : null;
    case r.prod:
      return count === 0 || value === 1 || value === 1n ? fittedOne(node) : null;
    default:
      return null;
  }
}

const fittedOne = ({ dtype }: Expr): Scalar => (isComplex(dtype) ? new Complex(1, 0) : 1);

/** Rules that need no evaluation. */
export const CONSTANTS: readonly Rule[] = [
  functionRule("moveOfFull", "permute(full(c)) = full(c)", { tracks: MOVES, apply: movedFull }),
  rule("reduceOfFull", "max(full(c)) = c", on(REDUCE_OPS)(p.full().as("x")), ({ x }, node) => {
    const axes = node.attrs["axes"] as readonly number[];
    const value = reducedValue(node, constantOf(x)!, reducedCount(x.shape, axes));
    return value === null ? decline("the result depends on the order of rounding") : filledLike(value, node);
  }),
];
