// Averages with weights, covariances and correlations, as NumPy's. In: arrays. Out: what they come to, made of sums and products
// of matrices.

import { checkAxes, describe, sameShape, shapeText } from "../../core/chunks.ts";
import { checkKind, type DType, isComplex, type Result, toFloating } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { Complex, type Promote, promote } from "../../core/numbers.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ReduceOptions } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import {
  add,
  clip,
  conj,
  divide,
  greater,
  imag,
  multiply,
  real,
  sqrt,
  subtract,
  where,
} from "../../ops/elementwise/index.ts";
import { mean, sum } from "../../ops/reductions.ts";
import { eye, full } from "./creation.ts";
import { concat } from "./joining.ts";
import { matmul } from "./linear.ts";
import { broadcastTo, expandDims, matrixTranspose, reshape } from "./manipulation.ts";

/** Options of `cw.average`. */
export interface AverageOptions<W extends Operand | undefined = Operand | undefined> extends ReduceOptions {
  /** What each element weighs: of the array's shape, or a list along one axis. */
  readonly weights?: W;
  /** Gives a record with the sum of the weights, too. */
  readonly returned?: boolean | undefined;
}

/** What `cw.average` gives with `returned: true`. */
export interface Averaged<A> {
  /** Σ w·x / Σ w. */
  readonly average: A;
  /** Σ w for each average. */
  readonly weightSum: A;
}

type Met<A, W> = W extends Operand ? Promote<ArrayDType<A>, ArrayDType<W>> : ArrayDType<A>;
type AverageOf<A, W> = LazyArray<Result<Met<A, W>, "floating">, OutputsOf<A>>;
interface AverageFunction {
  <const A extends Operand, const W extends Operand | undefined = undefined>(
    x: A,
    options: AverageOptions<W> & { readonly returned: true },
  ): Averaged<AverageOf<A, W>>;
  <const A extends Operand, const W extends Operand | undefined = undefined>(
    x: A,
    options?: AverageOptions<W>,
  ): AverageOf<A, W>;
  readonly "~method"?: {
    <D extends DType, O, const W extends Operand | undefined = undefined>(
      this: LazyArray<D, O>,
      options: AverageOptions<W> & { readonly returned: true },
    ): Averaged<AverageOf<LazyArray<D, O>, W>>;
    <D extends DType, O, const W extends Operand | undefined = undefined>(
      this: LazyArray<D, O>,
      options?: AverageOptions<W>,
    ): AverageOf<LazyArray<D, O>, W>;
  };
}

/**
 * Σ w·x / Σ w along axes: `cw.average([1, 2, 3], {weights: [1, 0, 1]})` is 2. Weights that come to 0 give NaN or an infinity.
 * `returned: true` gives the sum of the weights as well.
 */
export const average: AverageFunction = userCall(
  "average",
  (x: Operand, options: AverageOptions = {}): never => {
    const { axis, keepdims = false, weights, returned = false } = options;
    if (typeof returned !== "boolean")
      throw new ValueError({ what: `returned is ${describe(returned)}`, cure: "Use true or false" });
    const given = asLazy(x);
    const axes = checkAxes(axis, given.ndim);
    const made =
      weights === undefined
        ? plainAverage(given, axes, keepdims)
        : weighted(given, asLazy(weights), axes, keepdims);
    if (!returned) return made.average as never;
    return { average: made.average, weightSum: broadcastTo(made.weightSum, made.average.shape) } as never;
  },
  [1, "axis", "keepdims", "weights", "returned"],
) as never;

function plainAverage(x: LazyArray, axis: readonly number[], keepdims: boolean): Averaged<LazyArray> {
  const made = mean(x, { axis, keepdims }) as LazyArray;
  const count = axis.reduce((n, a) => n * x.shape[a]!, 1);
  return { average: made, weightSum: full(made.shape, count, { dtype: made.dtype }) as LazyArray };
}

function weighted(
  given: LazyArray,
  weights: LazyArray,
  axes: readonly number[],
  keepdims: boolean,
): Averaged<LazyArray> {
  checkKind("any", given.dtype);
  const dtype = toFloating(promote(given.dtype, weights.dtype));
  const w = besideElements(castTo(weights, dtype), given, axes);
  const options = { axis: axes, keepdims };
  const weightSum = sum(broadcastTo(w, given.shape), options) as LazyArray;
  const total = sum(multiply(castTo(given, dtype), w), options) as LazyArray;
  return { average: divide(total, weightSum) as LazyArray, weightSum };
}

/** Weights along one axis, as they stand beside the elements. */
function besideElements(weights: LazyArray, x: LazyArray, axes: readonly number[]): LazyArray {
  if (sameShape(weights.shape, x.shape)) return weights;
  const [along] = axes;
  const isList = weights.ndim === 1 && axes.length === 1 && weights.shape[0] === x.shape[along!];
  if (isList)
    return reshape(
      weights,
      x.shape.map((n, axis) => (axis === along ? n : 1)),
    ) as LazyArray;
  throw new ShapeError({
    what: `the weights have shape ${shapeText(weights.shape)} and the array ${shapeText(x.shape)}`,
    cure: "Give weights of the array's shape, or a list as long as the one axis that is named",
  });
}

/** Options of `cw.corrcoef`. */
export interface CorrcoefOptions {
  /** More variables, of the same observations. */
  readonly y?: Operand | undefined;
  /** Each row is a variable, and each column an observation (unless false: the other way round). */
  readonly rowvar?: boolean | undefined;
}
/** Options of `cw.cov`. */
export interface CovOptions extends CorrcoefOptions {
  /** Divides by the number of observations, and not by one less. */
  readonly bias?: boolean | undefined;
  /** Divides by the number of observations less this. */
  readonly correction?: number | undefined;
  /** How often each observation is there: whole numbers. */
  readonly fweights?: Operand | undefined;
  /** What each observation weighs. */
  readonly aweights?: Operand | undefined;
}

type CovarianceFunction<Options> = {
  <const A extends Operand>(x: A, options?: Options): LazyArray<DType, OutputsOf<A>>;
  readonly "~method"?: <O>(this: LazyArray<DType, O>, options?: Options) => LazyArray<DType, O>;
};

/** How variables vary together, a row for each: `cw.cov([[1, 2, 3], [3, 2, 1]])` is [[1, −1], [−1, 1]]. */
export const cov: CovarianceFunction<CovOptions> = userCall(
  "cov",
  (x: Operand, options: CovOptions = {}): Built => covariance(x, options) as Built,
  [1, "y", "rowvar", "bias", "correction", "fweights", "aweights"],
);

/** Covariances divided by both variables' deviations: `cw.corrcoef([[1, 2, 3], [3, 2, 1]])` is [[1, −1], [−1, 1]]. */
export const corrcoef: CovarianceFunction<CorrcoefOptions> = userCall(
  "corrcoef",
  (x: Operand, options: CorrcoefOptions = {}): Built => {
    const c = covariance(x, options);
    if (c.ndim === 0) return divide(c, c) as Built;
    const isDiagonal = eye(c.shape[0]!, c.shape[0]!, { dtype: "bool", chunks: c.chunks });
    const variances = sum(where(isDiagonal, realOf(c), 0), { axis: 1 });
    const deviations = sqrt(variances) as LazyArray;
    const scaled = divide(divide(c, expandDims(deviations, { axis: 1 })), deviations) as LazyArray;
    return clipped(scaled) as Built;
  },
  [1, "y", "rowvar"],
);

const realOf = (x: LazyArray): LazyArray => (isComplex(x.dtype) ? (real(x) as LazyArray) : x);

/** What rounding left beyond 1 is 1. */
function clipped(x: LazyArray): LazyArray {
  if (!isComplex(x.dtype)) return clip(x, -1, 1) as LazyArray;
  const [re, im] = [clip(real(x), -1, 1), clip(imag(x), -1, 1)];
  return add(castTo(re as LazyArray, x.dtype), multiply(im, new Complex(0, 1))) as LazyArray;
}

function covariance(x: Operand, options: CovOptions): LazyArray {
  const { y, rowvar = true } = options;
  for (const [name, value] of Object.entries({ rowvar, bias: options.bias ?? false }))
    if (typeof value !== "boolean")
      throw new ValueError({ what: `${name} is ${describe(value)}`, cure: "Use true or false" });
  const parts = [x, ...(y === undefined ? [] : [y])].map((part) => inRows(asLazy(part), rowvar));
  const joined = parts.reduce((dtype, part) => promote(dtype, part.dtype), parts[0]!.dtype);
  // NumPy's: in float64 at least.
  const dtype = promote(toFloating(joined), "float64");
  const cast = parts.map((part) => castTo(part, dtype));
  const rows = cast.length === 1 ? cast[0]! : (concat(cast, { axis: 0 }) as LazyArray);
  const { w, divisor } = weightsOf(rows, options);
  const centre =
    w === null
      ? mean(rows, { axis: 1, keepdims: true })
      : average(rows, { axis: 1, weights: w, keepdims: true });
  const apart = subtract(rows, centre) as LazyArray;
  const other = conj(w === null ? apart : multiply(apart, w)) as LazyArray;
  const made = divide(matmul(apart, matrixTranspose(other)), divisor) as LazyArray;
  return reshape(
    made,
    made.shape.filter((n) => n !== 1),
  ) as LazyArray;
}

/** A row for each variable. */
function inRows(x: LazyArray, rowvar: boolean): LazyArray {
  if (x.ndim > 2)
    throw new ShapeError({
      what: `the variables have shape ${shapeText(x.shape)}`,
      cure: "Give one row for each variable",
    });
  const rows = x.ndim === 2 ? x : (reshape(x, [1, x.size]) as LazyArray);
  return rowvar || rows.shape[0] === 1 ? rows : (matrixTranspose(rows) as LazyArray);
}

interface Weights {
  readonly w: LazyArray | null;
  /** What sums of products are divided by. */
  readonly divisor: Operand;
}

/** NumPy's: Σw − correction · Σ(w·aweights) / Σw with weights, the number of observations − correction without. */
function weightsOf(
  rows: LazyArray,
  { bias = false, correction = bias ? 0 : 1, fweights, aweights }: CovOptions,
): Weights {
  if (typeof correction !== "number" || Number.isNaN(correction))
    throw new ValueError({ what: `correction is ${describe(correction)}`, cure: "It must be a number" });
  const count = rows.shape[1]!;
  const f = observed(fweights, count, "fweights");
  const a = observed(aweights, count, "aweights");
  if (f === null && a === null) return { w: null, divisor: Math.max(0, count - correction) };
  const w = f === null ? a! : a === null ? f : (multiply(f, a) as LazyArray);
  const all = sum(w) as LazyArray;
  if (correction === 0) return { w, divisor: all };
  const taken = a === null ? correction : multiply(divide(sum(multiply(w, a)), all), correction);
  const left = subtract(all, taken) as LazyArray;
  return { w, divisor: where(greater(left, 0), left, 0) as LazyArray };
}

function observed(given: Operand | undefined, count: number, name: string): LazyArray | null {
  if (given === undefined) return null;
  const weights = asLazy(given);
  if (name === "fweights" && !/int/.test(weights.dtype))
    throw new DTypeError({
      what: `fweights are ${weights.dtype}`,
      cure: "They say how often: whole numbers",
    });
  checkKind("real", weights.dtype);
  if (weights.ndim === 1 && weights.shape[0] === count) return castTo(weights, "float64");
  throw new ShapeError({
    what: `${name} have shape ${shapeText(weights.shape)} and there are ${count} observations`,
    cure: "Give one for each observation",
  });
}
