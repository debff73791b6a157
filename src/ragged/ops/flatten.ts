// Levels of lists taken away and put in. In: nested data. Out: flatten joins lists along an axis (null lists have no
// elements), unflatten cuts an axis into lists, ravel leaves no structure and keeps nulls, num says how long lists are.

import { AxisError, DTypeError, ShapeError, ValueError } from "../../core/errors.ts";
import { DATA, MOVED, MOVED_BY_DATA, STRUCTURE } from "../demand/outline.ts";
import { listLengths } from "../layout/flat.ts";
import {
  arange,
  compose,
  countsOf,
  drawnFrom,
  indexOf,
  int64Of,
  localPlaces,
  offsetsOfCounts,
  ranksOfValid,
  validOf,
} from "../layout/indices.ts";
import {
  indexedOptionOf,
  isLeaf,
  isList,
  isOption,
  listOf,
  numpyOf,
  type Plain,
  type PlainOption,
  regularOf,
} from "../layout/layout.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { packed, rowsOfTag } from "../layout/pack.ts";
import { type ListView, overContent, take, takeOption, viewOf } from "../layout/rows.ts";
import { atAxis, frontAxis, throughNode } from "./axis.ts";
import { belowRows, oneLeaf, type Rowwise } from "./broadcast.ts";
import { checkCount, Item, type RaggedOp, raggedOp } from "./op.ts";

// All values of a layout in one row, whatever structure they had. In: nested data. Out: its leaves, one field after
// another, in the type they meet in. Null lists have no values; null values are left out or kept, as asked.

interface FlattenOptions {
  readonly keepsNulls: boolean;
}

export const flattenAll = (node: Plain, options: FlattenOptions): Plain => mergeRows(leavesOf(node, options));

function leavesOf(node: Plain, options: FlattenOptions): Plain[] {
  switch (node.kind) {
    case "regular":
    case "listOffset":
      return leavesOf(viewOf(node).content, options);
    case "record":
      return node.contents.flatMap((content) => leavesOf(content, options));
    case "union":
      return node.contents.flatMap((content, tag) =>
        leavesOf(take(content, compose(node.index, rowsOfTag(node, tag))), options),
      );
    case "indexedOption":
      return leavesOfOption(node, options);
    default:
      return [node];
  }
}

function leavesOfOption(node: PlainOption, options: FlattenOptions): Plain[] {
  const { content, index } = node;
  if (!options.keepsNulls || isList(content)) return leavesOf(take(content, validOf(index)), options);
  if (isLeaf(content)) return [node];
  if (content.kind === "record")
    return content.contents.flatMap((field) => leavesOf(takeOption(field, index), options));
  return leavesOf(take(content, validOf(index)), options);
}

export interface AxisAttrs {
  readonly axis?: number;
}

/** How many elements: of lists at an axis, or (axis 0) of the array. */
export const num: RaggedOp<AxisAttrs> = raggedOp("num", belowRows(1), STRUCTURE, ([input], { axis = 1 }) => {
  if (frontAxis(input!, axis, 0) === 0)
    return new Item(drawnFrom(numpyOf(BigInt64Array.of(BigInt(input!.length))), input!, false));
  return atAxis(input!, axis, {
    list: (list) => drawnFrom(listLengths(viewOf(list).offsets), list),
  });
});

/** 0, 1, 2, … along an axis. */
export const localIndex: RaggedOp<AxisAttrs> = raggedOp(
  "localIndex",
  belowRows(-1),
  STRUCTURE,
  ([input], { axis = -1 }) =>
    atAxis(input!, axis, {
      rows: (node) => drawnFrom(numpyOf(int64Of(arange(node.length))), node, false),
      list: (list) => {
        const view = viewOf(list);
        return overContent(list, view, drawnFrom(numpyOf(int64Of(localPlaces(view.offsets))), list));
      },
    }),
);

export interface FlattenAttrs {
  /** Null: no structure is left. */
  readonly axis?: number | null;
}

const flattensRows: Rowwise<FlattenAttrs> = (inputs, { axis = 1 }) =>
  axis === null ? oneLeaf(inputs, {}) : "changed";

export const flatten: RaggedOp<FlattenAttrs> = raggedOp(
  "flatten",
  flattensRows,
  MOVED,
  ([input], { axis = 1 }) =>
    axis === null ? flattenAll(input!, { keepsNulls: false }) : flattenAt(input!, axis),
);

/** All of it: how many rows there are depends on every field, on those of no known type too. */
export const ravel: RaggedOp<object> = raggedOp("ravel", oneLeaf, DATA, ([input]) =>
  flattenAll(input!, { keepsNulls: true }),
);

function flattenAt(node: Plain, axis: number, depth = 0): Plain {
  const front = frontAxis(node, axis, depth);
  if (front === null) return flattenFields(node, axis, depth);
  if (front > depth + 1) return atAxis(node, front - 1, { list: joinInner }, depth);
  if (depth > 0) {
    throw new AxisError({
      what: `axis ${axis} is at different depths in the fields of a record`,
      cure: "Take a field first",
    });
  }
  if (front === 1) return listsOf(node).content;
  return isOption(node) ? take(node.content, validOf(node.index)) : node;
}

/** Where fields are not equally deep, each has its own last axis. */
function flattenFields(node: Plain, axis: number, depth: number): Plain {
  if (!isList(node))
    return throughNode(
      node,
      (child) => flattenAt(child, axis, depth),
      (leaf) => leaf,
    );
  const view = viewOf(node);
  return overContent(node, view, flattenAt(view.content, axis, depth + 1));
}

/** Lists of lists → lists. */
function joinInner(list: Extract<Plain, { kind: "regular" | "listOffset" }>): Plain {
  const view = viewOf(list);
  const inner = listsOf(view.content);
  return listOf(
    view.offsets.map((at) => inner.offsets[at]!),
    inner.content,
  );
}

/** A node seen as lists; a null list has no elements. */
export function listsOf(node: Plain): ListView {
  if (isList(node)) return viewOf(node);
  if (isOption(node) && isList(node.content)) {
    const view = viewOf(take(node.content, validOf(node.index)) as typeof node.content);
    const counts = countsOf(view.offsets);
    const ranks = ranksOfValid(node.index);
    return {
      offsets: offsetsOfCounts(ranks.map((rank) => (rank < 0 ? 0 : counts[rank]!))),
      content: view.content,
    };
  }
  const what =
    node.kind === "record" ? "records" : node.kind === "union" ? "values of several types" : "no lists";
  throw new AxisError({
    what: `there are ${what} where lists were expected`,
    cure: "Use another axis, or take a field first",
  });
}

export interface UnflattenAttrs {
  /** One count for all lists; otherwise the second input says how long each is. */
  readonly counts?: number;
  readonly axis?: number;
}

/** Counts of their own have other rows than the array. */
const cutsRows: Rowwise<UnflattenAttrs> = (inputs, { counts, axis = 0 }) =>
  counts !== undefined && belowRows(0)(inputs, { axis });

export const unflatten: RaggedOp<UnflattenAttrs> = raggedOp(
  "unflatten",
  cutsRows,
  MOVED_BY_DATA,
  (inputs, { counts, axis = 0 }) => {
    const [input, given] = inputs;
    const cut = (rows: Plain): Plain =>
      counts === undefined ? cutBy(rows, given!) : cutEvenly(rows, counts);
    return frontAxis(input!, axis, 0) === 0
      ? cut(input!)
      : // Counts are for what can be seen: nothing else may lie between.
        atAxis(packed(input!), axis, {
          list: (list) => {
            const view = viewOf(list);
            return regroup(view.offsets, cut(view.content));
          },
        });
  },
);

function cutEvenly(rows: Plain, counts: number): Plain {
  const size = checkCount(counts, "counts");
  if (size === 0 ? rows.length > 0 : rows.length % size !== 0) {
    throw new ShapeError({
      what: `${rows.length} elements are not a whole number of lists of ${size}`,
      cure: "Use a count that divides the length",
    });
  }
  return regularOf(rows, size, size === 0 ? 0 : rows.length / size);
}

/** A null count makes a null list, which takes no elements. */
function cutBy(rows: Plain, given: Plain): Plain {
  const leaf = isOption(given) ? given.content : given;
  if (leaf.kind === "empty") return listOf(cutOffsets(rows, new Int32Array(0)), rows);
  if (leaf.kind !== "numpy")
    throw new DTypeError({ what: "counts are no numbers", cure: "Use an array of integers" });
  const values = indexOf(leaf.data, "counts");
  if (!isOption(given)) return listOf(cutOffsets(rows, values), rows);
  const counts = given.index.map((at) => (at < 0 ? 0 : values[at]!));
  const valid = given.index.map((at, i) => (at < 0 ? -1 : i));
  return indexedOptionOf(valid, listOf(cutOffsets(rows, counts), rows));
}

function cutOffsets(rows: Plain, counts: Int32Array): Int32Array {
  const negative = counts.find((count) => count < 0);
  if (negative !== undefined)
    throw new ValueError({ what: `a count is ${negative}`, cure: "Counts are whole numbers, 0 or more" });
  const offsets = offsetsOfCounts(counts);
  const total = offsets[counts.length]!;
  if (total === rows.length) return offsets;
  throw new ShapeError({
    what: `the counts add up to ${total} and there are ${rows.length} elements`,
    cure: "Counts must add up to the length of what is cut",
  });
}

/** Lists over new lists: every old boundary must be one of theirs. Empty new lists belong to the list before. */
function regroup(offsets: Int32Array, inner: Plain): Plain {
  const bounds = listsOf(inner).offsets;
  const outer = new Int32Array(offsets.length);
  let at = 0;
  for (let i = 1; i < offsets.length; i++) {
    while (at < bounds.length - 1 && bounds[at + 1]! <= offsets[i]!) at++;
    if (bounds[at] !== offsets[i]) {
      throw new ShapeError({
        what: `a new list goes over the end of list ${i - 1}`,
        cure: "Counts must add up within every list",
      });
    }
    outer[i] = at;
  }
  return listOf(outer, inner);
}
