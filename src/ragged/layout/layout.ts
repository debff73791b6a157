// Layouts: ragged arrays in memory, as trees of nodes over typed arrays. In: typed arrays. Out: nodes that share
// them. A node never changes. Offsets, indexes and tags are Int32Array (Int8Array for tags): see indices.ts.
// `Plain` is the smaller set of nodes that operations work on; plainLayout.ts makes it of any layout.
// Must hold: what validate.ts checks.

import { type Shape, sizeOf } from "../../core/chunks.ts";
import { type DType, dtypeOfTypedArray, infoOf, type TypedArray } from "../../core/dtype.ts";
import {
  type Encoding,
  type Form,
  type IndexType,
  NO_PARAMETERS,
  type Parameters,
} from "../../core/form/form.ts";

interface LayoutBase {
  readonly length: number;
  readonly parameters: Parameters;
}

export interface EmptyLayout extends LayoutBase {
  readonly kind: "empty";
}
/** `data` holds exactly length × innerShape elements. */
export interface NumpyLayout extends LayoutBase {
  readonly kind: "numpy";
  readonly dtype: DType;
  readonly data: TypedArray;
  readonly innerShape: Shape;
}
/** Content row i × size + j is element j of list i. */
export interface RegularLayout<C = Layout> extends LayoutBase {
  readonly kind: "regular";
  readonly size: number;
  readonly content: C;
}
/** List i is the content from offsets[i] to offsets[i + 1]. The first offset need not be 0. */
export interface ListOffsetLayout<C = Layout> extends LayoutBase {
  readonly kind: "listOffset";
  readonly offsets: Int32Array;
  readonly content: C;
}
export interface ListLayout<C = Layout> extends LayoutBase {
  readonly kind: "list";
  readonly starts: Int32Array;
  readonly stops: Int32Array;
  readonly content: C;
}
/** `fields` is null for a tuple. Contents may be longer than the record. */
export interface RecordLayout<C = Layout> extends LayoutBase {
  readonly kind: "record";
  readonly fields: readonly string[] | null;
  readonly contents: readonly C[];
}
export interface IndexedLayout<C = Layout> extends LayoutBase {
  readonly kind: "indexed";
  readonly index: Int32Array;
  readonly content: C;
}
export interface IndexedOptionLayout<C = Layout> extends LayoutBase {
  readonly kind: "indexedOption";
  readonly index: Int32Array;
  readonly content: C;
}
export interface ByteMaskedLayout<C = Layout> extends LayoutBase {
  readonly kind: "byteMasked";
  readonly mask: Int8Array;
  readonly validWhen: boolean;
  readonly content: C;
}
export interface BitMaskedLayout<C = Layout> extends LayoutBase {
  readonly kind: "bitMasked";
  readonly mask: Uint8Array;
  readonly validWhen: boolean;
  readonly lsbOrder: boolean;
  readonly content: C;
}
export interface UnmaskedLayout<C = Layout> extends LayoutBase {
  readonly kind: "unmasked";
  readonly content: C;
}
/** Element i is contents[tags[i]][index[i]]. */
export interface UnionLayout<C = Layout> extends LayoutBase {
  readonly kind: "union";
  readonly tags: Int8Array;
  readonly index: Int32Array;
  readonly contents: readonly C[];
}
/** String i is the bytes from offsets[i] to offsets[i + 1]. */
export interface StringLayout extends LayoutBase {
  readonly kind: "string";
  readonly encoding: Encoding;
  readonly offsets: Int32Array;
  readonly bytes: Uint8Array;
}

export type Layout =
  | EmptyLayout
  | NumpyLayout
  | RegularLayout
  | ListOffsetLayout
  | ListLayout
  | RecordLayout
  | IndexedLayout
  | IndexedOptionLayout
  | ByteMaskedLayout
  | BitMaskedLayout
  | UnmaskedLayout
  | UnionLayout
  | StringLayout;

/** One way to be a list, one to be null, nothing indexed, numbers flat, no option in an option or in a union. */
export type Plain =
  | EmptyLayout
  | NumpyLayout
  | RegularLayout<Plain>
  | ListOffsetLayout<Plain>
  | RecordLayout<Plain>
  | IndexedOptionLayout<Plain>
  | UnionLayout<Plain>
  | StringLayout;
export type PlainList = RegularLayout<Plain> | ListOffsetLayout<Plain>;
export type PlainOption = IndexedOptionLayout<Plain>;
export type PlainRecord = RecordLayout<Plain>;
export type PlainUnion = UnionLayout<Plain>;
export type Leaf = EmptyLayout | NumpyLayout | StringLayout;

const parameters = NO_PARAMETERS;

export const EMPTY: EmptyLayout = Object.freeze({ kind: "empty", length: 0, parameters });

export function numpyOf(
  data: TypedArray,
  dtype: DType = dtypeOfTypedArray(data),
  innerShape: Shape = [],
): NumpyLayout {
  const perRow = sizeOf(innerShape) * infoOf(dtype).slots;
  const length = perRow === 0 ? 0 : Math.floor(data.length / perRow);
  return { kind: "numpy", dtype, data, innerShape, length, parameters };
}

export const regularOf = <C>(content: C, size: number, length: number): RegularLayout<C> => ({
  kind: "regular",
  content,
  size,
  length,
  parameters,
});

export const listOf = <C>(offsets: Int32Array, content: C): ListOffsetLayout<C> => ({
  kind: "listOffset",
  offsets,
  content,
  length: offsets.length - 1,
  parameters,
});

export const recordOf = <C>(
  fields: readonly string[] | null,
  contents: readonly C[],
  length: number,
): RecordLayout<C> => ({
  kind: "record",
  fields,
  contents,
  length,
  parameters,
});

export const indexedOptionOf = <C>(index: Int32Array, content: C): IndexedOptionLayout<C> => ({
  kind: "indexedOption",
  index,
  content,
  length: index.length,
  parameters,
});

export const unionOf = <C>(tags: Int8Array, index: Int32Array, contents: readonly C[]): UnionLayout<C> => ({
  kind: "union",
  tags,
  index,
  contents,
  length: tags.length,
  parameters,
});

export const stringOf = (
  offsets: Int32Array,
  bytes: Uint8Array,
  encoding: Encoding = "utf8",
): StringLayout => ({
  kind: "string",
  offsets,
  bytes,
  encoding,
  length: offsets.length - 1,
  parameters,
});

export const isList = (node: Plain): node is PlainList =>
  node.kind === "regular" || node.kind === "listOffset";
export const isOption = (node: Plain): node is PlainOption => node.kind === "indexedOption";
export const isLeaf = (node: Plain): node is Leaf =>
  node.kind === "numpy" || node.kind === "string" || node.kind === "empty";

const I32: IndexType = "i32";

/** What a layout is made of. Written out field by field: it is asked for after every operation. */
export function formOf(layout: Layout): Form {
  const { kind, parameters } = layout;
  const key = null;
  switch (kind) {
    case "empty":
      return { kind, parameters, key };
    case "numpy":
      return { kind, parameters, key, dtype: layout.dtype, innerShape: layout.innerShape };
    case "string":
      return { kind, parameters, key, encoding: layout.encoding, offsets: I32, charKey: null };
    case "regular":
      return { kind, parameters, key, size: layout.size, content: formOf(layout.content) };
    case "listOffset":
      return { kind, parameters, key, offsets: I32, content: formOf(layout.content) };
    case "list":
      return { kind, parameters, key, starts: I32, stops: I32, content: formOf(layout.content) };
    case "record":
      return { kind, parameters, key, fields: layout.fields, contents: layout.contents.map(formOf) };
    case "indexed":
    case "indexedOption":
      return { kind, parameters, key, index: I32, content: formOf(layout.content) };
    case "byteMasked": {
      const { validWhen, content } = layout;
      return { kind, parameters, key, mask: "i8", validWhen, content: formOf(content) };
    }
    case "bitMasked": {
      const { validWhen, lsbOrder, content } = layout;
      return { kind, parameters, key, mask: "u8", validWhen, lsbOrder, content: formOf(content) };
    }
    case "unmasked":
      return { kind, parameters, key, content: formOf(layout.content) };
    case "union":
      return { kind, parameters, key, tags: "i8", index: I32, contents: layout.contents.map(formOf) };
    default:
      layout satisfies never;
      throw layout;
  }
}

/** How many axes there are below and including a node's own: least and most over the fields of records. */
export function depthsOf(node: Plain): readonly [number, number] {
  switch (node.kind) {
    case "regular":
    case "listOffset": {
      const [least, most] = depthsOf(node.content);
      return [least + 1, most + 1];
    }
    case "indexedOption":
      return depthsOf(node.content);
    case "record":
    case "union": {
      if (node.contents.length === 0) return [1, 1];
      const depths = node.contents.map(depthsOf);
      return [Math.min(...depths.map(([least]) => least)), Math.max(...depths.map(([, most]) => most))];
    }
    default:
      return [1, 1];
  }
}
