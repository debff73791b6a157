// Runs: places of tasks along the axes of a grid, and numbers that go with them. In: runs of places and a number that
// grows evenly with them. Out: shorter runs, along one axis, along which the number stays on one side of a seam.
// Must hold: the parts of a run are all its places, each once.

import { type Box, isEmptyBox, type Shape, sameShape, sizeOf } from "../../core/chunks.ts";
import { extentOf } from "../../expr/op.ts";
import type { AxisSeams, Period } from "../../expr/pieces.ts";
import type { PlanArray } from "../plan.ts";

/** Places first, first + step, … along one axis of a grid. */
export interface Run {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** A number at the first place of all runs, and by how much it grows from each place to the next, run by run. */
export interface Growth {
  readonly at: number;
  readonly slopes: readonly number[];
}

/** A run, by the axis of the grid, and what it has to be cut into. */
export interface Cut {
  readonly axis: number;
  readonly parts: readonly Run[];
}

const partOf = ({ first, step }: Run, from: number, count: number): Run => ({
  first: first + from * step,
  step,
  count,
});

/** From … to − 1, one by one. */
const singles = (run: Run, from: number, to: number): Run[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => partOf(run, from + i, 1));

interface Range {
  readonly low: number;
  readonly high: number;
}

/** The least and the most that a number comes to. */
export function rangeOf({ at, slopes }: Growth, runs: readonly Run[]): Range {
  let [low, high] = [at, at];
  slopes.forEach((slope, axis) => {
    const reach = slope * (runs[axis]!.count - 1);
    if (reach < 0) low += reach;
    else high += reach;
  });
  return { low, high };
}

/** The axis along which it comes furthest; −1 where it stays as it is. */
function widest({ slopes }: Growth, runs: readonly Run[]): number {
  let [most, axis] = [0, -1];
  slopes.forEach((slope, at) => {
    const reach = Math.abs(slope) * (runs[at]!.count - 1);
    if (reach > most) [most, axis] = [reach, at];
  });
  return axis;
}

/** What has to be cut so that boxes of a length, of which this is the start, are made in one way; null: nothing. */
export function cutAtSeams(
  start: Growth,
  length: number,
  runs: readonly Run[],
  { zones = [], periods = [] }: AxisSeams,
): Cut | null {
  for (const [from, to] of zones) {
    const cut = cutAtZone(start, length, runs, from, to);
    if (cut !== null) return cut;
  }
  for (const period of periods) {
    const cut = cutAtPeriod(start, length, runs, period);
    if (cut !== null) return cut;
  }
  return null;
}

/** Those that end before the zone, those that begin behind it, and each of the others alone. */
export function cutAtZone(
  start: Growth,
  length: number,
  runs: readonly Run[],
  from: number,
  to: number,
): Cut | null {
  const { low, high } = rangeOf(start, runs);
  if (low === high || high + length <= from || low >= to) return null;
  const axis = widest(start, runs);
  const [slope, run] = [start.slopes[axis]!, runs[axis]!];
  const reach = slope * (run.count - 1);
  // What the other axes add, at least and at most.
  const [least, most] = [low - Math.min(0, reach), high - Math.max(0, reach)];
  const before = (from - length - most) / slope;
  const behind = (to - least) / slope;
  const [first, last] =
    slope > 0 ? [Math.floor(before) + 1, Math.ceil(behind)] : [Math.floor(behind) + 1, Math.ceil(before)];
  const [head, tail] = [clamp(first, run.count), clamp(Math.max(first, last), run.count)];
  const parts = [partOf(run, 0, head), ...singles(run, head, tail), partOf(run, tail, run.count - tail)];
  return { axis, parts: parts.filter(({ count }) => count > 0) };
}

const clamp = (x: number, most: number): number => Math.min(most, Math.max(0, x));

/** Places that are apart by a multiple of the period are alike; where seams are few, those between them are. */
function cutAtPeriod(
  { at, slopes }: Growth,
  length: number,
  runs: readonly Run[],
  { every, at: phases }: Period,
): Cut | null {
  const start = { at, slopes: slopes.map((slope) => (slope % every === 0 ? 0 : slope)) };
  const axis = widest(start, runs);
  if (axis < 0) return null;
  const { low, high } = rangeOf(start, runs);
  const apart = Math.min(runs[axis]!.count, every / gcd(Math.abs(start.slopes[axis]!), every));
  if (phases === "all") return { axis, parts: residues(runs[axis]!, apart) };
  const seams = phases.map((phase) => seamsBetween(low, high + length, every, phase));
  const count = seams.reduce((sum, { number }) => sum + number, 0);
  if (count === 0) return null;
  if (apart <= 2 * count) return { axis, parts: residues(runs[axis]!, apart) };
  const { first, number } = seams.reduce((a, b) => (b.number > a.number ? b : a));
  const middle = first + Math.floor(number / 2) * every;
  return cutAtZone(start, length, runs, middle, middle);
}

/** Of the numbers that are `phase` more than a multiple, those between two others. */
function seamsBetween(
  low: number,
  high: number,
  every: number,
  phase: number,
): { first: number; number: number } {
  const first = (Math.floor((low - phase) / every) + 1) * every + phase;
  return { first, number: Math.max(0, Math.ceil((high - first) / every)) };
}

const residues = ({ first, step, count }: Run, apart: number): Run[] =>
  Array.from({ length: apart }, (_, i) => ({
    first: first + i * step,
    step: step * apart,
    count: Math.ceil((count - i) / apart),
  }));

export function gcd(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

// Laws: boxes that move evenly with the place of a task, all over a cell (a product of runs of places). In: boxes at the
// first place of a cell and at the next along each axis. Out: where they are at any place, and whether two are the same.
// Must hold: along an axis with one place nothing moves, so equal boxes at all places are equal laws.

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

// Partitions of a grid: cells, each a product of runs of places, that have every place once. In: grids, and partitions of
// them. Out: the coarsest one in which chunks have one shape, the finer one of two, and laws on a finer one.

export type Runs = readonly Run[];
export type Partition = readonly Runs[];

/** A partition, and of which cell of a coarser one each of its cells is a part. */
export interface Finer {
  readonly cells: Partition;
  readonly from: readonly number[];
}

/** Of how many tasks a cell is. */
export const tasksIn = ({ runs }: { readonly runs: Runs }): number =>
  runs.reduce((count, run) => count * run.count, 1);

/** Of the tasks that write these arrays. Chunks have one shape, but for the last along an axis that is cut short. */
export function chunkPartition(grid: Shape, arrays: readonly PlanArray[]): Runs[] {
  if (sizeOf(grid) === 0) return [];
  let all: Run[][] = [[]];
  grid.forEach((n, axis) => {
    const isCut = n > 1 && arrays.some((array) => extentOf(array)[axis]! % array.chunks[axis]! !== 0);
    const runs = isCut ? [runOf(0, n - 1), runOf(n - 1, 1)] : [runOf(0, n)];
    all = all.flatMap((left) => runs.map((run) => [...left, run]));
  });
  return all;
}

const runOf = (first: number, count: number): Run => ({ first, step: 1, count });

export const samePartition = (a: Partition, b: Partition): boolean =>
  a === b || (a.length === b.length && a.every((runs, cell) => sameRuns(runs, b[cell]!)));

const sameRuns = (a: Runs, b: Runs): boolean =>
  a === b ||
  a.every(({ first, step, count }, g) => {
    const other = b[g]!;
    return first === other.first && count === other.count && (step === other.step || count === 1);
  });

/** The parts in which both are; null where there are more than `most`. */
export function meetOf(
  a: Partition,
  b: Partition,
  most: number,
): {
  readonly cells: Partition;
  readonly fromA: readonly number[];
  readonly fromB: readonly number[];
} | null {
  const cells: Runs[] = [];
  const [fromA, fromB]: [number[], number[]] = [[], []];
  for (const [i, one] of a.entries())
    for (const [j, other] of b.entries()) {
      const shared = sharedRuns(one, other);
      if (shared === null) continue;
      if (cells.length === most) return null;
      cells.push(shared);
      fromA.push(i);
      fromB.push(j);
    }
  return { cells, fromA, fromB };
}

function sharedRuns(a: Runs, b: Runs): Runs | null {
  const runs: Run[] = [];
  for (let g = 0; g < a.length; g++) {
    const shared = sharedRun(a[g]!, b[g]!);
    if (shared === null) return null;
    runs.push(shared);
  }
  return runs;
}

/** The places of both: they are apart by a multiple of both steps. */
function sharedRun(a: Run, b: Run): Run | null {
  const from = Math.max(a.first, b.first);
  const to = Math.min(lastOf(a), lastOf(b));
  const step = (a.step * b.step) / gcd(a.step, b.step);
  let first = a.first + Math.ceil((from - a.first) / a.step) * a.step;
  for (let tried = 0; (first - b.first) % b.step !== 0; tried++, first += a.step)
    if (tried > b.step || first > to) return null;
  return first > to ? null : { first, step, count: Math.floor((to - first) / step) + 1 };
}

const lastOf = ({ first, step, count }: Run): number => first + (count - 1) * step;

/** Laws of the cells of a coarser partition on the cells of a finer one. */
export const refined = (laws: readonly Law[], coarse: Partition, { cells, from }: Finer): readonly Law[] =>
  cells === coarse ? laws : cells.map((runs, i) => lawWithin(laws[from[i]!]!, coarse[from[i]!]!, runs));
