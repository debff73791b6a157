// Nested lists as arrays, with nothing of the library: what the naive evaluator computes with.
// An array of shape [] is its one element. Shapes are kept apart, because an empty list does not know its own.

export type Element = number | bigint | boolean;
export type Nested = Element | Nested[];
export type Index = readonly number[];

export type NaiveDType = "bool" | "int32" | "int64" | "float64";

export interface Naive {
  readonly dtype: NaiveDType;
  readonly shape: Index;
  readonly list: Nested;
}

/** The element at a place. */
export function at(list: Nested, place: Index): Element {
  let level = list;
  for (const x of place) level = (level as Nested[])[x]!;
  return level as Element;
}

/** A nested list from a rule for its places. */
export function tabulate(shape: Index, rule: (place: Index) => Element): Nested {
  const build = (place: Index): Nested => {
    if (place.length === shape.length) return rule(place);
    return Array.from({ length: shape[place.length]! }, (_, i) => build([...place, i]));
  };
  return build([]);
}

export const make = (dtype: NaiveDType, shape: Index, rule: (place: Index) => Element): Naive => ({
  dtype,
  shape,
  list: tabulate(shape, rule),
});

/** All places in row-major order. */
export function placesOf(shape: Index): Index[] {
  if (shape.length === 0) return [[]];
  const rest = placesOf(shape.slice(1));
  return Array.from({ length: shape[0]! }, (_, i) => rest.map((place) => [i, ...place])).flat();
}

export const flat = ({ list, shape }: Naive): Element[] => placesOf(shape).map((place) => at(list, place));

export const product = (list: Index): number => list.reduce((a, b) => a * b, 1);

/** The row-major number of a place, and back. */
export const rank = (place: Index, shape: Index): number =>
  place.reduce((sum, x, axis) => sum * shape[axis]! + x, 0);
export function unrank(number: number, shape: Index): number[] {
  const place: number[] = [];
  let rest = number;
  for (const length of shape.toReversed()) {
    place.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return place;
}

export const fromEnd = (axis: number, ndim: number): number => (axis < 0 ? axis + ndim : axis);

/** NumPy's broadcasting of several shapes. */
export function commonShape(shapes: readonly Index[]): number[] {
  const ndim = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: ndim }, (_, axis) => {
    const lengths = shapes.map((shape) => shape[axis - (ndim - shape.length)] ?? 1);
    return lengths.find((n) => n !== 1) ?? 1;
  });
}

/** The place in a smaller array that a place of the common shape sees. */
export const seenFrom = (place: Index, shape: Index): number[] =>
  shape.map((n, axis) => (n === 1 ? 0 : place[place.length - shape.length + axis]!));

// ---- elements ----

const RANKS: readonly NaiveDType[] = ["bool", "int32", "int64", "float64"];
export const meet = (a: NaiveDType, b: NaiveDType): NaiveDType =>
  RANKS[Math.max(RANKS.indexOf(a), RANKS.indexOf(b))]!;

/** A value as a dtype holds it: integers wrap, floats are cut and held within the range, NaN is 0. */
export function cast(value: Element, dtype: NaiveDType): Element {
  if (dtype === "bool") return Boolean(Number.isNaN(value) || value);
  if (dtype === "float64") return Number(value);
  const bits = dtype === "int32" ? 32 : 64;
  const whole = typeof value === "number" ? clamped(value, bits) : BigInt.asIntN(bits, BigInt(value));
  return dtype === "int32" ? Number(whole) : whole;
}

function clamped(value: number, bits: number): bigint {
  const high = 2n ** BigInt(bits - 1) - 1n;
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** (bits - 1)) return high;
  return value <= -(2 ** (bits - 1)) ? -high - 1n : BigInt(Math.trunc(value));
}

/** Arithmetic on integers of any width, exact and then wrapped. */
export const wrap = (value: bigint, dtype: NaiveDType): Element =>
  dtype === "int32" ? Number(BigInt.asIntN(32, value)) : BigInt.asIntN(64, value);
