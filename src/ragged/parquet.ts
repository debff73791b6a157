// Parquet's columns ⇄ layouts, and Parquet's schemas ⇄ forms. In: what storage read, or a layout to write. Out: the
// other, sharing its typed arrays. What must hold: the form of a layout is the form of its schema, whatever the values:
// what may be null is byte-masked even where nothing is.
// What a column means (dates, decimals, maps) is its form's logical type (logicalParquet.ts). Bytes of a fixed number that mean
// nothing are lists of that size, with their physical type under the parameter `__parquet__`.

import { type DType, isComplex } from "../core/dtype.ts";
import { ValueError } from "../core/errors.ts";
import {
  type Form,
  type Json,
  listForm,
  numpyForm,
  type Parameters,
  recordForm,
  stringForm,
} from "../core/form/form.ts";
import { logicalOf, parametersOf as meaningOf } from "../core/form/logical.ts";
import { multiply } from "../ops/elementwise/arithmetic.ts";
import {
  type Column,
  dtypeOfLeaf,
  type Field,
  type LeafColumn,
  type LeafType,
  type Physical,
  type Schema,
  type SchemaNode,
  type StructColumn,
  variantTexts,
} from "../storage/parquet/index.ts";
import { rowsWithDefaults } from "./layout/defaults.ts";
import { castFlat, elementwiseFlat } from "./layout/flat.ts";
import { allValid, offsetsOfCounts, regularOffsets } from "./layout/indices.ts";
import {
  type Layout,
  listOf,
  type NumpyLayout,
  numpyOf,
  type Plain,
  recordOf,
  type StringLayout,
  stringOf,
} from "./layout/layout.ts";
import { plain } from "./layout/plainLayout.ts";
import {
  fixedOfLeaf,
  isBytesValue,
  leafOfFixed,
  logicalOfParquet,
  parquetTypeOf,
  ticksPerUnit,
} from "./logicalParquet.ts";

const PARAMETER = "__parquet__";
const MAP: Parameters = meaningOf({ kind: "map" });

/** The form of a file's rows; of the chosen leaves when they are given. */
export function formOfSchema(schema: Schema, leaves?: ReadonlySet<number>): Form {
  return formOfNode(schema.root, leaves ?? new Set(schema.leaves.map((leaf) => leaf.leaf)))!;
}

/** Undefined when none of its leaves is chosen. */
function formOfNode(node: SchemaNode, leaves: ReadonlySet<number>): Form | undefined {
  const content = contentForm(node, leaves);
  if (content === undefined || !node.nullable) return content;
  return { kind: "byteMasked", mask: "i8", validWhen: true, content, parameters: {}, key: null };
}

function contentForm(node: SchemaNode, leaves: ReadonlySet<number>): Form | undefined {
  switch (node.kind) {
    case "leaf":
      return leaves.has(node.leaf)
        ? { ...leafForm(node.type), parameters: parametersOf(node.type) }
        : undefined;
    case "list": {
      const item = formOfNode(node.item, leaves);
      return item === undefined ? undefined : { ...listForm(item), parameters: node.isMap ? MAP : {} };
    }
    case "struct": {
      if (node.isVariant === true) return variantForm();
      const forms = node.fields.map((field) => formOfNode(field, leaves));
      const kept = node.fields.filter((_, i) => forms[i] !== undefined).map((field) => field.name);
      if (kept.length === 0 && node.path !== "") return undefined;
      return recordForm(
        kept,
        forms.filter((form) => form !== undefined),
      );
    }
  }
}

/** Its texts are JSON. */
export const variantForm = (): Form => ({
  ...stringForm(),
  parameters: meaningOf({ kind: "variant" }),
});

export function variantLayout(column: StructColumn): Layout {
  const encoder = new TextEncoder();
  const texts = variantTexts(column).map((text) => encoder.encode(text ?? "null"));
  const offsets = offsetsOfCounts(Int32Array.from(texts, ({ length }) => length));
  const bytes = new Uint8Array(offsets.at(-1)!);
  texts.forEach((text, i) => bytes.set(text, offsets[i]!));
  return { ...stringOf(offsets, bytes), parameters: meaningOf({ kind: "variant" }) };
}

function leafForm(type: LeafType): Form {
  const dtype = dtypeOfLeaf(type);
  if (dtype !== null) return numpyForm(dtype);
  if (isBytesValue(type)) return stringForm("bytes");
  if (type.physical === "fixed") return numpyForm("uint8", [type.length]);
  return stringForm(isText(type) ? "utf8" : "bytes");
}

const TEXTS: ReadonlySet<string | undefined> = new Set(["string", "enum", "json"]);
const isText = ({ logical }: LeafType): boolean => TEXTS.has(logical?.kind);

/** Nothing for types that a dtype says already. */
function parametersOf(type: LeafType): Parameters {
  const logical = logicalOfParquet(type);
  if (logical !== null) return meaningOf(logical);
  const isList = type.physical === "fixed" && dtypeOfLeaf(type) === null;
  return isList ? { [PARAMETER]: { ...type } as unknown as Json } : {};
}

/** A column as it was read. Leaves without values (only their lists' offsets were read) are left out. */
export function layoutOfColumn(column: StructColumn, schema: Schema): Layout {
  return layoutOf(column, schema.root) ?? recordOf([], [], column.length);
}

/** Undefined for a leaf without values. */
function layoutOf(column: Column, node: SchemaNode): Layout | undefined {
  const content = contentLayout(column, node);
  if (content === undefined || !node.nullable) return content;
  const { length } = column;
  return { kind: "byteMasked", mask: maskOf(column), validWhen: true, content, length, parameters: {} };
}

/** Where nothing is null, all columns share one mask. */
export function maskOf({ validity, length }: Pick<Column, "validity" | "length">): Int8Array {
  if (validity !== null) return new Int8Array(validity.buffer, validity.byteOffset, validity.length);
  return allValid(length);
}

function contentLayout(column: Column, node: SchemaNode): Layout | undefined {
  if (column.kind === "leaf") return leafLayout(column);
  if (column.kind === "list" && node.kind === "list") {
    // Offsets hold without items too: then the items are records of nothing.
    const item = layoutOf(column.item, node.item) ?? recordOf([], [], column.item.length);
    return { ...listOf(column.offsets, item), parameters: node.isMap ? MAP : {} };
  }
  if (node.kind === "struct" && node.isVariant === true) return variantLayout(column as StructColumn);
  const { names, fields } = column as StructColumn;
  const nodes = (node as Extract<SchemaNode, { kind: "struct" }>).fields;
  const contents = fields.map((field, i) => layoutOf(field, nodes.find(({ name }) => name === names[i])!));
  const kept = names.filter((_, i) => contents[i] !== undefined);
  return recordOf(
    kept,
    contents.filter((content) => content !== undefined),
    column.length,
  );
}

/** Undefined without values. */
export function leafLayout({ values, type }: LeafColumn): Layout | undefined {
  if (values === null) return undefined;
  const parameters = parametersOf(type);
  switch (values.kind) {
    case "numbers":
      return { ...numpyOf(values.data, values.dtype), parameters };
    case "bytes":
      return { ...stringOf(values.offsets, values.data, isText(type) ? "utf8" : "bytes"), parameters };
    case "fixed":
      if (isBytesValue(type)) return { ...leafOfFixed(values.data, values.size, type), parameters };
      return { ...numpyOf(values.data, "uint8", [values.size]), parameters };
  }
}

/** A layout of records as fields and a column, to be written. */
export function columnOfLayout(layout: Layout): {
  readonly fields: readonly Field[];
  readonly column: StructColumn;
} {
  const node = plain(layout);
  if (node.kind !== "record")
    throw new ValueError({
      what: `Parquet holds tables, and this is an array of ${node.kind === "listOffset" ? "lists" : node.kind}`,
      cure: "Zip it into records first",
    });
  const { field, column } = partOf(node, "rows");
  return { fields: (field as Extract<Field, { kind: "struct" }>).fields, column: column as StructColumn };
}

interface Part {
  readonly field: Field;
  readonly column: Column;
}

function partOf(node: Plain, name: string): Part {
  if (node.kind !== "indexedOption") return contentPart(node, name);
  const { index } = node;
  // Values that lie in their places already need not be gathered.
  const inPlace = node.content.length >= index.length && index.every((at, i) => at === i || at < 0);
  const { field, column } = contentPart(inPlace ? node.content : rowsWithDefaults(node), name);
  const validity = Uint8Array.from(index, (at) => (at < 0 ? 0 : 1));
  return { field: { ...field, nullable: true }, column: { ...column, validity, length: index.length } };
}

function contentPart(node: Plain, name: string): Part {
  switch (node.kind) {
    case "numpy":
    case "string":
      return leafPart(node, name);
    case "listOffset":
    case "regular":
      return listPart(node, name);
    case "record":
      return recordPart(node, name);
    case "empty":
      return emptyPart(name);
    default:
      throw new ValueError({
        what: `${name} is ${kindText(node)}, which Parquet cannot hold`,
        cure: "Convert or drop it",
      });
  }
}

const kindText = (node: Plain): string => (node.kind === "union" ? "a union" : node.kind);

function leafPart(node: Extract<Plain, { kind: "numpy" | "string" }>, name: string): Part {
  const type = leafTypeOf(node, name);
  const values = storedValues(node, type, name);
  const column: Column = { kind: "leaf", length: node.length, validity: null, type, values };
  return { field: { kind: "leaf", name, nullable: false, type }, column };
}

function storedValues(node: NumpyLayout | StringLayout, type: LeafType, name: string): LeafColumn["values"] {
  const logical = logicalOf(node);
  if (node.kind === "string" && type.physical === "fixed")
    return { kind: "fixed", size: type.length, data: fixedOfLeaf(node, logical!, name) };
  if (node.kind === "string") return { kind: "bytes", offsets: node.offsets, data: node.bytes };
  const dtype = dtypeOfLeaf(type)!;
  const ticks = logical === null ? 1n : ticksPerUnit(logical);
  const stored = ticks === 1n ? node : elementwiseFlat(multiply, [node, ticks], node.length);
  return { kind: "numbers", dtype, data: logical === null ? stored.data : castFlat(stored, dtype).data };
}

const PHYSICAL: { readonly [dtype: string]: Physical } = {
  ...{ bool: "boolean", float32: "float", float64: "double", int64: "int64", uint64: "int64" },
  ...{ int8: "int32", int16: "int32", int32: "int32", uint8: "int32", uint16: "int32", uint32: "int32" },
};

function leafTypeOf(node: Extract<Plain, { kind: "numpy" | "string" }>, name: string): LeafType {
  const meaning = logicalOf(node);
  if (meaning !== null) return parquetTypeOf(meaning, node, name);
  if (node.kind === "string")
    return {
      physical: "byteArray",
      length: 0,
      logical: node.encoding === "utf8" ? { kind: "string" } : null,
    };
  if (isComplex(node.dtype))
    throw new ValueError({
      what: `${name} is ${node.dtype}, which Parquet cannot hold`,
      cure: "Write its two parts",
    });
  if (node.dtype === "float16") return { physical: "fixed", length: 2, logical: { kind: "float16" } };
  return { physical: PHYSICAL[node.dtype]!, length: 0, logical: integerOf(node.dtype) };
}

/** Said only where the physical type does not say it. */
function integerOf(dtype: DType): LeafType["logical"] {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(dtype) ?? [];
  const isPlain = bits === undefined || dtype === "int32" || dtype === "int64";
  return isPlain ? null : { kind: "int", bits: Number(bits) as 8 | 16 | 32 | 64, signed: unsigned === "" };
}

function listPart(node: Extract<Plain, { kind: "listOffset" | "regular" }>, name: string): Part {
  const fixed = fixedPart(node, name);
  if (fixed !== null) return fixed;
  const { field: item, column } = partOf(node.content, "element");
  const offsets = node.kind === "regular" ? regularOffsets(node.length, node.size) : node.offsets;
  const isMap = logicalOf(node)?.kind === "map" && item.kind === "struct" && item.fields.length === 2;
  return {
    field: { kind: "list", name, nullable: false, isMap, item },
    column: { kind: "list", length: node.length, validity: null, isMap, offsets, item: column },
  };
}

/** Bytes of a fixed length that came from Parquet go back as such. */
function fixedPart(node: Extract<Plain, { kind: "listOffset" | "regular" }>, name: string): Part | null {
  const type = node.parameters[PARAMETER] as unknown as LeafType | undefined;
  const { content } = node;
  const isFixed = node.kind === "regular" && type?.physical === "fixed" && type.length === node.size;
  if (!isFixed || content.kind !== "numpy" || content.dtype !== "uint8") return null;
  const data = (content.data as Uint8Array).subarray(0, node.length * node.size);
  const values = { kind: "fixed", size: node.size, data } as const;
  return {
    field: { kind: "leaf", name, nullable: false, type },
    column: { kind: "leaf", length: node.length, validity: null, type, values },
  };
}

function recordPart({ fields, contents, length }: Extract<Plain, { kind: "record" }>, name: string): Part {
  const names = contents.map((_, i) => fields?.[i] ?? String(i));
  const parts = contents.map((content, i) => partOf(content, names[i]!));
  return {
    field: { kind: "struct", name, nullable: false, fields: parts.map((part) => part.field) },
    column: { kind: "struct", length, validity: null, names, fields: parts.map((part) => part.column) },
  };
}

/** No elements of no type: a column of nulls that has none. */
function emptyPart(name: string): Part {
  const type: LeafType = { physical: "int32", length: 0, logical: { kind: "null" } };
  const values = { kind: "numbers", dtype: "int32", data: new Int32Array(0) } as const;
  return {
    field: { kind: "leaf", name, nullable: true, type },
    column: { kind: "leaf", length: 0, validity: null, type, values },
  };
}
