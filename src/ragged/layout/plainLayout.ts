// Any layout → a plain one: nothing indexed, one kind of list and of option, numbers flat. In: a valid layout. Out:
// the same values in the fewest kinds of nodes, so that an operation has eight of them to think of and not thirteen.
// Must hold: what is plain already is given back as it is; the form of the result depends on the form alone.

import { sizeOf } from "../../core/chunks.ts";
import { identity, isAllValid, regularOffsets } from "./indices.ts";
import {
  indexedOptionOf,
  type Layout,
  type ListOffsetLayout,
  listOf,
  type NumpyLayout,
  type Plain,
  type RecordLayout,
  type RegularLayout,
  regularOf,
  type StringLayout,
  stringOf,
} from "./layout.ts";
import { makeUnion } from "./mergedLayouts.ts";
import { sliceRows, take, takeOption } from "./rows.ts";

const known = new WeakSet<Layout>();

export function plain(layout: Layout): Plain {
  if (known.has(layout)) return layout as Plain;
  const result = plainNode(layout);
  // Probes are kept elsewhere, and are many: remembering each of their nodes would cost more than all else.
  if (result.length > 0) known.add(result);
  return result;
}

function plainNode(layout: Layout): Plain {
  switch (layout.kind) {
    case "empty":
    case "string":
      return layout;
    case "numpy":
      return layout.innerShape.length === 0 ? layout : flatNumbers(layout);
    case "regular":
    case "listOffset": {
      const content = plain(layout.content);
      return (
        textOf(layout, content) ?? (content === layout.content ? (layout as Plain) : { ...layout, content })
      );
    }
    case "list":
      return plainLists(layout);
    case "record":
      return plainRecord(layout);
    case "indexed":
      return take(plain(layout.content), layout.index);
    case "indexedOption": {
      const content = plain(layout.content);
      return content === layout.content && content.kind !== "indexedOption"
        ? (layout as Plain)
        : takeOption(content, layout.index);
    }
    case "byteMasked":
      return takeOption(plain(layout.content), validBytes(layout));
    case "bitMasked":
      return takeOption(plain(layout.content), validBits(layout));
    case "unmasked":
      return takeOption(plain(layout.content), identity(layout.length));
    case "union":
      return makeUnion(layout.tags, layout.index, layout.contents.map(plain), layout.parameters);
    default:
      layout satisfies never;
      throw layout;
  }
}

/** An array of several axes is lists of lists, all of one size. */
function flatNumbers(layout: NumpyLayout): Plain {
  const { innerShape, parameters, ...rest } = layout;
  let length = layout.length * sizeOf(innerShape);
  let node: Plain = { ...rest, innerShape: [], length, parameters: {} };
  for (let axis = innerShape.length - 1; axis >= 0; axis--) {
    const size = innerShape[axis]!;
    length = layout.length * sizeOf(innerShape.slice(0, axis));
    node = regularOf(node, size, length);
  }
  return { ...node, parameters };
}

function plainLists(layout: Extract<Layout, { kind: "list" }>): Plain {
  const { starts, stops } = layout;
  const content = plain(layout.content);
  const ends = new Int32Array(starts.length + 1);
  for (let i = 0; i < starts.length; i++) ends[i + 1] = ends[i]! + Math.max(0, stops[i]! - starts[i]!);
  const places = new Int32Array(ends[starts.length]!);
  for (let i = 0, at = 0; i < starts.length; i++)
    for (let from = starts[i]!; from < stops[i]!; from++) places[at++] = from;
  const elements = take(content, places);
  const lists: Plain = { ...listOf(ends, elements), parameters: layout.parameters };
  return textOf(lists, elements) ?? lists;
}

/** Lists of characters are strings, whichever kind of list they are; null for other lists. */
function textOf(
  { length, parameters, ...list }: RegularLayout | ListOffsetLayout,
  content: Plain,
): StringLayout | null {
  const name = parameters["__array__"];
  const encoding = name === "string" ? "utf8" : name === "bytestring" ? "bytes" : null;
  if (encoding === null || content.kind !== "numpy" || content.dtype !== "uint8") return null;
  const { __array__: _, ...others } = parameters;
  const offsets = list.kind === "regular" ? regularOffsets(length, list.size) : list.offsets;
  return { ...stringOf(offsets, content.data as Uint8Array, encoding), parameters: others };
}

/** Contents as long as the record. */
function plainRecord(layout: RecordLayout): Plain {
  const contents = layout.contents.map((content) => sliceRows(plain(content), 0, layout.length));
  return contents.every((content, i) => content === layout.contents[i])
    ? (layout as Plain)
    : { ...layout, contents };
}

function validBytes({ mask, length, validWhen }: Extract<Layout, { kind: "byteMasked" }>): Int32Array {
  if (validWhen && isAllValid(mask)) return identity(length);
  const index = new Int32Array(length);
  for (let i = 0; i < length; i++) index[i] = (mask[i] !== 0) === validWhen ? i : -1;
  return index;
}

function validBits({
  mask,
  length,
  validWhen,
  lsbOrder,
}: Extract<Layout, { kind: "bitMasked" }>): Int32Array {
  const index = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const bit = (mask[i >> 3]! >> (lsbOrder ? i & 7 : 7 - (i & 7))) & 1;
    index[i] = (bit === 1) === validWhen ? i : -1;
  }
  return index;
}

/** A null where the index is negative. */
export const optionOver = (index: Int32Array, content: Plain): Plain =>
  content.kind === "indexedOption" ? takeOption(content, index) : indexedOptionOf(index, content);
