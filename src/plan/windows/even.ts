// Cells in which all is even. In: the steps of an operation, and which boxes of its outputs are wanted: laws on some
// cells. Out: those cells cut further, until every box of every step moves evenly all over each of them.
// Found by going back from what is wanted, step by step: wherever a box would cross a seam of its step, or the hull of
// what is asked of a step changes sides, the cell is cut.
// Must hold: the parts of a cell have all its places, each once.

import { type Box, isEmptyBox, sameShape } from "../../core/chunks.ts";
import { type ArrayType, assertDense, type DenseType, extentOf } from "../../expr/op.ts";
import { type AxisSeams, SEAMLESS } from "../../expr/pieces.ts";
import {
  type ArrayWindow,
  hull,
  inputTypes,
  isPlacewise,
  isSharedRead,
  outputAxes,
  taskBoxes,
  usesOfRead,
  windowsOf,
} from "../demand.ts";
import type { Operation, OpStep, PlanStep, ReduceTreeStep, ScanTreeStep } from "../plan.ts";
import {
  boxAt,
  type Cut,
  cutAtSeams,
  cutAtZone,
  type Growth,
  type Law,
  lawOf,
  lawWithin,
  type Run,
  type Runs,
  startAt,
} from "./taskRuns.ts";

// Where a step asks in another way for what it needs. In: a step. Out: for each axis of its output the seams of it
// (expr/op.ts says what a seam is). Must hold: what demand.ts says of the step changes nowhere else.

const known = new WeakMap<PlanStep, readonly AxisSeams[] | null>();

/** Null for a step that has none. */
function seamsOf(steps: readonly PlanStep[], step: PlanStep): readonly AxisSeams[] | null {
  let seams = known.get(step);
  if (seams === undefined) {
    const found = stepSeams(step, inputTypes(steps, step));
    seams = found.some((axis) => axis !== SEAMLESS) ? found : null;
    known.set(step, seams);
  }
  return seams;
}

function stepSeams(step: PlanStep, inputs: readonly ArrayType[]): readonly AxisSeams[] {
  if (step.kind === "ragged") return partitionSeams(step, inputs);
  assertDense(inputs);
  switch (step.kind) {
    case "read":
    case "source":
    case "elementwise":
    case "contract":
      return [];
    case "move":
      return step.op.seams(inputs, step.attrs, step.types[0]!);
    case "routine":
      return step.op.seams?.(inputs, step.attrs, step.types[0]!) ?? [];
    case "reduce":
      return reduceSeams(step, inputs[0]!);
    case "scan":
      return scanSeams(step);
    default:
      step satisfies never;
      throw step;
  }
}

/** Nothing is known of how partitions are cut: each place is looked at by itself. */
const ALL_OVER: AxisSeams = { zones: [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]] };

const partitionSeams = (step: OpStep<"ragged">, inputs: readonly ArrayType[]): readonly AxisSeams[] =>
  inputs.every((input) => isPlacewise(step, input)) ? [] : extentOf(step.types[0]!).map(() => ALL_OVER);

/** The last place of an axis may be made of fewer. */
function reduceSeams({ axes, types }: ReduceTreeStep, input: DenseType): readonly AxisSeams[] {
  const { shape } = types[0]!;
  const kept = outputAxes(axes, input.shape.length, shape.length);
  const reduced = axes.map((axis) => kept[axis]!);
  return shape.map((n, axis) => (reduced.includes(axis) ? { zones: [[n - 1, n]] } : SEAMLESS));
}

/** A scan computes from the begin of a group on, the more the later a box begins in it. */
const scanSeams = ({ axis, group, types }: ScanTreeStep): readonly AxisSeams[] =>
  types[0]!.shape.map((_, other) => (other === axis ? { periods: [{ every: group, at: "all" }] } : SEAMLESS));

// What tasks ask of their steps. In: the first task of some runs of places, and the next along each axis. Out: what has
// to be cut so that all boxes of all steps move evenly with the place. Steps are looked at before those that they use,
// so that what is asked of a step is known to move evenly when the step is looked at.

interface Trace {
  /** What is wanted of the operation's outputs, in their order. */
  readonly wanted: readonly Box[];
  /** By step, from each that uses it. */
  readonly asked: readonly (readonly Box[])[];
  /** What it computes. */
  readonly boxes: readonly (Box | null)[];
  readonly windows: readonly ArrayWindow[];
  /** Of reads that are shared, by step: what each step uses. */
  readonly uses: readonly (readonly Box[] | null)[];
}

/** `wanted` goes with the operation's outputs. */
function traceOf(operation: Operation, wanted: readonly Box[]): Trace {
  const asked = operation.steps.map((): Box[] => []);
  const boxes = taskBoxes(operation, wanted, undefined, asked);
  const uses = operation.steps.map((step, at) =>
    isSharedRead(step) && boxes[at] !== null ? (usesOfRead(operation, boxes, at)?.boxes ?? null) : null,
  );
  return { wanted, asked, boxes, windows: windowsOf(operation, boxes), uses };
}

/** Null where nothing has to be cut. `next` has the next task along each axis of the grid. */
function cutOfSteps(
  { steps }: Operation,
  runs: readonly Run[],
  first: Trace,
  next: readonly Trace[],
): Cut | null {
  for (let at = steps.length - 1; at >= 0; at--) {
    const computed = first.boxes[at];
    if (computed == null) continue;
    const uses = first.uses[at] ?? null;
    const meeting =
      uses === null
        ? null
        : cutOfUses(
            uses,
            next.map((trace) => trace.uses[at]!),
            runs,
          );
    if (meeting !== null) return meeting;
    const asked = first.asked[at]!;
    const askedNext = next.map((trace) => trace.asked[at]!);
    const crossing = asked.length > 1 ? cutOfHull(asked, askedNext, runs) : null;
    if (crossing !== null) return crossing;
    const seams = isEmptyBox(computed) ? null : seamsOf(steps, steps[at]!);
    if (seams === null) continue;
    const hulls = askedNext.map((list) => list.reduce(hull));
    const boxes = next.map((trace) => trace.boxes[at]!);
    const cut = cutOfBox(asked.reduce(hull), hulls, runs, seams) ?? cutOfBox(computed, boxes, runs, seams);
    if (cut !== null) return cut;
  }
  return null;
}

const growthOf = (box: Box, next: readonly Box[], axis: number): Growth => ({
  at: box.start[axis]!,
  slopes: next.map((other) => other.start[axis]! - box.start[axis]!),
});

function cutOfBox(
  box: Box,
  next: readonly Box[],
  runs: readonly Run[],
  seams: readonly AxisSeams[],
): Cut | null {
  for (let axis = 0; axis < seams.length; axis++) {
    const cut = cutAtSeams(growthOf(box, next, axis), box.shape[axis]!, runs, seams[axis]!);
    if (cut !== null) return cut;
  }
  return null;
}

/** The hull of boxes moves evenly where, along each axis, one of them is the first to begin and one the last to end. */
function cutOfHull(
  asked: readonly Box[],
  next: readonly (readonly Box[])[],
  runs: readonly Run[],
): Cut | null {
  const used = asked.flatMap((box, i) => (isEmptyBox(box) ? [] : [i]));
  for (let axis = 0; axis < asked[0]!.start.length; axis++) {
    const spans = used.map((i) => ({
      start: growthOf(
        asked[i]!,
        next.map((list) => list[i]!),
        axis,
      ),
      length: asked[i]!.shape[axis]!,
    }));
    const cut = cutOfSpans(distinct(spans), runs);
    if (cut !== null) return cut;
  }
  return null;
}

/** Boxes that are read together where they lie together: those that move in different ways are cut where they may meet. */
function cutOfUses(
  uses: readonly Box[],
  next: readonly (readonly Box[])[],
  runs: readonly Run[],
): Cut | null {
  const used = uses.flatMap((box, i) => (isEmptyBox(box) ? [] : [i]));
  const growthAt = (i: number, axis: number): Growth =>
    growthOf(
      uses[i]!,
      next.map((list) => list[i]!),
      axis,
    );
  for (const [k, i] of used.entries())
    for (const j of used.slice(k + 1)) {
      const cuts = uses[i]!.shape.map((length, axis) => {
        const apart = apartness(growthAt(i, axis), growthAt(j, axis));
        return cutAtZone(apart, 0, runs, -length - 1, uses[j]!.shape[axis]! + 1);
      });
      const cut = cuts.find((one) => one !== null);
      if (cut !== undefined) return cut;
    }
  return null;
}

/** A range of an axis that moves evenly. */
interface Span {
  readonly start: Growth;
  readonly length: number;
}

const distinct = (spans: readonly Span[]): Span[] => [
  ...new Map(spans.map((span) => [`${span.start.at} ${span.start.slopes} ${span.length}`, span])).values(),
];

function cutOfSpans(spans: readonly Span[], runs: readonly Run[]): Cut | null {
  for (const [i, one] of spans.entries())
    for (const other of spans.slice(i + 1)) {
      const apart = apartness(one.start, other.start);
      const ends = { ...apart, at: apart.at + one.length - other.length };
      const cut = cutAtZone(apart, 0, runs, 0, 0) ?? cutAtZone(ends, 0, runs, 0, 0);
      if (cut !== null) return cut;
    }
  return null;
}

const apartness = (a: Growth, b: Growth): Growth => ({
  at: a.at - b.at,
  slopes: a.slopes.map((slope, axis) => slope - b.slopes[axis]!),
});

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
  // In one place nothing moves.
  if (runs.every(({ count }) => count === 1)) return { runs, from, first, next: runs.map(() => first) };
  // Nor along an axis of one place.
  const next = runs.map(({ count }, axis) =>
    count === 1 ? first : at(runs.map((_, other) => (other === axis ? 1 : 0))),
  );
  const cut = cutOfSteps(operation, runs, first, next);
  if (cut !== null) return cut;
  const cell = { runs, from, first, next };
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
