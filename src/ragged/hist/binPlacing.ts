// In which bin each value of a column lies. In: an axis, and a column of numbers or texts without nulls, or one value for all. Out:
// places with the flow, some at a time; −1 for what is not counted. Labels that a growing axis does not have yet are added to it
// in the order in which they come.

import { DTypeError } from "../../core/errors.ts";
import { instantOfText, valueOfExact } from "../../core/form/exactNumbers.ts";
import { logicalOf, logicalText, measureOf } from "../../core/form/logical.ts";
import { placesInBins } from "../../kernel/routines/bins.ts";
import { castFlat } from "../layout/flat.ts";
import type { Leaf, StringLayout } from "../layout/layout.ts";
import { asFloats } from "../ops/exactOps.ts";
import { type AxisSpec, binsOf, type CategoryAxis, type EdgedAxis, edgesOf, underOf } from "./axes.ts";

/** A column, or one value for all. */
export type Column = Leaf | number | string | boolean;
export const isColumn = (value: Column): value is Leaf => typeof value === "object";

/** Places of the elements from `from` on, as many as `out` has. */
export type Placing = (from: number, out: Int32Array) => void;

// Labels as bytes: texts are looked up where they lie, and no JavaScript string is made of one that is known.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}

function isSame(bytes: Uint8Array, from: number, to: number, label: Uint8Array): boolean {
  if (to - from !== label.length) return false;
  for (let i = 0; i < label.length; i++) if (bytes[from + i] !== label[i]) return false;
  return true;
}

/** The labels of an axis, and where they are. */
export class Labels {
  readonly texts: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #byHash = new Map<number, number[]>();
  readonly #byNumber = new Map<number, number>();
  readonly #grows: boolean;
  readonly #other: number;

  constructor({ labels, growth, overflow }: CategoryAxis) {
    for (const label of labels) this.placeOfText(label, true);
    this.#grows = growth;
    this.#other = overflow ? labels.length : -1;
  }

  placeOfText(text: string, grows?: boolean): number {
    const bytes = encoder.encode(text);
    return this.placeOfBytes(bytes, 0, bytes.length, grows);
  }

  placeOfBytes(bytes: Uint8Array, from: number, to: number, grows: boolean = this.#grows): number {
    const hash = hashOf(bytes, from, to);
    const found = this.#byHash.get(hash) ?? [];
    for (const place of found) if (isSame(bytes, from, to, this.#bytes[place]!)) return place;
    if (!grows) return this.#other;
    const own = bytes.slice(from, to);
    this.#byHash.set(hash, [...found, this.texts.length]);
    this.#bytes.push(own);
    return this.texts.push(decoder.decode(own)) - 1;
  }

  placeOfNumber(value: number): number {
    let place = this.#byNumber.get(value);
    if (place === undefined) {
      place = this.placeOfText(String(value));
      this.#byNumber.set(value, place);
    }
    return place;
  }
}

/** The whole column at once: its labels are all known then. */
export function labelPlaces(axis: CategoryAxis, column: Column, labels: Labels, length: number): Int32Array {
  const places = new Int32Array(length);
  if (!isColumn(column)) return places.fill(labels.placeOfText(labelText(axis, column)));
  if (column.kind === "empty") return places;
  const isText = column.kind === "string" && column.encoding === "utf8";
  const isWhole = column.kind === "numpy" && /int|bool/.test(column.dtype) && logicalOf(column) === null;
  if (axis.of === "string" ? !isText : !isWhole)
    throw new DTypeError({
      what: `the axis ${nameText(axis)} counts ${axis.of === "string" ? "texts" : "whole numbers"}, not ${columnText(column)}`,
      cure:
        axis.of === "string" ? "Use axis.intCategory for whole numbers" : "Use axis.strCategory for texts",
    });
  if (column.kind === "string") textPlaces(column, labels, places);
  else numberPlaces(castFlat(column, "float64").data as Float64Array, labels, places, axis.of === "boolean");
  return places;
}

function textPlaces({ bytes, offsets }: StringLayout, labels: Labels, places: Int32Array): void {
  for (let i = 0; i < places.length; i++)
    places[i] = labels.placeOfBytes(bytes, offsets[i]!, offsets[i + 1]!);
}

function numberPlaces(data: Float64Array, labels: Labels, places: Int32Array, isBoolean: boolean): void {
  for (let i = 0; i < places.length; i++)
    places[i] = isBoolean ? Number(data[i] !== 0) : labels.placeOfNumber(data[i]!);
}

function labelText({ of }: CategoryAxis, value: number | string | boolean): string {
  return of === "boolean" ? String(Boolean(value)) : String(value);
}

/** Of an axis with edges. */
export function edgedPlacing(axis: EdgedAxis, column: Column): Placing {
  const edges = edgesOf(axis);
  const isUniform = axis.kind === "integer" || (axis.kind === "regular" && axis.transform === null);
  const isCircular = axis.kind === "regular" && axis.circular;
  const values = isColumn(column)
    ? numbersFor(axis, column)
    : Float64Array.of(numberFor(axis, column as number));
  const some = (from: number, count: number): Float64Array =>
    isColumn(column) ? values.subarray(from, from + count) : new Float64Array(count).fill(values[0]!);
  return (from, out) => {
    const part = isCircular ? turned(some(from, out.length), edges) : some(from, out.length);
    placesInBins(out, part, edges, isUniform, "float64");
    withFlow(axis, part, edges, out);
  };
}

/** x − n · (stop − start), for the n that brings it between them. */
function turned(values: Float64Array, edges: Float64Array): Float64Array {
  const [first, last] = [edges[0]!, edges[edges.length - 1]!];
  const width = last - first;
  return values.map((x) => {
    const inside = x - Math.floor((x - first) / width) * width;
    return inside >= last ? first : inside;
  });
}

/** The routine gives −1 outside, and the last edge to the last bin. */
function withFlow(axis: EdgedAxis, values: Float64Array, edges: Float64Array, places: Int32Array): void {
  const [first, last] = [edges[0]!, edges[edges.length - 1]!];
  const before = underOf(axis);
  const under = axis.underflow ? 0 : -1;
  const over = axis.overflow ? before + binsOf(axis) : -1;
  for (let i = 0; i < places.length; i++) {
    const value = values[i]!;
    if (value < first) places[i] = under;
    else if (value < last) places[i] = places[i]! + before;
    else places[i] = over;
  }
}

/** Milliseconds where the axis is of time; the value of decimals elsewhere. */
function numbersFor(axis: EdgedAxis, column: Leaf): Float64Array {
  if (column.kind === "empty") return new Float64Array(0);
  const logical = logicalOf(column);
  const measure = logical === null ? null : measureOf(logical);
  const isInstant = measure?.dimension === "instant" && column.kind === "numpy";
  if ((axis.kind === "datetime") !== isInstant || (column.kind === "string" && logical?.kind !== "decimal"))
    throw new DTypeError({
      what: `the axis ${nameText(axis)} counts ${axis.kind === "datetime" ? "dates and timestamps" : "numbers"}, not ${columnText(column)}`,
      cure: axis.kind === "datetime" ? 'Use valuesAstype(x, "timestamp[ms]")' : cureFor(column),
    });
  if (!isInstant) {
    const numbers = asFloats(column);
    if (typeof numbers === "object" && "kind" in numbers)
      return castFlat(numbers, "float64").data as Float64Array;
  }
  const stored = castFlat(column as Extract<Leaf, { kind: "numpy" }>, "float64").data as Float64Array;
  const perUnit = (measure!.factor * 1000) / 10 ** measure!.exponent;
  return perUnit === 1 ? stored : stored.map((n) => n * perUnit);
}

const cureFor = (column: Leaf): string =>
  column.kind === "string" ? "Use axis.strCategory for texts" : "Use axis.datetime for dates and timestamps";

/** Of one value; a text at an axis of time is a date. */
function numberFor(axis: EdgedAxis, value: number | string | boolean): number {
  if (typeof value !== "string") return Number(value);
  const instant = axis.kind === "datetime" ? instantOfText(value) : null;
  if (instant !== null) return 1000 * Number(valueOfExact(instant));
  throw new DTypeError({
    what: `the axis ${nameText(axis)} cannot count ${JSON.stringify(value)}`,
    cure: axis.kind === "datetime" ? 'Write it as "2024-02-29"' : "Use axis.strCategory for texts",
  });
}

export const nameText = ({ name }: AxisSpec): string => JSON.stringify(name);

function columnText(column: Leaf): string {
  const logical = logicalOf(column);
  if (logical !== null) return logicalText(logical);
  return column.kind === "numpy" ? column.dtype : column.kind === "string" ? "texts" : "nothing";
}
