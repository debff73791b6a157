// Values between samples. In: places, where samples are, and samples. Out: values at the places, on straight lines as NumPy's interp, the
// nearest samples, or cubic splines. Along several axes at once on a grid: between four samples for two axes, between eight for three.

import { checkAxisList, describe, shapeText } from "../../core/chunks.ts";
import { isComplex, type Result, toFloating } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { type Built, castTo } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, dataOp, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType } from "../../lazy/operandTypes.ts";
import {
  add,
  clip,
  divide,
  equal,
  floor,
  greater,
  isnan,
  less,
  multiply,
  subtract,
  where,
} from "../../ops/elementwise/index.ts";
import { asarray } from "../functions/creation.ts";
import { tensordot } from "../functions/linear.ts";
import { moveaxis, reshape } from "../functions/manipulation.ts";
import { searchsorted } from "../functions/searching.ts";
import { take } from "../functions/taking.ts";
import { splineWeights } from "./splines.ts";

/** Options of `cw.interp`. */
export interface InterpOptions {
  /** "linear" unless given; "nearest", where the lower one is taken in the middle; "cubic": splines, not-a-knot. */
  readonly method?: "linear" | "nearest" | "cubic" | undefined;
  /** Along which axis of the samples; the first unless given. Several: places and samples' places are lists. */
  readonly axis?: number | readonly number[] | undefined;
  /** Left of all samples: the first of them unless given. Not for splines, which go on. */
  readonly left?: number | undefined;
  /** Right of all samples: the last of them unless given. */
  readonly right?: number | undefined;
}

type Places = Operand | readonly Operand[];

/**
 * What samples `fp` at the rising places `xp` come to at the places `x`: `cw.interp([1.5, 4], [1, 2, 3], [10, 20, 0])` is [15, 0].
 * Samples of several axes are interpolated along one of them, `cw.interp(days, months, field, {axis: 0})`, or along several, on a grid:
 * `cw.interp([lat, lon], [lats, lons], field, {axis: [0, 1]})`.
 */
export const interp: <const A extends Operand>(
  x: Places,
  xp: Places,
  fp: A,
  options?: InterpOptions,
) => LazyArray<Result<ArrayDType<A>, "floating">> = userCall(
  "interp",
  (x: Places, xp: Places, fp: Operand, options: InterpOptions = {}): Built => {
    const { axis = 0, method = "linear" } = options;
    if (method !== "linear" && method !== "nearest" && method !== "cubic")
      throw new ValueError({
        what: `method is ${describe(method)}`,
        cure: 'Use "linear", "nearest" or "cubic"',
      });
    const raw = asLazy(fp);
    const samples = castTo(raw, toFloating(raw.dtype));
    if (typeof axis === "number") {
      const [at] = checkAxisList([axis], samples.ndim) as [number];
      return between(asLazy(x as Operand), asLazy(xp as Operand), samples, at, options) as Built;
    }
    const axes = checkAxisList(axis, samples.ndim);
    const [places, known] = [x, xp] as [readonly Operand[], readonly Operand[]];
    if (places.length !== axes.length || known.length !== axes.length)
      throw new ShapeError({
        what: `${axes.length} axes, ${places.length} lists of places and ${known.length} of samples' places`,
        cure: "Give one for each axis",
      });
    return axes.reduce(
      (field, at, k) => between(vector(places[k]!), asLazy(known[k]!), field, at, options),
      samples,
    ) as Built;
  },
  [3, "method", "axis", "left", "right"],
);

function vector(places: Operand): LazyArray {
  const array = asLazy(places);
  if (array.ndim === 1) return array;
  throw new ShapeError({
    what: `places of shape ${shapeText(array.shape)}`,
    cure: "Give 1-d arrays of places on a grid",
  });
}

function between(
  given: LazyArray,
  known: LazyArray,
  fp: LazyArray,
  axis: number,
  options: InterpOptions,
): LazyArray {
  if (isComplex(given.dtype) || isComplex(known.dtype))
    throw new ValueError({ what: "places are complex numbers", cure: "Use real numbers" });
  if (known.ndim !== 1 || known.shape[0] !== fp.shape[axis] || known.shape[0] === 0)
    throw new ShapeError({
      what: `places of samples of shape ${shapeText(known.shape)} for axis ${axis} of samples of shape ${shapeText(fp.shape)}`,
      cure: "Give one place for each sample, and at least one",
    });
  const [x, xp] = [castTo(given, "float64"), castTo(known, "float64")];
  if (options.method === "cubic") return onSplines(x, xp, fp, axis);
  if (xp.shape[0] === 1) return add(multiply(aligned(x, fp, axis), 0), take(fp, placesOf(x, 0), { axis }));
  return beyond(inside(x, xp, fp, axis, options.method ?? "linear"), { x, xp, fp, axis }, options);
}

const placesOf = (x: LazyArray, place: number): LazyArray =>
  castTo(add(multiply(floor(x), 0), place), "int64");

/** Numbers of places, as they lie along the axes that stand for one. */
function aligned(x: LazyArray, fp: LazyArray, axis: number): LazyArray {
  return reshape(x, [
    ...fp.shape.slice(0, axis).map(() => 1),
    ...x.shape,
    ...fp.shape.slice(axis + 1).map(() => 1),
  ]);
}

/** f[j] + (x − x[j])·(f[j + 1] − f[j]) / (x[j + 1] − x[j]), in NumPy's order. */
function inside(x: LazyArray, xp: LazyArray, fp: LazyArray, axis: number, method: string): LazyArray {
  const n = xp.shape[0]!;
  const below = settled(clip(subtract(searchsorted(xp, x, { side: "right" }), 1), { min: 0, max: n - 2 }));
  const above = settled(add(below, 1));
  const [x0, x1] = [take(xp, below, { axis: 0 }), take(xp, above, { axis: 0 })];
  if (method === "nearest") {
    const isUpper = greater(x, multiply(add(x0, x1), 0.5));
    return take(fp, settled(where(isUpper, above, below)), { axis });
  }
  const [f0, f1] = [take(fp, below, { axis }), take(fp, above, { axis })];
  const slope = divide(subtract(f1, f0), aligned(subtract(x1, x0), fp, axis));
  return add(multiply(slope, aligned(subtract(x, x0), fp, axis)), f0);
}

/** Places that follow from data in memory are known before anything is planned, so that a task reads its samples and no others. */
function settled(places: LazyArray): LazyArray {
  return isKnown(places) ? asLazy(places.computeSync() as Operand) : places;
}

/** Small, and of data in memory alone. */
const MOST_KNOWN = 1 << 20;
const isKnown = (x: LazyArray): boolean => x.size <= MOST_KNOWN && sourcesInMemory(x);

interface Ends {
  readonly x: LazyArray;
  readonly xp: LazyArray;
  readonly fp: LazyArray;
  readonly axis: number;
}

/** What is left of all samples, and right of them; NaN stays. */
function beyond(found: LazyArray, { x, xp, fp, axis }: Ends, { left, right }: InterpOptions): LazyArray {
  const n = xp.shape[0]!;
  const end = (place: number, given: number | undefined): Operand =>
    given ?? sampleAt(fp, axis, place, x.ndim);
  const [first, last] = [xp.get(0), xp.get(n - 1)];
  const line = (mask: LazyArray): LazyArray => aligned(mask, fp, axis);
  const low = where(line(less(x, first)), end(0, left), found);
  const high = where(line(greater(x, last)), end(n - 1, right), low);
  const atEnd = where(line(equal(x, last)), sampleAt(fp, axis, n - 1, x.ndim), high);
  return castTo(where(line(isnan(x)), Number.NaN, atEnd), fp.dtype);
}

const sampleAt = (fp: LazyArray, axis: number, place: number, ndim: number): LazyArray => {
  const one = take(fp, [place], { axis });
  return reshape(one, [
    ...fp.shape.slice(0, axis),
    ...new Array<number>(ndim).fill(1),
    ...fp.shape.slice(axis + 1),
  ]);
};

/** Σ weight·sample: splines are linear in their samples. */
function onSplines(x: LazyArray, xp: LazyArray, fp: LazyArray, axis: number): LazyArray {
  if (!isKnown(x) || !isKnown(xp))
    throw new ValueError({
      what: "places of splines depend on data that is not in memory",
      cure: "Compute them first",
    });
  const [at, knots] = [x, xp].map((places) => Float64Array.from(places.computeSync().data as Float64Array));
  const weights = asarray(splineWeights(at!, knots!), { chunks: "all" }).reshape([x.size, knots!.length]);
  const found = tensordot(weights, fp, { axes: [[1], [axis]] });
  const shaped = reshape(found, [...x.shape, ...fp.shape.filter((_, a) => a !== axis)]);
  const own = x.shape.map((_, k) => k);
  return castTo(
    moveaxis(
      shaped,
      own,
      own.map((k) => axis + k),
    ),
    fp.dtype,
  );
}

/** Nothing that it is made of has to be read or drawn. */
function sourcesInMemory(x: LazyArray): boolean {
  const seen = new Set<unknown>();
  const visit = (expr: LazyArray["expr"]): boolean => {
    if (seen.has(expr)) return true;
    seen.add(expr);
    if (seen.size > 200) return false;
    const { op, inputs } = expr;
    if (op.class === "source") return op === dataOp || op.body !== null;
    return op.class !== "staged" && inputs.every(visit);
  };
  return visit(x.expr);
}
