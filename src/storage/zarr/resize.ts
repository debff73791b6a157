// An array made longer or shorter in place. In: a stored array and its new shape. Out: the array with that shape. Must hold: a
// reader sees the old shape or the new one, and what comes into sight is fill value, whatever a killed writer left behind.

import { checkShape, type Shape, sameShape, shapeText, sizeOf } from "../../core/chunks.ts";
import { ShapeError } from "../../core/errors.ts";
import type { StoreOptions } from "../store.ts";
import type { ZarrArray } from "./array.ts";
import { refreshConsolidated } from "./consolidated.ts";
import { writeNode } from "./nodes.ts";
import { listPlaces } from "./place.ts";

/** With the array's metadata as they are to be: written in one step, and in consolidated metadata above. */
export async function publishShape(
  array: ZarrArray,
  shape: Shape,
  options: StoreOptions,
  leavesConsolidated = false,
): Promise<ZarrArray> {
  const metadata = { ...array.metadata, shape };
  await writeNode(array.store, array.path, metadata, options);
  if (!leavesConsolidated) await refreshConsolidated(array.store, array.path, metadata, options);
  return array.withMetadata(metadata);
}

/** Longer or shorter along any axis: `grid = await resize(grid, [200, 100])`. What comes into sight is fill value. */
export async function resize(
  array: ZarrArray,
  shape: number | Shape,
  options: StoreOptions = {},
): Promise<ZarrArray> {
  const longer = checkShape(shape);
  if (longer.length !== array.shape.length)
    throw new ShapeError({
      what: `the shape ${shapeText(longer)} for an array of shape ${shapeText(array.shape)}`,
      cure: "Give one length per axis",
    });
  if (sameShape(longer, array.shape)) return array;
  if (longer.some((length, axis) => length > array.shape[axis]!)) await clearBeyond(array, longer, options);
  const resized = await publishShape(array, longer, options);
  await dropOutside(array, resized, options);
  return resized;
}

/** What lies between the old end and the new one: chunks that do not count go, and ends of chunks are filled. */
async function clearBeyond(array: ZarrArray, shape: Shape, options: StoreOptions): Promise<void> {
  const grown = array.withMetadata({ ...array.metadata, shape });
  const own = array.shardGrid;
  const { unitShape } = array.metadata;
  for await (const place of listPlaces(array.store, array.path, grown.metadata, grown.shardGrid, options)) {
    if (sizeOf(own) === 0 || place.some((at, axis) => at >= own[axis]!)) {
      await grown.deleteShard(place, options);
      continue;
    }
    const isCut = place.some((at, axis) => {
      const end = (at + 1) * unitShape[axis]!;
      return end > array.shape[axis]! && shape[axis]! > array.shape[axis]!;
    });
    const block = isCut ? await array.getShard(place, options) : null;
    // Written as the last chunk of the old extent, which has fill value behind it.
    if (block !== null) await array.setShard(place, block, options);
  }
}

/** Chunks that are in sight no more. */
async function dropOutside(before: ZarrArray, after: ZarrArray, options: StoreOptions): Promise<void> {
  const grid = after.shardGrid;
  if (grid.every((count, axis) => count >= before.shardGrid[axis]!)) return;
  for await (const place of before.listShards(options))
    if (place.some((at, axis) => at >= grid[axis]!)) await before.deleteShard(place, options);
}
