// Quantiles of lines, exactly, in bounded memory. In: lines along the last axis, quantiles between 0 and 1, and how to choose between
// two elements. Out: for each line its quantiles. Elements are selected by rank (ops/order.ts), and what lies between two is
// computed as NumPy does: a + (b − a) t below the middle and b − (b − a)(1 − t) from there on.

import { checkAxes, describe, sizeOf } from "../core/chunks.ts";
import { checkKind, type DType, infoOf, isFloat, isWide, toFloating } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import type { Expr } from "../expr/expr.ts";
import {
  DISCRETE_METHODS,
  QUANTILE_METHODS,
  type QuantileMethod,
  quantilePlace,
} from "../kernel/routines/quantilePlaces.ts";
import { castTo, node } from "../lazy/build.ts";
import type { ReduceOptions } from "../lazy/functionTypes.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import type { NDArray } from "../lazy/ndarray.ts";
import {
  add,
  divide,
  equal,
  greaterEqual,
  isnan,
  logicalNot,
  logicalOr,
  multiply,
  subtract,
  where,
} from "../ops/elementwise/index.ts";
import { LINE_BYTES, quantilePlaces, select } from "../ops/order.ts";
import { any, countNonzero } from "../ops/reductions.ts";
import { sort as sortOp, takeAlongAxis } from "../ops/routines.ts";
import { elementsByDigits } from "./byDigits.ts";
import { elementsBySamples } from "./bySamples.ts";
import { broadcastLazy, partAlong } from "./chunked.ts";
import { asarray, full } from "./functions/creation.ts";
import { concat, stack } from "./functions/joining.ts";
import { permuteDims, reshape } from "./functions/manipulation.ts";

/** Numbers between 0 and 1, or of percents to 100, in any shape. */
export type Quantiles = number | NestedNumbers | Float64Array | Float32Array | NDArray;
type NestedNumbers = readonly (number | NestedNumbers)[];

export function checkMethod(method: unknown): void {
  if (QUANTILE_METHODS.includes(method as QuantileMethod)) return;
  throw new ValueError({
    what: `method is ${describe(method)}`,
    cure: typeof method === "string" ? closest(method, QUANTILE_METHODS) : 'Use "linear"',
  });
}

/** Flat, as parts of one. */
export function valuesOf(q: Quantiles, whole: number): number[] {
  const flat: unknown[] =
    typeof q === "number"
      ? [q]
      : Array.isArray(q)
        ? (q as unknown[]).flat(Number.POSITIVE_INFINITY)
        : Array.from(("data" in q ? q.toList() : q) as ArrayLike<unknown>).flat(Number.POSITIVE_INFINITY);
  return flat.map((value) => {
    if (typeof value === "number" && value >= 0 && value <= whole) return value / whole;
    throw new ValueError({
      what: `a quantile is ${describe(value)}`,
      cure: `Use numbers between 0 and ${whole}`,
    });
  });
}

/** What is looked at together, along the last axis. */
export interface Lines {
  readonly x: LazyArray;
  /** The shape of the result, but for the quantiles. */
  readonly outer: readonly number[];
}

export function linesOf(
  array: LazyArray,
  { axis, keepdims = false }: ReduceOptions,
  isDiscrete: boolean,
): Lines {
  checkKind("realOrBool", array.dtype);
  const given = isDiscrete || array.dtype !== "bool" ? array : castTo(array, "uint8");
  const axes = checkAxes(axis, array.ndim);
  const kept = array.shape.map((_, a) => a).filter((a) => !axes.includes(a));
  const outer = array.shape.flatMap((n, a) => (axes.includes(a) ? (keepdims ? [1] : []) : [n]));
  const lengths = kept.map((a) => array.shape[a]!);
  if (lengths.length === 0) return { x: given, outer };
  const order = [...kept, ...axes];
  const moved = order.every((a, i) => a === i) ? given : permuteDims(given, order);
  return { x: axes.length === 1 ? moved : reshape(moved, [...lengths, -1]), outer };
}

export interface Asked {
  readonly values: readonly number[];
  readonly method: QuantileMethod;
  readonly skipsNaN: boolean;
  /** Ranks of lines that no task can hold may be a little off. */
  readonly approximate?: boolean;
}

/** What a quantile is computed of, with the quantiles along the last axis. */
interface Between {
  readonly previous: LazyArray;
  readonly next: LazyArray;
  readonly weights: LazyArray;
}

export type Mix = (found: Between, dtype: DType) => LazyArray;

/** With the quantiles along the last axis. Of nothing there is NaN. */
export function quantilesOf({ x, outer }: Lines, asked: Asked, mix: Mix): LazyArray {
  const isDiscrete = DISCRETE_METHODS.has(asked.method);
  const dtype = isDiscrete ? x.dtype : toFloating(x.dtype);
  const isWhole = x.ndim === 0 || sizeOf(outer) === 1;
  const length = isWhole ? x.size : x.shape.at(-1)!;
  const lines = isWhole ? [] : x.shape.slice(0, -1);
  const shape = [...lines, asked.values.length];
  if (length === 0 || sizeOf(shape) === 0) {
    if (isFloat(dtype) || sizeOf(shape) === 0) return full(shape, isFloat(dtype) ? Number.NaN : 0, { dtype });
    throw new ValueError({ what: "there are no elements", cure: "Take quantiles of arrays that have some" });
  }
  const canSkip = asked.skipsNaN && isFloat(x.dtype);
  const places = canSkip ? lazyPlaces(x, isWhole, asked) : knownPlaces(x, lines, length, asked);
  const [previous, next] = pairsAt(x, places.ranks, isWhole, asked);
  return isDiscrete ? previous : mix({ previous, next, weights: places.weights }, dtype);
}

/** Ranks in pairs, and one weight for each pair. */
interface Places {
  readonly ranks: LazyArray;
  readonly weights: LazyArray;
}

/** Ranks are data, and data are never the same twice: of one array the same ranks are. */
const known = new WeakMap<Expr, Map<string, Places>>();

function knownPlaces(x: LazyArray, lines: readonly number[], length: number, asked: Asked): Places {
  const found = known.get(x.expr) ?? new Map<string, Places>();
  known.set(x.expr, found);
  const key = `${asked.method} ${lines} ${asked.values}`;
  const places = found.get(key) ?? placesOf(lines, length, asked);
  found.set(key, places);
  return places;
}

/** The same for all lines. */
function placesOf(lines: readonly number[], length: number, { values, method }: Asked): Places {
  const places = values.map((q) => quantilePlace(method, length, q));
  const ranks = BigInt64Array.from(places.flatMap(({ previous, next }) => [BigInt(previous), BigInt(next)]));
  const weights = Float64Array.from(places, ({ weight }) => weight);
  const spread = (list: LazyArray): LazyArray => broadcastLazy(list, [...lines, list.shape[0]!]);
  return { ranks: spread(asarray(ranks)), weights: spread(asarray(weights)) };
}

/** Of as many elements as are not NaN. */
function lazyPlaces(x: LazyArray, isWhole: boolean, { values, method }: Asked): Places {
  const counts = countNonzero(logicalNot(isnan(x)), isWhole ? {} : { axis: -1 });
  const part = (part: string): LazyArray => node(quantilePlaces, [counts], { q: [...values], method, part });
  return { ranks: part("ranks"), weights: part("weights") };
}

/** Elements of the first ranks of all pairs, and of the second ones. */
function pairsAt(x: LazyArray, ranks: LazyArray, isWhole: boolean, asked: Asked): [LazyArray, LazyArray] {
  const finding = { poison: !asked.skipsNaN, approximate: asked.approximate === true };
  return inPairs((isWhole ? elementsOfAll : elementsOfEach)(x, ranks, finding));
}

interface Finding {
  /** A NaN anywhere is what is found. */
  readonly poison: boolean;
  readonly approximate: boolean;
}

/** The first and the second of every two along the last axis. */
export function inPairs(found: LazyArray): [LazyArray, LazyArray] {
  const pairs = reshape(found, [...found.shape.slice(0, -1), -1, 2]);
  const part = (at: number): LazyArray => {
    const one = partAlong(pairs, pairs.ndim - 1, at, 1);
    return reshape(one, one.shape.slice(0, -1));
  };
  return [part(0), part(1)];
}

/** Longer lines are looked at as whole arrays are, one by one, if they are few. */
const LONG_LINE_BYTES = 64 << 20;
const FEW_LINES = 64;

function elementsOfEach(x: LazyArray, ranks: LazyArray, finding: Finding): LazyArray {
  const length = x.shape.at(-1)!;
  const count = x.size / length;
  const isLong = length * infoOf(x.dtype).bytes > LONG_LINE_BYTES && count <= FEW_LINES;
  if (!isLong) return elementsOfLines(x, ranks, finding.poison);
  const [lines, wanted] = [reshape(x, [count, length]), reshape(ranks, [count, -1])];
  const lineOf = (array: LazyArray, at: number): LazyArray => reshape(partAlong(array, 0, at, 1), [-1]);
  const found = Array.from({ length: count }, (_, at) =>
    elementsOfAll(lineOf(lines, at), lineOf(wanted, at), finding),
  );
  return reshape(stack(found), ranks.shape);
}

/** Of more ranks the line is sorted. */
const MOST_SELECTED = 32;

function elementsOfLines(x: LazyArray, ranks: LazyArray, poison: boolean): LazyArray {
  if (ranks.shape.at(-1)! <= MOST_SELECTED) return node(select, [x, ranks], { poison });
  const axis = x.ndim - 1;
  const sorted = node(sortOp, [x], { axis, descending: false });
  const found = node(takeAlongAxis, [sorted, ranks], { axis });
  const positive = add(found, 0);
  return poison && isFloat(x.dtype)
    ? where(any(isnan(x), { axis, keepdims: true }), Number.NaN, positive)
    : positive;
}

/** So many ranks at a time: each has counts of its own. */
const RANKS_TOGETHER = 8;

/** Of all elements there are: of few as a line, of more by digits. */
function elementsOfAll(x: LazyArray, ranks: LazyArray, { poison, approximate }: Finding): LazyArray {
  if (x.size * infoOf(x.dtype).bytes <= LINE_BYTES) return elementsOfLines(reshape(x, [-1]), ranks, poison);
  if (approximate) return elementsBySamples(x, ranks, poison);
  const parts: LazyArray[] = [];
  for (let from = 0; from < ranks.shape[0]!; from += RANKS_TOGETHER) {
    const count = Math.min(RANKS_TOGETHER, ranks.shape[0]! - from);
    parts.push(elementsByDigits(x, partAlong(ranks, 0, from, count), poison));
  }
  return parts.length === 1 ? parts[0]! : concat(parts);
}

/** Equal elements, and those of weight 0, are what they are: infinities too. */
export function interpolated({ previous, next, weights }: Between, dtype: DType): LazyArray {
  const [a, b] = [castTo(previous, dtype), castTo(next, dtype)];
  const apart = distance(previous, next, dtype);
  const weight = castTo(weights, dtype);
  const rest = castTo(subtract(1, weights), dtype);
  const mixed = where(
    greaterEqual(weights, 0.5),
    subtract(b, multiply(apart, rest)),
    add(a, multiply(apart, weight)),
  );
  return where(logicalOr(equal(previous, next), equal(weights, 0)), a, mixed);
}

/** next − previous, rounded once: between 64-bit integers lies more than they can say. */
function distance(previous: LazyArray, next: LazyArray, dtype: DType): LazyArray {
  const [a, b] = isWide(previous.dtype)
    ? [castTo(previous, "uint64"), castTo(next, "uint64")]
    : [castTo(previous, dtype), castTo(next, dtype)];
  return castTo(subtract(b, a), dtype);
}

/** The mean of the two in the middle. Halves are added up as what they are computed in. */
export function meanOfBoth({ previous, next, weights }: Between, dtype: DType): LazyArray {
  const [a, b] = [previous, next].map((x) => castTo(castTo(x, dtype), infoOf(dtype).computesIn));
  return castTo(where(equal(weights, 0), a!, divide(add(a!, b!), 2)), dtype);
}

export const MIDDLE = { values: [0.5], method: "linear" } as const;
