// Selection by a mask that is computed later. In: an array whose other axes are sliced already, and what stands for each of its
// axes. Out: what the mask selects, as a node that waits for a stage (ops/compaction.ts): as long as the mask is often true,
// where the mask's axes stood, or in front where a single index stands apart from them, as NumPy has it.

import { type Shape, shapeText, sizeOf } from "../../core/chunks.ts";
import { IndexError } from "../../core/errors.ts";
import { isScalar } from "../../core/numbers.ts";
import { type Built, built, castTo, node, scalarExpr } from "../../lazy/build.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { compactExpr, place } from "../../ops/compaction.ts";
import { where } from "../../ops/elementwise/index.ts";
import { expandDims, permute, squeeze } from "../../ops/moves/axisMoves.ts";
import { broadcastLazy } from "../chunked.ts";
import type { AxisItem } from "../selection.ts";
import { reshape } from "./manipulation.ts";

/** Places along the first axis of x where a 1-d mask is true. */
export const compact = (x: LazyArray, mask: LazyArray): Built =>
  built(compactExpr(x.expr, mask.expr), [x, mask]);

export const hasMask = (item: AxisItem): boolean => "mask" in item && item.mask !== undefined;

/** `items`: one for each axis of `sliced`, where a single index left an axis of length 1, and for each new axis. */
export function maskItems(sliced: LazyArray, items: readonly AxisItem[]): Built {
  const added = placesOf(items, ({ kind }) => kind === "newaxis");
  const array = added.length === 0 ? sliced : node(expandDims, [sliced], { axes: added });
  const masked = placesOf(items, hasMask);
  const single = placesOf(items, ({ kind }) => kind === "index");
  const rest = placesOf(items, (item) => !hasMask(item) && item.kind !== "index");
  const front = rowsOf(
    dropLast(turned(array, [...masked, ...rest, ...single]), single.length),
    masked.length,
  );
  const selected = compact(front, flat(maskOf(items, masked)));
  const together = [...masked, ...single].sort((a, b) => a - b);
  const isTogether = together.every((place, i) => i === 0 || place === together[i - 1]! + 1);
  const at = isTogether ? rest.filter((place) => place < together[0]!).length : 0;
  const axes = rest.map((_, i) => i + 1);
  return turned(selected, [...axes.slice(0, at), 0, ...axes.slice(at)]);
}

const placesOf = (items: readonly AxisItem[], is: (item: AxisItem) => boolean): number[] =>
  items.flatMap((item, place) => (is(item) ? [place] : []));

function maskOf(items: readonly AxisItem[], places: readonly number[]): LazyArray {
  const masks = new Set(places.map((place) => (items[place] as { mask: LazyArray }).mask));
  const [mask, another] = masks;
  const isOnce = another === undefined && places.length === Math.max(1, mask!.ndim);
  if (isOnce && !items.some(({ kind }) => kind === "array")) return mask!;
  throw new IndexError({
    what: "a mask that is computed later stands beside another mask, or an array of places",
    cure: "Select by one after the other, or by cw.nonzero(mask) and places that are as many",
  });
}

function turned(x: LazyArray, axes: readonly number[]): Built {
  return (axes.every((axis, i) => axis === i) ? x : node(permute, [x], { axes })) as Built;
}

/** Axes of single indices, which are 1 long. */
function dropLast(x: LazyArray, count: number): LazyArray {
  const axes = Array.from({ length: count }, (_, i) => x.ndim - count + i);
  return count === 0 ? x : node(squeeze, [x], { axes });
}

/** The first axes as one. */
function rowsOf(x: LazyArray, count: number): LazyArray {
  if (count === 1) return x;
  const { shape } = x;
  return reshape(x, [sizeOf(shape.slice(0, count)), ...shape.slice(count)]);
}

const flat = (mask: LazyArray): LazyArray => (mask.ndim === 1 ? mask : reshape(mask, [-1]));

/** x with a value where a mask of its first axes is true: one for all, one row for all, or as many rows as there are places. */
export function setMasked(x: LazyArray, mask: LazyArray, value: Operand): Built {
  const [{ shape }, own] = [x.expr, mask.expr.shape];
  if (own.some((n, axis) => n !== shape[axis])) {
    throw new IndexError({
      what: `the mask has shape ${shapeText(own)} and the array ${shapeText(shape)}`,
      cure: "A mask covers the first axes wholly",
    });
  }
  const filling = isScalar(value) ? built(scalarExpr(value, x.dtype), []) : castTo(asLazy(value), x.dtype);
  const rest = shape.slice(mask.ndim);
  if (filling.ndim > rest.length && filling.expr.shape[0] !== 1) return placedRows(x, mask, filling, rest);
  const row = filling.ndim > rest.length ? node(squeeze, [filling], { axes: [0] }) : filling;
  return where(besideRest(mask, [], x.ndim - mask.ndim), row, x) as Built;
}

/** With new axes of length 1 before and behind. */
function besideRest(mask: LazyArray, before: readonly number[], behind: number): LazyArray {
  const axes = [...before, ...Array.from({ length: behind }, (_, i) => before.length + mask.ndim + i)];
  return axes.length === 0 ? mask : node(expandDims, [mask], { axes });
}

function placedRows(x: LazyArray, mask: LazyArray, values: LazyArray, rest: Shape): Built {
  if (values.ndim > rest.length + 1)
    throw new IndexError({
      what: `values of shape ${shapeText(values.expr.shape)} for places of shape [?, ${rest.join(", ")}]`,
      cure: "Give a value, or one for each place where the mask is true",
    });
  const rows = broadcastLazy(values, [values.expr.shape[0]!, ...rest]);
  const set = node(place, [rowsOf(x, mask.ndim), flat(mask), rows]);
  return (mask.ndim === 1 ? set : reshape(set, x.shape)) as Built;
}

/** The sliced array with one value where the mask among its items is true. */
export function fillMasked(sliced: LazyArray, items: readonly AxisItem[], value: LazyArray): LazyArray {
  const axes = items.filter(({ kind }) => kind !== "newaxis");
  const masked = placesOf(axes, hasMask);
  if (value.ndim > 0 || masked.length === 0)
    throw new IndexError({
      what: `a value of shape ${shapeText(value.expr.shape)} beside a mask that is computed later`,
      cure: "Set a single value there, or give the mask alone",
    });
  const before = Array.from({ length: masked[0]! }, (_, axis) => axis);
  const mask = besideRest(maskOf(axes, masked), before, axes.length - masked.length - before.length);
  return where(mask, value, sliced) as LazyArray;
}
