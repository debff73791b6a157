// Sorting along any axis. In: a layout, an axis, a direction. Out: the same structure with values (or, for argsort,
// their places) in order along that axis. Stable; NaN last, nulls after everything.

import { checkKind, infoOf, isComplex } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import { logicalOf, withLogical } from "../../core/form/logical.ts";
import { COMPUTED } from "../demand/outline.ts";
import { castFlat } from "../layout/flat.ts";
import { arange, indexOf, int64Of } from "../layout/indices.ts";
import {
  indexedOptionOf,
  type Leaf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  type PlainList,
  type PlainOption,
  type StringLayout,
} from "../layout/layout.ts";
import { blockOfData, newNumbers, runRoutine } from "../layout/leafKernels.ts";
import { overContent, take, viewOf } from "../layout/rows.ts";
import { type Groups, groupsOfLists, innerGroups, oneGroup, withoutNulls } from "../segments/groups.ts";
import { atAxis } from "./axis.ts";
import { belowRows } from "./broadcast.ts";
import { isMeasured, storedWholesOf } from "./exactOps.ts";
import { type RaggedOp, raggedOp } from "./op.ts";

// Sorting within segments. In: values and where segments begin. Out: values in order, or which element comes at each place;
// stable: equal values keep their order, ascending or descending. NaN comes last either way. Numbers are sorted by the
// kernels of dense arrays.

/** Negative when the first belongs before the second. */
type Compare = (a: number, b: number) => number;

/** Values in order; or, as int64, the places in their segments that they had. */
function sortedNumbers(
  leaf: NumpyLayout,
  offsets: Int32Array,
  ascending: boolean,
  wantsPlaces: boolean,
): NumpyLayout {
  checkKind("realOrBool", leaf.dtype);
  const { dtype, data, length } = castFlat(leaf, infoOf(leaf.dtype).computesIn);
  const inputs = [blockOfData(data, dtype), blockOfData(offsets, "int32")];
  const out = newNumbers(wantsPlaces ? "int64" : dtype, length);
  const routine = wantsPlaces ? "segmentArgsort" : "segmentSort";
  runRoutine(routine, inputs, out, { descending: !ascending }, length);
  return castFlat(numpyOf(out.data, out.dtype), wantsPlaces ? "int64" : leaf.dtype);
}

/** Which value comes at each place, of those that kernels do not sort. */
function sortedPlaces(leaf: StringLayout | NumpyLayout, offsets: Int32Array, ascending: boolean): Int32Array {
  if (leaf.kind === "numpy") return sortedComplex(leaf, offsets, ascending);
  const compare = compareTexts(leaf);
  const directed: Compare = ascending ? compare : (a, b) => compare(b, a);
  const order = arange(leaf.length);
  for (let g = 0; g + 1 < offsets.length; g++) order.subarray(offsets[g]!, offsets[g + 1]!).sort(directed);
  return order;
}

/** By real parts, then by imaginary ones, as NumPy has it; NaN in either part comes last. */
function sortedComplex({ data, length }: NumpyLayout, offsets: Int32Array, ascending: boolean): Int32Array {
  const parts = data as Float64Array;
  const hasNaN = (i: number): boolean => Number.isNaN(parts[2 * i]! + parts[2 * i + 1]!);
  const compare: Compare = (a, b) => {
    const [nanA, nanB] = [hasNaN(a), hasNaN(b)];
    if (nanA || nanB) return Number(nanA) - Number(nanB);
    const apart = parts[2 * a]! - parts[2 * b]! || parts[2 * a + 1]! - parts[2 * b + 1]!;
    return ascending ? apart : -apart;
  };
  const order = arange(length);
  for (let g = 0; g + 1 < offsets.length; g++) order.subarray(offsets[g]!, offsets[g + 1]!).sort(compare);
  return order;
}

/** By bytes, which for UTF-8 is by code points. */
function compareTexts(leaf: StringLayout): Compare {
  const { offsets, bytes } = leaf;
  if (isMeasured(leaf)) {
    const wholes = storedWholesOf(leaf);
    return (a, b) => (wholes[a]! < wholes[b]! ? -1 : wholes[a]! > wholes[b]! ? 1 : 0);
  }
  if (logicalOf(leaf)?.kind === "interval")
    throw new DTypeError({ what: "intervals have no order", cure: "A month is no number of days" });
  return (a, b) => {
    const fromA = offsets[a]!;
    const fromB = offsets[b]!;
    const countA = offsets[a + 1]! - fromA;
    const countB = offsets[b + 1]! - fromB;
    const common = Math.min(countA, countB);
    for (let at = 0; at < common; at++) {
      const apart = bytes[fromA + at]! - bytes[fromB + at]!;
      if (apart !== 0) return apart;
    }
    return countA - countB;
  };
}

/** Sorting is always stable: there is nothing to ask for. */
export interface SortAttrs {
  readonly axis?: number;
  readonly ascending?: boolean;
}

interface Sorting {
  readonly ascending: boolean;
  readonly wantsPlaces: boolean;
}

const sorting = (name: string, wantsPlaces: boolean): RaggedOp<SortAttrs> =>
  raggedOp(name, belowRows(-1), COMPUTED, ([input], { axis = -1, ascending = true }) => {
    const how = { ascending, wantsPlaces };
    return atAxis(input!, axis, {
      rows: (node) => sorted(node, oneGroup(node.length), how),
      list: (list) => {
        const view = viewOf(list);
        return overContent(list, view, sorted(view.content, groupsOfLists(view.offsets), how));
      },
    });
  });

export const sort: RaggedOp<SortAttrs> = sorting("sort", false);
export const argsort: RaggedOp<SortAttrs> = sorting("argsort", true);

/** The node with the rows of every group in order. */
function sorted(node: Plain, groups: Groups, how: Sorting): Plain {
  switch (node.kind) {
    case "numpy":
    case "string":
    case "empty":
      return scattered(sortedLeaf(node, groups, how), groups.order);
    case "indexedOption":
      return sortedOption(node, groups, how);
    case "regular":
    case "listOffset":
      return sortedLists(node, groups, how);
    case "record":
    case "union":
      throw new DTypeError({
        what: `${node.kind === "record" ? "records" : "values of several types"} have no order`,
        cure: "Sort by a field: x.get(argsort(x.field))",
      });
    default:
      node satisfies never;
      throw node;
  }
}

/** Values of one group after another. */
function sortedLeaf(
  leaf: Leaf,
  { offsets, order, positions }: Groups,
  { ascending, wantsPlaces }: Sorting,
): Plain {
  const ordered = order === null ? leaf : (take(leaf, order) as Leaf);
  if (ordered.kind === "empty") return wantsPlaces ? numpyOf(new BigInt64Array(0)) : ordered;
  if (ordered.kind === "numpy" && !isComplex(ordered.dtype)) {
    const sorted = sortedNumbers(ordered, offsets, ascending, wantsPlaces);
    if (wantsPlaces) return positions === null ? sorted : positionsAt(sorted, offsets, positions);
    return withLogical(sorted, logicalOf(ordered));
  }
  const places = sortedPlaces(ordered, offsets, ascending);
  return wantsPlaces ? numpyOf(int64Of(placesInGroups(places, offsets, positions))) : take(ordered, places);
}

/** Positions along the axis, of places in groups. */
function positionsAt({ data }: NumpyLayout, offsets: Int32Array, positions: Int32Array): NumpyLayout {
  const places = indexOf(data, "places");
  for (let g = 0; g + 1 < offsets.length; g++)
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++) places[q] = positions[offsets[g]! + places[q]!]!;
  return numpyOf(int64Of(places));
}

function placesInGroups(places: Int32Array, offsets: Int32Array, positions: Int32Array | null): Int32Array {
  const out = new Int32Array(places.length);
  for (let g = 0; g + 1 < offsets.length; g++) {
    const start = offsets[g]!;
    for (let q = start; q < offsets[g + 1]!; q++)
      out[q] = positions === null ? places[q]! - start : positions[places[q]!]!;
  }
  return out;
}

/** Back to where the groups' elements came from. */
function scattered(values: Plain, order: Int32Array | null): Plain {
  if (order === null) return values;
  const inverse = new Int32Array(order.length);
  for (let q = 0; q < order.length; q++) inverse[order[q]!] = q;
  return take(values, inverse);
}

function sortedLists(list: PlainList, groups: Groups, how: Sorting): Plain {
  const view = viewOf(list);
  const inner = innerGroups(groups, view.offsets, list.kind === "regular" ? list.size : null);
  return overContent(list, view, sorted(view.content, inner.groups, how));
}

function sortedOption(node: PlainOption, groups: Groups, how: Sorting): Plain {
  const { content } = node;
  if (content.kind !== "numpy" && content.kind !== "string" && content.kind !== "empty") {
    throw new DTypeError({
      what: "lists and records that may be null have no order",
      cure: "Use dropNone or fillNone first",
    });
  }
  const valid = withoutNulls(groups, node.index);
  const values = sortedLeaf(content, valid, how);
  return how.wantsPlaces
    ? placesWithNulls(node, groups, valid, values)
    : valuesThenNulls(groups, valid, values);
}

/** Row of the node at place q. */
const rowAt = (groups: Groups, q: number): number => (groups.order === null ? q : groups.order[q]!);

function valuesThenNulls(groups: Groups, valid: Groups, values: Plain): Plain {
  const index = new Int32Array(groups.offsets[groups.offsets.length - 1]!);
  for (let g = 0; g + 1 < groups.offsets.length; g++) {
    let next = valid.offsets[g]!;
    for (let q = groups.offsets[g]!; q < groups.offsets[g + 1]!; q++)
      index[rowAt(groups, q)] = next < valid.offsets[g + 1]! ? next++ : -1;
  }
  return indexedOptionOf(index, values);
}

/** Places of values in order, then places of nulls. */
function placesWithNulls(node: PlainOption, groups: Groups, valid: Groups, values: Plain): Plain {
  const found = (values as Extract<Plain, { kind: "numpy" }>).data as BigInt64Array;
  const out = new BigInt64Array(node.length);
  const { offsets, positions } = groups;
  for (let g = 0; g + 1 < offsets.length; g++) {
    let slot = offsets[g]!;
    for (let at = valid.offsets[g]!; at < valid.offsets[g + 1]!; at++)
      out[rowAt(groups, slot++)] = found[at]!;
    for (let q = offsets[g]!; q < offsets[g + 1]!; q++) {
      if (node.index[rowAt(groups, q)]! >= 0) continue;
      out[rowAt(groups, slot++)] = BigInt(positions === null ? q - offsets[g]! : positions[q]!);
    }
  }
  return numpyOf(out);
}
