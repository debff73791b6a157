// Reductions along any axis. In: a layout and an axis (null: all of it). Out: the layout without that axis, or with an
// axis of one element where keepdims asks for it. Nulls are left out. Along axis 0 lists are laid over each other:
// element j of the result is made of the elements j of all lists that have one.

import { DTypeError } from "../../core/errors.ts";
import { COMPUTED, STRUCTURE } from "../demand/roles.ts";
import { placesOfLists } from "../layout/flat.ts";
import { depthsOf, listOf, type Plain, type PlainList, regularOf } from "../layout/layout.ts";
import { viewOf } from "../layout/lists.ts";
import { drawnFrom } from "../layout/origins.ts";
import { take, takeOption } from "../layout/rows.ts";
import { type Groups, groupsOfLists, innerGroups, oneGroup, withoutNulls } from "../segments/groups.ts";
import { atAxis, frontAxis } from "./axis.ts";
import { flattenAll } from "./flattenAll.ts";
import { Item, type RaggedOp, raggedOp } from "./op.ts";
import { REDUCERS, type ReduceAttrs, type Reducer, reducedLeaf } from "./reducers.ts";
import { belowRows } from "./rowwise.ts";
import { unwrapRow } from "./unwrap.ts";

function reduction(reducer: Reducer): RaggedOp<ReduceAttrs> {
  return raggedOp(
    reducer.name,
    belowRows(null),
    reducer.op === null ? STRUCTURE : COMPUTED,
    ([input], attrs) => {
      const { axis = null, keepdims = false } = attrs;
      if (axis === null) return overAll(input!, reducer, attrs);
      if (frontAxis(input!, axis, 0) === 0) {
        const row = reduced(input!, oneGroup(input!.length), reducer, attrs);
        return keepdims ? row : unwrapRow(row);
      }
      return atAxis(input!, axis, {
        list: (list) => {
          const view = viewOf(list);
          const values = reduced(view.content, groupsOfLists(view.offsets), reducer, attrs, list);
          return keepdims ? regularOf(values, 1, list.length) : values;
        },
      });
    },
  );
}

function overAll(input: Plain, reducer: Reducer, attrs: ReduceAttrs): Plain | Item {
  const flat = flattenAll(input, { keepsNulls: reducer.countsPlaces });
  const row = reduced(flat, oneGroup(flat.length), reducer, attrs);
  if (attrs.keepdims !== true) return new Item(row);
  let result = row;
  for (let depth = depthsOf(input)[1]; depth > 1; depth--) result = regularOf(result, 1, 1);
  return result;
}

/** One row for each group. `above` is what the groups were made of, where it is a node. */
function reduced(
  node: Plain,
  groups: Groups,
  reducer: Reducer,
  attrs: ReduceAttrs,
  above: Plain | null = null,
): Plain {
  switch (node.kind) {
    case "numpy":
    case "string":
    case "empty": {
      const ordered = groups.order === null ? node : (take(node, groups.order) as typeof node);
      const values = reducedLeaf(reducer, ordered, groups, attrs);
      return (attrs.maskIdentity ?? reducer.masksEmpty) ? masked(values, groups.offsets, above) : values;
    }
    case "indexedOption":
      return reduced(node.content, withoutNulls(groups, node.index), reducer, attrs, node);
    case "regular":
    case "listOffset":
      return drawnFrom(
        throughLists(node, groups, (content, inner) => reduced(content, inner, reducer, attrs, node)),
        node,
      );
    case "record":
    case "union":
      throw new DTypeError({
        what: `there is no ${reducer.name} of ${node.kind === "record" ? "records" : "values of several types"}`,
        cure: node.kind === "record" ? "Take a field first" : "Choose one type first",
      });
    default:
      node satisfies never;
      throw node;
  }
}

/** Lists of each group laid over each other: one list for each group, of what `below` makes of their elements. */
export function throughLists(
  list: PlainList,
  groups: Groups,
  below: (content: Plain, inner: Groups) => Plain,
): Plain {
  const view = viewOf(list);
  const size = list.kind === "regular" ? list.size : null;
  const inner = innerGroups(groups, view.offsets, size);
  const content = below(view.content, inner.groups);
  return size === null ? listOf(inner.columns, content) : regularOf(content, size, groups.offsets.length - 1);
}

/** Null where a group has no elements, which follows from what is above the values alone. */
function masked(values: Plain, offsets: Int32Array, above: Plain | null): Plain {
  const option = takeOption(values, placesOfLists(offsets));
  return above === null ? option : drawnFrom(option, above);
}

export const REDUCTIONS: { readonly [name: string]: RaggedOp<ReduceAttrs> } = Object.fromEntries(
  REDUCERS.map((reducer) => [reducer.name, reduction(reducer)]),
);
