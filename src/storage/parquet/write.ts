// Tables as Parquet files. In: fields, and partitions of columns. Out: one file with the partitions as row groups, or a
// file per partition. What must hold: a file appears whole or not at all; at most one row group is in memory.

import { ValueError } from "../../core/errors.ts";
import { type ChunkOptions, type WrittenChunk, writeChunk } from "./chunkWriter.ts";
import { type Column, type LeafColumn, type ListColumn, type StructColumn, sliceColumn } from "./column.ts";
import { dtypeOfLeaf } from "./columnValues.ts";
import type { WrittenCodec } from "./compression.ts";
import type { ByteRange } from "./footer.ts";
import {
  columnIndexBytes,
  footerBytes,
  MAGIC,
  offsetIndexBytes,
  type PlacedChunk,
  type WrittenGroup,
} from "./footerWriter.ts";
import {
  type LeafNode,
  type LeafType,
  type ListNode,
  type Schema,
  type SchemaElement,
  type SchemaNode,
  type StructNode,
  schemaOf,
} from "./schema.ts";
import { shred } from "./shred.ts";
import type { Sink } from "./sink.ts";
import { emptyFolder, inFolder, partName, sinkOf, type WriteTarget } from "./target.ts";

// Whether a column in memory is what a schema says. In: a field's schema node and a column that somebody else made. Out:
// nothing, or an error that names the column. What must hold afterwards: writing it reads no position that is not there.

function checkColumn(node: SchemaNode, column: Column | undefined, slots: number): void {
  const wrong = (what: string): ValueError => new ValueError({ what: `the column ${node.path} ${what}` });
  if (column === undefined) throw wrong("is missing");
  if (column.kind !== node.kind) throw wrong(`is a ${column.kind}, and the schema says ${node.kind}`);
  if (column.length < slots) throw wrong(`has ${column.length} slots, where ${slots} are needed`);
  if (column.validity !== null && column.validity.length < column.length)
    throw wrong(`has a validity of ${column.validity.length} bytes for ${column.length} slots`);
  if (column.kind === "leaf") checkLeaf(node as LeafNode, column, wrong);
  else if (column.kind === "list") checkList(node as ListNode, column, wrong);
  else checkStruct(node as StructNode, column, slots, "named", wrong);
}

type Wrong = (what: string) => ValueError;

function checkLeaf(node: LeafNode, { values, length }: LeafColumn, wrong: Wrong): void {
  if (values === null) throw wrong("has no values");
  const dtype = dtypeOfLeaf(node.type);
  const expected = dtype === null ? (node.type.physical === "byteArray" ? "bytes" : "fixed") : "numbers";
  if (values.kind !== expected) throw wrong(`has ${values.kind}, and the schema says ${expected}`);
  if (values.kind === "numbers") {
    if (values.dtype !== dtype) throw wrong(`has ${values.dtype} values, and the schema says ${dtype}`);
    if (values.data.length < length) throw wrong(`has ${values.data.length} values for ${length} slots`);
  } else if (values.kind === "fixed") {
    if (values.size !== node.type.length)
      throw wrong(`has values of ${values.size} bytes, and the schema says ${node.type.length}`);
    if (values.data.length < length * values.size)
      throw wrong(`has ${values.data.length} bytes for ${length} slots`);
  } else checkOffsets(values.offsets, length, values.data.length, wrong);
}

function checkOffsets(offsets: Int32Array, length: number, limit: number, wrong: Wrong): void {
  if (offsets.length < length + 1) throw wrong(`has ${offsets.length} offsets for ${length} slots`);
  let rises = offsets[0]! >= 0 && offsets[length]! <= limit;
  for (let i = 0; i < length; i++) rises &&= offsets[i]! <= offsets[i + 1]!;
  if (!rises) throw wrong(`has offsets that do not rise from 0 to ${limit}`);
}

function checkList(node: ListNode, { offsets, item, length }: ListColumn, wrong: Wrong): void {
  checkOffsets(offsets, length, item.length, wrong);
  if (node.isMap && item.kind === "struct") {
    if (item.validity?.includes(0)) throw wrong("is a map with null pairs");
    checkStruct(node.item as StructNode, item, item.length, "pair", wrong);
  } else checkColumn(node.item, item, item.length);
}

/** Fields are found by their place. The names of a map's key and value are the format's. */
function checkStruct(
  node: StructNode,
  column: StructColumn,
  slots: number,
  how: "named" | "pair",
  wrong: Wrong,
): void {
  const { names, fields } = column;
  if (fields.length !== node.fields.length)
    throw wrong(`has ${fields.length} fields, and the schema says ${node.fields.length}`);
  for (const [i, field] of node.fields.entries()) {
    if (how === "named" && names[i] !== field.name)
      throw wrong(`has the field ${names[i]}, where the schema says ${field.name}`);
    checkColumn(field, fields[i], slots);
  }
}

// The schema of a file to be written. In: fields (the nodes of a schema that was read are fields too). Out: the flat list
// of schema elements, lists and maps spelled as the format says today. Types that are only read (int96, decimals in
// bytes that fit an int64) become those that are written in their place.

interface FieldBase {
  readonly name: string;
  readonly nullable: boolean;
}

export type Field =
  | (FieldBase & { readonly kind: "leaf"; readonly type: LeafType })
  | (FieldBase & { readonly kind: "list"; readonly isMap?: boolean; readonly item: Field })
  | (FieldBase & { readonly kind: "struct"; readonly fields: readonly Field[] });

function elementsOf(fields: readonly Field[]): SchemaElement[] {
  if (fields.length === 0)
    throw new ValueError({ what: "a table without columns cannot be written as Parquet" });
  return [group("schema", "required", fields.length), ...fieldElements(fields)];
}

function fieldElements(fields: readonly Field[]): SchemaElement[] {
  const names = new Set(fields.map((field) => field.name));
  if (names.size < fields.length) throw new ValueError({ what: "two fields of a struct have the same name" });
  return fields.flatMap((field) => fieldElement(field, field.name));
}

function group(
  name: string,
  repetition: SchemaElement["repetition"],
  children: number,
  kind: SchemaElement["group"] = null,
): SchemaElement {
  return { name, repetition, children, group: kind, type: null };
}

function fieldElement(field: Field, name: string): SchemaElement[] {
  const repetition = field.nullable ? "optional" : "required";
  switch (field.kind) {
    case "leaf":
      return [{ name, repetition, children: null, group: null, type: writtenType(field.type) }];
    case "struct":
      if (field.fields.length === 0)
        throw new ValueError({ what: `the struct ${name} has no fields, which Parquet cannot say` });
      return [group(name, repetition, field.fields.length), ...fieldElements(field.fields)];
    case "list":
      if (field.isMap === true) return [group(name, repetition, 1, "map"), ...pairElements(field.item, name)];
      return [
        group(name, repetition, 1, "list"),
        group("list", "repeated", 1),
        ...fieldElement(field.item, "element"),
      ];
  }
}

/** A map's keys are never null. */
function pairElements(item: Field, name: string): SchemaElement[] {
  if (item.kind !== "struct" || item.fields.length !== 2)
    throw new ValueError({ what: `the items of the map ${name} are not pairs of a key and a value` });
  const [key, value] = item.fields as [Field, Field];
  return [
    group("key_value", "repeated", 2),
    ...fieldElement({ ...key, nullable: false }, "key"),
    ...fieldElement(value, "value"),
  ];
}

function writtenType(type: LeafType): LeafType {
  const { physical, logical } = type;
  if (physical === "int96")
    return { physical: "int64", length: 0, logical: { kind: "timestamp", unit: "ns", utc: false } };
  const inBytes = physical === "byteArray" || physical === "fixed";
  if (inBytes && logical?.kind === "decimal" && logical.precision <= 18)
    return { physical: "int64", length: 0, logical };
  return type;
}

/** How `rg.toParquet` writes files. */
export interface WriteOptions {
  /** How pages are compressed; snappy unless given. */
  codec?: WrittenCodec;
  /** The most rows of a row group; 2²⁰ unless given. A partition is one row group or several. */
  rowGroupRows?: number;
  /** Bytes of a page before compression, about; 1 MiB unless given. */
  pageSize?: number;
  /** False: no dictionaries. Else columns with few distinct values have one. */
  dictionary?: boolean;
  /** The version of data pages; 1 unless given, which every reader knows. */
  pageVersion?: 1 | 2;
  /** One file unless given; or "perPartition": the target is a folder of part-00000.parquet and so on. */
  files?: "one" | "perPartition";
  /** Texts for the footer. */
  keyValues?: ReadonlyMap<string, string>;
}

export interface WrittenFile {
  readonly name: string;
  readonly rows: number;
  readonly rowGroups: number;
  readonly bytes: number;
}

export type Partitions = Iterable<StructColumn> | AsyncIterable<StructColumn>;

export async function writeParquet(
  target: WriteTarget,
  fields: readonly Field[],
  partitions: Partitions,
  options: WriteOptions = {},
): Promise<WrittenFile[]> {
  const table = new TableWriter(fields, options);
  if (options.files !== "perPartition") return [await table.write(target, partitions)];
  await emptyFolder(target, ".parquet");
  const written: WrittenFile[] = [];
  for await (const partition of partitions) {
    const place = inFolder(target, partName(written.length, ".parquet"));
    written.push(await table.write(place, [partition]));
  }
  return written;
}

const LEAST_PAGE = 64;
const MOST_PAGE = 2 ** 30;

class TableWriter {
  readonly #elements: SchemaElement[];
  readonly #schema: Schema;
  readonly #options: ChunkOptions;
  readonly #rowGroupRows: number;
  readonly #keyValues: ReadonlyMap<string, string>;

  constructor(fields: readonly Field[], options: WriteOptions) {
    this.#elements = elementsOf(fields);
    this.#schema = schemaOf(this.#elements);
    this.#rowGroupRows = wholeNumber(options.rowGroupRows ?? 2 ** 20, "rowGroupRows");
    const { codec = "snappy", dictionary = true, pageVersion = 1 } = options;
    const pageSize = Math.min(
      MOST_PAGE,
      Math.max(LEAST_PAGE, wholeNumber(options.pageSize ?? 2 ** 20, "pageSize")),
    );
    this.#options = { codec, dictionary, pageVersion, pageSize };
    this.#keyValues = options.keyValues ?? new Map();
  }

  async write(target: WriteTarget, partitions: Partitions): Promise<WrittenFile> {
    const sink = await sinkOf(target);
    try {
      const groups: PagedGroup[] = [];
      sink.append(MAGIC);
      let at = MAGIC.length;
      for await (const partition of partitions)
        for (const rows of this.#rowGroups(partition)) {
          const group = await this.#writeGroup(sink, rows, at);
          groups.push(group);
          at = group.chunks.reduce((end, chunk) => Math.max(end, chunk.offset + chunk.length), at);
        }
      const indexed = indexedGroups(groups, at);
      for (const part of indexed.parts) {
        sink.append(part);
        at += part.length;
      }
      const { elements, keyValues } = { elements: this.#elements, keyValues: this.#keyValues };
      const footer = footerBytes({ elements, groups: indexed.groups, keyValues });
      sink.append(footer);
      await sink.finish();
      const rows = groups.reduce((sum, group) => sum + group.rows, 0);
      return { name: sink.name, rows, rowGroups: groups.length, bytes: at + footer.length };
    } catch (cause) {
      sink.abort();
      throw cause;
    }
  }

  *#rowGroups(partition: StructColumn): Iterable<StructColumn> {
    checkColumn(this.#schema.root, partition, partition.length);
    for (let from = 0; from < partition.length; from += this.#rowGroupRows)
      yield sliceColumn(partition, from, Math.min(partition.length, from + this.#rowGroupRows));
  }

  async #writeGroup(sink: Sink, rows: StructColumn, start: number): Promise<PagedGroup> {
    const chunks: PagedChunk[] = [];
    let offset = start;
    for (const shredded of shred(rows, this.#schema.root)) {
      const { parts, ...chunk } = await writeChunk(shredded, this.#options);
      for (const part of parts) sink.append(part);
      const { codec, pageVersion } = this.#options;
      const kind = pageVersion === 2 ? "dataV2" : "data";
      chunks.push({ ...chunk, offset, codec, dataPages: { kind, count: chunk.pages.length } });
      offset += chunk.length;
    }
    return { rows: rows.length, chunks };
  }
}

/** A chunk, and what its pages are like. */
type PagedChunk = PlacedChunk & Pick<WrittenChunk, "pages">;
interface PagedGroup extends WrittenGroup {
  readonly chunks: readonly PagedChunk[];
}

/** Indexes of all chunks, one after another from a place in the file on, and the chunks that know where theirs are. */
function indexedGroups(
  groups: readonly PagedGroup[],
  start: number,
): { readonly parts: readonly Uint8Array[]; readonly groups: readonly WrittenGroup[] } {
  const parts: Uint8Array[] = [];
  let at = start;
  const placed = (bytes: Uint8Array): ByteRange => {
    parts.push(bytes);
    at += bytes.length;
    return { offset: at - bytes.length, length: bytes.length };
  };
  const indexed = groups.map(({ rows, chunks }) => ({
    rows,
    chunks: chunks.map(({ pages, ...chunk }) => {
      const column = columnIndexBytes(pages);
      const indexes = {
        column: column === null ? null : placed(column),
        offset: placed(offsetIndexBytes(pages, chunk.offset)),
      };
      return { ...chunk, indexes };
    }),
  }));
  return { parts, groups: indexed };
}

function wholeNumber(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new ValueError({ what: `${name} is ${value}`, cure: "Use a whole number above 0" });
}
