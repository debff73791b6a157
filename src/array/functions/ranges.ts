// Numbers in a row: arange and linspace. In: where they begin and end. Out: arrays that are a formula of their places.

import { checkReal, checkScalar } from "../../core/check.ts";
import { checkShape, describe, isLength } from "../../core/chunks.ts";
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
  type Promote,
  promote,
  type RealScalar,
  type Scalar,
  scalarKind,
} from "../../core/numbers.ts";
import { type Built, castTo, checkDType } from "../../lazy/build.ts";
import { looseCall } from "../../lazy/call.ts";
import type { LazyArray } from "../../lazy/lazyArray.ts";
import * as sources from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { source } from "../chunked.ts";
import type { CreationOptions } from "./creation.ts";

/** Whole numbers are int64; a fraction among them makes float64. */
type RangeDType<A, B = 0, S = 1> = Promote<
  Promote<Promote<"int64", ArrayDType<A>>, ArrayDType<B>>,
  ArrayDType<S>
>;

interface ArangeOptions<E extends DType, B extends RealScalar, S extends RealScalar>
  extends CreationOptions<E> {
  /** Where it ends, before this; with none the start is it, and it begins at 0. */
  readonly stop?: B | null | undefined;
  /** From one to the next; 1 unless given. */
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

/** Options of `cw.linspace`. */
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
