// Moves of nested lists: each says which place of the input a place of the output is.

import {
  at,
  cast,
  type Element,
  fromEnd,
  type Index,
  make,
  type Naive,
  product,
  rank,
  seenFrom,
  unrank,
} from "./lists.ts";

/** Output place → input place. */
const moved = (x: Naive, shape: Index, from: (place: Index) => Index): Naive =>
  make(x.dtype, shape, (place) => at(x.list, from(place)));

export const broadcastTo = (x: Naive, shape: Index): Naive =>
  moved(x, shape, (place) => seenFrom(place, x.shape));

export function expandDims(x: Naive, { axis }: { axis: number | readonly number[] }): Naive {
  const ndim = x.shape.length + [axis].flat().length;
  const added = [axis].flat().map((a) => fromEnd(a, ndim));
  const rest = [...x.shape];
  const shape = Array.from({ length: ndim }, (_, a) => (added.includes(a) ? 1 : rest.shift()!));
  return moved(x, shape, (place) => place.filter((_, a) => !added.includes(a)));
}

export function squeeze(x: Naive, axis: number | readonly number[]): Naive {
  const dropped = [axis].flat().map((a) => fromEnd(a, x.shape.length));
  const shape = x.shape.filter((_, a) => !dropped.includes(a));
  return moved(x, shape, (place) => {
    const rest = [...place];
    return x.shape.map((_, a) => (dropped.includes(a) ? 0 : rest.shift()!));
  });
}

export function flip(x: Naive, { axis }: { axis?: number | readonly number[] | null } = {}): Naive {
  const axes =
    axis === null || axis === undefined
      ? x.shape.map((_, a) => a)
      : [axis].flat().map((a) => fromEnd(a, x.shape.length));
  return moved(x, x.shape, (place) => place.map((p, a) => (axes.includes(a) ? x.shape[a]! - 1 - p : p)));
}

export const permuteDims = (x: Naive, axes: Index): Naive =>
  moved(
    x,
    axes.map((a) => x.shape[a]!),
    (place) => x.shape.map((_, a) => place[axes.indexOf(a)]!),
  );

export function moveaxis(x: Naive, source: Index, destination: Index): Naive {
  const axes: (number | undefined)[] = x.shape.map(() => undefined);
  destination.forEach((to, i) => (axes[to] = source[i]!));
  const rest = x.shape.map((_, a) => a).filter((a) => !source.includes(a));
  return permuteDims(
    x,
    axes.map((a) => a ?? rest.shift()!),
  );
}

export function matrixTranspose(x: Naive): Naive {
  const axes = x.shape.map((_, a) => a);
  return permuteDims(x, [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!]);
}

export function reshape(x: Naive, shape: Index): Naive {
  const known = product(shape.filter((n) => n !== -1));
  const target = shape.map((n) => (n === -1 ? product(x.shape) / Math.max(1, known) : n));
  return moved(x, target, (place) => unrank(rank(place, target), x.shape));
}

const modulo = (x: number, n: number): number => ((x % n) + n) % n;

export function roll(x: Naive, shift: number, { axis }: { axis?: number } = {}): Naive {
  if (axis === undefined) {
    const size = product(x.shape);
    return moved(x, x.shape, (place) => unrank(modulo(rank(place, x.shape) - shift, size), x.shape));
  }
  const a = fromEnd(axis, x.shape.length);
  return moved(x, x.shape, (place) => place.with(a, modulo(place[a]! - shift, x.shape[a]!)));
}

export function repeat(
  x: Naive,
  repeats: number | readonly number[],
  { axis }: { axis?: number } = {},
): Naive {
  if (axis === undefined) return repeat(reshape(x, [-1]), repeats, { axis: 0 });
  const a = fromEnd(axis, x.shape.length);
  const counts = typeof repeats === "number" ? Array.from({ length: x.shape[a]! }, () => repeats) : repeats;
  const origin = counts.flatMap((count, i) => Array.from({ length: count }, () => i));
  return moved(x, x.shape.with(a, origin.length), (place) => place.with(a, origin[place[a]!]!));
}

export function tile(x: Naive, repetitions: readonly number[]): Naive {
  const ndim = Math.max(x.shape.length, repetitions.length);
  const ones = (list: Index): number[] => [...Array.from({ length: ndim - list.length }, () => 1), ...list];
  const [lengths, counts] = [ones(x.shape), ones(repetitions)];
  return moved(
    x,
    lengths.map((n, a) => n * counts[a]!),
    (place) => place.map((p, a) => p % lengths[a]!).slice(ndim - x.shape.length),
  );
}

interface PadOptions {
  readonly mode: string;
  readonly constantValues: Element;
}

/** Where a place outside of [0, n) comes from; null: from nowhere. */
function padded(p: number, n: number, mode: string): number | null {
  if (p >= 0 && p < n) return p;
  if (mode === "constant") return null;
  if (mode === "wrap") return modulo(p, n);
  if (mode === "edge" || n === 1) return p < 0 ? 0 : n - 1;
  const along = modulo(p, 2 * (n - 1));
  return along < n ? along : 2 * (n - 1) - along;
}

export function pad(
  x: Naive,
  widths: readonly (readonly number[])[],
  { mode, constantValues }: PadOptions,
): Naive {
  const shape = x.shape.map((n, a) => widths[a]![0]! + n + widths[a]![1]!);
  return make(x.dtype, shape, (place) => {
    const from = place.map((p, a) => padded(p - widths[a]![0]!, x.shape[a]!, mode));
    return from.includes(null) ? cast(constantValues, x.dtype) : at(x.list, from as number[]);
  });
}

export const triangle = (x: Naive, keeps: (row: number, column: number) => boolean): Naive =>
  make(x.dtype, x.shape, (place) =>
    keeps(place.at(-2)!, place.at(-1)!) ? at(x.list, place) : cast(0, x.dtype),
  );
