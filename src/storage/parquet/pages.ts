// Pages of a column chunk: what their headers say, and where they lie. In: the bytes of a chunk, of its offset index, or a way
// to read parts of it. Out: headers, and a map of pages with the first row of each. What must hold: no size, count or place
// that comes out is larger than the chunk justifies; without an index, no more is read at once than a page.

import { Damage } from "./errors.ts";
import type { ChunkInfo } from "./footer.ts";
import { ENCODINGS, type EncodingName, PAGES, type PageKind } from "./names.ts";
import {
  countAt,
  flagAt,
  intAt,
  nameAt,
  present,
  structAt,
  structsAt,
  ThriftReader,
  type ThriftStruct,
} from "./thrift.ts";

// Page headers. In: the bytes of a column chunk and where a page begins. Out: what its header says, checked against
// what the chunk can hold. What must hold: no size or count that comes out is larger than the chunk justifies.

export interface PageHeader {
  readonly kind: PageKind;
  /** Where the page's own bytes begin and end in the chunk. */
  readonly start: number;
  readonly end: number;
  readonly uncompressed: number;
  readonly crc: number | null;
  /** Entries of a data page, values of a dictionary. */
  readonly count: number;
  readonly encoding: EncodingName;
  /** Encodings of levels in pages of version 1. */
  readonly levels: { readonly definition: EncodingName; readonly repetition: EncodingName };
  /** Only in pages of version 2. */
  readonly v2: PageV2 | null;
}

interface PageV2 {
  readonly nulls: number;
  readonly rows: number;
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly isCompressed: boolean;
}

/** `available`: how many bytes of the chunk there are from its beginning, though they may not all be at hand. */
export function pageHeaderAt(chunk: Uint8Array, at: number, available = chunk.length): PageHeader {
  const reader = new ThriftReader(chunk, at);
  const struct = reader.struct();
  const kind = present(nameAt(struct, 1, PAGES, "page type"), "the type of a page");
  const uncompressed = countAt(struct, 2, "the uncompressed size of a page");
  const compressed = countAt(struct, 3, "the size of a page");
  const end = reader.at + compressed;
  if (end > available)
    throw new Damage(`a page of ${compressed} bytes, where ${available - reader.at} are left`);
  const crc = intAt(struct, 4);
  return {
    kind,
    start: reader.at,
    end,
    uncompressed,
    crc: crc === undefined ? null : crc >>> 0,
    ...contentOf(kind, struct),
  };
}

type Content = Pick<PageHeader, "count" | "encoding" | "levels" | "v2">;

const RLE_LEVELS = { definition: "rle", repetition: "rle" } as const;

function contentOf(kind: PageKind, struct: ThriftStruct): Content {
  if (kind === "index") return { count: 0, encoding: "plain", levels: RLE_LEVELS, v2: null };
  const field = kind === "data" ? 5 : kind === "dictionary" ? 7 : 8;
  const header = present(structAt(struct, field), "the header of a page");
  const count = countAt(header, 1, "the number of values of a page");
  if (kind === "dataV2")
    return { count, encoding: encodingAt(header, 4), levels: RLE_LEVELS, v2: v2Of(header, count) };
  const encoding = encodingAt(header, 2);
  if (kind === "dictionary") return { count, encoding, levels: RLE_LEVELS, v2: null };
  const levels = { definition: encodingAt(header, 3), repetition: encodingAt(header, 4) };
  return { count, encoding, levels, v2: null };
}

const encodingAt = (struct: ThriftStruct, id: number): EncodingName =>
  present(nameAt(struct, id, ENCODINGS, "encoding"), "the encoding of a page");

function v2Of(header: ThriftStruct, count: number): PageV2 {
  const nulls = countAt(header, 2, "the number of nulls of a page");
  if (nulls > count) throw new Damage(`${nulls} nulls among ${count} values`);
  return {
    nulls,
    rows: countAt(header, 3, "the number of rows of a page"),
    definitionBytes: countAt(header, 5, "the size of definition levels"),
    repetitionBytes: countAt(header, 6, "the size of repetition levels"),
    isCompressed: flagAt(header, 7) ?? true,
  };
}

// Where pages lie. A page begins with a row; the first row of the next, or the end of the row group, ends it.

export interface PageMap {
  /** Of data pages, in the file. */
  readonly offsets: readonly number[];
  /** Behind the last page. */
  readonly end: number;
  /** In the row group. */
  readonly firstRows: readonly number[];
  readonly rows: number;
}

/** Of an offset index. */
export function pageMapOf(bytes: Uint8Array, { offset, length }: ChunkInfo, rows: number): PageMap {
  const locations = present(structsAt(new ThriftReader(bytes).struct(), 1), "the pages of an offset index");
  const offsets = locations.map((page) => countAt(page, 1, "the offset of a page"));
  const firstRows = locations.map((page) => countAt(page, 3, "the first row of a page"));
  const ends = locations.map((page, i) => offsets[i]! + countAt(page, 2, "the size of a page"));
  const end = ends.at(-1) ?? offset;
  const isRight =
    offsets.every((at, i) => at >= (i === 0 ? offset : ends[i - 1]!)) &&
    firstRows.every((row, i) => (i === 0 ? row === 0 : row >= firstRows[i - 1]! && row < rows)) &&
    end <= offset + length;
  if (isRight && (locations.length > 0 || rows === 0)) return { offsets, end, firstRows, rows };
  throw new Damage(`an offset index of ${locations.length} pages that do not fit a chunk of ${length} bytes`);
}

/** Reads bytes of the file. */
type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

/** Headers are tens of bytes, where they hold no long texts as statistics. */
const HEADER_BYTES = 4096;
const LONGEST_HEADER = 2 ** 24;

/** Of the headers, one after another. `rowsOf` says how many rows begin in a page whose header does not. */
export async function scannedPages(
  { offset, length, entries }: ChunkInfo,
  rows: number,
  read: ReadBytes,
  rowsOf: (header: PageHeader, page: () => Promise<Uint8Array>) => number | Promise<number>,
): Promise<PageMap> {
  const offsets: number[] = [];
  const firstRows: number[] = [];
  let [at, row, seen] = [offset, 0, 0];
  while (at < offset + length && seen < entries) {
    const { header, bytes } = await headerAt(at, offset + length, read);
    const [start, from] = [at + header.start, at];
    at += header.end;
    if (header.kind === "index" || header.kind === "dictionary" || header.count === 0) continue;
    offsets.push(from);
    firstRows.push(row);
    seen += header.count;
    row += await rowsOf(header, async () =>
      header.end <= bytes.length
        ? bytes.subarray(header.start, header.end)
        : read(start, header.end - header.start),
    );
  }
  if (seen === entries && row === rows) return { offsets, end: at, firstRows, rows };
  throw new Damage(`pages with ${seen} values of ${row} rows, and the footer says ${entries} of ${rows}`);
}

async function headerAt(
  at: number,
  end: number,
  read: ReadBytes,
): Promise<{ header: PageHeader; bytes: Uint8Array }> {
  for (let size = HEADER_BYTES; ; size *= 16) {
    const bytes = await read(at, Math.min(size, end - at));
    try {
      return { header: pageHeaderAt(bytes, 0, end - at), bytes };
    } catch (error) {
      if (!(error instanceof Damage) || size >= LONGEST_HEADER || bytes.length === end - at) throw error;
    }
  }
}

/** The pages that have rows of a run: from one to before another. */
export function pagesOfRows({ firstRows }: PageMap, start: number, stop: number): [number, number] {
  let first = 0;
  while (first + 1 < firstRows.length && firstRows[first + 1]! <= start) first++;
  let last = first;
  while (last < firstRows.length && firstRows[last]! < stop) last++;
  return [first, last];
}
