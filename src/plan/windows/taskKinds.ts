// Kinds of tasks. In: an operation. Out: one place for each kind, and how many tasks are of it. All tasks of a kind have
// boxes of the same shapes, and where two of these are one box for one task, they are for all: so they read as much, and
// need as much memory, as the one that is looked at. (Boxes that are equal are read once, and share loops.)
// Must hold: every task is of one kind.

import { type Box, isEmptyBox, placeOf, sizeOf } from "../../core/chunks.ts";
import { extentOf } from "../../expr/op.ts";
import { denseInputs, taskBoxes, taskOutputs } from "../demand.ts";
import type { Operation, PlanArray } from "../plan.ts";
import { type EvenCell, evenCells, halves } from "./even.ts";
import {
  chunkLaw,
  chunkPartition,
  gcd,
  type Law,
  lawOf,
  type Run,
  type Runs,
  startAt,
  tasksIn,
} from "./taskRuns.ts";

// Meetings: where two boxes that move in different ways are the same box. In: equations between steps along the axes of a
// cell. Out: the steps that solve them, as a lattice: one of them, and vectors by which the others are reached.

/** Σ slope · step = sum, with a slope for each axis. */
interface Equation {
  readonly slopes: readonly number[];
  readonly sum: number;
}

/** Steps at + Σ tₙ · vectorₙ, for all tₙ below countₙ. */
interface Lattice {
  readonly at: readonly number[];
  readonly lines: readonly { readonly vector: readonly number[]; readonly count: number }[];
}

const pointsIn = ({ lines }: Lattice): number => lines.reduce((size, { count }) => size * count, 1);

/** All steps of a cell with so many along each axis. */
const wholeLattice = (counts: readonly number[]): Lattice => ({
  at: counts.map(() => 0),
  lines: counts.map((count, axis) => ({ vector: counts.map((_, other) => (other === axis ? 1 : 0)), count })),
});

/** Null: no steps do. Undefined: an equation has more than two axes in it, and is not solved here. */
function solve(equations: readonly Equation[], counts: readonly number[]): Lattice | null | undefined {
  let lattice: Lattice | null | undefined = wholeLattice(counts);
  // Those with fewer axes first: they leave less of the others.
  const ordered = equations.toSorted((a, b) => axesIn(a) - axesIn(b));
  for (const equation of ordered) {
    if (lattice == null) return lattice;
    lattice = solveOne(equation, lattice);
  }
  return lattice;
}

const axesIn = ({ slopes }: Equation): number => slopes.filter((slope) => slope !== 0).length;

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, axis) => sum + x * b[axis]!, 0);

function solveOne({ slopes, sum }: Equation, lattice: Lattice): Lattice | null | undefined {
  const rest = sum - dot(slopes, lattice.at);
  const factors = lattice.lines.map(({ vector }) => dot(slopes, vector));
  const used = factors.flatMap((factor, n) => (factor !== 0 && lattice.lines[n]!.count > 1 ? [n] : []));
  if (used.length === 0) return rest === 0 ? lattice : null;
  if (used.length > 2) return undefined;
  const [n, m] = used;
  return m === undefined ? fixed(lattice, n!, rest / factors[n!]!) : joined(lattice, [n!, m], factors, rest);
}

const without = ({ lines }: Lattice, gone: readonly number[]): Lattice["lines"] =>
  lines.filter((_, n) => !gone.includes(n));

const moved = (at: readonly number[], vector: readonly number[], t: number): number[] =>
  at.map((x, axis) => x + t * vector[axis]!);

/** One place of a line. */
function fixed(lattice: Lattice, n: number, t: number): Lattice | null {
  const { vector, count } = lattice.lines[n]!;
  if (!Number.isInteger(t) || t < 0 || t >= count) return null;
  return { at: moved(lattice.at, vector, t), lines: without(lattice, [n]) };
}

/** Two lines become one: a·x + b·y = rest has the solutions x₀ + b/g·t, y₀ − a/g·t. */
function joined(
  lattice: Lattice,
  [n, m]: readonly [number, number],
  factors: readonly number[],
  rest: number,
): Lattice | null {
  const [a, b] = [factors[n]!, factors[m]!];
  const divisor = gcd(Math.abs(a), Math.abs(b));
  if (rest % divisor !== 0) return null;
  const [stepX, stepY] = [b / divisor, -a / divisor];
  const [one, other] = [lattice.lines[n]!, lattice.lines[m]!];
  const x = Number(smallest(BigInt(a / divisor), BigInt(rest / divisor), BigInt(Math.abs(stepX))));
  const y = (rest - a * x) / b;
  const low = Math.max(least(x, stepX, one.count), least(y, stepY, other.count));
  const high = Math.min(most(x, stepX, one.count), most(y, stepY, other.count));
  if (high < low) return null;
  const at = moved(moved(lattice.at, one.vector, x + low * stepX), other.vector, y + low * stepY);
  const vector = one.vector.map((v, axis) => v * stepX + other.vector[axis]! * stepY);
  return { at, lines: [...without(lattice, [n, m]), { vector, count: high - low + 1 }] };
}

/** The t from which on, or until which, x + t·step is one of 0 … count − 1. */
const least = (x: number, step: number, count: number): number =>
  Math.ceil((step > 0 ? -x : count - 1 - x) / step);
const most = (x: number, step: number, count: number): number =>
  Math.floor((step > 0 ? count - 1 - x : -x) / step);

/** The smallest x ≥ 0 with a·x ≡ c, modulo a number that has no divisor in common with a. */
function smallest(a: bigint, c: bigint, modulo: bigint): bigint {
  const positive = (x: bigint): bigint => ((x % modulo) + modulo) % modulo;
  let [r, next, x, nextX] = [positive(a), modulo, 1n, 0n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [x, nextX] = [nextX, x - quotient * nextX];
  }
  return positive(x * positive(c));
}

// Windows as data. In: an operation. Out: cells, products of runs of places, and for every window of a cell where it
// lies at the first place and how far it moves from each place to the next along every axis of the grid: its shape is
// the same all over the cell. What is read, by whom, how much of it, and what is said about it follows from these.
// Must hold: the windows of a cell at any of its places are those of the task there (demand.ts); every task is in one
// cell. Cells are found by going back from the chunks that tasks write (even.ts).

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
