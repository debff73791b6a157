// Moves of axes as rules build them: nothing where there is nothing to do, one node otherwise. Attributes are
// written as the API writes them, so that equal moves are the same node.

import type { Attrs } from "../../core/attrs.ts";
import { type Shape, sameShape } from "../../core/shape.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { expandDims, permute, squeeze } from "../../ops/moves/axisMoves.ts";

export const axesOf = (node: Expr): readonly number[] => node.attrs["axes"] as readonly number[];

export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

export const ascending = (axes: readonly number[]): number[] => [...axes].sort((a, b) => a - b);

export const isAscending = (axes: readonly number[]): boolean =>
  axes.every((axis, i) => i === 0 || axes[i - 1]! < axis);

export const permuted = (x: Expr, axes: readonly number[]): Expr =>
  isAscending(axes) ? x : makeExpr(permute, [x], { axes });

export const squeezed = (x: Expr, axes: readonly number[]): Expr =>
  axes.length === 0 ? x : makeExpr(squeeze, [x], { axes });

export const expanded = (x: Expr, axes: readonly number[]): Expr =>
  axes.length === 0 ? x : makeExpr(expandDims, [x], { axes });

/** For every axis that is left, the axis it was. */
export const keptAxes = (ndim: number, dropped: readonly number[]): number[] =>
  range(ndim).filter((axis) => !dropped.includes(axis));

/** The places at which some axes stand among the axes that are left when others go. */
export const placesAmong = (
  axes: readonly number[],
  ndim: number,
  dropped: readonly number[],
): readonly number[] => {
  const kept = keptAxes(ndim, dropped);
  return axes.map((axis) => kept.indexOf(axis));
};

/** Which axis of the input an axis of its expandDims is; −1 for a new one. */
export function axesBelow(node: Expr): readonly number[] {
  const added = axesOf(node);
  let next = 0;
  return node.shape.map((_, axis) => (added.includes(axis) ? -1 : next++));
}

/** A reduction over `axes` whose result lacks `dropped` of them; the others stay with length 1. */
export function reduced(
  op: Op,
  x: Expr,
  axes: readonly number[],
  dropped: readonly number[],
  attrs: Attrs = {},
): Expr {
  const keepdims = dropped.length < axes.length || axes.length === 0;
  const result = makeExpr(op, [x], { ...attrs, axes, keepdims });
  return keepdims ? squeezed(result, dropped) : result;
}

/** The lengths other than 1. */
const spread = (shape: Shape): Shape => shape.filter((length) => length !== 1);

/** Do two shapes differ in axes of length 1 only? */
export const isUnitChange = (from: Shape, to: Shape): boolean => sameShape(spread(from), spread(to));

/** The places of the axes of length 1 in each gap between the others. */
function unitGaps(shape: Shape): number[][] {
  const gaps: number[][] = [[]];
  shape.forEach((length, axis) => {
    if (length === 1) gaps.at(-1)!.push(axis);
    else gaps.push([]);
  });
  return gaps;
}

/** From one shape to another that differs in axes of length 1 only: what is too much goes, what lacks comes. */
export function withUnitAxes(x: Expr, to: Shape): Expr {
  const here = unitGaps(x.shape);
  const there = unitGaps(to);
  const dropped = here.flatMap((gap, i) => gap.slice(there[i]!.length));
  const added = there.flatMap((gap, i) => gap.slice(here[i]!.length));
  return expanded(squeezed(x, dropped), added);
}
