// Parts of histograms: bins chosen, ranges, fewer and wider bins, axes summed up or in another order. In: axes, and what is wanted
// of each. Out: the axes that are left and for each cell where it goes. What a range cuts off goes to the flow, where there is one.

import { describe, stridesOf } from "../../../core/chunks.ts";
import { IndexError, ValueError } from "../../../core/errors.ts";
import { userCall } from "../../../lazy/call.ts";
import {
  type AxisSpec,
  binsOf,
  type EdgedAxis,
  edgesOf,
  extentOf,
  isEdged,
  underOf,
} from "../../../ragged/hist/axes.ts";
import { movedCells, shapeOfAxes } from "../../../ragged/hist/histState.ts";
import { HistAxis } from "./histAxis.ts";

/** A place on an axis by its value: `rg.loc(91.2)`, or that many bins further: `rg.loc(91.2, 1)`. */
export class Loc {
  readonly value: number | string | boolean | Date;
  readonly offset: number;
  constructor(value: number | string | boolean | Date, offset = 0) {
    this.value = value;
    this.offset = offset;
  }
}

/** So many bins become one: `h.get([null, null, rg.rebin(2)])`. */
export class Rebin {
  readonly count: number;
  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 1)
      throw new ValueError({
        what: `${describe(count)} bins become one`,
        cure: "Use a whole number of 1 or more",
      });
    this.count = count;
  }
}

/** The bin that has a value: `h.get({ mass: [rg.loc(60), rg.loc(120)] })`; `offset` counts bins from there. */
export const loc: (value: number | string | boolean | Date, offset?: number) => Loc = userCall(
  "loc",
  (value: number | string | boolean | Date, offset?: number) => new Loc(value, offset),
);
/** So many bins become one: `h.get({ mass: [null, null, rg.rebin(2)] })`. */
export const rebin: (count: number) => Rebin = userCall("rebin", (count: number) => new Rebin(count));

type Bound = number | Loc | null;
/**
 * What is wanted of an axis: one bin (a number, from the end where it is negative, a `loc`, or a label), "sum" for all with the flow,
 * or `[start, stop, step]`, whose step is `rebin(n)` or "sum"; of axes of labels also a list of them.
 */
export type HistItem =
  | number
  | string
  | Loc
  | Rebin
  | readonly [start: Bound, stop: Bound, step?: Rebin | "sum" | null]
  | readonly string[];

/** Of one axis: where its bins go, and the axis that is left, or null. */
interface Moved {
  readonly places: Int32Array;
  readonly axis: AxisSpec | null;
}

const nowhere = (axis: AxisSpec): Int32Array => new Int32Array(extentOf(axis)).fill(-1);

const KEPT = (axis: AxisSpec): Moved => ({
  places: Int32Array.from({ length: extentOf(axis) }, (_, i) => i),
  axis,
});
const SUMMED = (axis: AxisSpec): Moved => ({ places: new Int32Array(extentOf(axis)), axis: null });

function binAt(axis: AxisSpec, at: number | Loc | string): number {
  const size = binsOf(axis);
  const place =
    typeof at === "number"
      ? at < 0
        ? at + size
        : at
      : at instanceof Loc
        ? new HistAxis(axis).index(at.value) + at.offset
        : new HistAxis(axis).index(at);
  if (Number.isSafeInteger(place) && place >= 0 && place < size) return place;
  const given = at instanceof Loc ? at.value : at;
  throw new IndexError({
    what: `the axis ${JSON.stringify(axis.name)} has no bin ${describe(given)}`,
    cure: `There are ${size}: ${new HistAxis(axis)}`,
  });
}

function picked(axis: AxisSpec, at: number | Loc | string): Moved {
  const places = nowhere(axis);
  places[underOf(axis) + binAt(axis, at)] = 0;
  return { places, axis: null };
}

/** A bound of a range: what lies below all bins is the first. */
function bound(axis: AxisSpec, at: Bound | undefined, otherwise: number): number {
  const size = binsOf(axis);
  if (at === null || at === undefined) return otherwise;
  const place = at instanceof Loc ? new HistAxis(axis).index(at.value) + at.offset : at < 0 ? at + size : at;
  if (!Number.isSafeInteger(place))
    throw new IndexError({
      what: `a bound is ${describe(at)}`,
      cure: "Use a whole number, loc(value) or null",
    });
  return Math.min(size, Math.max(0, place));
}

function ranged(axis: AxisSpec, item: readonly unknown[]): Moved {
  const [from, to, step = null] = item as readonly [Bound, Bound, (Rebin | "sum" | null)?];
  const start = bound(axis, from, 0);
  const stop = bound(axis, to, binsOf(axis));
  if (stop <= start)
    throw new IndexError({ what: `bins ${start} to ${stop} are none`, cure: "Give the lower bound first" });
  const before = underOf(axis);
  if (step === "sum") {
    const places = nowhere(axis).fill(0, before + start, before + stop);
    return isWhole(item) ? SUMMED(axis) : { places, axis: null };
  }
  if (step !== null && !(step instanceof Rebin))
    throw new ValueError({ what: `the step is ${describe(step)}`, cure: 'Use rebin(n), or "sum"' });
  return isEdged(axis) ? cut(axis, start, stop, step?.count ?? 1) : chosen(axis, numbersFrom(start, stop));
}

const isWhole = ([from, to]: readonly unknown[]): boolean => (from ?? null) === null && (to ?? null) === null;
const numbersFrom = (start: number, stop: number): number[] =>
  Array.from({ length: stop - start }, (_, i) => start + i);

/** Bins from start on, each of `count` old ones; what is left over goes to the flow. */
function cut(axis: EdgedAxis, start: number, stop: number, count: number): Moved {
  const bins = Math.floor((stop - start) / count);
  if (bins === 0)
    throw new ValueError({ what: `${stop - start} bins are not ${count}`, cure: "Use fewer bins for each" });
  const all = edgesOf(axis);
  const edges = Array.from({ length: bins + 1 }, (_, i) => all[start + i * count]!);
  const made = withEdges(axis, edges, count);
  const before = underOf(axis);
  const places = nowhere(axis);
  for (let i = 0; i < places.length; i++) {
    const at = Math.floor((i - before - start) / count);
    if (at < 0) places[i] = made.underflow ? 0 : -1;
    else if (at >= bins) places[i] = made.overflow ? before + bins : -1;
    else places[i] = before + at;
  }
  return { places, axis: made };
}

/** The same kind of axis where it can be said so. */
function withEdges(axis: EdgedAxis, edges: readonly number[], count: number): EdgedAxis {
  const { name, label, underflow, overflow } = axis;
  const [start, stop] = [edges[0]!, edges[edges.length - 1]!];
  const isAll = start === edgesOf(axis)[0] && stop === edgesOf(axis)[binsOf(axis)];
  if (axis.kind === "regular")
    return { ...axis, start, stop, bins: edges.length - 1, circular: axis.circular && isAll };
  if (axis.kind === "integer" && count === 1) return { ...axis, start, stop };
  const kind = axis.kind === "datetime" ? "datetime" : "variable";
  return { kind, edges, name, label, underflow, overflow };
}

/** Some labels, in the order in which they are named; all others are in the overflow, where there is one. */
function chosen(axis: Extract<AxisSpec, { kind: "category" }>, bins: readonly number[]): Moved {
  const places = nowhere(axis);
  if (axis.overflow) places.fill(bins.length);
  bins.forEach((bin, i) => {
    places[bin] = i;
  });
  return { places, axis: { ...axis, labels: bins.map((bin) => axis.labels[bin]!) } };
}

function movedAxis(axis: AxisSpec, item: HistItem): Moved {
  if (item === "sum") return SUMMED(axis);
  if (item instanceof Rebin) return ranged(axis, [null, null, item]);
  if (typeof item === "number" || typeof item === "string" || item instanceof Loc) return picked(axis, item);
  if (!Array.isArray(item))
    throw new ValueError({
      what: `${describe(item)} names no bins`,
      cure: "Use a number, loc(value), [start, stop]",
    });
  if (!isEdged(axis) && item.length > 0 && item.every((label) => typeof label === "string"))
    return chosen(
      axis,
      item.map((label) => binAt(axis, label as string)),
    );
  return ranged(axis, item);
}

/** Which axes are left, and where each cell goes in a grid of them; −1: nowhere. */
export interface Selection {
  readonly axes: readonly AxisSpec[];
  readonly cells: Int32Array;
}

export function selected(axes: readonly AxisSpec[], items: ReadonlyMap<number, HistItem>): Selection {
  const moved = axes.map((axis, k) => (items.has(k) ? movedAxis(axis, items.get(k)!) : KEPT(axis)));
  const left = moved.flatMap(({ axis }, k) => (axis === null ? [] : [k]));
  return selectionOf(axes, moved, left);
}

/** Some axes in an order; the others are summed up. */
export function projected(axes: readonly AxisSpec[], order: readonly number[]): Selection {
  const moved = axes.map((axis, k) => (order.includes(k) ? KEPT(axis) : SUMMED(axis)));
  return selectionOf(axes, moved, order);
}

function selectionOf(
  axes: readonly AxisSpec[],
  moved: readonly Moved[],
  order: readonly number[],
): Selection {
  const left = order.map((k) => moved[k]!.axis!);
  const strides = stridesOf(shapeOfAxes(left));
  const cells = movedCells(
    shapeOfAxes(axes),
    moved.map(({ places }) => places),
    axes.map((_, k) => (order.includes(k) ? strides[order.indexOf(k)]! : 0)),
  );
  return { axes: left, cells };
}
