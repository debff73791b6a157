// Counting by value: histograms of one array and of several. Edges
// that follow from the data are computed in the same plan. In: arrays, and what the bins are. Out: counts, which are groups by
// bin (array/grouping.ts), and edges.
// Must hold: counts are NumPy's, at edges too: a bin has its lower edge, and the last one its upper.

import { describe, isLength, sameShape, shapeText } from "../../core/chunks.ts";
import { checkKind, type DType, isComplex, isFloat, type Result, toFloating } from "../../core/dtype.ts";
import { ShapeError, ValueError } from "../../core/errors.ts";
import { uniformEdges } from "../../kernel/routines/bins.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { looseCall, userCall } from "../../lazy/call.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { binCounts, binEdges, binPlaces } from "../../ops/binning.ts";
import { add, divide, less, logicalOr, multiply, where } from "../../ops/elementwise/index.ts";
import { max, min, sum } from "../../ops/reductions.ts";
import { blockToCount, countsFrom, countsOf, MOST_AT_ONCE, MOST_BINS } from "../labelCounts.ts";
import { asarray } from "./creation.ts";
import { expandDims, reshape } from "./manipulation.ts";
import { diff } from "./searching.ts";

/** How many bins of one width, or their edges, ascending. */
export type Bins = number | Operand;
/** The lowest edge and the highest. */
export type BinRange = readonly [least: number, most: number];

/** Options of `cw.histogram`. */
export interface HistogramOptions<W extends Operand | undefined = Operand | undefined> {
  /** 10 unless given. */
  readonly bins?: Bins | undefined;
  /** From where to where bins of one width go: from the least element to the largest, unless given. What lies outside is left out. */
  readonly range?: BinRange | null | undefined;
  /** What each element counts, of the array's shape; 1 unless given. */
  readonly weights?: W;
  /** Divides by the width of the bins and by all that is counted: the area is 1. */
  readonly density?: boolean | undefined;
}

/** What `cw.histogram` gives. */
export interface Histogram<C extends DType = DType, E extends DType = DType, O = unknown> {
  /** For each bin what its elements count. */
  readonly counts: LazyArray<C, O>;
  /** One more than there are bins. */
  readonly edges: LazyArray<E, O>;
}

type CountDType<W> = W extends Operand ? Result<ArrayDType<W>, "total"> : "int64";

interface HistogramFunction {
  <const A extends Operand, const W extends Operand | undefined = undefined>(
    x: A,
    options: HistogramOptions<W> & { readonly density: true },
  ): Histogram<"float64", Result<ArrayDType<A>, "floating">, OutputsOf<A>>;
  <const A extends Operand, const W extends Operand | undefined = undefined>(
    x: A,
    bins: Bins,
    options: Omit<HistogramOptions<W>, "bins"> & { readonly density: true },
  ): Histogram<"float64", Result<ArrayDType<A>, "floating">, OutputsOf<A>>;
  <const A extends Operand, const W extends Operand | undefined = undefined>(
    x: A,
    options?: HistogramOptions<W>,
  ): Histogram<CountDType<W>, Result<ArrayDType<A>, "floating">, OutputsOf<A>>;
  <const A extends Operand, const W extends Operand | undefined = undefined>(
    x: A,
    bins: Bins,
    options?: Omit<HistogramOptions<W>, "bins">,
  ): Histogram<CountDType<W>, Result<ArrayDType<A>, "floating">, OutputsOf<A>>;
  readonly "~method"?: {
    <D extends DType, O>(
      this: LazyArray<D, O>,
      options: HistogramOptions & { readonly density: true },
    ): Histogram<"float64", Result<D, "floating">, O>;
    <D extends DType, O, const W extends Operand | undefined = undefined>(
      this: LazyArray<D, O>,
      options?: HistogramOptions<W>,
    ): Histogram<CountDType<W>, Result<D, "floating">, O>;
    <D extends DType, O, const W extends Operand | undefined = undefined>(
      this: LazyArray<D, O>,
      bins: Bins,
      options?: Omit<HistogramOptions<W>, "bins">,
    ): Histogram<DType, Result<D, "floating">, O>;
  };
}

const DEFAULT_BINS = 10;

/**
 * How many elements lie in each bin: `const {counts, edges} = cw.histogram(x, 20)`. Bins are a number, or edges; weights count
 * in place of 1, and `density: true` makes an area of 1.
 */
export const histogram: HistogramFunction = looseCall(
  "histogram",
  (x: Operand, bins: Bins = DEFAULT_BINS, options: Omit<HistogramOptions, "bins"> = {}): never => {
    const { weights, density = false, range } = options;
    const line = binnedLine(asLazy(x), bins, range);
    const counts = countsIn([line], weights);
    return { counts: density ? dense(counts, [line]) : counts, edges: line.edges } as never;
  },
  [["x", "bins"], "range", "weights", "density"],
) as never;

/** The edges that `cw.histogram` would use, without counting: `cw.histogramBinEdges(x, 20)`. */
export const histogramBinEdges: <const A extends Operand>(
  x: A,
  bins?: Bins,
  options?: Pick<HistogramOptions, "range">,
) => LazyArray<Result<ArrayDType<A>, "floating">, OutputsOf<A>> = looseCall(
  "histogramBinEdges",
  (x: Operand, bins: Bins = DEFAULT_BINS, { range }: Pick<HistogramOptions, "range"> = {}): Built =>
    binnedLine(asLazy(x), bins, range).edges as Built,
  [["x", "bins"], "range"],
) as never;

/** Options of `cw.histogram2d` and `cw.histogramdd`. */
export interface HistogramddOptions {
  /** How many bins along every axis, 10 unless given; or for each axis a number or edges. */
  readonly bins?: number | readonly Bins[] | undefined;
  /** For each axis from where to where bins of one width go, or null: from the least element to the largest. */
  readonly range?: readonly (BinRange | null)[] | null | undefined;
  /** What each point counts; 1 unless given. */
  readonly weights?: Operand | undefined;
  /** Divides by the size of the bins and by all that is counted. */
  readonly density?: boolean | undefined;
}

/** What `cw.histogram2d` gives. */
export interface Histogram2d {
  /** Bins of the first array by bins of the second. */
  readonly counts: LazyArray;
  /** Of the first. */
  readonly xEdges: LazyArray;
  /** Of the second. */
  readonly yEdges: LazyArray;
}

/** How many points lie in each cell of a grid: `const {counts, xEdges, yEdges} = cw.histogram2d(x, y, {bins: [20, 30]})`. */
export const histogram2d: (x: Operand, y: Operand, options?: HistogramddOptions) => Histogram2d = userCall(
  "histogram2d",
  (x: Operand, y: Operand, options: HistogramddOptions = {}): never => {
    const { counts, edges } = histogramOf([asLazy(x), asLazy(y)], options);
    return { counts, xEdges: edges[0], yEdges: edges[1] } as never;
  },
  [2, "bins", "range", "weights", "density"],
) as never;

/** What `cw.histogramdd` gives. */
export interface Histogramdd {
  /** One axis for each coordinate. */
  readonly counts: LazyArray;
  /** Of each coordinate. */
  readonly edges: readonly LazyArray[];
}

/**
 * The same of points with any number of coordinates, which are the columns of an array or a list of arrays:
 * `const {counts, edges} = cw.histogramdd([x, y, z], {bins: 8})`.
 */
export const histogramdd: (
  sample: Operand | readonly Operand[],
  options?: HistogramddOptions,
) => Histogramdd = userCall(
  "histogramdd",
  (sample: Operand | readonly Operand[], options: HistogramddOptions = {}): never =>
    histogramOf(coordinatesOf(sample), options) as never,
  [1, "bins", "range", "weights", "density"],
) as never;

function coordinatesOf(sample: Operand | readonly Operand[]): LazyArray[] {
  const isList = Array.isArray(sample) && sample.some((part) => typeof part === "object");
  const lists = isList && !sample.every((part) => Array.isArray(part) && typeof part[0] === "number");
  if (lists) return (sample as readonly Operand[]).map((part) => asLazy(part));
  const points = asLazy(sample as Operand);
  if (points.ndim !== 2)
    throw new ShapeError({
      what: `the points have shape ${shapeText(points.shape)}`,
      cure: "Give an array with a row for each point, or a list with an array for each coordinate",
    });
  return Array.from({ length: points.shape[1]! }, (_, k) => points.get(":", k) as LazyArray);
}

function histogramOf(
  coordinates: readonly LazyArray[],
  { bins = DEFAULT_BINS, range, weights, density = false }: HistogramddOptions,
): { readonly counts: LazyArray; readonly edges: readonly LazyArray[] } {
  const count = coordinates.length;
  if (count === 0)
    throw new ShapeError({ what: "there are no coordinates", cure: "Give one array at least" });
  const each = checkEach(bins, count, "bins");
  const ranges = range === undefined || range === null ? undefined : checkEach(range, count, "range");
  const lines = coordinates.map((x, k) =>
    binnedLine(x, each[k] as Bins, ranges?.[k] as BinRange | null, { name: `bins[${k}]`, dtype: "float64" }),
  );
  const shape = lines.map(({ bins: own }) => own);
  const counts = reshape(countsIn(lines, weights), shape);
  return { counts: density ? dense(counts, lines) : counts, edges: lines.map(({ edges }) => edges) };
}

function checkEach(given: unknown, count: number, name: string): readonly unknown[] {
  if (typeof given === "number") return new Array<unknown>(count).fill(given);
  if (Array.isArray(given) && given.length === count) return given;
  throw new ValueError({
    what: `${name} is ${describe(given)} for ${count} ${count === 1 ? "coordinate" : "coordinates"}`,
    cure: "Give one entry for each coordinate",
  });
}

/** One coordinate: its elements, and in which of its bins every one lies. */
interface Line {
  readonly x: LazyArray;
  readonly places: LazyArray;
  /** Bins are of one width. */
  readonly isUniform: boolean;
  readonly edges: LazyArray;
  readonly bins: number;
}

/** What the bins are called in errors, and the dtype of edges that are computed: NumPy's are float64 for several coordinates. */
interface LineSetting {
  readonly name: string;
  readonly dtype?: DType;
}

function binnedLine(
  given: LazyArray,
  bins: unknown,
  range: BinRange | null | undefined,
  { name, dtype }: LineSetting = { name: "bins" },
): Line {
  checkKind("realOrBool", given.dtype);
  const x = given.dtype === "bool" ? castTo(given, "uint8") : given;
  const isNumber = typeof bins === "number";
  const edges = isNumber ? edgesOf(x, checkBins(bins, name), range, dtype) : givenEdges(bins, x, name);
  const places = node(binPlaces, [x, edges], { mode: "bins", uniform: isNumber });
  return { x, places, isUniform: isNumber, edges, bins: edges.size - 1 };
}

function checkBins(bins: number, name: string): number {
  if (isLength(bins) && bins >= 1 && bins <= MOST_BINS) return bins;
  throw new ValueError({
    what: `${name} is ${describe(bins)}`,
    cure: "Give a whole number of 1 or more, or edges",
  });
}

/** NumPy's: between what is asked for, or the least and the most, which are the reductions of the same plan. */
function edgesOf(
  x: LazyArray,
  bins: number,
  range: BinRange | null | undefined,
  dtype: DType = toFloating(x.dtype),
): LazyArray {
  if (range === undefined || range === null) {
    if (x.size > 0) return node(binEdges, [castTo(min(x), dtype), castTo(max(x), dtype)], { bins });
    return asarray(uniformEdges(0, 1, bins), { dtype });
  }
  const isRange =
    Array.isArray(range) &&
    range.length === 2 &&
    range.every((end) => Number.isFinite(end)) &&
    range[0] <= range[1];
  if (isRange) return asarray(uniformEdges(range[0], range[1], bins), { dtype });
  throw new ValueError({
    what: `range is ${describe(range)}`,
    cure: "Give two finite numbers, the lower one first",
  });
}

function givenEdges(bins: unknown, x: LazyArray, name: string): LazyArray {
  if (typeof bins === "string" || bins === null || typeof bins !== "object")
    throw new ValueError({
      what: `${name} is ${describe(bins)}`,
      cure: "Give a number of bins, or their edges; how many bins suit the data is not known before they are computed",
    });
  const edges = asLazy(bins as Operand);
  if (edges.ndim !== 1 || edges.size < 2)
    throw new ShapeError({
      what: `the edges of bins have shape ${shapeText(edges.shape)}`,
      cure: "Give a list of two or more edges",
    });
  if (!(bins instanceof LazyArray)) checkRising(edges);
  return castTo(edges, isFloat(edges.dtype) ? edges.dtype : toFloating(x.dtype));
}

function checkRising(edges: LazyArray): void {
  const values = [...edges.computeSync()].map(Number);
  const at = values.findIndex((edge, i) => i > 0 && !(edge >= values[i - 1]!));
  if (at > 0)
    throw new ValueError({
      what: `the edges of bins do not rise: ${values[at - 1]} is followed by ${values[at]}`,
      cure: "Sort them",
    });
}

/** Counts of blocks, which are added up. */
function countsOfLine({ x: given, edges, isUniform }: Line): LazyArray {
  const x = given.ndim === 0 ? reshape(given, [1]) : given;
  const counts = node(binCounts, [x, edges], { block: blockToCount(x), uniform: isUniform });
  return sum(counts, { axis: x.shape.map((_, axis) => axis) }) as LazyArray;
}

/** What lies in each bin, or each cell of several lines: one number for each, row by row. */
function countsIn(lines: readonly Line[], weights: Operand | undefined): LazyArray {
  const all = lines.reduce((product, { bins }) => product * bins, 1);
  if (all > MOST_BINS) throw new ValueError({ what: `there are ${all} bins`, cure: "Use fewer bins" });
  const [first, ...others] = lines;
  if (others.length === 0 && weights === undefined && all <= MOST_AT_ONCE) return countsOfLine(first!);
  for (const { places } of others)
    if (!sameShape(places.shape, first!.places.shape))
      throw new ShapeError({
        what: `the coordinates have shapes ${lines.map((line) => shapeText(line.places.shape)).join(" and ")}`,
        cure: "Give one coordinate for each point",
      });
  const places = others.reduce<LazyArray>((before, { places: own, bins }) => {
    const isOutside = logicalOr(less(before, 0), less(own, 0));
    return where(isOutside, -1, add(multiply(before, bins), own)) as LazyArray;
  }, first!.places);
  if (weights === undefined && all <= MOST_AT_ONCE) return countsFrom(0, all, places);
  return countsOf(places, all, weights);
}

/** Divided by the sizes of the bins and by all that is counted. */
function dense(counts: LazyArray, lines: readonly Line[]): LazyArray {
  const dtype = isComplex(counts.dtype) ? "complex128" : "float64";
  const all = castTo(counts, dtype);
  const sized = lines.reduce<LazyArray>((result, { edges }, axis) => {
    const behind = lines.length - axis - 1;
    const widths = castTo(diff(edges), "float64");
    const along = Array.from({ length: behind }, (_, k) => k + 1);
    return divide(result, behind === 0 ? widths : expandDims(widths, { axis: along })) as LazyArray;
  }, all);
  return divide(sized, sum(all)) as LazyArray;
}
