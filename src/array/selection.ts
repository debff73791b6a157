// Selections: what a user writes between brackets → one item per axis of the array.
// In: ints, slices ("0:10:2" or cw.slice), "...", null, arrays. Out: normalised items, ellipsis filled in,
// bounds resolved against the shape. Errors name the axis, the index and the range.

import { describe, type Shape, sameShape, shapeText } from "../core/chunks.ts";
import { isTypedArray, type TypedArray } from "../core/dtype.ts";
import { IndexError, ShapeError } from "../core/errors.ts";
import { axisNamed, type DimNames } from "../core/labels.ts";
import { isUnknown, lengthText } from "../core/unknown.ts";
import { userCall } from "../lazy/call.ts";
import { asLazy, LazyArray } from "../lazy/lazyArray.ts";
import { NDArray, type NestedScalars } from "../lazy/ndarray.ts";
import type { ZarrArray } from "../storage/zarr/array.ts";

/** A range of places along an axis, as `cw.slice(0, 10, 2)` makes it: a `Slice`, printed as 0:10:2. */
export class Slice {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;

  constructor(start: Bound, stop: Bound, step: Bound) {
    this.start = checkBound(start, "start");
    this.stop = checkBound(stop, "stop");
    this.step = checkBound(step, "step");
  }

  toString(): string {
    const text = (x: number | null): string => (x === null ? "" : String(x));
    return `${text(this.start)}:${text(this.stop)}${this.step === null ? "" : `:${this.step}`}`;
  }
}

/** A whole number, or null for what is left out. */
type Bound = number | bigint | null;
type SliceFunction = (start: Bound, stop?: Bound, step?: Bound) => Slice;

/** Python's slice(stop), slice(start, stop), slice(start, stop, step): `x.get(cw.slice(0, 10, 2))`. */
export const slice: SliceFunction = userCall("slice", (start: Bound, stop?: Bound, step?: Bound) =>
  stop === undefined ? new Slice(null, start, null) : new Slice(start, stop, step ?? null),
);

/** Where a mask is true along one of its axes, and how long the mask is there; null of a 0-d mask, which adds an axis. */
export class MaskPlaces {
  readonly index: LazyArray;
  readonly length: number | null;

  constructor(index: LazyArray, length: number | null) {
    this.index = index;
    this.length = length;
  }
}

/** One of the axes of a mask that is computed later; null of a 0-d mask, which adds an axis. */
export class MaskAxis {
  readonly mask: LazyArray;
  readonly at: number | null;

  constructor(mask: LazyArray, at: number | null) {
    this.mask = mask;
    this.at = at;
  }
}

/**
 * What `x.get(…)` takes for an axis: a place, a range (`cw.slice(0, 10)` or "0:10"), "..." for all axes in between,
 * null for a new one, places or a mask.
 */
export type SelectionItem =
  | number
  | bigint
  | Slice
  | string
  | null
  | LazyArray
  | NDArray
  | TypedArray
  | MaskPlaces
  | MaskAxis
  | readonly NestedScalars[];

/** Per axis of the array, or a new axis; with places where a 0-d mask makes it one or none long. */
export type AxisItem =
  | { readonly kind: "index"; readonly axis: number; readonly at: number }
  | {
      readonly kind: "range";
      readonly axis: number;
      readonly start: number;
      readonly step: number;
      readonly length: number;
    }
  | { readonly kind: "array"; readonly axis: number; readonly index: LazyArray }
  /** A place or a range of an axis whose length is not known yet. */
  | { readonly kind: "later"; readonly axis: number; readonly item: number | Slice }
  | { readonly kind: "mask"; readonly axis: number; readonly mask: LazyArray }
  | { readonly kind: "newaxis"; readonly index?: LazyArray; readonly mask?: LazyArray };

function checkBound(value: unknown, name: string): number | null {
  if (value === null || value === undefined) return null;
  // No axis reaches so far: where beyond its end does not matter.
  if (typeof value === "bigint" || Number.isInteger(value) || value === Infinity || value === -Infinity)
    return Math.min(Math.max(Number(value), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  throw new IndexError({
    where: "slice",
    what: `the slice's ${name} is ${describe(value)}`,
    cure: "Use whole numbers or null",
  });
}

/** "1:3", "::-1", ":". */
function parseSlice(text: string): Slice {
  const parts = text.length > MAX_SLICE_TEXT ? [] : text.split(":").map((part) => part.trim());
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => part === "" || /^-?\d+$/.test(part))) {
    throw new IndexError({
      what: `${describe(text)} is not a slice`,
      cure: 'Write "start:stop:step", for example "0:10:2", or "..."',
    });
  }
  const bound = (part: string | undefined): number | null =>
    part === undefined || part === "" ? null : Number(part);
  return new Slice(bound(parts[0]), bound(parts[1]), bound(parts[2]));
}

const MAX_SLICE_TEXT = 100;

/** Items by the names of axes; axes that are not named are taken whole: `{time: "0:10", lat: 3}`. */
export interface NamedSelection {
  readonly [dim: string]: SelectionItem;
}

/** An object that is nothing else. */
export function isNamed(selection: unknown): selection is NamedSelection {
  const prototype: unknown =
    typeof selection === "object" && selection !== null ? Object.getPrototypeOf(selection) : undefined;
  return prototype === Object.prototype || prototype === null;
}

/** One item per axis, for items by name. */
export function positional(selection: NamedSelection, dims: DimNames): SelectionItem[] {
  const items = dims.map((): SelectionItem => ":");
  for (const [name, item] of Object.entries(selection)) {
    if (item === null)
      throw new IndexError({
        what: `null for the axis ${describe(name)}`,
        cure: "New axes have places: x.get(null, …)",
      });
    items[axisNamed(dims, name)] = item;
  }
  return items;
}

export function resolveSelection(items: readonly SelectionItem[], shape: Shape): AxisItem[] {
  const expanded = expandEllipsis(Array.from(items, readItem), shape);
  const resolved: AxisItem[] = [];
  let axis = 0;
  for (const item of expanded) {
    if (item === null) resolved.push({ kind: "newaxis" });
    else if (item instanceof LazyArray) resolved.push({ kind: "array", axis: axis++, index: item });
    else if (item instanceof MaskPlaces && item.length === null)
      resolved.push({ kind: "newaxis", index: item.index });
    else if (item instanceof MaskAxis && item.at === null)
      resolved.push({ kind: "newaxis", mask: item.mask });
    else if (item instanceof MaskAxis) resolved.push(resolveMaskAxis(item, axis, shape[axis++]!));
    else if (item instanceof MaskPlaces) resolved.push(resolveMask(item, axis, shape[axis++]!));
    else if (isUnknown(shape[axis]!) && (typeof item === "number" || !isWhole(item)))
      resolved.push({ kind: "later", axis: axis++, item });
    else if (item instanceof Slice) resolved.push(resolveSlice(item, axis, shape[axis++]!));
    else resolved.push({ kind: "index", axis, at: resolveIndex(item, axis, shape[axis++]!) });
  }
  return resolved;
}

const isWhole = ({ start, stop, step }: Slice): boolean =>
  (start ?? 0) === 0 && stop === null && (step ?? 1) === 1;

type ReadItem = number | Slice | "..." | null | LazyArray | MaskPlaces | MaskAxis;

function resolveMask({ index, length }: MaskPlaces, axis: number, expected: number): AxisItem {
  checkMaskLength(length!, axis, expected);
  return { kind: "array", axis, index };
}

function resolveMaskAxis({ mask, at }: MaskAxis, axis: number, expected: number): AxisItem {
  checkMaskLength(mask.expr.shape[at!]!, axis, expected);
  return { kind: "mask", axis, mask };
}

function checkMaskLength(length: number, axis: number, expected: number): void {
  if (length === expected) return;
  throw new IndexError({
    what: `the mask is ${lengthText(length)} long where axis ${axis} is ${lengthText(expected)} long`,
    cure: "A mask has the lengths of the axes it stands for",
  });
}

function readItem(item: SelectionItem): ReadItem {
  if (item === null || item === "..." || item instanceof Slice || item instanceof LazyArray) return item;
  if (item instanceof MaskPlaces || item instanceof MaskAxis) return item;
  if (typeof item === "string") return parseSlice(item);
  if (typeof item === "bigint") return Number(item);
  if (typeof item === "number") return item;
  if (item instanceof NDArray || isTypedArray(item) || Array.isArray(item)) return asLazy(item);
  throw new IndexError({
    what: `${describe(item)} cannot select`,
    cure: 'Use whole numbers, slices such as "0:10:2", "...", null, or integer arrays',
  });
}

/** "..." stands for as many whole axes as are left; at the end it may be left away. */
function expandEllipsis(items: readonly ReadItem[], shape: Shape): Exclude<ReadItem, "...">[] {
  const ellipses = items.filter((item) => item === "...").length;
  if (ellipses > 1)
    throw new IndexError({ what: `the selection has ${ellipses} ellipses`, cure: 'Use "..." once' });
  const isNew = (item: ReadItem): boolean =>
    (item instanceof MaskPlaces && item.length === null) || (item instanceof MaskAxis && item.at === null);
  const used = items.filter((item) => item !== null && item !== "..." && !isNew(item)).length;
  if (used > shape.length) {
    throw new IndexError({
      what: `${used} indices for an array of shape ${shapeText(shape)}`,
      cure: `Use at most ${shape.length}`,
    });
  }
  const whole = Array.from({ length: shape.length - used }, () => new Slice(null, null, null));
  const at = items.indexOf("...");
  const list = items.filter((item): item is Exclude<ReadItem, "..."> => item !== "...");
  list.splice(at < 0 ? list.length : at, 0, ...whole);
  return list;
}

function resolveIndex(index: number, axis: number, length: number): number {
  if (Number.isInteger(index) && index >= -length && index < length)
    return index < 0 ? index + length : index;
  const cure = !Number.isInteger(index)
    ? "An index is a whole number"
    : length === 0
      ? "The axis is empty"
      : `Use ${-length} to ${length - 1}`;
  throw new IndexError({
    what: `index ${describe(index)} is out of range for axis ${axis} of length ${length}`,
    cure,
  });
}

/** Python's rules: bounds beyond the ends are cut, a negative step runs backwards. */
function resolveSlice(item: Slice, axis: number, length: number): AxisItem {
  const step = item.step ?? 1;
  if (step === 0)
    throw new IndexError({ what: `the slice's step is 0 at axis ${axis}`, cure: "Use a step other than 0" });
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const bound = (x: number | null, otherwise: number): number =>
    x === null ? otherwise : Math.min(Math.max(x < 0 ? x + length : x, lowest), highest);
  const start = bound(item.start, step > 0 ? lowest : highest);
  const stop = bound(item.stop, step > 0 ? highest : lowest);
  return { kind: "range", axis, start, step, length: Math.max(0, Math.ceil((stop - start) / step)) };
}

// A region of a stored array that whole chunks make up. In: slices, the stored array, and the shape of what is
// written. Out: where the region begins.

export function regionStart(
  region: readonly SelectionItem[],
  { shape, metadata }: ZarrArray,
  written: readonly number[],
): number[] {
  const spans = resolveSelection(region, shape).map((item) => span(item, shape, metadata.unitShape));
  const lengths = spans.map(([start, end]) => end - start);
  if (!sameShape(lengths, written))
    throw new ShapeError({
      what: `a region of shape ${shapeText(lengths)} for an array of shape ${shapeText(written)}`,
      cure: "They must be equal",
    });
  return spans.map(([start]) => start);
}

function span(item: AxisItem, shape: readonly number[], units: readonly number[]): [number, number] {
  if (item.kind !== "range" || item.step !== 1)
    throw new IndexError({ what: "a region has slices without steps only", cure: 'Write ["10:20", ":"]' });
  const { axis, start, length } = item;
  const [end, unit, all] = [start + length, units[axis]!, shape[axis]!];
  if (start % unit === 0 && (end % unit === 0 || end === all)) return [start, end];
  throw new IndexError({
    what: `${start}:${end} of axis ${axis} (length ${all}) does not begin and end at chunks of ${unit}`,
    cure: `Begin and end at multiples of ${unit}, or at the end of the axis`,
  });
}
