// Random arrays. In: a seed, then what is wanted. Out: lazy arrays that are a formula of their places (ops/random.ts): the same numbers
// for every chunking, executor and machine. A generator counts its calls: each has a stream of its own.

import type { ChunksArgument, Shape } from "../../core/chunks.ts";
import type { DType, FloatDType } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { userCall } from "../../lazy/call.ts";
import type { LazyArray, Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import { calls } from "./drawing.ts";
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
import { type Stream, wholeNumber } from "./streams.ts";

/** Calls of one generator, and a word for each. */
const MOST_CALLS = 2 ** 32;
/**
 * Makes random arrays: `const rng = cw.random(7); rng.normal([1000, 1000])`. The seed and the number of the call say which numbers
 * these are, and nothing else does. A `RandomGenerator` is made by `cw.random`.
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
    const keys = calls.spawn(this.seed, this.#spawned, count);
    this.#spawned += count;
    return keys.map((key) => new RandomGenerator(key));
  }
}

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

function anySeed(): bigint {
  const words = globalThis.crypto.getRandomValues(new Uint32Array(2));
  return (BigInt(words[0]! & 0x1fffff) << 32n) | BigInt(words[1]!);
}
