// Jagged indexes: lists of places, or of bools, one list for every list. In: an array and an index array with as many
// rows. Out: the chosen elements of each list. A null in the index is a null in the result.

import { DTypeError, IndexError } from "../../../core/errors.ts";
import { indexOf, newIndex, ranksOfValid, sameIndices, validOf } from "../../layout/indices.ts";
import { isList, isOption, type Leaf, listOf, type Plain, type PlainList } from "../../layout/layout.ts";
import { type ListView, viewOf } from "../../layout/lists.ts";
import { take, takeOption } from "../../layout/rows.ts";
import { within } from "./selectAxes.ts";

export function selectJagged(node: Plain, index: Plain): Plain {
  checkRows(node, index);
  if (isOption(index)) {
    const rows = rowsOfValid(index.index);
    return takeOption(
      selectJagged(take(node, rows), take(index.content, validOf(index.index))),
      ranksOfValid(index.index),
    );
  }
  if (isOption(node)) {
    const rows = rowsOfValid(node.index);
    return takeOption(
      selectJagged(take(node.content, validOf(node.index)), take(index, rows)),
      ranksOfValid(node.index),
    );
  }
  if (node.kind === "record")
    return { ...node, contents: node.contents.map((content) => selectJagged(content, index)) };
  if (isList(node) && isList(index)) return inLists(node, index);
  throw new IndexError({
    what: `a jagged index meets ${node.kind === "union" ? "values of several types" : "no lists"}`,
    cure: "The index may not be nested deeper than the array",
  });
}

function checkRows(node: Plain, index: Plain): void {
  if (node.length === index.length) return;
  throw new IndexError({
    what: `a jagged index of ${index.length} rows meets an array of ${node.length}`,
    cure: "It has one list for every list of the array",
  });
}

const rowsOfValid = (index: Int32Array): Int32Array => validOf(index.map((at, i) => (at < 0 ? -1 : i)));

function inLists(list: PlainList, index: PlainList): Plain {
  const lists = viewOf(list);
  const places = viewOf(index);
  const inner = isOption(places.content) ? places.content.content : places.content;
  if (isList(inner)) {
    checkSameLists(lists, places);
    return listOf(lists.offsets, selectJagged(lists.content, places.content));
  }
  if (inner.kind === "numpy" && inner.dtype === "bool")
    return byMask(lists, places, inner.data as Uint8Array);
  if (inner.kind === "empty" || (inner.kind === "numpy" && /int/.test(inner.dtype)))
    return byPlaces(lists, places, inner);
  throw new DTypeError({
    what: `a jagged index is of type ${inner.kind === "numpy" ? inner.dtype : inner.kind}`,
    cure: "Use integers or bools",
  });
}

function checkSameLists(lists: ListView, places: ListView): void {
  if (sameIndices(lists.offsets, places.offsets)) return;
  const row = lists.offsets.findIndex((offset, i) => offset !== places.offsets[i]) - 1;
  const count = ({ offsets }: ListView): number => offsets[row + 1]! - offsets[row]!;
  throw new IndexError({
    what: `list ${row} has ${count(lists)} elements and its index ${count(places)}`,
    cure: "A mask is as long as the list it is for",
  });
}

function byMask(lists: ListView, mask: ListView, truths: Uint8Array): Plain {
  checkSameLists(lists, mask);
  const { offsets } = lists;
  const index = isOption(mask.content) ? mask.content.index : null;
  const chosen = newIndex(offsets.length);
  const places = newIndex(offsets[offsets.length - 1]!);
  chosen[0] = 0;
  const total =
    index === null
      ? maskPlaces(offsets, truths, chosen, places)
      : nullablePlaces(offsets, truths, index, chosen, places);
  const used = places.subarray(0, total);
  return listOf(chosen, index === null ? take(lists.content, used) : takeOption(lists.content, used));
}

/** Writes places without branches: each is written, and kept when its bool is 1. */
function maskPlaces(offsets: Int32Array, truths: Uint8Array, chosen: Int32Array, places: Int32Array): number {
  let total = 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const stop = offsets[i + 1]!;
    for (let at = offsets[i]!; at < stop; at++) {
      places[total] = at;
      total += truths[at]!;
    }
    chosen[i + 1] = total;
  }
  return total;
}

function nullablePlaces(
  offsets: Int32Array,
  truths: Uint8Array,
  index: Int32Array,
  chosen: Int32Array,
  places: Int32Array,
): number {
  let total = 0;
  for (let i = 0; i + 1 < offsets.length; i++) {
    for (let at = offsets[i]!; at < offsets[i + 1]!; at++) {
      if (index[at]! < 0) places[total++] = -1;
      else if (truths[index[at]!] !== 0) places[total++] = at;
    }
    chosen[i + 1] = total;
  }
  return total;
}

function byPlaces(lists: ListView, index: ListView, leaf: Leaf): Plain {
  const values = leaf.kind === "numpy" ? indexOf(leaf.data, "the indexes") : new Int32Array(0);
  const nulls = isOption(index.content) ? index.content.index : null;
  const { offsets } = index;
  const places = new Int32Array(offsets[offsets.length - 1]!);
  for (let i = 0; i + 1 < offsets.length; i++) {
    const start = lists.offsets[i]!;
    const length = lists.offsets[i + 1]! - start;
    for (let at = offsets[i]!; at < offsets[i + 1]!; at++) {
      const from = nulls === null ? at : nulls[at]!;
      places[at] = from < 0 ? -1 : start + within(values[from]!, length, i);
    }
  }
  return listOf(offsets, nulls === null ? take(lists.content, places) : takeOption(lists.content, places));
}
