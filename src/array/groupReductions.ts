// What can be made of groups, by name. In: groups (grouping.ts). Out: an array with one value for each label. Reductions of the
// same groups share what they need: several of them read the array once.

import { checkKind, type DType, isComplex, isFloat, toFloating } from "../core/dtype.ts";
import { NOWHERE } from "../kernel/routines/groupFolds.ts";
import type { QuantileMethod } from "../kernel/routines/quantilePlaces.ts";
import { castTo } from "../lazy/build.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import { accumulatorOf, type ReduceRecord } from "../ops/define.ts";
import {
  add,
  divide,
  equal,
  greater,
  isnan,
  logicalOr,
  multiply,
  sqrt,
  subtract,
  where,
} from "../ops/elementwise/index.ts";
import * as r from "../ops/reductions.ts";
import { broadcastTo, expandDims, reshape } from "./functions/manipulation.ts";
import {
  foldedGroups,
  type Groups,
  overBlocks,
  partial,
  partialOfLabels,
  placesOfLabels,
} from "./grouping.ts";
import { groupQuantiles } from "./groupQuantiles.ts";
import { interpolated, MIDDLE, meanOfBoth } from "./quantilesOfLines.ts";

/** What else a reduction is told. */
export interface GroupSettings {
  readonly correction: number;
  /** Of "quantile": numbers between 0 and 1, their shape, and how to choose between two elements. */
  readonly quantiles: readonly number[];
  readonly shape: readonly number[];
  readonly method: QuantileMethod;
}
type Reduce = (groups: Groups, settings: GroupSettings) => LazyArray;

/** Floats are added up in double precision. */
function wide(dtype: DType): DType {
  if (isFloat(dtype)) return "float64";
  return isComplex(dtype) ? "complex128" : accumulatorOf(dtype);
}

const canBeNaN = ({ dtype }: LazyArray): boolean => isFloat(dtype) || isComplex(dtype);

/** With as many axes of length 1 before and behind as the array has beside the labelled ones. */
function beside(perLabel: LazyArray, { x, labels, axis }: Groups): LazyArray {
  const ones = (count: number): number[] => new Array<number>(count).fill(1);
  return reshape(perLabel, [...ones(axis), ...perLabel.shape, ...ones(x.ndim - axis - labels.ndim)]);
}

/** How many elements go in, as a float64: of every place, or of the labels alone where none is left out. */
export function counts(groups: Groups): LazyArray {
  if (!groups.skipsNaN || !canBeNaN(groups.x)) return beside(placesOfLabels(groups), groups);
  // A complex number is one element, whichever part is NaN.
  const x = isComplex(groups.x.dtype) ? where(isnan(groups.x), Number.NaN, 1) : groups.x;
  return foldedGroups({ ...groups, x }, "count", "float64");
}

/** Reduced in a wider dtype, and given in the one that the plain reduction gives. */
function accumulated(groups: Groups, fold: "sum" | "prod", as: DType): LazyArray {
  const x = canBeNaN(groups.x) ? groups.x : castTo(groups.x, wide(groups.x.dtype));
  return castTo(foldedGroups({ ...groups, x }, fold, wide(x.dtype)), as);
}

const total =
  (fold: "sum" | "prod"): Reduce =>
  (groups) =>
    accumulated(groups, fold, checkKind("numeric", accumulatorOf(groups.x.dtype)));

const extreme =
  (fold: "min" | "max"): Reduce =>
  (groups) => {
    checkKind("realOrBool", groups.x.dtype);
    const found = foldedGroups(groups, fold, groups.x.dtype);
    if (!groups.skipsNaN || !canBeNaN(groups.x)) return found;
    return castTo(where(greater(counts(groups), 0), found, Number.NaN), found.dtype);
  };

const truth =
  (fold: "any" | "all"): Reduce =>
  (groups) =>
    foldedGroups({ ...groups, x: castTo(groups.x, "bool") }, fold, "bool");

const mean: Reduce = (groups) => {
  const dtype = checkKind("numeric", toFloating(groups.x.dtype));
  const x = castTo(groups.x, dtype);
  const sums = accumulated({ ...groups, x }, "sum", wide(dtype));
  return castTo(divide(sums, castTo(counts({ ...groups, x }), wide(dtype))), dtype);
};

/**
 * Chan's combination of blocks: M₂ = Σ M₂ᵦ + Σ nᵦ·(meanᵦ − mean)², with the mean of all Σ nᵦ·meanᵦ / n. The deviations
 * within a block are from the block's own mean, so that data far from zero lose no digits.
 */
const variance: Reduce = (given, { correction }) => {
  const dtype = checkKind("real", toFloating(given.x.dtype));
  const groups = { ...given, x: castTo(given.x, dtype) };
  const { axis, skipsNaN, labels } = groups;
  const over = (states: LazyArray): LazyArray => overBlocks(r.sum, states, axis, labels.ndim);
  const sizes = skipsNaN
    ? partial(groups, "count", "float64")
    : beside(partialOfLabels(groups, "count", "float64"), groups);
  const means = partial(groups, "mean", "float64");
  const n = over(sizes);
  const all = divide(over(multiply(means, sizes)), n);
  const apart = subtract(means, expandBlocks(all, groups));
  const between = over(multiply(multiply(apart, apart), sizes));
  const within = over(partial(groups, "moment", "float64"));
  const left = subtract(n, correction);
  const divisor = where(greater(left, 0), left, Number.NaN);
  return castTo(divide(add(within, between), divisor), dtype);
};

/** One value for each label, beside those of every block. */
const expandBlocks = (perLabel: LazyArray, { axis, labels }: Groups): LazyArray =>
  expandDims(perLabel, { axis: Array.from({ length: labels.ndim }, (_, k) => axis + k) });

/** Where each block has what it found, against where all blocks have it. */
function foundPlace(
  groups: Groups,
  places: LazyArray,
  matches: LazyArray | null,
  op: ReduceRecord,
): LazyArray {
  const own = matches === null ? places : where(matches, places, NOWHERE);
  return overBlocks(op, own, groups.axis, groups.labels.ndim);
}

/** Where nothing was found, −1. */
const orNone = (places: LazyArray): LazyArray => where(equal(places, NOWHERE), -1, places);

/** The place of the extreme: of the blocks that have it, the first. A NaN is one where there is one, as in argmin. */
const place =
  (fold: "argmin" | "argmax", extremeFold: "min" | "max"): Reduce =>
  (groups) => {
    checkKind("realOrBool", groups.x.dtype);
    const { axis, labels } = groups;
    const best = partial(groups, extremeFold, groups.x.dtype);
    const all = expandBlocks(
      overBlocks(extremeFold === "min" ? r.min : r.max, best, axis, labels.ndim),
      groups,
    );
    const isBest = equal(best, all);
    const matches = canBeNaN(groups.x) ? logicalOr(isBest, isnan(best)) : isBest;
    return orNone(foundPlace(groups, partial(groups, fold, "int64"), matches, r.min));
  };

/** The value of the block that has the first place, or the last. Of no element NaN, and 0 where that is no number. */
const end =
  (fold: "first" | "last"): Reduce =>
  (groups) => {
    const { x, axis, labels } = groups;
    const fromLabels = !groups.skipsNaN || !canBeNaN(x);
    const found = fromLabels
      ? beside(partialOfLabels(groups, `${fold}Place`, "int64"), groups)
      : partial(groups, `${fold}Place`, "int64");
    const places = fold === "first" ? found : orNone(found);
    const best = overBlocks(fold === "first" ? r.min : r.max, places, axis, labels.ndim);
    const value = picked(partial(groups, fold, x.dtype), equal(places, expandBlocks(best, groups)), groups);
    if (!canBeNaN(x)) return value;
    return castTo(where(equal(best, fold === "first" ? NOWHERE : -1), Number.NaN, value), x.dtype);
  };

/** Of all blocks' values the one of the block that matches. */
function picked(values: LazyArray, matches: LazyArray, { x, axis, labels }: Groups): LazyArray {
  const over = (op: ReduceRecord, states: LazyArray): LazyArray => overBlocks(op, states, axis, labels.ndim);
  if (isFloat(x.dtype)) return over(r.max, where(matches, values, Number.NEGATIVE_INFINITY));
  const added = castTo(values, isComplex(x.dtype) ? x.dtype : accumulatorOf(x.dtype));
  return castTo(over(r.sum, where(matches, added, 0)), x.dtype);
}

const quantile: Reduce = (groups, { quantiles: values, shape, method }) => {
  const found = groupQuantiles(groups, { values, method, skipsNaN: groups.skipsNaN }, interpolated);
  return reshape(found, [...shape, ...found.shape.slice(1)]);
};

const median: Reduce = (groups) => {
  const found = groupQuantiles(groups, { ...MIDDLE, skipsNaN: groups.skipsNaN }, meanOfBoth);
  return reshape(found, found.shape.slice(1));
};

/** By name; those whose name begins with nan are the same without NaN. */
export const GROUP_REDUCE = {
  sum: total("sum"),
  prod: total("prod"),
  mean,
  var: variance,
  std: (groups, settings) => sqrt(variance(groups, settings)),
  min: extreme("min"),
  max: extreme("max"),
  any: truth("any"),
  all: truth("all"),
  count: (groups) => broadcastTo(castTo(counts(groups), "int64"), resultShape(groups)),
  first: end("first"),
  last: end("last"),
  argmin: place("argmin", "min"),
  argmax: place("argmax", "max"),
  median,
  quantile,
} as const satisfies { readonly [name: string]: Reduce };

const resultShape = ({ x, axis, labels, numLabels }: Groups): number[] => [
  ...x.shape.slice(0, axis),
  numLabels,
  ...x.shape.slice(axis + labels.ndim),
];
