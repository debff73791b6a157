// Indexing: get, set, take, takeAlongAxis. Regular selections are slices; integer arrays are gathers.
// Integers beside integer arrays count as arrays, as in NumPy, and arrays that do not stand together move
// their axes to the front.

import { broadcastShapes, type Shape, shapeText } from "../../core/chunks.ts";
import { type DType, INDEX_DTYPE } from "../../core/dtype.ts";
import { UnknownLengthError } from "../../core/errors.ts";
import { isScalar } from "../../core/numbers.ts";
import { isUnknown, unknownLength } from "../../core/unknown.ts";
import { type Built, built, castTo, node, scalarExpr } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction } from "../../lazy/functionTypes.ts";
import { asLazy, dataOf, dataOp, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import * as layout from "../../ops/moves/axisMoves.ts";
import { setSlice, slice as sliceOp } from "../../ops/moves/select.ts";
import { scatter } from "../../ops/routines.ts";
import { broadcastLazy } from "../chunked.ts";
import { laterCall } from "../later.ts";
import {
  type AxisItem,
  isNamed,
  MaskAxis,
  MaskPlaces,
  type NamedSelection,
  positional,
  resolveSelection,
  type SelectionItem,
  Slice,
} from "../selection.ts";
import { fillMasked, hasMask, maskItems, setMasked } from "./masking.ts";
import { checkIndices, checkKnownIndices, type GatherPlace, gathered } from "./taking.ts";

type Range = Extract<AxisItem, { kind: "range" }>;
type Item = AxisItem;

/**
 * x[…]: whole numbers, slices ("0:10:2" or cw.slice), "...", null, integer arrays, masks: `x.get(0, "1:3")`. How much a mask
 * selects that is computed later is known once it is: `x.get(x.greater(0))`. Or by the names of axes: `x.get({time: "0:10"})`.
 */
export const get: ArrayFunction<"same", readonly SelectionItem[] | readonly [NamedSelection]> = userCall(
  "get",
  (x: Operand, ...given: readonly SelectionItem[] | readonly [NamedSelection]): Built => {
    const array = asLazy(x);
    const items = itemsOf(array, byPlace(given, array));
    if (items.some(({ kind }) => kind === "later")) return getLater(array, items);
    const sliced = sliceItems(array, items);
    if (items.some(hasMask)) return maskItems(sliced, items);
    return (items.some(isPlaces) ? gatherItems(sliced, items) : dropAndAdd(sliced, items)) as Built;
  },
);

function byPlace(
  given: readonly SelectionItem[] | readonly [NamedSelection],
  { dims }: LazyArray,
): readonly SelectionItem[] {
  const [first] = given;
  return given.length === 1 && isNamed(first) ? positional(first, dims) : (given as readonly SelectionItem[]);
}

/** A selection of an axis whose length is not known yet: the call waits for it. */
function getLater(x: LazyArray, items: readonly Item[]): Built {
  const wrong = items.some((item) => isPlaces(item) || hasMask(item));
  if (wrong) throw lengthsNeeded(x);
  const lengths = items.flatMap((item) => laterLength(item, x.expr.shape));
  return laterGet(x, x.dtype, lengths, { selection: items.map(itemAttr) });
}

const lengthsNeeded = (x: LazyArray): UnknownLengthError =>
  new UnknownLengthError({
    what: `places of an array of shape ${shapeText(x.expr.shape)}, whose length depends on data`,
    cure: "Settle it first: x = await x.settle()",
  });

function laterLength(item: Item, shape: Shape): number[] {
  if (item.kind === "range") return [item.length];
  if (item.kind === "newaxis") return [1];
  if (item.kind !== "later" || typeof item.item === "number") return [];
  return [unknownLength(`${item.item} of ${shape[item.axis]}`)];
}

/** As plain data: null, a place, or the bounds of a range. */
function itemAttr(item: Item): null | number | readonly (number | null)[] {
  if (item.kind === "index") return item.at;
  if (item.kind === "later") return typeof item.item === "number" ? item.item : boundsOf(item.item);
  if (item.kind !== "range") return null;
  const { start, step, length } = item;
  const stop = start + step * length;
  // What is whole stays whole, however long that is.
  if (isUnknown(length)) return [null, null, null];
  return [start, stop < 0 ? null : stop, step];
}

const boundsOf = ({ start, stop, step }: Slice): (number | null)[] => [start, stop, step];

const laterGet = laterCall("get", (x, { selection }) =>
  get(
    x,
    ...(selection as (null | number | [number, number, number])[]).map((item) =>
      Array.isArray(item) ? new Slice(...item) : item,
    ),
  ),
);

const isPlaces = (item: Item): boolean =>
  item.kind === "array" || (item.kind === "newaxis" && item.index !== undefined);

/** Masks in memory become the places where they are true. */
function itemsOf(x: LazyArray, selection: readonly SelectionItem[]): Item[] {
  return resolveSelection(
    Array.from(selection).flatMap((item) => expandMask(item)),
    x.expr.shape,
  );
}

function expandMask(item: SelectionItem): SelectionItem[] {
  const mask = maskOf(item);
  if (mask === null) return [item];
  if (mask.expr.op === dataOp) return nonzeroPlaces(NDArray.fromBlock(dataOf(mask.expr.attrs).block));
  if (mask.ndim === 0) return [new MaskAxis(mask, null)];
  return Array.from({ length: mask.ndim }, (_, at) => new MaskAxis(mask, at));
}

function maskOf(item: SelectionItem): LazyArray | null {
  if (item === null || typeof item !== "object" || !("length" in item || "dtype" in item)) return null;
  const array = asLazy(item as Operand);
  return array.dtype === "bool" ? array : null;
}

/** One index array per axis of the mask. */
function nonzeroPlaces(mask: NDArray): MaskPlaces[] {
  const flat = mask.toContiguous();
  const found: number[] = [];
  for (let i = 0; i < flat.size; i++) if (flat.data[i] !== 0) found.push(i);
  // As in NumPy a mask without axes adds one: as long as the mask is often true.
  if (mask.ndim === 0) return [new MaskPlaces(asLazy(BigInt64Array.from(found, BigInt)), null)];
  let below = flat.size;
  return flat.shape.map((length) => {
    below /= length;
    const places = BigInt64Array.from(found, (at) => BigInt(Math.floor(at / below) % length));
    return new MaskPlaces(asLazy(places), length);
  });
}

/** The regular part: ranges as they are, an index as a range of one, arrays the whole axis. */
function sliceItems(x: LazyArray, items: readonly Item[]): LazyArray {
  const { shape } = x.expr;
  const ranges = rangesOf(shape, items);
  if (ranges.every(({ axis, start, step, length }) => start === 0 && step === 1 && length === shape[axis]))
    return x;
  return node(sliceOp, [x], sliceAttrsOf(ranges));
}

function rangesOf(shape: Shape, items: readonly Item[]): Range[] {
  return items.flatMap((item): Range[] => {
    if (item.kind === "newaxis") return [];
    if (item.kind === "range") return [item];
    const whole = { kind: "range", axis: item.axis, step: 1 } as const;
    return [
      item.kind === "index"
        ? { ...whole, start: item.at, length: 1 }
        : { ...whole, start: 0, length: shape[item.axis]! },
    ];
  });
}

const sliceAttrsOf = (ranges: readonly Range[]): { start: number[]; step: number[]; shape: number[] } => ({
  start: ranges.map(({ start }) => start),
  step: ranges.map(({ step }) => step),
  shape: ranges.map(({ length }) => length),
});

/** Axes of single indices go, new axes come. */
function dropAndAdd(sliced: LazyArray, items: readonly Item[]): LazyArray {
  const dropped = items.flatMap((item) => (item.kind === "index" ? [item.axis] : []));
  const kept = items.filter(({ kind }) => kind !== "index");
  const added = kept.flatMap((item, place) => (item.kind === "newaxis" ? [place] : []));
  const squeezed = dropped.length === 0 ? sliced : node(layout.squeeze, [sliced], { axes: dropped });
  return added.length === 0 ? squeezed : node(layout.expandDims, [squeezed], { axes: added });
}

interface Gathering {
  /** The array with new axes in place. */
  readonly array: LazyArray;
  readonly attrs: GatherPlace;
  readonly indices: LazyArray[];
}

/** How the indexed axes of a sliced array are gathered. */
function gathering(sliced: LazyArray, items: readonly Item[]): Gathering {
  const added = items.flatMap((item, place) => (item.kind === "newaxis" ? [place] : []));
  const array = added.length === 0 ? sliced : node(layout.expandDims, [sliced], { axes: added });
  const axes = items.flatMap((item, place) => (item.kind === "index" || isPlaces(item) ? [place] : []));
  const together = axes.every((axis, i) => i === 0 || axis === axes[i - 1]! + 1);
  const raw = axes.map((place) => indexArray(items[place]!));
  const shape = broadcastShapes(raw.map((index) => index.shape));
  return {
    array,
    attrs: { axes, at: together ? axes[0]! : 0 },
    indices: raw.map((index) => broadcastLazy(index, shape)),
  };
}

/** A single index was cut down to a range of one: its place there is 0. */
function indexArray(item: Item): LazyArray {
  if ("index" in item && item.index !== undefined) return checkIndices(item.index);
  return built(scalarExpr(0n, INDEX_DTYPE), []);
}

function gatherItems(sliced: LazyArray, items: readonly Item[]): LazyArray {
  const { array, attrs, indices } = gathering(sliced, items);
  checkKnownIndices(array, attrs.axes, indices);
  return gathered(array, attrs, indices);
}

interface SetFunction {
  <const A extends Operand, const B extends Operand>(
    x: A,
    selection: Selected,
    value: B,
  ): LazyArray<ArrayDType<A>, OutputsOf<A> & OutputsOf<B>>;
  readonly "~method"?: <D extends DType, O, const B extends Operand>(
    this: LazyArray<D, O>,
    selection: Selected,
    value: B,
  ) => LazyArray<D, O & OutputsOf<B>>;
}

/** One item, a list of items, or items by the names of axes. */
type Selected = SelectionItem | readonly SelectionItem[] | NamedSelection;

/** A new lazy array with a selection replaced; several items go into a list: `x.set(["1:", 0], -1)`. The value broadcasts. */
export const set: SetFunction = userCall("set", (x: Operand, selection: Selected, value: Operand): Built => {
  const array = asLazy(x);
  const list = isNamed(selection)
    ? positional(selection, array.dims)
    : isItemList(selection)
      ? selection
      : [selection];
  const mask = list.length === 1 ? maskOf(list[0]!) : null;
  if (mask !== null && (mask.expr.op !== dataOp || isScalarLike(value))) return setMasked(array, mask, value);
  const items = itemsOf(array, list);
  if (items.some(({ kind }) => kind === "later")) throw lengthsNeeded(array);
  const filling = isScalar(value)
    ? built(scalarExpr(value, array.dtype), [])
    : castTo(asLazy(value), array.dtype);
  const sliced = sliceItems(array, items);
  const part = items.some(hasMask)
    ? fillMasked(sliced, items, filling)
    : items.some(isPlaces)
      ? scatterItems(sliced, items, filling)
      : fillRegular(items, filling);
  return setPart(array, items, part);
});

/** A list holds one item per axis; a flat list of booleans is a mask. */
function isItemList(
  selection: SelectionItem | readonly SelectionItem[],
): selection is readonly SelectionItem[] {
  return (
    Array.isArray(selection) &&
    !(selection.length > 0 && selection.every((item) => typeof item === "boolean"))
  );
}

const isScalarLike = (value: Operand): boolean => isScalar(value) || asLazy(value).ndim === 0;

/** A value in the shape of the sliced array: new axes taken out, axes of single indices put in. */
function fillRegular(items: readonly Item[], value: LazyArray): LazyArray {
  const kept = items.filter(({ kind }) => kind !== "index");
  const shape = kept.map((item) => (item.kind === "range" ? item.length : 1));
  const whole = broadcastTo(value, shape);
  const added = kept.flatMap((item, place) => (item.kind === "newaxis" ? [place] : []));
  const squeezed = added.length === 0 ? whole : node(layout.squeeze, [whole], { axes: added });
  const dropped = items.flatMap((item) => (item.kind === "index" ? [item.axis] : []));
  return dropped.length === 0 ? squeezed : node(layout.expandDims, [squeezed], { axes: dropped });
}

/** Leading axes of length 1 that the selection does not have are dropped, as NumPy does. */
function broadcastTo(value: LazyArray, shape: Shape): LazyArray {
  const extra = Math.max(0, value.ndim - shape.length);
  const lead = value.shape.slice(0, extra);
  const fitting =
    extra > 0 && lead.every((n) => n === 1)
      ? node(layout.squeeze, [value], { axes: lead.map((_, axis) => axis) })
      : value;
  return broadcastLazy(fitting, shape);
}

function scatterItems(sliced: LazyArray, items: readonly Item[], value: LazyArray): LazyArray {
  const { array, attrs, indices } = gathering(sliced, items);
  checkKnownIndices(array, attrs.axes, indices);
  const rest = array.shape.filter((_, axis) => !attrs.axes.includes(axis));
  const shape = [...rest.slice(0, attrs.at), ...indices[0]!.shape, ...rest.slice(attrs.at)];
  const scattered = node(scatter, [array, broadcastTo(value, shape), ...indices], {
    ...attrs,
    shape: array.shape,
  });
  const added = items.flatMap((item, place) => (item.kind === "newaxis" ? [place] : []));
  return added.length === 0 ? scattered : node(layout.squeeze, [scattered], { axes: added });
}

function setPart(x: LazyArray, items: readonly Item[], part: LazyArray): Built {
  return node(setSlice, [x, part], sliceAttrsOf(rangesOf(x.shape, items)));
}
