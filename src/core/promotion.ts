// Type promotion: the array API's table, completed for mixed kinds as NumPy does (docs/semantics.md).
// In: dtypes of arrays and weak scalars. Out: the dtype they meet in. The tables are constants, and the compiler
// reads the same ones: a type of a result is what the table holds, never said twice.

import type { DType } from "./dtype.ts";
import { ValueError } from "./errors.ts";
import { DEFAULT_OF_SCALAR_KIND, type Scalar, type ScalarKind, scalarKind } from "./numbers.ts";

/** Where two arrays meet. Symmetric; associative except where uint64 meets signed integers. */
// biome-ignore format: a table
export const PROMOTED = {
  bool: { bool: "bool", int8: "int8", int16: "int16", int32: "int32", int64: "int64", uint8: "uint8", uint16: "uint16", uint32: "uint32", uint64: "uint64", float16: "float16", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  int8: { bool: "int8", int8: "int8", int16: "int16", int32: "int32", int64: "int64", uint8: "int16", uint16: "int32", uint32: "int64", uint64: "float64", float16: "float16", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  int16: { bool: "int16", int8: "int16", int16: "int16", int32: "int32", int64: "int64", uint8: "int16", uint16: "int32", uint32: "int64", uint64: "float64", float16: "float32", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  int32: { bool: "int32", int8: "int32", int16: "int32", int32: "int32", int64: "int64", uint8: "int32", uint16: "int32", uint32: "int64", uint64: "float64", float16: "float64", float32: "float64", float64: "float64", complex64: "complex128", complex128: "complex128" },
  int64: { bool: "int64", int8: "int64", int16: "int64", int32: "int64", int64: "int64", uint8: "int64", uint16: "int64", uint32: "int64", uint64: "float64", float16: "float64", float32: "float64", float64: "float64", complex64: "complex128", complex128: "complex128" },
  uint8: { bool: "uint8", int8: "int16", int16: "int16", int32: "int32", int64: "int64", uint8: "uint8", uint16: "uint16", uint32: "uint32", uint64: "uint64", float16: "float16", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  uint16: { bool: "uint16", int8: "int32", int16: "int32", int32: "int32", int64: "int64", uint8: "uint16", uint16: "uint16", uint32: "uint32", uint64: "uint64", float16: "float32", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  uint32: { bool: "uint32", int8: "int64", int16: "int64", int32: "int64", int64: "int64", uint8: "uint32", uint16: "uint32", uint32: "uint32", uint64: "uint64", float16: "float64", float32: "float64", float64: "float64", complex64: "complex128", complex128: "complex128" },
  uint64: { bool: "uint64", int8: "float64", int16: "float64", int32: "float64", int64: "float64", uint8: "uint64", uint16: "uint64", uint32: "uint64", uint64: "uint64", float16: "float64", float32: "float64", float64: "float64", complex64: "complex128", complex128: "complex128" },
  float16: { bool: "float16", int8: "float16", int16: "float32", int32: "float64", int64: "float64", uint8: "float16", uint16: "float32", uint32: "float64", uint64: "float64", float16: "float16", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  float32: { bool: "float32", int8: "float32", int16: "float32", int32: "float64", int64: "float64", uint8: "float32", uint16: "float32", uint32: "float64", uint64: "float64", float16: "float32", float32: "float32", float64: "float64", complex64: "complex64", complex128: "complex128" },
  float64: { bool: "float64", int8: "float64", int16: "float64", int32: "float64", int64: "float64", uint8: "float64", uint16: "float64", uint32: "float64", uint64: "float64", float16: "float64", float32: "float64", float64: "float64", complex64: "complex128", complex128: "complex128" },
  complex64: { bool: "complex64", int8: "complex64", int16: "complex64", int32: "complex128", int64: "complex128", uint8: "complex64", uint16: "complex64", uint32: "complex128", uint64: "complex128", float16: "complex64", float32: "complex64", float64: "complex128", complex64: "complex64", complex128: "complex128" },
  complex128: { bool: "complex128", int8: "complex128", int16: "complex128", int32: "complex128", int64: "complex128", uint8: "complex128", uint16: "complex128", uint32: "complex128", uint64: "complex128", float16: "complex128", float32: "complex128", float64: "complex128", complex64: "complex128", complex128: "complex128" },
} as const;

/** What a weak scalar makes of the array's dtype: unchanged unless the scalar's kind is higher. */
// biome-ignore format: a table
export const WITH_SCALAR = {
  bool: { bool: "bool", int: "int64", float: "float64", complex: "complex128" },
  int8: { bool: "int8", int: "int8", float: "float64", complex: "complex128" },
  int16: { bool: "int16", int: "int16", float: "float64", complex: "complex128" },
  int32: { bool: "int32", int: "int32", float: "float64", complex: "complex128" },
  int64: { bool: "int64", int: "int64", float: "float64", complex: "complex128" },
  uint8: { bool: "uint8", int: "uint8", float: "float64", complex: "complex128" },
  uint16: { bool: "uint16", int: "uint16", float: "float64", complex: "complex128" },
  uint32: { bool: "uint32", int: "uint32", float: "float64", complex: "complex128" },
  uint64: { bool: "uint64", int: "uint64", float: "float64", complex: "complex128" },
  float16: { bool: "float16", int: "float16", float: "float16", complex: "complex64" },
  float32: { bool: "float32", int: "float32", float: "float32", complex: "complex64" },
  float64: { bool: "float64", int: "float64", float: "float64", complex: "complex128" },
  complex64: { bool: "complex64", int: "complex64", float: "complex64", complex: "complex64" },
  complex128: { bool: "complex128", int: "complex128", float: "complex128", complex: "complex128" },
} as const;

/** The dtype in which arrays of two dtypes meet: `Promote<"int16", "float32">` is `"float32"`. Of unions all that may come. */
export type Promote<A extends DType, B extends DType> = DType extends A
  ? DType
  : DType extends B
    ? DType
    : (typeof PROMOTED)[A][B];

/** The dtype of an array and a weak scalar: `PromoteScalar<"float32", "int">` is `"float32"`. */
export type PromoteScalar<D extends DType, K extends ScalarKind> = DType extends D
  ? DType
  : (typeof WITH_SCALAR)[D][K];

/** promote(a, b) = promote(b, a); promote(a, a) = a; associative except where uint64 meets signed integers. */
export function promote(a: DType, b: DType): DType {
  return a === b ? a : PROMOTED[a][b];
}

/** What a weak scalar makes of the array's dtype. */
export const promoteWithScalar = (dtype: DType, scalar: ScalarKind): DType => WITH_SCALAR[dtype][scalar];

/** The dtype of several operands: arrays decide first, then scalars weakly. */
export function resultDType(arrays: readonly DType[], scalars: readonly Scalar[]): DType {
  const kinds = scalars.map(scalarKind);
  if (arrays.length > 0) return kinds.reduce(promoteWithScalar, arrays.reduce(promote));
  if (kinds.length === 0) {
    throw new ValueError({
      what: "no operands to find a result dtype of",
      cure: "Pass at least one array or dtype",
    });
  }
  return kinds.map((kind): DType => DEFAULT_OF_SCALAR_KIND[kind]).reduce(promote);
}

/** True when every value of `from` (or its closest) has a place in `to`, by the promotion table. */
export const canPromote = (from: DType, to: DType): boolean => promote(from, to) === to;
