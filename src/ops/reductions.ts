// Reductions: what goes into the state, how two states combine, what comes out. define.ts says how a line is read.

import { type AxisName, describe } from "../core/chunks.ts";
import { DEFAULT_INT, type DType, infoOf, isFloat } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { integerRange, type Scalar } from "../core/numbers.ts";
import type { Pullback } from "../expr/pullback.ts";
import * as c from "../kernel/complex/arithmetic.ts";
import * as s from "../kernel/scalar.ts";
import { addValues, dividedBy, multiplyValues } from "../kernel/valueArithmetic.ts";
import type { Built } from "../lazy/build.ts";
import { userCall } from "../lazy/call.ts";
import type { NestedReduceOptions, ReduceFunction, ReduceOptions } from "../lazy/functionTypes.ts";
import { type LazyArray, type Operand, otherAmong } from "../lazy/lazyArray.ts";
import { type ReduceRecord, reduction } from "./define.ts";
import { sqrt } from "./elementwise/exponential.ts";

/** To the elements that are the extreme, in equal shares. */
const extremePullback: Pullback = ({ inputs: [x], result, attrs, cotangent }, use) => {
  const isIt = use.cast(use.two("equal", x!, use.spread(result, x!, attrs)), x!.dtype);
  const share = use.two("divide", cotangent, use.node("sum", [isIt], attrs));
  return [use.two("multiply", use.spread(share, x!, attrs), isIt)];
};

/** The product of all others: without the zeros, where there is no other zero. */
const prodPullback: Pullback = ({ inputs: [x], attrs, cotangent }, use) => {
  const isZero = use.two("equal", x!, 0);
  const others = use.where(isZero, 1, x!);
  const zeros = use.spread(use.node("sum", [use.cast(isZero, "int64")], attrs), x!, attrs);
  const product = use.spread(use.node("prod", [others], attrs), x!, attrs);
  const own = use.cast(isZero, "int64");
  const rest = use.where(use.two("equal", zeros, own), use.two("divide", product, others), 0);
  return [use.two("multiply", use.spread(cotangent, x!, attrs), rest)];
};

const own = (dtype: DType): readonly DType[] => [dtype];
const first = ([state]: readonly s.Value[]): s.Value => state!;
const pair = (
  f: (x: s.Term, y: s.Term) => s.Term,
): ((a: readonly s.Value[], b: readonly s.Value[]) => readonly s.Value[]) => {
  return ([a], [b]) => [f(a as s.Term, b as s.Term)];
};

/** Σx; small integers and bools add up in 64 bits: `cw.sum(x, {axis: 0})`. */
export const sum = reduction("sum", {
  accepts: "numeric",
  computesIn: "total",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: ([a], [b]) => [addValues(a!, b!)],
  identity: () => [0],
  finish: first,
  alone: "element",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => [use.spread(cotangent, x!, attrs)],
});

/** The product; small integers in 64 bits: `cw.prod(x, {axis: 0})`. */
export const prod = reduction("prod", {
  accepts: "numeric",
  computesIn: "total",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: ([a], [b]) => [multiplyValues(a!, b!)],
  identity: () => [1],
  finish: first,
  alone: "element",
  pullback: prodPullback,
});

/** Σx / n: `cw.mean(x, {axis: 0})`. */
export const mean = reduction("mean", {
  accepts: "numeric",
  computesIn: "floating",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: ([a], [b]) => [addValues(a!, b!)],
  identity: () => [0],
  finish: ([total], { count }) => dividedBy(total!, count),
  alone: "element",
  pullback: ({ inputs: [x], attrs, cotangent }, use) => [
    use.spread(use.two("divide", cotangent, use.count(x!, attrs)), x!, attrs),
  ],
});

/** Options of `cw.var` and `cw.std`. */
export interface VarianceOptions extends ReduceOptions {
  /** Divides by count − correction: 0 for the population, 1 for a sample. */
  readonly correction?: number | undefined;
}
/** Options of `var` and `std` of nested arrays. */
export interface NestedVarianceOptions extends NestedReduceOptions {
  /** What is taken off the count. */
  readonly ddof?: number | undefined;
}
/** What `cw.var` and `cw.std` are as functions: `const f: VarianceFunction = cw.var`. */
export type VarianceFunction = ReduceFunction<"floating", VarianceOptions, NestedVarianceOptions>;

function checkCorrection(correction: unknown = 0): number {
  if (typeof correction === "number" && !Number.isNaN(correction)) return correction;
  throw new ValueError({ what: `correction is ${describe(correction)}`, cure: "It must be a number" });
}

/**
 * Σ(x − mean)² / (n − correction), in one stable pass: `cw.var(x, {axis: 0, correction: 1})`.
 *
 * Variance in one pass: n, mean μ (as a sum of two doubles) and M₂ = Σ(x−μ)², combined as Chan, Golub and
 * LeVeque do: δ = μᵦ − μₐ, μ = μₐ + δ·nᵦ/n, M₂ = M₂ₐ + M₂ᵦ + δ²·nₐ·nᵦ/n. The mean's rounding error is carried
 * along, so that data far from zero lose no digits against two passes. In float64 for float32 too.
 */
const variance: ReduceRecord<"same"> & VarianceFunction = reduction("var", {
  accepts: "real",
  computesIn: "floating",
  parameters: { correction: checkCorrection },
  nestedOptions: { ddof: "correction" },
  result: "same",
  state: () => ["float64", "float64", "float64", "float64"],
  lift: (x) => {
    const wide = s.convert(x as s.Term, "float64");
    // x − x is 0, but NaN for what has no deviation: infinities and NaN. Then so is the number of elements.
    const nothing = s.sub(wide, wide);
    return [s.add(s.one("float64"), nothing), wide, s.zero("float64"), nothing];
  },
  combine: combineMoments,
  identity: () => [0, 0, 0, 0],
  finish: ([counted, , , moment], { count, attrs, dtype }) => {
    const left = s.sub(count("float64"), s.constant("float64", attrs["correction"] as number));
    // With nothing left to divide by, the standard says NaN.
    const divisor = s.select(s.gt(left, s.zero("float64")), left, s.constant("float64", Number.NaN));
    // Finite numbers that are further apart than any number is large leave NaN, and their variance is infinite.
    const isFar = s.and(s.isNaN_(moment as s.Term), s.not(s.isNaN_(counted as s.Term)));
    const total = s.select(isFar, s.constant("float64", Infinity), moment as s.Term);
    return s.convert(s.div(total, divisor), infoOf(dtype).part);
  },
  pullback: ({ inputs: [x], attrs, cotangent }, use) => {
    const { count, left } = use.left(x!, attrs);
    const mean = use.two("divide", use.node("sum", [x!], { axes: attrs["axes"]!, keepdims: true }), count);
    const scale = use.two("divide", use.two("multiply", cotangent, 2), left);
    return [use.two("multiply", use.spread(scale, x!, attrs), use.two("subtract", x!, mean))];
  },
});

export { variance as var };

/** The square root of the variance: `cw.std(x, {axis: 0, correction: 1})`. */
export const std: VarianceFunction = userCall(
  "std",
  (x: Operand, options: VarianceOptions = {}): Built => sqrt(variance(x, options) as LazyArray) as Built,
  [1, "axis", "keepdims", "correction"],
  otherAmong,
) as VarianceFunction;

/** An empty state on either side changes nothing: its share of the shift, or of what is left of it, is 0. */
function combineMoments(a: readonly s.Value[], b: readonly s.Value[]): readonly s.Value[] {
  const [nA, meanA, lowA, momentA] = a as readonly s.Term[];
  const [nB, meanB, lowB, momentB] = b as readonly s.Term[];
  const n = s.add(nA!, nB!);
  const apart = s.add(s.sub(meanB!, meanA!), s.sub(lowB!, lowA!));
  // Two empty states: 0/0 must not become NaN. Any other n is not changed by so little.
  const share = s.div(nB!, s.add(n, s.constant("float64", 1e-300)));
  const shift = s.mul(apart, share);
  const mean = s.add(meanA!, shift);
  // δ²·nₐ·nᵦ/n, in an order that does not overflow before the result does.
  const between = s.mul(s.mul(shift, s.sub(apart, shift)), n);
  return [
    n,
    mean,
    s.add(lowA!, roundingError(meanA!, shift, mean)),
    s.add(s.add(momentA!, momentB!), between),
  ];
}

/** What x + y lost when it became `sum` (Knuth): (x − (sum − y′)) + (y − y′) with y′ = sum − x. */
function roundingError(x: s.Term, y: s.Term, sum: s.Term): s.Term {
  const taken = s.sub(sum, x);
  return s.add(s.sub(x, s.sub(sum, taken)), s.sub(y, taken));
}

/** The value that every other is at least, or at most. */
function extreme(dtype: DType, lowest: boolean): Scalar {
  if (dtype === "bool") return !lowest;
  if (isFloat(dtype)) return lowest ? -Infinity : Infinity;
  return integerRange(dtype)[lowest ? 0 : 1];
}

/** The largest; NaN where there is one: `cw.max(x, {axis: 0})`. */
export const max = reduction("max", {
  accepts: "realOrBool",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: pair(s.max),
  identity: (dtype) => [extreme(dtype, true)],
  finish: first,
  needsElements: true,
  alone: "element",
  pullback: extremePullback,
});

/** The smallest; NaN where there is one: `cw.min(x, {axis: 0})`. */
export const min = reduction("min", {
  accepts: "realOrBool",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: pair(s.min),
  identity: (dtype) => [extreme(dtype, false)],
  finish: first,
  needsElements: true,
  alone: "element",
  pullback: extremePullback,
});

/** The largest less the smallest; NaN where there is one: `cw.ptp([1, 5, 2])` is 4. */
export const ptp = reduction("ptp", {
  accepts: "real",
  result: "same",
  state: (dtype) => [dtype, dtype],
  lift: (x) => [x, x],
  combine: ([high, low], [higher, lower]) => [
    s.max(high as s.Term, higher as s.Term),
    s.min(low as s.Term, lower as s.Term),
  ],
  identity: (dtype) => [extreme(dtype, true), extreme(dtype, false)],
  finish: ([high, low]) => s.sub(high as s.Term, low as s.Term),
  needsElements: true,
  pullback: ({ inputs: [x], attrs, cotangent }, use) =>
    use.through(
      use.two("subtract", use.node("max", [x!], attrs), use.node("min", [x!], attrs)),
      [x!],
      cotangent,
    ),
});

const truthOf = (x: s.Value): s.Term => (s.isComplexTerm(x) ? c.nonZero(x) : s.nonZero(x));

const truthTest = (
  name: string,
  join: (x: s.Term, y: s.Term) => s.Term,
  empty: boolean,
): ReduceRecord<"bool"> & ReduceFunction<"bool"> =>
  reduction(name, {
    accepts: "any",
    result: "bool",
    state: () => ["bool"],
    lift: (x) => [truthOf(x)],
    combine: pair(join),
    identity: () => [empty],
    absorbing: !empty,
    finish: first,
    alone: "truth",
  });

/** Is any not zero: `cw.any(x.greater(3))`. */
export const any = truthTest("any", s.or, false);
/** Are all not zero: `cw.all(x.greater(3))`. */
export const all = truthTest("all", s.and, true);

/** How many are not zero: `cw.countNonzero(x, {axis: 0})`. */
export const countNonzero = reduction("countNonzero", {
  accepts: "any",
  result: "index",
  state: () => [DEFAULT_INT],
  lift: (x) => [s.convert(truthOf(x), DEFAULT_INT)],
  combine: pair(s.add),
  identity: () => [0n],
  finish: first,
  alone: "truth",
});

/** Options of `cw.argmax` and `cw.argmin`. */
export interface ArgOptions {
  /** Along which axis; null, or nothing: a place in the whole array, row by row. */
  readonly axis?: AxisName | null | undefined;
  /** Leaves an axis of one in the place of each that is reduced. */
  readonly keepdims?: boolean | undefined;
}

/** The place of the extreme: the first NaN if there is one, else the first of the equal ones. */
const argExtreme = (
  name: string,
  better: (x: s.Term, y: s.Term) => s.Term,
  lowest: boolean,
): ReduceRecord<"index"> & ReduceFunction<"index", ArgOptions> =>
  reduction(name, {
    accepts: "realOrBool",
    result: "index",
    state: (dtype) => [dtype, DEFAULT_INT],
    lift: (x, position) => [x, position()],
    combine: (a, b) => combineArg(a as readonly s.Term[], b as readonly s.Term[], better),
    identity: (dtype) => [extreme(dtype, lowest), integerRange(DEFAULT_INT)[1]],
    finish: ([, position]) => position!,
    needsElements: true,
    place: 1,
    alone: "place",
  });

function combineArg(
  [valueA, placeA]: readonly s.Term[],
  [valueB, placeB]: readonly s.Term[],
  better: (x: s.Term, y: s.Term) => s.Term,
): readonly s.Term[] {
  const nanA = s.isNaN_(valueA!);
  const nanB = s.isNaN_(valueB!);
  const isEarlier = s.lt(placeB!, placeA!);
  const isBetter = s.or(s.or(nanB, better(valueB!, valueA!)), s.and(s.eq(valueA!, valueB!), isEarlier));
  const takeB = s.select(nanA, s.and(nanB, isEarlier), isBetter);
  return [s.select(takeB, valueB!, valueA!), s.select(takeB, placeB!, placeA!)];
}

/** The place of the largest along an axis, or its row-major place in the whole array: `cw.argmax(x, {axis: 0})`. */
export const argmax: ReduceRecord<"index"> & ReduceFunction<"index", ArgOptions> = argExtreme(
  "argmax",
  s.gt,
  true,
);
/** The place of the smallest along an axis, or its row-major place in the whole array: `cw.argmin(x, {axis: 0})`. */
export const argmin: ReduceRecord<"index"> & ReduceFunction<"index", ArgOptions> = argExtreme(
  "argmin",
  s.lt,
  false,
);
