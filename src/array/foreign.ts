// Arrays of other libraries, known by their looks: nothing is imported. In: what the user passed to asarray. Out: data
// that this library takes, not copied where it lies plainly; an error with the cure where it cannot be had.

import { describe, type Shape } from "../core/chunks.ts";
import { isTypedArray, type TypedArray } from "../core/dtype.ts";
import { DTypeError } from "../core/errors.ts";
import type { Operand } from "../lazy/lazyArray.ts";
import { NDArray } from "../lazy/ndarray.ts";

/** What zarrita's `get` gives. */
export interface StridedChunk<T extends TypedArray = TypedArray> {
  readonly data: T;
  readonly shape: Shape;
  readonly stride: readonly number[];
}

/** A column of Apache Arrow. */
export interface ArrowVector {
  readonly type: unknown;
  readonly nullCount?: number;
  toArray(): unknown;
}

export type ForeignArray = StridedChunk | ArrowVector;

/** Anything else is handed on as it is. */
export function familiar(value: Operand | ForeignArray): Operand {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value as Operand;
  const looks = value as unknown as Looks;
  if (isMethod(looks, "getChunk")) throw storedArray(value);
  if (isMethod(looks, "toArray") && "type" in looks) return elementsOf(value as ArrowVector);
  const isChunk = "data" in looks && "shape" in looks && "stride" in looks;
  return isChunk ? strided(value as StridedChunk) : (value as Operand);
}

interface Looks {
  readonly [name: string]: unknown;
}

const isMethod = (looks: Looks, name: string): boolean => typeof looks[name] === "function";

const storedArray = (value: object): DTypeError =>
  new DTypeError({
    what: `${describe(value)} is an array in a store, not data in memory`,
    cure: "Open the store lazily with cw.fromZarr, or read it first and pass what was read",
  });

function strided({ data, shape, stride }: StridedChunk): NDArray {
  if (isTypedArray(data)) return new NDArray(data, shape, undefined, stride);
  throw new DTypeError({
    what: `the data of the chunk are ${describe(data)}, not a typed array`,
    cure: "Arrays hold numbers: take elements that are",
  });
}

function elementsOf(vector: ArrowVector): Operand {
  if ((vector.nullCount ?? 0) > 0)
    throw new DTypeError({
      what: `the vector of type ${String(vector.type)} has ${vector.nullCount} nulls`,
      cure: "Fill them first, or use chunkwise/ragged, whose arrays can hold nulls",
    });
  return vector.toArray() as Operand;
}
