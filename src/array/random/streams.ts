// What random arrays are built of. In: a stream (a generator's key, and the number of the call), shapes and options. Out: nodes of
// ops/random.ts, in the chunks that were asked for.

import { type ChunksArgument, checkShape, describe, type Shape } from "../../core/chunks.ts";
import {
  DEFAULT_FLOAT,
  DEFAULT_INT,
  type DType,
  type FloatDType,
  isFloat,
  isInteger,
} from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { integerRange, isScalar } from "../../core/numbers.ts";
import type { ElementwiseOp } from "../../expr/op.ts";
import type { Distribution } from "../../kernel/routines/draws.ts";
import { type Built, castTo, checkDType, node } from "../../lazy/build.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { drawn, permuted, randomBits, randomIntegers, type StreamAttrs } from "../../ops/random.ts";
import { broadcastLazy, chunksFor, source } from "../chunked.ts";
import { full } from "../functions/creation.ts";

/** The attributes of a call. */
export type Stream = StreamAttrs & { readonly key: bigint; readonly stream: number };

type Chunks = ChunksArgument | undefined;

export const attrsOf = ({ key, stream }: Stream): { readonly key: bigint; readonly stream: number } => ({
  key,
  stream,
});

export const bitsArray = (stream: Stream, shape: Shape, chunks: Chunks): Built =>
  source(randomBits, shape, "uint64", chunks, attrsOf(stream));

/** Numbers of a floating dtype, each made of the bits of its place; chunks are cut for that dtype. */
export function ofBits(
  op: ElementwiseOp,
  stream: Stream,
  shape: number | Shape,
  dtype: DType,
  chunks: Chunks,
): Built {
  const whole = checkShape(shape);
  const cut = chunksFor(chunks, whole, dtype);
  return node(op, [bitsArray(stream, whole, [...cut])], { dtype });
}

export function floatDType(dtype: unknown): FloatDType {
  const checked = dtype === undefined ? DEFAULT_FLOAT : checkDType(dtype);
  if (isFloat(checked)) return checked;
  throw new DTypeError({
    what: `numbers of this distribution are not ${checked}`,
    cure: "Use float64, float32 or float16, or integers()",
  });
}

export function integerDType(dtype: unknown): DType {
  const checked = dtype === undefined ? DEFAULT_INT : checkDType(dtype);
  if (isInteger(checked)) return checked;
  throw new DTypeError({
    what: `whole numbers are not ${checked}`,
    cure: 'Use an integer dtype, as "int64"',
  });
}

/** Beyond so many numbers a draw has to be taken again too often for a formula. */
const SHORT_RANGE = 1n << 32n;

/** Whole numbers from low up to and without high. */
export function integersArray(
  stream: Stream,
  shape: number | Shape,
  [low, high]: readonly [bigint, bigint],
  dtype: DType,
  chunks: Chunks,
): Built {
  const whole = checkShape(shape);
  const [least, most] = integerRange(dtype);
  const count = high - low;
  if (count <= 0n)
    throw new ValueError({
      what: `there is no whole number from ${low} up to ${high}`,
      cure: "high must be greater than low",
    });
  if (low < least || high - 1n > most)
    throw new DTypeError({
      what: `numbers from ${low} up to ${high} are not all ${dtype} (${least} to ${most})`,
      cure: "Use a wider dtype, or a shorter range",
    });
  const attrs = { ...attrsOf(stream), low, count };
  if (count <= SHORT_RANGE) return source(randomIntegers, whole, dtype, chunks, attrs);
  const cut = [...chunksFor(chunks, whole, dtype)];
  const wide = node(drawn, [full(whole, 0, { dtype: DEFAULT_FLOAT, chunks: cut })], {
    ...attrs,
    distribution: "integers",
    shape: whole,
    chunks: cut,
  });
  return castTo(wide, dtype) as Built;
}

/** Numbers of a distribution of kernel/routines/draws.ts: of parameters that broadcast to the shape. */
export function drawnArray(
  distribution: Distribution,
  stream: Stream,
  shape: number | Shape,
  parameters: readonly Operand[],
  chunks: Chunks,
): Built {
  const whole = checkShape(shape);
  const cut = [...chunksFor(chunks, whole, DEFAULT_FLOAT)];
  const arrays = parameters.map((parameter) => ofShape(parameter, whole, cut));
  return node(drawn, arrays, { ...attrsOf(stream), distribution, shape: whole, chunks: cut });
}

function ofShape(parameter: Operand, shape: Shape, chunks: number[]): LazyArray {
  if (isScalar(parameter)) return full(shape, Number(parameter), { chunks, dtype: DEFAULT_FLOAT });
  const array = asLazy(parameter);
  if (isFloat(array.dtype) || isInteger(array.dtype))
    return broadcastLazy(castTo(array, DEFAULT_FLOAT), shape);
  throw new DTypeError({ what: `a parameter is ${array.dtype}`, cure: "Use real numbers" });
}

/** Where a random permutation of `length` sends places. */
export const permutedPlaces = (stream: Stream, places: LazyArray, length: number): Built =>
  node(permuted, [places], { ...attrsOf(stream), length });

export function wholeNumber(value: unknown, name: string): bigint {
  if (typeof value === "bigint") return value;
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  throw new ValueError({
    what: `${name} is ${describe(value)}`,
    cure: "Use a whole number, as a bigint beyond 2^53",
  });
}

/** A number, or an array of numbers. */
export function checkParameter(
  value: Operand,
  name: string,
  isRight: (x: number) => boolean,
  takes: string,
): Operand {
  const isWrong =
    value === null ||
    value === undefined ||
    (isScalar(value) && !(typeof value !== "object" && isRight(Number(value))));
  if (!isWrong) return value;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: `It must be ${takes}` });
}
