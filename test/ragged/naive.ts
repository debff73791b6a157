// What operations mean, written down on JavaScript lists as simply as can be: one recursion over values each, nothing
// shared with the code under test.

import type { Nested } from "./arbitrary.ts";

type List = readonly Nested[];
const isArray = (value: Nested): value is List => Array.isArray(value);

/** Applies a function to every list (or null) at a level: 0 is the whole. */
function atLevel(value: Nested, level: number, f: (list: List) => Nested): Nested {
  if (value === null) return null;
  if (level === 0) return f(value as List);
  return (value as List).map((child) => atLevel(child, level - 1, f));
}

/** Along axis 0 of `rows`, whose elements have `depth` axes of their own. */
function overlay(
  rows: List,
  depth: number,
  f: (values: Nested[], places: number[]) => Nested,
  places?: number[],
): Nested {
  const numbered = rows.map((row, i) => [row, places?.[i] ?? i] as const).filter(([row]) => row !== null);
  if (depth === 0)
    return f(
      numbered.map(([row]) => row),
      numbered.map(([, i]) => i),
    );
  const longest = Math.max(0, ...numbered.map(([row]) => (row as List).length));
  return Array.from({ length: longest }, (_, j) => {
    const having = numbered.filter(([row]) => (row as List).length > j);
    return overlay(
      having.map(([row]) => (row as List)[j]!),
      depth - 1,
      f,
      having.map(([, i]) => i),
    );
  });
}

export const reduce = (
  x: List,
  depth: number,
  axis: number,
  f: (values: Nested[], places: number[]) => Nested,
): Nested => atLevel(x, axis, (list) => overlay(list, depth - 1 - axis, f));

/** The same with the axis kept, as lists of one element. */
export const reduceKept = (
  x: List,
  depth: number,
  axis: number,
  f: (values: Nested[], places: number[]) => Nested,
): Nested => atLevel(x, axis, (list) => [overlay(list, depth - 1 - axis, f)]);

export const REDUCERS: { readonly [name: string]: (values: Nested[], places: number[]) => Nested } = {
  sum: (values) => (values as number[]).reduce((a, b) => a + b, 0),
  prod: (values) => (values as number[]).reduce((a, b) => a * b, 1),
  min: (values) => (values.length === 0 ? null : Math.min(...(values as number[]))),
  max: (values) => (values.length === 0 ? null : Math.max(...(values as number[]))),
  argmin: (values, places) => placeOf(values, places, Math.min(...(values as number[]))),
  argmax: (values, places) => placeOf(values, places, Math.max(...(values as number[]))),
  count: (values) => values.length,
  countNonzero: (values) => values.filter((value) => value !== 0).length,
  any: (values) => values.some((value) => value !== 0),
  all: (values) => values.every((value) => value !== 0),
  mean: (values) => meanOf(values as number[]),
  var: (values) => varOf(values as number[]),
  std: (values) => Math.sqrt(varOf(values as number[])),
};

const placeOf = (values: Nested[], places: number[], wanted: number): Nested =>
  values.length === 0 ? null : places[values.indexOf(wanted)]!;
const meanOf = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const varOf = (values: number[]): number => meanOf(values.map((value) => (value - meanOf(values)) ** 2));

/** All values without structure. */
export function leaves(x: Nested, keepsNulls: boolean): Nested[] {
  if (x === null) return keepsNulls ? [null] : [];
  return isArray(x) ? x.flatMap((child) => leaves(child, keepsNulls)) : [x];
}

export function flatten(x: List, axis: number): Nested {
  if (axis === 0) return x.filter((row) => row !== null);
  return atLevel(x, axis - 1, (list) => list.flatMap((child) => (child === null ? [] : (child as List))));
}

export const num = (x: List, axis: number): Nested =>
  axis === 0 ? x.length : atLevel(x, axis, (list) => list.length);
export const localIndex = (x: List, axis: number): Nested =>
  atLevel(x, axis, (list) => list.map((_, i) => i));
export const firsts = (x: List): Nested =>
  atLevel(x, 0, (rows) => rows.map((row) => (row as List | null)?.[0] ?? null));
export const singletons = (x: List): Nested => x.map((row) => (row === null ? [] : [row]));
export const isNone = (x: List, axis: number): Nested =>
  atLevel(x, axis, (list) => list.map((value) => value === null));
export const dropNone = (x: List, axis: number): Nested =>
  atLevel(x, axis, (list) => list.filter((value) => value !== null));

export const padNone = (x: List, axis: number, target: number, clip: boolean): Nested =>
  atLevel(x, axis, (list) => {
    const padded = [...list, ...Array.from({ length: Math.max(0, target - list.length) }, () => null)];
    return clip ? padded.slice(0, target) : padded;
  });

export const fillNone = (x: List, axis: number, value: Nested): Nested =>
  atLevel(x, axis, (list) => list.map((item) => (item === null ? value : item)));

const compare = (a: Nested, b: Nested): number => (a! < b! ? -1 : a! > b! ? 1 : 0);

/** Innermost lists: values in order, nulls at the end. */
export function sorted(list: List, ascending: boolean): Nested[] {
  const values = list
    .filter((value) => value !== null)
    .sort((a, b) => (ascending ? compare(a, b) : compare(b, a)));
  return [...values, ...list.filter((value) => value === null)];
}

export function sortedPlaces(list: List, ascending: boolean): Nested[] {
  const places = list.map((_, i) => i);
  const valid = places.filter((i) => list[i] !== null);
  valid.sort((i, j) => (ascending ? compare(list[i]!, list[j]!) : compare(list[j]!, list[i]!)) || i - j);
  return [...valid, ...places.filter((i) => list[i] === null)];
}

export const alongLast = (x: List, depth: number, f: (list: List) => Nested): Nested =>
  atLevel(x, depth - 1, f);

export function combinations(list: List, n: number, replacement: boolean): Nested[] {
  if (n === 0) return [[]];
  return list.flatMap((first, i) =>
    combinations(list.slice(replacement ? i : i + 1), n - 1, replacement).map((rest) => [
      first,
      ...(rest as List),
    ]),
  );
}

export function product(lists: readonly List[]): Nested[] {
  const [first, ...rest] = lists;
  if (first === undefined) return [[]];
  return first.flatMap((value) => product(rest).map((others) => [value, ...(others as List)]));
}

export function runLengths(list: List): Nested[] {
  const runs: number[] = [];
  list.forEach((value, i) => {
    if (i > 0 && list[i - 1] === value) runs[runs.length - 1]!++;
    else runs.push(1);
  });
  return runs;
}

/** Elementwise: lists are matched, what is no list goes to every element, null to null. */
export function elementwise(f: (...values: never[]) => Nested, ...operands: Nested[]): Nested {
  if (operands.some((operand) => operand === null)) return null;
  const list = operands.find(isArray);
  if (list === undefined) return f(...(operands as never[]));
  return list.map((_, i) =>
    elementwise(f, ...operands.map((operand) => (isArray(operand) ? operand[i]! : operand))),
  );
}

/** x.slice as Python has it. */
export function range(list: List, start: number | null, stop: number | null, step: number): Nested[] {
  const places = list.map((_, i) => i);
  const clamp = (bound: number | null, missing: number): number =>
    bound === null ? missing : bound < 0 ? bound + list.length : bound;
  const from = clamp(start, step > 0 ? 0 : list.length - 1);
  const to = stop === null ? (step > 0 ? list.length : -1) : Math.max(clamp(stop, 0), step > 0 ? 0 : -1);
  const out: Nested[] = [];
  const first = step > 0 ? Math.max(from, 0) : Math.min(from, list.length - 1);
  for (let at = first; step > 0 ? at < to : at > to; at += step) if (places.includes(at)) out.push(list[at]!);
  return out;
}
