// Selecting axis by axis. In: lists, and an item for each axis from theirs inward. Out: one row for each list. Every
// level is one pass over its lists: nothing is done row by row in a recursion.

import { IndexError } from "../../../core/errors.ts";
import {
  checkLength,
  compose,
  offsetsOfCounts,
  parentsOf,
  placesOf,
  ranksOfValid,
  regularOffsets,
  validOf,
} from "../../layout/indices.ts";
import {
  depthsOf,
  isList,
  listOf,
  type Plain,
  type PlainList,
  type PlainOption,
  type PlainUnion,
  regularOf,
} from "../../layout/layout.ts";
import { makeUnion } from "../../layout/mergedLayouts.ts";
import { rowsOfTag } from "../../layout/pack.ts";
import { type ListView, sliceRows, take, takeOption, viewOf } from "../../layout/rows.ts";
import type { AxisItem, Places } from "./items.ts";

// Ranges as Python has them. In: start:stop:step, any of them missing or negative, and a length. Out: the first place
// and how many there are.

interface RangeItem {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number;
}

interface Cut {
  readonly first: number;
  readonly count: number;
}

function rangeOf({ start, stop, step }: RangeItem, length: number): Cut {
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const first = bounded(start, step > 0 ? least : most, length, least, most);
  const last = bounded(stop, step > 0 ? most : least, length, least, most);
  return { first, count: Math.max(0, Math.ceil((last - first) / step)) };
}

function bounded(bound: number | null, missing: number, length: number, least: number, most: number): number {
  if (bound === null) return missing;
  return Math.min(most, Math.max(least, bound < 0 ? bound + length : bound));
}

/** How many elements of every list of one size. */
const sizeOfRange = (item: RangeItem, size: number): number => rangeOf(item, size).count;

/** Which element of the index arrays belongs to each row; null before the first of them. */
type Along = Int32Array | null;

/** Everything along an axis. */
export const FULL: AxisItem = { kind: "range", start: null, stop: null, step: 1 };
const ELLIPSIS: AxisItem = { kind: "ellipsis" };

/** Items for the axes below a node's own. */
export function below(node: Plain, items: readonly AxisItem[], along: Along = null): Plain {
  const [head, ...tail] = items;
  if (head === undefined) return node;
  if (head.kind === "newAxis") return regularOf(below(node, tail, along), 1, node.length);
  if (head.kind === "ellipsis") return belowEllipsis(node, tail, along);
  return isList(node) ? inLists(node, head, tail, along) : throughBranch(node, items, along);
}

/** How many axes items stand for. */
const consumed = (items: readonly AxisItem[]): number =>
  items.filter(({ kind }) => kind !== "newAxis" && kind !== "ellipsis").length;

/** The ellipsis is as many full axes as leave the right number for what comes after it. */
function belowEllipsis(node: Plain, tail: readonly AxisItem[], along: Along): Plain {
  const [least, most] = depthsOf(node);
  if (least === most && least - 1 <= consumed(tail)) return below(node, tail, along);
  if (isList(node)) return inLists(node, FULL, [ELLIPSIS, ...tail], along);
  return throughBranch(node, [ELLIPSIS, ...tail], along);
}

/** Where there are no lists here but further inside. */
function throughBranch(node: Plain, items: readonly AxisItem[], along: Along): Plain {
  switch (node.kind) {
    case "indexedOption":
      return inOption(node, items, along);
    case "record":
      return { ...node, contents: node.contents.map((content) => below(content, items, along)) };
    case "union":
      return inUnion(node, items, along);
    default:
      throw new IndexError({
        what: `the selection has ${consumed(items)} more items than the array has axes`,
        cure: "Leave some away",
      });
  }
}

function inOption(node: PlainOption, items: readonly AxisItem[], along: Along): Plain {
  const rows = validOf(node.index);
  const alongRows = along === null ? null : validAlong(node.index, along);
  return takeOption(below(take(node.content, rows), items, alongRows), ranksOfValid(node.index));
}

const validAlong = (index: Int32Array, along: Int32Array): Int32Array =>
  along.filter((_, i) => index[i]! >= 0);

function inUnion(node: PlainUnion, items: readonly AxisItem[], along: Along): Plain {
  const index = new Int32Array(node.length);
  const parts = node.contents.map((content, tag) => {
    const rows = rowsOfTag(node, tag);
    for (let i = 0; i < rows.length; i++) index[rows[i]!] = i;
    const alongRows = along === null ? null : compose(along, rows);
    return below(take(content, compose(node.index, rows)), items, alongRows);
  });
  return makeUnion(node.tags, index, parts, node.parameters);
}

function inLists(list: PlainList, head: AxisItem, tail: readonly AxisItem[], along: Along): Plain {
  const view = viewOf(list);
  switch (head.kind) {
    case "at":
      return below(
        take(
          view.content,
          placesAt(view.offsets, () => head.place),
        ),
        tail,
        along,
      );
    case "range":
      return inRange(list, view, head, tail, along);
    case "places":
      return along === null ? inEvery(view, head, tail) : inPlace(view, head, tail, along);
    case "newAxis":
    case "ellipsis":
      throw new IndexError({ what: `${head.kind} is no selection within lists` });
    default:
      head satisfies never;
      throw head;
  }
}

/** One element of every list. */
function placesAt(offsets: Int32Array, placeOf: (list: number) => number): Int32Array {
  const places = new Int32Array(offsets.length - 1);
  for (let i = 0; i < places.length; i++)
    places[i] = offsets[i]! + within(placeOf(i), offsets[i + 1]! - offsets[i]!, i);
  return places;
}

/** A place counted from the front. */
export function within(place: number, length: number, list: number): number {
  const at = place < 0 ? place + length : place;
  if (at >= 0 && at < length) return at;
  throw new IndexError({
    what: `index ${place} is out of range for list ${list}, which has ${length} elements`,
    cure: "Use a range, firsts or padNone where lists may be shorter",
  });
}

function inRange(
  list: PlainList,
  view: ListView,
  item: Extract<AxisItem, { kind: "range" }>,
  tail: readonly AxisItem[],
  along: Along,
): Plain {
  const { start, stop, step } = item;
  const isAll = start === null && stop === null && step === 1;
  const { offsets, content } = isAll ? view : cutLists(view, item);
  const alongElements = along === null ? null : compose(along, parentsOf(offsets));
  const elements = below(content, tail, alongElements);
  if (list.kind === "regular") return regularOf(elements, sizeOfRange(item, list.size), list.length);
  return listOf(offsets, elements);
}

function cutLists({ offsets, content }: ListView, item: Extract<AxisItem, { kind: "range" }>): ListView {
  const lists = offsets.length - 1;
  const starts = new Int32Array(lists);
  const counts = new Int32Array(lists);
  for (let i = 0; i < lists; i++) {
    const cut = rangeOf(item, offsets[i + 1]! - offsets[i]!);
    starts[i] = offsets[i]! + cut.first;
    counts[i] = cut.count;
  }
  const cut = offsetsOfCounts(counts);
  // One list is a range of rows: nothing is copied.
  if (lists === 1 && item.step === 1)
    return { offsets: cut, content: sliceRows(content, starts[0]!, starts[0]! + counts[0]!) };
  const places = item.step === 1 ? placesOf(starts, cut) : steppedPlaces(starts, cut, item.step);
  return { offsets: cut, content: take(content, places) };
}

function steppedPlaces(starts: Int32Array, offsets: Int32Array, step: number): Int32Array {
  const places = new Int32Array(offsets[offsets.length - 1]!);
  for (let i = 0; i < starts.length; i++)
    for (let at = offsets[i]!, from = starts[i]!; at < offsets[i + 1]!; at++, from += step) places[at] = from;
  return places;
}

/** The first index array: all its places in every list. */
function inEvery({ offsets, content }: ListView, item: Places, tail: readonly AxisItem[]): Plain {
  const lists = offsets.length - 1;
  const count = item.values.length;
  const places = new Int32Array(checkLength(lists * count, "the selection"));
  const along = new Int32Array(places.length);
  for (let i = 0, at = 0; i < lists; i++) {
    const length = offsets[i + 1]! - offsets[i]!;
    checkCovers(item, length, i);
    for (let k = 0; k < count; k++, at++) {
      along[at] = k;
      places[at] = isNull(item, k) ? -1 : offsets[i]! + within(item.values[k]!, length, i);
    }
  }
  const elements = below(taken(content, places, item), tail, along);
  return item.isLiteral ? regularOf(elements, count, lists) : listOf(regularOffsets(lists, count), elements);
}

/** A further index array: in every list the place that goes with the element of the first. */
function inPlace(
  { offsets, content }: ListView,
  item: Places,
  tail: readonly AxisItem[],
  along: Int32Array,
): Plain {
  const places = new Int32Array(along.length);
  for (let i = 0; i < places.length; i++) {
    const length = offsets[i + 1]! - offsets[i]!;
    checkCovers(item, length, i);
    places[i] = isNull(item, along[i]!) ? -1 : offsets[i]! + within(item.values[along[i]!]!, length, i);
  }
  return below(taken(content, places, item), tail, along);
}

const isNull = (item: Places, k: number): boolean => item.nulls !== null && item.nulls[k] === 1;
const taken = (content: Plain, places: Int32Array, item: Places): Plain =>
  item.nulls === null ? take(content, places) : takeOption(content, places);

function checkCovers(item: Places, length: number, list: number): void {
  if (item.covers === null || item.covers === length) return;
  throw new IndexError({
    what: `a mask of ${item.covers} elements does not fit list ${list} of ${length}`,
    cure: "A mask is as long as the axis",
  });
}
