// Partitions of a grid: cells, each a product of runs of places, that have every place once. In: grids, and partitions of
// them. Out: the coarsest one in which chunks have one shape, the finer one of two, and laws on a finer one.

import { type Shape, sizeOf } from "../../core/shape.ts";
import { extentOf } from "../../expr/type.ts";
import type { PlanArray } from "../plan.ts";
import { type Law, lawWithin } from "./laws.ts";
import { gcd, type Run } from "./taskRuns.ts";

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
