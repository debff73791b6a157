// Makers of reductions, scans and sorting, with every way of naming axes.

import * as cw from "chunkwise";
import { type DType, isComplex, isInteger } from "../../../src/core/dtype.ts";
import type { Choices } from "../choices.ts";
import type { Arg, Ref } from "../program.ts";
import { type Maker, NUMERIC, type ProgramWriter, REAL, REAL_OR_BOOL } from "../writer.ts";

const hasAxes = (x: cw.LazyArray): boolean => x.ndim > 0;

/** An axis, counted from the front or from the end. */
export const axisOf = (ndim: number, choices: Choices): number => choices.between(-ndim, ndim - 1);

/** null, one axis, or several in any order. */
export function axesOf(ndim: number, choices: Choices): number | number[] | null {
  const way = choices.below(3);
  if (way === 0 || ndim === 0) return null;
  if (way === 1) return axisOf(ndim, choices);
  const all = Array.from({ length: ndim }, (_, axis) => axis);
  return choices.shuffled(choices.some(all)).map((axis) => (choices.flip() ? axis - ndim : axis));
}

type Options = { readonly [name: string]: Arg };
export const over = (axis: number | number[] | null, choices: Choices): { axis: Arg; keepdims: boolean } => ({
  axis,
  keepdims: choices.flip(),
});

/** Sums, products and what is made of them. */
const accumulating =
  (
    name: string,
    accepted: readonly DType[],
    limit: number,
    extra: (choices: Choices) => Options = () => ({}),
  ): Maker =>
  (writer, choices) => {
    const x = writer.coerced(writer.any(choices)!, accepted, choices);
    const axes = axesOf(writer.of(x).ndim, choices);
    return writer.call(name, writer.summable(x, limit), { ...over(axes, choices), ...extra(choices) });
  };

/** Integers are added up as floats, so they are made small like these. */
const mean: Maker = (writer, choices) => {
  const x = writer.coerced(writer.any(choices)!, NUMERIC, choices);
  const isWhole = isInteger(writer.of(x).dtype);
  const small = isWhole && writer.options.exact ? writer.call("remainder", x, 3) : writer.summable(x);
  return writer.call("mean", small, over(axesOf(writer.of(x).ndim, choices), choices));
};

/** Products of complex zeros have signs that depend on the order. */
const productTypes: readonly DType[] = REAL;
const correction = (choices: Choices): Options => ({ correction: choices.pick([0, 1, 0.5]) });

const truth =
  (name: string): Maker =>
  (writer, choices) => {
    const x = writer.any(choices)!;
    return writer.call(name, x, over(axesOf(writer.of(x).ndim, choices), choices));
  };

/** The extreme of nothing is an error, so no axis may be empty. */
const extreme =
  (name: string, severalAxes: boolean, accepted: readonly DType[] = REAL_OR_BOOL): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, ({ size }) => size > 0);
    if (found === null) return null;
    const x = writer.coerced(found, accepted, choices);
    const { ndim } = writer.of(x);
    const one = ndim === 0 || choices.flip() ? null : axisOf(ndim, choices);
    return writer.call(name, x, over(severalAxes ? axesOf(ndim, choices) : one, choices));
  };

const cumulative =
  (name: string, accepted: readonly DType[], limit: number): Maker =>
  (writer, choices) => {
    const found = writer.any(choices, hasAxes);
    if (found === null) return null;
    const x = writer.summable(writer.coerced(found, accepted, choices), limit);
    const axis = axisOf(writer.of(x).ndim, choices);
    return writer.call(name, x, { axis, includeInitial: choices.flip() });
  };

const sorting =
  (name: string): Maker =>
  (writer, choices) => {
    const x = writer.any(choices, hasAxes);
    if (x === null) return null;
    return writer.call(name, x, { axis: axisOf(writer.of(x).ndim, choices), descending: choices.flip() });
  };

const diff: Maker = (writer, choices) => {
  const x = writer.any(choices, hasAxes);
  if (x === null) return null;
  return writer.call("diff", x, { axis: axisOf(writer.of(x).ndim, choices), n: choices.pick([1, 2]) });
};

/** The first operand sorted and flat; NaN goes to the end. */
const searchsorted: Maker = (writer, choices) => {
  const list = writer.coerced(writer.any(choices)!, REAL_OR_BOOL, choices);
  const values = writer.coerced(writer.any(choices)!, REAL_OR_BOOL, choices);
  const dtype = cw.resultType(writer.of(list), writer.of(values));
  const sorted = writer.call("sort", writer.call("reshape", castTo(writer, list, dtype), [-1]));
  return writer.call("searchsorted", sorted, values, { side: choices.pick(["left", "right"]) });
};

const castTo = (writer: ProgramWriter, x: Ref, dtype: DType): Ref => writer.call("astype", x, dtype);

const isin: Maker = (writer, choices) => {
  const [x, among] = [writer.any(choices)!, writer.any(choices)!];
  const large = writer.of(x).size * writer.of(among).size > 256;
  const complex = [x, among].some((ref) => isComplex(writer.of(ref).dtype));
  return large && complex ? null : writer.call("isin", x, among, { invert: choices.flip() });
};

export const REDUCTIONS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    sum: accumulating("sum", NUMERIC, 3),
    prod: accumulating("prod", productTypes, 1),
    mean,
    max: extreme("max", true),
    min: extreme("min", true),
    ptp: extreme("ptp", true, REAL),
    any: truth("any"),
    all: truth("all"),
    countNonzero: truth("countNonzero"),
    argmax: extreme("argmax", false),
    argmin: extreme("argmin", false),
  }),
);

export const SCANS: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    cumulativeSum: cumulative("cumulativeSum", NUMERIC, 3),
    cumulativeProd: cumulative("cumulativeProd", productTypes, 1),
    diff,
  }),
);

export const SORTING: ReadonlyMap<string, Maker> = new Map(
  Object.entries({ sort: sorting("sort"), argsort: sorting("argsort"), searchsorted, isin }),
);

/** Never exact: only where the order of adding up is the same on both sides. */
export const VARIANCES: ReadonlyMap<string, Maker> = new Map(
  Object.entries({
    var: accumulating("var", REAL, 3, correction),
    std: accumulating("std", REAL, 3, correction),
  }),
);
