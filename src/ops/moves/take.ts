// take: elements along attrs.axis at places that are known. Place j of the result is places[j mod P] + shift · ⌊j / P⌋, with
// P places: months that repeat, every third row and a list without order are one form. Places that lie close in the input
// are read in one window, others in windows of their own, so that a task reads only chunks that its places name.
// Must hold: every place is one of the input's.

import type { Attrs } from "../../core/block.ts";
import { isEmptyBox } from "../../core/chunks.ts";
import { denseType, type MoveOp } from "../../expr/op.ts";
import { type AxisSeams, type PieceAxis, SEAMLESS } from "../../expr/pieces.ts";
import { checkCounts, wrongAttr } from "../attrChecks.ts";
import { type Fragment, run, separable } from "./fragments.ts";

export interface TakeAttrs {
  readonly axis: number;
  readonly places: readonly number[];
  /** By how much the places grow from one repetition of the list to the next. */
  readonly shift: number;
  /** How many places there are in all. */
  readonly count: number;
  /** Of the result, along the axis. */
  readonly chunk: number;
  /** Places that are no further from each other are read together: a chunk of the input, between which no other fits. */
  readonly reach: number;
}

const takeAttrs = (attrs: Attrs): TakeAttrs => attrs as unknown as TakeAttrs;

/** A list of places as its shortest repetition: the shortest period of the differences, by Knuth, Morris and Pratt. */
export function periodicPlaces(list: readonly number[]): Pick<TakeAttrs, "places" | "shift" | "count"> {
  const count = list.length;
  const step = (j: number): number => list[j + 1]! - list[j]!;
  // border[j]: how long the longest begin of the differences is that also ends at number j.
  const border = new Int32Array(Math.max(0, count - 1));
  for (let j = 1, known = 0; j < border.length; j++) {
    while (known > 0 && step(j) !== step(known)) known = border[known - 1]!;
    if (step(j) === step(known)) known++;
    border[j] = known;
  }
  const period = border.length === 0 ? 1 : border.length - border.at(-1)!;
  return {
    places: list.slice(0, period),
    shift: period < count ? list[period]! - list[0]! : 0,
    count,
  };
}

const placeAt = ({ places, shift }: TakeAttrs, j: number): number =>
  places[j % places.length]! + shift * Math.floor(j / places.length);

/** The places of a range of the result. */
export const placesIn = (attrs: Attrs, from: number, count: number, step = 1): number[] =>
  Array.from({ length: count }, (_, i) => placeAt(takeAttrs(attrs), from + step * i));

function checkAttrs(attrs: TakeAttrs, lengths: readonly number[]): void {
  const { axis, places, shift, count, chunk, reach } = attrs;
  const length = lengths[axis];
  if (length === undefined) throw wrongAttr("take", "axis", axis);
  for (const [name, value] of Object.entries({ count, chunk: chunk - 1, reach: reach - 1 }))
    checkCounts("take", name, [value], 1);
  checkCounts("take", "places", places);
  if (count > 0 && (places.length === 0 || !Number.isSafeInteger(shift)))
    throw wrongAttr("take", "shift", shift);
  for (let i = 0; i < Math.min(count, places.length); i++) {
    const last = placeAt(attrs, i + Math.floor((count - 1 - i) / places.length) * places.length);
    if (places[i]! >= length || last < 0 || last >= length) throw wrongAttr("take", "places", last);
  }
}

export const take: MoveOp = {
  name: "take",
  class: "move",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const { axis, count } = takeAttrs(attrs);
    return [use.addAlong(cotangent, axis, placesIn(attrs, 0, count), x!.shape[axis]!)];
  },
  injective: false,
  seams: (_, attrs, type) =>
    type.shape.map((__, axis) => (axis === takeAttrs(attrs).axis ? placeSeams(attrs) : SEAMLESS)),
  infer([input], given) {
    const attrs = takeAttrs(given);
    checkAttrs(attrs, input!.shape);
    return denseType(
      input!.dtype,
      input!.shape.map((n, axis) => (axis === attrs.axis ? attrs.count : n)),
    );
  },
  chunks([chunks], _, given) {
    const { axis: along, count, chunk } = takeAttrs(given);
    return chunks!.map((n, axis) => (axis === along ? Math.max(1, Math.min(chunk, count)) : n));
  },
  pieces(out, [input], attrs) {
    if (isEmptyBox(out)) return [];
    const { axis: along, reach } = takeAttrs(attrs);
    return separable(out, 0, input!.shape.length, (axis, at, length) =>
      axis === along
        ? clusters(placesIn(attrs, at, length), reach).map((members) => fragmentOf(axis, at, members))
        : [run(axis, at, length, axis, at, 1)],
    );
  },
};

/** More seams than this are not named one by one. */
const MOST_SEAMS = 32;

const known = new WeakMap<Attrs, AxisSeams>();

function placeSeams(attrs: Attrs): AxisSeams {
  let seams = known.get(attrs);
  if (seams === undefined) {
    seams = seamsOf(takeAttrs(attrs));
    known.set(attrs, seams);
  }
  return seams;
}

/** Between runs of places that are equally far from each other. */
function seamsOf(attrs: TakeAttrs): AxisSeams {
  const { places, count } = attrs;
  const every = places.length;
  const isOnce = every >= count;
  const seams = isOnce ? [] : [0];
  for (let j = 1, begin = 0; j < every; j++) {
    if (j - begin < 2 || placeAt(attrs, j) - placeAt(attrs, j - 1) === places[j - 1]! - places[j - 2]!)
      continue;
    seams.push(j);
    begin = j;
  }
  const isMany = seams.length > MOST_SEAMS;
  if (!isOnce) return { periods: [{ every, at: isMany ? "all" : seams }] };
  if (isMany) return { zones: [[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]] };
  return { zones: seams.map((seam) => [seam, seam] as const) };
}

/** A place of the input, and of which place of the range it is. */
interface Taken {
  readonly place: number;
  readonly to: number;
}

/** Places of a range that lie close to each other, in the order of the range. */
function clusters(places: readonly number[], reach: number): Taken[][] {
  const sorted = places.map((place, to) => ({ place, to })).sort((a, b) => a.place - b.place);
  const found: Taken[][] = [];
  sorted.forEach((taken, i) => {
    if (i === 0 || taken.place - sorted[i - 1]!.place > reach) found.push([]);
    found.at(-1)!.push(taken);
  });
  for (const members of found) members.sort((a, b) => a.to - b.to);
  return found;
}

/** The span of input places that all tasks of these chunks would read, at most. */
export function longestReading(attrs: TakeAttrs): number {
  const { count, chunk, reach } = attrs;
  let most = 0;
  for (let from = 0; from < count; from += chunk) {
    const list = placesIn(attrs as unknown as Attrs, from, Math.min(chunk, count - from));
    let sum = 0;
    for (const members of clusters(list, reach)) {
      const { low, high } = spanOf(members);
      sum += high - low + 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

function spanOf(members: readonly Taken[]): { low: number; high: number } {
  let [low, high] = [members[0]!.place, members[0]!.place];
  for (const { place } of members) {
    low = Math.min(low, place);
    high = Math.max(high, place);
  }
  return { low, high };
}

/** One regular walk where it is one; else a list. */
function fragmentOf(axis: number, at: number, members: readonly Taken[]): Fragment {
  const first = members[0]!;
  const outStep = members.length === 1 ? 1 : members[1]!.to - first.to;
  const inStep = members.length === 1 ? 1 : members[1]!.place - first.place;
  const isWalk = members.every(
    ({ place, to }, i) => place === first.place + i * inStep && to === first.to + i * outStep,
  );
  const base = { length: members.length, outAxis: axis, inAxis: axis };
  if (isWalk)
    return {
      outStart: [[axis, at + first.to]],
      inStart: [[axis, first.place]],
      axes: [{ ...base, outStep, inStep }],
    };
  const { low } = spanOf(members);
  const listed: PieceAxis = {
    ...base,
    ...{ outStep: 1, inStep: 1 },
    places: { out: members.map(({ to }) => to - first.to), in: members.map(({ place }) => place - low) },
  };
  return { outStart: [[axis, at + first.to]], inStart: [[axis, low]], axes: [listed] };
}
