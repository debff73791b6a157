// What may stand where a ragged array is expected: ragged arrays of both kinds, dense ones of both kinds, typed arrays
// and plain nested lists. In: what the user wrote. Out: ragged arrays.

import { describe } from "../../core/chunks.ts";
import { isTypedArray } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { isScalar, type Scalar } from "../../core/numbers.ts";
import { makeExpr } from "../../expr/expr.ts";
import { LazyArray } from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import { partitioned } from "../../ops/partitions.ts";
import { fromIter, fromNumpy, type Layout, layouts } from "../../ragged/index.ts";
import { Reading } from "../../ragged/lazy/reading.ts";
import { MemorySource } from "../../ragged/sources/memorySource.ts";
import type { RaggedSource } from "../../ragged/sources/source.ts";
import { lazyFromDense } from "./dense.ts";
import { LazyRagged, type Ragged, RaggedArray } from "./raggedArrays.ts";

/** What functions take for an array. */
export type RaggedInput = Ragged | NDArray | LazyArray | readonly unknown[] | ArrayBufferView;
/** The same, or a number that goes with every element. */
export type RaggedOperand = RaggedInput | Scalar | string;

export function asRagged(value: unknown): Ragged {
  if (value instanceof RaggedArray || value instanceof LazyRagged) return value;
  if (value instanceof LazyArray) return lazyFromDense(value);
  if (value instanceof NDArray) return new RaggedArray(fromNumpy(value));
  if (isTypedArray(value)) return new RaggedArray(layouts.numpyOf(value));
  if (Array.isArray(value)) return new RaggedArray(fromIter(value));
  throw new DTypeError({
    what: `${describe(value)} is no array`,
    cure: "Pass a ragged array, a dense array or nested lists",
  });
}

export const isConstant = (value: unknown): value is Scalar | string =>
  typeof value === "string" || isScalar(value);

/** The partitions of a source, lazily. */
export const lazyOf = (source: RaggedSource): LazyRagged =>
  new LazyRagged(makeExpr(partitioned, [], { data: Reading.of(source) }));

const wrapped = new WeakMap<Layout, MemorySource>();

/** In one partition. The same array is the same source. */
export function asLazyRagged(array: Ragged): LazyRagged {
  if (array instanceof LazyRagged) return array;
  const source = wrapped.get(array.layout) ?? new MemorySource([array.layout]);
  wrapped.set(array.layout, source);
  return lazyOf(source);
}

/** Arrays and constants in the order of the arguments: null stands for the next array. */
export function splitOperands(values: readonly unknown[]): {
  arrays: Ragged[];
  operands: (ReturnType<typeof constantOf> | null)[];
} {
  const arrays = values.filter((value) => !isConstant(value)).map(asRagged);
  if (arrays.length > 0) return { arrays, operands: values.map(constantOf) };
  throw new ValueError({
    what: "there is no array among the arguments",
    cure: "Pass one ragged array at least",
  });
}

const constantOf = (
  value: unknown,
): Extract<RaggedOperand, number | bigint | string | boolean | object> | null =>
  isConstant(value) ? value : null;
