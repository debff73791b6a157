// Statistics of nested data: moments, how two arrays go together, lines through points, weights. In: arrays, in memory or lazy. Out: a value,
// or one for each list along an axis. All are made of reductions and arithmetic, so that what is read follows from them; values that are
// null in any of the arrays do not count. Means are taken off before anything is squared.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { userCall } from "../../lazy/call.ts";
import type { Called } from "../../lazy/lazyArray.ts";
import { mask, ravel, unflatten } from "./listFunctions.ts";
import { asRagged, LazyRagged, type Ragged, type RaggedArray, type RaggedInput } from "./raggedArrays.ts";
import { broadcastArrays, zip } from "./recordFunctions.ts";
import type { Joint } from "./types.ts";

/** Options of statistics. */
export interface StatisticOptions {
  /** Along which axis; all of them unless given. */
  readonly axis?: number | null | undefined;
  /** How much each value counts, in the array's lists or as they broadcast; 1 unless given. */
  readonly weight?: RaggedInput | undefined;
}

/** Sums along an axis, of arrays that are broadcast together. */
interface Sums {
  readonly columns: readonly RaggedArray[];
  readonly weight: RaggedArray | null;
  /** Σ v along the axis. */
  readonly sum: (v: RaggedArray) => RaggedArray;
  /** Σ w v, as it goes with the values. */
  readonly mean: (v: RaggedArray) => RaggedArray;
  /** Σ w v */
  readonly weighed: (v: RaggedArray) => RaggedArray;
  /** Σ w */
  readonly all: RaggedArray;
}

/** Lazy arrays and arrays in memory have the same methods; types follow those in memory. */
const asOne = (x: Ragged): RaggedArray => x as RaggedArray;

/** Where nothing is null in any. */
function together(given: readonly Ragged[]): RaggedArray[] {
  const arrays = given.length === 1 ? given : (broadcastArrays(...given) as Ragged[]);
  if (arrays.length === 1) return arrays.map(asOne);
  const isThere = arrays
    .map((x) => asOne(x).equal(asOne(x)).logicalOr(true))
    .reduce((a, b) => a.logicalAnd(b));
  return arrays.map((x) => asOne(mask(x, isThere)));
}

/** Over all axes in memory: as one list, whose only value is taken out. */
function statistic(
  given: readonly RaggedInput[],
  { axis = null, weight }: StatisticOptions,
  formula: (sums: Sums) => RaggedArray,
): unknown {
  if (axis !== null && !Number.isSafeInteger(axis))
    throw new ValueError({ what: `axis is ${describe(axis)}`, cure: "Use a whole number, or null for all" });
  const inputs = [...given, ...(weight === undefined ? [] : [weight])].map(asRagged);
  const isLazy = inputs.some((x) => x instanceof LazyRagged);
  const arrays = together(inputs);
  if (axis === null && !isLazy) {
    const rows = arrays.map((x) => {
      const flat = ravel(x) as RaggedArray;
      return unflatten(flat, [flat.length]) as RaggedArray;
    });
    return formula(sumsOf(rows, given.length, -1)).get(0);
  }
  return formula(sumsOf(arrays, given.length, axis)) as unknown;
}

function sumsOf(arrays: readonly RaggedArray[], count: number, axis: number | null): Sums {
  const columns = arrays.slice(0, count);
  const weight = arrays[count] ?? null;
  const sum = (v: RaggedArray): RaggedArray => v.sum({ axis }) as RaggedArray;
  // What is there counts 1.
  const counts = weight ?? columns[0]!.equal(columns[0]!).logicalOr(true);
  const weighed = (v: RaggedArray): RaggedArray => sum(weight === null ? v : v.multiply(weight));
  const kept = (v: RaggedArray): RaggedArray =>
    (axis === null ? v.sum() : v.sum({ axis, keepdims: true })) as RaggedArray;
  const mean = (v: RaggedArray): RaggedArray =>
    kept(weight === null ? v : v.multiply(weight)).divide(kept(counts));
  return { columns, weight, sum, weighed, mean, all: sum(counts) };
}

/** What is left without the mean. */
const centred = (v: RaggedArray, { mean }: Sums): RaggedArray => v.subtract(mean(v));

type Result<X, O> = O extends { readonly axis: number } ? Joint<X> : Called<Joint<X>, "value">;
type OfTwo = <
  const X extends RaggedInput,
  const Y extends RaggedInput,
  const O extends StatisticOptions = Record<never, never>,
>(
  x: X,
  y: Y,
  options?: O,
) => Result<X | Y, O>;

/** The mean of xⁿ, about 0: `rg.moment([1, 2, 3], 2)` is 14/3. */
export const moment: <const X extends RaggedInput, const O extends StatisticOptions = Record<never, never>>(
  x: X,
  n: number,
  options?: O,
) => Result<X, O> = userCall(
  "moment",
  (x: RaggedInput, n: number, options: StatisticOptions = {}) => {
    if (typeof n !== "number" || Number.isNaN(n))
      throw new ValueError({ what: `n is ${describe(n)}`, cure: "Use a number" });
    return statistic([x], options, (sums) => sums.weighed(sums.columns[0]!.pow(n)).divide(sums.all));
  },
  [2, "axis", "weight"],
) as never;

/** Σw(x − x̄)(y − ȳ) / Σw: `rg.covar([1, 2, 3], [1, 2, 4])` is 1. */
export const covar: OfTwo = userCall(
  "covar",
  (x: RaggedInput, y: RaggedInput, options: StatisticOptions = {}) =>
    statistic([x, y], options, (sums) => {
      const [a, b] = sums.columns.map((v) => centred(v, sums)) as [RaggedArray, RaggedArray];
      return sums.weighed(a.multiply(b)).divide(sums.all);
    }),
  [2, "axis", "weight"],
) as never;

/** Pearson's correlation, from −1 to 1: `rg.corr([1, 2, 3], [2, 4, 6])` is 1. */
export const corr: OfTwo = userCall(
  "corr",
  (x: RaggedInput, y: RaggedInput, options: StatisticOptions = {}) =>
    statistic([x, y], options, (sums) => {
      const [a, b] = sums.columns.map((v) => centred(v, sums)) as [RaggedArray, RaggedArray];
      const spread = sums.weighed(a.square()).sqrt().multiply(sums.weighed(b.square()).sqrt());
      return sums.weighed(a.multiply(b)).divide(spread);
    }),
  [2, "axis", "weight"],
) as never;

/**
 * The line through points by least squares, as a record of intercept, slope and their errors (of weights that are 1/σ²):
 * `rg.linearFit([0, 1, 2], [1, 3, 5])` has slope 2.
 */
export const linearFit: OfTwo = userCall(
  "linearFit",
  (x: RaggedInput, y: RaggedInput, options: StatisticOptions = {}) =>
    statistic([x, y], options, (sums) => {
      const [a, b] = sums.columns.map((v) => centred(v, sums)) as [RaggedArray, RaggedArray];
      const [meanX, meanY] = sums.columns.map((v) => sums.weighed(v).divide(sums.all)) as [
        RaggedArray,
        RaggedArray,
      ];
      // Σw(x − x̄)², of which all else is made: Σwx² = Σw(x − x̄)² + Σw x̄².
      const spread = sums.weighed(a.square());
      const slope = sums.weighed(a.multiply(b)).divide(spread);
      return zip({
        intercept: meanY.subtract(slope.multiply(meanX)),
        slope,
        interceptError: spread
          .add(sums.all.multiply(meanX.square()))
          .divide(spread.multiply(sums.all))
          .sqrt(),
        slopeError: spread.reciprocal().sqrt(),
      });
    }),
  [2, "axis", "weight"],
) as never;

/** Options of `rg.softmax`. */
export interface SoftmaxOptions {
  /** Along which axis: -1 unless given; null: all. */
  readonly axis?: number | null | undefined;
}

/** eˣ / Σeˣ along an axis: `rg.softmax([[0, 0], [1]])` is [[0.5, 0.5], [1]]. */
export const softmax: <const X extends RaggedInput>(x: X, options?: SoftmaxOptions) => Joint<X> = userCall(
  "softmax",
  (given: RaggedInput, { axis = -1 }: SoftmaxOptions = {}) => {
    const x = asOne(asRagged(given));
    const options = axis === null ? {} : { axis, keepdims: true };
    // Over all it is one value, or null where there is none.
    const powers = x.subtract((x.max(options) ?? 0) as RaggedArray).exp();
    return powers.divide(powers.sum(options) as RaggedArray);
  },
  [1, "axis"],
) as never;

/** mean, var and std with weights: what `rg.mean(x, { weight })` is. */
export function weighted(
  name: string,
  x: RaggedInput,
  { ddof = 0, ...options }: StatisticOptions & { readonly ddof?: number },
): unknown {
  return statistic([x], options, (sums) => {
    const [v] = sums.columns as readonly [RaggedArray];
    if (name === "mean") return sums.weighed(v).divide(sums.all);
    const squares = sums.weighed(centred(v, sums).square());
    // As Awkward: Σw / (Σw − ddof) times the mean square.
    const variance = squares.divide(ddof === 0 ? sums.all : sums.all.subtract(ddof));
    return name === "std" ? variance.sqrt() : variance;
  });
}
