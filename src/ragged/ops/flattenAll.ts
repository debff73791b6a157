// All values of a layout in one row, whatever structure they had. In: nested data. Out: its leaves, one field after
// another, in the type they meet in. Null lists have no values; null values are left out or kept, as asked.

import { compose, validOf } from "../layout/indices.ts";
import { isLeaf, isList, type Plain, type PlainOption } from "../layout/layout.ts";
import { viewOf } from "../layout/lists.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { rowsOfTag } from "../layout/pack.ts";
import { take, takeOption } from "../layout/rows.ts";

export interface FlattenOptions {
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
