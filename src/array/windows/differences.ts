// Derivatives and phases along axes. In: samples, and how far they are apart. Out: as many derivatives as there are samples, in NumPy's order
// of operations; phases without jumps.

import { checkAxes, checkAxis, describe, shapeText } from "../../core/chunks.ts";
import { isComplex, isFloat, type Result, resultOf } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { chunksOf, makeExpr } from "../../expr/expr.ts";
import { type Built, built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, coordinate, type LazyArray, type Operand, sourceAttrs } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import {
  abs,
  add,
  divide,
  equal,
  greater,
  less,
  logicalAnd,
  logicalOr,
  multiply,
  negative,
  remainder,
  subtract,
  where,
} from "../../ops/elementwise/index.ts";
import { cumulativeSum } from "../../ops/scans.ts";
import { partAlong } from "../chunked.ts";
import { concat } from "../functions/joining.ts";
import { reshape } from "../functions/manipulation.ts";
import { pad } from "../functions/repeating.ts";
import { diff } from "../functions/searching.ts";

/** Options of `cw.gradient`. */
export interface GradientOptions {
  /** How far samples are apart, or where they are (a 1-d array); for all axes, or a list with one for each. 1 unless given. */
  readonly spacing?: Spacing | readonly Spacing[] | undefined;
  /** Along which axes; all of them unless given. */
  readonly axis?: number | readonly number[] | undefined;
  /** Of the error at the ends: 1, unless given, or 2. */
  readonly edgeOrder?: 1 | 2 | undefined;
}

/** A distance, or coordinates. */
export type Spacing = number | LazyArray | Float64Array | Float32Array;

type Floating<A> = LazyArray<Result<ArrayDType<A>, "floating">>;

interface GradientFunction {
  <const A extends Operand>(x: A, options: GradientOptions & { readonly axis: number }): Floating<A>;
  <const A extends Operand>(x: A, options?: GradientOptions): Floating<A>[];
}

/**
 * Derivatives by differences, centred inside and one-sided at the ends, as NumPy's: `cw.gradient(x, {axis: 0, spacing: 0.5})`. One array
 * where `axis` is a number, else a list: `const [dy, dx] = cw.gradient(field)`.
 */
export const gradient: GradientFunction = userCall(
  "gradient",
  (given: Operand, options: GradientOptions = {}): Built | Built[] => {
    const raw = asLazy(given);
    const x = castTo(raw, resultOf(raw.dtype, "floating"));
    const { axis, edgeOrder = 1, spacing = 1 } = options;
    if (edgeOrder !== 1 && edgeOrder !== 2)
      throw new ValueError({ what: `edgeOrder is ${describe(edgeOrder)}`, cure: "Use 1 or 2" });
    if (typeof axis === "number")
      return along(
        x,
        checkAxis(axis, x.ndim),
        Array.isArray(spacing) ? spacing[0]! : (spacing as Spacing),
        edgeOrder,
      ) as Built;
    const axes = checkAxes(axis, x.ndim);
    if (Array.isArray(spacing) && spacing.length !== axes.length)
      throw new ValueError({
        what: `${spacing.length} spacings and ${axes.length} axes`,
        cure: "Give one for all axes, or one for each",
      });
    return axes.map((a, at) =>
      along(x, a, Array.isArray(spacing) ? spacing[at]! : (spacing as Spacing), edgeOrder),
    ) as Built[];
  },
  [1, "spacing", "axis", "edgeOrder"],
) as GradientFunction;

function along(x: LazyArray, axis: number, spacing: Spacing, edgeOrder: 1 | 2): LazyArray {
  const n = x.shape[axis]!;
  if (n < edgeOrder + 1)
    throw new ShapeError({
      what: `axis ${axis} has ${n} samples`,
      cure: `At least ${edgeOrder + 1} are needed`,
    });
  if (edgeOrder === 1 && typeof spacing === "number") return simple(x, axis, spacing);
  return typeof spacing === "number"
    ? concat(evenly(x, axis, spacing), { axis })
    : concat(unevenly(x, axis, distances(spacing, x, axis), edgeOrder), { axis });
}

type Part = (from: number, count: number) => LazyArray;

/** With the ends there twice: (x[i + 1] − x[i − 1]) / 2h, and at the ends what is left of it, over h. */
function simple(x: LazyArray, axis: number, h: number): LazyArray {
  const n = x.shape[axis]!;
  const around = pad(
    x,
    x.shape.map((_, a) => (a === axis ? [1, 1] : [0, 0])),
    { mode: "edge" },
  );
  const attrs = { ...sourceAttrs({ dtype: "int64", shape: x.shape }, chunksOf(x.expr)), axis };
  const place = built(makeExpr(coordinate, [], attrs), []);
  const isEnd = logicalOr(equal(place, 0), equal(place, n - 1));
  const over = castTo(where(isEnd, h, 2 * h), x.dtype);
  return divide(subtract(partAlong(around, axis, 2, n), partAlong(around, axis, 0, n)), over);
}

function evenly(x: LazyArray, axis: number, h: number): LazyArray[] {
  const n = x.shape[axis]!;
  const part: Part = (from, count) => partAlong(x, axis, from, count);
  const inside = divide(subtract(part(2, n - 2), part(0, n - 2)), 2 * h);
  const three = (a: number, b: number, c: number, from: number): LazyArray =>
    add(
      add(multiply(part(from, 1), a / h), multiply(part(from + 1, 1), b / h)),
      multiply(part(from + 2, 1), c / h),
    );
  return [three(-1.5, 2, -0.5, 0), inside, three(0.5, -2, 1.5, n - 3)];
}

/** Distances of neighbours, along an axis. */
function distances(spacing: Exclude<Spacing, number>, x: LazyArray, axis: number): LazyArray {
  const places = asLazy(spacing);
  if (places.ndim !== 1 || places.shape[0] !== x.shape[axis])
    throw new ShapeError({
      what: `coordinates of shape ${shapeText(places.shape)} for axis ${axis} of shape ${shapeText(x.shape)}`,
      cure: "Give one for each sample",
    });
  const steps = diff(castTo(places, isFloat(places.dtype) ? places.dtype : "float64"));
  return reshape(
    steps,
    x.shape.map((_, a) => (a === axis ? steps.shape[0]! : 1)),
  );
}

/** Weights of a parabola through three samples, in NumPy's formulas. */
function unevenly(x: LazyArray, axis: number, steps: LazyArray, edgeOrder: 1 | 2): LazyArray[] {
  const n = x.shape[axis]!;
  const part: Part = (from, count) => partAlong(x, axis, from, count);
  const step: Part = (from, count) => partAlong(steps, axis, from, count);
  const sum3 = (weights: readonly LazyArray[], from: number, count: number): LazyArray =>
    weights
      .map((weight, k) => multiply(weight, part(from + k, count)) as LazyArray)
      .reduce((a, b) => add(a, b));
  const [d1, d2] = [step(0, n - 2), step(1, n - 2)];
  const both = add(d1, d2);
  const inside = sum3(
    [
      divide(negative(d2), multiply(d1, both)),
      divide(subtract(d2, d1), multiply(d1, d2)),
      divide(d1, multiply(d2, both)),
    ],
    0,
    n - 2,
  );
  if (edgeOrder === 1)
    return [
      divide(subtract(part(1, 1), part(0, 1)), step(0, 1)),
      inside,
      divide(subtract(part(n - 1, 1), part(n - 2, 1)), step(n - 2, 1)),
    ];
  return [
    sum3(firstWeights(step(0, 1), step(1, 1)), 0, 1),
    inside,
    sum3(lastWeights(step(n - 3, 1), step(n - 2, 1)), n - 3, 1),
  ];
}

function firstWeights(d1: LazyArray, d2: LazyArray): LazyArray[] {
  const both = add(d1, d2);
  return [
    divide(negative(add(multiply(d1, 2), d2)), multiply(d1, both)),
    divide(both, multiply(d1, d2)),
    divide(negative(d1), multiply(d2, both)),
  ];
}

function lastWeights(d1: LazyArray, d2: LazyArray): LazyArray[] {
  const both = add(d1, d2);
  return [
    divide(d2, multiply(d1, both)),
    divide(negative(both), multiply(d1, d2)),
    divide(add(multiply(d2, 2), d1), multiply(d2, both)),
  ];
}

/** Options of `cw.unwrap`. */
export interface UnwrapOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: number | undefined;
  /** A step of more than this is a jump; half a period unless given, and never less. */
  readonly discont?: number | null | undefined;
  /** What is added or taken away; 2π unless given. */
  readonly period?: number | undefined;
}

/** Phases without jumps of whole periods: `cw.unwrap([0, 3, 6.1 - 2 * Math.PI])` is [0, 3, 6.1]. */
export const unwrap: <const A extends Operand>(x: A, options?: UnwrapOptions) => Floating<A> = userCall(
  "unwrap",
  (given: Operand, { axis = -1, discont, period = 2 * Math.PI }: UnwrapOptions = {}): Built => {
    const raw = asLazy(given);
    if (isComplex(raw.dtype))
      throw new ValueError({ what: "complex numbers have no order", cure: "Unwrap angle(x)" });
    if (!(Number.isFinite(period) && period > 0))
      throw new ValueError({ what: `period is ${describe(period)}`, cure: "Use a number above 0" });
    const x = castTo(raw, resultOf(raw.dtype, "floating"));
    const at = checkAxis(axis, x.ndim);
    const n = x.shape[at]!;
    if (n < 2) return x as Built;
    const steps = diff(x, { axis: at });
    const half = period / 2;
    const within = subtract(remainder(add(steps, half), period), half);
    // A step of half a period keeps its sign.
    const signed = where(logicalAnd(equal(within, -half), greater(steps, 0)), half, within);
    const change = where(less(abs(steps), discont ?? half), 0, subtract(signed, steps));
    const rest = add(partAlong(x, at, 1, n - 1), cumulativeSum(change, { axis: at }));
    return concat([partAlong(x, at, 0, 1), rest], { axis: at }) as Built;
  },
  [1, "axis", "discont", "period"],
);
