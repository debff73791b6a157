// Reductions and what moves below them. What goes into one result is a list of rows, row-major over the reduced
// axes, and floating sums depend on the order of that list (docs/adr/0006): a rule is exact if it keeps the list, or
// if the reduction does not depend on its order.

import { sameShape, sizeOf } from "../../core/chunks.ts";
import { type DType, infoOf, isInteger, isWide, kindOf } from "../../core/dtype.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { ElementwiseOp, Op, ReduceOp } from "../../expr/op.ts";
import { add, maximum, minimum, multiply } from "../../ops/elementwise/arithmetic.ts";
import { logicalAnd, logicalOr } from "../../ops/elementwise/logic.ts";
import { REDUCE_OPS } from "../../ops/index.ts";
import * as r from "../../ops/reductions.ts";
import { broadcastTo, castTo, filledLike, scalar } from "../make.ts";
import { on, type Pattern, p, rest, single, x } from "../pattern.ts";
import { decline, rule } from "../patternRule.ts";
import type { Change, Rule } from "../rule.ts";
import {
  ascending,
  axesBelow,
  axesOf,
  expanded,
  isAscending,
  keptAxes,
  permuted,
  placesAmong,
  range,
  reduced,
  squeezed,
} from "./conditions.ts";
import { REDUCED_VALUES } from "./reducedValues.ts";
import { type Run, runsOf, sliced, wholeRun } from "./regularSelections.ts";

// Reductions over repetitions: the same element n times has the extreme it has, and n times its sum.

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
function ofOneElement({ op, dtype }: Expr, x: Expr): Expr | null {
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

const REDUCED_BROADCASTS: readonly Rule[] = [
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

const ALL: readonly Op[] = REDUCE_OPS;
const SUMS: readonly Op[] = [r.sum, r.prod];
/** The same whatever the order of the rows, for every dtype. */
const ORDER_FREE: readonly Op[] = [r.max, r.min, r.any, r.all, r.countNonzero];

/** Sums of integers wrap, so that their order does not matter either. */
const isOrderFree = ({ op, inputs }: Expr): boolean =>
  ORDER_FREE.includes(op) || (SUMS.includes(op) && isInteger(inputs[0]!.dtype));

/** Another order of floating sums: other roundings, and other places where they overflow. */
const REORDERED: readonly Change[] = ["rounding", "nan"];

const keepsDims = (node: Expr): boolean => node.attrs["keepdims"] as boolean;

/** The reduction of a node over other axes of another array. */
const again = (node: Expr, x: Expr, axes: readonly number[], keepdims: boolean = keepsDims(node)): Expr =>
  makeExpr(node.op, [x], { ...node.attrs, axes, keepdims });

const UNITS: readonly Rule[] = [
  rule("reduceUnitAxes", "sum(x, i) = squeeze(x, i) where axis i has length 1", on(ALL)(x), ({ x }, node) => {
    const axes = axesOf(node);
    const left = axes.filter((axis) => x.shape[axis] !== 1);
    if (left.length === axes.length && axes.length > 0) return decline("no axis has length 1");
    if (left.length === 0) return ofUnits(node, x);
    const result = again(node, x, left);
    if (keepsDims(node)) return result;
    const units = axes.filter((axis) => !left.includes(axis));
    return squeezed(result, placesAmong(units, x.shape.length, left));
  }),
  rule(
    "reduceKeepdims",
    "expandDims(sum(x, i), i) = sum(x, i, keepdims)",
    p.expandDims(single(on(ALL)(x)).as("inner")),
    ({ x, inner }, node) => withKeepdims(inner, x, node, true),
  ),
  rule(
    "reduceDropdims",
    "squeeze(sum(x, i, keepdims), i) = sum(x, i)",
    p.squeeze(single(on(ALL)(x)).as("inner")),
    ({ x, inner }, node) => withKeepdims(inner, x, node, false),
  ),
];

function ofUnits(node: Expr, x: Expr): Expr | null {
  if ((node.op as ReduceOp).alone === "place") return filledLike(0n, node);
  const one = ofOneElement(node, x);
  return one === null ? null : squeezed(one, keepsDims(node) ? [] : axesOf(node));
}

/** Which axes of length 1 are which does not matter: where shapes agree, arrays do. */
function withKeepdims(inner: Expr, x: Expr, node: Expr, keepdims: boolean): Expr | null {
  if (keepsDims(inner) === keepdims) return null;
  const result = again(inner, x, axesOf(inner), keepdims);
  return sameShape(result.shape, node.shape) ? result : null;
}

const isSameOp = (node: Expr, inner: Expr): boolean => node.op === inner.op;

/** One reduction instead of two. */
function mergedAxes(node: Expr, inner: Expr, op: Op = node.op): Expr {
  const x = inner.inputs[0]!;
  const below = axesOf(inner);
  const kept = keepsDims(inner) ? range(x.shape.length) : keptAxes(x.shape.length, below);
  const above = axesOf(node).map((axis) => kept[axis]!);
  const dropped = [...(keepsDims(inner) ? [] : below), ...(keepsDims(node) ? [] : above)];
  return reduced(op, x, union(below, above), union(dropped, []), node.attrs);
}

const union = (a: readonly number[], b: readonly number[]): number[] => ascending([...new Set([...a, ...b])]);

const twice = (ops: readonly Op[]): Pattern<{ readonly x: Expr; readonly inner: Expr }> =>
  on(ops)(single(on(ops)(x)).as("inner"));

const MERGED: readonly Rule[] = [
  rule(
    "extremeTwice",
    "max(max(x, i), j) = max(x, [i, j])",
    twice([r.max, r.min, r.any, r.all]),
    ({ inner }, node) =>
      isSameOp(node, inner) ? mergedAxes(node, inner) : decline("two different reductions"),
  ),
  rule("sumTwiceInteger", "sum(sum(x, i), j) = sum(x, [i, j])", twice(SUMS), ({ inner }, node) =>
    isSameOp(node, inner) && isInteger(node.dtype)
      ? mergedAxes(node, inner)
      : decline("not sums of integers"),
  ),
  rule(
    "sumTwice",
    "sum(sum(x, i), j) = sum(x, [i, j])",
    twice([...SUMS, r.mean]),
    ({ inner }, node) =>
      isSameOp(node, inner) && !isInteger(node.dtype)
        ? mergedAxes(node, inner)
        : decline("not two of the same, or of integers"),
    { changes: REORDERED },
  ),
  rule(
    "sumOfCounts",
    "sum(countNonzero(x, i), j) = countNonzero(x, [i, j])",
    p.sum(single(p.countNonzero(x)).as("inner")),
    ({ inner }, node) => mergedAxes(node, inner, r.countNonzero),
  ),
];

/** Through a permutation: the same reduction of the array as it was, and what is left of the permutation. */
function throughPermute(node: Expr, inner: Expr, x: Expr): Expr {
  const order = axesOf(inner);
  const axes = ascending(axesOf(node).map((axis) => order[axis]!));
  const result = again(node, x, axes);
  if (keepsDims(node)) return permuted(result, order);
  const kept = keptAxes(order.length, axesOf(node)).map((axis) => order[axis]!);
  return permuted(result, placesAmong(kept, order.length, axes));
}

const keepsRows = (node: Expr, inner: Expr): boolean =>
  isAscending(axesOf(node).map((axis) => axesOf(inner)[axis]!));

const THROUGH_MOVES: readonly Rule[] = [
  rule(
    "reducePermute",
    "max(permute(x, p), i) = permute(max(x, p[i]))",
    on(ALL)(p.permute(x).as("inner")),
    ({ x, inner }, node) =>
      isOrderFree(node) || keepsRows(node, inner)
        ? throughPermute(node, inner, x)
        : decline("the rows would be taken in another order"),
  ),
  rule(
    "sumPermute",
    "sum(permute(x, p), i) = permute(sum(x, p[i]))",
    on([...SUMS, r.mean, r.var])(p.permute(x).as("inner")),
    ({ x, inner }, node) =>
      isOrderFree(node) || keepsRows(node, inner) ? null : throughPermute(node, inner, x),
    { changes: REORDERED },
  ),
  rule(
    "reduceExpandDims",
    "sum(expandDims(x, i), j) = expandDims(sum(x, j'), i')",
    on(ALL)(p.expandDims(x).as("inner")),
    ({ x, inner }, node) => {
      const axes = axesOf(node).map((axis) => axesBelow(inner)[axis]!);
      if (axes.length === 0 || axes.includes(-1)) return decline("a new axis is reduced");
      const added = axesOf(inner);
      const places = keepsDims(node) ? added : placesAmong(added, inner.shape.length, axesOf(node));
      return expanded(again(node, x, axes), places);
    },
  ),
  rule(
    "reduceSqueeze",
    "sum(squeeze(x, i), j) = squeeze(sum(x, j'), i')",
    on(ALL)(p.squeeze(x).as("inner")),
    ({ x, inner }, node) => {
      const dropped = axesOf(inner);
      const ndim = x.shape.length;
      const axes = axesOf(node).map((axis) => keptAxes(ndim, dropped)[axis]!);
      if (axes.length === 0) return decline("no axis is reduced");
      return squeezed(again(node, x, axes), keepsDims(node) ? dropped : placesAmong(dropped, ndim, axes));
    },
  ),
  rule(
    "reduceReshape",
    "sum(reshape(x, s)) = sum(x)",
    on(ALL)(p.reshape(x).as("inner")),
    ({ x, inner }, node) => {
      const ndim = inner.shape.length;
      if (axesOf(node).length < ndim) return decline("not every axis is reduced");
      const total = again(node, x, range(x.shape.length), false);
      return keepsDims(node) ? expanded(total, range(ndim)) : total;
    },
  ),
  rule(
    "reduceFlip",
    "max(x[::-1]) = max(x)",
    on([...ORDER_FREE, ...SUMS])(p.slice(x).as("inner")),
    ({ x, inner }, node) => {
      if (!isOrderFree(node)) return decline("the rows would be taken in another order");
      const isTurned = ({ step, length }: Run, axis: number): boolean =>
        step === -1 && length === x.shape[axis] && axesOf(node).includes(axis);
      const old = runsOf(inner);
      if (!old.some(isTurned)) return decline("no reduced axis is turned round");
      const runs = old.map((run, axis) => (isTurned(run, axis) ? wholeRun(run.length) : run));
      return again(node, sliced(x, runs), axesOf(node));
    },
  ),
  rule(
    "reduceSort",
    "max(sort(x)) = max(x)",
    on([...ORDER_FREE, ...SUMS])(p.sort(x).as("inner")),
    ({ x, inner }, node) =>
      isOrderFree(node) && axesOf(node).includes(inner.attrs["axis"] as number)
        ? again(node, x, axesOf(node))
        : decline("the order matters, or the sorted axis stays"),
  ),
];

/** How results of parts become the result of all. */
const COMBINES: ReadonlyMap<Op, ElementwiseOp> = new Map<Op, ElementwiseOp>([
  ...[[r.max, maximum] as const, [r.min, minimum] as const],
  ...[[r.any, logicalOr] as const, [r.all, logicalAnd] as const],
  ...[[r.sum, add] as const, [r.prod, multiply] as const, [r.countNonzero, add] as const],
]);
/** More parts are better joined first. */
const MOST_PARTS = 8;

function overParts(node: Expr, inner: Expr, parts: readonly Expr[]): Expr | null {
  const along = inner.attrs["axis"] as number;
  if (!axesOf(node).includes(along) || parts.length > MOST_PARTS) return null;
  if (parts.some(({ shape }) => shape[along] === 0)) return null;
  const combine = COMBINES.get(node.op)!;
  return parts
    .map((part) => again(node, part, axesOf(node)))
    .reduce((result, part) => makeExpr(combine, [result, part]));
}

const PARTS: readonly Rule[] = [
  rule(
    "reduceConcat",
    "max(concat([x, y])) = maximum(max(x), max(y))",
    on([...COMBINES.keys()])(single(p.concat(rest("parts"))).as("inner")),
    ({ parts, inner }, node) =>
      isOrderFree(node) ? overParts(node, inner, parts) : decline("the rows would be taken in another order"),
  ),
  rule(
    "sumConcat",
    "sum(concat([x, y])) = sum(x) + sum(y)",
    on(SUMS)(single(p.concat(rest("parts"))).as("inner")),
    ({ parts, inner }, node) => (isOrderFree(node) ? null : overParts(node, inner, parts)),
    { changes: REORDERED },
  ),
];

export const REDUCTIONS: readonly Rule[] = [
  ...UNITS,
  ...MERGED,
  ...THROUGH_MOVES,
  ...PARTS,
  ...REDUCED_BROADCASTS,
  ...REDUCED_VALUES,
];
