// The methods of LazyArray, by type: every function whose first argument is an array, without that
// argument. Results keep the outputs marked on the array (O) and, for two operands, on the other one.
// methods.ts installs them and cannot leave one out.

import type { ChunksArgument } from "../core/chunks.ts";
import type { DType } from "../core/dtype.ts";
import type { Scalar } from "../core/numbers.ts";
import type { Shape } from "../core/shape.ts";
import type { Plan } from "../plan/index.ts";
import type { AsyncComputeOptions, ComputeOptions } from "../runtime/options.ts";
import type { StoreArgument } from "../storage/location.ts";
import type { OutOption } from "./build.ts";
import type { Executed, PlanCallOptions } from "./compute.ts";
import type { CreationOptions } from "./functions/creation.ts";
import type { SoftmaxOptions } from "./functions/exponentialSums.ts";
import type { TensordotOptions, VecdotOptions } from "./functions/linear.ts";
import type { PadOptions, RepeatOptions, RollOptions } from "./functions/repeating.ts";
import type * as s from "./functions/statistics.ts";
import type { LazyArray, Operand } from "./lazyArray.ts";
import type { NDArray } from "./ndarray.ts";
import type { SelectionItem } from "./selection.ts";
import type { ToZarrOptions } from "./storing.ts";

type UnaryName =
  | "abs" | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atanh" | "bitwiseInvert" | "ceil" | "conj" | "cos" | "cosh"
  | "exp" | "expm1" | "floor" | "imag" | "isfinite" | "isinf" | "isnan" | "log" | "log10" | "log1mexp" | "log1p"
  | "log2" | "logicalNot" | "negative" | "positive" | "real" | "reciprocal" | "round" | "sigmoid" | "sign" | "signbit"
  | "sin" | "sinh" | "softplus" | "sqrt" | "square" | "tan" | "tanh" | "trunc"; // biome-ignore format: a list of names

type BinaryName =
  | "add" | "atan2" | "bitwiseAnd" | "bitwiseLeftShift" | "bitwiseOr" | "bitwiseRightShift" | "bitwiseXor" | "copysign"
  | "divide" | "equal" | "floorDivide" | "greater" | "greaterEqual" | "hypot" | "less" | "lessEqual" | "logaddexp"
  | "logicalAnd" | "logicalOr" | "logicalXor" | "maximum" | "minimum" | "multiply" | "nextafter" | "notEqual" | "pow"
  | "remainder" | "subtract"; // biome-ignore format: a list of names

type UnaryMethods<O> = { [K in UnaryName]: (options?: OutOption) => LazyArray<O> };
type BinaryMethods<O> = {
  [K in BinaryName]: <Q = unknown>(other: Operand<Q>, options?: OutOption) => LazyArray<O & Q>;
};

interface ReduceMethods<O> {
  sum(options?: s.SumOptions): LazyArray<O>;
  prod(options?: s.SumOptions): LazyArray<O>;
  mean(options?: s.ReduceOptions): LazyArray<O>;
  std(options?: s.VarianceOptions): LazyArray<O>;
  var(options?: s.VarianceOptions): LazyArray<O>;
  max(options?: s.ReduceOptions): LazyArray<O>;
  min(options?: s.ReduceOptions): LazyArray<O>;
  any(options?: s.ReduceOptions): LazyArray<O>;
  all(options?: s.ReduceOptions): LazyArray<O>;
  countNonzero(options?: s.ReduceOptions): LazyArray<O>;
  argmax(options?: s.ArgOptions): LazyArray<O>;
  argmin(options?: s.ArgOptions): LazyArray<O>;
  cumulativeSum(options?: s.CumulativeOptions): LazyArray<O>;
  cumulativeProd(options?: s.CumulativeOptions): LazyArray<O>;
  diff(options?: s.DiffOptions): LazyArray<O>;
  searchsorted<Q = unknown>(values: Operand<Q>, options?: s.SearchsortedOptions): LazyArray<O & Q>;
  sort(options?: s.SortOptions): LazyArray<O>;
  argsort(options?: s.SortOptions): LazyArray<O>;
  nansum(options?: s.SumOptions): LazyArray<O>;
  nanprod(options?: s.SumOptions): LazyArray<O>;
  nanmean(options?: s.ReduceOptions): LazyArray<O>;
  nanmax(options?: s.ReduceOptions): LazyArray<O>;
  nanmin(options?: s.ReduceOptions): LazyArray<O>;
  logsumexp(options?: s.ReduceOptions): LazyArray<O>;
  softmax(options?: SoftmaxOptions): LazyArray<O>;
  logSoftmax(options?: SoftmaxOptions): LazyArray<O>;
  isin<Q = unknown>(values: Operand<Q>, options?: s.IsinOptions): LazyArray<O & Q>;
}

interface MoveMethods<O> {
  broadcastTo(shape: Shape): LazyArray<O>;
  expandDims(options?: { readonly axis?: number | readonly number[] | undefined }): LazyArray<O>;
  squeeze(axis: number | readonly number[]): LazyArray<O>;
  flip(options?: { readonly axis?: number | readonly number[] | null | undefined }): LazyArray<O>;
  permuteDims(axes: readonly number[]): LazyArray<O>;
  moveaxis(source: number | readonly number[], destination: number | readonly number[]): LazyArray<O>;
  matrixTranspose(): LazyArray<O>;
  reshape(shape: number | Shape, options?: { readonly copy?: boolean | null | undefined }): LazyArray<O>;
  roll(shift: number | readonly number[], options?: RollOptions): LazyArray<O>;
  repeat(repeats: number | readonly number[] | NDArray, options?: RepeatOptions): LazyArray<O>;
  tile(repetitions: number | readonly number[]): LazyArray<O>;
  unstack(options?: { readonly axis?: number | undefined }): LazyArray<O>[];
  pad(
    padWidth: number | readonly number[] | readonly (readonly number[])[],
    options?: PadOptions,
  ): LazyArray<O>;
  rechunk(chunks: ChunksArgument): LazyArray<O>;
  tril(options?: { readonly k?: number | undefined }): LazyArray<O>;
  triu(options?: { readonly k?: number | undefined }): LazyArray<O>;
}

interface SelectMethods<O> {
  /** x[…]: whole numbers, slices ("0:10:2" or cw.slice), "...", null, integer arrays, masks in memory. */
  get(...selection: readonly SelectionItem[]): LazyArray<O>;
  /** A new lazy array with a selection replaced; several items go into a list. */
  set<Q = unknown>(selection: SelectionItem | readonly SelectionItem[], value: Operand<Q>): LazyArray<O & Q>;
  take<Q = unknown>(indices: Operand<Q>, options?: { readonly axis?: number | undefined }): LazyArray<O & Q>;
  takeAlongAxis<Q = unknown>(
    indices: Operand<Q>,
    options?: { readonly axis?: number | undefined },
  ): LazyArray<O & Q>;
  where<P = unknown, Q = unknown>(x1: Operand<P>, x2: Operand<Q>): LazyArray<O & P & Q>;
  clip<P = unknown, Q = unknown>(
    min?: Operand<P> | null,
    max?: Operand<Q> | null,
    options?: OutOption,
  ): LazyArray<O & P & Q>;
  astype(dtype: DType, options?: { readonly copy?: boolean | undefined }): LazyArray<O>;
  fullLike(value: Scalar, options?: CreationOptions): LazyArray;
  zerosLike(options?: CreationOptions): LazyArray;
  onesLike(options?: CreationOptions): LazyArray;
  emptyLike(options?: CreationOptions): LazyArray;
  matmul<Q = unknown>(other: Operand<Q>): LazyArray<O & Q>;
  tensordot<Q = unknown>(other: Operand<Q>, options?: TensordotOptions): LazyArray<O & Q>;
  vecdot<Q = unknown>(other: Operand<Q>, options?: VecdotOptions): LazyArray<O & Q>;
}

/** Methods that are functions of the namespace too. */
export interface FunctionMethods<O>
  extends UnaryMethods<O>,
    BinaryMethods<O>,
    ReduceMethods<O>,
    MoveMethods<O>,
    SelectMethods<O> {}

export interface ArrayMethods<O> extends FunctionMethods<O> {
  /** Computes the array. */
  compute(options?: AsyncComputeOptions): Promise<NDArray>;
  /** Computes the array at once; for work in memory. */
  computeSync(options?: ComputeOptions): NDArray;
  /** Computes the array and the outputs marked on the way. */
  execute<Self extends LazyArray>(this: Self, options?: AsyncComputeOptions): Promise<Executed<Self>>;
  executeSync<Self extends LazyArray>(this: Self, options?: ComputeOptions): Executed<Self>;
  /** How it would be computed. Computes nothing. */
  plan(options?: PlanCallOptions): Plan;
  /** Computes the array into a Zarr store; the promise gives the stored array, as fromZarr would. */
  toZarr(store: StoreArgument, options?: ToZarrOptions): Promise<LazyArray>;
  /** The axes reversed. */
  readonly T: LazyArray<O>;
  /** The last two axes swapped. */
  readonly mT: LazyArray<O>;
}
