// Arrow → layouts. In: a vector or table of apache-arrow (or anything with the same parts: the package itself is not
// needed). Out: a layout over the same memory, for every type but bools, which Arrow keeps as bits. Chunks are joined.

import { describe } from "../../core/chunks.ts";
import type { DType } from "../../core/dtype.ts";
import { DTypeError, ShapeError } from "../../core/errors.ts";
import { withLogical } from "../../core/form/logical.ts";
import { arange, indexOf } from "../layout/indices.ts";
import {
  EMPTY,
  indexedOptionOf,
  type Layout,
  listOf,
  numpyOf,
  recordOf,
  regularOf,
  stringOf,
  unionOf,
} from "../layout/layout.ts";
import { mergeRows } from "../layout/mergedLayouts.ts";
import { plain } from "../layout/plainLayout.ts";
import type { ArrowData, ArrowTable, ArrowType, ArrowVector } from "./arrowParts.ts";
import { leafOfArrow, namedByField } from "./logicalArrow.ts";

/** A table's rows are records of its columns. */
export function fromArrow(source: ArrowVector | ArrowTable): Layout {
  const chunks = chunksOf(source);
  const layouts = chunks.map(layoutOf);
  return layouts.length === 1 ? layouts[0]! : mergeRows(layouts.map(plain));
}

function chunksOf(source: ArrowVector | ArrowTable): readonly ArrowData[] {
  if (typeof source === "object" && source !== null) {
    if ("batches" in source && Array.isArray(source.batches))
      return (source as ArrowTable).batches.map(({ data }) => data);
    if ("data" in source && Array.isArray(source.data)) return source.data;
  }
  throw new ShapeError({
    where: "fromArrow",
    what: `${describe(source)} is no Arrow vector or table`,
    cure: "Use one",
  });
}

function layoutOf(data: ArrowData): Layout {
  const content = contentOf(data);
  const bits = data.nullBitmap;
  // Unions keep nulls in their children.
  if (
    !(data.nullCount > 0) ||
    bits === null ||
    bits === undefined ||
    bits.length === 0 ||
    data.type.typeId === 14
  )
    return content;
  const index = arange(data.length);
  for (let i = 0; i < index.length; i++) if (bitAt(bits, data.offset + i) === 0) index[i] = -1;
  return indexedOptionOf(index, content);
}

const bitAt = (bits: Uint8Array, i: number): number => (bits[i >> 3]! >> (i & 7)) & 1;

const NULL = 1;
const INT = 2;
const FLOAT = 3;
const BINARY = 4;
const UTF8 = 5;
const BOOL = 6;
const LIST = 12;
const STRUCT = 13;
const UNION = 14;
const FIXED_SIZE_LIST = 16;
const MAP = 17;
const LARGE_BINARY = 19;
const LARGE_UTF8 = 20;
const LARGE_LIST = 21;
const DICTIONARY = -1;

function contentOf(data: ArrowData): Layout {
  const { type, length, values, children } = data;
  switch (type.typeId) {
    case NULL:
      return indexedOptionOf(new Int32Array(length).fill(-1), EMPTY);
    case INT:
      return numpyOf(values.subarray(0, length), intDType(type));
    case FLOAT:
      return numpyOf(values.subarray(0, length), floatDType(type));
    case BOOL:
      return numpyOf(
        Uint8Array.from({ length }, (_, i) => bitAt(values as Uint8Array, data.offset + i)),
        "bool",
      );
    case UTF8:
    case LARGE_UTF8:
      return stringOf(offsetsOf(data), values as Uint8Array);
    case BINARY:
    case LARGE_BINARY:
      return stringOf(offsetsOf(data), values as Uint8Array, "bytes");
    case LIST:
    case LARGE_LIST:
      return listOf(offsetsOf(data), layoutOf(children[0]!));
    case FIXED_SIZE_LIST:
      return regularOf(layoutOf(children[0]!), type.listSize!, length);
    case STRUCT:
      return recordOf(
        type.children!.map(({ name }) => name),
        children.map((child, i) => namedByField(layoutOf(child), type.children![i]!.metadata)),
        length,
      );
    case UNION:
      return unionLayout(data);
    case MAP:
      return withLogical(listOf(offsetsOf(data), layoutOf(children[0]!)), { kind: "map" });
    default: {
      if (isDictionary(type)) return dictionaryLayout(data);
      const leaf = leafOfArrow(data);
      if (leaf !== null) return leaf;
      throw new DTypeError({
        where: "fromArrow",
        what: `Arrow's type ${String(type)} has no place in a ragged array`,
        cure: "Cast it to numbers or strings first",
      });
    }
  }
}

const isDictionary = (type: ArrowType): boolean => type.typeId === DICTIONARY;

function intDType({ isSigned, bitWidth }: ArrowType): DType {
  return `${isSigned === true ? "" : "u"}int${bitWidth}` as DType;
}

/** Precision 0 is 16 bits, 1 is 32, 2 is 64. */
const floatDType = ({ precision }: ArrowType): DType => `float${16 * 2 ** precision!}` as DType;

function offsetsOf({ valueOffsets, length }: ArrowData): Int32Array {
  // An empty vector may have no offsets at all.
  if (valueOffsets === undefined || valueOffsets.length === 0) return new Int32Array(1);
  return indexOf(valueOffsets, "the offsets").subarray(0, length + 1);
}

function unionLayout({ type, length, typeIds, valueOffsets, children }: ArrowData): Layout {
  const numbers = Array.from(type.typeIds ?? children.map((_, i) => i));
  const tags = Int8Array.from({ length }, (_, i) => numbers.indexOf(typeIds[i]!));
  const isDense = valueOffsets !== undefined && valueOffsets.length >= length && type.mode === 1;
  const index = isDense ? indexOf(valueOffsets, "the offsets").subarray(0, length) : arange(length);
  return unionOf(tags, index, children.map(layoutOf));
}

/** Values by number; the numbers' nulls are the caller's. */
function dictionaryLayout({ dictionary, values, length }: ArrowData): Layout {
  const distinct = fromArrow(dictionary!);
  const content = distinct.kind === "string" ? withLogical(distinct, { kind: "categorical" }) : distinct;
  const index = indexOf(values.subarray(0, length), "the dictionary's indexes");
  const last = Math.max(0, content.length - 1);
  return {
    kind: "indexed",
    index: index.map((at) => Math.min(Math.max(0, at), last)),
    content,
    length,
    parameters: {},
  };
}
