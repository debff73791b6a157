// Windows as data. In: an operation. Out: cells, products of runs of places, and for every window of a cell where it
// lies at the first place and how far it moves from each place to the next along every axis of the grid: its shape is
// the same all over the cell. What is read, by whom, how much of it, and what is said about it follows from these.
// Must hold: the windows of a cell at any of its places are those of the task there (windows.ts); every task is in one
// cell. Found by going back from the chunks that tasks write, step by step: wherever a box would cross a seam of its step,
// or the hull of what is asked of a step changes sides, the cell is cut, so that all is even in what is left.

import type { Box } from "../../core/box.ts";
import { sameShape, sizeOf } from "../../core/shape.ts";
import type { Operation, PlanArray } from "../plan.ts";
import type { ArrayWindow } from "../windows.ts";
import type { Cut, Run } from "./runs.ts";
import { cutOfSteps, type Trace, traceOf } from "./trace.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

/** A box of an array that moves evenly. */
export interface WindowLaw {
  readonly array: string;
  /** At the first place of the cell. */
  readonly start: readonly number[];
  readonly shape: readonly number[];
  /** By axis of the grid: how far it moves along each axis of the array from one place to the next. */
  readonly slopes: readonly (readonly number[])[];
}

export interface Cell {
  /** By axis of the grid. */
  readonly runs: readonly Run[];
  readonly windows: readonly WindowLaw[];
}

const known = new WeakMap<Operation, readonly Cell[]>();

export function cellsOf(operation: Operation, arrays: Arrays): readonly Cell[] {
  let cells = known.get(operation);
  if (cells === undefined) {
    cells = findCells(operation, arrays);
    known.set(operation, cells);
  }
  return cells;
}

/** Of how many tasks a cell is. */
export const tasksIn = ({ runs }: Pick<Cell, "runs">): number =>
  runs.reduce((count, run) => count * run.count, 1);

/** The place of a cell that is so many steps along each axis from its first. */
export const placeIn = (runs: readonly Run[], steps: readonly number[]): number[] =>
  runs.map(({ first, step }, axis) => first + step * steps[axis]!);

function findCells(operation: Operation, arrays: Arrays): Cell[] {
  const cells: Cell[] = [];
  const left: (readonly Run[])[] = sizeOf(operation.grid) === 0 ? [] : outputRuns(operation, arrays);
  for (let runs = left.pop(); runs !== undefined; runs = left.pop()) {
    const found = examine(operation, arrays, runs);
    if (!("axis" in found)) cells.push(found);
    else
      for (const part of found.parts) left.push(runs.map((run, axis) => (axis === found.axis ? part : run)));
  }
  return cells.reverse();
}

/** Chunks have one shape, but for the last along an axis that is cut short. */
function outputRuns({ grid, outputs }: Operation, arrays: Arrays): Run[][] {
  let all: Run[][] = [[]];
  grid.forEach((n, axis) => {
    const isCut = outputs.some(({ array }) => {
      const { shape, chunks } = arrays.get(array)!;
      return shape[axis]! % chunks[axis]! !== 0;
    });
    const runs =
      isCut && n > 1
        ? [
            { first: 0, step: 1, count: n - 1 },
            { first: n - 1, step: 1, count: 1 },
          ]
        : [{ first: 0, step: 1, count: n }];
    all = all.flatMap((left) => runs.map((run) => [...left, run]));
  });
  return all;
}

/** A cell of these runs, or what has to be cut first. */
function examine(operation: Operation, arrays: Arrays, runs: readonly Run[]): Cell | Cut {
  const at = (steps: readonly number[]): Trace => traceOf(operation, arrays, placeIn(runs, steps));
  const first = at(runs.map(() => 0));
  // Along an axis of one place nothing moves.
  const next = runs.map(({ count }, axis) =>
    count === 1 ? first : at(runs.map((_, other) => (other === axis ? 1 : 0))),
  );
  const cut = cutOfSteps(operation, runs, first, next);
  if (cut !== null) return cut;
  const windows = first.windows.map(({ array, box }, i) =>
    lawOf(
      array,
      box,
      next.map((trace) => trace.windows[i]?.box ?? box),
    ),
  );
  const last = at(runs.map(({ count }) => count - 1));
  return isEven(windows, runs, last.windows) ? { runs, windows } : halves(runs);
}

function lawOf(array: string, { start, shape }: Box, next: readonly Box[]): WindowLaw {
  return { array, start, shape, slopes: next.map((box) => box.start.map((x, axis) => x - start[axis]!)) };
}

/** A last look: at the other end, too, the windows are where they should be. */
function isEven(laws: readonly WindowLaw[], runs: readonly Run[], last: readonly ArrayWindow[]): boolean {
  const steps = runs.map(({ count }) => count - 1);
  return (
    laws.length === last.length &&
    laws.every((law, i) => {
      const { array, box } = last[i]!;
      return (
        law.array === array && sameShape(law.shape, box.shape) && sameShape(startAt(law, steps), box.start)
      );
    })
  );
}

/** Where a window lies so many steps along each axis from the first place of its cell. */
export const startAt = ({ start, slopes }: WindowLaw, steps: readonly number[]): number[] =>
  start.map((x, axis) => steps.reduce((at, step, g) => at + step * slopes[g]![axis]!, x));

/** Of the longest run. */
export function halves(runs: readonly Run[]): Cut {
  const axis = runs.reduce((most, { count }, at) => (count > runs[most]!.count ? at : most), 0);
  const { first, step, count } = runs[axis]!;
  const half = Math.ceil(count / 2);
  return {
    axis,
    parts: [
      { first, step, count: half },
      { first: first + half * step, step, count: count - half },
    ],
  };
}
