// Reductions and scans that leave NaN out, as NumPy's: what is left is reduced, in one pass like any other reduction. In: a
// line of the table each. Out: of slices with nothing left 0 for sums, 1 for products, NaN for means, variances and extremes;
// places of nothing are an error when they are computed.

import { checkAxes } from "../core/chunks.ts";
import { type DType, isComplex, isFloat } from "../core/dtype.ts";
import type { RealScalar } from "../core/numbers.ts";
import * as c from "../kernel/complex/arithmetic.ts";
import * as s from "../kernel/scalar.ts";
import { addValues, dividedBy } from "../kernel/valueArithmetic.ts";
import { type Built, node } from "../lazy/build.ts";
import { userCall } from "../lazy/call.ts";
import type { ReduceFunction, TotalFunction } from "../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand, otherAmong } from "../lazy/lazyArray.ts";
import { type ReduceRecord, reduction } from "./define.ts";
import { where } from "./elementwise/choice.ts";
import { sqrt } from "./elementwise/exponential.ts";
import { isnan } from "./elementwise/logic.ts";
import { nanargmaxPlace, nanargminPlace } from "./nanPlaces.ts";
import * as r from "./reductions.ts";
import { foundPlaces } from "./routines.ts";
import { type CumulativeOptions, cumulativeProd, cumulativeSum, type ScanOptions } from "./scans.ts";

const canBeNaN = (dtype: DType): boolean => isFloat(dtype) || isComplex(dtype);

const isNaN_ = (x: s.Value): s.Term => (s.isComplexTerm(x) ? c.isnan(x) : s.isNaN_(x));
const typeOf = (x: s.Value): s.Term["type"] => (s.isComplexTerm(x) ? x.re : x).type;

/** x, and what changes nothing in the place of NaN. */
function without(x: s.Value, neutral: RealScalar): s.Value {
  const type = typeOf(x);
  if (!isFloat(type)) return x;
  const plain = s.constant(type, Number(neutral));
  return s.selectValue(isNaN_(x), s.isComplexTerm(x) ? { re: plain, im: s.zero(type) } : plain, x);
}

/** Σx without NaN: `cw.nansum([1, NaN])` is 1. */
export const nansum = reduction("nansum", {
  ...r.sum,
  result: "same",
  computesIn: "total",
  lift: (x) => [without(x, 0)],
  alone: undefined,
  pullback: ({ inputs: [x], attrs, cotangent }, use) =>
    use.through(use.node("sum", [use.where(use.isnan(x!), 0, x!)], attrs), [x!], cotangent),
});

/** The product without NaN: `cw.nanprod([2, NaN])` is 2. */
export const nanprod = reduction("nanprod", {
  ...r.prod,
  result: "same",
  computesIn: "total",
  lift: (x) => [without(x, 1)],
  alone: undefined,
  pullback: ({ inputs: [x], attrs, cotangent }, use) =>
    use.through(use.node("prod", [use.where(use.isnan(x!), 1, x!)], attrs), [x!], cotangent),
});

/** The mean of what is not NaN: `cw.nanmean([1, NaN])` is 1. */
export const nanmean = reduction("nanmean", {
  accepts: "numeric",
  computesIn: "floating",
  result: "same",
  state: (dtype) => [dtype, "float64"],
  lift: (x) => [without(x, 0), s.select(isNaN_(x), s.zero("float64"), s.one("float64"))],
  combine: ([a, n], [b, m]) => [addValues(a!, b!), s.add(n as s.Term, m as s.Term)],
  identity: () => [0, 0],
  finish: ([total, count]) => dividedBy(total!, (type) => s.convert(count as s.Term, type)),
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const there = use.cast(use.logicalNot(use.isnan(x!)), x!.dtype);
    const share = use.two("divide", cotangent, use.node("sum", [there], attrs));
    return [use.two("multiply", use.spread(share, x!, attrs), there)];
  },
});

/** The variance of what is not NaN, in one stable pass: `cw.nanvar([1, 3, NaN])` is 1. */
export const nanvar: ReduceRecord<"same"> & r.VarianceFunction = reduction("nanvar", {
  ...r.var,
  result: "same",
  computesIn: "floating",
  lift(x) {
    const wide = s.convert(x as s.Term, "float64");
    const present = s.select(s.isNaN_(wide), s.zero("float64"), s.one("float64"));
    const value = without(wide, 0) as s.Term;
    const nothing = s.sub(value, value);
    return [s.add(present, nothing), value, s.zero("float64"), nothing];
  },
  finish: (state, end) =>
    r.var.finish(state, { ...end, count: (type) => s.convert(state[0] as s.Term, type) }),
  pullback: ({ inputs: [x], result, attrs, cotangent }, use) => {
    const isMissing = use.isnan(x!);
    const count = use.node("sum", [use.cast(use.logicalNot(isMissing), x!.dtype)], attrs);
    const left = use.two("subtract", count, attrs["correction"] as number);
    const scale = use.two("divide", use.two("multiply", cotangent, 2), left);
    const apart = use.two(
      "subtract",
      x!,
      use.node("nanmean", [x!], { axes: attrs["axes"]!, keepdims: true }),
    );
    const part = use.two("multiply", use.spread(scale, x!, attrs), apart);
    return [use.where(isMissing, 0, use.where(use.isnan(use.spread(result, x!, attrs)), Number.NaN, part))];
  },
});

/** The square root of `nanvar`: `cw.nanstd([1, 3, NaN])` is 1. */
export const nanstd: r.VarianceFunction = userCall(
  "nanstd",
  (x: Operand, options: r.VarianceOptions = {}): Built => sqrt(nanvar(x, options) as LazyArray) as Built,
  [1, "axis", "keepdims", "correction"],
  otherAmong,
) as r.VarianceFunction;

/** The better of two, and whichever is a number where one is not. */
const extremeOf =
  (best: (x: s.Term, y: s.Term) => s.Term) =>
  ([a]: readonly s.Value[], [b]: readonly s.Value[]): readonly s.Value[] => {
    const [x, y] = [a as s.Term, b as s.Term];
    const both = best(x, y);
    if (!isFloat(x.type)) return [both];
    return [s.select(s.isNaN_(x), y, s.select(s.isNaN_(y), x, both))];
  };

/** NaN is what no number loses to. */
const identityOf =
  (plain: ReduceRecord) =>
  (dtype: DType): readonly RealScalar[] =>
    isFloat(dtype) ? [Number.NaN] : (plain.identity(dtype, {}) as readonly RealScalar[]);

/** The largest that is not NaN: `cw.nanmax([1, NaN])` is 1. */
export const nanmax = reduction("nanmax", {
  ...r.max,
  result: "same",
  computesIn: "same",
  combine: extremeOf(s.max),
  identity: identityOf(r.max),
});

/** The smallest that is not NaN: `cw.nanmin([1, NaN])` is 1. */
export const nanmin = reduction("nanmin", {
  ...r.min,
  result: "same",
  computesIn: "same",
  combine: extremeOf(s.min),
  identity: identityOf(r.min),
});

const placesOf = (name: string, op: ReduceRecord): ReduceFunction<"index", r.ArgOptions> =>
  userCall(
    name,
    (x: Operand, { axis = null, keepdims = false }: r.ArgOptions = {}): Built => {
      const array = asLazy(x);
      const places = node(op, [array], { axes: checkAxes(axis, array.ndim), keepdims });
      return canBeNaN(array.dtype) ? node(foundPlaces, [places]) : places;
    },
    [1, "axis", "keepdims"],
    otherAmong,
  ) as ReduceFunction<"index", r.ArgOptions>;

/** The place of the largest that is not NaN; where there is none, an error, and null in nested arrays: `cw.nanargmax([NaN, 1])` is 1. */
export const nanargmax: ReduceFunction<"index", r.ArgOptions> = placesOf("nanargmax", nanargmaxPlace);
/** The place of the smallest that is not NaN; where there is none, an error, and null in nested arrays: `cw.nanargmin([NaN, 1])` is 1. */
export const nanargmin: ReduceFunction<"index", r.ArgOptions> = placesOf("nanargmin", nanargminPlace);

const scanWithout = (
  name: string,
  scan: TotalFunction<ScanOptions>,
  neutral: number,
): TotalFunction<ScanOptions> =>
  userCall(
    name,
    (x: Operand, options: CumulativeOptions = {}): Built => {
      const array = asLazy(x);
      return scan(canBeNaN(array.dtype) ? where(isnan(array), neutral, array) : array, options) as Built;
    },
    [1, "axis", "dtype", "includeInitial"],
  );

/** The sum up to each place, NaN counting as 0: `cw.nancumsum([1, NaN, 2])` is [1, 1, 3]. */
export const nancumsum: TotalFunction<ScanOptions> = scanWithout("nancumsum", cumulativeSum, 0);
/** The product up to each place, NaN counting as 1: `cw.nancumprod([2, NaN, 3])` is [2, 2, 6]. */
export const nancumprod: TotalFunction<ScanOptions> = scanWithout("nancumprod", cumulativeProd, 1);
