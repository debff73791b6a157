// What a generator's methods do. In: the stream of the call, a shape, options. Out: lazy arrays of numbers of a distribution, choices,
// permutations; keys of other generators.

import {
  type ChunksArgument,
  checkAxis,
  checkShape,
  describe,
  type Shape,
  sizeOf,
} from "../../core/chunks.ts";
import { DEFAULT_FLOAT, type FloatDType, INDEX_DTYPE } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { isScalar } from "../../core/numbers.ts";
import { philox } from "../../kernel/philox.ts";
import { built, castTo, scalarExpr } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { add, divide, minimum, multiply, nextafter, subtract } from "../../ops/elementwise/index.ts";
import { exponentialOf, normalOf, uniformOf } from "../../ops/random.ts";
import { cumulativeSum } from "../../ops/scans.ts";
import { reshape } from "../functions/manipulation.ts";
import { arange } from "../functions/ranges.ts";
import { argsort, searchsorted } from "../functions/searching.ts";
import { take } from "../functions/taking.ts";
import type {
  BinomialOptions,
  ChoiceOptions,
  ExponentialOptions,
  GammaOptions,
  IntegersOptions,
  NormalOptions,
  PermutationOptions,
  PoissonOptions,
  ShuffleOptions,
  UniformOptions,
} from "./options.ts";
import {
  bitsArray,
  checkParameter,
  drawnArray,
  floatDType,
  integerDType,
  integersArray,
  ofBits,
  permutedPlaces,
  type Stream,
  wholeNumber,
} from "./streams.ts";

/** The stream of the keys that generators of a generator have: no call has it. */
const SPAWN = -1;

type Given = number | Shape;

const isGiven = (value: Operand | undefined, usual: number): value is Operand =>
  value !== undefined && value !== usual;

/** What the methods do, each with its name and its line in errors. */
export const calls = {
  uniform: userCall(
    "uniform",
    (stream: Stream, shape: Given, { low, high, dtype, chunks }: UniformOptions = {}): LazyArray => {
      const kind = floatDType(dtype);
      const unit = ofBits(uniformOf, stream, shape, kind, chunks);
      if (!isGiven(low, 0) && !isGiven(high, 1)) return unit;
      const [least, end] = [bound(low, 0, "low"), bound(high, 1, "high")];
      const spread = add(
        multiply(unit, subtract(asKind(end, kind), asKind(least, kind))),
        asKind(least, kind),
      );
      // Where the sum rounds to the end, the number before it is meant.
      return ofShape(minimum(spread, nextafter(asKind(end, kind), asKind(least, kind))), unit);
    },
    [2, "low", "high", "dtype", "chunks"],
  ),

  normal: userCall(
    "normal",
    (stream: Stream, shape: Given, { mean, std, dtype, chunks }: NormalOptions = {}): LazyArray => {
      const kind = floatDType(dtype);
      const unit = ofBits(normalOf, stream, shape, kind, chunks);
      const scaled = isGiven(std, 1) ? multiply(unit, asKind(spreadOf(std, "std"), kind)) : unit;
      return ofShape(isGiven(mean, 0) ? add(scaled, asKind(bound(mean, 0, "mean"), kind)) : scaled, unit);
    },
    [2, "mean", "std", "dtype", "chunks"],
  ),

  exponential: userCall(
    "exponential",
    (stream: Stream, shape: Given, { scale, dtype, chunks }: ExponentialOptions = {}): LazyArray => {
      const kind = floatDType(dtype);
      const unit = ofBits(exponentialOf, stream, shape, kind, chunks);
      return ofShape(isGiven(scale, 1) ? multiply(unit, asKind(spreadOf(scale, "scale"), kind)) : unit, unit);
    },
    [2, "scale", "dtype", "chunks"],
  ),

  integers: userCall(
    "integers",
    (stream: Stream, shape: Given, options: IntegersOptions): LazyArray => {
      const { low = 0, high, dtype, chunks } = options ?? {};
      const range = [wholeNumber(low, "low"), wholeNumber(high, "high")] as const;
      return integersArray(stream, shape, range, integerDType(dtype), chunks);
    },
    [2, "low", "high", "dtype", "chunks"],
  ),

  poisson: userCall(
    "poisson",
    (stream: Stream, shape: Given, { mean = 1, chunks }: PoissonOptions = {}): LazyArray =>
      drawnArray("poisson", stream, shape, [spreadOf(mean, "mean")], chunks),
    [2, "mean", "chunks"],
  ),

  binomial: userCall(
    "binomial",
    (stream: Stream, shape: Given, options: BinomialOptions): LazyArray => {
      const { n, p, chunks } = options ?? {};
      const trials = checkParameter(
        n,
        "n",
        (x) => Number.isInteger(x) && x >= 0,
        "a whole number, 0 or more",
      );
      const chance = checkParameter(p, "p", (x) => x >= 0 && x <= 1, "a probability from 0 to 1");
      return drawnArray("binomial", stream, shape, [trials, chance], chunks);
    },
    [2, "n", "p", "chunks"],
  ),

  gamma: userCall(
    "gamma",
    (stream: Stream, shape: Given, options: GammaOptions): LazyArray => {
      const { alpha, scale, dtype, chunks } = options ?? {};
      const kind = floatDType(dtype);
      const unit = drawnArray("gamma", stream, shape, [spreadOf(alpha, "alpha")], chunks);
      const scaled = isGiven(scale, 1)
        ? multiply(unit, asKind(spreadOf(scale, "scale"), DEFAULT_FLOAT))
        : unit;
      return castTo(ofShape(scaled, unit), kind);
    },
    [2, "alpha", "scale", "dtype", "chunks"],
  ),

  bits: userCall(
    "bits",
    (
      stream: Stream,
      shape: Given,
      { chunks }: { readonly chunks?: ChunksArgument | undefined } = {},
    ): LazyArray => bitsArray(stream, checkShape(shape), chunks),
    [2, "chunks"],
  ),

  choice: userCall(
    "choice",
    (
      stream: Stream,
      from: Operand,
      shape: Given,
      { replace = true, weights, chunks }: ChoiceOptions = {},
    ): LazyArray => {
      const whole = checkShape(shape);
      const pool = poolOf(from);
      const places = replace
        ? placesWithReplacement(stream, pool.length, whole, weights, chunks)
        : placesWithout(stream, pool.length, whole, weights, chunks);
      return pool.elements === null ? places : take(pool.elements, places, { axis: 0 });
    },
    [3, "replace", "weights", "chunks"],
  ),

  permutation: userCall(
    "permutation",
    (stream: Stream, n: number, { chunks }: PermutationOptions = {}): LazyArray =>
      permutedPlaces(stream, arange(lengthOf(n, "n"), { dtype: INDEX_DTYPE, chunks }), n),
    [2, "chunks"],
  ),

  shuffle: userCall(
    "shuffle",
    (stream: Stream, x: Operand, { axis = 0 }: ShuffleOptions = {}): LazyArray => {
      const array = asLazy(x);
      const along = checkAxis(axis, array.ndim);
      const length = array.shape[along]!;
      const places = permutedPlaces(
        stream,
        arange(length, { dtype: INDEX_DTYPE, chunks: [array.chunks[along]!] }),
        length,
      );
      return take(array, places, { axis: along });
    },
    [2, "axis"],
  ),

  spawn: userCall("spawn", (seed: bigint, before: number, count: number): bigint[] =>
    Array.from({ length: lengthOf(count, "count") }, (_, i) => spawnedKey(seed, before + i)),
  ),
};

const bound = (value: Operand | undefined, usual: number, name: string): Operand =>
  checkParameter(value ?? usual, name, Number.isFinite, "a finite number or an array");

const spreadOf = (value: Operand, name: string): Operand =>
  checkParameter(value, name, (x) => x >= 0 && x < Number.POSITIVE_INFINITY, "0 or more, or an array");

/** A parameter in the dtype of what it shapes. */
const asKind = (value: Operand, dtype: FloatDType): LazyArray =>
  isScalar(value) ? built(scalarExpr(Number(value), dtype), []) : castTo(asLazy(value), dtype);

/** Parameters may not make the result larger. */
function ofShape(x: LazyArray, { shape }: LazyArray): LazyArray {
  if (sizeOf(x.shape) === sizeOf(shape) && x.ndim === shape.length) return x;
  throw new ValueError({
    what: `parameters make ${describe(x.shape)} of the shape ${describe(shape)}`,
    cure: "They must broadcast to the shape",
  });
}

function lengthOf(value: unknown, name: string): number {
  const [length] = checkShape([value as number]);
  if (typeof value === "number") return length!;
  throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use a whole number, 0 or more" });
}

/** What is chosen from: the elements of a 1-d array, or the numbers below n themselves. */
function poolOf(from: Operand): { readonly elements: LazyArray | null; readonly length: number } {
  const isNumber = isScalar(from);
  const elements = isNumber ? null : asLazy(from);
  const length = isNumber ? lengthOf(from, "the array") : elements!.shape[0];
  if (elements !== null && elements.ndim !== 1)
    throw new ValueError({
      what: `the array has ${elements.ndim} dimensions`,
      cure: "Choose from a 1-d array, or shuffle along an axis",
    });
  return { elements, length: length! };
}

function placesWithReplacement(
  stream: Stream,
  length: number,
  shape: Shape,
  weights: Operand | undefined,
  chunks: ChunksArgument | undefined,
): LazyArray {
  if (sizeOf(shape) > 0 && length === 0)
    throw new ValueError({
      what: "there is nothing to choose from",
      cure: "Choose from an array that has elements",
    });
  if (weights === undefined || length === 0)
    return integersArray(stream, shape, [0n, BigInt(Math.max(1, length))], INDEX_DTYPE, chunks);
  const likely = weightsOf(weights, length);
  const sums = cumulativeSum(likely);
  // The last is 1 exactly: nothing is chosen that weighs nothing.
  const ends = divide(sums, sums.get(-1));
  const places = searchsorted(ends, ofBits(uniformOf, stream, shape, DEFAULT_FLOAT, chunks), {
    side: "right",
  });
  // Of weights that are NaN, or all 0, the last.
  return minimum(places, length - 1);
}

/** The first of a permutation; with weights, those of the least e/w for exponential e (Efraimidis and Spirakis, 2006). */
function placesWithout(
  stream: Stream,
  length: number,
  shape: Shape,
  weights: Operand | undefined,
  chunks: ChunksArgument | undefined,
): LazyArray {
  const count = sizeOf(shape);
  if (count > length)
    throw new ValueError({
      what: `${count} of ${length} elements are wanted, none twice`,
      cure: "Choose fewer, or leave replace: false away",
    });
  if (weights === undefined) {
    const places = permutedPlaces(
      stream,
      arange(count, { dtype: INDEX_DTYPE, chunks: shape.length === 1 ? chunks : undefined }),
      length,
    );
    return reshape(places, shape);
  }
  const keys = divide(
    ofBits(exponentialOf, stream, [length], DEFAULT_FLOAT, undefined),
    weightsOf(weights, length),
  );
  return reshape(argsort(keys).get(`:${count}`), shape);
}

function weightsOf(weights: Operand, length: number): LazyArray {
  const array = castTo(asLazy(weights), DEFAULT_FLOAT);
  if (array.ndim === 1 && array.shape[0] === length) return array;
  throw new ValueError({
    what: `the weights have the shape ${describe(array.shape)}`,
    cure: `Give one for each of ${length} elements`,
  });
}

/** The key of generator number n of a generator: bits of a stream that no call has. */
function spawnedKey(seed: bigint, n: number): bigint {
  const words = Int32Array.of(n, Math.floor(n / 2 ** 32), SPAWN, SPAWN);
  philox(words, Number(BigInt.asIntN(32, seed)), Number(BigInt.asIntN(32, seed >> 32n)));
  return new BigUint64Array(words.buffer)[0]!;
}
