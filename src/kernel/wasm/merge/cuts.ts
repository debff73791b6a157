// Where a merge is cut. In: numbers in order, run after run, and the order of a sample of them: of each run every `step`-th element. Out:
// cuts, each with a place in every run, so that all before a cut goes before all behind it: what lies between two cuts is merged by
// itself. Equal elements go in the order of their runs.
// Must hold: between two cuts lie no more than `step` elements for every sample of a piece and every run.

import type { TypedArray } from "../../../core/dtype.ts";

export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Every so many elements of a run one is looked at; a piece has so many of these, and what its runs have beside them. */
export interface Sampling {
  readonly step: number;
  readonly samples: number;
}

const sampleAt = ({ from }: Run, number: number, step: number): number => from + (number + 1) * step - 1;

const samplesOf = ({ from, to }: Run, step: number): number => Math.floor((to - from) / step);

/** Of each run every `step`-th element, run after run. */
export function sampleOf(data: TypedArray, runs: readonly Run[], step: number): TypedArray {
  const count = runs.reduce((sum, run) => sum + samplesOf(run, step), 0);
  const sample = new (data.constructor as new (length: number) => TypedArray)(count);
  let at = 0;
  for (const run of runs)
    for (let i = 0; i < samplesOf(run, step); i++) sample[at++] = data[sampleAt(run, i, step)]!;
  return sample;
}

/** `order`: of the sample, stable. The first cut is where runs begin, the last where they end. */
export function cutsOf(
  data: TypedArray,
  runs: readonly Run[],
  { step, samples }: Sampling,
  order: BigInt64Array,
  descending: boolean,
): number[][] {
  const isBefore = descending ? isGreater : isLess;
  const ends: number[] = [];
  for (const run of runs) ends.push((ends.at(-1) ?? 0) + samplesOf(run, step));
  const passed = runs.map(() => 0);
  const cuts = [runs.map(({ from }) => from)];
  for (let i = 0; i < order.length; i++) {
    const number = Number(order[i]);
    const own = ends.findIndex((end) => number < end);
    passed[own]! += 1;
    if ((i + 1) % samples !== 0) continue;
    const place = sampleAt(runs[own]!, passed[own]! - 1, step);
    const value = data[place]!;
    cuts.push(
      runs.map((run, r) => {
        if (r === own) return place + 1;
        // The samples that were passed are before this one, and the next of the run is not.
        const from = run.from + passed[r]! * step;
        const to = Math.min(run.to, from + step - 1);
        return firstBehind(from, to, r < own ? (x) => isBefore(value, x) : (x) => !isBefore(x, value), data);
      }),
    );
  }
  cuts.push(runs.map(({ to }) => to));
  return cuts;
}

type Element = number | bigint;
const isLess = (x: Element, y: Element): boolean => x < y;
const isGreater = (x: Element, y: Element): boolean => x > y;

/** The first of some places whose element is behind; their end where none is. All that follow one are. */
function firstBehind(from: number, to: number, isBehind: (x: Element) => boolean, data: TypedArray): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(data[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How far the numbers of a run go: NaN is at its end. */
export const numbersIn = (data: TypedArray, { from, to }: Run): number =>
  firstBehind(from, to, (x) => Number.isNaN(x), data);
