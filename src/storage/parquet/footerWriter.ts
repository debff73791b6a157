// A footer, written. In: the schema's elements and what was written of each row group. Out: the footer's bytes, with its
// length and the magic number behind.

import type { WrittenChunk, WrittenPage } from "./chunkWriter.ts";
import type { ByteRange } from "./footer.ts";
import {
  CODECS,
  CONVERTED,
  type CodecName,
  ENCODINGS,
  type EncodingName,
  PAGES,
  type PageKind,
  PHYSICAL,
  REPETITIONS,
} from "./names.ts";
import { convertedOf, type SchemaElement, unionOf } from "./schema.ts";
import { i32, i64, Struct, thriftBytes } from "./thrift.ts";

export interface WrittenGroup {
  readonly rows: number;
  readonly chunks: readonly PlacedChunk[];
}

/** A chunk without its bytes, which are in the file at `offset`. */
export type PlacedChunk = Omit<WrittenChunk, "parts" | "nulls" | "pages"> & {
  /** Where its pages are indexed; not said where they are not. */
  readonly indexes?: PageIndexes;
  readonly offset: number;
  /** Not said where nobody knows. */
  readonly dataPages?: { readonly kind: PageKind; readonly count: number };
  /** Null where nobody knows. */
  readonly nulls: number | null;
  readonly codec: CodecName;
};

export interface FooterParts {
  readonly elements: readonly SchemaElement[];
  readonly groups: readonly WrittenGroup[];
  readonly keyValues: ReadonlyMap<string, string>;
}

/** Where in the file they are; the first is null for values that have no order. */
export interface PageIndexes {
  readonly column: ByteRange | null;
  readonly offset: ByteRange;
}

/** Places of pages, for who reads some of them. */
export function offsetIndexBytes(pages: readonly WrittenPage[], chunkAt: number): Uint8Array {
  const locations = pages.map(
    ({ offset, length, firstRow }) =>
      new Struct([1, i64(chunkAt + offset)], [2, i32(length)], [3, i64(firstRow)]),
  );
  return thriftBytes(new Struct([1, locations]));
}

/** What the values of pages are like; null where that cannot be said of all of them. */
export function columnIndexBytes(pages: readonly WrittenPage[]): Uint8Array | null {
  if (pages.some(({ extremes, hasValues }) => hasValues && extremes === null)) return null;
  return thriftBytes(
    new Struct(
      [1, pages.map(({ hasValues }) => !hasValues)],
      [2, pages.map(({ extremes }) => extremes?.min ?? EMPTY)],
      [3, pages.map(({ extremes }) => extremes?.max ?? EMPTY)],
      // In no order.
      [4, i32(0)],
      [5, pages.map(({ nulls }) => i64(nulls))],
    ),
  );
}

const EMPTY = new Uint8Array(0);

export const MAGIC: Uint8Array = new TextEncoder().encode("PAR1");

export function footerBytes(parts: FooterParts): Uint8Array {
  const { elements, groups, keyValues } = parts;
  const leaves = elements.filter((element) => element.type !== null);
  const pairs = [...keyValues].map(([key, value]) => new Struct([1, key], [2, value]));
  const body = thriftBytes(
    new Struct(
      [1, i32(1)],
      [2, elements.map(elementStruct)],
      [3, i64(groups.reduce((sum, group) => sum + group.rows, 0))],
      [4, groups.map(groupStruct)],
      [5, pairs.length > 0 ? pairs : undefined],
      [6, "chunkwise"],
      // Statistics are in the order of the type.
      [7, leaves.map(() => new Struct([1, new Struct()]))],
    ),
  );
  const result = new Uint8Array(body.length + 8);
  result.set(body);
  new DataView(result.buffer).setUint32(body.length, body.length, true);
  result.set(MAGIC, body.length + 4);
  return result;
}

/** In the union of logical types. */
const GROUP_IDS = { map: 2, list: 3, variant: 16 } as const;

function elementStruct({ name, repetition, children, group, type }: SchemaElement, index: number): Struct {
  if (type === null)
    return new Struct(
      [3, index === 0 ? undefined : i32(REPETITIONS.indexOf(repetition))],
      [4, name],
      [5, i32(children!)],
      [6, group === null || group === "variant" ? undefined : i32(CONVERTED.indexOf(group))],
      [10, group === null ? undefined : new Struct([GROUP_IDS[group], new Struct()])],
    );
  const { logical } = type;
  const converted = convertedOf(logical);
  const decimal = logical?.kind === "decimal" ? logical : null;
  return new Struct(
    [1, i32(PHYSICAL.indexOf(type.physical))],
    [2, type.physical === "fixed" ? i32(type.length) : undefined],
    [3, i32(REPETITIONS.indexOf(repetition))],
    [4, name],
    [6, converted === undefined ? undefined : i32(converted)],
    [7, decimal === null ? undefined : i32(decimal.scale)],
    [8, decimal === null ? undefined : i32(decimal.precision)],
    [10, unionOf(logical)],
  );
}

function groupStruct({ rows, chunks }: WrittenGroup): Struct {
  const total = (key: "length" | "uncompressedLength"): number =>
    chunks.reduce((sum, chunk) => sum + chunk[key], 0);
  return new Struct(
    [1, chunks.map(chunkStruct)],
    [2, i64(total("uncompressedLength"))],
    [3, i64(rows)],
    [5, i64(chunks[0]!.offset)],
    [6, i64(total("length"))],
  );
}

/** How many pages of each kind and encoding there are: readers know by it that all values are in the dictionary. */
function pagesByEncoding({ encodings, dataPages }: PlacedChunk): readonly Struct[] | undefined {
  if (dataPages === undefined) return undefined;
  const isDictionary = encodings.includes("rleDictionary");
  const count = (kind: PageKind, encoding: EncodingName, pages: number): Struct =>
    new Struct([1, i32(PAGES.indexOf(kind))], [2, i32(ENCODINGS.indexOf(encoding))], [3, i32(pages)]);
  const data = count(dataPages.kind, isDictionary ? "rleDictionary" : "plain", dataPages.count);
  return isDictionary ? [count("dictionary", "plain", 1), data] : [data];
}

function chunkStruct(chunk: PlacedChunk): Struct {
  const { node, extremes, offset, dataAt, nulls, codec } = chunk;
  const statistics = new Struct(
    [3, nulls === null ? undefined : i64(nulls)],
    [5, extremes?.max],
    [6, extremes?.min],
  );
  const meta = new Struct(
    [1, i32(PHYSICAL.indexOf(node.type.physical))],
    [2, chunk.encodings.map((encoding) => i32(ENCODINGS.indexOf(encoding)))],
    [3, [...node.storedPath]],
    [4, i32(CODECS.indexOf(codec))],
    [5, i64(chunk.entries)],
    [6, i64(chunk.uncompressedLength)],
    [7, i64(chunk.length)],
    [9, i64(offset + dataAt)],
    [11, dataAt === 0 ? undefined : i64(offset)],
    [12, statistics],
    [13, pagesByEncoding(chunk)],
  );
  const { column = null, offset: places = null } = chunk.indexes ?? {};
  return new Struct(
    [2, i64(offset)],
    [3, meta],
    [4, places === null ? undefined : i64(places.offset)],
    [5, places === null ? undefined : i32(places.length)],
    [6, column === null ? undefined : i64(column.offset)],
    [7, column === null ? undefined : i32(column.length)],
  );
}
