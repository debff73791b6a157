// Creation: arrays from data, and arrays that are a formula of their coordinates.

import type { Block } from "../../core/block.ts";
import { checkScalar } from "../../core/check.ts";
import { type ChunksArgument, checkInteger, checkShape, describe, type Shape } from "../../core/chunks.ts";
import {
  DEFAULT_FLOAT,
  DEFAULT_INT,
  type DType,
  isTime,
  isTypedArray,
  type TimeDType,
  type TypedArray,
} from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { DEFAULT_OF_SCALAR_KIND, fitScalar, isScalar, type Scalar, scalarKind } from "../../core/numbers.ts";
import { resultBlock } from "../../kernel/blockProgram.ts";
import { copyElements } from "../../kernel/routines/stridedWalk.ts";
import { type Built, castTo, checkDType, node } from "../../lazy/build.ts";
import { looseCall, userCall } from "../../lazy/call.ts";
import type { ArrayFunction } from "../../lazy/functionTypes.ts";
import * as sources from "../../lazy/lazyArray.ts";
import {
  type ArrayInput,
  asLazy,
  exprOfBlock,
  exprOfData,
  LazyArray,
  type Operand,
} from "../../lazy/lazyArray.ts";
import { NDArray } from "../../lazy/ndarray.ts";
import { blockOfNested, type NestedTimes } from "../../lazy/nested.ts";
import type { ArrayDType, OutputsOf, Said } from "../../lazy/operandTypes.ts";
import { add, equal, greaterEqual, lessEqual, where } from "../../ops/elementwise/index.ts";
import { rechunk } from "../../ops/moves/axisMoves.ts";
import { timesAs } from "../../ops/timeOps.ts";
import { chunksFor, source } from "../chunked.ts";
import { engine } from "../defaultEngine.ts";

// Arrays of other libraries, known by their looks: nothing is imported. In: what the user passed to asarray. Out: data
// that this library takes, not copied where it lies plainly; an error with the cure where it cannot be had.

/** What zarrita's `get` gives. */
interface StridedChunk<T extends TypedArray = TypedArray> {
  readonly data: T;
  readonly shape: Shape;
  readonly stride: readonly number[];
}

/** A column of Apache Arrow. */
interface ArrowVector {
  readonly type: unknown;
  readonly nullCount?: number;
  toArray(): unknown;
}

type ForeignArray = StridedChunk | ArrowVector;

/** Anything else is handed on as it is. */
function familiar(value: Operand | ForeignArray): Operand {
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

/** Options of what makes an array, as `cw.zeros([3], {dtype: "int32"})`. */
export interface CreationOptions<E extends DType = DType> {
  /** Of the elements; that of the values, or float64 where there are none, unless given. */
  readonly dtype?: E | undefined;
  /** How the array is cut: [100, 100], 100 for every axis, "all", or "auto". */
  readonly chunks?: ChunksArgument | undefined;
}

/** Options of `cw.asarray`. */
export interface AsarrayOptions<E extends DType = DType> extends CreationOptions<E> {
  /** true: copy now; false: an error where a copy would be needed; undefined: only where needed. */
  readonly copy?: boolean | null | undefined;
}

interface AsarrayFunction {
  <const A extends Operand, E extends DType = never>(
    obj: A,
    options?: AsarrayOptions<E>,
  ): LazyArray<Said<E, ArrayDType<A>>, OutputsOf<A>>;
  <T extends TypedArray, E extends DType = never>(
    chunk: StridedChunk<T>,
    options?: AsarrayOptions<E>,
  ): LazyArray<Said<E, ArrayDType<T>>>;
  <E extends DType = DType>(vector: ArrowVector, options?: AsarrayOptions<E>): LazyArray<E>;
  <E extends TimeDType>(times: NestedTimes, options: AsarrayOptions<E> & { readonly dtype: E }): LazyArray<E>;
}

/**
 * Data in memory (or anything lazy) as a lazy array: `cw.asarray([[1, 2], [3, 4]], {dtype: "float32"})`. Typed arrays
 * and NDArrays are not copied: do not change them before computing. What zarrita's get gives, and numeric Arrow vectors,
 * are taken as well; so are texts as dates: `cw.asarray(["2020-07-01"], {dtype: "datetime64[D]"})`.
 */
export const asarray: AsarrayFunction = userCall(
  "asarray",
  (given: Operand | ForeignArray | NestedTimes, options: AsarrayOptions = {}): Built => {
    const obj = familiar(given as Operand | ForeignArray);
    const dtype = options.dtype === undefined ? undefined : checkDType(options.dtype);
    if (obj instanceof LazyArray) return lazyAs(obj, dtype, options.chunks);
    if (options.copy === false) refuseCopy(obj, dtype);
    const array = new LazyArray(dataExpr(obj, dtype, options));
    return asDType(array, dtype) as Built;
  },
  [1, "dtype", "chunks", "copy"],
);

const asDType = (x: LazyArray, dtype: DType | undefined): LazyArray =>
  dtype === undefined ? x : (timesAs(x, dtype) ?? castTo(x, dtype));

function lazyAs(x: LazyArray, dtype: DType | undefined, chunks: ChunksArgument | undefined): Built {
  const cast = asDType(x, dtype);
  const same =
    chunks === undefined
      ? cast
      : node(rechunk, [cast], { chunks: chunksFor(chunks, cast.shape, cast.dtype) });
  return same as Built;
}

function dataExpr(
  obj: ArrayInput | Scalar,
  dtype: DType | undefined,
  { copy, chunks }: AsarrayOptions,
): LazyArray["expr"] {
  const isWritten = typeof obj === "string" || (obj as unknown) instanceof Date;
  if (isScalar(obj) || (isWritten && dtype !== undefined && isTime(dtype)))
    return exprOfBlock(blockOfNested(obj as Scalar, dtype), chunks);
  const expr = exprOfData(obj, dtype, chunks);
  return copy === true ? exprOfBlock(copyOf(sources.dataOf(expr.attrs).block), chunks) : expr;
}

/** Where kernels work on it without copying it again. */
function copyOf(block: Block): Block {
  const copy = resultBlock(engine.backend, block.dtype, block.shape);
  copyElements(block, copy);
  return copy;
}

function refuseCopy(obj: ArrayInput | Scalar, dtype: DType | undefined): void {
  const array = isScalar(obj) || Array.isArray(obj) ? null : asLazy(obj);
  if (array !== null && (dtype === undefined || dtype === array.dtype)) return;
  throw new ValueError({
    what: `${describe(obj)} cannot become an array without a copy`,
    cure: "Leave copy: false away",
  });
}

type FullFunction = <const V extends Scalar, E extends DType = ArrayDType<V>>(
  shape: number | Shape,
  value: V,
  options?: CreationOptions<E>,
) => LazyArray<E>;

/** Every element has one value. Its dtype: the value's own default unless said: `cw.full([2, 2], 7)`. */
export const full: FullFunction = userCall(
  "full",
  (shape: number | Shape, value: Scalar, options: CreationOptions = {}): Built => {
    checkScalar(value, "the fill value");
    const dtype =
      options.dtype === undefined ? DEFAULT_OF_SCALAR_KIND[scalarKind(value)] : checkDType(options.dtype);
    return source(sources.full, checkShape(shape), dtype, options.chunks, { value: fitScalar(value, dtype) });
  },
  [2, "dtype", "chunks"],
);

type ShapeFunction = <E extends DType = "float64">(
  shape: number | Shape,
  options?: CreationOptions<E>,
) => LazyArray<E>;

const filled = (name: string, value: 0 | 1): ShapeFunction =>
  userCall(
    name,
    (shape: number | Shape, { dtype = DEFAULT_FLOAT, chunks }: CreationOptions = {}) =>
      full(shape, value, { dtype, chunks }) as Built,
    [1, "dtype", "chunks"],
  );

/** All 0, float64 unless said: `cw.zeros([2, 3], {dtype: "int8"})`. */
export const zeros: ShapeFunction = filled("zeros", 0);
/** All 1, float64 unless said: `cw.ones([2, 3])`. */
export const ones: ShapeFunction = filled("ones", 1);
/** As zeros: nothing is ever read that was not written. `cw.empty([2, 3])`. */
export const empty: ShapeFunction = filled("empty", 0);

interface LikeFunction {
  <const A extends Operand, E extends DType = ArrayDType<A>>(
    x: A,
    options?: CreationOptions<E>,
  ): LazyArray<E>;
  readonly "~method"?: <D extends DType, E extends DType = D>(
    this: LazyArray<D>,
    options?: CreationOptions<E>,
  ) => LazyArray<E>;
}
interface FullLikeFunction {
  <const A extends Operand, E extends DType = ArrayDType<A>>(
    x: A,
    value: Scalar,
    options?: CreationOptions<E>,
  ): LazyArray<E>;
  readonly "~method"?: <D extends DType, E extends DType = D>(
    this: LazyArray<D>,
    value: Scalar,
    options?: CreationOptions<E>,
  ) => LazyArray<E>;
}

const like = (name: string, value: 0 | 1): LikeFunction =>
  userCall(name, (x: Operand, options?: CreationOptions) => fullLike(x, value, options) as Built, [
    1,
    "dtype",
    "chunks",
  ]);

/** One value in the shape, dtype and chunks of x, unless said otherwise: `cw.fullLike(x, 7)`. */
export const fullLike: FullLikeFunction = userCall(
  "fullLike",
  (x: Operand, value: Scalar, options: CreationOptions = {}): Built => {
    const array = asLazy(x);
    return full(array.shape, value, {
      dtype: options.dtype ?? array.dtype,
      chunks: options.chunks ?? array.chunks,
    }) as Built;
  },
  [2, "dtype", "chunks"],
);
/** Zeros in the shape, dtype and chunks of x: `cw.zerosLike(x)`. */
export const zerosLike: LikeFunction = like("zerosLike", 0);
/** Ones in the shape, dtype and chunks of x: `cw.onesLike(x)`. */
export const onesLike: LikeFunction = like("onesLike", 1);
/** As zerosLike: `cw.emptyLike(x)`. */
export const emptyLike: LikeFunction = like("emptyLike", 0);

/** Options of `cw.eye`. */
export interface EyeOptions<E extends DType = DType> extends CreationOptions<E> {
  /** Which diagonal: 0 the main one, positive above it. */
  readonly k?: number | bigint | undefined;
}

interface EyeFunction {
  <E extends DType = "float64">(
    nRows: number,
    options?: EyeOptions<E> & { readonly nCols?: number | null | undefined },
  ): LazyArray<E>;
  <E extends DType = "float64">(
    nRows: number,
    nCols: number | null | undefined,
    options?: EyeOptions<E>,
  ): LazyArray<E>;
}

/** Ones on a diagonal: `cw.eye(3)`, `cw.eye(3, {k: 1})`. */
export const eye: EyeFunction = looseCall(
  "eye",
  (
    nRows: number,
    nCols?: number | null,
    { k = 0, dtype = DEFAULT_FLOAT, chunks }: EyeOptions = {},
  ): Built => {
    const shape = checkShape([nRows, nCols ?? nRows]);
    const [row, column] = coordinates(shape, chunks);
    const onDiagonal = equal(column!, add(row!, diagonalOf(k)));
    return castTo(onDiagonal, checkDType(dtype)) as Built;
  },
  [["nRows", "nCols"], "dtype", "chunks", "k"],
);

/** Any whole number: no array reaches so far that more than 2^53 − 1 would matter. */
function diagonalOf(k: unknown): number {
  const place = typeof k === "bigint" ? Number(k) : k;
  if (!Number.isInteger(place)) return checkInteger(k, "k");
  return Math.min(Math.max(place as number, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** The row and column number of every element, over the last two axes. */
function coordinates(shape: Shape, chunks: ChunksArgument | undefined): Built[] {
  const last = shape.length - 1;
  return [last - 1, last].map((axis) => source(sources.coordinate, shape, DEFAULT_INT, chunks, { axis }));
}

type TriangleFunction = ArrayFunction<"same", [options?: { readonly k?: number | bigint | undefined }]>;

/** Keeps one side of a diagonal of the last two axes; the other side becomes 0. */
const triangle = (name: string, keeps: typeof lessEqual): TriangleFunction =>
  userCall(
    name,
    (x: Operand, { k = 0 }: { readonly k?: number | bigint | undefined } = {}): Built => {
      const array = asLazy(x);
      if (array.ndim < 2)
        throw new ShapeError({
          what: `needs at least 2 dimensions, not ${array.ndim}`,
          cure: "Use expandDims or reshape first",
        });
      const [row, column] = coordinates(array.shape, array.chunks);
      return where(keeps(column!, add(row!, diagonalOf(k))), array, zerosLike(array)) as Built;
    },
    [1, "k"],
  );

/** What lies on and below a diagonal of the last two axes, the rest 0: `cw.tril(x, {k: -1})`. */
export const tril: TriangleFunction = triangle("tril", lessEqual);
/** What lies on and above a diagonal of the last two axes, the rest 0: `cw.triu(x, {k: 1})`. */
export const triu: TriangleFunction = triangle("triu", greaterEqual);
