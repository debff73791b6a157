// Regular lists: all of one length, which is part of their form. In: lists. Out: the same lists as the other kind.

import { ShapeError } from "../../core/errors.ts";
import { MOVED } from "../demand/outline.ts";
import { countsOf } from "../layout/indices.ts";
import { isList, listOf, type Plain, type PlainList, regularOf } from "../layout/layout.ts";
import { packed } from "../layout/pack.ts";
import { overContent, viewOf } from "../layout/rows.ts";
import { atAxis } from "./axis.ts";
import { always } from "./broadcast.ts";
import { type RaggedOp, raggedOp } from "./op.ts";

/** How long every list is; an error where they differ. */
export function commonCount(list: PlainList, at: string): number {
  const counts = countsOf(viewOf(list).offsets);
  const size = counts[0] ?? 0;
  const other = counts.findIndex((count) => count !== size);
  if (other < 0) return size;
  throw new ShapeError({
    what: `lists of ${at} are not equally long: list 0 has ${size} elements and list ${other} has ${counts[other]}`,
    cure: "Use padNone with clip, or keep it ragged",
  });
}

export interface ToRegularAttrs {
  /** Null for all axes. */
  readonly axis?: number | null;
  /** How long the lists are; may be left out where there is data to look at. */
  readonly size?: number;
}

/** Lists of one length as regular lists. */
export const toRegular: RaggedOp<ToRegularAttrs> = {
  ...raggedOp<ToRegularAttrs>("toRegular", always, MOVED, ([input], { axis = 1, size }, isProbe) => {
    const asRegular = (list: PlainList): Plain => regularLists(list, { axis, size, isProbe });
    // Lists that nobody sees may have any length.
    const seen = packed(input!);
    return axis === null ? eachList(seen, asRegular) : atAxis(seen, axis, { list: asRegular });
  }),
  // Rows, whatever the size: with data nobody has to say it.
  isItem: () => false,
};

function regularLists(
  list: PlainList,
  { axis, size, isProbe }: { axis: number | null; size: number | undefined; isProbe: boolean },
): Plain {
  if (list.kind === "regular") return list;
  if (isProbe && size === undefined)
    throw new ShapeError({
      what: "nobody knows how long the lists are before there is data",
      cure: "Give the size",
    });
  const count = list.length === 0 ? (size ?? 0) : commonCount(list, `axis ${axis}`);
  if (size !== undefined && size !== count)
    throw new ShapeError({ what: `lists have ${count} elements, not ${size}`, cure: "Give their size" });
  return { ...regularOf(viewOf(list).content, count, list.length), parameters: list.parameters };
}

/** All lists, the inner ones first. */
function eachList(node: Plain, change: (list: PlainList) => Plain): Plain {
  if (isList(node)) {
    const view = viewOf(node);
    return change(overContent(node, view, eachList(view.content, change)));
  }
  if (node.kind === "indexedOption") return { ...node, content: eachList(node.content, change) };
  if (node.kind === "record" || node.kind === "union")
    return { ...node, contents: node.contents.map((content) => eachList(content, change)) };
  return node;
}

export interface FromRegularAttrs {
  /** Null for all axes. */
  readonly axis?: number | null;
}

/** Regular lists as lists of any length. */
export const fromRegular: RaggedOp<FromRegularAttrs> = raggedOp(
  "fromRegular",
  always,
  MOVED,
  ([input], { axis = 1 }) =>
    axis === null ? eachList(input!, asVar) : atAxis(input!, axis, { each: (node) => node, list: asVar }),
);

function asVar(list: PlainList): Plain {
  const { offsets, content } = viewOf(list);
  return { ...listOf(offsets, content), parameters: list.parameters };
}
