// The data types of the array API and what is known of each. One table; everything else asks it.

export const DTYPES: readonly DType[] = [
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

/** The name of a data type: `cw.zeros([3], {dtype: "float32"})`. */
export type DType =
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
export type RealDType = Exclude<DType, ComplexDType>;
export type Kind = "bool" | "int" | "uint" | "float" | "complex";

/** What holds the elements of each dtype; complex numbers are interleaved pairs, halves their bits. */
interface DataTypes {
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

const INFO: { readonly [D in DType]: DTypeInfo } = {
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

export const infoOf = (dtype: DType): DTypeInfo => INFO[dtype];
export const kindOf = (dtype: DType): Kind => INFO[dtype].kind;
export const isDType = (name: unknown): name is DType =>
  typeof name === "string" && Object.hasOwn(INFO, name);
export const isInteger = (dtype: DType): boolean => kindOf(dtype) === "int" || kindOf(dtype) === "uint";
export const isFloat = (dtype: DType): dtype is FloatDType => kindOf(dtype) === "float";
export const isComplex = (dtype: DType): dtype is ComplexDType => kindOf(dtype) === "complex";
/** Held as BigInt in JavaScript. */
export const isWide = (dtype: DType): dtype is "int64" | "uint64" => dtype === "int64" || dtype === "uint64";

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
