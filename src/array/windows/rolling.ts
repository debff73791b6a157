// Windows that end at each place, as pandas has them: sums, means, spreads, medians. In: an array, how long windows are. Out: what is found of
// every window, in an array of the same shape. NaN is left out; where fewer than `minPeriods` elements are left there is NaN.

import { describe, isLength } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { LazyArray, Operand } from "../../lazy/lazyArray.ts";
import { divide, greaterEqual, isnan, logicalNot, sqrt, where } from "../../ops/elementwise/index.ts";
import { windowed } from "../../ops/windowed.ts";
import { bordered } from "./borders.ts";
import { axisOf, realOf, windowSums } from "./filters.ts";

/** Options of `cw.rolling`. */
export interface RollingOptions {
  /** Along which axis; the last unless given. */
  readonly axis?: number | undefined;
  /** How many elements must be there that are not NaN; all of the window unless given. */
  readonly minPeriods?: number | undefined;
  /** Windows lie around their places instead of ending there. */
  readonly center?: boolean | undefined;
}

/** Options of the spreads of windows. */
export interface SpreadOptions {
  /** Taken from the number of elements: 1 unless given. */
  readonly correction?: number | undefined;
}

/** What can be found of the windows that `cw.rolling` makes. */
export interface Rolling {
  /** Σ x: `cw.rolling(x, 3).sum()`. */
  sum(): LazyArray<"float64">;
  /** Σ x / n: `cw.rolling(x, 3).mean()`. */
  mean(): LazyArray<"float64">;
  /** The least: `cw.rolling(x, 3).min()`. */
  min(): LazyArray<"float64">;
  /** The largest: `cw.rolling(x, 3).max()`. */
  max(): LazyArray<"float64">;
  /** Σ (x − mean)² / (n − 1): `cw.rolling(x, 3).var()`. */
  var(options?: SpreadOptions): LazyArray<"float64">;
  /** The root of that: `cw.rolling(x, 3).std()`. */
  std(options?: SpreadOptions): LazyArray<"float64">;
  /** The one in the middle, or the mean of two: `cw.rolling(x, 3).median()`. */
  median(): LazyArray<"float64">;
  /** How many are not NaN: `cw.rolling(x, 3).count()`. */
  count(): LazyArray<"float64">;
}

/** An array with what is missing around it, and what is asked of its windows. */
interface Windows {
  readonly x: LazyArray;
  readonly axis: number;
  readonly length: number;
  readonly least: number;
  /** Every window must be whole: then NaN in it is NaN of it, and nothing has to be counted. */
  readonly isWhole: boolean;
}

function windowsOf(given: Operand, length: number, options: RollingOptions): Windows {
  const x = castTo(realOf(given), "float64");
  if (!isLength(length) || length === 0)
    throw new ValueError({ what: `the window is ${describe(length)}`, cure: "Use a whole number from 1 on" });
  const least = options.minPeriods ?? length;
  if (!isLength(least) || least > length)
    throw new ValueError({
      what: `minPeriods is ${describe(least)} and the window ${length} long`,
      cure: "Use a whole number up to the window's length",
    });
  const axis = axisOf(options.axis, x);
  const behind = options.center === true ? Math.floor((length - 1) / 2) : 0;
  const reach = x.shape.map((_, a) =>
    a === axis ? ([length - 1 - behind, behind] as const) : ([0, 0] as const),
  );
  const around = bordered(x, { reach, modes: x.shape.map(() => "constant"), cval: Number.NaN });
  return { x: around, axis, length, least, isWhole: least === length };
}

const lengthsOf = ({ x, axis, length }: Windows): number[] =>
  x.shape.map((_, a) => (a === axis ? length : 1));

const found = (windows: Windows, kind: string, x: LazyArray, skip: boolean): LazyArray =>
  node(windowed, [x], { kind, passes: [lengthsOf(windows)], rank: 0, skip });

const counted = ({ x, axis, length }: Windows): LazyArray =>
  windowSums(castTo(logicalNot(isnan(x)), "float64"), axis, length);

/** Where windows have enough elements. */
const enough = (windows: Windows, value: LazyArray, counts: LazyArray = counted(windows)): LazyArray =>
  windows.isWhole ? value : where(greaterEqual(counts, Math.max(1, windows.least)), value, Number.NaN);

/** NaN is replaced by what changes nothing. */
const without = ({ x, isWhole }: Windows, neutral: number): LazyArray =>
  isWhole ? x : where(isnan(x), neutral, x);

function sumOf(windows: Windows): LazyArray {
  const { axis, length, least, isWhole } = windows;
  const sums = windowSums(without(windows, 0), axis, length);
  // Of no elements the sum is 0, if none are needed.
  return isWhole ? sums : where(greaterEqual(counted(windows), least), sums, Number.NaN);
}

function meanOf(windows: Windows): LazyArray {
  const { axis, length, isWhole } = windows;
  const sums = windowSums(without(windows, 0), axis, length);
  if (isWhole) return divide(sums, length);
  const counts = counted(windows);
  return enough(windows, divide(sums, counts), counts);
}

const boundOf = (windows: Windows, kind: "min" | "max", neutral: number): LazyArray =>
  enough(windows, found(windows, kind, without(windows, neutral), false));

function varianceOf(windows: Windows, { correction = 1 }: SpreadOptions = {}): LazyArray {
  const squares = found(windows, "squares", windows.x, !windows.isWhole);
  const counts = windows.isWhole ? null : counted(windows);
  const free = counts === null ? windows.length - correction : counts.subtract(correction);
  const variance = divide(squares, free);
  // One element alone has no spread to correct.
  const isFree = counts === null ? windows.length > correction : counts.greater(correction);
  const known = isFree === true ? variance : where(isFree, variance, Number.NaN);
  return counts === null ? known : enough(windows, known, counts);
}

/**
 * Windows of so many elements, one ending at each place: `cw.rolling(prices, 7).mean()`, `cw.rolling(x, 24, {axis: 0, minPeriods: 1}).std()`.
 * What is found is float64. Where a window is not whole there is NaN, unless `minPeriods` allows for less.
 */
export const rolling: (x: Operand, window: number, options?: RollingOptions) => Rolling = userCall(
  "rolling",
  (x: Operand, window: number, options: RollingOptions = {}): Rolling => {
    const windows = windowsOf(x, window, options);
    const method = <Args extends readonly unknown[]>(
      name: string,
      body: (...args: Args) => LazyArray,
    ): ((...args: Args) => LazyArray<"float64">) =>
      userCall(`rolling.${name}`, (...args: Args): Built => body(...args) as Built);
    return {
      sum: method("sum", () => sumOf(windows)),
      mean: method("mean", () => meanOf(windows)),
      min: method("min", () => boundOf(windows, "min", Number.POSITIVE_INFINITY)),
      max: method("max", () => boundOf(windows, "max", Number.NEGATIVE_INFINITY)),
      var: method("var", (options?: SpreadOptions) => varianceOf(windows, options)),
      std: method("std", (options?: SpreadOptions) => sqrt(varianceOf(windows, options))),
      median: method("median", () => enough(windows, found(windows, "median", windows.x, !windows.isWhole))),
      count: method("count", () => counted(windows)),
    };
  },
  [2, "axis", "minPeriods", "center"],
);
