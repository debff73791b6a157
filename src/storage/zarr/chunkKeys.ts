// Places in the grid ⇄ keys, and which places there are.

import { IndexError } from "../../core/errors.ts";
import { isLength, type Shape, shapeText } from "../../core/shape.ts";
import { requireList, type Store, type StoreKey, type StoreOptions } from "../store.ts";
import type { ArrayMetadata, KeyEncoding } from "./metadata.ts";

export function chunkKey({ name, separator }: KeyEncoding, place: readonly number[]): string {
  const digits = place.join(separator);
  if (name === "v2") return place.length === 0 ? "0" : digits;
  return place.length === 0 ? "c" : `c${separator}${digits}`;
}

/** The place a key stands for; null when it is not the key of a chunk in the grid. */
export function placeFromKey(encoding: KeyEncoding, key: string, grid: Shape): number[] | null {
  const { name, separator } = encoding;
  const parts = key.split(separator);
  if (name === "default" && parts.shift() !== "c") return null;
  const digits = name === "v2" && grid.length === 0 ? [] : parts;
  const place = digits.map((part) => (/^(0|[1-9]\d{0,15})$/.test(part) ? Number(part) : -1));
  const fits = place.length === grid.length && place.every((x, axis) => x >= 0 && x < grid[axis]!);
  // Written back it must give the same key, so that no two keys stand for one place.
  return fits && chunkKey(encoding, place) === key ? place : null;
}

export async function* listPlaces(
  store: Store,
  path: string,
  { keyEncoding }: ArrayMetadata,
  grid: Shape,
  options: StoreOptions,
): AsyncIterable<number[]> {
  const prefix = (path === "" ? "/" : path) as StoreKey;
  for await (const key of requireList(store)(prefix, options)) {
    options.signal?.throwIfAborted();
    const place = placeFromKey(keyEncoding, key.slice(path.length + 1), grid);
    if (place !== null) yield place;
  }
}

export function checkPlace(place: readonly number[], grid: Shape): void {
  const fits = place.length === grid.length && place.every((x, axis) => isLength(x) && x < grid[axis]!);
  if (fits) return;
  throw new IndexError({
    what: `there is no chunk [${place.join(", ")}] in a grid of ${shapeText(grid)}`,
    cure: "Give one whole number per axis, inside the grid",
  });
}
