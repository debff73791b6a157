// Reductions, scans and sorting of nested lists: the elements of every line are collected and gone through.

import { elementwise } from "./calls.ts";
import {
  at,
  cast,
  type Element,
  fromEnd,
  type Index,
  make,
  type Naive,
  type NaiveDType,
  placesOf,
  wrap,
} from "./lists.ts";

export interface ReduceOptions {
  readonly axis?: number | readonly number[] | null;
  readonly keepdims?: boolean;
}

function axesOf(axis: ReduceOptions["axis"], ndim: number): number[] {
  if (axis === null || axis === undefined) return Array.from({ length: ndim }, (_, a) => a);
  return [axis]
    .flat()
    .map((a) => fromEnd(a, ndim))
    .sort((a, b) => a - b);
}

/** One result for the list of elements of every line, in row-major order. */
function reduce(
  x: Naive,
  options: ReduceOptions,
  dtype: NaiveDType,
  rule: (line: Element[]) => Element,
): Naive {
  const axes = axesOf(options.axis, x.shape.length);
  const kept = x.shape.map((n, axis) => (axes.includes(axis) ? 1 : n));
  const shape = options.keepdims === true ? kept : kept.filter((_, axis) => !axes.includes(axis));
  const inner = placesOf(axes.map((axis) => x.shape[axis]!));
  return make(dtype, shape, (place) => {
    const rest = options.keepdims === true ? place.filter((_, axis) => !axes.includes(axis)) : place;
    return rule(inner.map((along) => at(x.list, interleave(x.shape.length, axes, along, rest))));
  });
}

/** The place whose coordinates along `axes` are `along` and elsewhere, in order, `rest`. */
function interleave(ndim: number, axes: Index, along: Index, rest: Index): number[] {
  let next = 0;
  return Array.from({ length: ndim }, (_, axis) =>
    axes.includes(axis) ? along[axes.indexOf(axis)]! : rest[next++]!,
  );
}

export const accumulator = (dtype: NaiveDType): NaiveDType => (dtype === "float64" ? dtype : "int64");

/** −0 when every element is −0, as IEEE addition has it; nothing adds up to 0. Other sums are exact (writer.ts). */
const floatSum = (line: readonly Element[]): number =>
  line.length === 0 ? 0 : line.map(Number).reduce((a, b) => a + b);
const floatProduct = (line: readonly Element[]): number => line.map(Number).reduce((a, b) => a * b, 1);
const wholeSum = (line: readonly Element[]): bigint => line.map(BigInt).reduce((a, b) => a + b, 0n);
const wholeProduct = (line: readonly Element[]): bigint => line.map(BigInt).reduce((a, b) => a * b, 1n);

export function sum(x: Naive, options: ReduceOptions): Naive {
  const dtype = accumulator(x.dtype);
  return reduce(x, options, dtype, dtype === "float64" ? floatSum : (line) => wrap(wholeSum(line), dtype));
}

export function prod(x: Naive, options: ReduceOptions): Naive {
  const dtype = accumulator(x.dtype);
  return reduce(
    x,
    options,
    dtype,
    dtype === "float64" ? floatProduct : (line) => wrap(wholeProduct(line), dtype),
  );
}

export const mean = (x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, "float64", (line) => floatSum(line) / line.length);

/** NaN counts as what changes nothing. */
const without = (line: readonly Element[], neutral: number): Element[] =>
  line.map((x) => (Number.isNaN(x) ? neutral : x));
const isNumber = (x: Element): boolean => !Number.isNaN(x);

export const nansum = (x: Naive, options: ReduceOptions): Naive => sum(replaced(x, 0), options);
export const nanprod = (x: Naive, options: ReduceOptions): Naive => prod(replaced(x, 1), options);
const replaced = (x: Naive, neutral: number): Naive =>
  make(x.dtype, x.shape, (place) => without([at(x.list, place)], neutral)[0]!);
export const nanmean = (x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, "float64", (line) => floatSum(without(line, 0)) / line.filter(isNumber).length);
export const nanExtreme = (name: "maximum" | "minimum", x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, x.dtype, (line) => {
    const numbers = line.filter(isNumber);
    return numbers.length === 0 ? NaN : numbers.reduce((a, b) => better(name, x.dtype, a, b));
  });

export const extreme = (name: "maximum" | "minimum", x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, x.dtype, (line) => line.reduce((a, b) => better(name, x.dtype, a, b)));

const better = (name: string, dtype: NaiveDType, a: Element, b: Element): Element =>
  elementwise(name, [make(dtype, [], () => a), make(dtype, [], () => b)]).list as Element;

const isTrue = (x: Element): boolean => cast(x, "bool") as boolean;
export const any = (x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, "bool", (line) => line.some(isTrue));
export const all = (x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, "bool", (line) => line.every(isTrue));
export const countNonzero = (x: Naive, options: ReduceOptions): Naive =>
  reduce(x, options, "int64", (line) => BigInt(line.filter(isTrue).length));

/** The first NaN, else the first of the equal extremes. */
export const argExtreme = (
  x: Naive,
  options: ReduceOptions,
  wins: (a: Element, b: Element) => boolean,
): Naive =>
  reduce(x, options, "int64", (line) => {
    const nan = line.findIndex((value) => Number.isNaN(value));
    if (nan >= 0) return BigInt(nan);
    return BigInt(line.reduce<number>((best, value, i) => (wins(value, line[best]!) ? i : best), 0));
  });
