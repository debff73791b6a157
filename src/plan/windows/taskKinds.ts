// Kinds of tasks. In: an operation. Out: one place for each kind, and how many tasks are of it. All tasks of a kind have
// boxes of the same shapes, and where two of these are one box for one task, they are for all: so they read as much, and
// need as much memory, as the one that is looked at. (Boxes that are equal are read once, and share loops.)
// Must hold: every task is of one kind.

import { type Box, isEmptyBox } from "../../core/box.ts";
import { placeOf } from "../../core/chunks.ts";
import { sizeOf } from "../../core/shape.ts";
import { extentOf } from "../../expr/type.ts";
import { denseInputs, taskBoxes } from "../demand.ts";
import type { Operation, PlanArray } from "../plan.ts";
import { taskOutputs } from "../windows.ts";
import { type Cell, cellsOf, placeIn } from "./cells.ts";
import { halves } from "./even.ts";
import { startAt } from "./laws.ts";
import { type Equation, type Lattice, pointsIn, solve } from "./meetings.ts";
import { tasksIn } from "./partition.ts";
import type { Run } from "./taskRuns.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

export interface TaskKind {
  readonly place: readonly number[];
  readonly tasks: number;
  readonly cell: Cell;
}

export function* taskKinds(operation: Operation, arrays: Arrays): Iterable<TaskKind> {
  for (const cell of cellsOf(operation, arrays)) yield* kindsIn(operation, arrays, cell, cell.runs);
}

function* kindsIn(
  operation: Operation,
  arrays: Arrays,
  cell: Cell,
  runs: readonly Run[],
): Iterable<TaskKind> {
  const tasks = tasksIn({ runs });
  const meetings = tasks === 1 ? [] : meetingsIn(operation, arrays, cell, runs);
  if (meetings === null) {
    const { axis, parts } = halves(runs);
    for (const part of parts)
      yield* kindsIn(
        operation,
        arrays,
        cell,
        runs.map((run, at) => (at === axis ? part : run)),
      );
    return;
  }
  let rest = tasks;
  for (const { lattice } of meetings) {
    rest -= pointsIn(lattice);
    yield { place: placeIn(runs, lattice.at), tasks: pointsIn(lattice), cell };
  }
  if (rest > 0) yield { place: placeIn(runs, elsewhere(runs, meetings)), tasks: rest, cell };
}

/** Where some boxes are one. */
interface Meeting {
  readonly equations: readonly Equation[];
  readonly lattice: Lattice;
}

/** Meetings that no task has two of; null where they cannot be told apart. */
function meetingsIn(
  operation: Operation,
  arrays: Arrays,
  cell: Cell,
  runs: readonly Run[],
): readonly Meeting[] | null {
  const counts = runs.map(({ count }) => count);
  const meetings = new Map<string, Meeting>();
  for (const equations of pairsOf(moversIn(operation, arrays, cell, runs))) {
    const lattice = solve(equations, counts);
    if (lattice === undefined) return null;
    if (lattice !== null) meetings.set(JSON.stringify(lattice), { equations, lattice });
  }
  const all = [...meetings.values()];
  const isApart = all.every((one, i) =>
    all.slice(i + 1).every((other) => solve([...one.equations, ...other.equations], counts) === null),
  );
  return isApart ? all : null;
}

/** A box that moves evenly. Only boxes of one family can share anything: of one array, or of values of one shape. */
interface Mover {
  readonly family: string;
  readonly start: readonly number[];
  readonly shape: readonly number[];
  readonly slopes: readonly (readonly number[])[];
}

/** The windows of a cell, the boxes of its steps and what its reductions run over. */
function moversIn(operation: Operation, arrays: Arrays, cell: Cell, runs: readonly Run[]): Mover[] {
  const boxesAt = (steps: readonly number[]) => comparable(operation, arrays, placeIn(runs, steps));
  const first = boxesAt(runs.map(() => 0));
  const next = runs.map(({ count }, axis) =>
    count === 1 ? first : boxesAt(runs.map((_, other) => (other === axis ? 1 : 0))),
  );
  const steps = runs.map((run, axis) => (run.first - cell.runs[axis]!.first) / cell.runs[axis]!.step);
  return [
    ...first.map(({ family, box: { start, shape } }, i): Mover => {
      const slopes = next.map((list) => list[i]!.box.start.map((x, axis) => x - start[axis]!));
      return { family, start, shape, slopes };
    }),
    ...cell.windows.map((law): Mover => ({ ...law, family: law.array, start: startAt(law, steps) })),
  ];
}

function comparable(
  operation: Operation,
  arrays: Arrays,
  place: readonly number[],
): { readonly family: string; readonly box: Box }[] {
  const { steps } = operation;
  const demands = steps.map((): readonly Box[] => []);
  const boxes = taskBoxes(operation, taskOutputs(operation, arrays, place), demands);
  return steps.flatMap((step, at) => {
    const box = boxes[at];
    if (box == null || isEmptyBox(box)) return [];
    const own = { family: `of ${extentOf(step.types[0]!)}`, box };
    if (step.kind !== "reduce") return [own];
    const [input] = denseInputs(steps, step);
    return [own, { family: `of ${input!.shape}`, box: demands[at]![0] ?? box }];
  });
}

/** What has to hold for two boxes of one shape to be the same, for all that do not move together. */
function pairsOf(movers: readonly Mover[]): Equation[][] {
  const alike = new Map<string, Map<string, Mover>>();
  for (const mover of movers) {
    const key = `${mover.family};${mover.shape}`;
    const known = alike.get(key) ?? new Map<string, Mover>();
    alike.set(key, known.set(`${mover.start};${mover.slopes.join(";")}`, mover));
  }
  return [...alike.values()].flatMap((known) => {
    const list = [...known.values()];
    return list.flatMap((one, i) => list.slice(i + 1).flatMap((other) => meetingOf(one, other)));
  });
}

/** None where both move together. */
function meetingOf(one: Mover, other: Mover): Equation[][] {
  const equations = one.start.map((x, axis) => ({
    slopes: one.slopes.map((along, g) => along[axis]! - other.slopes[g]![axis]!),
    sum: other.start[axis]! - x,
  }));
  return equations.some(({ slopes }) => slopes.some((slope) => slope !== 0)) ? [equations] : [];
}

/** Steps of the cell at which nothing meets. There are some. */
function elsewhere(runs: readonly Run[], meetings: readonly Meeting[]): number[] {
  const isUsed = (axis: number): boolean =>
    meetings.some(({ equations }) => equations.some(({ slopes }) => slopes[axis] !== 0));
  const counts = runs.map(({ count }, axis) => (isUsed(axis) ? count : 1));
  for (let i = 0; i < sizeOf(counts); i++) {
    const steps = placeOf(i, counts);
    if (!meetings.some(({ equations }) => equations.every((equation) => isSolved(equation, steps))))
      return steps;
  }
  return runs.map(() => 0);
}

const isSolved = ({ slopes, sum }: Equation, steps: readonly number[]): boolean =>
  slopes.reduce((total, slope, axis) => total + slope * steps[axis]!, 0) === sum;
