// Cells in which all is even. In: the steps of an operation, and which boxes of its outputs are wanted: laws on some
// cells. Out: those cells cut further, until every box of every step moves evenly all over each of them.
// Found by going back from what is wanted, step by step: wherever a box would cross a seam of its step, or the hull of
// what is asked of a step changes sides, the cell is cut.
// Must hold: the parts of a cell have all its places, each once.

import { type Box, isEmptyBox } from "../../core/box.ts";
import { sameShape } from "../../core/shape.ts";
import type { Operation } from "../plan.ts";
import { boxAt, type Law, lawOf, lawWithin, startAt } from "./laws.ts";
import type { Runs } from "./partition.ts";
import type { Cut, Run } from "./taskRuns.ts";
import { cutOfSteps, type Trace, traceOf } from "./windowTrace.ts";

export interface Part {
  readonly runs: Runs;
  /** In the order of the operation's outputs. */
  readonly wanted: readonly Law[];
  /** The number of the cell that it is a part of. */
  readonly from: number;
}

export interface EvenCell {
  readonly runs: Runs;
  readonly from: number;
  /** The task at the first place, and the next along each axis: the first where there is no other. */
  readonly first: Trace;
  readonly next: readonly Trace[];
}

/** Null where there are more than `most`. */
export function evenCells(
  operation: Operation,
  parts: readonly Part[],
  most: number = Number.POSITIVE_INFINITY,
): EvenCell[] | null {
  const cells: EvenCell[] = [];
  const left = [...parts];
  for (let part = left.pop(); part !== undefined; part = left.pop()) {
    const found = examine(operation, part);
    if ("axis" in found) for (const run of found.parts) left.push(partOf(part, found.axis, run));
    else cells.push(found);
    if (cells.length + left.length > most) return null;
  }
  return cells.reverse();
}

function partOf({ runs, wanted, from }: Part, cut: number, run: Run): Part {
  const part = runs.map((whole, axis) => (axis === cut ? run : whole));
  return { runs: part, wanted: wanted.map((law) => lawWithin(law, runs, part)), from };
}

/** The law of a box that every trace has, of what `boxOf` finds in one. */
export const lawIn = ({ first, next }: EvenCell, boxOf: (trace: Trace) => Box): Law =>
  lawOf(boxOf(first), next.map(boxOf));

/** A cell of these runs, or what has to be cut first. */
function examine(operation: Operation, { runs, wanted, from }: Part): EvenCell | Cut {
  const at = (steps: readonly number[]): Trace =>
    traceOf(
      operation,
      wanted.map((law) => boxAt(law, steps)),
    );
  const first = at(runs.map(() => 0));
  // Along an axis of one place nothing moves.
  const next = runs.map(({ count }, axis) =>
    count === 1 ? first : at(runs.map((_, other) => (other === axis ? 1 : 0))),
  );
  const cut = cutOfSteps(operation, runs, first, next);
  if (cut !== null) return cut;
  const cell = { runs, from, first, next };
  if (runs.every(({ count }) => count === 1)) return cell;
  const steps = runs.map(({ count }) => count - 1);
  return isEven(cell, at(steps), steps) ? cell : halves(runs);
}

/** A last look: at the other end, too, the boxes are where they should be. */
function isEven(cell: EvenCell, last: Trace, steps: readonly number[]): boolean {
  const { first, next } = cell;
  const isOne = (boxOf: (trace: Trace) => Box | null | undefined): boolean => {
    const [begin, end] = [boxOf(first), boxOf(last)];
    if (begin == null || end == null || (isEmptyBox(begin) && isEmptyBox(end)))
      return (begin == null) === (end == null);
    const others = next.map(boxOf);
    if (!others.every((box) => box != null && sameShape(box.shape, begin.shape))) return false;
    const law = lawOf(begin, others as Box[]);
    return sameShape(law.shape, end.shape) && sameShape(startAt(law, steps), end.start);
  };
  return (
    first.windows.length === last.windows.length &&
    first.windows.every(
      ({ array }, i) => last.windows[i]!.array === array && isOne(({ windows }) => windows[i]?.box),
    ) &&
    first.boxes.every((_, at) => isOne(({ boxes }) => boxes[at]))
  );
}

/** Of the longest run. */
export function halves(runs: Runs): Cut {
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
