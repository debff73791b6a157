// Numbers counted by themselves, and in which bin elements lie. In: arrays. Out: counts (array/labelCounts.ts), and places.

import { checkInteger } from "../../core/chunks.ts";
import { checkKind, type DType, isInteger } from "../../core/dtype.ts";
import { DTypeError, ValueError } from "../../core/errors.ts";
import { type Built, castTo, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { GuidedFunction } from "../../lazy/functionTypes.ts";
import { asLazy, LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import type { OutputsOf } from "../../lazy/operandTypes.ts";
import { binPlaces } from "../../ops/binning.ts";
import { afterLargest, countsOf, MOST_BINS, unknownLabels } from "../labelCounts.ts";
import { isUnsettled } from "../later.ts";

/** Options of `cw.bincount`. */
export interface BincountOptions {
  /** What each number counts; 1 unless given. */
  readonly weights?: Operand | undefined;
  /** At least so many counts. */
  readonly minLength?: number | undefined;
  /** Exactly so many counts: all numbers are below it. Without it, a lazy array has a length that depends on its data. */
  readonly length?: number | undefined;
}

/**
 * How often each of the numbers 0, 1, … is there: `cw.bincount([0, 2, 2])` is [1, 0, 2]. How long the result is follows from
 * the largest: for a lazy array that is found out by a stage, unless `length` says it.
 */
export const bincount: BincountFunction = userCall(
  "bincount",
  (x: Operand, options: BincountOptions = {}): Built => {
    const { weights, minLength = 0, length } = options;
    const array = asLazy(x);
    if (!isInteger(array.dtype) && (isUnsettled(array) || array.size > 0))
      throw new DTypeError({ what: `the array is ${array.dtype}`, cure: "Count whole numbers of 0 or more" });
    const labels = isInteger(array.dtype) ? array : castTo(array, "int64");
    const least = countOption(minLength, "minLength");
    const counted = weights === undefined ? undefined : castTo(asLazy(weights), weightDType(asLazy(weights)));
    if (length === undefined && x instanceof LazyArray) return countsLater(labels, least, counted);
    const own = length === undefined ? lengthOf(labels) : countOption(length, "length");
    return countsOf(labels, Math.max(least, own), counted, "length") as Built;
  },
  [1, "weights", "minLength", "length"],
) as BincountFunction;

interface BincountFunction {
  <const A extends Operand>(
    x: A,
    options: BincountOptions & { readonly weights: Operand },
  ): LazyArray<"float64", OutputsOf<A>>;
  <const A extends Operand>(x: A, options?: BincountOptions): LazyArray<"int64", OutputsOf<A>>;
  readonly "~method"?: {
    <O>(
      this: LazyArray<DType, O>,
      options: BincountOptions & { readonly weights: Operand },
    ): LazyArray<"float64", O>;
    <O>(this: LazyArray<DType, O>, options?: BincountOptions): LazyArray<"int64", O>;
  };
}

/** NumPy's weights are float64, whatever they are. */
const weightDType = ({ dtype }: LazyArray): DType => {
  checkKind("realOrBool", dtype);
  return "float64";
};

function countOption(value: unknown, name: string): number {
  const count = checkInteger(value as number, name);
  if (count >= 0 && count <= MOST_BINS) return count;
  throw new ValueError({ what: `${name} is ${count}`, cure: "It must be 0 or more" });
}

function lengthOf(labels: LazyArray): number {
  let most = -1;
  for (const number of labels.computeSync()) {
    if (Number(number) < 0)
      throw new ValueError({ what: `${number} is below 0`, cure: "Count numbers of 0 or more" });
    most = Math.max(most, Number(number));
  }
  return countOption(most + 1, "the largest number");
}

const countsAfter = afterLargest("bincount", ([labels, weights], { least }, numLabels) =>
  countsOf(
    labels!,
    Math.max(least as number, countOption(numLabels, "the largest number")),
    weights,
    "length",
  ),
);

function countsLater(labels: LazyArray, least: number, weights: LazyArray | undefined): Built {
  const dtype = weights === undefined ? "int64" : weights.dtype;
  const inputs = weights === undefined ? [labels] : [labels, weights];
  return countsAfter(inputs, dtype, [unknownLabels(labels, least)], { least });
}

/** Options of `cw.digitize`. */
export interface DigitizeOptions {
  /** Bins have their upper edge, and not the lower one. */
  readonly right?: boolean | undefined;
}

/**
 * How many of the edges each element is behind: `cw.digitize([0.5, 2], [0, 1, 2])` is [1, 3]. Edges rise or fall; with
 * `right: true` a bin has its upper edge and not its lower.
 */
export const digitize: GuidedFunction<"index", [options?: DigitizeOptions]> = userCall(
  "digitize",
  (x1: Operand, x2: Operand, { right = false }: DigitizeOptions = {}): Built => {
    const [x, edges] = [asLazy(x1), asLazy(x2)];
    for (const { dtype } of [x, edges]) checkKind("realOrBool", dtype);
    const mode = right ? "left" : "right";
    return castTo(node(binPlaces, [x, edges], { mode, uniform: false }), "int64") as Built;
  },
  [2, "right"],
);
