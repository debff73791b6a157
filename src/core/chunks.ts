// Chunk grids. A grid is regular: one chunk length per axis, and the last chunk may be shorter.
// So a grid of 10⁹ chunks is two short lists, and chunk i is arithmetic (docs/adr/0002).
// In: what the user wrote as `chunks`. Out: a chunk shape with 1 ≤ chunk ≤ max(1, length) on every axis.

import type { Box } from "./box.ts";
import { ChunkError } from "./errors.ts";
import { describe, type Shape, sizeOf } from "./shape.ts";

export type ChunkShape = readonly number[];
/** Per axis: a length, −1 or "all" for the whole axis, "auto", or the list of all chunk lengths. */
export type AxisChunks = number | "all" | "auto" | readonly number[];
export type ChunksArgument = number | "all" | "auto" | readonly AxisChunks[];

/** "auto" aims at chunks of this many bytes. */
export const AUTO_CHUNK_BYTES: number = 64 * 1024 * 1024;

/** One chunk per array: what arrays made in memory have unless asked otherwise. */
export const singleChunk = (shape: Shape): ChunkShape => shape.map((length) => Math.max(1, length));

export function checkChunks(argument: ChunksArgument, shape: Shape, elementBytes: number): ChunkShape {
  const list = Array.isArray(argument)
    ? (argument as readonly AxisChunks[])
    : shape.map(() => argument as AxisChunks);
  if (list.length !== shape.length) {
    throw new ChunkError({
      what: `chunks names ${list.length} axes and the array has ${shape.length}`,
      cure: "Give one entry per axis, or one number for all",
    });
  }
  const fixed = list.map((chunk, axis) => (chunk === "auto" ? null : axisChunk(chunk, shape[axis]!, axis)));
  return fillAuto(fixed, shape, elementBytes);
}

function axisChunk(chunk: Exclude<AxisChunks, "auto">, length: number, axis: number): number {
  if (chunk === "all" || chunk === -1) return Math.max(1, length);
  if (Array.isArray(chunk)) return regularChunk(chunk, length, axis);
  if (typeof chunk === "number" && Number.isSafeInteger(chunk) && chunk >= 1)
    return Math.min(chunk, Math.max(1, length));
  throw new ChunkError({
    what: `the chunk length ${describe(chunk)} of axis ${axis} is not one`,
    cure: 'Use a whole number of 1 or more, -1 or "all" for the whole axis, or "auto"',
  });
}

/** Explicit lengths, as Dask writes them, are taken when they are regular. */
function regularChunk(lengths: readonly number[], length: number, axis: number): number {
  const wrong = Array.from(lengths).find((n) => !Number.isSafeInteger(n) || n < 0);
  if (wrong !== undefined || lengths.length !== Object.keys(lengths).length) {
    throw new ChunkError({
      what: `the chunk lengths of axis ${axis} have ${describe(wrong)}`,
      cure: "Use whole numbers of 1 or more",
    });
  }
  const first = lengths[0] ?? 1;
  const last = lengths.at(-1) ?? 0;
  const regular = lengths.every((n, i) => (i === lengths.length - 1 ? n <= first && n > 0 : n === first));
  if (regular && first * (lengths.length - 1) + last === length) return first;
  throw new ChunkError({
    what: `the chunk lengths [${lengths.map(describe).join(", ").slice(0, 100)}] of axis ${axis} (length ${length}) are not a regular grid`,
    cure: "All chunks but the last must be equally long, and together as long as the axis",
  });
}

/** Free axes get equal shares of what the byte target leaves. */
function fillAuto(fixed: readonly (number | null)[], shape: Shape, elementBytes: number): ChunkShape {
  const known = fixed.reduce<number>((product, chunk) => product * (chunk ?? 1), elementBytes);
  const free = shape.map((_, axis) => axis).filter((axis) => fixed[axis] === null);
  // Short axes first, so that what they do not use goes to the long ones.
  free.sort((a, b) => shape[a]! - shape[b]!);
  const chunks = fixed.map((chunk) => chunk ?? 1);
  let budget = Math.max(1, AUTO_CHUNK_BYTES / known);
  free.forEach((axis, i) => {
    const share = Math.max(1, Math.floor(budget ** (1 / (free.length - i))));
    chunks[axis] = Math.max(1, Math.min(shape[axis]!, share));
    budget = Math.max(1, budget / chunks[axis]!);
  });
  return chunks;
}

/** How many chunks there are along each axis. An empty axis has none. */
export const gridOf = (shape: Shape, chunks: ChunkShape): Shape =>
  shape.map((length, axis) => Math.ceil(length / chunks[axis]!));

export const countChunks = (shape: Shape, chunks: ChunkShape): number => sizeOf(gridOf(shape, chunks));

/** The region of the chunk at a place in the grid. */
export function chunkBox(shape: Shape, chunks: ChunkShape, place: readonly number[]): Box {
  const start = place.map((at, axis) => at * chunks[axis]!);
  return { start, shape: start.map((x, axis) => Math.min(chunks[axis]!, shape[axis]! - x)) };
}

/** Place in a grid from its number, row-major. */
export function placeOf(index: number, grid: Shape): number[] {
  const place = new Array<number>(grid.length);
  let rest = index;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    // An axis without places has the place 0 all the same, so that arithmetic on it stays finite.
    const length = Math.max(1, grid[axis]!);
    place[axis] = rest % length;
    rest = Math.floor(rest / length);
  }
  return place;
}

export function numberOf(place: readonly number[], grid: Shape): number {
  let index = 0;
  for (let axis = 0; axis < grid.length; axis++) index = index * grid[axis]! + place[axis]!;
  return index;
}
