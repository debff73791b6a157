// Arbitrary arrays: dtypes, shapes from 0-d to 4-d with empty and size-1 axes, values with all the special ones,
// chunkings, memory layouts. Arrays are small: MAX_SIZE elements.

import * as cw from "chunkwise";
import fc from "fast-check";
import { allocate, DTYPES, type DType, infoOf, isFloat, isWide } from "../../src/core/dtype.ts";
import { integerRange } from "../../src/core/numbers.ts";
import { Cut, type Source } from "./program.ts";

export const MAX_SIZE = 48;
/** No program is to run more tasks per operation than this. */
const MAX_CHUNKS = 20;

export const dtypes: fc.Arbitrary<DType> = fc.constantFrom(...DTYPES);

/** Lengths mostly 1 to 4, sometimes more, seldom 0; later axes are cut where there would be too many elements. */
const lengths = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 4 }), weight: 14 },
  { arbitrary: fc.integer({ min: 5, max: 9 }), weight: 3 },
  { arbitrary: fc.integer({ min: 10, max: 40 }), weight: 2 },
  { arbitrary: fc.constant(0), weight: 1 },
);
const dimensions = fc.constantFrom(2, 1, 3, 2, 4, 1, 3, 0);

export const shapes: fc.Arbitrary<number[]> = dimensions
  .chain((ndim) => fc.array(lengths, { minLength: ndim, maxLength: ndim }))
  .map((list) => {
    let room = MAX_SIZE;
    return list.map((n) => {
      const length = Math.min(n, room);
      room = Math.floor(room / Math.max(1, length));
      return length;
    });
  });

// ---- values ----

const DOUBLES = [
  0,
  -0,
  1,
  -1,
  0.5,
  -2.5,
  NaN,
  Infinity,
  -Infinity,
  5e-324,
  -5e-324,
  2 ** -1022,
  Number.MAX_VALUE,
];
const SINGLES = [
  0,
  -0,
  1,
  -1,
  0.5,
  -2.5,
  NaN,
  Infinity,
  -Infinity,
  2 ** -149,
  -(2 ** -149),
  2 ** -126,
  3.4e38,
];
const wholes = fc.integer({ min: -8, max: 8 });

const float64s = fc.oneof(
  wholes,
  fc.constantFrom(...DOUBLES),
  fc.double({ min: -1e3, max: 1e3 }),
  fc.double(),
);
const float32s = fc
  .oneof(wholes, fc.constantFrom(...SINGLES), fc.float({ min: -1e3, max: 1e3 }), fc.float())
  .map(Math.fround);

function integers(dtype: DType): fc.Arbitrary<bigint> {
  const [min, max] = integerRange(dtype);
  const small = fc.bigInt({ min: min < 0n ? -9n : 0n, max: 9n });
  return fc.oneof(small, fc.constantFrom(min, max, min + 1n, max - 1n), fc.bigInt({ min, max }));
}

/** One slot of a typed array: a complex number is two of them. */
export function slots(dtype: DType): fc.Arbitrary<number | bigint> {
  if (dtype === "bool") return fc.constantFrom(0, 1);
  const { part } = infoOf(dtype);
  if (isFloat(part)) return part === "float64" ? float64s : float32s;
  return isWide(dtype) ? integers(dtype) : integers(dtype).map(Number);
}

// ---- chunks and layouts ----

/** A chunk shape from any numbers; not too many chunks. */
export function cutOf(shape: readonly number[], numbers: readonly number[]): Cut {
  const chunks = shape.map((n, axis) => 1 + ((numbers[axis] ?? 0) % Math.max(1, n)));
  const count = (): number => shape.reduce((product, n, axis) => product * Math.ceil(n / chunks[axis]!), 1);
  for (let axis = 0; count() > MAX_CHUNKS; axis = (axis + 1) % shape.length) {
    chunks[axis] = Math.min(Math.max(1, shape[axis]!), 2 * chunks[axis]!);
  }
  return new Cut(chunks);
}

export const chunkings = (shape: readonly number[]): fc.Arbitrary<Cut> =>
  fc
    .array(fc.nat({ max: 8 }), { minLength: shape.length, maxLength: shape.length })
    .map((list) => cutOf(shape, list));

const LAYOUTS = ["rows", "columns", "backwards"] as const;
type Layout = (typeof LAYOUTS)[number];

/** Row-major memory read in another way: the same list of slots, other elements at each place. */
function laidOut(data: cw.TypedArray, shape: readonly number[], dtype: DType, layout: Layout): cw.NDArray {
  const plain = new cw.NDArray(data, shape, dtype);
  if (layout === "rows" || plain.size === 0) return plain;
  if (layout === "backwards")
    return new cw.NDArray(
      data,
      shape,
      dtype,
      plain.strides.map((s) => -s),
      plain.size - 1,
    );
  const strides = new cw.NDArray(data, shape.toReversed(), dtype).strides.toReversed();
  return new cw.NDArray(data, shape, dtype, strides);
}

/** A source of a given type. */
export function sources(
  dtype: DType,
  shape: readonly number[],
  slot: (dtype: DType) => fc.Arbitrary<number | bigint> = slots,
): fc.Arbitrary<Source> {
  const count = allocate(
    dtype,
    shape.reduce((size, n) => size * n, 1),
  ).length;
  const lists = fc.array(slot(dtype), { minLength: count, maxLength: count });
  return fc
    .record({ list: lists, cut: chunkings(shape), layout: fc.constantFrom(...LAYOUTS) })
    .map(({ list, cut, layout }) => {
      const data = allocate(dtype, list.length / infoOf(dtype).slots) as Float64Array;
      list.forEach((value, i) => (data[i] = value as number));
      return { array: laidOut(data, shape, dtype, layout), cut };
    });
}
