// Readers: which tasks read a chunk. In: an operation and a box of an array. Out: the places of its grid whose tasks
// have a window that touches the box, as products of runs. The exact inverse of windows.
// Must hold: every such place is in a product, and no other; one that has several such windows may be in several.

import type { Box } from "../../core/chunks.ts";
import type { Operation, PlanArray } from "../plan.ts";
import { type Cell, cellsOf, type WindowLaw } from "./taskKinds.ts";

import type { Run } from "./taskRuns.ts";

/** By axis of the grid. */
export type Places = readonly Run[];

export function readersOf(
  operation: Operation,
  arrays: ReadonlyMap<string, PlanArray>,
  array: string,
  box: Box,
): Places[] {
  const places: Places[] = [];
  for (const cell of cellsOf(operation, arrays))
    for (const law of cell.windows) if (law.array === array) addReaders(places, cell, law, box);
  return places;
}

function addReaders(places: Places[], { runs }: Cell, law: WindowLaw, box: Box): void {
  const ranges = runs.map(({ count }) => ({ first: 0, last: count - 1 }));
  for (const found of solve(boundsOf(law, box), ranges))
    places.push(
      found.map(({ first, last }, axis) => {
        const { first: start, step } = runs[axis]!;
        return { first: start + first * step, step, count: last - first + 1 };
      }),
    );
}

/** Numbers first … last: steps along one axis of a cell. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** low ≤ Σ slope · step ≤ high */
interface Bound {
  readonly slopes: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** The window touches the box when it does along every axis: it ends behind its begin and begins before its end. */
const boundsOf = ({ start, shape, slopes }: WindowLaw, box: Box): Bound[] =>
  start.map((x, axis) => ({
    slopes: slopes.map((along) => along[axis]!),
    low: box.start[axis]! - shape[axis]! + 1 - x,
    high: box.start[axis]! + box.shape[axis]! - 1 - x,
  }));

/** All steps that keep the bounds, as products of ranges that have none in common. */
function solve(bounds: readonly Bound[], ranges: readonly Range[]): (readonly Range[])[] {
  const narrowed = narrowAll(bounds, ranges);
  if (narrowed === null) return [];
  const open = bounds.find((bound) => !isKept(bound, narrowed));
  if (open === undefined) return [narrowed];
  // It has several axes in it: one of them is looked at step by step.
  const axis = steepest(open, narrowed);
  const { first, last } = narrowed[axis]!;
  const found: (readonly Range[])[] = [];
  for (let step = first; step <= last; step++)
    found.push(...solve(bounds, withRange(narrowed, axis, { first: step, last: step })));
  return found;
}

/** Until no bound takes anything away; null when nothing is left. */
function narrowAll(bounds: readonly Bound[], ranges: readonly Range[]): readonly Range[] | null {
  let narrowed = ranges;
  for (let before: readonly Range[] | null = null; before !== narrowed; ) {
    before = narrowed;
    for (const bound of bounds) {
      const next = narrow(bound, narrowed);
      if (next === null) return null;
      narrowed = next;
    }
  }
  return narrowed;
}

const withRange = (ranges: readonly Range[], axis: number, range: Range): Range[] =>
  ranges.map((known, other) => (other === axis ? range : known));

/** The least and the most of slope · step. */
const reach = (slope: number, { first, last }: Range): readonly [number, number] =>
  slope < 0 ? [slope * last, slope * first] : [slope * first, slope * last];

function sumOf({ slopes }: Bound, ranges: readonly Range[]): readonly [number, number] {
  let [low, high] = [0, 0];
  slopes.forEach((slope, axis) => {
    const [least, most] = reach(slope, ranges[axis]!);
    low += least;
    high += most;
  });
  return [low, high];
}

/** True when every step keeps the bound. */
function isKept(bound: Bound, ranges: readonly Range[]): boolean {
  const [low, high] = sumOf(bound, ranges);
  return low >= bound.low && high <= bound.high;
}

/** Without the steps that keep the bound with none of the others; null when nothing is left. */
function narrow(bound: Bound, ranges: readonly Range[]): readonly Range[] | null {
  const [low, high] = sumOf(bound, ranges);
  if (low > bound.high || high < bound.low) return null;
  if (low >= bound.low && high <= bound.high) return ranges;
  let narrowed = ranges;
  for (const [axis, slope] of bound.slopes.entries()) {
    if (slope === 0) continue;
    const range = ranges[axis]!;
    const [least, most] = reach(slope, range);
    const ends = [(bound.low - (high - most)) / slope, (bound.high - (low - least)) / slope];
    const first = Math.max(range.first, Math.ceil(Math.min(...ends)));
    const last = Math.min(range.last, Math.floor(Math.max(...ends)));
    if (first > last) return null;
    if (first > range.first || last < range.last) narrowed = withRange(narrowed, axis, { first, last });
  }
  return narrowed;
}

/** Of the axes that are still open the one that counts most. */
function steepest({ slopes }: Bound, ranges: readonly Range[]): number {
  let [most, axis] = [0, -1];
  slopes.forEach((slope, at) => {
    const { first, last } = ranges[at]!;
    if (last > first && Math.abs(slope) > most) [most, axis] = [Math.abs(slope), at];
  });
  return axis;
}
