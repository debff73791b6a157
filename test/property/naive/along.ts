// Scans and sorting of nested lists: every line along an axis becomes another line.

import {
  at,
  cast,
  type Element,
  fromEnd,
  type Index,
  make,
  type Naive,
  type NaiveDType,
  wrap,
} from "./lists.ts";
import { accumulator } from "./reductions.ts";

/** Every line along an axis becomes another line. */
function alongAxis(x: Naive, axis: number, dtype: NaiveDType, rule: (line: Element[]) => Element[]): Naive {
  const a = fromEnd(axis, x.shape.length);
  const lineAt = (place: Index): Element[] =>
    Array.from({ length: x.shape[a]! }, (_, i) => at(x.list, place.with(a, i)));
  const length = rule(
    x.shape.includes(0) ? Array.from({ length: x.shape[a]! }, () => 0) : lineAt(x.shape.map(() => 0)),
  ).length;
  return make(dtype, x.shape.with(a, length), (place) => rule(lineAt(place.with(a, 0)))[place[a]!]!);
}

interface CumulativeOptions {
  readonly axis: number;
  readonly includeInitial?: boolean;
}

export function cumulative(x: Naive, { axis, includeInitial }: CumulativeOptions, product: boolean): Naive {
  const dtype = accumulator(x.dtype);
  return alongAxis(x, axis, dtype, (line) => {
    let running: Element = cast(product ? 1 : 0, dtype);
    const totals = line.map((value) => (running = step(running, value, dtype, product)));
    return includeInitial === true ? [cast(product ? 1 : 0, dtype), ...totals] : totals;
  });
}

function step(running: Element, value: Element, dtype: NaiveDType, product: boolean): Element {
  if (dtype === "float64") return product ? Number(running) * Number(value) : Number(running) + Number(value);
  return wrap(product ? BigInt(running) * BigInt(value) : BigInt(running) + BigInt(value), dtype);
}

/** Stable; NaN last whichever way. */
function order(line: readonly Element[], descending: boolean): number[] {
  const sign = descending ? -1 : 1;
  const compare = (a: Element, b: Element): number => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    return a < b ? -sign : a > b ? sign : 0;
  };
  return line.map((_, i) => i).sort((i, j) => compare(line[i]!, line[j]!));
}

interface SortOptions {
  readonly axis: number;
  readonly descending?: boolean;
}
export const sort = (x: Naive, { axis = -1, descending = false }: Partial<SortOptions> = {}): Naive =>
  alongAxis(x, axis, x.dtype, (line) => order(line, descending).map((i) => line[i]!));
export const argsort = (x: Naive, { axis, descending = false }: SortOptions): Naive =>
  alongAxis(x, axis, "int64", (line) => order(line, descending).map(BigInt));
