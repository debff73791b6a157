// Reductions: what goes into the state, how two states combine, what comes out. attrs.axes are ascending
// and non-negative; attrs.keepdims leaves them as 1. Trees, chunks and kernels follow from these records.

import type { Attrs } from "../core/attrs.ts";
import { DEFAULT_INT, type DType, infoOf, isFloat } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import { integerRange, type Scalar } from "../core/numbers.ts";
import { type ResultRule, resultOf } from "../core/results.ts";
import { type Shape, shapeText, sizeOf } from "../core/shape.ts";
import type { ArrayType, ReduceOp } from "../expr/op.ts";
import * as s from "../kernel/scalar.ts";
import * as c from "./complex/arithmetic.ts";
import { checkKind, type KindSet } from "./kinds.ts";

export interface ReduceAttrs {
  readonly axes: readonly number[];
  readonly keepdims: boolean;
}

export const reduceAttrs = (attrs: Attrs): ReduceAttrs => attrs as unknown as ReduceAttrs;

export function reducedShape(shape: Shape, { axes, keepdims }: ReduceAttrs): Shape {
  if (keepdims) return shape.map((length, axis) => (axes.includes(axis) ? 1 : length));
  return shape.filter((_, axis) => !axes.includes(axis));
}

/** How many elements go into one result. */
export const reducedCount = (shape: Shape, axes: readonly number[]): number =>
  sizeOf(axes.map((axis) => shape[axis]!));

export interface ReduceLine
  extends Pick<ReduceOp, "state" | "lift" | "combine" | "identity" | "absorbing" | "finish"> {
  readonly accepts: KindSet;
  /** A rule of core/results.ts: small integers are cast before they are added up. */
  readonly result: ResultRule;
  /** Nothing at all has no minimum. */
  readonly needsElements?: boolean;
}

export interface ReduceFunction<R extends ResultRule = ResultRule> extends ReduceOp {
  readonly accepts: KindSet;
  /** The result's dtype from the array's. */
  readonly result: R;
}

export function reduction<const L extends ReduceLine>(name: string, line: L): ReduceFunction<L["result"]> {
  return {
    name,
    class: "reduce",
    accepts: line.accepts,
    result: line.result,
    infer: ([input], attrs) => inferReduction(name, line, input!, reduceAttrs(attrs)),
    state: line.state,
    lift: line.lift,
    combine: line.combine,
    identity: line.identity,
    absorbing: line.absorbing,
    finish: line.finish,
  };
}

function inferReduction(name: string, line: ReduceLine, input: ArrayType, attrs: ReduceAttrs): ArrayType {
  checkKind(line.accepts, input.dtype);
  const shape = reducedShape(input.shape, attrs);
  if (line.needsElements === true && sizeOf(shape) > 0 && reducedCount(input.shape, attrs.axes) === 0) {
    throw new ValueError({
      what: `the ${name} of no elements is not defined (shape ${shapeText(input.shape)}, axes ${shapeText(attrs.axes)})`,
      cure: "Reduce over axes that have elements",
    });
  }
  return { dtype: resultOf(input.dtype, line.result), shape };
}

const own = (dtype: DType): readonly DType[] => [dtype];
const first = ([state]: readonly s.Value[]): s.Value => state!;
const pair = (
  f: (x: s.Term, y: s.Term) => s.Term,
): ((a: readonly s.Value[], b: readonly s.Value[]) => readonly s.Value[]) => {
  return ([a], [b]) => [f(a as s.Term, b as s.Term)];
};

/** Sums and products of real or complex values. */
const addValues = (a: s.Value, b: s.Value): s.Value =>
  s.isComplexTerm(a) ? c.add(a, b as s.ComplexTerm) : s.add(a, b as s.Term);
const multiplyValues = (a: s.Value, b: s.Value): s.Value =>
  s.isComplexTerm(a) ? c.multiply(a, b as s.ComplexTerm) : s.mul(a, b as s.Term);

export const sum: ReduceFunction<"same"> = reduction("sum", {
  accepts: "numeric",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: ([a], [b]) => [addValues(a!, b!)],
  identity: () => [0],
  finish: first,
});

export const prod: ReduceFunction<"same"> = reduction("prod", {
  accepts: "numeric",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: ([a], [b]) => [multiplyValues(a!, b!)],
  identity: () => [1],
  finish: first,
});

/** Σx / n. */
export const mean: ReduceFunction<"same"> = reduction("mean", {
  accepts: "numeric",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: ([a], [b]) => [addValues(a!, b!)],
  identity: () => [0],
  finish: ([total], { count }) => {
    if (!s.isComplexTerm(total!)) return s.div(total!, s.constant(total!.type, count));
    const n = s.constant(total.re.type, count);
    return { re: s.div(total.re, n), im: s.div(total.im, n) };
  },
});

/**
 * Variance in one pass: n, mean μ (as a sum of two doubles) and M₂ = Σ(x−μ)², combined as Chan, Golub and
 * LeVeque do: δ = μᵦ − μₐ, μ = μₐ + δ·nᵦ/n, M₂ = M₂ₐ + M₂ᵦ + δ²·nₐ·nᵦ/n. The mean's rounding error is carried
 * along, so that data far from zero lose no digits against two passes. In float64 for float32 too.
 */
export const variance: ReduceFunction<"same"> = reduction("var", {
  accepts: "real",
  result: "same",
  state: () => ["float64", "float64", "float64", "float64"],
  lift: (x) => {
    const wide = s.convert(x as s.Term, "float64");
    // x − x is 0, but NaN for what has no deviation: infinities and NaN.
    return [s.one("float64"), wide, s.zero("float64"), s.sub(wide, wide)];
  },
  combine: combineMoments,
  identity: () => [0, 0, 0, 0],
  finish: ([, , , moment], { count, attrs, dtype }) => {
    const left = count - (attrs["correction"] as number);
    // With nothing left to divide by, the standard says NaN.
    const divisor = s.constant("float64", left > 0 ? left : Number.NaN);
    return s.convert(s.div(moment as s.Term, divisor), infoOf(dtype).part);
  },
});

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

export const max: ReduceFunction<"same"> = reduction("max", {
  accepts: "realOrBool",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: pair(s.max),
  identity: (dtype) => [extreme(dtype, true)],
  finish: first,
  needsElements: true,
});

export const min: ReduceFunction<"same"> = reduction("min", {
  accepts: "realOrBool",
  result: "same",
  state: own,
  lift: (x) => [x],
  combine: pair(s.min),
  identity: (dtype) => [extreme(dtype, false)],
  finish: first,
  needsElements: true,
});

const truthOf = (x: s.Value): s.Term => (s.isComplexTerm(x) ? c.nonZero(x) : s.nonZero(x));

const truthTest = (
  name: string,
  join: (x: s.Term, y: s.Term) => s.Term,
  empty: boolean,
): ReduceFunction<"bool"> =>
  reduction(name, {
    accepts: "any",
    result: "bool",
    state: () => ["bool"],
    lift: (x) => [truthOf(x)],
    combine: pair(join),
    identity: () => [empty],
    absorbing: !empty,
    finish: first,
  });

export const any: ReduceFunction<"bool"> = truthTest("any", s.or, false);
export const all: ReduceFunction<"bool"> = truthTest("all", s.and, true);

export const countNonzero: ReduceFunction<"index"> = reduction("countNonzero", {
  accepts: "any",
  result: "index",
  state: () => [DEFAULT_INT],
  lift: (x) => [s.convert(truthOf(x), DEFAULT_INT)],
  combine: pair(s.add),
  identity: () => [0n],
  finish: first,
});

/** The place of the extreme: the first NaN if there is one, else the first of the equal ones. */
const argExtreme = (
  name: string,
  better: (x: s.Term, y: s.Term) => s.Term,
  lowest: boolean,
): ReduceFunction<"index"> =>
  reduction(name, {
    accepts: "realOrBool",
    result: "index",
    state: (dtype) => [dtype, DEFAULT_INT],
    lift: (x, position) => [x, position()],
    combine: (a, b) => combineArg(a as readonly s.Term[], b as readonly s.Term[], better),
    identity: (dtype) => [extreme(dtype, lowest), integerRange(DEFAULT_INT)[1]],
    finish: ([, position]) => position!,
    needsElements: true,
  });

function combineArg(
  [valueA, placeA]: readonly s.Term[],
  [valueB, placeB]: readonly s.Term[],
  better: (x: s.Term, y: s.Term) => s.Term,
): readonly s.Term[] {
  const nanA = s.isNaN_(valueA!);
  const nanB = s.isNaN_(valueB!);
  const tie = s.or(s.eq(valueA!, valueB!), s.and(nanA, nanB));
  const wins = s.or(s.and(better(valueB!, valueA!), s.not(nanA)), s.and(nanB, s.not(nanA)));
  const takeB = s.select(tie, s.lt(placeB!, placeA!), wins);
  return [s.select(takeB, valueB!, valueA!), s.select(takeB, placeB!, placeA!)];
}

export const argmax: ReduceFunction<"index"> = argExtreme("argmax", s.gt, true);
export const argmin: ReduceFunction<"index"> = argExtreme("argmin", s.lt, false);

/** Small integers add up in 64 bits; every other type in itself. */
export const accumulatorOf = (dtype: DType): DType => resultOf(dtype, "total");

export const REDUCTIONS: readonly ReduceFunction[] = [
  ...[sum, prod, mean, variance, max, min],
  ...[any, all, countNonzero, argmax, argmin],
];
