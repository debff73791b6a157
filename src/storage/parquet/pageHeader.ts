// Page headers. In: the bytes of a column chunk and where a page begins. Out: what its header says, checked against
// what the chunk can hold. What must hold: no size or count that comes out is larger than the chunk justifies.

import { Damage } from "./errors.ts";
import { ENCODINGS, type EncodingName, PAGES, type PageKind } from "./names.ts";
import {
  countAt,
  flagAt,
  intAt,
  nameAt,
  present,
  structAt,
  ThriftReader,
  type ThriftStruct,
} from "./thrift.ts";

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

export interface PageV2 {
  readonly nulls: number;
  readonly rows: number;
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly isCompressed: boolean;
}

export function pageHeaderAt(chunk: Uint8Array, at: number): PageHeader {
  const reader = new ThriftReader(chunk, at);
  const struct = reader.struct();
  const kind = present(nameAt(struct, 1, PAGES, "page type"), "the type of a page");
  const uncompressed = countAt(struct, 2, "the uncompressed size of a page");
  const compressed = countAt(struct, 3, "the size of a page");
  const end = reader.at + compressed;
  if (end > chunk.length)
    throw new Damage(`a page of ${compressed} bytes, where ${chunk.length - reader.at} are left`);
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
