// Runs: places of tasks along the axes of a grid, and numbers that go with them. In: runs of places and a number that
// grows evenly with them. Out: shorter runs, along one axis, along which the number stays on one side of a seam.
// Must hold: the parts of a run are all its places, each once.

import type { AxisSeams, Period } from "../../expr/op.ts";

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
