// What the compiler knows of operands: their dtypes and the outputs marked on them. In: the type of what a user wrote.
// Out: a dtype, or the union of all that it may turn out to be; never a dtype that it may not be.

import type { DType, DTypeOfData, TypedArray } from "../core/dtype.ts";
import type { Complex, DEFAULT_OF_SCALAR_KIND, Promote, PromoteScalar, Scalar } from "../core/numbers.ts";
import type { LazyArray, Operand } from "./lazyArray.ts";
import type { NDArray } from "./ndarray.ts";

/** The weak kind of a scalar: `ScalarKindOf<2>` is "int", and `number` may be an integer or a float. */
export type ScalarKindOf<S> = S extends boolean
  ? "bool"
  : S extends bigint
    ? "int"
    : S extends Complex
      ? "complex"
      : S extends number
        ? NumberKind<S>
        : never;

/** Numbers of 1e21 and more are written with an exponent, and are whole. */
type NumberKind<N extends number> = number extends N
  ? "int" | "float"
  : `${N}` extends `${bigint}` | `${string}e+${string}`
    ? "int"
    : "float";

/** The dtype of an operand that stands for itself: `ArrayDType<Float32Array>` is "float32". */
export type ArrayDType<T> =
  T extends LazyArray<infer D>
    ? D
    : T extends NDArray<infer D>
      ? D
      : T extends TypedArray
        ? DTypeOfData<T>
        : T extends Scalar
          ? (typeof DEFAULT_OF_SCALAR_KIND)[ScalarKindOf<T>]
          : T extends readonly unknown[]
            ? ListDType<T>
            : DType;

/** A list whose elements are spelled out has the highest of their kinds; any other may be empty, which is float64. */
type ListDType<T extends readonly unknown[]> = [IsSpelled<T>] extends [true]
  ? HighestOf<ScalarKindOf<Leaves<T>>>
  : "float64" | (typeof DEFAULT_OF_SCALAR_KIND)[ScalarKindOf<Leaves<T>>];

/** The elements of nested lists. Lists of any depth, which hold themselves, may hold anything. */
type Leaves<T, Depth extends readonly unknown[] = []> = T extends readonly (infer Item)[]
  ? Depth["length"] extends 8
    ? Scalar
    : Leaves<Item, [...Depth, 0]>
  : T;

type IsSpelled<T extends readonly unknown[]> = number extends T["length"]
  ? false
  : T extends readonly []
    ? false
    : {
        [I in keyof T]: T[I] extends readonly unknown[] ? IsSpelled<T[I]> : IsOne<ScalarKindOf<T[I]>>;
      }[number];

/** Is it one type, and not a union? */
type IsOne<K, All = K> = K extends unknown ? ([All] extends [K] ? true : false) : never;

type HighestOf<K> = "complex" extends K
  ? "complex128"
  : "float" extends K
    ? "float64"
    : "int" extends K
      ? "int64"
      : "bool";

/** The dtype in which an array meets an operand: scalars are weak. */
export type MeetWith<D extends DType, B> = B extends Scalar
  ? PromoteScalar<D, ScalarKindOf<B>>
  : Promote<D, ArrayDType<B>>;

/** The dtype in which two operands meet: `Meet<Float32Array, 2>` is "float32". */
export type Meet<A, B> = A extends Scalar
  ? B extends Scalar
    ? Promote<ArrayDType<A>, ArrayDType<B>>
    : PromoteScalar<ArrayDType<B>, ScalarKindOf<A>>
  : MeetWith<ArrayDType<A>, B>;

/** The outputs marked on an operand; data have none. */
export type OutputsOf<T> = T extends LazyArray<DType, infer O> ? O : unknown;

/** Outputs marked on any of several operands. */
export type Joined<Operands extends readonly Operand[]> = Operands extends readonly [
  infer First,
  ...infer Rest extends readonly Operand[],
]
  ? OutputsOf<First> & Joined<Rest>
  : unknown;

/** The dtype in which all arrays of a list meet, one after another; of a list of any length the one that all have. */
export type JoinedDType<Operands extends readonly Operand[]> = Operands extends readonly [
  infer First,
  ...infer Rest,
]
  ? Folded<Rest, ArrayDType<First>>
  : [IsOne<ArrayDType<Operands[number]>>] extends [true]
    ? ArrayDType<Operands[number]>
    : DType;

type Folded<Rest extends readonly unknown[], D extends DType> = Rest extends readonly [
  infer Next,
  ...infer More,
]
  ? Folded<More, Promote<D, ArrayDType<Next>>>
  : Rest extends readonly []
    ? D
    : DType;

/** The dtype that an option names, or the one that comes without. */
export type Said<E extends DType, D extends DType> = [E] extends [never] ? D : E;
