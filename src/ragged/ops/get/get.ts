// get: part of an array. In: an array, index arrays, and the items of the selection. Out: what they select: an array,
// or one value where every axis was given a place.

import { DTypeError, IndexError } from "../../../core/errors.ts";
import type { Lesser } from "../../demand/outline.ts";
import { indexOf, newIndex, ranksOfValid, sameIndices, validOf } from "../../layout/indices.ts";
import {
  depthsOf,
  isList,
  isOption,
  type Leaf,
  listOf,
  type Plain,
  type PlainList,
} from "../../layout/layout.ts";
import { type ListView, take, takeOption, viewOf } from "../../layout/rows.ts";
import type { Rowwise } from "../broadcast.ts";
import { type Item, type RaggedOp, raggedOp, unwrapRow } from "../op.ts";
import { fieldNamed, fieldsNamed } from "../records.ts";
import { type AxisItem, type Selection, type SelectionItem, selectionOf } from "./items.ts";
import { below, FULL, within } from "./selectAxes.ts";

// Jagged indexes: lists of places, or of bools, one list for every list. In: an array and an index array with as many
// rows. Out: the chosen elements of each list. A null in the index is a null in the result.

function selectJagged(node: Plain, index: Plain): Plain {
  checkJaggedRows(node, index);
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

function checkJaggedRows(node: Plain, index: Plain): void {
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

export interface GetAttrs {
  readonly items: readonly SelectionItem[];
}

/** Not when rows are chosen by their places. A mask, and a jagged index, have a row for every row. */
const keepsRows: Rowwise<GetAttrs> = ([input, ...arrays], { items }) => {
  const { fields, jagged, axes } = selectionOf(items, arrays);
  const shared = axes.some((item) => item.kind === "places" && !item.isLiteral && item.covers === null);
  if (shared) return false;
  const masks = axes.filter((item) => item.kind === "places" && item.covers !== null).length;
  const [first] = axes;
  if (jagged !== null || first === undefined) return masks === 0;
  if (first.kind === "places") return first.covers !== null && isOnlyArray(axes) && "changed";
  return masks === 0 && keepsAll(first, axes.slice(1), depthsOf(named(input!, fields))[0]);
};

/** One field after another, or records of several. */
const named = (input: Plain, fields: Selection["fields"]): Plain =>
  fields.reduce<Plain>(
    (node, names) => (typeof names === "string" ? fieldNamed(node, names) : fieldsNamed(node, names)),
    input,
  );

const isOnlyArray = (axes: readonly AxisItem[]): boolean =>
  axes.filter(({ kind }) => kind === "places").length === 1;

/** An ellipsis stands for the rows when there are fewer items after it than axes. */
function keepsAll(first: AxisItem, rest: readonly AxisItem[], axes: number): boolean {
  if (first.kind === "ellipsis")
    return rest.filter(({ kind }) => kind !== "newAxis" && kind !== "ellipsis").length < axes;
  return first.kind === "range" && first.start === null && first.stop === null && first.step === 1;
}

/** Where the last fields chosen are several, fewer of them. */
function fewerFields({ items }: GetAttrs, kept: readonly number[]): Lesser<GetAttrs> | null {
  const at = items.findLastIndex((item) => Array.isArray(item) && String(item[0]).startsWith("field"));
  const item = items[at];
  if (!Array.isArray(item) || item[0] !== "fields") return null;
  const names: SelectionItem = ["fields", ...kept.map((i) => item[i + 1] as string)];
  return { attrs: { items: items.with(at, names) }, inputs: null };
}

export const get: RaggedOp<GetAttrs> = raggedOp(
  "get",
  keepsRows,
  { roles: ["moved", "data"], lesser: fewerFields },
  ([input, ...arrays], { items }, isProbe) => {
    const { fields, jagged, axes } = selectionOf(items, arrays);
    const chosen = named(input!, fields);
    if (jagged === null) return along(chosen, axes, isProbe);
    // What comes after a jagged index is for the axes below those that it went through.
    const rest =
      axes.length === 0 ? [] : [...Array.from({ length: depthsOf(jagged)[0] }, () => FULL), ...axes];
    return along(selectJagged(chosen, jagged), rest, isProbe);
  },
);

/** All rows are one list, so that the first axis is like every other. Without rows to look at there is no list. */
function along(node: Plain, axes: readonly AxisItem[], isProbe: boolean): Plain | Item {
  if (axes.length === 0) return node;
  if (!isProbe) checkRows(axes[0]!, node.length);
  const whole = listOf(isProbe ? Int32Array.of(0) : Int32Array.of(0, node.length), node);
  return unwrapRow(below(whole, axes));
}

/** Said of rows, where the walk would speak of lists. */
function checkRows(item: AxisItem, rows: number): void {
  const places = item.kind === "at" ? Int32Array.of(item.place) : item.kind === "places" ? item.values : null;
  const nulls = item.kind === "places" ? item.nulls : null;
  const wrong = places?.find((place, i) => nulls?.[i] !== 1 && (place >= rows || place < -rows));
  if (item.kind === "places" && item.covers !== null && item.covers !== rows)
    throw new IndexError({
      what: `a mask of ${item.covers} rows meets an array of ${rows}`,
      cure: "A mask is as long as the array",
    });
  if (wrong === undefined) return;
  throw new IndexError({
    what: `row ${wrong} is out of range: there are ${rows}`,
    cure: rows === 0 ? "The array is empty" : `Use ${-rows} to ${rows - 1}`,
  });
}
