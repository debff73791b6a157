// A footer: what a file holds and where. In: the bytes of the footer and where in the file they begin. Out: the schema
// tree, and for each row group its rows and for each of its leaves where its bytes lie. What must hold: every leaf has
// one chunk per row group, of the leaf's type, within the part of the file before the footer; counts add up.

import { Damage, Unsupported } from "./errors.ts";
import {
  CODECS,
  CONVERTED,
  type CodecName,
  ENCODINGS,
  type EncodingName,
  PHYSICAL,
  REPETITIONS,
} from "./names.ts";
import {
  groupKindOf,
  type LeafNode,
  type LeafType,
  logicalOf,
  type Schema,
  type SchemaElement,
  schemaOf,
} from "./schema.ts";
import { type RawStatistics, rawStatistics } from "./statistics.ts";
import {
  countAt,
  intAt,
  listAt,
  nameAt,
  present,
  structAt,
  structsAt,
  ThriftReader,
  type ThriftStruct,
  textAt,
} from "./thrift.ts";

/** The values of one leaf in one row group. */
export interface ChunkInfo {
  readonly leaf: number;
  readonly codec: CodecName;
  /** Entries: values, nulls and empty lists. */
  readonly entries: number;
  /** Where its pages lie in the file. */
  readonly offset: number;
  readonly length: number;
  /** Where the first data page begins in the chunk; a dictionary is before it. */
  readonly dataAt: number;
  readonly encodings: readonly EncodingName[];
  readonly uncompressedLength: number;
  /** Bytes of all byte arrays together, once they are decoded; null where the writer does not say. */
  readonly decodedBytes: number | null;
  readonly statistics: RawStatistics | null;
  /** Where each page lies; what its values are like; a filter of what values there are: null where it was not written. */
  readonly offsetIndex: ByteRange | null;
  readonly columnIndex: ByteRange | null;
  readonly bloomFilter: ByteRange | null;
  /** All data pages name their values by a dictionary. */
  readonly isDictionary: boolean;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface RowGroup {
  readonly index: number;
  readonly rows: number;
  /** The number of the first row in the file. */
  readonly firstRow: number;
  /** By leaf index. */
  readonly chunks: readonly ChunkInfo[];
}

export interface Footer {
  readonly schema: Schema;
  /** The schema as it is written. */
  readonly elements: readonly SchemaElement[];
  readonly rows: number;
  readonly rowGroups: readonly RowGroup[];
  readonly createdBy: string | null;
  readonly keyValues: ReadonlyMap<string, string>;
  /** As they lie in the file. */
  readonly bytes: Uint8Array;
}

/** `limit`: where the footer begins in the file, so where data must end. */
export function parseFooter(bytes: Uint8Array, limit: number): Footer {
  const struct = new ThriftReader(bytes).struct();
  const elements = present(structsAt(struct, 2), "the schema").map(elementOf);
  const schema = schemaOf(elements);
  const rows = countAt(struct, 3, "the number of rows");
  const rowGroups: RowGroup[] = [];
  let firstRow = 0;
  for (const group of structsAt(struct, 4) ?? []) {
    const found = rowGroupOf(group, rowGroups.length, firstRow, schema, limit);
    firstRow += found.rows;
    rowGroups.push(found);
  }
  if (firstRow !== rows)
    throw new Damage(`row groups of ${firstRow} rows together, in a file of ${rows} rows`);
  const createdBy = textAt(struct, 6) ?? null;
  return { schema, elements, rows, rowGroups, createdBy, keyValues: keyValuesOf(struct), bytes };
}

function keyValuesOf(struct: ThriftStruct): Map<string, string> {
  const pairs = structsAt(struct, 5) ?? [];
  return new Map(pairs.map((pair) => [textAt(pair, 1) ?? "", textAt(pair, 2) ?? ""]));
}

function elementOf(struct: ThriftStruct, index: number): SchemaElement {
  const converted = nameAt(struct, 6, CONVERTED, "converted type");
  const union = structAt(struct, 10);
  const children = intAt(struct, 5);
  const isGroup = intAt(struct, 1) === undefined;
  if (isGroup && index > 0 && !(children! > 0)) throw new Damage("a group of the schema has no fields");
  return {
    name: textAt(struct, 4) ?? "",
    repetition: index === 0 ? "required" : (nameAt(struct, 3, REPETITIONS, "repetition") ?? "required"),
    children: isGroup ? (children ?? 0) : null,
    group: isGroup ? groupKindOf(union, converted) : null,
    type: isGroup ? null : leafTypeOf(struct, logicalOf(union, converted, struct)),
  };
}

/** The longest values of fixed length that are taken seriously. */
const LONGEST_FIXED = 2 ** 24;

function leafTypeOf(struct: ThriftStruct, logical: LeafType["logical"]): LeafType {
  const physical = present(nameAt(struct, 1, PHYSICAL, "type"), "the type of a column");
  const length = physical === "fixed" ? countAt(struct, 2, "the length of fixed values") : 0;
  if (length > LONGEST_FIXED) throw new Damage(`values of ${length} bytes each`);
  return { physical, length, logical };
}

function rowGroupOf(
  struct: ThriftStruct,
  index: number,
  firstRow: number,
  schema: Schema,
  limit: number,
): RowGroup {
  const columns = present(structsAt(struct, 1), `the columns of row group ${index}`);
  const rows = countAt(struct, 3, `the number of rows of row group ${index}`);
  if (columns.length !== schema.leaves.length)
    throw new Damage(
      `row group ${index} has ${columns.length} columns, and the schema ${schema.leaves.length}`,
    );
  const chunks = columns.map((column, i) => chunkInfo(column, schema.leaves[i]!, index, rows, limit));
  return { index, rows, firstRow, chunks };
}

function chunkInfo(
  struct: ThriftStruct,
  node: LeafNode,
  group: number,
  rows: number,
  limit: number,
): ChunkInfo {
  const here = `of ${node.path} in row group ${group}`;
  if (structAt(struct, 8) !== undefined) throw new Unsupported(`the column ${here} is encrypted`);
  if (textAt(struct, 1)) throw new Unsupported(`the column ${here} is in another file`);
  const meta = present(structAt(struct, 3), `the metadata ${here}`);
  const type = nameAt(meta, 1, PHYSICAL, "type");
  if (type !== node.type.physical)
    throw new Damage(`the type ${here} is ${type}, and ${node.type.physical} in the schema`);
  const entries = countAt(meta, 5, `the number of values ${here}`);
  if (node.repetition === 0 ? entries !== rows : entries < rows)
    throw new Damage(`${entries} values ${here}, which has ${rows} rows`);
  const length = countAt(meta, 7, `the compressed size ${here}`);
  const data = countAt(meta, 9, `the offset ${here}`);
  const offset = startOf(meta, data);
  if (entries > 0 && (offset < 4 || offset + length > limit))
    throw new Damage(
      `the bytes ${here} are said to be ${offset} to ${offset + length}, and data end at ${limit}`,
    );
  return {
    leaf: node.leaf,
    codec: present(nameAt(meta, 4, CODECS, "codec"), `the codec ${here}`),
    entries,
    offset,
    length,
    dataAt: data - offset,
    encodings: (listAt(meta, 2) ?? []).map((code) => ENCODINGS[code as number]!).filter((name) => name),
    uncompressedLength: countAt(meta, 6, `the uncompressed size ${here}`),
    decodedBytes: decodedBytesOf(structAt(meta, 16)),
    statistics: rawStatistics(structAt(meta, 12)),
    offsetIndex: rangeAt(struct, 4, 5, limit),
    columnIndex: rangeAt(struct, 6, 7, limit),
    bloomFilter: rangeAt(meta, 14, 15, limit),
    isDictionary: isDictionary(meta),
  };
}

/** What does not lie in the file is not there: everything can be read without it. A bloom filter's length may be unknown. */
function rangeAt(struct: ThriftStruct, offsetId: number, lengthId: number, limit: number): ByteRange | null {
  const [offset, length = lengthId === 15 ? 0 : -1] = [intAt(struct, offsetId), intAt(struct, lengthId)];
  if (offset === undefined || offset < 4 || length < 0 || offset + length > limit) return null;
  return { offset, length };
}

const DATA_PAGE = 0;
const DATA_PAGE_V2 = 3;

/** By what the writer counted: pages of each kind and encoding. */
function isDictionary(meta: ThriftStruct): boolean {
  const counts = structsAt(meta, 13);
  const pages = counts?.filter((each) => [DATA_PAGE, DATA_PAGE_V2].includes(intAt(each, 1) ?? -1)) ?? [];
  const isIndexed = (each: ThriftStruct): boolean =>
    ["plainDictionary", "rleDictionary"].includes(ENCODINGS[intAt(each, 2) ?? -1] ?? "");
  return pages.length > 0 && pages.every(isIndexed);
}

function decodedBytesOf(sizes: ThriftStruct | undefined): number | null {
  const bytes = sizes === undefined ? undefined : intAt(sizes, 1);
  return bytes === undefined || bytes < 0 ? null : bytes;
}

/** A dictionary lies before the data. Some writers say 0 where there is none. */
function startOf(meta: ThriftStruct, data: number): number {
  const dictionary = intAt(meta, 11);
  return dictionary !== undefined && dictionary > 0 && dictionary < data ? dictionary : data;
}
