// Quantiles of groups. In: groups (grouping.ts), quantiles, and how to choose between two elements. Out: for each quantile the array
// with its labelled axes replaced by one place for each label.
// A few labels that are in memory: the elements of each are taken out, and are an array like any other. Else the elements of a line
// are put in the order of their labels, and those of a label in their own order, by two stable sorts; a quantile is where its
// label begins, and as many places on as follow from how many elements the label has.

import { isFloat, toFloating } from "../core/dtype.ts";
import { DISCRETE_METHODS } from "../kernel/routines/quantilePlaces.ts";
import { castTo, node } from "../lazy/build.ts";
import type { LazyArray } from "../lazy/lazyArray.ts";
import {
  add,
  equal,
  greater,
  isnan,
  less,
  maximum,
  minimum,
  subtract,
  where,
} from "../ops/elementwise/index.ts";
import { quantilePlaces } from "../ops/order.ts";
import { sum } from "../ops/reductions.ts";
import { cumulativeSum } from "../ops/scans.ts";
import { broadcastLazy, partAlong } from "./chunked.ts";
import { full } from "./functions/creation.ts";
import { concat, stack } from "./functions/joining.ts";
import { expandDims, moveaxis, reshape } from "./functions/manipulation.ts";
import { argsort } from "./functions/searching.ts";
import { take, takeAlongAxis } from "./functions/taking.ts";
import { foldedGroups, type Groups, placesOfLabels } from "./grouping.ts";
import { type Asked, inPairs, linesOf, type Mix, quantilesOf } from "./quantilesOfLines.ts";

/** So many labels are taken out one by one. */
const FEW_LABELS = 64;

/** With the quantiles along the first axis; floating, by every method. */
export function groupQuantiles(groups: Groups, asked: Asked, mix: Mix): LazyArray {
  const { axis, labels, known, numLabels } = groups;
  const axes = labels.shape.map((_, k) => axis + k);
  const { x, outer } = linesOf(groups.x, { axis: axes }, DISCRETE_METHODS.has(asked.method));
  const lines = { x: reshape(x, [...outer, labels.size]), outer };
  const isFew = known !== null && numLabels <= FEW_LABELS;
  const found = isFew ? takenOut(lines, groups, asked, mix) : inOrder(lines, groups, asked, mix);
  return castTo(moveaxis(moveaxis(found, -2, axis), -1, 0), toFloating(x.dtype));
}

type Lines = ReturnType<typeof linesOf>;

const resultDType = ({ dtype }: LazyArray, { method }: Asked): LazyArray["dtype"] =>
  DISCRETE_METHODS.has(method) ? dtype : toFloating(dtype);

/** What labels without elements have. */
const nothing = (dtype: LazyArray["dtype"]): number => (isFloat(dtype) ? Number.NaN : 0);

function takenOut({ x, outer }: Lines, { known, numLabels }: Groups, asked: Asked, mix: Mix): LazyArray {
  const dtype = resultDType(x, asked);
  const shape = [...outer, asked.values.length];
  const places = Array.from({ length: numLabels }, (): number[] => []);
  known!.forEach((label, at) => places[label]?.push(at));
  const each = places.map((own) => {
    if (own.length === 0) return full(shape, nothing(dtype), { dtype });
    const part = take(x, own, { axis: x.ndim - 1 });
    return reshape(quantilesOf({ x: part, outer }, asked, mix), shape);
  });
  return each.length === 0
    ? full([...outer, 0, asked.values.length], 0, { dtype })
    : stack(each, { axis: -2 });
}

/** The elements of each line at places of its own. */
const at = (x: LazyArray, places: LazyArray): LazyArray =>
  x.ndim === 1 ? take(x, places) : takeAlongAxis(x, places, { axis: -1 });

function inOrder({ x, outer }: Lines, groups: Groups, asked: Asked, mix: Mix): LazyArray {
  const { numLabels, skipsNaN } = groups;
  const { values, method } = asked;
  const dtype = resultDType(x, asked);
  const shape = [...outer, numLabels, values.length];
  if (x.size === 0 || numLabels === 0) return full(shape, nothing(dtype), { dtype });
  const own: Groups = { ...groups, x, labels: reshape(groups.labels, [-1]), axis: x.ndim - 1 };
  const all = castTo(placesOfLabels({ ...own, skipsNaN: false }), "int64");
  const canSkip = skipsNaN && isFloat(x.dtype);
  const counts = canSkip ? castTo(foldedGroups(own, "count", "float64"), "int64") : all;
  const begins = add(subtract(cumulativeSum(all, { axis: 0 }), all), sum(less(own.labels, 0)));
  const place = (part: string): LazyArray => node(quantilePlaces, [counts], { q: [...values], method, part });
  const ends = broadcastLazy(subtract(all, 1), [...counts.shape]);
  // Behind the quantiles' the last element of each label, which is NaN if one is.
  const ranks = maximum(concat([place("ranks"), expandDims(ends, { axis: -1 })], { axis: -1 }), 0);
  const inLine = add(ranks, expandDims(begins, { axis: -1 }));
  const lists = reshape(broadcastLazy(inLine, [...outer, numLabels, inLine.shape.at(-1)!]), [...outer, -1]);
  const found = reshape(elementsAt(x, own.labels, lists), [...outer, numLabels, -1]);
  const [previous, next] = inPairs(partAlong(found, found.ndim - 1, 0, 2 * values.length));
  const weights = broadcastLazy(place("weights"), previous.shape);
  const mixed = DISCRETE_METHODS.has(method) ? previous : mix({ previous, next, weights }, dtype);
  const isNone = expandDims(equal(counts, 0), { axis: -1 });
  const filled = castTo(where(isNone, nothing(dtype), mixed), dtype);
  if (!isFloat(x.dtype) || skipsNaN) return broadcastLazy(filled, shape);
  const last = partAlong(found, found.ndim - 1, 2 * values.length, 1);
  const isSpoilt = castTo(where(greater(expandDims(all, { axis: -1 }), 0), isnan(last), false), "bool");
  return castTo(where(isSpoilt, Number.NaN, filled), dtype);
}

/** Of the elements in the order of their labels, and then of their values, those at some places. */
function elementsAt(x: LazyArray, labels: LazyArray, places: LazyArray): LazyArray {
  const byValue = argsort(x, { axis: -1 });
  const byLabel = argsort(at(broadcastLazy(labels, x.shape), byValue), { axis: -1 });
  // Labels without elements may begin behind all of them.
  const within = minimum(places, labels.size - 1);
  return add(at(x, at(byValue, at(byLabel, within))), 0);
}
