// Windows as data. In: an operation. Out: cells, products of runs of places, and for every window of a cell where it
// lies at the first place and how far it moves from each place to the next along every axis of the grid: its shape is
// the same all over the cell. What is read, by whom, how much of it, and what is said about it follows from these.
// Must hold: the windows of a cell at any of its places are those of the task there (windows.ts); every task is in one
// cell. Cells are found by going back from the chunks that tasks write (even.ts).

import type { Operation, PlanArray } from "../plan.ts";
import { type EvenCell, evenCells } from "./even.ts";
import { chunkLaw, type Law, lawOf } from "./laws.ts";
import { chunkPartition, type Runs } from "./partition.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

/** A box of an array that moves evenly. */
export interface WindowLaw extends Law {
  readonly array: string;
}

export interface Cell {
  /** By axis of the grid. */
  readonly runs: Runs;
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

/** The place of a cell that is so many steps along each axis from its first. */
export const placeIn = (runs: Runs, steps: readonly number[]): number[] =>
  runs.map(({ first, step }, axis) => first + step * steps[axis]!);

function findCells(operation: Operation, arrays: Arrays): Cell[] {
  const written = operation.outputs.map(({ array }) => arrays.get(array)!);
  const parts = chunkPartition(operation.grid, written).map((runs, from) => ({
    runs,
    from,
    wanted: written.map((array) => chunkLaw(array, runs)),
  }));
  return evenCells(operation, parts)!.map((cell) => ({ runs: cell.runs, windows: windowsIn(cell) }));
}

const windowsIn = ({ first, next }: EvenCell): WindowLaw[] =>
  first.windows.map(({ array, box }, i) => ({
    array,
    ...lawOf(
      box,
      next.map((trace) => trace.windows[i]!.box),
    ),
  }));
