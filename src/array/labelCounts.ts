// How often labels are there, which is what histograms and bincount are made of; and how many labels there are, where their values
// say so. In: labels, and what each of them counts. Out: one number for each label.

import type { Attrs, Block } from "../core/block.ts";
import { sameShape, shapeText } from "../core/chunks.ts";
import { infoOf, isComplex, isFloat } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { unknownLength } from "../core/unknown.ts";
import { keyHere } from "../expr/expr.ts";
import { castTo, node } from "../lazy/build.ts";
import { asLazy, type LazyArray, type Operand } from "../lazy/lazyArray.ts";
import { labelCounts } from "../ops/binning.ts";
import { accumulatorOf } from "../ops/define.ts";
import { LINE_BYTES, rowsWithin } from "../ops/order.ts";
import { max, sum } from "../ops/reductions.ts";
import { reshape } from "./functions/manipulation.ts";
import { foldedGroups, type Groups, placesOfLabels } from "./grouping.ts";
import { askingCall } from "./later.ts";

/** A number of bins or labels is no more than this. */
export const MOST_BINS: number = 2 ** 31 - 1;

/** Counts of more numbers are no smaller than a block is. */
export const MOST_AT_ONCE: number = 2 ** 16;

/** How often each of so many whole numbers, from the first on, is there: counts of blocks, added up. */
export function countsFrom(first: number, bins: number, given: LazyArray): LazyArray {
  const x = given.ndim === 0 ? reshape(given, [1]) : given;
  const block = blockToCount(x);
  const counts = node(labelCounts, [x], { block, first, bins });
  return sum(counts, { axis: x.shape.map((_, axis) => axis) }) as LazyArray;
}

/** Of elements that are counted together: no more than a task has. */
export const blockToCount = (x: LazyArray): number[] =>
  rowsWithin(x.chunks, infoOf(x.dtype).bytes, LINE_BYTES).map((n) => Math.max(1, n));

/** How often each label is there, or what its weights come to. */
export function countsOf(
  labels: LazyArray,
  numLabels: number,
  weights: Operand | undefined,
  limit: "numLabels" | "length" = "numLabels",
): LazyArray {
  const given = weights === undefined ? labels : asLazy(weights);
  if (!sameShape(given.shape, labels.shape))
    throw new ShapeError({
      what: `the weights have shape ${shapeText(given.shape)} and the array ${shapeText(labels.shape)}`,
      cure: "Give one weight for each element",
    });
  const flat = (x: LazyArray): LazyArray => (x.ndim === 0 ? reshape(x, [1]) : x);
  const groups: Groups = {
    ...{ x: flat(given), labels: flat(labels), known: null, axis: 0, numLabels, skipsNaN: false, limit },
  };
  if (weights === undefined) return castTo(placesOfLabels(groups), "int64");
  const dtype = accumulatorOf(given.dtype);
  const isFloating = isFloat(dtype) || isComplex(dtype);
  const wide = isFloating ? (isComplex(dtype) ? "complex128" : "float64") : dtype;
  const x = isFloating ? groups.x : castTo(groups.x, dtype);
  return castTo(foldedGroups({ ...groups, x }, "sum", wide), dtype);
}

/** One name for the number of labels below the largest one and, at least, `least`: what it is a stage finds out. */
export const unknownLabels = (labels: LazyArray, least: number): number =>
  unknownLength(`labels of ${keyHere(labels.expr)}, ${least} at least`);

/** A call that has to know how many labels there are: the first of its inputs are labels, which begin with 0. */
export const afterLargest = (
  name: string,
  make: (inputs: readonly LazyArray[], attrs: Attrs, numLabels: number) => LazyArray,
): ReturnType<typeof askingCall> =>
  askingCall(name, {
    asks: ([labels]) => (labels!.size === 0 ? [] : [max(labels!)]),
    make: (inputs, attrs, [largest]) => make(inputs, attrs, largest === undefined ? 0 : countBelow(largest)),
  });

const countBelow = ({ data, offset }: Block): number => Math.max(0, Number(data[offset]) + 1);
