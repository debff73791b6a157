// Where elements are not 0, and which values there are. In: arrays. Out: arrays as long as the data say; functions with several
// results give a record of lazy arrays, which are computed together.

import type { Shape } from "../../core/chunks.ts";
import { type DType, INDEX_DTYPE, isComplex, isInteger } from "../../core/dtype.ts";
import { ShapeError } from "../../core/errors.ts";
import { unknownLength } from "../../core/unknown.ts";
import { chunksOf, keyHere, makeExpr } from "../../expr/expr.ts";
import { type Built, built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { arange, asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { compact as compactOp } from "../../ops/compaction.ts";
import {
  add,
  floorDivide,
  isnan,
  logicalOr,
  notEqual,
  remainder,
  subtract,
  where,
} from "../../ops/elementwise/index.ts";
import { max, min } from "../../ops/reductions.ts";
import { cumulativeSum } from "../../ops/scans.ts";
import { partAlong } from "../chunked.ts";
import { countsFrom, MOST_AT_ONCE } from "../labelCounts.ts";
import { askingCall, isUnsettled, type LaterCall, laterCall } from "../later.ts";
import { asarray, full } from "./creation.ts";
import { concat } from "./joining.ts";
import { reshape } from "./manipulation.ts";
import { compact } from "./masking.ts";
import { argsort, searchsorted, sort } from "./searching.ts";

interface NonzeroFunction {
  <const A extends Operand>(x: A): LazyArray<"int64", OutputsOf<A>>[];
  readonly "~method"?: <O>(this: LazyArray<never, O>) => LazyArray<"int64", O>[];
}

/** The places of elements that are not 0, for each axis an array: `const [rows, columns] = cw.nonzero(x)`. */
export const nonzero: NonzeroFunction = userCall("nonzero", (x: Operand): Built[] => {
  const array = asLazy(x);
  if (array.ndim === 0)
    throw new ShapeError({
      what: "a 0-d array has no places",
      cure: "Compare it with 0, or reshape it to [1]",
    });
  const mask = (array.dtype === "bool" ? array : notEqual(array, 0)) as LazyArray;
  if (array.ndim === 1) return [compact(placesAlong(mask), mask)];
  const flat = reshape(mask, [-1]);
  const places = compact(placesAlong(flat), flat);
  const { shape } = array;
  return shape.map((length, axis) => {
    const below = shape.slice(axis + 1).reduce((product, n) => product * Math.max(1, n), 1);
    const above = below === 1 ? places : floorDivide(places, below);
    return (axis === 0 ? above : remainder(above, Math.max(1, length))) as Built;
  });
}) as never;

/** 0, 1, 2 … as long as a 1-d array, and cut as it is. */
function placesAlong({ expr }: LazyArray, first = 0): LazyArray {
  const { shape } = expr;
  const attrs = { dtype: INDEX_DTYPE, shape, chunks: chunksOf(expr), start: BigInt(first), step: 1n };
  const x = built(expr, []);
  if (!isUnsettled(x)) return built(makeExpr(arange, [], attrs), []);
  const ones = castTo(logicalOr(castTo(x, "bool"), true) as LazyArray, INDEX_DTYPE);
  return subtract(cumulativeSum(ones, { axis: 0 }), 1 - first) as LazyArray;
}

/** The results of `cw.uniqueAll`. */
export interface UniqueAll<D extends LazyArray["dtype"] = LazyArray["dtype"], O = unknown> {
  /** Each value once, in order; each NaN by itself. */
  readonly values: LazyArray<D, O>;
  /** Where each value is first, in the flattened array. */
  readonly indices: LazyArray<"int64", O>;
  /** For each element of the array the place of its value. */
  readonly inverseIndices: LazyArray<"int64", O>;
  /** How often each value is there. */
  readonly counts: LazyArray<"int64", O>;
}

type UniqueFunction<K extends keyof UniqueAll> = {
  <const A extends Operand>(x: A): Pick<UniqueAll<ArrayDType<A>, OutputsOf<A>>, K>;
  readonly "~method"?: <D extends LazyArray["dtype"], O>(this: LazyArray<D, O>) => Pick<UniqueAll<D, O>, K>;
};

/** Values once each, where they are first, which each element has, and how often they are there: `cw.uniqueAll(x).counts`. */
export const uniqueAll: UniqueFunction<keyof UniqueAll> = userCall("uniqueAll", (x: Operand) =>
  uniquePicked(asLazy(x), ["values", "indices", "inverseIndices", "counts"]),
) as never;

/** Values once each, in order, and how often they are there: `const {values, counts} = cw.uniqueCounts(x)`. */
export const uniqueCounts: UniqueFunction<"values" | "counts"> = userCall("uniqueCounts", (x: Operand) =>
  uniquePicked(asLazy(x), ["values", "counts"]),
) as never;

/** Values once each, in order, and which of them each element has: `const {values, inverseIndices} = cw.uniqueInverse(x)`. */
export const uniqueInverse: UniqueFunction<"values" | "inverseIndices"> = userCall(
  "uniqueInverse",
  (x: Operand) => uniquePicked(asLazy(x), ["values", "inverseIndices"]),
) as never;

interface UniqueValues {
  <const A extends Operand>(x: A): LazyArray<ArrayDType<A>, OutputsOf<A>>;
  readonly "~method"?: <D extends LazyArray["dtype"], O>(this: LazyArray<D, O>) => LazyArray<D, O>;
}

/** Each value once, in order; each NaN by itself: `cw.uniqueValues([2, 1, 2])` is [1, 2]. */
export const uniqueValues: UniqueValues = userCall(
  "uniqueValues",
  (x: Operand): Built => uniquePart(asLazy(x), "values"),
) as never;

const uniquePicked = (x: LazyArray, names: readonly Part[]): { readonly [name: string]: Built } =>
  Object.fromEntries(names.map((name) => [name, uniquePart(x, name, names)]));

type Part = keyof UniqueAll;

const LATER: { readonly [P in Part]: LaterCall } = {
  values: laterCall("uniqueValues", (x) => uniquePart(x, "values")),
  indices: laterCall("uniqueIndices", (x) => uniquePart(x, "indices")),
  inverseIndices: laterCall("uniqueInverse", (x) => uniquePart(x, "inverseIndices")),
  counts: laterCall("uniqueCounts", (x) => uniquePart(x, "counts")),
};

/** Results that stand beside each other are as long as each other by one name: all are counted, or none. */
function uniquePart(x: LazyArray, part: Part, beside: readonly Part[] = [part]): Built {
  const isCounted = beside.every((name) => name in COUNTED || name === "inverseIndices");
  if (!isUnsettled(x) && !(isCounted && part in COUNTED && isInteger(x.dtype) && x.size > FEW))
    return PARTS[part](x) as Built;
  const length = unknownLength(`values of ${keyHere(x.expr)}`);
  const lengths = part === "inverseIndices" ? x.expr.shape : [length];
  if (!isUnsettled(x)) return integers([x], part === "values" ? x.dtype : INDEX_DTYPE, lengths, { part });
  return LATER[part](x, part === "values" ? x.dtype : INDEX_DTYPE, lengths, {});
}

// Many whole numbers that lie within a short range are counted, not sorted. In: an array. Out: its values, or how often they are there,
// when their least and largest are known, and then how often each between these is there.

/** So few are sorted as they are. */
const FEW = 2 ** 16;
const COUNTED = { values: true, counts: true };

const integers = askingCall("uniqueIntegers", {
  asks: ([x]) => [min(x!), max(x!)],
  make([x], { part, dtype, lengths }, ends) {
    const [least, most] = ends.map(({ data, offset }) => Number(data[offset])) as [number, number];
    const bins = most - least + 1;
    const isShort = bins <= MOST_AT_ONCE && Number.isSafeInteger(least) && Number.isSafeInteger(most);
    if (!isShort) return PARTS[part as Part](x!);
    return counted([x!], dtype as DType, lengths as Shape, { part: part!, first: least, bins });
  },
});

const counted = askingCall("uniqueCounted", {
  asks: ([x], { first, bins }) => [countsFrom(first as number, bins as number, x!)],
  make(_, { part, first, dtype }, [found]) {
    const counts = (found!.data as BigInt64Array).subarray(found!.offset, found!.offset + found!.shape[0]!);
    if (part === "counts") return asarray(counts.filter((count) => count > 0n));
    const values = Array.from(counts, (count, i) =>
      count > 0n ? BigInt(first as number) + BigInt(i) : null,
    );
    return castTo(asarray(BigInt64Array.from(values.filter((value) => value !== null))), dtype as DType);
  },
});

const flatOf = (x: LazyArray): LazyArray => reshape(x, [-1]);

/** A run of equal values begins, or ends, at each place of the sorted array. */
function runsOf(sorted: LazyArray): { readonly begins: LazyArray; readonly ends: LazyArray } {
  const length = sorted.shape[0]!;
  const edge = full([Math.min(1, length)], true, { dtype: "bool" });
  if (length <= 1) return { begins: edge, ends: edge };
  const changes = notEqual(partAlong(sorted, 0, 1, length - 1), partAlong(sorted, 0, 0, length - 1));
  return { begins: concat([edge, changes]), ends: concat([changes, edge]) };
}

/** Of a sorted array as many places as there are values: those where a run begins, or those where it ends. */
function atRuns(x: LazyArray, mask: LazyArray, sorted: LazyArray): Built {
  const length = unknownLength(`runs of ${keyHere(sorted.expr)}`);
  return node(compactOp, [x, mask], { length });
}

const PARTS: { readonly [P in Part]: (x: LazyArray) => LazyArray } = {
  values(x) {
    const sorted = sort(flatOf(x));
    return atRuns(sorted, runsOf(sorted).begins, sorted);
  },
  counts(x) {
    const sorted = sort(flatOf(x));
    const { begins, ends } = runsOf(sorted);
    const [from, to] = [placesAlong(begins), placesAlong(ends, 1)];
    return subtract(atRuns(to, ends, sorted), atRuns(from, begins, sorted));
  },
  // Sorting is stable: of equal ones the first is first.
  indices(x) {
    const flat = flatOf(x);
    const sorted = sort(flat);
    return atRuns(argsort(flat), runsOf(sorted).begins, sorted);
  },
  inverseIndices(x) {
    const flat = flatOf(x);
    const found = searchsorted(PARTS.values(x), flat) as LazyArray;
    if (!x.dtype.startsWith("float") || isComplex(x.dtype)) return reshape(found, x.shape);
    // NaNs are at the end, in the order in which they came, each a value of its own.
    const nans = isnan(flat) as LazyArray;
    const before = subtract(cumulativeSum(castTo(nans, INDEX_DTYPE), { axis: 0 }), 1);
    return reshape(where(nans, add(found, before), found), x.shape);
  },
};
