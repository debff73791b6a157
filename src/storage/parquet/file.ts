// A Parquet file, opened by its footer. In: bytes at offsets. Out: its schema, row groups, statistics; and the chosen
// leaves of a row group as columns. What must hold: opening reads the footer and nothing else; reading reads the chunks
// of the chosen leaves (and small gaps between them) and nothing else; whatever is wrong with the bytes is a typed error
// that names the file, the row group and the column.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { ValueError } from "../../core/errors.ts";
import { Taken } from "../codecs/codec.ts";
import type { StoreOptions } from "../store.ts";
import { assemble, type Decoded, leadsOfLists } from "./assemble.ts";
import type { ByteFile, FileOptions } from "./byteFile.ts";
import { type ChunkInput, type DecodedChunk, decodeChunk } from "./chunk.ts";
import type { StructColumn } from "./column.ts";
import type { Decompressors } from "./compression.ts";
import { Damage, located, placeText, Unsupported } from "./errors.ts";
import { type Filter, mayMatch } from "./filter.ts";
import { type Footer, parseFooter, type RowGroup } from "./footer.ts";
import { type LeafNode, leavesAt, type Schema, type SchemaElement } from "./schema.ts";
import { type Statistics, statisticsOf } from "./statistics.ts";

// Several ranges of a file in few reads: ranges that lie close together are read at once, the gap with them. Bytes are
// counted as they are read, gaps included.

interface Range {
  readonly offset: number;
  readonly length: number;
}

/** A gap of so many bytes costs less than another request. */
const MOST_GAP = 65_536;
/** Reads do not grow beyond this by joining. */
const MOST_JOINED = 2 ** 28;

interface Joined extends Range {
  /** The indices of the ranges inside. */
  readonly members: readonly number[];
}

export function joinRanges(ranges: readonly Range[], gap: number = MOST_GAP): Joined[] {
  const order = ranges.map((_, index) => index).sort((a, b) => ranges[a]!.offset - ranges[b]!.offset);
  const result: Joined[] = [];
  for (const index of order) {
    const { offset, length } = ranges[index]!;
    const last = result.at(-1);
    const end = last === undefined ? 0 : last.offset + last.length;
    const union = last === undefined ? 0 : Math.max(end, offset + length) - last.offset;
    if (last !== undefined && offset - end <= gap && union <= MOST_JOINED)
      result[result.length - 1] = { offset: last.offset, length: union, members: [...last.members, index] };
    else result.push({ offset, length, members: [index] });
  }
  return result;
}

/** A file whose bytes are counted. */
class CountedFile {
  readonly file: ByteFile;
  #bytesRead = 0;
  #requests = 0;

  constructor(file: ByteFile) {
    this.file = file;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }
  get requests(): number {
    return this.#requests;
  }

  #count(bytes: Uint8Array): Uint8Array {
    this.#bytesRead += bytes.length;
    this.#requests++;
    return bytes;
  }

  async tail(length: number, options: StoreOptions): Promise<Uint8Array> {
    return this.#count(await this.file.tail(length, options));
  }

  async read({ offset, length }: Range, options: FileOptions): Promise<Uint8Array> {
    return this.#count(await this.file.read(offset, length, options));
  }

  /** The bytes of each range. They may share memory. */
  async readAll(ranges: readonly Range[], options: FileOptions): Promise<Uint8Array[]> {
    const result: Uint8Array[] = new Array(ranges.length);
    const reads = joinRanges(ranges).map(async (joined) => {
      const bytes = await this.read(joined, options);
      for (const index of joined.members) {
        const start = ranges[index]!.offset - joined.offset;
        result[index] = bytes.subarray(start, start + ranges[index]!.length);
      }
    });
    await Promise.all(reads);
    return result;
  }
}

export interface OpenOptions extends StoreOptions {
  /** How much of the end of the file is read at first; 64 kB unless given. A longer footer takes a second read. */
  tailBytes?: number;
  /** The most bytes that the values of one leaf in one row group may take; 1 GiB unless given. */
  maxChunkBytes?: number;
  /** Decompressors of the user's own, for codecs that are not there (lzo; brotli in browsers). */
  codecs?: Decompressors;
}

export interface ReadOptions extends StoreOptions {
  /** Leaf indices whose values are wanted; all leaves unless given. */
  leaves?: readonly number[];
  /** Leaf indices of which only nulls and the offsets of the lists around them are wanted: values are not decoded. */
  shapesOnly?: readonly number[];
}

const TAIL_BYTES = 65_536;
const MAX_CHUNK_BYTES = 2 ** 30;
/** Offsets are kept in 32 bits. */
const MOST_CHUNK_BYTES = 2 ** 31 - 16;

export class ParquetFile {
  readonly name: string;
  readonly #bytes: CountedFile;
  readonly #footer: Footer;
  readonly #maxChunkBytes: number;
  readonly #codecs: Decompressors;
  #fingerprint: string | null = null;

  private constructor(bytes: CountedFile, footer: Footer, options: OpenOptions) {
    this.name = bytes.file.name;
    this.#bytes = bytes;
    this.#footer = footer;
    this.#maxChunkBytes = Math.min(options.maxChunkBytes ?? MAX_CHUNK_BYTES, MOST_CHUNK_BYTES);
    this.#codecs = options.codecs ?? {};
  }

  static async open(file: ByteFile, options: OpenOptions = {}): Promise<ParquetFile> {
    const bytes = new CountedFile(file);
    try {
      return new ParquetFile(bytes, await readFooter(bytes, options), options);
    } catch (cause) {
      throw located(cause, { file: file.name });
    }
  }

  get schema(): Schema {
    return this.#footer.schema;
  }
  /** The schema as it is written. */
  get elements(): readonly SchemaElement[] {
    return this.#footer.elements;
  }
  get rows(): number {
    return this.#footer.rows;
  }
  get rowGroups(): readonly RowGroup[] {
    return this.#footer.rowGroups;
  }
  get createdBy(): string | null {
    return this.#footer.createdBy;
  }
  /** Texts that the writer left in the footer. */
  get keyValues(): ReadonlyMap<string, string> {
    return this.#footer.keyValues;
  }
  /** An absolute path or a URL; undefined for a file that only this thread has. */
  get location(): string | undefined {
    return this.#bytes.file.location;
  }
  /** Name, size, time and footer: another for another file, the same in every process. */
  get fingerprint(): string {
    const { name, location, size, version = "" } = this.#bytes.file;
    this.#fingerprint ??= `${location ?? name} ${size} ${version} ${bytesToHex(sha256(this.#footer.bytes)).slice(0, 32)}`;
    return this.#fingerprint;
  }
  /** So far, the footer included. */
  get bytesRead(): number {
    return this.#bytes.bytesRead;
  }
  get requests(): number {
    return this.#bytes.requests;
  }

  /** The leaves at and below a path such as "jets" or "jets.pt". */
  leavesAt(path: string): readonly LeafNode[] {
    const found = leavesAt(this.schema, path);
    if (found.length > 0) return found;
    const names = this.schema.leaves.map((leaf) => leaf.path);
    throw new ValueError({
      what: `${this.name} has no column ${path}`,
      cure: `It has ${names.slice(0, 40).join(", ")}`,
    });
  }

  statistics(rowGroup: number, leaf: number): Statistics {
    return statisticsOf(this.#group(rowGroup).chunks[leaf]?.statistics ?? null, this.#leaf(leaf).type);
  }

  /** The row groups that may have rows for which the filter holds; the others have none for sure. */
  rowGroupsMatching(filter: Filter): number[] {
    const context = (group: RowGroup) => ({
      schema: this.schema,
      rows: group.rows,
      entriesOf: (leaf: number) => group.chunks[leaf]!.entries,
      statisticsOf: (leaf: number) => this.statistics(group.index, leaf),
    });
    return this.rowGroups.filter((group) => mayMatch(filter, context(group))).map((group) => group.index);
  }

  /** Where the bytes lie that a read of these leaves needs. */
  byteRanges(rowGroup: number, leaves: readonly number[]): Range[] {
    const group = this.#group(rowGroup);
    return leaves.map((leaf) => {
      this.#leaf(leaf);
      const { offset, length } = group.chunks[leaf]!;
      return { offset, length };
    });
  }

  /** Bytes of a leaf in all row groups: what reading it costs, and which of several leaves is the cheapest. */
  leafBytes(leaf: number): number {
    this.#leaf(leaf);
    return this.rowGroups.reduce((sum, { chunks }) => sum + chunks[leaf]!.length, 0);
  }

  /** The stored bytes of one leaf of a row group, as they are. */
  async readStored(rowGroup: number, leaf: number, options: StoreOptions = {}): Promise<Uint8Array> {
    const [range] = this.byteRanges(rowGroup, [leaf]);
    return this.#bytes.read(range!, options);
  }

  /** The chosen columns of one row group: a struct with one slot per row. */
  async read(rowGroup: number, options: ReadOptions = {}): Promise<StructColumn> {
    const group = this.#group(rowGroup);
    const wanted = new Set(options.leaves ?? this.schema.leaves.map((leaf) => leaf.leaf));
    const shapesOnly = new Set((options.shapesOnly ?? []).filter((leaf) => !wanted.has(leaf)));
    // Schema order: neighbours in the file are neighbours in memory.
    const chosen = [...wanted, ...shapesOnly].sort((a, b) => a - b);
    // Columns keep nothing of stored bytes and levels.
    const room = new Taken(options.scratch);
    try {
      const parts = await this.#bytes.readAll(this.byteRanges(rowGroup, chosen), { ...options, room });
      const leads = leadsOfLists(this.schema.root, new Set(chosen));
      const chunks = new Map<number, DecodedChunk>();
      for (const [i, leaf] of chosen.entries()) {
        options.signal?.throwIfAborted();
        const wish = { values: wanted.has(leaf), repetitions: leads.has(leaf) };
        chunks.set(leaf, await this.#decode(group, this.#leaf(leaf), { bytes: parts[i]!, wish, room }));
      }
      const inColumn: Decoded["inColumn"] = (leaf, action) => this.#inColumn(group, leaf, action);
      return assemble(this.schema.root, group.rows, { chunks, shapesOnly, inColumn });
    } finally {
      room.end();
    }
  }

  #inColumn<T>(group: RowGroup, leaf: LeafNode, action: () => T): T {
    try {
      return action();
    } catch (cause) {
      throw located(cause, this.#place(group, leaf));
    }
  }

  async #decode(
    group: RowGroup,
    node: LeafNode,
    given: Pick<ChunkInput, "bytes" | "wish" | "room">,
  ): Promise<DecodedChunk> {
    const place = this.#place(group, node);
    try {
      return await decodeChunk({
        ...given,
        node,
        info: group.chunks[node.leaf]!,
        limit: this.#maxChunkBytes,
        where: placeText(place),
        codecs: this.#codecs,
      });
    } catch (cause) {
      throw located(cause, place);
    }
  }

  #place(group: RowGroup, leaf: LeafNode): { file: string; rowGroup: number; column: string } {
    return { file: this.name, rowGroup: group.index, column: leaf.path };
  }

  #group(index: number): RowGroup {
    const group = this.rowGroups[index];
    if (group !== undefined) return group;
    throw new ValueError({
      what: `${this.name} has ${this.rowGroups.length} row groups, and no number ${index}`,
    });
  }

  #leaf(index: number): LeafNode {
    const leaf = this.schema.leaves[index];
    if (leaf !== undefined) return leaf;
    throw new ValueError({
      what: `${this.name} has ${this.schema.leaves.length} leaves, and no number ${index}`,
    });
  }
}

const MAGIC = 0x31524150;
const ENCRYPTED = 0x45524150;

async function readFooter(bytes: CountedFile, options: OpenOptions): Promise<Footer> {
  const tail = await bytes.tail(Math.max(12, options.tailBytes ?? TAIL_BYTES), options);
  const { size = Number.MAX_SAFE_INTEGER } = bytes.file;
  if (tail.length < 12) throw new Damage(`a file of ${tail.length} bytes is too short to be Parquet`);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  const magic = view.getUint32(tail.length - 4, true);
  if (magic === ENCRYPTED) throw new Unsupported("the file is encrypted");
  if (magic !== MAGIC) throw new Damage("the file does not end like a Parquet file");
  const length = view.getUint32(tail.length - 8, true);
  if (length > size - 12) throw new Damage(`a footer of ${length} bytes in a file of ${size}`);
  const limit = size - 8 - length;
  if (length <= tail.length - 8)
    return parseFooter(tail.subarray(tail.length - 8 - length, tail.length - 8), limit);
  return parseFooter(await longFooter(bytes, length, options), limit);
}

async function longFooter(bytes: CountedFile, length: number, options: OpenOptions): Promise<Uint8Array> {
  const tail = await bytes.tail(length + 8, options);
  if (tail.length < length + 8) throw new Damage(`a footer of ${length} bytes in a file of ${tail.length}`);
  return tail.subarray(0, length);
}
