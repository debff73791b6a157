// A column chunk: the values of one leaf in one row group. In: its bytes. Out: the levels of its entries, and its
// values one after another (nulls have none). What must hold: pages follow each other within the chunk, checksums are
// right where there are any, and the entries of all pages together are what the footer says.

import { type Room, readUint32 } from "../codecs/codec.ts";
import { crc32 } from "../codecs/wasm.ts";
import type { Values } from "./column.ts";
import { type BytesStore, type FixedStore, newStore, type ValueStore, valuesOf } from "./columnValues.ts";
import { type Decompressors, decompressed } from "./compression.ts";
import { takeDeltaLengths, takeDeltaStrings, takeDeltas } from "./delta.ts";
import { Damage, Unsupported } from "./errors.ts";
import type { ChunkInfo } from "./footer.ts";
import { type Cursor, cursorOf, unpackNumbers } from "./hybrid.ts";
import { Levels, levelWidth } from "./levels.ts";
import type { EncodingName } from "./names.ts";
import { type PageHeader, pageHeaderAt } from "./pages.ts";
import { copyBytes, needBytes, takePlain, takeSplit } from "./plain.ts";
import type { LeafNode } from "./schema.ts";

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
  /** So far. */
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
  /** Pages one after another: all of the chunk in one piece, or its dictionary and some of its data pages. */
  readonly pieces: readonly Uint8Array[];
  readonly info: ChunkInfo;
  /** About how many entries there are: all of the chunk, or of some pages. */
  readonly expected: number;
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

/** All of a chunk. */
export async function decodeChunk(input: Omit<ChunkInput, "expected">): Promise<DecodedChunk> {
  const { entries } = input.info;
  const decoder = await decodePages({ ...input, expected: entries });
  if (decoder.entries === entries) return decoder;
  throw new Damage(`pages with ${decoder.entries} values, and the footer says ${entries}`);
}

/** The pages that are given, of which each is there as a whole. */
export async function decodePages(input: ChunkInput): Promise<DecodedChunk> {
  const { pieces, info, expected } = input;
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (expected > FREE_ENTRIES + ENTRIES_PER_BYTE * bytes)
    throw new Damage(`${expected} values in ${bytes} bytes`);
  const decoder = new ChunkDecoder(input);
  for (const piece of pieces)
    for (let at = 0; at < piece.length && decoder.entries < info.entries; ) {
      const header = pageHeaderAt(piece, at);
      await decoder.take(header, piece);
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
  /** Where the page is that is taken. */
  #bytes: Uint8Array = new Uint8Array(0);
  #dictionary: ValueStore | null = null;

  constructor(input: ChunkInput) {
    const { node, expected, wish, limit, room } = input;
    const { repetition, definition, slot } = node;
    this.#input = input;
    this.definitions = definition > 0 ? new Levels(definition, slot, expected, room) : null;
    this.repetitions =
      repetition > 0 && wish.repetitions ? new Levels(repetition, UNCOUNTED, expected, room) : null;
    this.store = newStore(node.type, wish.values ? expected : 0, limit);
  }

  async take(header: PageHeader, bytes: Uint8Array): Promise<void> {
    if (header.kind === "index") return;
    this.#bytes = bytes;
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
    const { info, limit } = this.#input;
    if (uncompressed > limit)
      throw new Unsupported(`a page of ${uncompressed} bytes: raise maxChunkBytes if that is right`);
    if (uncompressed > Math.max(info.uncompressedLength, end - start))
      throw new Damage(`a page of ${uncompressed} bytes, in a chunk of ${info.uncompressedLength}`);
    if (crc === null) return;
    const found = crc32(this.#bytes.subarray(start, end));
    if (found !== crc) throw new Damage(`a page's crc32 is ${hex(found)}, and ${hex(crc)} was written`);
  }

  /** Not to be waited for when it is no promise: its memory is good until another chunk's page is decompressed. */
  #decompressed(start: number, end: number, size: number): Uint8Array | Promise<Uint8Array> {
    const { info, where, codecs } = this.#input;
    return decompressed(info.codec, this.#bytes.subarray(start, end), size, where, codecs);
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
    const bytes = this.#bytes;
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

/** The values of a dictionary, at the beginning of a chunk's bytes; null where no dictionary lies there. */
export async function dictionaryValues(
  bytes: Uint8Array,
  { info, node, where, codecs, limit }: Omit<ChunkInput, "pieces" | "expected" | "wish">,
): Promise<Values | null> {
  const header = pageHeaderAt(bytes, 0);
  const isPlain = header.encoding === "plain" || header.encoding === "plainDictionary";
  if (header.kind !== "dictionary" || !isPlain || header.uncompressed > limit) return null;
  const stored = bytes.subarray(header.start, header.end);
  const page = await decompressed(info.codec, stored, header.uncompressed, where, codecs);
  const store = newStore(node.type, 0, limit);
  takePlain(cursorOf(page), store, node.type.physical === "boolean", header.count);
  return valuesOf(store, node.type);
}

/** How many rows begin in a page of a leaf in lists, whose header does not say it. */
export async function rowsInPage(
  header: PageHeader,
  bytes: Uint8Array,
  { info, node, where, codecs, room, limit }: Omit<ChunkInput, "pieces" | "expected" | "wish">,
): Promise<number> {
  if (header.v2 !== null) return header.v2.rows;
  if (node.repetition === 0) return header.count;
  if (header.uncompressed > Math.min(limit, Math.max(info.uncompressedLength, bytes.length)))
    throw new Damage(`a page of ${header.uncompressed} bytes, in a chunk of ${info.uncompressedLength}`);
  const page = await decompressed(info.codec, bytes, header.uncompressed, where, codecs);
  const levels = new Levels(node.repetition, UNCOUNTED, header.count, room);
  takeLevels(cursorOf(page), levels, header.levels.repetition, header.count);
  let rows = 0;
  for (const level of levels.data()) if (level === 0) rows++;
  return rows;
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
