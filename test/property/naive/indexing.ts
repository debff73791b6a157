// Indexing calls on nested lists: get, set, take, takeAlongAxis, searchsorted, as the program writes them.

import { asArray, astype, isArray, type Operand } from "./calls.ts";
import {
  at,
  cast,
  type Element,
  flat,
  fromEnd,
  make,
  meet,
  type Naive,
  type Nested,
  tabulate,
} from "./lists.ts";
import { assign, type NaiveItem, select } from "./select.ts";

/** "start:stop:step", numbers, null, "..." and arrays as the naive indexer wants them. */
function itemOf(item: unknown): NaiveItem {
  if (isArray(item)) return { shape: item.shape, list: wrapIndices(item) };
  if (typeof item !== "string" || item === "...") return item as NaiveItem;
  const [start, stop, step] = item.split(":").map((part) => (part === "" ? null : Number(part)));
  return { start: start!, stop: stop!, step: step ?? null };
}

const wrapIndices = (item: Naive): Nested => tabulate(item.shape, (place) => Number(at(item.list, place)));

export const get = (x: Naive, ...items: unknown[]): Naive => ({
  dtype: x.dtype,
  ...select(x.list, x.shape, items.map(itemOf)),
});

export function set(x: Naive, items: readonly unknown[], value: Operand): Naive {
  const filling = astype(asArray(value, x.dtype), x.dtype);
  return { ...x, list: assign(x.list, x.shape, items.map(itemOf), filling) };
}

const listOf = (places: readonly number[]): Naive =>
  make("int64", [places.length], ([i]) => BigInt(places[i!]!));

export function take(x: Naive, places: Naive | readonly number[], { axis }: { axis: number }): Naive {
  const indices = Array.isArray(places) ? listOf(places) : (places as Naive);
  const a = fromEnd(axis, x.shape.length);
  return get(x, ...x.shape.map((_, i) => (i === a ? indices : ":")));
}

export function takeAlongAxis(x: Naive, indices: Naive, { axis }: { axis: number }): Naive {
  const a = fromEnd(axis, x.shape.length);
  const index = (place: readonly number[]): number => Number(at(indices.list, place));
  return make(x.dtype, indices.shape, (place) =>
    at(x.list, place.with(a, fromEnd(index(place), x.shape[a]!))),
  );
}

/** How many elements of the sorted list go before each value; NaN is greater than every number. */
export function searchsorted(sorted: Naive, values: Naive, { side }: { side: string }): Naive {
  const dtype = meet(sorted.dtype, values.dtype);
  const goesBefore = (x: Element, v: Element): boolean => {
    if (Number.isNaN(x) || Number.isNaN(v)) return Number.isNaN(v) && (side === "right" || !Number.isNaN(x));
    return side === "right" ? x <= v : x < v;
  };
  const line = flat(sorted).map((x) => cast(x, dtype));
  const count = (v: Element): bigint => BigInt(line.filter((x) => goesBefore(x, v)).length);
  return make("int64", values.shape, (place) => count(cast(at(values.list, place), dtype)));
}
