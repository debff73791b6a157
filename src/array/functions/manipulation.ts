// Manipulation: the same elements in another order or shape.

import {
  type AxisArgument,
  type AxisName,
  type ChunksArgument,
  checkAxes,
  checkAxisList,
  checkShape,
  type Shape,
  shapeText,
  sizeOf,
} from "../../core/chunks.ts";
import { AxisError, ShapeError } from "../../core/errors.ts";
import { chunksOf } from "../../expr/expr.ts";
import { type Built, node } from "../../lazy/build.ts";
import { axesIn, looseCall, userCall } from "../../lazy/call.ts";
import type { ArrayFunction } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import * as layout from "../../ops/moves/axisMoves.ts";
import { reshape as reshapeOp, reshapeSteps } from "../../ops/moves/reshape.ts";
import * as moves from "../../ops/moves/select.ts";
import { broadcastLazy, chunksFor } from "../chunked.ts";
import { isUnsettled, laterCall } from "../later.ts";

/** Stretched to a shape, as operands are: `cw.broadcastTo([1, 2], [3, 2])`. */
export const broadcastTo: ArrayFunction<"same", [shape: Shape]> = userCall(
  "broadcastTo",
  (x: Operand, shape: Shape): Built => broadcastLazy(asLazy(x), checkShape(shape)) as Built,
);

type NewAxes = number | readonly number[] | undefined;

/** New axes of length 1 at these places of the result: `cw.expandDims(x, 0)`, `cw.expandDims(x, {axis: [0, 2]})`. */
export const expandDims: ArrayFunction<"same", [axis?: NewAxes | { readonly axis?: NewAxes }]> = looseCall(
  "expandDims",
  (x: Operand, axis: number | readonly number[] = 0): Built => {
    const array = asLazy(x);
    const count = Array.isArray(axis) ? axis.length : 1;
    const axes = checkAxisList(axis, array.ndim + count).sort((a, b) => a - b);
    return node(layout.expandDims, [array], { axes });
  },
  [["x", "axis"]],
);

/** Drops axes of length 1: `cw.squeeze(x, 0)`. */
export const squeeze: ArrayFunction<"same", [axis: AxisName | readonly AxisName[]]> = userCall(
  "squeeze",
  (x: Operand, axis: AxisName | readonly AxisName[]): Built => {
    const array = asLazy(x);
    if (axis === undefined)
      throw new AxisError({ what: "no axis is named", cure: "Say which axes of length 1 to drop" });
    return node(layout.squeeze, [array], { axes: checkAxes(numbersOf(array, axis), array.ndim) });
  },
);

/** Of axes that stand at a place of their own. */
const numbersOf = <A>(array: LazyArray, axes: A): A => axesIn(array.dims, axes) as A;

const flipLater = laterCall("flip", (x, { axes }) => flip(x, { axis: axes as number[] }));

/** The other way round along an axis, several, or all: `cw.flip(x, {axis: 0})`. */
export const flip: ArrayFunction<"same", [options?: { readonly axis?: AxisArgument }]> = userCall(
  "flip",
  (x: Operand, { axis }: { readonly axis?: AxisArgument } = {}): Built => {
    const array = asLazy(x);
    const axes = checkAxes(axis, array.ndim);
    if (isUnsettled(array)) return flipLater(array, array.dtype, array.expr.shape, { axes });
    const turned = (a: number): boolean => axes.includes(a) && array.shape[a]! > 0;
    return node(moves.slice, [array], {
      start: array.shape.map((n, a) => (turned(a) ? n - 1 : 0)),
      step: array.shape.map((_, a) => (turned(a) ? -1 : 1)),
      shape: array.shape,
    });
  },
  [1, "axis"],
);

/** Output axis j is input axis axes[j]: `cw.permuteDims(x, [1, 0])`. */
export const permuteDims: ArrayFunction<"same", [axes: readonly AxisName[]]> = userCall(
  "permuteDims",
  (x: Operand, axes: readonly AxisName[]): Built => {
    const array = asLazy(x);
    const list = checkAxisList(numbersOf(array, axes), array.ndim);
    if (list.length !== array.ndim) {
      throw new AxisError({
        what: `${list.length} axes are named and the array has ${array.ndim}`,
        cure: "Name every axis once",
      });
    }
    return node(layout.permute, [array], { axes: list });
  },
);

/** Axes at other places, the others in their order: `cw.moveaxis(x, 0, -1)`. */
export const moveaxis: ArrayFunction<
  "same",
  [source: AxisName | readonly AxisName[], destination: number | readonly number[]]
> = userCall(
  "moveaxis",
  (x: Operand, source: AxisName | readonly AxisName[], destination: number | readonly number[]): Built => {
    const array = asLazy(x);
    const from = checkAxisList(numbersOf(array, source), array.ndim);
    const to = checkAxisList(destination, array.ndim);
    if (from.length !== to.length) {
      throw new AxisError({
        what: `${from.length} axes move to ${to.length} places`,
        cure: "Name as many places as axes",
      });
    }
    const axes = array.expr.shape.map((_, axis) => axis).filter((axis) => !from.includes(axis));
    const moved = to.map((place, i) => [place, from[i]!] as const).sort((a, b) => a[0] - b[0]);
    for (const [place, axis] of moved) axes.splice(place, 0, axis);
    return node(layout.permute, [array], { axes });
  },
);

/** The last two axes swapped: `cw.matrixTranspose(x)`, `x.mT`. */
export const matrixTranspose: ArrayFunction<"same"> = userCall("matrixTranspose", (x: Operand): Built => {
  const array = asLazy(x);
  if (array.ndim < 2)
    throw new ShapeError({
      what: `needs at least 2 dimensions, not ${array.ndim}`,
      cure: "Use expandDims or reshape first",
    });
  const axes = array.expr.shape.map((_, axis) => axis);
  return node(layout.permute, [array], { axes: [...axes.slice(0, -2), array.ndim - 1, array.ndim - 2] });
});

/** The same elements in row-major order under another shape; one length may be −1: `cw.reshape(x, [2, -1])`. */
export const reshape: ArrayFunction<
  "same",
  [shape: number | Shape, options?: { readonly copy?: boolean | null | undefined }]
> = userCall(
  "reshape",
  (x: Operand, shape: number | Shape): Built => {
    const array = asLazy(x);
    const target = inferLength(array, typeof shape === "number" ? [shape] : shape);
    if (shapeText(target) === shapeText(array.shape)) return array as Built;
    return reshapeSteps(array.shape, target).reduce(
      (from, to) => node(reshapeOp, [from], { shape: to }),
      array,
    ) as Built;
  },
  [2, "copy"],
);

function inferLength(x: LazyArray, shape: Shape): Shape {
  const isUnknown = (length: unknown): boolean => length === -1;
  // What is not a length or −1 is found before anything is divided.
  const known = checkShape(Array.isArray(shape) ? Array.from(shape, (n) => (isUnknown(n) ? 1 : n)) : shape);
  const unknown = shape.filter(isUnknown).length;
  if (unknown > 1)
    throw new ShapeError({
      what: `shape ${shapeText(shape)} has ${unknown} unknown lengths`,
      cure: "Only one may be -1",
    });
  const rest = sizeOf(known);
  const target = shape.map((length) =>
    isUnknown(length) ? (rest === 0 ? 0 : Math.floor(x.size / rest)) : length,
  );
  if (sizeOf(target) === x.size && !(unknown === 1 && rest === 0 && x.size > 0)) return target;
  throw new ShapeError({
    what: `${x.size} elements of shape ${shapeText(x.shape)} do not fit shape ${shapeText(shape)}`,
    cure: "The product of the lengths must stay the same",
  });
}

/** Cut into other chunks: `x.rechunk([100, "all"])`. */
export const rechunk: ArrayFunction<"same", [chunks: ChunksArgument]> = userCall(
  "rechunk",
  (x: Operand, chunks: ChunksArgument): Built => {
    const array = asLazy(x);
    return node(layout.rechunk, [array], {
      chunks: chunksFor(chunks, array.shape, array.dtype, chunksOf(array.expr)),
    });
  },
);
