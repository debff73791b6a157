// Memory of a task, stated before it runs: the windows it reads, its temporaries and its kernels' scratch at the
// moment when they are most, the chunks it writes, and what storage needs to read and write them. Each term has its
// reason.
// Must hold: no task of the operation needs more. Without moves that is proved by one look: every step's box then is a
// multiple of the task's place in start and constant in length, except that the last along an axis is cut short, so the
// first task has the largest box of every step, and a smaller box has no larger buffer. Only what shares a loop
// can differ at the ends, so the corners are looked at too. Moves have windows that depend on where a task is: all
// tasks are looked at where there are few, else the ends, the places beside them and many in between along every
// axis, and each array counts with the largest window that was met.

import { numberOf, placeOf } from "../core/chunks.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { opNamed } from "../ops/index.ts";
import { rechunk } from "../ops/moves/layout.ts";
import { isAlike, layoutOf, type Pair, pairsIn, type TaskLayout } from "./compile/layout.ts";
import { isStraightCopy } from "./compile/straight.ts";
import { compileLayout, type TaskProgram } from "./compile/task.ts";
import { type MemoryTerm, type Phases, phasesOf, totalMemory } from "./phases.ts";
import { isRagged, type Operation, type PlanArray, type PlanStep } from "./plan.ts";
import { raggedTerms } from "./ragged.ts";
import { readTransfer } from "./transfer.ts";

export { type MemoryTerm, totalMemory } from "./phases.ts";

type Arrays = ReadonlyMap<string, PlanArray>;

/** Up to so many tasks all are looked at where windows move in other ways than chunks. */
const FEW_TASKS = 64;

const known = new WeakMap<Operation, readonly MemoryTerm[]>();

/** A bound for every task. */
export function memoryOf(operation: Operation, arrays: Arrays): readonly MemoryTerm[] {
  const before = known.get(operation);
  if (before !== undefined) return before;
  const terms = boundOf(operation, arrays);
  known.set(operation, terms);
  return terms;
}

function boundOf(operation: Operation, arrays: Arrays): readonly MemoryTerm[] {
  if (sizeOf(operation.grid) === 0) return [];
  if (isRagged(operation)) return raggedTerms(operation, arrays);
  // Tasks with alike layouts have one program: it is compiled once.
  const known: { readonly layout: TaskLayout; readonly pairs: readonly Pair[] }[] = [];
  let bound: Phases | null = null;
  for (const task of probesOf(operation, arrays)) {
    const layout = layoutOf(operation, arrays, placeOf(task, operation.grid));
    const isKnown = known.some(
      (other) =>
        isAlike(operation, other.layout, layout, other.pairs) &&
        readsAlike(operation, arrays, other.layout, layout),
    );
    if (isKnown) continue;
    known.unshift({ layout, pairs: pairsIn(operation, layout) });
    if (known.length > MOST_KNOWN) known.pop();
    const phases = phasesOf(compileLayout(operation, layout).task, arrays, isCopy(operation));
    bound = bound === null ? phases : largestOfPhases(bound, phases);
  }
  return largestPhase(bound!);
}

const MOST_KNOWN = 8;

/** Where windows lie in stored objects says what storage needs. */
function readsAlike({ steps }: Operation, arrays: Arrays, a: TaskLayout, b: TaskLayout): boolean {
  return steps.every((step, at) => {
    const array = step.kind === "read" ? arrays.get(step.array)! : null;
    if (array?.transfer === undefined || a.boxes[at] == null) return true;
    const [one, other] = [readTransfer(array, a.boxes[at]!), readTransfer(array, b.boxes[at]!)];
    return one.encoded === other.encoded && one.aside === other.aside;
  });
}

const largestOfPhases = (a: Phases, b: Phases): Phases => a.map((terms, i) => largestOfEach(terms, b[i]!));

/** Of each reason the larger. */
function largestOfEach(a: readonly MemoryTerm[], b: readonly MemoryTerm[]): MemoryTerm[] {
  const most = new Map(a.map(({ reason, bytes }) => [reason, bytes]));
  for (const { reason, bytes } of b) most.set(reason, Math.max(most.get(reason) ?? 0, bytes));
  return [...most].map(([reason, bytes]) => ({ reason, bytes }));
}

/** Tasks whose memory bounds that of all. */
function probesOf(operation: Operation, arrays: Arrays): readonly number[] {
  const { grid, steps } = operation;
  const count = sizeOf(grid);
  if (isSingle(operation, arrays)) return [0];
  const isRegular = steps.every(({ kind }) => kind !== "move" && kind !== "scan");
  const places = isRegular ? cornersOf(grid, (n) => [0, n - 1]) : cornersOf(grid, (n) => [0, n >> 1, n - 1]);
  const tasks = new Set(places.map((place) => numberOf(place, grid)));
  if (!isRegular) for (const task of spread(count, FEW_TASKS)) tasks.add(task);
  if (!isRegular && count > FEW_TASKS)
    grid.forEach((n, axis) => {
      for (const at of [1, n - 2, ...spread(n, 16)])
        if (at >= 0 && at < n) tasks.add(numberOf(onAxis(grid, axis, at), grid));
    });
  return [...tasks];
}

/** One step on arrays in memory: nothing is shared, and the first task is the largest. */
const isSingle = ({ steps, outputs }: Operation, arrays: Arrays): boolean =>
  steps.length <= 2 &&
  steps.every(({ kind }) => kind !== "move" && kind !== "scan") &&
  outputs.every(({ array }) => arrays.get(array)!.transfer === undefined) &&
  steps.every((step) => step.kind !== "read" || arrays.get(step.array)!.transfer === undefined);

const onAxis = (grid: Shape, axis: number, at: number): number[] =>
  grid.map((n, other) => (other === axis ? at : n >> 1));

/** At most `limit` of 0 … n − 1: all of them, or some at equal distances. */
function spread(n: number, limit: number): number[] {
  const step = Math.max(1, n / limit);
  return Array.from({ length: Math.min(n, limit) }, (_, i) => Math.floor(i * step));
}

const MAX_CORNERS = 64;

/** Places that are among the chosen ones along every axis; along the last axes only the first, where they are many. */
function cornersOf(grid: Shape, choose: (n: number) => readonly number[]): number[][] {
  let corners: number[][] = [[]];
  for (const n of grid) {
    const chosen = [...new Set(choose(n))];
    const ends = chosen.length * corners.length <= MAX_CORNERS ? chosen : [0];
    corners = ends.flatMap((end) => corners.map((corner) => [...corner, end]));
  }
  return [...corners, grid.map((n) => n - 1)];
}

/** What is read straight into its chunk is counted there, where every task does so, not only some that are looked at. */
const isCopy = ({ steps, outputs }: Operation): boolean =>
  outputs.length === 1 &&
  steps.length <= 2 &&
  steps.every(({ kind }, at) => kind === "read" || (at === 1 && isRechunk(steps[1]!)));

export const isRechunk = (step: PlanStep): boolean => step.kind === "move" && opNamed(step.op) === rechunk;

/** What one compiled task needs. */
export const termsOf = (task: TaskProgram, arrays: Arrays): readonly MemoryTerm[] =>
  largestPhase(phasesOf(task, arrays, isStraightCopy(task)));

const largestPhase = (phases: Phases): readonly MemoryTerm[] =>
  phases.reduce((most, terms) => (totalMemory(terms) > totalMemory(most) ? terms : most));
