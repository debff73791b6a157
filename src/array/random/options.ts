// What random arrays may be told: the options of a generator's methods (generator.ts).

import type { AxisName, ChunksArgument } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import type { Operand } from "../../lazy/lazyArray.ts";

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
  readonly axis?: AxisName | undefined;
}

/** Options of `permutation`. */
export interface PermutationOptions {
  /** How the array is cut. */
  readonly chunks?: ChunksArgument | undefined;
}
