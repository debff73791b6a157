// Names of axes and attributes, given by the user. In: an array, and what is to be said of it. Out: the same array with that said:
// no element, key or plan is another for it (docs/adr/0029).

import {
  checkAttributes,
  checkDims,
  type DimNames,
  type JsonObject,
  type Labels,
  nameless,
} from "../../core/labels.ts";
import { type Built, node } from "../../lazy/build.ts";
import { userCall } from "../../lazy/call.ts";
import type { ArrayFunction } from "../../lazy/functionTypes.ts";
import { asLazy, type LazyArray, type Operand } from "../../lazy/lazyArray.ts";
import { LabelMark, mark } from "../../ops/marks.ts";

const labelled = (x: LazyArray, labels: Labels): Built => node(mark, [x], { mark: new LabelMark(labels) });

/**
 * The array with names for its axes: `cw.withDims(x, ["time", "lat"])`; null for an axis has none, null for all takes them
 * away. Functions take the names where they take axes: `x.mean({axis: "time"})`, `x.get({time: "0:10"})`.
 */
export const withDims: ArrayFunction<"same", [dims: DimNames | null]> = userCall(
  "withDims",
  (x: Operand, dims: DimNames | null): Built => {
    const array = asLazy(x);
    const { length } = array.expr.shape;
    return labelled(array, {
      dims: dims === null ? nameless(length) : checkDims(dims, length),
      attributes: null,
    });
  },
);

/**
 * The array with attributes in the place of its own: `cw.withAttributes(x, {units: "K"})`. They are written by `toZarr`, and
 * go along as long as the values are the same quantities.
 */
export const withAttributes: ArrayFunction<"same", [attributes: JsonObject]> = userCall(
  "withAttributes",
  (x: Operand, attributes: JsonObject): Built =>
    labelled(asLazy(x), { dims: null, attributes: checkAttributes(attributes) }),
);
