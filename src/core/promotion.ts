// Type promotion: the array API's table, completed for mixed kinds as NumPy does (docs/semantics.md).
// In: dtypes of arrays and weak scalars. Out: the dtype they meet in.

import {
  DEFAULT_COMPLEX,
  DEFAULT_FLOAT,
  DEFAULT_INT,
  DTYPES,
  type DType,
  infoOf,
  isComplex,
  isFloat,
  kindOf,
} from "./dtype.ts";
import { ValueError } from "./errors.ts";
import { DEFAULT_OF_SCALAR_KIND, type Scalar, type ScalarKind, scalarKind } from "./numbers.ts";

const KIND_RANK = { bool: 0, int: 1, uint: 1, float: 2, complex: 3 } as const;

/** promote(a, b) = promote(b, a); promote(a, a) = a; associative except where uint64 meets signed integers. */
export function promote(a: DType, b: DType): DType {
  return a === b ? a : PROMOTED[a][b];
}

const PROMOTED = Object.fromEntries(
  DTYPES.map((a) => [a, Object.fromEntries(DTYPES.map((b) => [b, meet(a, b)]))]),
) as { readonly [A in DType]: { readonly [B in DType]: DType } };

function meet(a: DType, b: DType): DType {
  if (KIND_RANK[kindOf(a)] > KIND_RANK[kindOf(b)]) return meet(b, a);
  if (kindOf(a) === "bool") return b;
  if (kindOf(a) === kindOf(b)) return infoOf(a).bytes >= infoOf(b).bytes ? a : b;
  if (isComplex(b)) return meetComplex(a, b);
  if (isFloat(b)) return b === "float64" || infoOf(a).bytes > 2 ? "float64" : "float32";
  return kindOf(a) === "int" ? meetSigns(a, b) : meetSigns(b, a);
}

/** The complex type whose parts hold both: the part types meet as reals do. */
function meetComplex(a: DType, b: DType): DType {
  return meet(a, infoOf(b).part) === "float64" ? "complex128" : "complex64";
}

function meetSigns(signed: DType, unsigned: DType): DType {
  if (infoOf(signed).bytes > infoOf(unsigned).bytes) return signed;
  const wider = { 1: "int16", 2: "int32", 4: "int64", 8: "float64" } as const;
  return wider[infoOf(unsigned).bytes as 1 | 2 | 4 | 8];
}

/** What a weak scalar makes of the array's dtype: unchanged unless the scalar's kind is higher. */
export function promoteWithScalar(dtype: DType, scalar: ScalarKind): DType {
  if (KIND_RANK[scalar] <= KIND_RANK[kindOf(dtype)]) return dtype;
  if (scalar === "int") return DEFAULT_INT;
  if (scalar === "float") return DEFAULT_FLOAT;
  return dtype === "float32" ? "complex64" : DEFAULT_COMPLEX;
}

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
  return kinds.map((kind) => DEFAULT_OF_SCALAR_KIND[kind]).reduce(promote);
}

/** True when every value of `from` (or its closest) has a place in `to`, by the promotion table. */
export const canPromote = (from: DType, to: DType): boolean => promote(from, to) === to;
