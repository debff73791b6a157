// Scalars: what a user may write where an array is expected, and what each dtype can hold.
// In: boolean, number, bigint, Complex. Out: a value that the dtype stores exactly as NumPy would.

import {
  type ComplexDType,
  type DType,
  type FloatDType,
  infoOf,
  isComplex,
  isFloat,
  isTime,
  isWide,
  kindOf,
  type NumberDType,
  notNumbers,
  type RealDType,
  type TimeDType,
} from "./dtype.ts";
import { DTypeError, ValueError } from "./errors.ts";
import { halfOf, numberOfHalf } from "./half.ts";

/** A complex number: `new cw.Complex(1, 2)`, or `cw.complex(1, 2)`, prints as 1+2j. */
export class Complex {
  readonly re: number;
  readonly im: number;

  constructor(re: number, im: number) {
    this.re = re;
    this.im = im;
  }

  toString(): string {
    const sign = this.im < 0 || Object.is(this.im, -0) ? "-" : "+";
    return `${numberText(this.re)}${sign}${numberText(Math.abs(this.im))}j`;
  }
}

/** A number where an array may stand, but no complex one. */
export type RealScalar = boolean | number | bigint;
/** A number where an array may stand: `x.add(1)`, `x.multiply(cw.complex(0, 1))`. */
export type Scalar = RealScalar | Complex;
export type ScalarKind = "bool" | "int" | "float" | "complex";

export function isScalar(value: unknown): value is Scalar {
  const type = typeof value;
  return type === "number" || type === "bigint" || type === "boolean" || value instanceof Complex;
}

/** The weak kind: a whole number is an integer, because JavaScript cannot tell 2 from 2.0. */
export function scalarKind(value: Scalar): ScalarKind {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (value instanceof Complex) return "complex";
  return Number.isInteger(value) && !Object.is(value, -0) ? "int" : "float";
}

/** The dtype that a scalar has by itself. */
export const DEFAULT_OF_SCALAR_KIND = {
  bool: "bool",
  int: "int64",
  float: "float64",
  complex: "complex128",
} as const;

interface ElementTypes
  extends Record<Exclude<NumberDType, "bool" | "int64" | "uint64" | ComplexDType>, number>,
    Record<TimeDType, string> {
  readonly bool: boolean;
  readonly int64: number | bigint;
  readonly uint64: number | bigint;
  readonly complex64: Complex;
  readonly complex128: Complex;
}

/** The JavaScript value of one element: `ElementOf<"bool">` is `boolean`. Integers of 64 bits beyond 2^53 − 1 are bigints. */
export type ElementOf<D extends DType> = ElementTypes[D];

/** A 64-bit integer as a number where that is exact. */
export function exactNumber(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

/** Smallest and largest value of an integer dtype. */
export function integerRange(dtype: DType): readonly [bigint, bigint] {
  const bits = BigInt(infoOf(dtype).bytes * 8);
  return kindOf(dtype) === "uint"
    ? [0n, (1n << bits) - 1n]
    : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
}

/** The value as `dtype` holds it; an error where the dtype cannot. */
export function fitScalar(value: Scalar, dtype: DType): Scalar {
  if (dtype === "bool") return isZero(value) === false;
  if (isComplex(dtype)) return fitComplex(value, dtype === "complex64");
  if (value instanceof Complex) {
    throw new DTypeError({
      what: `the complex number ${value} does not fit ${dtype}`,
      cure: "Use a complex dtype, or the number's real part",
    });
  }
  if (isFloat(dtype)) return roundedTo(Number(value), dtype);
  return fitInteger(value, dtype);
}

/** The nearest number of a floating dtype. */
export function roundedTo(value: number, dtype: FloatDType): number {
  if (dtype === "float16") return numberOfHalf(halfOf(value));
  return dtype === "float32" ? Math.fround(value) : value;
}

function fitComplex(value: Scalar, single: boolean): Complex {
  const re = value instanceof Complex ? value.re : Number(value);
  const im = value instanceof Complex ? value.im : 0;
  return single ? new Complex(Math.fround(re), Math.fround(im)) : new Complex(re, im);
}

function fitInteger(value: RealScalar, dtype: DType): number | bigint {
  if (typeof value === "number" && !Number.isInteger(value)) {
    throw new DTypeError({
      what: `${value} is not a whole number and ${dtype} holds only those`,
      cure: "Use a floating dtype, or round the value first",
    });
  }
  const exact = BigInt(value);
  const [min, max] = integerRange(dtype);
  if (exact < min || exact > max) {
    throw new DTypeError({
      what: `${shortInteger(exact)} is out of range for ${dtype} (${min} to ${max})`,
      cure: isWide(dtype) ? "Use float64, which rounds it" : "Use a wider dtype",
    });
  }
  return isWide(dtype) ? exact : Number(exact);
}

function shortInteger(value: bigint): string {
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 20)}… (${text.length} digits)` : text;
}

export function isZero(value: Scalar): boolean {
  if (value instanceof Complex) return value.re === 0 && value.im === 0;
  return typeof value === "bigint" ? value === 0n : Number(value) === 0;
}

/** Zero or one of a register type, as its typed array holds it. */
export function unit(dtype: RealDType, value: 0 | 1): number | bigint {
  return isWide(dtype) ? BigInt(value) : value;
}

/** A number as text, with the sign of zero. */
export const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

export function scalarText(value: Scalar): string {
  return typeof value === "number" ? numberText(value) : String(value);
}

// Type promotion: the array API's table, completed for mixed kinds as NumPy does (docs/semantics.md).
// In: dtypes of arrays and weak scalars. Out: the dtype they meet in. The tables are constants, and the compiler
// reads the same ones: a type of a result is what the table holds, never said twice.

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
    : A extends NumberDType
      ? B extends NumberDType
        ? (typeof PROMOTED)[A][B]
        : B
      : A;

/** The dtype of an array and a weak scalar: `PromoteScalar<"float32", "int">` is `"float32"`. */
export type PromoteScalar<D extends DType, K extends ScalarKind> = DType extends D
  ? DType
  : D extends NumberDType
    ? (typeof WITH_SCALAR)[D][K]
    : D;

/** promote(a, b) = promote(b, a); promote(a, a) = a; associative except where uint64 meets signed integers. */
export function promote(a: DType, b: DType): DType {
  if (a === b) return a;
  if (!isTime(a) && !isTime(b)) return PROMOTED[a][b];
  throw new DTypeError({
    what: `${a} and ${b} do not meet in one dtype`,
    cure:
      isTime(a) && isTime(b) && kindOf(a) === kindOf(b)
        ? `Bring them to one unit: x.astype(${JSON.stringify(a)})`
        : 'Take whole numbers: x.astype("int64")',
  });
}

/** What a weak scalar makes of the array's dtype. */
export function promoteWithScalar(dtype: DType, scalar: ScalarKind): DType {
  if (isTime(dtype)) throw notNumbers(dtype);
  return WITH_SCALAR[dtype][scalar];
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
  return kinds.map((kind): DType => DEFAULT_OF_SCALAR_KIND[kind]).reduce(promote);
}

/** True when every value of `from` (or its closest) has a place in `to`, by the promotion table. */
export const canPromote = (from: DType, to: DType): boolean =>
  from === to || (!isTime(from) && !isTime(to) && promote(from, to) === to);

/**
 * A number means the same in every real dtype: 2 is 2n. But 0 is not −0, a number is no bool, and never complex:
 * x · 1 is not x where x is complex and not finite.
 */
export function sameScalar(wanted: unknown, value: unknown): boolean {
  if (typeof wanted === "number" && typeof value === "bigint")
    return Number.isInteger(wanted) && !Object.is(wanted, -0) && BigInt(wanted) === value;
  if (typeof wanted === "bigint" && typeof value === "number") return sameScalar(value, wanted);
  if (wanted instanceof Complex && value instanceof Complex)
    return Object.is(wanted.re, value.re) && Object.is(wanted.im, value.im);
  return Object.is(wanted, value);
}
