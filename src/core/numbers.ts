// Scalars: what a user may write where an array is expected, and what each dtype can hold.
// In: boolean, number, bigint, Complex. Out: a value that the dtype stores exactly as NumPy would.

import {
  type ComplexDType,
  type DType,
  type FloatDType,
  infoOf,
  isComplex,
  isFloat,
  isWide,
  kindOf,
  type RealDType,
} from "./dtype.ts";
import { DTypeError } from "./errors.ts";
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

interface ElementTypes extends Record<Exclude<DType, "bool" | "int64" | "uint64" | ComplexDType>, number> {
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
