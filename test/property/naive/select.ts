// NumPy's indexing of nested lists. In: a list, its shape, and items: whole numbers, slices (start, stop, step),
// null, "...", and lists of whole numbers or booleans. Out: the selected list and its shape.
// Regular items are taken one axis after another, from the outside in; index arrays become whole numbers, one
// place of theirs after the other, so that all is said by the regular case.

import {
  at,
  commonShape,
  type Element,
  type Index,
  type Nested,
  placesOf,
  seenFrom,
  tabulate,
} from "./lists.ts";

export interface NaiveSlice {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;
}
export interface NaiveIndices {
  readonly shape: Index;
  readonly list: Nested;
}
export type NaiveItem = number | NaiveSlice | null | "..." | NaiveIndices;
type Plain = number | NaiveSlice | null;

export interface Selected {
  readonly shape: Index;
  readonly list: Nested;
}

export const isIndices = (item: NaiveItem | undefined): item is NaiveIndices =>
  typeof item === "object" && item !== null && "list" in item;

/** Python's slice.indices, counted out. */
export function slicePlaces({ start, stop, step }: NaiveSlice, length: number): number[] {
  const by = step ?? 1;
  const bound = (x: number): number => (x < 0 ? x + length : x);
  const places: number[] = [];
  if (by > 0) {
    const last = Math.min(stop === null ? length : bound(stop), length);
    for (let x = Math.max(start === null ? 0 : bound(start), 0); x < last; x += by) places.push(x);
    return places;
  }
  const last = Math.max(stop === null ? -1 : bound(stop), -1);
  for (let x = Math.min(start === null ? length - 1 : bound(start), length - 1); x > last; x += by)
    places.push(x);
  return places;
}

/** The ellipsis as whole slices; at the end it may be left away. */
function withoutEllipsis(items: readonly NaiveItem[], ndim: number): Exclude<NaiveItem, "...">[] {
  const used = items.filter((item) => item !== null && item !== "...").length;
  const whole = Array.from(
    { length: ndim - used },
    (): NaiveSlice => ({ start: null, stop: null, step: null }),
  );
  const all = items.includes("...") ? items : [...items, "..." as const];
  return all.flatMap((item) => (item === "..." ? whole : [item]));
}

/** Regular items only. */
function pick(list: Nested, shape: Index, items: readonly Plain[]): Selected {
  const [item, ...rest] = items;
  if (item === undefined) return { shape, list };
  if (item === null) {
    const inner = pick(list, shape, rest);
    return { shape: [1, ...inner.shape], list: [inner.list] };
  }
  const [length, ...below] = shape;
  const inside = (x: number): Selected => pick((list as Nested[])[x]!, below, rest);
  if (typeof item === "number") return inside(item < 0 ? item + length! : item);
  const places = slicePlaces(item, length!);
  const parts = places.map(inside);
  return { shape: [places.length, ...shapeOf(below, rest)], list: parts.map((part) => part.list) };
}

/** The shape that regular items leave, without looking at elements. */
function shapeOf(shape: Index, items: readonly Plain[]): number[] {
  const [item, ...rest] = items;
  if (item === undefined) return [...shape];
  if (item === null) return [1, ...shapeOf(shape, rest)];
  const below = shapeOf(shape.slice(1), rest);
  return typeof item === "number" ? below : [slicePlaces(item, shape[0]!).length, ...below];
}

export function select(list: Nested, shape: Index, selection: readonly NaiveItem[]): Selected {
  const items = withoutEllipsis(selection, shape.length);
  if (!items.some(isIndices)) return pick(list, shape, items as Plain[]);
  const common = commonShape(items.filter(isIndices).map((item) => item.shape));
  const partAt = (place: Index): Selected =>
    pick(
      list,
      shape,
      items.map((item) => (isIndices(item) ? Number(at(item.list, seenFrom(place, item.shape))) : item)),
    );
  const parts = new Map(placesOf(common).map((place) => [String(place), partAt(place)]));
  const rest = shapeOf(
    shape,
    items.map((item) => (isIndices(item) ? 0 : item)),
  );
  return insertAxes(parts, common, rest, frontAxes(items));
}

/** How many axes of the result come before those of the indices: none unless all indices stand side by side. */
function frontAxes(items: readonly NaiveItem[]): number {
  const advanced = items.flatMap((item, i) => (isIndices(item) || typeof item === "number" ? [i] : []));
  const together = advanced.every((place, i) => i === 0 || place === advanced[i - 1]! + 1);
  return together ? advanced[0]! : 0;
}

function insertAxes(
  parts: ReadonlyMap<string, Selected>,
  common: Index,
  rest: Index,
  front: number,
): Selected {
  const shape = [...rest.slice(0, front), ...common, ...rest.slice(front)];
  const list = tabulate(shape, (place) => {
    const index = place.slice(front, front + common.length);
    const other = [...place.slice(0, front), ...place.slice(front + common.length)];
    return at(parts.get(String(index))!.list, other);
  });
  return { shape, list };
}

/** A mask as the places where it is true: one list of indices per axis of it. */
export function maskIndices(mask: Nested, shape: Index): NaiveIndices[] {
  const found = placesOf(shape).filter((place) => at(mask, place));
  return shape.map((_, axis) => ({ shape: [found.length], list: found.map((place) => place[axis]!) }));
}

/** The list with a selection replaced by a value that broadcasts to it; where a place is named twice, the last wins. */
export function assign(list: Nested, shape: Index, selection: readonly NaiveItem[], value: Selected): Nested {
  const numbers = new Map(placesOf(shape).map((place, i) => [i, place]));
  const size = (place: Index): number => place.reduce((sum, x, axis) => sum * shape[axis]! + x, 0);
  const { shape: chosen, list: targets } = select(tabulate(shape, size), shape, selection);
  const replaced = new Map<string, Element>();
  for (const place of placesOf(chosen)) {
    const target = numbers.get(Number(at(targets, place)))!;
    replaced.set(String(target), at(value.list, seenFrom(place, value.shape)));
  }
  return tabulate(shape, (place) => replaced.get(String(place)) ?? at(list, place));
}
