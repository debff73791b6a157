// The data types of the array API and what is known of each. One table; everything else asks it.

import { DTypeError } from "./errors.ts";

/** Those that functions compute with; dates and times are others. */
export const DTYPES: readonly NumberDType[] = [
  "bool",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float16",
  "float32",
  "float64",
  "complex64",
  "complex128",
];

/** How long a step of a date or time is, as NumPy names it: years to nanoseconds. */
export type TimeUnit = (typeof TIME_UNITS)[number];
export const TIME_UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"] as const;

/** Points in time, as steps since 1970: "datetime64[ns]". The least int64 stands for none ("NaT"). */
export type InstantDType = `datetime64[${TimeUnit}]`;
/** Spans of time: "timedelta64[D]". */
export type SpanDType = `timedelta64[${TimeUnit}]`;
export type TimeDType = InstantDType | SpanDType;

/** The name of a data type: `cw.zeros([3], {dtype: "float32"})`. */
export type DType = NumberDType | TimeDType;

/** What functions compute with; dates and times are stored, selected, compared and shown. */
export type NumberDType =
  | "bool"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float16"
  | "float32"
  | "float64"
  | "complex64"
  | "complex128";
export type ComplexDType = "complex64" | "complex128";
export type FloatDType = "float16" | "float32" | "float64";
/** The types a machine register holds: a complex number is two of them. */
export type RealDType = Exclude<NumberDType, ComplexDType>;
export type Kind = "bool" | "int" | "uint" | "float" | "complex" | "instant" | "span";

/** What holds the elements of each dtype; complex numbers are interleaved pairs, halves their bits, times int64. */
interface DataTypes extends Record<TimeDType, BigInt64Array> {
  readonly bool: Uint8Array;
  readonly int8: Int8Array;
  readonly int16: Int16Array;
  readonly int32: Int32Array;
  readonly int64: BigInt64Array;
  readonly uint8: Uint8Array;
  readonly uint16: Uint16Array;
  readonly uint32: Uint32Array;
  readonly uint64: BigUint64Array;
  readonly float16: Uint16Array;
  readonly float32: Float32Array;
  readonly float64: Float64Array;
  readonly complex64: Float32Array;
  readonly complex128: Float64Array;
}

/** The typed array that holds a dtype: `DataOf<"float32">` is `Float32Array`. */
export type DataOf<D extends DType> = DataTypes[D];
/** What holds the elements of an array: a `Float64Array` of float64, a `BigInt64Array` of int64. */
export type TypedArray = DataOf<DType>;

/** The dtype of a plain typed array, by the name that typed arrays carry. */
interface DTypeByName {
  readonly Int8Array: "int8";
  readonly Int16Array: "int16";
  readonly Int32Array: "int32";
  readonly BigInt64Array: "int64";
  readonly Uint8Array: "uint8";
  readonly Uint16Array: "uint16";
  readonly Uint32Array: "uint32";
  readonly BigUint64Array: "uint64";
  readonly Float32Array: "float32";
  readonly Float64Array: "float64";
}

/** The dtype whose elements a typed array holds as it is: `DTypeOfData<Float32Array>` is `"float32"`. */
export type DTypeOfData<A extends TypedArray> = DTypeByName[A[typeof Symbol.toStringTag]];

interface TypedArrayConstructor {
  new (length: number): TypedArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
}

export interface DTypeInfo {
  readonly kind: Kind;
  /** Bytes of one element. */
  readonly bytes: number;
  /** What holds the elements; complex numbers are interleaved pairs of `part`. */
  readonly array: TypedArrayConstructor;
  readonly part: RealDType;
  /** Typed-array slots per element: 2 for complex numbers. */
  readonly slots: 1 | 2;
  /** Binary digits of a float, or of a complex number's parts; 0 for others. */
  readonly digits: number;
  /** What sums, products, running totals and sorts are computed in: itself, or what holds all its numbers and more. */
  readonly computesIn: DType;
}

const real = (
  part: RealDType,
  kind: Kind,
  array: TypedArrayConstructor,
  digits = 0,
  computesIn: DType = part,
): DTypeInfo => ({ kind, bytes: array.BYTES_PER_ELEMENT, array, part, slots: 1, digits, computesIn });
const complex = (
  computesIn: ComplexDType,
  part: FloatDType,
  array: TypedArrayConstructor,
  digits: number,
): DTypeInfo => ({
  kind: "complex",
  bytes: 2 * array.BYTES_PER_ELEMENT,
  array,
  part,
  slots: 2,
  digits,
  computesIn,
});

/** Of every unit: in memory and in kernels they are int64. */
const timesOf = <Name extends "datetime64" | "timedelta64">(
  name: Name,
  kind: Kind,
): { readonly [D in `${Name}[${TimeUnit}]`]: DTypeInfo } =>
  Object.fromEntries(
    TIME_UNITS.map((unit) => {
      const dtype = `${name}[${unit}]` as TimeDType;
      return [dtype, real("int64", kind, BigInt64Array, 0, dtype)];
    }),
  ) as { readonly [D in `${Name}[${TimeUnit}]`]: DTypeInfo };

const INFO: { readonly [D in DType]: DTypeInfo } = {
  ...timesOf("datetime64", "instant"),
  ...timesOf("timedelta64", "span"),
  bool: real("bool", "bool", Uint8Array),
  int8: real("int8", "int", Int8Array),
  int16: real("int16", "int", Int16Array),
  int32: real("int32", "int", Int32Array),
  int64: real("int64", "int", BigInt64Array),
  uint8: real("uint8", "uint", Uint8Array),
  uint16: real("uint16", "uint", Uint16Array),
  uint32: real("uint32", "uint", Uint32Array),
  uint64: real("uint64", "uint", BigUint64Array),
  float16: real("float16", "float", Uint16Array, 11, "float32"),
  float32: real("float32", "float", Float32Array, 24),
  float64: real("float64", "float", Float64Array, 53),
  complex64: complex("complex64", "float32", Float32Array, 24),
  complex128: complex("complex128", "float64", Float64Array, 53),
};

export const DEFAULT_FLOAT = "float64" as const;
export const DEFAULT_INT = "int64" as const;
export const DEFAULT_COMPLEX = "complex128" as const;
export const INDEX_DTYPE = "int64" as const;

/** All there are: numbers first. */
export const ALL_DTYPES: readonly DType[] = [
  ...DTYPES,
  ...(Object.keys(INFO) as DType[]).filter((dtype) => !(DTYPES as readonly DType[]).includes(dtype)),
];

export const infoOf = (dtype: DType): DTypeInfo => INFO[dtype];
export const kindOf = (dtype: DType): Kind => INFO[dtype].kind;
export const isDType = (name: unknown): name is DType =>
  typeof name === "string" && Object.hasOwn(INFO, name);
export const isInteger = (dtype: DType): boolean => kindOf(dtype) === "int" || kindOf(dtype) === "uint";
export const isFloat = (dtype: DType): dtype is FloatDType => kindOf(dtype) === "float";
export const isComplex = (dtype: DType): dtype is ComplexDType => kindOf(dtype) === "complex";
/** Held as BigInt in JavaScript. */
export const isWide = (dtype: DType): dtype is "int64" | "uint64" | TimeDType =>
  INFO[dtype].array === BigInt64Array || dtype === "uint64";
export const isTime = (dtype: DType): dtype is TimeDType =>
  INFO[dtype].kind === "instant" || INFO[dtype].kind === "span";
/** Of a date or time: "ns" of "datetime64[ns]". */
export const unitOf = (dtype: TimeDType): TimeUnit => dtype.slice(dtype.indexOf("[") + 1, -1) as TimeUnit;

/** A zeroed typed array for `count` elements of `dtype`. */
export function allocate(dtype: DType, count: number): TypedArray {
  if (count === 0) return NOTHING[dtype];
  const { array: ArrayOf, slots } = INFO[dtype];
  return new ArrayOf(count * slots);
}

/** Of no elements there is one: forms are inferred with many of them. */
const NOTHING = Object.fromEntries(
  Object.entries(INFO).map(([dtype, { array: ArrayOf }]) => [dtype, new ArrayOf(0)]),
) as { readonly [D in DType]: TypedArray };

/** The dtype whose elements a plain typed array holds as it is. */
export function dtypeOfTypedArray(data: TypedArray): RealDType {
  if (data instanceof Float64Array) return "float64";
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Int32Array) return "int32";
  if (data instanceof Uint32Array) return "uint32";
  if (data instanceof Int16Array) return "int16";
  if (data instanceof Uint16Array) return "uint16";
  if (data instanceof Int8Array) return "int8";
  if (data instanceof BigInt64Array) return "int64";
  if (data instanceof BigUint64Array) return "uint64";
  return "uint8";
}

/** What all typed arrays are instances of. */
const AnyTypedArray = Object.getPrototypeOf(Int8Array) as new () => TypedArray;

export const isTypedArray = (value: unknown): value is TypedArray => value instanceof AnyTypedArray;

// What dtype a function gives for one it computes in: one table of named rules, read at run time and by the compiler
// alike. In: a dtype and a rule's name. Out: the result's dtype. Which dtypes a function takes is not said here.

/**
 * same: its own. bool: truth. real: the parts of a complex number, else its own. floating: integers and bools as the
 * default float. total: bools and small integers as 64 bits of their sign. index: a place or a count.
 */
// biome-ignore format: a table
export const RESULTS = {
  bool: { same: "bool", bool: "bool", real: "bool", floating: "float64", total: "int64", index: "int64" },
  int8: { same: "int8", bool: "bool", real: "int8", floating: "float64", total: "int64", index: "int64" },
  int16: { same: "int16", bool: "bool", real: "int16", floating: "float64", total: "int64", index: "int64" },
  int32: { same: "int32", bool: "bool", real: "int32", floating: "float64", total: "int64", index: "int64" },
  int64: { same: "int64", bool: "bool", real: "int64", floating: "float64", total: "int64", index: "int64" },
  uint8: { same: "uint8", bool: "bool", real: "uint8", floating: "float64", total: "uint64", index: "int64" },
  uint16: { same: "uint16", bool: "bool", real: "uint16", floating: "float64", total: "uint64", index: "int64" },
  uint32: { same: "uint32", bool: "bool", real: "uint32", floating: "float64", total: "uint64", index: "int64" },
  uint64: { same: "uint64", bool: "bool", real: "uint64", floating: "float64", total: "uint64", index: "int64" },
  float16: { same: "float16", bool: "bool", real: "float16", floating: "float16", total: "float16", index: "int64" },
  float32: { same: "float32", bool: "bool", real: "float32", floating: "float32", total: "float32", index: "int64" },
  float64: { same: "float64", bool: "bool", real: "float64", floating: "float64", total: "float64", index: "int64" },
  complex64: { same: "complex64", bool: "bool", real: "float32", floating: "complex64", total: "complex64", index: "int64" },
  complex128: { same: "complex128", bool: "bool", real: "float64", floating: "complex128", total: "complex128", index: "int64" },
} as const;

/**
 * How a function's result gets its dtype from the operands': "same", "bool", "real", "floating", "total" or "index".
 */
export type ResultRule = keyof (typeof RESULTS)["bool"];

/**
 * The dtype that a rule gives: `Result<"complex64", "real">` is `"float32"`. Of a union all that may come; of a dtype
 * that nobody knows `DType`, unless the rule gives one for all.
 */
export type Result<D extends DType, R extends ResultRule> = R extends "bool" | "index"
  ? (typeof RESULTS)["bool"][R]
  : DType extends D
    ? DType
    : D extends NumberDType
      ? (typeof RESULTS)[D][R]
      : D;

export function resultOf(dtype: DType, rule: ResultRule): DType {
  if (!isTime(dtype)) return RESULTS[dtype][rule];
  if (rule === "floating" || rule === "total") throw notNumbers(dtype);
  return rule === "bool" ? "bool" : rule === "index" ? INDEX_DTYPE : dtype;
}

/** Dates and times where numbers are needed. */
export const notNumbers = (dtype: DType): DTypeError =>
  new DTypeError({
    what: `${dtype} are no numbers to compute with`,
    cure: 'Take their whole numbers: x.astype("int64")',
  });

// Which kinds of dtypes a function takes, and what it makes of them before it computes.
// In: the promoted dtype of the operands. Out: the dtype to compute in, or an error with the cure.

export type KindSet = "any" | "numeric" | "real" | "realOrBool" | "integer" | "integerOrBool" | "bool";

const KINDS: { readonly [S in KindSet]: readonly Kind[] } = {
  any: ["bool", "int", "uint", "float", "complex"],
  numeric: ["int", "uint", "float", "complex"],
  real: ["int", "uint", "float"],
  realOrBool: ["bool", "int", "uint", "float"],
  integer: ["int", "uint"],
  integerOrBool: ["bool", "int", "uint"],
  bool: ["bool"],
};

const SAYS: { readonly [S in KindSet]: string } = {
  any: "any dtype",
  numeric: "numbers",
  real: "real numbers",
  realOrBool: "real numbers and bool",
  integer: "integers",
  integerOrBool: "integers and bool",
  bool: "bool",
};

export const takesBool = (accepts: KindSet): boolean => KINDS[accepts].includes("bool");

export function checkKind(accepts: KindSet, dtype: DType): DType {
  const kind = kindOf(dtype);
  if (KINDS[accepts].includes(kind)) return dtype;
  throw new DTypeError({ what: `takes ${SAYS[accepts]}, not ${dtype}`, cure: cureFor(accepts, kind) });
}

function cureFor(accepts: KindSet, kind: Kind): string {
  if (kind === "instant" || kind === "span") return 'Take their whole numbers: x.astype("int64")';
  if (accepts === "bool") return 'Compare first, or use astype("bool")';
  if (kind === "bool") return "Use astype first, or a logical function";
  if (kind === "complex") return "Take real, imag or abs first";
  return "Use astype to an integer dtype first";
}

/** What the standard calls floating functions: integers are computed as the default float. */
export const toFloating = (dtype: DType): DType => resultOf(dtype, "floating");
