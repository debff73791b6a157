// groupby: what the elements of each label come to, block by block along the labelled axes. In: x, where elements count, and the
// labels. Out: for each block and label one value (ops/groupby.ts). Labels below 0 are left out. Floats are folded in doubles.
// Must hold: a label without elements has the value that changes nothing, so that blocks can be folded in any order.

import { type Attrs, type Block, subBlock } from "../../core/block.ts";
import { placeOf, type Shape, sizeOf } from "../../core/chunks.ts";
import { allocate, type DType, infoOf, isWide, type TypedArray } from "../../core/dtype.ts";
import { type Routine, type RoutineCall, Trap } from "../routine.ts";
import {
  type Fold,
  type FoldName,
  foldOf,
  NOWHERE,
  PLAIN_FOLDS,
  type PlaceFold,
  type PlainFold,
  startOf,
  type Values,
} from "./groupFolds.ts";
import type { Room } from "./room.ts";
import { fromContiguous, HIGH_WORD, LOW_WORD, toContiguous, wordsOf } from "./stridedWalk.ts";

/** What a call is to do. */
export interface GroupCall {
  readonly axis: number;
  readonly blocks: readonly number[];
  readonly labels: number;
  /** Of the labelled axes, as a whole. */
  readonly lengths: readonly number[];
  readonly fold: FoldName;
  readonly skipsNaN: boolean;
  /** What the user calls the number of labels. Below 0 there is a label that is left out, and no length of counts. */
  readonly limit: "numLabels" | "length";
}

export const groupCall = (attrs: Attrs): GroupCall => attrs as unknown as GroupCall;

/** The elements of one block, its labels, and where its values go. */
export interface GroupPart {
  /** Null where only places count. */
  readonly x: Block | null;
  /** From 0 to before the output's number of labels; −1 for what is left out. */
  readonly labels: Int32Array;
  /** Of the labelled axes: where the block begins, and how long it is. */
  readonly from: readonly number[];
  readonly shape: Shape;
  /** All labels along one axis. */
  readonly output: Block;
}

/** Every block of a call, one after another. */
export function* partsOf({ inputs, outputs, attrs, starts, room }: RoutineCall): Generator<GroupPart> {
  const call = groupCall(attrs);
  const { axis, blocks } = call;
  const [x, labels] = inputs.length === 1 ? [null, inputs[0]!] : [inputs[0]!, inputs[1]!];
  const output = outputs[0]!;
  const labelAxis = axis + blocks.length;
  const first = starts.at(-1)![labelAxis]!;
  const range = [first, first + output.shape[labelAxis]!] as const;
  const grid = output.shape.slice(axis, labelAxis);
  const begin = starts[inputs.length - 1]!;
  // What only counts labels looks at them as it counts.
  const isWhole = first === 0 && range[1] === call.labels;
  const isCounted = x === null && call.fold === "count" && call.limit === "numLabels" && isWhole;
  for (let number = 0; number < sizeOf(grid); number++) {
    const place = placeOf(number, grid);
    const from = place.map((p, k) => Math.min(labels.shape[k]!, p * blocks[k]!));
    const shape = from.map((at, k) => Math.min(labels.shape[k]!, at + blocks[k]!) - at);
    const own = subBlock(labels, from, shape);
    const global = from.map((at, k) => at + begin[k]!);
    yield {
      x: x === null ? null : subBlock(x, inserted(x.shape, axis, from, 0), inserted(x.shape, axis, shape)),
      labels:
        isCounted && own.dtype === "int32"
          ? placesAsTheyAre(own, room)
          : labelsOf(own, call, range, global, room),
      ...{ from: global, shape },
      output: subBlock(
        output,
        inserted(output.shape, axis, place, 0),
        inserted(
          output.shape,
          axis,
          place.map(() => 1),
        ),
      ),
    };
  }
}

/** A list with some entries from `axis` on in the place of its own, and `others` (or what they are) elsewhere. */
const inserted = (list: Shape, axis: number, values: readonly number[], others?: number): number[] =>
  list.map((n, a) => (a >= axis && a < axis + values.length ? values[a - axis]! : (others ?? n)));

const placesAsTheyAre = (labels: Block, room?: Room): Int32Array => toContiguous(labels, room) as Int32Array;

function labelsOf(
  labels: Block,
  call: GroupCall,
  [first, end]: readonly [number, number],
  from: readonly number[],
  room?: Room,
): Int32Array {
  const given = toContiguous(labels, room);
  if (first === 0 && given instanceof Int32Array && areWithin(given, call, end)) return given;
  const places = new Int32Array(given.length);
  const isBig = isWide(labels.dtype);
  const isStrict = call.limit === "length";
  const words = isBig ? wordsOf(given) : (given as Int32Array);
  for (let i = 0; i < places.length; i++) {
    const label = isBig ? words[2 * i + HIGH_WORD]! * 2 ** 32 + words[2 * i + LOW_WORD]! : words[i]!;
    // As words a number below 0 is one of 2⁶³ and more.
    const isLeftOut = isBig && labels.dtype === "int64" ? label >= 2 ** 63 : label < 0;
    if (isLeftOut ? isStrict : label >= call.labels)
      throw wrongLabel(given[i]!, placeOf(i, labels.shape), from, call);
    places[i] = isLeftOut || label < first || label >= end ? -1 : label - first;
  }
  return places;
}

/** Nothing is to be said of them, or done to them: −1 is what is left out. */
function areWithin(labels: Int32Array, { limit }: GroupCall, end: number): boolean {
  let [least, most] = [0, -1];
  for (let i = 0; i < labels.length; i++) {
    least = Math.min(least, labels[i]!);
    most = Math.max(most, labels[i]!);
  }
  return most < end && (limit === "numLabels" || least === 0);
}

function wrongLabel(
  label: number | bigint,
  place: readonly number[],
  from: readonly number[],
  { limit, labels }: GroupCall,
): Trap {
  const at = place.map((p, k) => p + from[k]!).join(", ");
  if (label < 0)
    return new Trap(`the number ${label} at place ${at} is below 0`, "Count numbers of 0 or more");
  return limit === "length"
    ? new Trap(
        `the number ${label} at place ${at} is not below length, which is ${labels}`,
        "Give a larger length",
      )
    : new Trap(
        `the label ${label} at place ${at} is not below numLabels, which is ${labels}`,
        "Give a larger numLabels, or labels below 0 for what is to be left out",
      );
}

export const groupby: Routine = (call) => {
  for (const part of partsOf(call)) groupPart(part, groupCall(call.attrs), call.room);
};

const NO_NUMBERS = new Float64Array(0);

/** Elements of one block: `outer` times a row of places, each `inner` slots long. */
interface Rows {
  readonly data: Values;
  readonly dtype: DType;
  readonly outer: number;
  readonly inner: number;
  readonly labels: Int32Array;
  readonly groups: number;
  readonly skipsNaN: boolean;
}

/** One block, without a kernel. */
export function groupPart(part: GroupPart, call: GroupCall, room: Room = allocate): void {
  const { output, x, labels } = part;
  const { axis, blocks, skipsNaN, fold } = call;
  const groups = output.shape[axis + blocks.length]!;
  const slots = infoOf((x ?? output).dtype).slots;
  const rows: Rows = {
    data: x === null ? NO_NUMBERS : numbersOf(x, room),
    dtype: x === null ? "float64" : x.dtype,
    outer: x === null ? 1 : sizeOf(x.shape.slice(0, axis)),
    inner: x === null ? 1 : sizeOf(x.shape.slice(axis + blocks.length)) * slots,
    ...{ labels, groups, skipsNaN },
  };
  store(folded(rows, fold, output.dtype, part, call), output);
}

/** As float64, or BigInts. */
function numbersOf(x: Block, room: Room): Values {
  const data = toContiguous(x, room);
  if (isWide(x.dtype) || data instanceof Float64Array) return data as unknown as Values;
  const numbers = room("float64", data.length) as Float64Array;
  numbers.set(data as unknown as Float64Array);
  return numbers;
}

function store(values: TypedArray, output: Block): void {
  const { slots } = infoOf(output.dtype);
  if (values.constructor === output.data.constructor) return fromContiguous(values, output);
  const data = allocate(output.dtype, values.length / slots);
  if (isWide(output.dtype)) for (let i = 0; i < data.length; i++) data[i] = BigInt(values[i]!);
  else (data as Float64Array).set(values as Float64Array);
  fromContiguous(data, output);
}

const isPlain = (fold: FoldName): fold is PlainFold => (PLAIN_FOLDS as readonly string[]).includes(fold);

/** How often each label is there. */
function countsOf({ labels, groups }: Rows, { from, shape }: GroupPart, call: GroupCall): Float64Array {
  const counts = new Float64Array(groups);
  for (let i = 0; i < labels.length; i++) {
    const group = labels[i]!;
    if (group >= groups) throw wrongLabel(group, placeOf(i, shape), from, call);
    if (group >= 0) counts[group]! += 1;
  }
  return counts;
}

function folded(rows: Rows, fold: FoldName, dtype: DType, part: GroupPart, call: GroupCall): TypedArray {
  const { outer, groups, inner } = rows;
  const size = outer * groups * inner;
  if (fold === "mean") return meansOf(rows, size);
  if (fold === "moment") return momentsOf(rows, size);
  if (fold === "count" && part.x === null) return countsOf(rows, part, call);
  if (!isPlain(fold)) return placed(rows, fold, dtype, part, call);
  const values = isWide(dtype) ? allocate(dtype, size) : new Float64Array(size);
  start(values, fold, dtype);
  foldInto(rows, values as Values, foldOf(fold, dtype, rows.skipsNaN));
  return values;
}

/** Fills with what changes nothing. */
export function start(values: TypedArray, fold: PlainFold, dtype: DType): void {
  const value = startOf(fold, dtype);
  if (infoOf(dtype).slots === 2) {
    values.fill(0 as never);
    for (let i = 0; i < values.length; i += 2) values[i] = Number(value);
  } else values.fill((isWide(dtype) ? BigInt(value) : Number(value)) as never);
}

function foldInto({ data, outer, inner, labels, groups }: Rows, result: Values, fold: Fold): void {
  for (let o = 0; o < outer; o++)
    for (let i = 0; i < labels.length; i++) {
      const group = labels[i]!;
      if (group < 0) continue;
      fold(result, (o * groups + group) * inner, data, (o * labels.length + i) * inner, inner);
    }
}

/** Σx / n of each group; 0 where there is nothing. */
function meansOf(rows: Rows, size: number): Values {
  const means = new Float64Array(size);
  foldInto(rows, means, foldOf("sum", rows.dtype, rows.skipsNaN));
  return divideByCounts(rows, means);
}

function divideByCounts(rows: Rows, values: Values): Values {
  const counts = new Float64Array(values.length);
  foldInto(rows, counts, foldOf("count", "float64", rows.skipsNaN));
  for (let i = 0; i < values.length; i++) values[i]! /= Math.max(1, counts[i]!);
  return values;
}

/** Σ(x − mean)² of each group, less (Σ(x − mean))² / n: what the mean's rounding would add. */
function momentsOf(rows: Rows, size: number): Values {
  const moments = new Float64Array(size);
  const rests = new Float64Array(size);
  const means = meansOf(rows, size);
  const { skipsNaN } = rows;
  foldInto(rows, moments, (groups, at, x, from, count) => {
    for (let j = 0; j < count; j++) {
      const apart = x[from + j]! - means[at + j]!;
      if (skipsNaN && Number.isNaN(apart) && Number.isNaN(x[from + j]!)) continue;
      groups[at + j]! += apart * apart;
      rests[at + j]! += apart;
    }
  });
  const left = divideByCounts(rows, rests.slice());
  for (let i = 0; i < moments.length; i++) moments[i]! -= rests[i]! * left[i]!;
  return moments;
}

// Folds that ask where an element stands: the first or last of a label, or where its largest or smallest is.

/** Is an element to be taken in the place of the one that is kept? */
type Better = (x: number | bigint, kept: number | bigint) => boolean;
const isNaN_ = (x: number | bigint): boolean => Number.isNaN(x);
/** The first NaN stays. */
const BETTER: { readonly [F in "argmin" | "argmax"]: Better } = {
  argmin: (x, kept) => !isNaN_(kept) && (isNaN_(x) || x < kept),
  argmax: (x, kept) => !isNaN_(kept) && (isNaN_(x) || x > kept),
};

/** For every value the place along the labels of the element that it is of; −1 where there is none. */
function keptPlaces(rows: Rows, fold: PlaceFold): Int32Array {
  const { data, outer, inner, labels, groups, skipsNaN } = rows;
  const { slots } = infoOf(rows.dtype);
  const cells = inner / slots;
  const kept = new Int32Array(outer * groups * cells).fill(-1);
  const better = fold === "argmin" || fold === "argmax" ? BETTER[fold] : null;
  const isLast = fold === "last" || fold === "lastPlace";
  for (let row = 0; row < outer * labels.length; row++) {
    const i = row % labels.length;
    if (labels[i]! < 0) continue;
    const outerAt = (row - i) / labels.length;
    for (let j = 0; j < cells; j++) {
      const at = (outerAt * groups + labels[i]!) * cells + j;
      const own = (row * cells + j) * slots;
      if (skipsNaN && (isNaN_(data[own]!) || (slots === 2 && isNaN_(data[own + 1]!)))) continue;
      const before = ((row - i + kept[at]!) * cells + j) * slots;
      if (kept[at]! < 0 || isLast || better?.(data[own]!, data[before]!) === true) kept[at] = i;
    }
  }
  return kept;
}

function placed(rows: Rows, fold: PlaceFold, dtype: DType, part: GroupPart, call: GroupCall): TypedArray {
  const kept = keptPlaces(rows, fold);
  if (fold !== "first" && fold !== "last") return placesOf(kept, part, call);
  const { slots } = infoOf(rows.dtype);
  const cells = rows.inner / slots;
  const values = isWide(dtype) ? allocate(dtype, kept.length) : new Float64Array(kept.length * slots);
  kept.forEach((place, at) => {
    if (place < 0) return;
    const outerAt = Math.floor(at / (rows.groups * cells));
    const own = ((outerAt * rows.labels.length + place) * cells + (at % cells)) * slots;
    for (let slot = 0; slot < slots; slot++) values[at * slots + slot] = rows.data[own + slot]!;
  });
  return values;
}

/** Row by row over the whole labelled axes. */
function placesOf(kept: Int32Array, { from, shape }: GroupPart, { lengths }: GroupCall): BigInt64Array {
  return BigInt64Array.from(kept, (place) => {
    if (place < 0) return NOWHERE;
    const own = placeOf(place, shape).map((p, k) => p + from[k]!);
    return BigInt(own.reduce((sum, p, k) => sum * lengths[k]! + p, 0));
  });
}
