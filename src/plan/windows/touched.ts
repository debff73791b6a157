// Which chunks windows touch. In: windows of a cell, and how long the chunks of their arrays are (or the parts of them
// that can be read by themselves). Out: how many elements the chunks have that its tasks touch, all together; and the
// most chunks that one task touches. By arithmetic: along an axis a window touches as many chunks as are needed for its
// length, or one more, and how many tasks touch one more is a count of remainders. Where axes go together, tasks are
// looked at one by one. Null: those would be too many.

import { isEmptyBox, placeOf, sizeOf } from "../../core/chunks.ts";
import type { DensePlanArray } from "../plan.ts";
import { gcd, type Law, type Runs, startAt, tasksIn } from "./taskRuns.ts";

// Remainders: how many numbers of a line leave a remainder of some size. In: numbers start, start + slope, … and a
// divisor. Out: how many have a remainder of `least` or more. As fast for 10⁹ numbers as for ten.

interface Line {
  readonly start: number;
  readonly slope: number;
  readonly count: number;
}

const modulo = (x: number, divisor: number): number => ((x % divisor) + divisor) % divisor;

/** For 0 ≤ least ≤ divisor. Remainders come again after a period: whole periods have all that they can have. */
export function countRemainders({ start, slope, count }: Line, divisor: number, least: number): number {
  const [first, step] = [modulo(start, divisor), modulo(slope, divisor)];
  if (step === 0) return first >= least ? count : 0;
  const apart = gcd(step, divisor);
  const period = divisor / apart;
  const smaller = Math.min(period, Math.max(0, Math.ceil((least - (first % apart)) / apart)));
  const periods = Math.floor(count / period);
  const rest = count - periods * period;
  // A remainder is `least` or more where adding what is missing leads to the next multiple.
  const missing = divisor - least;
  const above = floorSum(rest, divisor, step, first + missing) - floorSum(rest, divisor, step, first);
  return periods * (period - smaller) + above;
}

/** Σ ⌊(start + slope · i) / divisor⌋ for all i below count, none of them negative. */
function floorSum(count: number, divisor: number, slope: number, start: number): number {
  let sum = 0;
  let [n, m, a, b] = [count, divisor, slope, start];
  while (n > 0) {
    sum += ((n * (n - 1)) / 2) * Math.floor(a / m) + n * Math.floor(b / m);
    [a, b] = [a % m, b % m];
    const end = a * n + b;
    if (end < m) break;
    [n, m, a, b] = [Math.floor(end / m), a, m, end % m];
  }
  return sum;
}

/** Tasks of a cell that are looked at one by one. */
export const MOST_LOOKED_AT = 10_000;

/** What is touched of an axis: starts of windows, and what they move along. */
interface Along {
  readonly start: number;
  readonly length: number;
  /** How far, and how many times, for every axis of the grid along which it moves. */
  readonly moves: readonly { readonly slope: number; readonly count: number }[];
  readonly chunk: number;
  /** The length of the whole axis. */
  readonly size: number;
}

const partsOf = ({ chunks, inner = chunks, shape }: DensePlanArray): number[] =>
  inner.map((length, axis) => Math.min(length, Math.max(1, shape[axis]!)));

function alongOf(array: DensePlanArray, { start, shape, slopes }: Law, runs: Runs): Along[] {
  return partsOf(array).map((chunk, axis) => ({
    start: start[axis]!,
    length: shape[axis]!,
    moves: runs.flatMap(({ count }, g) => {
      const slope = slopes[g]![axis]!;
      return slope === 0 ? [] : [{ slope, count }];
    }),
    chunk,
    size: array.shape[axis]!,
  }));
}

/** The axes of the grid along which a window moves along several axes of its array. */
const sharedAxes = ({ slopes }: Law): number[] =>
  slopes.flatMap((along, g) => (along.filter((slope) => slope !== 0).length > 1 ? [g] : []));

/** Elements of the chunks that the window touches, summed over all tasks of the cell. */
export function elementsTouched(array: DensePlanArray, law: Law, runs: Runs): number | null {
  if (isEmptyBox(law)) return 0;
  const shared = sharedAxes(law);
  const counts = shared.map((g) => runs[g]!.count);
  if (sizeOf(counts) > MOST_LOOKED_AT) return null;
  let sum = 0;
  for (let i = 0; i < sizeOf(counts); i++) {
    const at = placeOf(i, counts);
    const elements = elementsApart(array, fixedAt(law, shared, at), runs, shared);
    if (elements === null) return null;
    sum += elements;
  }
  return sum;
}

/** The window where the steps along some axes of the grid are known. */
const fixedAt = (law: Law, axes: readonly number[], at: readonly number[]): Law =>
  axes.length === 0
    ? law
    : {
        start: startAt(
          law,
          law.slopes.map((_, g) => at[axes.indexOf(g)] ?? 0),
        ),
        shape: law.shape,
        slopes: law.slopes.map((along, g) => (axes.includes(g) ? along.map(() => 0) : along)),
      };

/** Every axis of the array goes with axes of the grid of its own: what is touched is a product. */
function elementsApart(array: DensePlanArray, law: Law, runs: Runs, fixed: readonly number[]): number | null {
  let product = 1;
  for (const along of alongOf(array, law, runs)) {
    const sum = touchedAlong(along);
    if (sum === null) return null;
    product *= sum;
  }
  const still = runs.filter((_, g) => !fixed.includes(g) && law.slopes[g]!.every((slope) => slope === 0));
  return product * tasksIn({ runs: still });
}

/** The sum over all steps of how far chunks reach that are touched, up to the end of the axis. */
function touchedAlong(along: Along): number | null {
  const { moves, chunk, size, length } = along;
  const [longest, ...others] = moves.toSorted((a, b) => b.count - a.count);
  const counts = others.map(({ count }) => count);
  if (sizeOf(counts) > MOST_LOOKED_AT) return null;
  let sum = 0;
  for (let i = 0; i < sizeOf(counts); i++) {
    const start = placeOf(i, counts).reduce((x, step, m) => x + step * others[m]!.slope, along.start);
    const { slope, count } = longest ?? { slope: 0, count: 1 };
    sum += chunk * (count * leastAlong(along) + crossings(start, along, slope, count));
    // The last chunk may be cut short.
    const missing = Math.ceil(size / chunk) * chunk - size;
    if (missing > 0) sum -= missing * countFrom(start + length - 1, slope, count, size + missing - chunk);
  }
  return sum;
}

/** Chunks that a window touches wherever it begins. */
const leastAlong = ({ length, chunk }: Pick<Along, "length" | "chunk">): number =>
  Math.floor((length - 1) / chunk) + 1;

/** In how many tasks of a line it touches one more. */
const crossings = (start: number, { length, chunk }: Along, slope: number, count: number): number =>
  countRemainders({ start, slope, count }, chunk, chunk - ((length - 1) % chunk));

/** How many of start, start + slope, … are `least` or more. */
function countFrom(start: number, slope: number, count: number, least: number): number {
  if (slope === 0) return start >= least ? count : 0;
  const [low, step] = slope > 0 ? [start, slope] : [start + slope * (count - 1), -slope];
  return count - Math.min(count, Math.max(0, Math.ceil((least - low) / step)));
}

/** A window of an array. */
export interface Touching {
  readonly array: DensePlanArray;
  readonly law: Law;
}

/** The most chunks that a task of the cell touches with all its windows. */
export function mostTouched(windows: readonly Touching[], runs: Runs): number | null {
  let same = 0;
  const varying: Touching[] = [];
  for (const window of windows) {
    if (isEmptyBox(window.law)) continue;
    if (isVarying(window, runs)) varying.push(window);
    else same += chunksTouched(window, window.law.start);
  }
  if (varying.length === 0) return same;
  const most = mostOfOne(varying, runs) ?? mostOfAll(varying, runs);
  return most === null ? null : same + most;
}

/** Chunks of the same numbers are touched wherever it begins, as far as can be told without looking at tasks. */
const isVarying = ({ array, law }: Touching, runs: Runs): boolean =>
  alongOf(array, law, runs).some(
    ({ moves, length, chunk }) =>
      (length - 1) % chunk !== 0 && moves.some(({ slope }) => slope % chunk !== 0),
  );

/** Where there is one window, whose axes do not go together: a product. */
function mostOfOne(windows: readonly Touching[], runs: Runs): number | null {
  const [{ array, law }] = windows as [Touching];
  if (windows.length > 1 || sharedAxes(law).length > 0) return null;
  let most = 1;
  for (const along of alongOf(array, law, runs)) {
    if (along.moves.length > 1) return null;
    const [{ slope, count } = { slope: 0, count: 1 }] = along.moves;
    most *= leastAlong(along) + Math.min(1, crossings(along.start, along, slope, count));
  }
  return most;
}

/** One task of each remainder is looked at: those that are apart by a period touch as many. */
function mostOfAll(windows: readonly Touching[], runs: Runs): number | null {
  const counts = runs.map(({ count }, g) => Math.min(count, periodAlong(windows, g)));
  if (sizeOf(counts) > MOST_LOOKED_AT) return null;
  let most = 0;
  for (let i = 0; i < sizeOf(counts); i++) {
    const steps = placeOf(i, counts);
    const count = windows.reduce((sum, window) => sum + chunksTouched(window, startAt(window.law, steps)), 0);
    most = Math.max(most, count);
  }
  return most;
}

function periodAlong(windows: readonly Touching[], g: number): number {
  let period = 1;
  for (const { array, law } of windows)
    for (const [axis, chunk] of partsOf(array).entries()) {
      const own = chunk / gcd(Math.abs(law.slopes[g]![axis]!), chunk);
      period = (period * own) / gcd(period, own);
    }
  return period;
}

/** Chunks, or parts of them that can be read by themselves, that a window touches where it begins here. */
const chunksTouched = ({ array, law }: Touching, start: readonly number[]): number =>
  partsOf(array).reduce((count, chunk, axis) => {
    const first = Math.floor(start[axis]! / chunk);
    return count * (Math.floor((start[axis]! + law.shape[axis]! - 1) / chunk) - first + 1);
  }, 1);
