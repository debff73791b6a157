// How often labels are there, which is what histograms and bincount are made of. In: labels, and what each of them counts. Out:
// one number for each label.

import { sameShape, shapeText } from "../core/chunks.ts";
import { isComplex, isFloat } from "../core/dtype.ts";
import { ShapeError } from "../core/errors.ts";
import { castTo } from "../lazy/build.ts";
import { asLazy, type LazyArray, type Operand } from "../lazy/lazyArray.ts";
import { accumulatorOf } from "../ops/define.ts";
import { reshape } from "./functions/manipulation.ts";
import { foldedGroups, type Groups, placesOfLabels } from "./grouping.ts";

/** A number of bins or labels is no more than this. */
export const MOST_BINS: number = 2 ** 31 - 1;

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
