// Whether a reduced array, seen through moves, stretches back along exactly the axes that were reduced.
// exp(M) / sum(exp(M), axis 1) without keepdims divides row j's sum into column j of a square matrix: that is no
// softmax, and only axes tell it from one, not shapes.

import type { Shape } from "../../core/chunks.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import type { Op } from "../../expr/op.ts";
import { type ReduceAttrs, reduceAttrs } from "../../ops/define.ts";
import { broadcast, expandDims, permute, squeeze } from "../../ops/moves/axisMoves.ts";
import { reshape } from "../../ops/moves/reshape.ts";

/** What may stand above an array and above its reduction. */
export const EXPANDING: readonly Op[] = [broadcast, expandDims, squeeze, permute, reshape];
const isMoved = ({ op }: Expr): boolean => EXPANDING.includes(op);

/** An axis that is one long, or along which nothing changes. */
const NONE = -1;

/**
 * Do the elements of a reduction of x, below moves, meet the elements of x that they were made of? `whole` is x or a
 * function of it, below moves too.
 */
export function reExpands(whole: Expr, reduced: Expr, x: Expr): boolean {
  const [wide, along] = [axesAlong(whole, x), axesAlong(reduced, x)];
  if (wide === null || along === null || along.length > wide.length) return false;
  const { axes } = reduceAttrs(below(reduced).attrs);
  const lead = wide.length - along.length;
  return wide.every((axis, i) => {
    const found = i < lead ? NONE : along[i - lead]!;
    return found === (axes.includes(axis) ? NONE : axis);
  });
}

/** What moves were applied to. */
export function below(node: Expr): Expr {
  let base = node;
  while (isMoved(base)) base = base.inputs[0]!;
  return base;
}

/** Is a node another one below moves? */
export function isAbove(node: Expr, base: Expr): boolean {
  let at = node;
  while (at !== base && isMoved(at)) at = at.inputs[0]!;
  return at === base;
}

/** The moves above x, or above what is no move, applied to another node of its shape. */
export const movedLike = (node: Expr, base: Expr, x?: Expr): Expr =>
  isMoved(node) && node !== x ? makeExpr(node.op, [movedLike(node.inputs[0]!, base, x)], node.attrs) : base;

/** For every axis, the axis of x along which it runs; null where a move mixes axes. */
function axesAlong(node: Expr, x: Expr): readonly number[] | null {
  const { op, attrs, shape } = node;
  if (op.class === "reduce") return axesLeft(node.inputs[0]!.shape, reduceAttrs(attrs));
  if (!isMoved(node) || node === x) return shape.map((length, axis) => (length === 1 ? NONE : axis));
  const input = node.inputs[0]!;
  const along = axesAlong(input, x);
  if (along === null) return null;
  const axes = (attrs["axes"] ?? []) as readonly number[];
  if (op === broadcast) return [...newAxes(shape.length - along.length), ...along];
  if (op === expandDims) return inserted(along, axes);
  if (op === squeeze) return along.filter((_, axis) => !axes.includes(axis));
  if (op === permute) return axes.map((axis) => along[axis]!);
  return throughOnes(along, input.shape, shape);
}

const newAxes = (count: number): number[] => new Array<number>(count).fill(NONE);

const axesLeft = (shape: Shape, { axes, keepdims }: ReduceAttrs): number[] =>
  shape.flatMap((length, axis) =>
    axes.includes(axis) ? newAxes(keepdims ? 1 : 0) : [length === 1 ? NONE : axis],
  );

function inserted(along: readonly number[], axes: readonly number[]): number[] {
  const rest = [...along];
  return newAxes(along.length + axes.length).map((none, axis) =>
    axes.includes(axis) ? none : rest.shift()!,
  );
}

/** A reshape that only adds or drops axes of length 1. */
function throughOnes(along: readonly number[], from: Shape, to: Shape): readonly number[] | null {
  const rest = along.filter((_, axis) => from[axis] !== 1);
  const [lengths, wanted] = [from, to].map((shape) => shape.filter((length) => length !== 1));
  if (lengths!.join() !== wanted!.join()) return null;
  return to.map((length) => (length === 1 ? NONE : rest.shift()!));
}
