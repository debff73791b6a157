// groupbyReduce: reductions along some axes, of the elements of each label by themselves. In: an array, and a label for each
// place along the axes. Out: the array with these axes replaced by one place for each label, once for every reduction that is
// asked for. What a reduction is made of, array/groupReductions.ts says.

import type { Attrs } from "../../core/block.ts";
import { checkScalar } from "../../core/check.ts";
import {
  type AxisName,
  checkAxisList,
  checkShape,
  describe,
  isLength,
  sameShape,
  shapeText,
} from "../../core/chunks.ts";
import { infoOf, isInteger, isWide, type Result } from "../../core/dtype.ts";
import { DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { fitScalar, type Scalar } from "../../core/numbers.ts";
import { closest } from "../../core/suggest.ts";
import type { QuantileMethod } from "../../kernel/routines/quantilePlaces.ts";
import { type Built, built, castTo, promoteOperands } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { ArrayDType, OutputsOf } from "../../lazy/operandTypes.ts";
import { equal, greater, minimum, where } from "../../ops/elementwise/index.ts";
import type { Groups } from "../grouping.ts";
import { counts, GROUP_REDUCE, type GroupSettings } from "../groupReductions.ts";
import { afterLargest, unknownLabels } from "../labelCounts.ts";
import { checkMethod, type Quantiles, valuesOf } from "../quantilesOfLines.ts";
import { permuteDims } from "./manipulation.ts";
import { argsort, searchsorted } from "./searching.ts";
import { take } from "./taking.ts";

/** By what rule the dtype of each reduction follows. */
interface GroupRules {
  readonly sum: "total";
  readonly prod: "total";
  readonly min: "same";
  readonly max: "same";
  readonly any: "bool";
  readonly all: "bool";
  readonly mean: "floating";
  readonly var: "floating";
  readonly std: "floating";
  readonly count: "index";
  readonly first: "same";
  readonly last: "same";
  readonly argmin: "index";
  readonly argmax: "index";
  readonly median: "floating";
  readonly quantile: "floating";
}
type PlainReduction = keyof GroupRules;
type SkippingReduction = `nan${Exclude<PlainReduction, "any" | "all">}`;
/** What `cw.groupbyReduce` makes of a group: "sum", "mean", "min", "max", "count" and others, and "nansum" and kin without NaN. */
export type GroupReduction = PlainReduction | SkippingReduction;

type GroupRule<F extends GroupReduction> = F extends PlainReduction
  ? GroupRules[F]
  : F extends `nan${infer Plain extends PlainReduction}`
    ? GroupRules[Plain]
    : never;

const PLAIN = Object.keys(GROUP_REDUCE) as readonly PlainReduction[];
const GROUP_REDUCTIONS: readonly string[] = [
  ...PLAIN,
  ...PLAIN.filter((name) => name !== "any" && name !== "all").map((name) => `nan${name}`),
];

/** Options of `cw.groupbyReduce`. */
export interface GroupbyOptions<
  F extends GroupReduction | readonly GroupReduction[] = GroupReduction | readonly GroupReduction[],
> {
  /**
   * What becomes of the elements of a label: "sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "count", "first",
   * "last", "argmin", "argmax", "median", "quantile"; with "nan" before it, without NaN. Several: a record of arrays, read in one pass.
   */
  readonly reduce: F;
  /** The axis that the labels go along, or the axes. May be left out where the labels have as many axes as the array. */
  readonly axis?: AxisName | readonly AxisName[] | undefined;
  /** Labels are 0 … numLabels − 1. Without it the largest label says how many there are: of lazy ones a stage finds it out. */
  readonly numLabels?: number | undefined;
  /** The values that labels may have, in place of whole numbers from 0 on: one group for each; other labels are left out. */
  readonly expected?: Operand | undefined;
  /** Of "var" and "std": divides by count − correction. */
  readonly correction?: number | undefined;
  /** Of "quantile": numbers between 0 and 1. Several are the first axes of the result. */
  readonly q?: Quantiles | undefined;
  /** Of "quantile": how to choose between two elements, as in `cw.quantile`. */
  readonly method?: QuantileMethod | undefined;
  /**
   * What labels without elements get. Unless given: 0 for sums, 1 for products, NaN for means, what no element exceeds for
   * min and max, −1 for places.
   */
  readonly fillValue?: Scalar | undefined;
}

type GroupResult<A, F> = F extends GroupReduction
  ? LazyArray<Result<ArrayDType<A>, GroupRule<F>>, OutputsOf<A>>
  : F extends readonly GroupReduction[]
    ? { readonly [R in F[number]]: LazyArray<Result<ArrayDType<A>, GroupRule<R>>, OutputsOf<A>> }
    : never;

/**
 * Reduces the elements of each label along one axis or several: `cw.groupbyReduce(x, [0, 1, 0], {reduce: "mean"})`. Elements
 * with a label below 0 are left out. `{reduce: ["nanmean", "nancount"]}` gives both, read in one pass.
 */
export const groupbyReduce: <
  const A extends Operand,
  const F extends GroupReduction | readonly GroupReduction[],
>(
  x: A,
  labels: Operand,
  options: GroupbyOptions<F>,
) => GroupResult<A, F> = userCall(
  "groupbyReduce",
  (x: Operand, labels: Operand, given: GroupbyOptions | undefined): never => {
    const options = given ?? ({} as GroupbyOptions);
    const { reduce } = options;
    const names = Array.isArray(reduce) ? (reduce as readonly GroupReduction[]) : [reduce as GroupReduction];
    names.forEach((name) => checkReduction(name, options));
    const made = reductionsOf(asLazy(x), labels, names, options);
    return (
      Array.isArray(reduce) ? Object.fromEntries(names.map((name, i) => [name, made[i]])) : made[0]
    ) as never;
  },
  [2, "reduce", "axis", "numLabels", "expected", "correction", "q", "method", "fillValue"],
) as never;

function checkReduction(name: unknown, { q }: GroupbyOptions): void {
  if ((name === "quantile" || name === "nanquantile") && q === undefined)
    throw new ValueError({ what: `of ${name} it is not said which`, cure: "Pass q, for example {q: 0.9}" });
  if (typeof name === "string" && GROUP_REDUCTIONS.includes(name)) return;
  throw new ValueError({
    what: `reduce is ${describe(name)}`,
    cure:
      typeof name === "string"
        ? closest(name, GROUP_REDUCTIONS)
        : `Use one of ${GROUP_REDUCTIONS.join(", ")}, or a list of them`,
  });
}

/** One array for each name. */
function reductionsOf(
  x: LazyArray,
  labels: Operand,
  names: readonly GroupReduction[],
  options: GroupbyOptions,
): Built[] {
  const settings = settingsOf(options);
  if (!isCountedLater(labels, options)) {
    const groups = groupsOf(x, labels, options);
    return names.map((name) => reduced(groups, name, settings, options));
  }
  // The same with some number of labels: all but that number is known.
  const like = groupsOf(x, labels, { ...options, numLabels: 1 });
  const { axis = null, fillValue } = options;
  const rest = { axis, ...settings, ...(fillValue === undefined ? {} : { fillValue }) } as Attrs;
  return names.map((name) => {
    const made = reduced(like, name, settings, options);
    // Quantiles are the first axes.
    const labelAxis = like.axis + made.ndim - (x.ndim - like.labels.ndim + 1);
    const lengths = made.shape.with(labelAxis, unknownLabels(labels, 0));
    return groupsAfter([labels, x], made.dtype, lengths, { ...rest, reduce: name });
  });
}

const isCountedLater = (labels: Operand, { numLabels, expected }: GroupbyOptions): labels is LazyArray =>
  labels instanceof LazyArray && numLabels === undefined && expected === undefined;

const groupsAfter = afterLargest(
  "groupbyReduce",
  ([labels, x], { reduce, axis, fillValue, ...settings }, numLabels) => {
    const options = { reduce, axis, numLabels, fillValue } as unknown as GroupbyOptions;
    const groups = groupsOf(x!, labels!, options);
    return reduced(groups, reduce as GroupReduction, settings as unknown as GroupSettings, options);
  },
);

function reduced(
  given: Groups,
  name: GroupReduction,
  settings: GroupSettings,
  { fillValue }: GroupbyOptions,
): Built {
  const skipsNaN = name.startsWith("nan");
  // Halves are folded as what they are computed in.
  const { dtype } = given.x;
  const wide = infoOf(dtype).computesIn;
  const groups = { ...given, skipsNaN, x: castTo(given.x, wide) };
  const plain = (skipsNaN ? name.slice(3) : name) as PlainReduction;
  const found = GROUP_REDUCE[plain](groups, settings);
  const made = found.dtype === wide ? castTo(found, dtype) : found;
  if (fillValue === undefined) return made as Built;
  const fill = fitScalar(checkScalar(fillValue, "fillValue"), made.dtype);
  return castTo(where(greater(counts(groups), 0), made, fill), made.dtype) as Built;
}

function groupsOf(x: LazyArray, given: Operand, options: GroupbyOptions): Groups {
  const labels = asLazy(given);
  const axes = axesOf(x, labels, options.axis);
  const own = axes.map((axis) => x.shape[axis]!);
  if (!sameShape(labels.shape, own))
    throw new ShapeError({
      what: `the labels have shape ${shapeText(labels.shape)} and ${axesText(axes)} of the array ${axes.length === 1 ? "has" : "have"} ${own.join(" × ")} places`,
      cure: "Give one label for each place along the axis",
    });
  const [first] = axes;
  const coded = codesOf(given, labels, options);
  return { x: together(x, axes), ...coded, axis: Math.min(first!, ...axes), skipsNaN: false };
}

const axesText = (axes: readonly number[]): string =>
  axes.length === 1 ? `axis ${axes[0]}` : `the axes ${axes.join(", ")}`;

function axesOf(x: LazyArray, labels: LazyArray, axis: GroupbyOptions["axis"]): readonly number[] {
  if (axis !== undefined && axis !== null) return checkAxisList(axis, x.ndim);
  if (x.ndim === labels.ndim) return x.shape.map((_, at) => at);
  throw new ValueError({
    what: `the array has ${x.ndim} axes and it is not said which one the labels go along`,
    cure: "Pass axis",
  });
}

/** The labelled axes as neighbours, from where the first of them was on. */
function together(x: LazyArray, axes: readonly number[]): LazyArray {
  const first = Math.min(...axes);
  const others = x.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const order = [...others.filter((axis) => axis < first), ...axes, ...others.filter((axis) => axis > first)];
  return order.every((axis, at) => axis === at) ? x : permuteDims(x, order);
}

type Codes = Pick<Groups, "labels" | "known" | "numLabels">;

/** Labels as whole numbers from 0 on. */
function codesOf(given: Operand, labels: LazyArray, { numLabels, expected }: GroupbyOptions): Codes {
  if (expected !== undefined) {
    if (numLabels !== undefined)
      throw new ValueError({ what: "both numLabels and expected are given", cure: "Leave numLabels out" });
    return amongExpected(given, labels, asLazy(expected));
  }
  if (!isInteger(labels.dtype) && labels.size > 0)
    throw new DTypeError({
      what: `the labels are ${labels.dtype}`,
      cure: "Labels are integers; other values are told of with expected",
    });
  const known = knownLabels(given, labels);
  return { labels, known, numLabels: countOf(numLabels, known) };
}

/** The place of each label among the expected values, −1 for others. */
function amongExpected(given: Operand, labels: LazyArray, expected: LazyArray): Codes {
  if (expected.ndim !== 1)
    throw new ShapeError({
      what: `the expected labels have shape ${shapeText(expected.shape)}`,
      cure: "Give a list of values",
    });
  const numLabels = expected.size;
  const { exprs, parents } = promoteOperands([labels, expected], (dtype) => dtype);
  const [values, among] = [built(exprs[0]!, parents) as LazyArray, built(exprs[1]!, parents) as LazyArray];
  const order = argsort(among);
  const sorted = take(among, order);
  const place = minimum(searchsorted(sorted, values), Math.max(0, numLabels - 1));
  const isThere = numLabels === 0 ? greater(place, 0) : equal(take(sorted, place), values);
  const codes = numLabels === 0 ? place : where(isThere, take(order, place), -1);
  const isPlain = !(given instanceof LazyArray);
  return { labels: codes, known: isPlain ? knownLabels([], codes) : null, numLabels };
}

/** Lazy labels are not looked at before they are computed. */
function knownLabels(given: Operand, labels: LazyArray): Int32Array | null {
  if (given instanceof LazyArray) return null;
  const { data } = labels.computeSync().toContiguous();
  if (!isWide(labels.dtype)) return Int32Array.from(data as Int32Array);
  // Labels beyond 32 bits are told of when the largest is looked for, or in the run.
  return Int32Array.from(data as BigInt64Array, (label) =>
    Math.max(-1, Math.min(2 ** 31 - 1, Number(label))),
  );
}

function countOf(numLabels: unknown, known: Int32Array | null): number {
  if (isLength(numLabels)) return checkShape([numLabels])[0]!;
  if (numLabels !== undefined || known === null)
    throw new ValueError({
      what: `numLabels is ${describe(numLabels)}`,
      cure: "Give a whole number of 0 or more: labels are below it. Lazy labels are not looked at before they are computed",
    });
  let most = -1;
  for (const label of known) most = Math.max(most, label);
  return checkShape([most + 1])[0]!;
}

function settingsOf({ q = [], method = "linear", ...options }: GroupbyOptions): GroupSettings {
  checkMethod(method);
  const { shape } = asLazy(q as Operand);
  return { correction: correctionOf(options), quantiles: valuesOf(q, 1), shape, method };
}

function correctionOf({ correction = 0 }: Pick<GroupbyOptions, "correction">): number {
  if (typeof correction === "number" && !Number.isNaN(correction)) return correction;
  throw new ValueError({ what: `correction is ${describe(correction)}`, cure: "It must be a number" });
}
