// Which runs of sorted blocks a chunk of the whole in order is made of. In: the order of a sample of sorted runs, every `step`-th
// element. Out: for every chunk a row of parts of runs. An element of the sample has at least as many elements before it as its own
// and all lesser samples say, and at most as many as the next greater samples of other runs leave room for. What is certainly
// before a chunk, or behind it, is no part of its row. Runs are merged in groups, each by itself.

import type { Block } from "../core/block.ts";

/** Parts of runs, row after row. */
export interface RunRows {
  readonly starts: readonly number[];
  readonly counts: readonly number[];
  readonly rows: readonly number[];
  readonly most: number;
}

interface Rows extends RunRows {
  /** How many elements of each row are before the chunk. */
  readonly skips: readonly number[];
}

/** How long runs and chunks are, how many runs belong together, and how far samples lie apart. Runs are some chunks long. */
export interface Merging {
  readonly run: number;
  readonly block: number;
  readonly together: number;
  readonly step: number;
}

/** Runs that are merged: elements `from` … `to` − 1 of the whole, of which every `run` are in order. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly run: number;
  readonly count: number;
  readonly step: number;
}

const beginOf = ({ from, run }: Group, r: number): number => from + r * run;
const endOf = (group: Group, r: number): number => Math.min(group.to, beginOf(group, r + 1));

/** The first sample from a place on, or the end. */
const nextSample = (from: number, end: number, step: number): number =>
  Math.min(end, Math.ceil((from + 1) / step) * step - 1);

export function rowsOf(order: Block, length: number, { run, block, together, step }: Merging): Rows {
  const places = Array.from(order.data as BigInt64Array, (at) => Number(at) * step + step - 1);
  const span = run * together;
  const groups = Math.ceil(length / span);
  const own: number[][] = Array.from({ length: groups }, () => []);
  for (const place of places) own[Math.floor(place / span)]!.push(place);
  const rows: Row[] = [];
  for (let g = 0; g < groups; g++) {
    const [from, to] = [g * span, Math.min(length, (g + 1) * span)];
    const group = { from, to, run, count: Math.ceil((to - from) / run), step };
    rows.push(...rowsOfGroup(group, own[g]!, block));
  }
  return joined(rows);
}

/** The parts of one chunk. */
interface Row {
  readonly starts: readonly number[];
  readonly counts: readonly number[];
  readonly skip: number;
}

function joined(rows: readonly Row[]): Rows {
  const ends = [0];
  const lengths: number[] = [];
  for (const { counts } of rows) {
    ends.push(ends.at(-1)! + counts.length);
    lengths.push(counts.reduce((sum, count) => sum + count, 0));
  }
  return {
    starts: rows.flatMap(({ starts }) => starts),
    counts: rows.flatMap(({ counts }) => counts),
    ...{ rows: ends, most: Math.max(1, ...lengths) },
    skips: rows.map(({ skip }) => skip),
  };
}

function rowsOfGroup(group: Group, places: readonly number[], block: number): Row[] {
  const size = group.to - group.from;
  const chunks = Math.ceil(size / block);
  const targets = Array.from({ length: chunks + 1 }, (_, k) => Math.min(size, k * block));
  const below = certainlyBefore(group, places, targets.slice(0, -1));
  const above = possiblyBefore(group, places, targets.slice(1));
  return below.map((froms, k): Row => {
    const [starts, counts]: [number[], number[]] = [[], []];
    let before = 0;
    froms.forEach((from, r) => {
      const to = above[k]![r]!;
      before += from;
      if (to <= from) return;
      starts.push(beginOf(group, r) + from);
      counts.push(to - from);
    });
    return { starts, counts, skip: targets[k]! - before };
  });
}

/**
 * For every rank, how many elements of each run are certainly before it: up to the last sample that is. A sample has at most as many before
 * it as lie before the next sample of each run.
 */
function certainlyBefore(group: Group, places: readonly number[], ranks: readonly number[]): Float64Array[] {
  const { from, run, count, step } = group;
  // Of each run: elements up to its last sample, and before its next one.
  const counts = new Float64Array(count);
  const next = counts.map((_, r) => nextSample(beginOf(group, r), endOf(group, r), step) - beginOf(group, r));
  let most = next.reduce((sum, n) => sum + n, 0);
  let at = 0;
  return ranks.map((rank) => {
    for (; at < places.length; at++) {
      const place = places[at]!;
      const r = Math.floor((place - from) / run);
      const begin = beginOf(group, r);
      // The sample itself comes with it: `most` counts what is before the next sample of this run.
      const after = nextSample(place + 1, endOf(group, r), step) - begin;
      // Before this sample: its own place in its run, and of others what lies before their next.
      if (most - next[r]! + (place - begin) + 1 > rank) break;
      most += after - next[r]!;
      next[r] = after;
      counts[r] = place - begin + 1;
    }
    return counts.slice();
  });
}

/** For every rank, how many elements of each run may be before it: up to the first sample that certainly is not. */
function possiblyBefore(group: Group, places: readonly number[], ranks: readonly number[]): Float64Array[] {
  const { from, run, count } = group;
  const counts = Float64Array.from({ length: count }, (_, r) => endOf(group, r) - beginOf(group, r));
  // Going down: a sample has at least as many before it as its own run has, and others up to their last lesser sample.
  const last = lastSamples(group, places);
  let least = last.at.reduce((sum, n) => sum + n, 0);
  let at = places.length - 1;
  return ranks
    .toReversed()
    .map((rank) => {
      for (; at >= 0; at--) {
        const place = places[at]!;
        const r = Math.floor((place - from) / run);
        if (least - 1 < rank) break;
        counts[r] = place - beginOf(group, r);
        least += last.before[at]! - last.at[r]!;
        last.at[r] = last.before[at]!;
      }
      return counts.slice();
    })
    .toReversed();
}

/** Of each run how many elements there are up to its last sample; and up to the one before each sample. */
function lastSamples(group: Group, places: readonly number[]) {
  const at = new Float64Array(group.count);
  const before = new Float64Array(places.length);
  places.forEach((place, i) => {
    const r = Math.floor((place - group.from) / group.run);
    before[i] = at[r]!;
    at[r] = place - beginOf(group, r) + 1;
  });
  return { at, before };
}
