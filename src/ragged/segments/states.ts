// Reductions in parts: what is kept of a part of the data, how parts go together, and what comes out in the end.
// In: plain values by group. Out: for every group its state, as numbers that can be stored; the count of its elements
// is kept by the caller. Must hold: merging the states of parts, in order, is the state of the whole (up to rounding).

import { type DType, isComplex, isInteger } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import * as arithmetic from "../../ops/elementwise/arithmetic.ts";
import { sqrt } from "../../ops/elementwise/exponential.ts";
import { checkKind } from "../../ops/kinds.ts";
import { castFlat, elementwiseFlat } from "../layout/flat.ts";
import { countsOf } from "../layout/indices.ts";
import { type NumpyLayout, numpyOf } from "../layout/layout.ts";
import { extremePlaces, extremeSegments, truthSegments } from "./extremes.ts";
import { floatSums, prodSegments, squaredDeviations, sumSegments } from "./sums.ts";

export interface Part {
  readonly offsets: Int32Array;
  readonly positions: Int32Array | null;
}

export interface MergePart {
  readonly offsets: Int32Array;
  /** How many elements each state stands for. */
  readonly counts: Float64Array;
  /** How many rows come before the part that each state is of. */
  readonly starts: Float64Array;
}

export interface FinishAttrs {
  readonly ddof?: number;
  /** What a mean or a deviation is given as. */
  readonly dtype?: DType;
}

export interface Stateful {
  lift(leaf: NumpyLayout, part: Part): readonly NumpyLayout[];
  merge(states: readonly NumpyLayout[], part: MergePart): readonly NumpyLayout[];
  finish(states: readonly NumpyLayout[], counts: Float64Array, attrs: FinishAttrs): NumpyLayout;
}

const first = ([state]: readonly NumpyLayout[]): NumpyLayout => state!;

/** What is merged as it is made. */
const folding = (
  lift: (leaf: NumpyLayout, offsets: Int32Array) => NumpyLayout,
  merge: (state: NumpyLayout, offsets: Int32Array) => NumpyLayout = lift,
): Stateful => ({
  lift: (leaf, { offsets }) => [lift(leaf, offsets)],
  merge: ([state], { offsets }) => [merge(state!, offsets)],
  finish: first,
});

const truth = (wantsAll: boolean): Stateful =>
  folding((leaf, offsets) => truthSegments(castFlat(leaf, "bool").data as Uint8Array, offsets, wantsAll));

const extreme = (wantsMax: boolean): Stateful =>
  folding((leaf, offsets) => extremeSegments(leaf, offsets, wantsMax));

/** What means and deviations of a dtype are given as: integers and bools are averaged as float64. */
export const averageDType = (dtype: DType): DType =>
  dtype === "bool" || isInteger(dtype) ? "float64" : checkKind("numeric", dtype);

function floats(leaf: NumpyLayout, accepts: "numeric" | "real"): NumpyLayout {
  const numbers = castFlat(leaf, averageDType(leaf.dtype));
  checkKind(accepts, numbers.dtype);
  return numbers;
}

/** Sums in float64 or complex128. */
function totals(leaf: NumpyLayout, offsets: Int32Array): NumpyLayout {
  const numbers = floats(leaf, "numeric");
  if (isComplex(numbers.dtype)) return sumSegments(castFlat(numbers, "complex128"), offsets);
  return numpyOf(realTotals(numbers, offsets));
}

function realTotals({ data }: NumpyLayout, offsets: Int32Array): Float64Array {
  const out = new Float64Array(offsets.length - 1);
  floatSums(data as Float64Array, offsets, out);
  return out;
}

const mean: Stateful = {
  ...folding(totals),
  finish: ([total], counts, { dtype }) => {
    const means = elementwiseFlat(arithmetic.divide, [total!, numpyOf(counts)], counts.length);
    return castFlat(means, dtype ?? total!.dtype);
  },
};

/** The mean and Σ(x − mean)², merged as Chan, Golub and LeVeque do. */
const moments: Pick<Stateful, "lift" | "merge"> = {
  lift: (leaf, { offsets }) => {
    const numbers = floats(leaf, "real");
    const counts = countsOf(offsets);
    const means = realTotals(numbers, offsets);
    for (let g = 0; g < means.length; g++) means[g]! /= Math.max(1, counts[g]!);
    return [numpyOf(means), numpyOf(squaredDeviations(numbers.data as Float64Array, offsets, means))];
  },
  merge: ([means, squares], { offsets, counts }) =>
    mergeMoments(dataOf(means), dataOf(squares), offsets, counts),
};

const dataOf = (state: NumpyLayout | undefined): Float64Array => state!.data as Float64Array;

function mergeMoments(
  means: Float64Array,
  squares: Float64Array,
  offsets: Int32Array,
  counts: Float64Array,
): NumpyLayout[] {
  const outMeans = new Float64Array(offsets.length - 1);
  const outSquares = new Float64Array(outMeans.length);
  for (let g = 0; g < outMeans.length; g++) {
    let [count, mean_, sum] = [0, 0, 0];
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++) {
      const added = counts[q]!;
      if (added === 0) continue;
      const apart = means[q]! - mean_;
      const share = added / (count + added);
      sum += squares[q]! + apart * apart * count * share;
      mean_ += apart * share;
      count += added;
    }
    outMeans[g] = mean_;
    outSquares[g] = sum;
  }
  return [numpyOf(outMeans), numpyOf(outSquares)];
}

function variances(squares: NumpyLayout, counts: Float64Array, ddof: number): NumpyLayout {
  const data = dataOf(squares);
  return numpyOf(counts.map((count, g) => (count - ddof > 0 ? data[g]! / (count - ddof) : Number.NaN)));
}

const variance: Stateful = {
  ...moments,
  finish: ([, squares], counts, { ddof = 0, dtype = "float64" }) =>
    castFlat(variances(squares!, counts, ddof), dtype),
};

const deviation: Stateful = {
  ...moments,
  finish: ([, squares], counts, { ddof = 0, dtype = "float64" }) =>
    castFlat(elementwiseFlat(sqrt, [variances(squares!, counts, ddof)], counts.length), dtype),
};

/** The extreme value and its place from the first row of the part on. */
const place = (wantsMax: boolean): Stateful => ({
  lift: (leaf, { offsets, positions }) => [
    extremeSegments(leaf, offsets, wantsMax),
    numpyOf(new Float64Array(extremePlaces(leaf, offsets, positions, wantsMax))),
  ],
  merge: ([values, places], part) => mergePlaces(values!, dataOf(places), part, wantsMax),
  finish: ([, places]) => castFlat(places!, "int64"),
});

function mergePlaces(
  values: NumpyLayout,
  places: Float64Array,
  part: MergePart,
  wantsMax: boolean,
): NumpyLayout[] {
  const { offsets, counts, starts } = part;
  const out = new Float64Array(offsets.length - 1).fill(-1);
  for (let g = 0; g < out.length; g++) {
    let best = -1;
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++)
      if (counts[q]! > 0 && (best < 0 || beats(values.data[q]!, values.data[best]!, wantsMax))) best = q;
    if (best >= 0) out[g] = places[best]! + starts[best]!;
  }
  return [extremeSegments(values, offsets, wantsMax), numpyOf(out)];
}

/** The first of equal ones stays, and the first NaN before everything. */
function beats(value: number | bigint, best: number | bigint, wantsMax: boolean): boolean {
  if (Number.isNaN(best)) return false;
  return Number.isNaN(value) || (wantsMax ? value > best : value < best);
}

const counted: Stateful = {
  lift: () => [],
  merge: () => [],
  finish: (_, counts) => castFlat(numpyOf(counts), "int64"),
};

const nonzero = (leaf: NumpyLayout, offsets: Int32Array): NumpyLayout =>
  sumSegments(castFlat(leaf, "bool"), offsets);

const STATEFUL: { readonly [name: string]: Stateful } = {
  sum: folding(sumSegments),
  prod: folding(prodSegments),
  min: extreme(false),
  max: extreme(true),
  any: truth(false),
  all: truth(true),
  count: counted,
  countNonzero: folding(nonzero, sumSegments),
  argmin: place(false),
  argmax: place(true),
  mean,
  var: variance,
  std: deviation,
};

export function statefulNamed(name: string): Stateful {
  const found = Object.hasOwn(STATEFUL, name) ? STATEFUL[name] : undefined;
  if (found !== undefined) return found;
  throw new DTypeError({
    what: `there is no reduction ${JSON.stringify(name)}`,
    cure: Object.keys(STATEFUL).join(", "),
  });
}
