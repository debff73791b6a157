// What tasks ask of their steps. In: the first task of some runs of places, and the next along each axis. Out: what has
// to be cut so that all boxes of all steps move evenly with the place. Steps are looked at before those that they use,
// so that what is asked of a step is known to move evenly when the step is looked at.

import { type Box, hull, isEmptyBox } from "../../core/box.ts";
import type { AxisSeams } from "../../expr/op.ts";
import { taskBoxes } from "../demand.ts";
import type { Operation } from "../plan.ts";
import { type ArrayWindow, windowsOf } from "../windows.ts";
import { seamsOf } from "./seams.ts";
import { type Cut, cutAtSeams, cutAtZone, type Growth, type Run } from "./taskRuns.ts";

export interface Trace {
  /** What is wanted of the operation's outputs, in their order. */
  readonly wanted: readonly Box[];
  /** By step, from each that uses it. */
  readonly asked: readonly (readonly Box[])[];
  /** What it computes. */
  readonly boxes: readonly (Box | null)[];
  readonly windows: readonly ArrayWindow[];
}

/** `wanted` goes with the operation's outputs. */
export function traceOf(operation: Operation, wanted: readonly Box[]): Trace {
  const asked = operation.steps.map((): Box[] => []);
  const boxes = taskBoxes(operation, wanted, undefined, asked);
  return { wanted, asked, boxes, windows: windowsOf(operation, boxes) };
}

/** Null where nothing has to be cut. `next` has the next task along each axis of the grid. */
export function cutOfSteps(
  { steps }: Operation,
  runs: readonly Run[],
  first: Trace,
  next: readonly Trace[],
): Cut | null {
  for (let at = steps.length - 1; at >= 0; at--) {
    const computed = first.boxes[at];
    if (computed == null) continue;
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
