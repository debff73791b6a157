// Probes: what an operation's steps need in a few of its tasks, from which the cost of all is judged. Off the diagonal
// too: what is one window where a task's numbers are equal can be two elsewhere.
// In: an operation and, for each probe, the boxes of its outputs that are wanted. Out: the boxes of its steps.

import { blockBytes } from "../../core/block.ts";
import { type Box, isEmptyBox } from "../../core/box.ts";
import { chunkBox } from "../../core/chunks.ts";
import { type Shape, sameShape, sizeOf } from "../../core/shape.ts";
import { taskBoxes } from "../demand.ts";
import type { Operation, PlanArray } from "../plan.ts";
import { Recent } from "./recent.ts";

export type Arrays = ReadonlyMap<string, PlanArray>;
export type Place = readonly number[];
/** One box for each probe. */
export type Boxes = readonly Box[];

/** Most operations of a plan are cut as one of a few others. */
const recentPlaces = new Recent<{ readonly grid: Shape; readonly places: readonly Place[] }>();

export const probePlaces = (grid: Shape): readonly Place[] =>
  recentPlaces.get(
    (known) => sameShape(known.grid, grid),
    () => ({ grid, places: placesIn(grid) }),
  ).places;

/** The first task, one in the middle, the last, and one that is first along some axes and last along the others. */
function placesIn(grid: Shape): Place[] {
  const first = grid.map(() => 0);
  if (sizeOf(grid) <= 1) return [first];
  const ends = [first, grid.map((n) => n >> 1), grid.map((n) => n - 1)];
  return grid.length === 1 ? ends : [...ends, grid.map((n, axis) => (axis % 2 === 0 ? n - 1 : 0))];
}

interface ChunkProbe {
  readonly shape: Shape;
  readonly chunks: Shape;
  readonly places: readonly Place[];
  readonly boxes: Boxes;
}

const recentChunks = new Recent<ChunkProbe>();

export const chunksAt = ({ shape, chunks }: PlanArray, places: readonly Place[]): Boxes =>
  recentChunks.get(
    (known) => known.places === places && sameShape(known.shape, shape) && sameShape(known.chunks, chunks),
    () => ({ shape, chunks, places, boxes: places.map((place) => chunkBox(shape, chunks, place)) }),
  ).boxes;

/** True when the boxes are the array's chunks at these places. */
export function areChunks(boxes: Boxes, { shape, chunks }: PlanArray, places: readonly Place[]): boolean {
  for (let probe = 0; probe < places.length; probe++) {
    const box = boxes[probe]!;
    for (let axis = 0; axis < shape.length; axis++) {
      const start = places[probe]![axis]! * chunks[axis]!;
      if (box.start[axis] !== start || box.shape[axis] !== Math.min(chunks[axis]!, shape[axis]! - start))
        return false;
    }
  }
  return true;
}

/** For every step its boxes; null for a step that nobody needs. `wanted` goes with the operation's outputs. */
export function stepBoxes(operation: Operation, wanted: readonly Boxes[]): (Boxes | null)[] {
  const perStep: (Box[] | null)[] = operation.steps.map(() => null);
  for (let probe = 0; probe < wanted[0]!.length; probe++) {
    const boxes = taskBoxes(
      operation,
      wanted.map((list) => list[probe]!),
    );
    for (let at = 0; at < boxes.length; at++) {
      const box = boxes[at];
      if (box == null) continue;
      const list = perStep[at];
      if (list == null) perStep[at] = [box];
      else list.push(box);
    }
  }
  return perStep;
}

export function sameBoxes(a: Boxes, b: Boxes): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let probe = 0; probe < a.length; probe++) {
    const [one, other] = [a[probe]!, b[probe]!];
    if (one === other) continue;
    if (!sameShape(one.start, other.start) || !sameShape(one.shape, other.shape)) return false;
  }
  return true;
}

/** The largest of some numbers, one for each probe. */
export const mostOf = (boxes: Boxes, measure: (box: Box) => number): number => {
  let most = 0;
  for (const box of boxes) most = Math.max(most, measure(box));
  return most;
};

/** How many chunks, or parts of them that can be read by themselves, a window touches. */
export function chunksTouched({ chunks, inner = chunks }: PlanArray, box: Box): number {
  if (isEmptyBox(box)) return 0;
  let count = 1;
  for (let axis = 0; axis < inner.length; axis++) {
    const first = Math.floor(box.start[axis]! / inner[axis]!);
    count *= Math.floor((box.start[axis]! + box.shape[axis]! - 1) / inner[axis]!) - first + 1;
  }
  return count;
}

/** Storage gives whole chunks, or such parts: what reading a window costs. */
export function chunkBytes(array: PlanArray, box: Box): number {
  const parts = (array.inner ?? array.chunks).map((length, axis) => Math.min(length, array.shape[axis]!));
  const all = blockBytes(array.dtype, array.shape);
  return Math.min(all, chunksTouched(array, box) * blockBytes(array.dtype, parts));
}
