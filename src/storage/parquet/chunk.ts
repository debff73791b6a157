// A column chunk: the values of one leaf in one row group. In: its bytes. Out: the levels of its entries, and its
// values one after another (nulls have none). What must hold: pages follow each other within the chunk, checksums are
// right where there are any, and the entries of all pages together are what the footer says.

import { type Room, readUint32 } from "../codecs/codec.ts";
import { crc32 } from "../codecs/wasm.ts";
import { type BytesStore, type FixedStore, newStore, type ValueStore } from "./columnValues.ts";
import { type Decompressors, decompressed } from "./compression.ts";
import { takeDeltaLengths, takeDeltaStrings, takeDeltas } from "./delta.ts";
import { Damage, Unsupported } from "./errors.ts";
import type { ChunkInfo } from "./footer.ts";
import { type Cursor, cursorOf, unpackNumbers } from "./hybrid.ts";
import { Levels, levelWidth } from "./levels.ts";
import { ENCODINGS, type EncodingName, PAGES, type PageKind } from "./names.ts";
import { copyBytes, needBytes, takePlain, takeSplit } from "./plain.ts";
import type { LeafNode } from "./schema.ts";
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

// Page headers. In: the bytes of a column chunk and where a page begins. Out: what its header says, checked against
// what the chunk can hold. What must hold: no size or count that comes out is larger than the chunk justifies.

interface PageHeader {
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

function pageHeaderAt(chunk: Uint8Array, at: number): PageHeader {
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

// Values that are indices into a dictionary. In: the indices of a page, and the dictionary's values. Out: the values
// themselves, gathered behind those that are there already. What must hold: every index is in the dictionary.

function takeIndexed(cursor: Cursor, store: ValueStore, dictionary: ValueStore, count: number): void {
  if (count === 0) return;
  if (cursor.at >= cursor.end) throw new Damage("dictionary indices are cut short");
  const width = cursor.bytes[cursor.at++]!;
  const indices = indicesOf(cursor, width, count, dictionary.count);
  if (store.kind === "fixed") gatherFixed(store, dictionary as FixedStore, indices);
  else gatherBytes(store, dictionary as BytesStore, indices);
}

function indicesOf(cursor: Cursor, width: number, count: number, size: number): Uint32Array {
  const indices = unpackNumbers(cursor, width, count);
  let most = 0;
  for (let i = 0; i < count; i++) if (indices[i]! > most) most = indices[i]!;
  if (most >= size) throw new Damage(`the dictionary index ${most}, in a dictionary of ${size}`);
  return indices;
}

function gatherFixed(store: FixedStore, dictionary: FixedStore, indices: Uint32Array): void {
  const first = store.extend(indices.length);
  const { width } = store;
  if (width === 4) gatherWords(store.words(), dictionary.words(), indices, first);
  else if (width === 8) gatherPairs(store.words(), dictionary.words(), indices, first);
  else
    for (let i = 0; i < indices.length; i++)
      copyBytes(dictionary.bytes, indices[i]! * width, store.bytes, (first + i) * width, width);
}

function gatherWords(target: Uint32Array, source: Uint32Array, indices: Uint32Array, first: number): void {
  for (let i = 0; i < indices.length; i++) target[first + i] = source[indices[i]!]!;
}

/** Values of eight bytes as two words: neither a NaN's bits nor BigInts get in the way. */
function gatherPairs(target: Uint32Array, source: Uint32Array, indices: Uint32Array, first: number): void {
  for (let i = 0, to = 2 * first; i < indices.length; i++, to += 2) {
    const from = 2 * indices[i]!;
    target[to] = source[from]!;
    target[to + 1] = source[from + 1]!;
  }
}

function gatherBytes(store: BytesStore, dictionary: BytesStore, indices: Uint32Array): void {
  const first = store.extend(indices.length);
  const { offsets } = store;
  const { offsets: starts, bytes: source } = dictionary;
  let size = offsets[first]!;
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i]!;
    size += starts[index + 1]! - starts[index]!;
    // Beyond 2³¹ it is stored wrong, and refused below.
    offsets[first + i + 1] = size;
  }
  store.reserve(size);
  const { bytes: target } = store;
  for (let i = 0; i < indices.length; i++) {
    const from = starts[indices[i]!]!;
    copyBytes(source, from, target, offsets[first + i]!, starts[indices[i]! + 1]! - from);
  }
}

/** Of repetition levels nobody needs to know how many there are of each. */
const UNCOUNTED = 256;

/** What is wanted of a chunk. */
export interface ChunkWish {
  readonly values: boolean;
  /** Only one of the leaves below a list needs them: its siblings have the same lists. */
  readonly repetitions: boolean;
}

export interface DecodedChunk {
  readonly entries: number;
  /** Null when the leaf can be neither null nor in a list. */
  readonly definitions: Levels | null;
  /** Null when the leaf is in no list, or they were not wanted. */
  readonly repetitions: Levels | null;
  readonly store: ValueStore;
}

/** Repeated runs are short however long they are; more entries than this are only believed of chunks with bytes to match. */
const FREE_ENTRIES = 2 ** 24;
const ENTRIES_PER_BYTE = 2 ** 12;

export interface ChunkInput {
  readonly bytes: Uint8Array;
  readonly info: ChunkInfo;
  readonly node: LeafNode;
  readonly wish: ChunkWish;
  /** The most bytes that the values may take. */
  readonly limit: number;
  /** For errors. */
  readonly where: string;
  readonly codecs: Decompressors;
  /** For levels, which are good until it ends. */
  readonly room: Room;
}

export async function decodeChunk(input: ChunkInput): Promise<DecodedChunk> {
  const { bytes, info } = input;
  if (info.entries > FREE_ENTRIES + ENTRIES_PER_BYTE * bytes.length)
    throw new Damage(`${info.entries} values in ${bytes.length} bytes`);
  const decoder = new ChunkDecoder(input);
  for (let at = 0; decoder.entries < info.entries; ) {
    if (at >= bytes.length)
      throw new Damage(`pages with ${decoder.entries} values, and the footer says ${info.entries}`);
    const header = pageHeaderAt(bytes, at);
    await decoder.take(header);
    at = header.end;
  }
  return decoder;
}

class ChunkDecoder implements DecodedChunk {
  entries = 0;
  readonly definitions: Levels | null;
  readonly repetitions: Levels | null;
  readonly store: ValueStore;
  readonly #input: ChunkInput;
  #dictionary: ValueStore | null = null;

  constructor(input: ChunkInput) {
    const { node, info, wish, limit, room } = input;
    const { repetition, definition, slot } = node;
    this.#input = input;
    this.definitions = definition > 0 ? new Levels(definition, slot, info.entries, room) : null;
    this.repetitions =
      repetition > 0 && wish.repetitions ? new Levels(repetition, UNCOUNTED, info.entries, room) : null;
    this.store = newStore(node.type, wish.values ? info.entries : 0, limit);
  }

  async take(header: PageHeader): Promise<void> {
    if (header.kind === "index") return;
    this.#check(header);
    if (header.kind === "dictionary") return this.#takeDictionary(header);
    if (header.count === 0) return;
    if (header.count > this.#input.info.entries - this.entries)
      throw new Damage(
        `a page of ${header.count} values, where ${this.#input.info.entries - this.entries} belong`,
      );
    if (header.v2 === null) await this.#takeV1(header);
    else await this.#takeV2(header);
    this.entries += header.count;
  }

  #check({ start, end, crc, uncompressed }: PageHeader): void {
    const { bytes, info, limit } = this.#input;
    if (uncompressed > limit)
      throw new Unsupported(`a page of ${uncompressed} bytes: raise maxChunkBytes if that is right`);
    if (uncompressed > Math.max(info.uncompressedLength, end - start))
      throw new Damage(`a page of ${uncompressed} bytes, in a chunk of ${info.uncompressedLength}`);
    if (crc === null) return;
    const found = crc32(bytes.subarray(start, end));
    if (found !== crc) throw new Damage(`a page's crc32 is ${hex(found)}, and ${hex(crc)} was written`);
  }

  /** Not to be waited for when it is no promise: its memory is good until another chunk's page is decompressed. */
  #decompressed(start: number, end: number, size: number): Uint8Array | Promise<Uint8Array> {
    const { bytes, info, where, codecs } = this.#input;
    return decompressed(info.codec, bytes.subarray(start, end), size, where, codecs);
  }

  async #takeDictionary(header: PageHeader): Promise<void> {
    const { node, limit, wish } = this.#input;
    if (this.#dictionary !== null || this.entries > 0) throw new Damage("a second dictionary");
    if (header.encoding !== "plain" && header.encoding !== "plainDictionary")
      throw new Damage(`a dictionary encoded as ${header.encoding}`);
    if (!wish.values) return;
    const given = this.#decompressed(header.start, header.end, header.uncompressed);
    const page = given instanceof Promise ? await given : given;
    this.#dictionary = newStore(node.type, 0, limit);
    takePlain(cursorOf(page), this.#dictionary, node.type.physical === "boolean", header.count);
  }

  async #takeV1(header: PageHeader): Promise<void> {
    const given = this.#decompressed(header.start, header.end, header.uncompressed);
    const cursor = cursorOf(given instanceof Promise ? await given : given);
    const { count, levels } = header;
    if (this.#input.node.repetition > 0) this.#takeRepetitions(cursor, levels.repetition, count);
    const present =
      this.definitions === null ? count : takeLevels(cursor, this.definitions, levels.definition, count);
    this.#takeValues(cursor, header.encoding, present);
  }

  #takeRepetitions(cursor: Cursor, encoding: EncodingName, count: number): void {
    if (this.repetitions !== null) takeLevels(cursor, this.repetitions, encoding, count);
    else skipLevels(cursor, this.#input.node.repetition, encoding, count);
  }

  async #takeV2(header: PageHeader): Promise<void> {
    const { bytes } = this.#input;
    const { repetitionBytes, definitionBytes, isCompressed } = header.v2!;
    const definitionsAt = header.start + repetitionBytes;
    const valuesAt = definitionsAt + definitionBytes;
    const size = header.uncompressed - repetitionBytes - definitionBytes;
    if (valuesAt > header.end || size < 0) throw new Damage("a page whose levels are longer than itself");
    const { count } = header;
    this.repetitions?.append(cursorOf(bytes, header.start, definitionsAt), "rle", count);
    const present = this.definitions?.append(cursorOf(bytes, definitionsAt, valuesAt), "rle", count) ?? count;
    // What is not there need not be compressed: some writers leave out even an empty block.
    if (present === 0 || !this.#input.wish.values) return;
    const given = isCompressed
      ? this.#decompressed(valuesAt, header.end, size)
      : bytes.subarray(valuesAt, header.end);
    const page = given instanceof Promise ? await given : given;
    this.#takeValues(cursorOf(page), header.encoding, present);
  }

  #takeValues(cursor: Cursor, encoding: EncodingName, count: number): void {
    const { node, wish, room } = this.#input;
    if (!wish.values || count === 0) return;
    const isBoolean = node.type.physical === "boolean";
    switch (encoding) {
      case "plain":
        return takePlain(cursor, this.store, isBoolean, count);
      case "plainDictionary":
      case "rleDictionary":
        if (this.#dictionary === null) throw new Damage("dictionary indices without a dictionary");
        return takeIndexed(cursor, this.store, this.#dictionary, count);
      case "rle":
        if (!isBoolean) throw new Damage("runs of values that are not booleans");
        return takeRunBooleans(cursor, this.store, count, room);
      case "deltaBinaryPacked":
        return takeDeltas(cursor, this.store, count);
      case "deltaLengthByteArray":
        return takeDeltaLengths(cursor, this.store, count);
      case "deltaByteArray":
        return takeDeltaStrings(cursor, this.store, count);
      case "byteStreamSplit":
        return takeSplit(cursor, this.store, count);
      default:
        throw new Unsupported(`values encoded as ${encoding} are not read`);
    }
  }
}

/** In pages of version 1 runs lie behind their length in bytes; the older packed levels do not. */
function takeLevels(cursor: Cursor, levels: Levels, encoding: EncodingName, count: number): number {
  if (encoding === "bitPacked") return levels.append(cursor, encoding, count);
  const length = takeLength(cursor);
  cursor.at += length;
  return levels.append(cursorOf(cursor.bytes, cursor.at - length, cursor.at), encoding, count);
}

function skipLevels(cursor: Cursor, most: number, encoding: EncodingName, count: number): void {
  const length = encoding === "bitPacked" ? Math.ceil((count * levelWidth(most)) / 8) : takeLength(cursor);
  needBytes(cursor, length);
  cursor.at += length;
}

function takeLength(cursor: Cursor): number {
  needBytes(cursor, 4);
  const length = readUint32(cursor.bytes, cursor.at);
  cursor.at += 4;
  needBytes(cursor, length);
  return length;
}

function takeRunBooleans(cursor: Cursor, store: ValueStore, count: number, room: Room): void {
  if (store.kind !== "fixed") throw new Damage("runs of values that are not booleans");
  const length = takeLength(cursor);
  const first = store.extend(count);
  const levels = new Levels(1, UNCOUNTED, count, room);
  levels.append(cursorOf(cursor.bytes, cursor.at, cursor.at + length), "rle", count);
  store.bytes.set(levels.data(), first);
  cursor.at += length;
}

const hex = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;
