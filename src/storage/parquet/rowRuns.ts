// Runs of rows of a row group. In: runs, and decoded pages that begin and end elsewhere. Out: runs that two conditions, or one
// of them, leave; and pages cut to a run. What must hold: runs are in order, apart, and not empty.

import type { DecodedChunk } from "./chunk.ts";
import { Damage } from "./errors.ts";
import type { LeafNode } from "./schema.ts";

/** The rows from `start` to before `stop`. */
export interface RowRun {
  readonly start: number;
  readonly stop: number;
}

export const rowsOfRuns = (runs: readonly RowRun[]): number =>
  runs.reduce((sum, { start, stop }) => sum + stop - start, 0);

/** Rows that are in both. */
export function intersected(a: readonly RowRun[], b: readonly RowRun[]): RowRun[] {
  const both: RowRun[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const start = Math.max(a[i]!.start, b[j]!.start);
    const stop = Math.min(a[i]!.stop, b[j]!.stop);
    if (start < stop) both.push({ start, stop });
    if (a[i]!.stop < b[j]!.stop) i++;
    else j++;
  }
  return both;
}

/** Rows that are in any; runs that touch become one. */
export function united(runs: readonly RowRun[]): RowRun[] {
  const all: RowRun[] = [];
  for (const run of runs.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (run.start >= run.stop) continue;
    if (last !== undefined && run.start <= last.stop)
      all[all.length - 1] = { start: last.start, stop: Math.max(last.stop, run.stop) };
    else all.push(run);
  }
  return all;
}

/** Runs of at most so many rows, of nearly equal lengths each. */
export const cutRuns = (runs: readonly RowRun[], most: number): RowRun[] =>
  runs.flatMap(({ start, stop }) => {
    const count = Math.max(1, Math.ceil((stop - start) / most));
    const bound = (i: number): number => start + Math.floor(((stop - start) * i) / count);
    return Array.from({ length: count }, (_, i) => ({ start: bound(i), stop: bound(i + 1) }));
  });

/** A chunk's decoded pages without the first rows, and without what comes after `rows` more. */
export function cutToRows(chunk: DecodedChunk, node: LeafNode, skip: number, rows: number): DecodedChunk {
  const { definitions, repetitions, store } = chunk;
  const [from, to] =
    node.repetition === 0 ? [skip, skip + rows] : entriesOfRows(repetitions!.data(), skip, rows);
  if (to > chunk.entries) throw new Damage(`pages of ${chunk.entries} entries, where ${to} belong`);
  const before = definitions?.highestBefore(from) ?? from;
  const cut = definitions?.cut(from, to) ?? null;
  // Where values were not wanted there are none.
  if (store.count > 0) store.cut(before, before + (cut?.highest ?? to - from));
  return { entries: to - from, definitions: cut, repetitions: repetitions?.cut(from, to) ?? null, store };
}

/** Where the entries of a run of rows begin and end: a row begins where nothing repeats. */
function entriesOfRows(repetitions: Uint8Array, skip: number, rows: number): [number, number] {
  let row = -1;
  let from = repetitions.length;
  for (let i = 0; i < repetitions.length; i++) {
    if (repetitions[i] !== 0) continue;
    row++;
    if (row === skip) from = i;
    if (row === skip + rows) return [from, i];
  }
  if (row + 1 === skip + rows) return [from, repetitions.length];
  throw new Damage(`pages of ${row + 1} rows, where ${skip + rows} belong`);
}
