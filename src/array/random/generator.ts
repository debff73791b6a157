// Random arrays. In: a seed, then what is wanted. Out: lazy arrays that are a formula of their places (ops/random.ts): the same numbers
// for every chunking, executor and machine. A generator counts its calls: each has a stream of its own.

import { type ChunksArgument, checkAxis, checkShape, type Shape } from "../../core/chunks.ts";
import { DEFAULT_FLOAT, type DType, type FloatDType, INDEX_DTYPE } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { add, minimum, multiply, nextafter, subtract } from "../../ops/elementwise/index.ts";
import { exponentialOf, normalOf, uniformOf } from "../../ops/random.ts";
import { arange } from "../functions/ranges.ts";
import { take } from "../functions/taking.ts";
import { placesWithout, placesWithReplacement, poolOf } from "./choosing.ts";
import {
  anySeed,
  asKind,
  bitsArray,
  bound,
  checkParameter,
  drawnArray,
  floatDType,
  integerDType,
  integersArray,
  isGiven,
  keptShape,
  lengthOf,
  ofBits,
  permutedPlaces,
  type Stream,
  spawnedKey,
  spreadOf,
  wholeNumber,
} from "./streams.ts";

/** Options of all random arrays. */
export interface RandomOptions<E extends DType = DType> {
  /** Of the numbers: float64, or int64 of whole ones, unless given. */
  readonly dtype?: E | undefined;
  /** How the array is cut: "auto" unless given. The numbers do not depend on it. */
  readonly chunks?: ChunksArgument | undefined;
}

/** Options of `uniform`. */
export interface UniformOptions<E extends DType = DType> extends RandomOptions<E> {
  /** The least number; 0 unless given. A number, or an array that broadcasts to the shape, as all parameters. */
  readonly low?: Operand | undefined;
  /** What all numbers are less than; 1 unless given. */
  readonly high?: Operand | undefined;
}

/** Options of `normal`. */
export interface NormalOptions<E extends DType = DType> extends RandomOptions<E> {
  /** 0 unless given. */
  readonly mean?: Operand | undefined;
  /** The standard deviation; 1 unless given. */
  readonly std?: Operand | undefined;
}

/** Options of `exponential`. */
export interface ExponentialOptions<E extends DType = DType> extends RandomOptions<E> {
  /** The mean; 1 unless given. */
  readonly scale?: Operand | undefined;
}

/** Options of `integers`. */
export interface IntegersOptions<E extends DType = DType> extends RandomOptions<E> {
  /** The least number; 0 unless given. */
  readonly low?: number | bigint | undefined;
  /** What all numbers are less than. */
  readonly high: number | bigint;
}

/** Options of `poisson`. */
export interface PoissonOptions {
  /** 1 unless given. */
  readonly mean?: Operand | undefined;
  /** How the array is cut. */
  readonly chunks?: ChunksArgument | undefined;
}

/** Options of `binomial`. */
export interface BinomialOptions {
  /** How many trials. */
  readonly n: Operand;
  /** The probability of success in each. */
  readonly p: Operand;
  /** How the array is cut. */
  readonly chunks?: ChunksArgument | undefined;
}

/** Options of `gamma`. */
export interface GammaOptions<E extends DType = DType> extends RandomOptions<E> {
  /** The shape of the distribution, which is the mean where scale is 1. */
  readonly alpha: Operand;
  /** 1 unless given. */
  readonly scale?: Operand | undefined;
}

/** Options of `choice`. */
export interface ChoiceOptions {
  /** May an element be chosen again? true unless given. */
  readonly replace?: boolean | undefined;
  /** How likely each element is, up to a factor; all alike unless given. */
  readonly weights?: Operand | undefined;
  /** How the array is cut. */
  readonly chunks?: ChunksArgument | undefined;
}

/** Options of `shuffle`. */
export interface ShuffleOptions {
  /** Along which axis; the first unless given. */
  readonly axis?: number | undefined;
}

/** Options of `permutation`. */
export interface PermutationOptions {
  /** How the array is cut. */
  readonly chunks?: ChunksArgument | undefined;
}

/** Calls of one generator, and a word for each. */
const MOST_CALLS = 2 ** 32;
/**
 * Makes random arrays: `const rng = cw.random(7); rng.normal([1000, 1000])`. The seed and the number of the call say which numbers
 * these are, and nothing else does.
 */
export class RandomGenerator {
  /** By which it can be made again, with `cw.random(seed)`. */
  readonly seed: bigint;
  #calls = 0;
  #spawned = 0;

  /** Generators are made by `cw.random(seed)`. */
  constructor(seed: bigint) {
    this.seed = seed;
  }

  #next(): Stream {
    if (this.#calls + 1 >= MOST_CALLS)
      throw new ValueError({
        what: `the generator was called ${this.#calls} times`,
        cure: "Use spawn() or another seed",
      });
    return { key: this.seed, stream: this.#calls++ };
  }

  /** As evenly spread from low (0) up to high (1) as the dtype allows; high is none of them. */
  uniform<E extends FloatDType = "float64">(
    shape: number | Shape,
    options?: UniformOptions<E>,
  ): LazyArray<E> {
    return calls.uniform(this.#next(), shape, options) as LazyArray<E>;
  }

  /** Normal numbers, by inversion: one place of the generator's counter each. */
  normal<E extends FloatDType = "float64">(shape: number | Shape, options?: NormalOptions<E>): LazyArray<E> {
    return calls.normal(this.#next(), shape, options) as LazyArray<E>;
  }

  /** Exponential numbers, by inversion. */
  exponential<E extends FloatDType = "float64">(
    shape: number | Shape,
    options?: ExponentialOptions<E>,
  ): LazyArray<E> {
    return calls.exponential(this.#next(), shape, options) as LazyArray<E>;
  }

  /** Whole numbers from low (0) up to high, all exactly as likely: `rng.integers(10, {high: 6})`. */
  integers<E extends DType = "int64">(shape: number | Shape, options: IntegersOptions<E>): LazyArray<E> {
    return calls.integers(this.#next(), shape, options) as LazyArray<E>;
  }

  /** How many events there are where `mean` are expected: int64. */
  poisson(shape: number | Shape, options?: PoissonOptions): LazyArray<"int64"> {
    return calls.poisson(this.#next(), shape, options) as LazyArray<"int64">;
  }

  /** How many of n trials succeed: int64. */
  binomial(shape: number | Shape, options: BinomialOptions): LazyArray<"int64"> {
    return calls.binomial(this.#next(), shape, options) as LazyArray<"int64">;
  }

  /** Gamma numbers. */
  gamma<E extends FloatDType = "float64">(shape: number | Shape, options: GammaOptions<E>): LazyArray<E> {
    return calls.gamma(this.#next(), shape, options) as LazyArray<E>;
  }

  /** 64 random bits for each element: what all else is made of. */
  bits(
    shape: number | Shape,
    options?: { readonly chunks?: ChunksArgument | undefined },
  ): LazyArray<"uint64"> {
    return calls.bits(this.#next(), shape, options) as LazyArray<"uint64">;
  }

  /** Elements of a 1-d array, or numbers below n, chosen at random. */
  choice<const A extends Operand>(
    from: A,
    shape: number | Shape,
    options?: ChoiceOptions,
  ): LazyArray<ArrayDType<A>> {
    return calls.choice(this.#next(), from, shape, options) as LazyArray<ArrayDType<A>>;
  }

  /** The numbers below n in random order; any part of it is made by itself, whatever n is. */
  permutation(n: number, options?: PermutationOptions): LazyArray<"int64"> {
    return calls.permutation(this.#next(), n, options) as LazyArray<"int64">;
  }

  /** An array with its parts along an axis in random order. */
  shuffle<const A extends Operand>(x: A, options?: ShuffleOptions): LazyArray<ArrayDType<A>> {
    return calls.shuffle(this.#next(), x, options) as LazyArray<ArrayDType<A>>;
  }

  /** Generators whose numbers have nothing to do with this one's, nor with one another's. */
  spawn(count: number): RandomGenerator[] {
    const made = calls.spawn(this.seed, this.#spawned, count);
    this.#spawned += count;
    return made;
  }
}

type Given = number | Shape;

/** What the methods do, each with its name and its line in errors. */
const calls = {
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
      return keptShape(minimum(spread, nextafter(asKind(end, kind), asKind(least, kind))), unit);
    },
    [2, "low", "high", "dtype", "chunks"],
  ),

  normal: userCall(
    "normal",
    (stream: Stream, shape: Given, { mean, std, dtype, chunks }: NormalOptions = {}): LazyArray => {
      const kind = floatDType(dtype);
      const unit = ofBits(normalOf, stream, shape, kind, chunks);
      const scaled = isGiven(std, 1) ? multiply(unit, asKind(spreadOf(std, "std"), kind)) : unit;
      return keptShape(isGiven(mean, 0) ? add(scaled, asKind(bound(mean, 0, "mean"), kind)) : scaled, unit);
    },
    [2, "mean", "std", "dtype", "chunks"],
  ),

  exponential: userCall(
    "exponential",
    (stream: Stream, shape: Given, { scale, dtype, chunks }: ExponentialOptions = {}): LazyArray => {
      const kind = floatDType(dtype);
      const unit = ofBits(exponentialOf, stream, shape, kind, chunks);
      return keptShape(
        isGiven(scale, 1) ? multiply(unit, asKind(spreadOf(scale, "scale"), kind)) : unit,
        unit,
      );
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
      return castTo(keptShape(scaled, unit), kind);
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

  spawn: userCall("spawn", (seed: bigint, before: number, count: number): RandomGenerator[] =>
    Array.from(
      { length: lengthOf(count, "count") },
      (_, i) => new RandomGenerator(spawnedKey(seed, before + i)),
    ),
  ),
};

/**
 * A generator of random arrays: `cw.random(7).uniform([1000])`. The seed is a whole number below 2⁶⁴; without one it is random, and
 * `generator.seed` says what it is.
 */
export const random: (seed?: number | bigint) => RandomGenerator = userCall(
  "random",
  (seed?: number | bigint): RandomGenerator => {
    if (seed === undefined) return new RandomGenerator(anySeed());
    const whole = wholeNumber(seed, "the seed");
    if (whole >= 0n && whole < 1n << 64n) return new RandomGenerator(whole);
    throw new ValueError({ what: `the seed is ${whole}`, cure: "Use a whole number from 0 up to 2^64" });
  },
);
