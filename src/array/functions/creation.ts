// Creation: arrays from data, and arrays that are a formula of their coordinates.

import type { Attrs } from "../../core/attrs.ts";
import type { Block } from "../../core/block.ts";
import { checkReal, checkScalar } from "../../core/check.ts";
import type { ChunksArgument } from "../../core/chunks.ts";
import {
  DEFAULT_COMPLEX,
  DEFAULT_FLOAT,
  DEFAULT_INT,
  type DType,
  infoOf,
  isComplex,
  isFloat,
  isInteger,
} from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import {
  Complex,
  DEFAULT_OF_SCALAR_KIND,
  fitScalar,
  isScalar,
  type RealScalar,
  type Scalar,
  scalarKind,
} from "../../core/numbers.ts";
import { type Promote, promote } from "../../core/promotion.ts";
import { checkInteger, checkShape, describe, isLength, type Shape } from "../../core/shape.ts";
import { makeExpr } from "../../expr/expr.ts";
import type { SourceOp } from "../../expr/op.ts";
import { resultBlock } from "../../kernel/blocks.ts";
import { copyElements } from "../../kernel/routines/walk.ts";
import { rechunk } from "../../ops/moves/layout.ts";
import * as sources from "../../ops/sources.ts";
import { type Built, built, castTo, checkDType, chunksFor, node } from "../build.ts";
import { looseCall, userCall } from "../call.ts";
import type { ArrayFunction } from "../functionTypes.ts";
import { type ArrayInput, asLazy, exprOfBlock, exprOfData, LazyArray, type Operand } from "../lazyArray.ts";
import { blockOfNested } from "../nested.ts";
import type { ArrayDType, OutputsOf, Said } from "../operandTypes.ts";
import { add, equal, greaterEqual, lessEqual, where } from "./elementwise.ts";

export interface CreationOptions<E extends DType = DType> {
  readonly dtype?: E | undefined;
  readonly chunks?: ChunksArgument | undefined;
}

/** A source of one op; chunks default to "auto". */
function source(
  op: SourceOp,
  shape: Shape,
  dtype: DType,
  chunks: ChunksArgument | undefined,
  attrs: Attrs,
): Built {
  const cut = chunksFor(chunks, shape, dtype);
  return built(makeExpr(op, [], { ...sources.sourceAttrs({ dtype, shape }, cut), ...attrs }), []);
}

export interface AsarrayOptions<E extends DType = DType> extends CreationOptions<E> {
  /** true: copy now; false: an error where a copy would be needed; undefined: only where needed. */
  readonly copy?: boolean | null | undefined;
}

type AsarrayFunction = <const A extends Operand, E extends DType = never>(
  obj: A,
  options?: AsarrayOptions<E>,
) => LazyArray<Said<E, ArrayDType<A>>, OutputsOf<A>>;

/**
 * Data in memory (or anything lazy) as a lazy array: `cw.asarray([[1, 2], [3, 4]], {dtype: "float32"})`. Typed arrays
 * and NDArrays are not copied: do not change them before computing.
 */
export const asarray: AsarrayFunction = userCall(
  "asarray",
  (obj: Operand, options: AsarrayOptions = {}): Built => {
    const dtype = options.dtype === undefined ? undefined : checkDType(options.dtype);
    if (obj instanceof LazyArray) return lazyAs(obj, dtype, options.chunks);
    if (options.copy === false) refuseCopy(obj, dtype);
    const array = new LazyArray(dataExpr(obj, dtype, options));
    return (dtype === undefined ? array : castTo(array, dtype)) as Built;
  },
  [1, "dtype", "chunks", "copy"],
);

function lazyAs(x: LazyArray, dtype: DType | undefined, chunks: ChunksArgument | undefined): Built {
  const cast = dtype === undefined ? x : castTo(x, dtype);
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
  if (isScalar(obj)) return exprOfBlock(blockOfNested(obj, dtype), chunks);
  const expr = exprOfData(obj, dtype, chunks);
  return copy === true ? exprOfBlock(copyOf(sources.dataOf(expr.attrs).block), chunks) : expr;
}

/** Where kernels work on it without copying it again. */
function copyOf(block: Block): Block {
  const copy = resultBlock(block.dtype, block.shape);
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

/** Whole numbers are int64; a fraction among them makes float64. */
type RangeDType<A, B = 0, S = 1> = Promote<
  Promote<Promote<"int64", ArrayDType<A>>, ArrayDType<B>>,
  ArrayDType<S>
>;

interface ArangeOptions<E extends DType, B extends RealScalar, S extends RealScalar>
  extends CreationOptions<E> {
  readonly stop?: B | null | undefined;
  readonly step?: S | undefined;
}
interface ArangeFunction {
  <
    const A extends RealScalar,
    const B extends RealScalar = 0,
    const S extends RealScalar = 1,
    E extends DType = RangeDType<A, B, S>,
  >(
    start: A,
    options?: ArangeOptions<E, B, S>,
  ): LazyArray<E>;
  <
    const A extends RealScalar,
    const B extends RealScalar = 0,
    const S extends RealScalar = 1,
    E extends DType = RangeDType<A, B, S>,
  >(
    start: A,
    stop: B | null | undefined,
    options?: Omit<ArangeOptions<E, B, S>, "stop">,
  ): LazyArray<E>;
  <
    const A extends RealScalar,
    const B extends RealScalar = 0,
    const S extends RealScalar = 1,
    E extends DType = RangeDType<A, B, S>,
  >(
    start: A,
    stop: B | null | undefined,
    step: S | undefined,
    options?: CreationOptions<E>,
  ): LazyArray<E>;
}

/** start, start + step, … up to but without stop. With one number: from 0 up to it: `cw.arange(10)`. */
export const arange: ArangeFunction = looseCall(
  "arange",
  (
    start: RealScalar,
    stop?: RealScalar | null,
    step: RealScalar = 1,
    options: CreationOptions = {},
  ): Built => {
    for (const [name, value] of Object.entries({ start, stop: stop ?? 0, step })) checkReal(value, name);
    const [from, to] = stop === undefined || stop === null ? [0, start] : [start, stop];
    const dtype = options.dtype === undefined ? rangeDType([from, to, step]) : checkDType(options.dtype);
    if (!isInteger(dtype) && !isFloat(dtype))
      throw new DTypeError({ what: `arange cannot make ${dtype}`, cure: "Use an integer or floating dtype" });
    const length = rangeLength(from, to, step);
    if (isInteger(dtype) && length > 1) fitScalar(lastOf(from, step, length), dtype);
    const attrs = { start: fitScalar(from, dtype), step: fitStep(from, step, dtype) };
    return source(sources.arange, checkShape([length]), dtype, options.chunks, attrs);
  },
  [["start", "stop", "step"], "dtype", "chunks"],
);

/** The last element of an integer range, exactly. */
function lastOf(start: RealScalar, step: RealScalar, length: number): RealScalar {
  const isWhole = [start, step].every((x) => typeof x !== "number" || Number.isInteger(x));
  return isWhole ? BigInt(start) + BigInt(step) * BigInt(length - 1) : Number(start);
}

const rangeDType = (values: readonly RealScalar[]): DType =>
  values.map((value) => DEFAULT_OF_SCALAR_KIND[scalarKind(value)]).reduce(promote, DEFAULT_INT);

/** A negative step of an unsigned range wraps, and its sums come out right. */
function fitStep(start: RealScalar, step: RealScalar, dtype: DType): Scalar {
  if (isFloat(dtype)) return fitScalar(Number(start) + Number(step) - Number(start), dtype);
  return dtype.startsWith("u") && Number(step) < 0
    ? BigInt.asUintN(8 * infoOf(dtype).bytes, BigInt(step))
    : fitScalar(step, dtype);
}

function rangeLength(start: RealScalar, stop: RealScalar, step: RealScalar): number {
  if (Number(step) === 0 || Number.isNaN(Number(step))) {
    throw new ValueError({ what: `the step is ${step}`, cure: "Use a step other than 0" });
  }
  const length =
    typeof start === "bigint" &&
    typeof stop === "bigint" &&
    (typeof step !== "number" || Number.isInteger(step))
      ? Number((stop - start + BigInt(step) - (BigInt(step) > 0n ? 1n : -1n)) / BigInt(step))
      : Math.ceil((Number(stop) - Number(start)) / Number(step));
  if (Number.isSafeInteger(length)) return Math.max(0, length);
  throw new ValueError({
    what: `a range from ${start} to ${stop} by ${step} has ${length} elements`,
    cure: Number.isFinite(length)
      ? "Use a shorter range: more than 2^53 elements cannot be counted"
      : "Use finite bounds",
  });
}

export interface LinspaceOptions<E extends DType = DType> extends CreationOptions<E> {
  /** Is stop the last element? */
  readonly endpoint?: boolean | undefined;
}

/** Complex where an end is. */
type SpaceDType<A, B> = Promote<EndDType<A>, EndDType<B>>;
type EndDType<S> = S extends Complex ? "complex128" : "float64";

interface LinspaceFunction {
  <const A extends Scalar, const B extends Scalar, E extends DType = SpaceDType<A, B>>(
    start: A,
    stop: B,
    num: number,
    options?: LinspaceOptions<E>,
  ): LazyArray<E>;
  <const A extends Scalar, const B extends Scalar, E extends DType = SpaceDType<A, B>>(
    start: A,
    stop: B,
    options: LinspaceOptions<E> & { readonly num: number },
  ): LazyArray<E>;
}

/** `num` evenly spaced numbers from start to stop: `cw.linspace(0, 1, 5)`. */
export const linspace: LinspaceFunction = looseCall(
  "linspace",
  (
    start: Scalar,
    stop: Scalar,
    num: number,
    { endpoint = true, ...options }: LinspaceOptions = {},
  ): Built => {
    if (typeof num === "number" && num > Number.MAX_SAFE_INTEGER) checkShape([num]);
    if (!isLength(num))
      throw new ShapeError({
        what: `num is ${describe(num)}`,
        cure: "It must be a whole number, 0 or more",
      });
    checkScalar(start, "start");
    checkScalar(stop, "stop");
    const isComplexRange = start instanceof Complex || stop instanceof Complex;
    const dtype =
      options.dtype === undefined
        ? isComplexRange
          ? DEFAULT_COMPLEX
          : DEFAULT_FLOAT
        : checkDType(options.dtype);
    const working = isComplex(dtype) || isFloat(dtype) ? dtype : DEFAULT_FLOAT;
    if (isComplexRange && !isComplex(dtype)) {
      throw new DTypeError({ what: `a complex range cannot be ${dtype}`, cure: "Use a complex dtype" });
    }
    const parts = endpoint ? num - 1 : num;
    const step = scaleDifference(start, stop, Math.max(1, parts));
    const attrs = { start: plain(start), step, last: endpoint && num > 1 ? plain(stop) : null };
    return castTo(source(sources.linspace, [num], working, options.chunks, attrs), dtype) as Built;
  },
  [["start", "stop", "num"], "dtype", "chunks", "endpoint"],
);

const plain = (value: Scalar): Scalar => (value instanceof Complex ? value : Number(value));

function scaleDifference(start: Scalar, stop: Scalar, parts: number): Scalar {
  if (!(start instanceof Complex) && !(stop instanceof Complex))
    return (Number(stop) - Number(start)) / parts;
  const from = fitScalar(start, DEFAULT_COMPLEX) as Complex;
  const to = fitScalar(stop, DEFAULT_COMPLEX) as Complex;
  return new Complex((to.re - from.re) / parts, (to.im - from.im) / parts);
}

export interface EyeOptions<E extends DType = DType> extends CreationOptions<E> {
  /** Which diagonal: 0 the main one, positive above it. */
  readonly k?: number | undefined;
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
    const onDiagonal = equal(column!, add(row!, checkInteger(k, "k")));
    return castTo(onDiagonal, checkDType(dtype)) as Built;
  },
  [["nRows", "nCols"], "dtype", "chunks", "k"],
);

/** The row and column number of every element, over the last two axes. */
function coordinates(shape: Shape, chunks: ChunksArgument | undefined): Built[] {
  const last = shape.length - 1;
  return [last - 1, last].map((axis) => source(sources.coordinate, shape, DEFAULT_INT, chunks, { axis }));
}

type TriangleFunction = ArrayFunction<"same", [options?: { readonly k?: number | undefined }]>;

/** Keeps one side of a diagonal of the last two axes; the other side becomes 0. */
const triangle = (name: string, keeps: typeof lessEqual): TriangleFunction =>
  userCall(
    name,
    (x: Operand, { k = 0 }: { readonly k?: number | undefined } = {}): Built => {
      const array = asLazy(x);
      if (array.ndim < 2)
        throw new ShapeError({
          what: `needs at least 2 dimensions, not ${array.ndim}`,
          cure: "Use expandDims or reshape first",
        });
      const [row, column] = coordinates(array.shape, array.chunks);
      return where(keeps(column!, add(row!, checkInteger(k, "k"))), array, zerosLike(array)) as Built;
    },
    [1, "k"],
  );

/** What lies on and below a diagonal of the last two axes, the rest 0: `cw.tril(x, {k: -1})`. */
export const tril: TriangleFunction = triangle("tril", lessEqual);
/** What lies on and above a diagonal of the last two axes, the rest 0: `cw.triu(x, {k: 1})`. */
export const triu: TriangleFunction = triangle("triu", greaterEqual);
