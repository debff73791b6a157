// Elements at places that indices name: take, takeAlongAxis, and what of it indexing needs. In: an array and integer arrays, whose
// values may be known. Out: a move where they are and its plan stays small, else a gather.

import type { Attrs } from "../../core/block.ts";
import { type AxisName, broadcastShapes, checkAxis, checkChunks, type Shape } from "../../core/chunks.ts";
import { INDEX_DTYPE, infoOf, isComplex, isInteger } from "../../core/dtype.ts";
import { DTypeError, IndexError, ShapeError } from "../../core/errors.ts";
import type { Scalar } from "../../core/numbers.ts";
import { isUnknown } from "../../core/unknown.ts";
import { chunksOf } from "../../expr/expr.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { cast } from "../../lazy/cast.ts";
import type { GuidedFunction } from "../../lazy/functionTypes.ts";
import { asLazy, dataOf, dataOp, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import * as layout from "../../ops/moves/axisMoves.ts";
import { longestReading, periodicPlaces, type TakeAttrs, take as takeKnown } from "../../ops/moves/take.ts";
import { LINE_BYTES } from "../../ops/order.ts";
import { max } from "../../ops/reductions.ts";
import { gather, gatherIn, takeAlongAxis as takeAlongAxisOp } from "../../ops/routines.ts";
import { broadcastLazy } from "../chunked.ts";
import { askingCall, isUnsettled } from "../later.ts";
import { reshape } from "./manipulation.ts";

/** The axes that indices go along, and where the axes of the indices stand in the result. */
export type GatherPlace = Attrs & { readonly axes: number[]; readonly at: number };

export function checkIndices(index: LazyArray): LazyArray {
  if (isInteger(index.dtype)) return castTo(index, INDEX_DTYPE);
  if (index.dtype === "float64" && !isUnsettled(index) && index.size === 0) return castTo(index, INDEX_DTYPE);
  throw new DTypeError({
    what: `indices are ${index.dtype}, not integers`,
    cure: "Use astype to an integer dtype first",
  });
}

/** Places along one axis that are known are a move; others are read when the computation runs. */
export function gathered(x: LazyArray, attrs: GatherPlace, indices: readonly LazyArray[]): LazyArray {
  // Along an axis of one place there is nothing to choose.
  const [axis = attrs.axes[0]!, ...others] = attrs.axes.filter((a) => x.shape[a] !== 1);
  const index = indices[attrs.axes.indexOf(axis)]!;
  const places = others.length === 0 && index.ndim > 0 ? placesOf(x, axis, index) : null;
  if (places === null) return gatheredLater(x, attrs, indices);
  const dropped = attrs.axes.filter((a) => a !== axis);
  const taken = node(takeKnown, [x], places);
  const line = dropped.length === 0 ? taken : node(layout.squeeze, [taken], { axes: dropped });
  const along = axis - dropped.filter((a) => a < axis).length;
  const order = line.shape.map((_, a) => a).filter((a) => a !== along);
  order.splice(attrs.at, 0, along);
  const moved = order.every((a, i) => a === i) ? line : node(layout.permute, [line], { axes: order });
  return inShape(moved, attrs.at, index.shape);
}

/** Along a line that no task can hold, block by block: an element is found in one, and the others have what exceeds nothing. */
function gatheredLater(x: LazyArray, attrs: GatherPlace, indices: readonly LazyArray[]): LazyArray {
  const [axis] = attrs.axes as [number];
  const length = x.expr.shape[axis]!;
  const { bytes } = infoOf(x.dtype);
  const isCut = attrs.axes.length === 1 && !isComplex(x.dtype) && !isUnknown(length);
  if (!isCut || length * bytes <= LINE_BYTES) return node(gather, [x, ...indices], attrs);
  const chunk = chunksOf(x.expr)[axis]!;
  const block = Math.min(length, chunk * Math.max(1, Math.floor(LINE_BYTES / (chunk * bytes))));
  const [fill] = max.identity(x.dtype, {}) as [Scalar];
  return max(node(gatherIn, [x, ...indices], { ...attrs, length, block, fill }), { axis: 0 });
}

/** One axis in the shape of the indices. */
function inShape(x: LazyArray, axis: number, shape: Shape): LazyArray {
  if (shape.length === 1) return x;
  const whole = [...x.shape.slice(0, axis), ...shape, ...x.shape.slice(axis + 1)];
  return reshape(x, whole) as LazyArray;
}

/** Longer lists are data, and no part of a plan. */
const MOST_PLACES = 2 ** 20;
/** So many times as long as what it gives, or as a chunk, may be what a task reads at once. */
const MOST_READ = 4;
const MOST_CHUNKS = 2;

/** Null where they are not known, or lie so far apart that tasks had better read x chunk by chunk. */
function placesOf(x: LazyArray, axis: number, index: LazyArray): (Attrs & TakeAttrs) | null {
  const values = index.size > MOST_PLACES ? null : knownValues(index);
  if (values === null || values.length !== index.size) return null;
  const length = x.shape[axis]!;
  const list = values.map((value) => (value < 0 ? value + length : value));
  const chunks = chunksOf(x.expr);
  const own = index.ndim === 1 ? chunksOf(index.expr)[0]! : list.length;
  const free = chunks.map((n, a) => (a === axis ? ("auto" as const) : n));
  const shape = x.shape.map((n, a) => (a === axis ? list.length : n));
  const usual = (): number => checkChunks(free, shape, infoOf(x.dtype).bytes)[axis]!;
  const reach = chunks[axis]!;
  const chunk = own < list.length ? own : reach < length ? reach : usual();
  const attrs = { axis, ...periodicPlaces(list), chunk, reach };
  return longestReading(attrs) <= Math.max(MOST_READ * chunk, MOST_CHUNKS * reach) ? attrs : null;
}

/** Indices that lie in memory are checked now, not when the computation runs. */
export function checkKnownIndices(
  x: LazyArray,
  axes: readonly number[],
  indices: readonly LazyArray[],
): void {
  indices.forEach((index, k) => {
    const values = knownValues(index);
    const length = x.shape[axes[k]!]!;
    const wrong = values?.find((value) => value < -length || value >= length);
    if (wrong === undefined) return;
    throw new IndexError({
      what: `index ${wrong} is out of range for axis ${axes[k]} of length ${length}`,
      cure: length === 0 ? "The axis is empty" : `Use ${-length} to ${length - 1}`,
    });
  });
}

/** The elements of an array that is data in memory, cast or stretched at most: a view may hide the others. */
function knownValues(x: LazyArray): number[] | null {
  let { expr } = x;
  while (expr.op === cast || expr.op === layout.broadcast) expr = expr.inputs[0]!;
  if (expr.op !== dataOp) return null;
  return [...NDArray.fromBlock(dataOf(expr.attrs).block)].map(Number);
}

type TakeFunction = GuidedFunction<"same", [options?: { readonly axis?: AxisName | undefined }]>;

/** Elements along an axis at the places that 1-d indices name: `cw.take(x, [3, 0], {axis: 1})`. */
export const take: TakeFunction = userCall(
  "take",
  (x: Operand, indices: Operand, { axis }: { readonly axis?: AxisName | undefined } = {}): Built => {
    const array = asLazy(x);
    const index = checkIndices(asLazy(indices));
    if (axis === undefined && array.ndim !== 1) {
      throw new ShapeError({
        what: `the array has ${array.ndim} dimensions and no axis is named`,
        cure: "Say which axis: {axis: 0}",
      });
    }
    const at = checkAxis(axis ?? 0, array.ndim);
    if (!isUnsettled(array) && !isUnsettled(index)) return taken(array, index, at);
    const { shape } = array.expr;
    const lengths = [...shape.slice(0, at), ...index.expr.shape, ...shape.slice(at + 1)];
    return takeLater([array, index], array.dtype, lengths, { axis: at });
  },
  [2, "axis"],
);

function taken(array: LazyArray, index: LazyArray, at: number): Built {
  checkKnownIndices(array, [at], [index]);
  return gathered(array, { axes: [at], at }, [index]) as Built;
}

/** When the lengths of both are known. */
const takeLater = askingCall("take", {
  asks: () => [],
  make: ([array, index], { axis }) => taken(array!, index!, axis as number),
});

/** Elements along an axis, for every place of the other axes at indices of its own: `x.takeAlongAxis(x.argsort({axis: 1}), {axis: 1})`. */
export const takeAlongAxis: TakeFunction = userCall(
  "takeAlongAxis",
  (x: Operand, indices: Operand, { axis = -1 }: { readonly axis?: AxisName | undefined } = {}): Built => {
    const array = asLazy(x);
    const index = checkIndices(asLazy(indices));
    if (index.ndim !== array.ndim) {
      throw new ShapeError({
        what: `the indices have ${index.ndim} dimensions and the array ${array.ndim}`,
        cure: "They must have the same number",
      });
    }
    const at = checkAxis(axis, array.ndim);
    checkKnownIndices(array, [at], [index]);
    const one = (shape: Shape): Shape => shape.map((n, a) => (a === at ? 1 : n));
    const others = broadcastShapes([one(array.shape), one(index.shape)]);
    const along = (x: LazyArray): LazyArray =>
      broadcastLazy(
        x,
        others.map((n, a) => (a === at ? x.shape[at]! : n)),
      );
    return node(takeAlongAxisOp, [along(array), along(index)], { axis: at });
  },
  [2, "axis"],
);
