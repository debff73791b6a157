// Rows of layouts: a range of them without copying, or chosen ones by index. In: a plain layout. Out: another of the
// same form. Must hold: indexes are within the layout; nothing below an index node or a union is copied.

import { sizeOf } from "../../core/chunks.ts";
import { allocate, type DType, infoOf, type TypedArray } from "../../core/dtype.ts";
import { InvariantError } from "../../core/errors.ts";
import { checkLength, compose, fromZero, offsetsOfCounts, placesOf, regularOffsets } from "./indices.ts";
import {
  indexedOptionOf,
  type Layout,
  type ListOffsetLayout,
  type NumpyLayout,
  type Plain,
  type PlainList,
  type StringLayout,
} from "./layout.ts";
import { blockOfData, newNumbers, runRoutine } from "./leafKernels.ts";

// Elements of typed arrays taken by index, or repeated. In: data, and indexes that are all within it. Out: new data, in the
// kernels' memory where it is large.

/** Where an index is negative comes `other`, one element; without one there are no such indexes. */
export function gather(
  data: TypedArray,
  dtype: DType,
  index: Int32Array,
  other: TypedArray = allocate(dtype, 1),
): TypedArray {
  const inputs = [blockOfData(data, dtype), blockOfData(index, "int32"), blockOfData(other, dtype)];
  const out = newNumbers(dtype, index.length);
  runRoutine("pick", inputs, out, {}, index.length);
  return out.data;
}

/** Element i in the places from offsets[i] to offsets[i + 1]. */
function repeat(data: TypedArray, dtype: DType, offsets: Int32Array): TypedArray {
  const inputs = [blockOfData(data, dtype), blockOfData(offsets, "int32")];
  const out = newNumbers(dtype, offsets[offsets.length - 1]!);
  runRoutine("spread", inputs, out, {}, out.shape[0]! + offsets.length);
  return out.data;
}

/** Byte ranges one after another. */
function gatherRanges(bytes: Uint8Array, starts: Int32Array, offsets: Int32Array): Uint8Array {
  const out = new Uint8Array(offsets[offsets.length - 1]!);
  for (let i = 0; i < starts.length; i++) {
    let from = starts[i]!;
    const stop = offsets[i + 1]!;
    for (let at = offsets[i]!; at < stop; at++) out[at] = bytes[from++]!;
  }
  return out;
}

/** Rows from `start` to before `stop`, sharing memory. */
export function sliceRows<L extends Layout>(node: L, start: number, stop: number): L {
  if (start === 0 && stop === node.length) return node;
  return { ...node, ...slicedParts(node, start, stop), length: stop - start };
}

function slicedParts(node: Layout, start: number, stop: number): object {
  switch (node.kind) {
    case "empty":
      return {};
    case "numpy": {
      const perRow = sizeOf(node.innerShape) * infoOf(node.dtype).slots;
      return { data: node.data.subarray(start * perRow, stop * perRow) };
    }
    case "string":
    case "listOffset":
      return { offsets: node.offsets.subarray(start, stop + 1) };
    case "list":
      return { starts: node.starts.subarray(start, stop), stops: node.stops.subarray(start, stop) };
    case "regular":
      return { content: sliceRows(node.content, start * node.size, stop * node.size) };
    case "record":
      return { contents: node.contents.map((content) => sliceRows(content, start, stop)) };
    case "indexed":
    case "indexedOption":
      return { index: node.index.subarray(start, stop) };
    case "byteMasked":
      return { mask: node.mask.subarray(start, stop), content: sliceRows(node.content, start, stop) };
    case "bitMasked":
      return slicedBits(node, start, stop);
    case "unmasked":
      return { content: sliceRows(node.content, start, stop) };
    case "union":
      return { tags: node.tags.subarray(start, stop), index: node.index.subarray(start, stop) };
    default:
      node satisfies never;
      throw node;
  }
}

/** Bits begin where a byte does: what lies between is moved, which is an eighth of a byte a row. */
function slicedBits(node: Extract<Layout, { kind: "bitMasked" }>, start: number, stop: number): object {
  const mask = new Uint8Array(Math.ceil((stop - start) / 8));
  for (let i = start; i < stop; i++) {
    const bit = (node.mask[i >> 3]! >> (node.lsbOrder ? i & 7 : 7 - (i & 7))) & 1;
    const to = i - start;
    mask[to >> 3]! |= bit << (node.lsbOrder ? to & 7 : 7 - (to & 7));
  }
  return { mask, content: sliceRows(node.content, start, stop) };
}

/** Row i of the result is row index[i]. */
export function take(node: Plain, index: Int32Array): Plain {
  // No rows of none: what probes are made of.
  if (index.length === 0 && node.length === 0) return node;
  switch (node.kind) {
    case "empty":
      if (index.length > 0) throw new InvariantError({ what: "rows of an empty layout were asked for" });
      return node;
    case "numpy":
      return { ...node, data: gather(node.data, node.dtype, index), length: index.length };
    case "string":
      return takeStrings(node, index);
    case "regular":
      return {
        ...node,
        content: take(node.content, regularPlaces(index, node.size)),
        length: index.length,
      };
    case "listOffset":
      return takeLists(node, index);
    case "record":
      return {
        ...node,
        contents: node.contents.map((content) => take(content, index)),
        length: index.length,
      };
    case "indexedOption":
      return { ...node, index: compose(node.index, index), length: index.length };
    case "union":
      return {
        ...node,
        tags: gather(node.tags, "int8", index) as Int8Array,
        index: compose(node.index, index),
        length: index.length,
      };
    default:
      node satisfies never;
      throw node;
  }
}

function regularPlaces(index: Int32Array, size: number): Int32Array {
  const places = new Int32Array(checkLength(index.length * size, "the lists together"));
  for (let i = 0, at = 0; i < index.length; i++) {
    const from = index[i]! * size;
    for (let j = 0; j < size; j++) places[at++] = from + j;
  }
  return places;
}

/** Where chosen lists begin, and the offsets they have one after another. */
function chosenLists(offsets: Int32Array, index: Int32Array): { starts: Int32Array; chosen: Int32Array } {
  const starts = new Int32Array(index.length);
  const counts = new Int32Array(index.length);
  for (let i = 0; i < index.length; i++) {
    const row = index[i]!;
    starts[i] = offsets[row]!;
    counts[i] = offsets[row + 1]! - offsets[row]!;
  }
  return { starts, chosen: offsetsOfCounts(counts) };
}

function takeLists(node: ListOffsetLayout<Plain>, index: Int32Array): Plain {
  const { starts, chosen } = chosenLists(node.offsets, index);
  const content = take(node.content, placesOf(starts, chosen));
  return { ...node, offsets: chosen, content, length: index.length };
}

function takeStrings(node: StringLayout, index: Int32Array): StringLayout {
  const { starts, chosen } = chosenLists(node.offsets, index);
  return { ...node, offsets: chosen, bytes: gatherRanges(node.bytes, starts, chosen), length: index.length };
}

/** Row i as often as list i has elements; numbers need no index for that. */
export const repeatNumbers = (node: NumpyLayout, offsets: Int32Array): NumpyLayout => ({
  ...node,
  data: repeat(node.data, node.dtype, offsets),
  length: offsets[offsets.length - 1]!,
});

/** The same for indexes of which the negative ones are nulls: the result is always an option. */
export function takeOption(node: Plain, index: Int32Array): Plain {
  if (node.kind === "indexedOption")
    return { ...node, index: compose(node.index, index), length: index.length };
  return indexedOptionOf(index, node);
}

// Lists of either kind, seen as offsets over a content that begins with the first list and ends with the last.
// In: a list node. Out: offsets from 0 on, and exactly the content they name.

export interface ListView {
  readonly offsets: Int32Array;
  readonly content: Plain;
}

export function viewOf(list: PlainList): ListView {
  if (list.kind === "regular") {
    const total = list.length * list.size;
    return { offsets: regularOffsets(list.length, list.size), content: sliceRows(list.content, 0, total) };
  }
  const { offsets, content } = list;
  const last = offsets[offsets.length - 1]!;
  return { offsets: fromZero(offsets), content: sliceRows(content, offsets[0]!, last) };
}

/** The same lists with the content that `viewOf` shows replaced by one as long; regular lists stay regular. */
export function overContent(list: PlainList, { offsets }: ListView, content: Plain): PlainList {
  if (list.kind === "regular") return { ...list, content };
  return { ...list, offsets, content };
}
