// Costs of an operation, over all tasks that want something of it. In: the operation, cells of the grid of these tasks,
// and which boxes of its outputs they want: laws on the cells. Out: what it reads and computes, on the same cells or on
// finer ones, on which all its boxes move evenly (windows/even.ts).

import { blockBytes } from "../../core/block.ts";
import { type Box, sameShape, sizeOf } from "../../core/chunks.ts";
import { denseOf } from "../../expr/op.ts";
import { rechunk } from "../../ops/moves/axisMoves.ts";
import { hull } from "../demand.ts";
import type { Operation, PlanArray, PlanStep, ValueRef } from "../plan.ts";
import { type EvenCell, evenCells, lawIn } from "../windows/even.ts";
import { type Finer, type Laws, type Partition, sameLaw, sameLaws, tasksIn } from "../windows/taskRuns.ts";
import { areAlike, isComparable, Recent } from "./fusionOptions.ts";
import { addRead, type Read, type Reads, refinedReads, sameWindows } from "./reads.ts";

// What kinds of steps an operation has, as far as fusion is concerned.

/** More work than a loop, on whole groups of elements. */
const HEAVY: ReadonlySet<PlanStep["kind"]> = new Set(["reduce", "scan", "contract", "routine"]);

export const isHeavyStep = ({ kind }: PlanStep): boolean => HEAVY.has(kind);

export const isHeavy = ({ steps }: Operation): boolean => steps.some(isHeavyStep);

/** What a step costs for an element, in additions. */
export function workOf(step: PlanStep): number {
  if (step.kind !== "elementwise") return 1;
  const op = step.op;
  return op.class === "elementwise" ? (op.work ?? 1) : 1;
}

/** Nothing but loops over elements. */
export const isLoop = ({ steps }: Operation): boolean =>
  steps.every(
    ({ kind, types }) =>
      kind === "source" || kind === "elementwise" || (kind === "read" && types[0]!.kind === "dense"),
  );

/** The same elements, cut otherwise: nothing is left to do where they are computed by boxes. */
export const isRecut = (step: PlanStep): boolean => step.kind === "move" && step.op === rechunk;

// Streamed steps: those whose elements are used one by one, in loops over the same box or by reductions. They need no
// memory. In: steps, and the boxes they have in all tasks. Out: for each whether it is streamed.

/** What is wanted of an output. */
interface Asking {
  /** Together with all others that want the same value. */
  readonly laws: Laws;
  /** It is stored, or those that use it do so element by element, and want all of it. */
  readonly isStored: boolean;
  readonly isPassed: boolean;
}

/** `asking` goes with the outputs. */
function streamedSteps(
  { steps, outputs }: Operation,
  laws: readonly (Laws | null)[],
  asking: readonly Asking[],
): boolean[] {
  const isElementwise = (step: PlanStep): boolean => step.kind === "elementwise" || isRecut(step);
  const streamed = steps.map((step) => step.kind === "read" || isElementwise(step));
  outputs.forEach(({ value: { step } }, i) => {
    const { laws: all, isStored, isPassed } = asking[i]!;
    const isWhole = sameLaws(laws[step]!, all);
    // An output that is stored has its memory there; where it is used by others, they decide.
    if (isStored) streamed[step] = isWhole;
    else if (!isWhole || !isPassed) streamed[step] = false;
  });
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at]!;
    if (laws[at] === null) continue;
    const isLifted = step.kind === "reduce" && step.lifts;
    for (const { step: input } of step.inputs) {
      const isSame = isLifted || (isElementwise(step) && sameLaws(laws[input]!, laws[at]!));
      if (!isSame || (isRecut(step) && !streamed[at])) streamed[input] = false;
    }
  }
  return streamed;
}

export type Arrays = ReadonlyMap<string, PlanArray>;

/** More cells than this are not looked at: an operation whose tasks differ in so many ways is left as it is. */
export const MOST_CELLS = 500;

/** A box of an output that is wanted, and by whom; null: it is stored, and so are all that are wanted. */
export interface Wanted {
  readonly array: PlanArray;
  readonly value: ValueRef;
  readonly laws: Laws;
  readonly use: Read | null;
}

export interface Costs extends Finer {
  /** For everything that is wanted, all that is wanted of the same value. */
  readonly hulls: readonly Laws[];
  readonly reads: Reads;
  /** Bytes of values that have to lie in memory between steps, for a task of each cell. */
  readonly temporaries: readonly number[];
  /** Elements that steps compute in all tasks, and those of steps that are more work than a loop. */
  readonly work: number;
  readonly heavy: number;
}

/** Null where there are too many cells to look at. */
export function costsOf(
  operation: Operation,
  cells: Partition,
  wanted: readonly Wanted[],
  arrays: Arrays,
): Costs | null {
  if (isPlain(operation, wanted)) return plainCosts(operation, cells, wanted, arrays);
  const form = formOf(operation, cells, wanted, arrays);
  if (form.found === null) return null;
  const { cells: finer, from, hulls, windows, temporaries, work, heavy } = form.found;
  const reads: Read[] = [];
  for (let at = 0; at < windows.length; at++) {
    const [step, window] = [operation.steps[at]!, windows[at]];
    if (step.kind !== "read" || window == null) continue;
    const { asked, pieces, isStreamed } = window;
    addRead(reads, { array: denseOf(arrays.get(step.array)!), asked, pieces, isStreamed, isShared: false });
  }
  return { cells: finer, from, hulls, reads, temporaries, work, heavy };
}

/** Costs of all operations that are alike: what is read, without from which arrays. */
interface CostForm {
  readonly operation: Operation;
  readonly cells: Partition;
  readonly wanted: readonly Wanted[];
  readonly found: FormCosts | null;
}

interface FormCosts extends Omit<Costs, "reads"> {
  /** For every step that reads, what it does. */
  readonly windows: readonly (Omit<Read, "array" | "isShared"> | null)[];
}

const recentForms = new Recent<Arrays, CostForm>();

function formOf(operation: Operation, cells: Partition, wanted: readonly Wanted[], arrays: Arrays): CostForm {
  const make = (): CostForm => ({ operation, cells, wanted, found: newForm(operation, cells, wanted) });
  if (!isComparable(operation)) return make();
  return recentForms.get(
    arrays,
    (known) =>
      known.cells === cells &&
      known.wanted.length === wanted.length &&
      known.wanted.every((one, i) => sameWanted(one, wanted[i]!)) &&
      areAlike(known.operation, operation),
    make,
  );
}

function sameWanted(a: Wanted, b: Wanted): boolean {
  if (a.value.step !== b.value.step || a.value.component !== b.value.component) return false;
  if (a.use === null || b.use === null) return a.use === b.use && sameLaws(a.laws, b.laws);
  const isUsedAlike = a.use.isStreamed === b.use.isStreamed && a.use.isShared === b.use.isShared;
  return isUsedAlike && sameLaws(a.laws, b.laws) && sameWindows(a.use, b.use);
}

function newForm(operation: Operation, cells: Partition, wanted: readonly Wanted[]): FormCosts | null {
  const asking = { ...operation, outputs: wanted.map(({ value }) => ({ array: "", value })) };
  const parts = cells.map((runs, from) => ({ runs, from, wanted: wanted.map(({ laws }) => laws[from]!) }));
  const even = evenCells(asking, parts, MOST_CELLS);
  if (even === null) return null;
  const finer = finerOf(even, cells);
  const laws = stepLaws(asking, even);
  const hulls = askingOf(wanted, even);
  const streamed = streamedSteps(asking, laws, hulls);
  const passed = passedPieces(operation, wanted, cells, finer);
  const windows = operation.steps.map((step, at) => {
    const asked = laws[at];
    if (step.kind !== "read" || asked == null) return null;
    const pieces = passed?.step === at ? passed.pieces : piecesAt(even, at, asked);
    return { asked, pieces, isStreamed: streamed[at]! };
  });
  return {
    ...finer,
    hulls: hulls.map((one) => one.laws),
    windows,
    ...computed(operation, finer.cells, laws, streamed),
  };
}

/** The same object where nothing was cut. */
const finerOf = (even: readonly EvenCell[], cells: Partition): Finer => ({
  cells: even.every(({ runs }, i) => runs === cells[i]) ? cells : even.map(({ runs }) => runs),
  from: even.map(({ from }) => from),
});

/** Null for a step that nobody needs. */
function stepLaws({ steps, outputs }: Operation, even: readonly EvenCell[]): (Laws | null)[] {
  const isNeeded = steps.map((_, at) => outputs.some(({ value }) => value.step === at));
  for (let at = steps.length - 1; at >= 0; at--)
    if (isNeeded[at]) for (const { step } of steps[at]!.inputs) isNeeded[step] = true;
  return steps.map((_, at) =>
    isNeeded[at] ? even.map((cell) => lawIn(cell, ({ boxes }) => boxes[at]!)) : null,
  );
}

function askingOf(wanted: readonly Wanted[], even: readonly EvenCell[]): Asking[] {
  return wanted.map(({ value, use }, own) => {
    const together = (boxes: readonly Box[]): Box =>
      boxes.filter((_, i) => isSameValue(wanted[i]!.value, value)).reduce(hull);
    const laws = even.map((cell) => lawIn(cell, (trace) => together(trace.wanted)));
    const isAll = even.every((cell, i) =>
      sameLaw(
        lawIn(cell, (trace) => trace.wanted[own]!),
        laws[i]!,
      ),
    );
    return { laws, isStored: use === null, isPassed: isAll && use?.isStreamed === true };
  });
}

const isSameValue = (a: ValueRef, b: ValueRef): boolean => a.step === b.step && a.component === b.component;

/** What a step reads, where that is not just what is asked of it. */
function piecesAt(even: readonly EvenCell[], at: number, asked: Laws): readonly Laws[] | null {
  const pieces = even.map((cell) =>
    cell.first.windows.flatMap(({ step }, i) =>
      step === at ? [lawIn(cell, ({ windows }) => windows[i]!.box)] : [],
    ),
  );
  const isAll = pieces.every((laws, cell) =>
    laws.length === 0
      ? sizeOf(asked[cell]!.shape) === 0
      : laws.length === 1 && sameLaw(laws[0]!, asked[cell]!),
  );
  return isAll ? null : pieces;
}

/** What is only cut otherwise is read by the pieces in which it is used, where one step alone uses it. */
function passedPieces(
  operation: Operation,
  wanted: readonly Wanted[],
  cells: Partition,
  finer: Finer,
): { readonly step: number; readonly pieces: readonly Laws[] } | null {
  const [{ value, use }] = wanted as [Wanted];
  if (wanted.length > 1 || use === null || use.pieces === null || use.isShared) return null;
  let at = value.step;
  while (isRecut(operation.steps[at]!)) at = operation.steps[at]!.inputs[0]!.step;
  if (operation.steps[at]!.kind !== "read") return null;
  return { step: at, pieces: refinedReads([use], cells, finer)[0]!.pieces! };
}

function computed(
  { steps }: Operation,
  cells: Partition,
  laws: readonly (Laws | null)[],
  streamed: readonly boolean[],
): Pick<Costs, "temporaries" | "work" | "heavy"> {
  const temporaries = cells.map(() => 0);
  let [work, heavy] = [0, 0];
  steps.forEach((step, at) => {
    const own = laws[at];
    if (own == null || step.kind === "source" || step.kind === "read") return;
    const elements = elementsOf(own, cells);
    work += workOf(step) * elements;
    if (isHeavyStep(step)) heavy += elements;
    if (streamed[at]) return;
    for (const type of step.types)
      own.forEach(({ shape }, cell) => {
        temporaries[cell]! += blockBytes(denseOf(type).dtype, shape);
      });
  });
  return { temporaries, work, heavy };
}

/** Of all tasks. */
const elementsOf = (laws: Laws, cells: Partition): number => {
  let elements = 0;
  for (let cell = 0; cell < laws.length; cell++)
    elements += sizeOf(laws[cell]!.shape) * tasksIn({ runs: cells[cell]! });
  return elements;
};

/** A loop over arrays of its own shape, of which one box is wanted: every step has that box. */
function isPlain({ steps }: Operation, wanted: readonly Wanted[]): boolean {
  const [{ value, laws, use }] = wanted as [Wanted];
  for (const other of wanted)
    if (!isSameValue(value, other.value) || !sameLaws(laws, other.laws)) return false;
  // Such pieces would be passed on.
  if (use !== null && use.pieces !== null && steps[value.step]!.kind === "read") return false;
  const { shape } = denseOf(steps[value.step]!.types[0]!);
  return steps.every(
    ({ kind, types }) =>
      kind === "source" ||
      ((kind === "read" || kind === "elementwise") && sameShape(denseOf(types[0]!).shape, shape)),
  );
}

function plainCosts(
  { steps }: Operation,
  cells: Partition,
  wanted: readonly Wanted[],
  arrays: Arrays,
): Costs {
  const [{ value, laws }] = wanted as [Wanted];
  const isStreamed = wanted.every(({ use }) => use === null || use.isStreamed);
  const reads: Read[] = [];
  let loops = 0;
  for (const step of steps) {
    if (step.kind === "read")
      addRead(reads, {
        array: denseOf(arrays.get(step.array)!),
        asked: laws,
        pieces: null,
        isStreamed: true,
        isShared: false,
      });
    else if (step.kind === "elementwise") loops += workOf(step);
  }
  const { dtype } = denseOf(steps[value.step]!.types[0]!);
  const temporaries = laws.map(({ shape }) => (isStreamed ? 0 : blockBytes(dtype, shape)));
  return {
    cells,
    from: cells.map((_, cell) => cell),
    hulls: wanted.map(() => laws),
    reads,
    temporaries,
    work: loops * elementsOf(laws, cells),
    heavy: 0,
  };
}
