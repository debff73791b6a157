// Regular selections as rules handle them: place j of an axis is start + step·j. In: slices. Out: slices, none where
// a selection is everything. Along an axis of which one place or none is selected the step is 1.

import { type Shape, sameShape, sizeOf } from "../../core/chunks.ts";
import { type Expr, makeExpr } from "../../expr/expr.ts";
import { type SliceAttrs, slice } from "../../ops/moves/select.ts";

/** A selection along one axis. */
export interface Run {
  readonly start: number;
  readonly step: number;
  readonly length: number;
}

export const wholeRun = (length: number): Run => ({ start: 0, step: 1, length });

export const isWholeRun = ({ start, step, length }: Run, of: number): boolean =>
  length === of && (length === 0 || (start === 0 && (length === 1 || step === 1)));

/** The selection of a slice or setSlice, axis by axis. */
export function runsOf(node: Expr): Run[] {
  const { start, step, shape } = node.attrs as unknown as SliceAttrs;
  return shape.map((length, axis) => ({ start: start[axis]!, step: step[axis]!, length }));
}

export const isWhole = (runs: readonly Run[], shape: Shape): boolean =>
  runs.every((run, axis) => isWholeRun(run, shape[axis]!));

export const shapeOf = (runs: readonly Run[]): Shape => runs.map(({ length }) => length);

export function sliceAttrs(runs: readonly Run[]): {
  start: readonly number[];
  step: readonly number[];
  shape: Shape;
} {
  return {
    start: runs.map(({ start, length }) => (length === 0 ? 0 : start)),
    step: runs.map(({ step, length }) => (length <= 1 ? 1 : step)),
    shape: shapeOf(runs),
  };
}

export const sliced = (x: Expr, runs: readonly Run[]): Expr =>
  isWhole(runs, x.shape) ? x : makeExpr(slice, [x], sliceAttrs(runs));

/** A selection from a selection. */
export const composed = (outer: Run, inner: Run): Run => ({
  start: inner.start + inner.step * outer.start,
  step: inner.step * outer.step,
  length: outer.length,
});

/** Takes a slice less than there is? Turning axes round alone saves nothing. */
export const takesLess = (node: Expr): boolean =>
  sizeOf(node.shape) > 0 && sizeOf(node.shape) < sizeOf(node.inputs[0]!.shape);

export const sameRuns = (a: readonly Run[], b: readonly Run[]): boolean => {
  const [one, other] = [sliceAttrs(a), sliceAttrs(b)];
  return (
    sameShape(one.start, other.start) && sameShape(one.step, other.step) && sameShape(one.shape, other.shape)
  );
};

/** The first and the last place of a run that is not empty. */
export const boundsOf = ({ start, step, length }: Run): readonly [number, number] => {
  const end = start + step * (length - 1);
  return step > 0 ? [start, end] : [end, start];
};
