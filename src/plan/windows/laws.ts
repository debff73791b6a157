// Laws: boxes that move evenly with the place of a task, all over a cell (a product of runs of places). In: boxes at the
// first place of a cell and at the next along each axis. Out: where they are at any place, and whether two are the same.
// Must hold: along an axis with one place nothing moves, so equal boxes at all places are equal laws.

import { type Box, isEmptyBox } from "../../core/box.ts";
import { sameShape } from "../../core/shape.ts";
import { extentOf } from "../../expr/type.ts";
import type { PlanArray } from "../plan.ts";
import type { Run } from "./taskRuns.ts";

export interface Law {
  /** At the first place of the cell. */
  readonly start: readonly number[];
  readonly shape: readonly number[];
  /** By axis of the grid: how far it moves along each axis of the array from one place to the next. */
  readonly slopes: readonly (readonly number[])[];
}

/** One for each cell of a grid. */
export type Laws = readonly Law[];

/** `next` has the box at the next place along each axis: the same one where there is no other. */
export const lawOf = ({ start, shape }: Box, next: readonly Box[]): Law => ({
  start,
  shape,
  slopes: next.map((box) => box.start.map((x, axis) => x - start[axis]!)),
});

/** The chunks with the numbers of a cell's places. They have one shape there. */
export function chunkLaw(array: PlanArray, runs: readonly Run[]): Law {
  const { chunks } = array;
  const shape = extentOf(array);
  return {
    start: runs.map(({ first }, axis) => first * chunks[axis]!),
    shape: runs.map(({ first }, axis) => Math.min(chunks[axis]!, shape[axis]! - first * chunks[axis]!)),
    slopes: runs.map(({ step, count }, g) =>
      runs.map((_, axis) => (axis === g && count > 1 ? step * chunks[axis]! : 0)),
    ),
  };
}

/** Where a box lies so many steps along each axis from the first place of its cell. */
export const startAt = ({ start, slopes }: Law, steps: readonly number[]): number[] =>
  start.map((x, axis) => steps.reduce((at, step, g) => at + step * slopes[g]![axis]!, x));

export const boxAt = (law: Law, steps: readonly number[]): Box => ({
  start: startAt(law, steps),
  shape: law.shape,
});

/** The same boxes at the places of a part of the cell. */
export function lawWithin(law: Law, runs: readonly Run[], part: readonly Run[]): Law {
  if (runs === part) return law;
  const steps = part.map(({ first }, g) => (first - runs[g]!.first) / runs[g]!.step);
  const slopes = part.map(({ step, count }, g) => {
    const times = step / runs[g]!.step;
    return law.slopes[g]!.map((slope) => (count > 1 && slope !== 0 ? slope * times : 0));
  });
  return { start: startAt(law, steps), shape: law.shape, slopes };
}

/** Boxes without elements are all the same. */
export function sameLaw(a: Law, b: Law): boolean {
  if (a === b || (isEmptyBox(a) && isEmptyBox(b))) return true;
  if (!sameShape(a.start, b.start) || !sameShape(a.shape, b.shape)) return false;
  return a.slopes.every((slopes, g) => sameShape(slopes, b.slopes[g]!));
}

export function sameLaws(a: Laws, b: Laws): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let cell = 0; cell < a.length; cell++) if (!sameLaw(a[cell]!, b[cell]!)) return false;
  return true;
}

/** True when the boxes are the array's chunks with the numbers of all places of the cells. */
export const areChunks = (laws: Laws, array: PlanArray, cells: readonly (readonly Run[])[]): boolean =>
  laws.every((law, cell) => cells[cell]!.every((run, axis) => isChunkAlong(law, array, run, axis)));

function isChunkAlong({ start, shape, slopes }: Law, array: PlanArray, run: Run, axis: number): boolean {
  const { first, step, count } = run;
  const [chunk, size] = [array.chunks[axis]!, extentOf(array)[axis]!];
  const last = (first + step * (count - 1)) * chunk;
  if (start[axis] !== first * chunk || shape[axis] !== Math.min(chunk, size - first * chunk)) return false;
  if (shape[axis] !== Math.min(chunk, size - last)) return false;
  return slopes.every((along, g) => along[axis] === (g === axis && count > 1 ? step * chunk : 0));
}
