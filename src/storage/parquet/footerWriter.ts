// A footer, written. In: the schema's elements and what was written of each row group. Out: the footer's bytes, with its
// length and the magic number behind.

import type { WrittenChunk } from "./chunkWriter.ts";
import { CODECS, CONVERTED, type CodecName, ENCODINGS, PHYSICAL, REPETITIONS } from "./names.ts";
import { convertedOf, type SchemaElement, unionOf } from "./schema.ts";
import { i32, i64, Struct, thriftBytes } from "./thrift.ts";

export interface WrittenGroup {
  readonly rows: number;
  readonly chunks: readonly PlacedChunk[];
}

/** A chunk without its bytes, which are in the file at `offset`. */
export type PlacedChunk = Omit<WrittenChunk, "parts" | "nulls"> & {
  readonly offset: number;
  /** Null where nobody knows. */
  readonly nulls: number | null;
  readonly codec: CodecName;
};

export interface FooterParts {
  readonly elements: readonly SchemaElement[];
  readonly groups: readonly WrittenGroup[];
  readonly keyValues: ReadonlyMap<string, string>;
}

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

function elementStruct({ name, repetition, children, group, type }: SchemaElement, index: number): Struct {
  if (type === null)
    return new Struct(
      [3, index === 0 ? undefined : i32(REPETITIONS.indexOf(repetition))],
      [4, name],
      [5, i32(children!)],
      [6, group === null ? undefined : i32(CONVERTED.indexOf(group))],
      [10, group === null ? undefined : new Struct([group === "map" ? 2 : 3, new Struct()])],
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
  );
  return new Struct([2, i64(offset)], [3, meta]);
}
