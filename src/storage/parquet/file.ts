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
import type { ByteFile } from "./byteFile.ts";
import {
  type ChunkInput,
  type DecodedChunk,
  decodeChunk,
  decodePages,
  dictionaryValues,
  rowsInPage,
} from "./chunk.ts";
import type { StructColumn, Values } from "./column.ts";
import type { Decompressors } from "./compression.ts";
import { CountedFile, type Range, readFooter } from "./countedFile.ts";
import { located, placeText } from "./errors.ts";
import { type Filter, mayMatch } from "./filter.ts";
import type { Footer, RowGroup } from "./footer.ts";
import { type PageMap, pageMapOf, pagesOfRows, scannedPages } from "./pages.ts";
import { cutToRows, type RowRun } from "./rowRuns.ts";
import { type LeafNode, leavesAt, type Schema, type SchemaElement } from "./schema.ts";
import { type Statistics, statisticsOf } from "./statistics.ts";

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
  /** A run of rows of the row group; all unless given. */
  rows?: RowRun;
}

/** What of a chunk is read. */
interface ChunkPart {
  readonly ranges: readonly Range[];
  readonly run: RowRun;
  /** The rows of the pages that are read; null: all of the chunk, and nothing has to be cut. */
  readonly pages: RowRun | null;
}

const NO_BYTES = new Uint8Array(0);
/** Lists are longer here and shorter there. */
const MORE_ENTRIES = 1.25;

function checkedRun(run: RowRun, { rows, index }: RowGroup): RowRun {
  const { start, stop } = run;
  if (
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(stop) &&
    0 <= start &&
    start <= stop &&
    stop <= rows
  )
    return run;
  throw new ValueError({ what: `row group ${index} has ${rows} rows, and no rows ${start} to ${stop}` });
}

const MAX_CHUNK_BYTES = 2 ** 30;
/** Offsets are kept in 32 bits. */
const MOST_CHUNK_BYTES = 2 ** 31 - 16;

export class ParquetFile {
  readonly name: string;
  readonly #bytes: CountedFile;
  readonly #footer: Footer;
  readonly #maxChunkBytes: number;
  readonly #codecs: Decompressors;
  readonly #pageMaps = new Map<string, Promise<PageMap>>();
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
  /** Its bytes come over a network. */
  get isFar(): boolean {
    return this.#bytes.file.isFar === true;
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

  /** The chosen columns of one row group, or of a run of its rows: a struct with one slot per row. */
  async read(rowGroup: number, options: ReadOptions = {}): Promise<StructColumn> {
    const group = this.#group(rowGroup);
    const { start, stop } = checkedRun(options.rows ?? { start: 0, stop: group.rows }, group);
    const wanted = new Set(options.leaves ?? this.schema.leaves.map((leaf) => leaf.leaf));
    const shapesOnly = new Set((options.shapesOnly ?? []).filter((leaf) => !wanted.has(leaf)));
    // Schema order: neighbours in the file are neighbours in memory.
    const chosen = [...wanted, ...shapesOnly].sort((a, b) => a - b);
    const isWhole = start === 0 && stop === group.rows;
    // Columns keep nothing of stored bytes and levels.
    const room = new Taken(options.scratch);
    try {
      const parts = isWhole
        ? this.#wholeChunks(group, chosen)
        : await this.#partsOfRun(group, chosen, { start, stop }, options);
      const ranges = parts.flatMap((part) => part.ranges);
      const bytes = await this.#bytes.readAll(ranges, { ...options, room });
      const leads = leadsOfLists(this.schema.root, new Set(chosen));
      const chunks = new Map<number, DecodedChunk>();
      for (const [i, leaf] of chosen.entries()) {
        options.signal?.throwIfAborted();
        const wish = { values: wanted.has(leaf), repetitions: leads.has(leaf) || !isWhole };
        const pieces = bytes.splice(0, parts[i]!.ranges.length);
        chunks.set(leaf, await this.#decode(group, this.#leaf(leaf), parts[i]!, { pieces, wish, room }));
      }
      const inColumn: Decoded["inColumn"] = (leaf, action) => this.#inColumn(group, leaf, action);
      return assemble(this.schema.root, stop - start, { chunks, shapesOnly, inColumn });
    } finally {
      room.end();
    }
  }

  #wholeChunks({ index, rows }: RowGroup, leaves: readonly number[]): ChunkPart[] {
    const run = { start: 0, stop: rows };
    return this.byteRanges(index, leaves).map((range) => ({ ranges: [range], run, pages: null }));
  }

  /** Dictionaries, and the pages that have rows of the run. */
  async #partsOfRun(
    group: RowGroup,
    leaves: readonly number[],
    run: RowRun,
    options: StoreOptions,
  ): Promise<ChunkPart[]> {
    const parts: ChunkPart[] = [];
    for (const leaf of leaves) {
      const { offset } = group.chunks[leaf]!;
      const map = await this.pageMap(group.index, leaf, options);
      const { offsets, firstRows, end, rows } = map;
      const [first, last] = pagesOfRows(map, run.start, run.stop);
      const dictionary = (offsets[0] ?? end) - offset;
      const from = offsets[first] ?? end;
      const ranges = [{ offset: from, length: (offsets[last] ?? end) - from }];
      if (dictionary > 0) ranges.unshift({ offset, length: dictionary });
      parts.push({ ranges, run, pages: { start: firstRows[first] ?? 0, stop: firstRows[last] ?? rows } });
    }
    return parts;
  }

  /** Where the pages of a chunk lie: by its offset index, or by reading the headers once. */
  pageMap(rowGroup: number, leaf: number, options: StoreOptions = {}): Promise<PageMap> {
    const key = `${rowGroup} ${leaf}`;
    const found = this.#pageMaps.get(key);
    if (found !== undefined) return found;
    const map = this.#mappedPages(this.#group(rowGroup), this.#leaf(leaf), options);
    this.#pageMaps.set(key, map);
    map.catch(() => this.#pageMaps.delete(key));
    return map;
  }

  async #mappedPages(group: RowGroup, node: LeafNode, options: StoreOptions): Promise<PageMap> {
    const info = group.chunks[node.leaf]!;
    const place = this.#place(group, node);
    const room = new Taken(options.scratch);
    try {
      if (info.offsetIndex !== null)
        return pageMapOf(await this.#bytes.read(info.offsetIndex, options), info, group.rows);
      const given = { info, node, room, limit: this.#maxChunkBytes, codecs: this.#codecs };
      return await scannedPages(
        info,
        group.rows,
        (offset, length) => this.#bytes.read({ offset, length }, options),
        async (header, page) => {
          const isSaid = header.v2 !== null || node.repetition === 0;
          const bytes = isSaid ? NO_BYTES : await page();
          return rowsInPage(header, bytes, { ...given, where: placeText(place) });
        },
      );
    } catch (cause) {
      throw located(cause, place);
    } finally {
      room.end();
    }
  }

  /** Bytes of the file beside its data: indexes and filters. */
  readAside(range: Range, options: StoreOptions = {}): Promise<Uint8Array> {
    return this.#bytes.read(range, options);
  }

  /** The values of a chunk's dictionary; null where it has none. */
  async readDictionary(rowGroup: number, leaf: number, options: StoreOptions = {}): Promise<Values | null> {
    const group = this.#group(rowGroup);
    const info = group.chunks[leaf]!;
    if (info.dataAt <= 0) return null;
    const node = this.#leaf(leaf);
    const range = { offset: info.offset, length: info.dataAt };
    const room = new Taken(options.scratch);
    const place = this.#place(group, node);
    try {
      const bytes = await this.#bytes.read(range, { ...options, room });
      const given = { info, node, room, limit: this.#maxChunkBytes, codecs: this.#codecs };
      return await dictionaryValues(bytes, { ...given, where: placeText(place) });
    } catch (cause) {
      throw located(cause, place);
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
    { run, pages }: ChunkPart,
    given: Pick<ChunkInput, "pieces" | "wish" | "room">,
  ): Promise<DecodedChunk> {
    const place = this.#place(group, node);
    const info = group.chunks[node.leaf]!;
    const input = {
      ...{ ...given, node, info },
      ...{ limit: this.#maxChunkBytes, where: placeText(place), codecs: this.#codecs },
    };
    try {
      if (pages === null) return await decodeChunk(input);
      const part = (pages.stop - pages.start) / Math.max(1, group.rows);
      const expected = Math.min(info.entries, Math.ceil(info.entries * part * MORE_ENTRIES));
      const decoded = await decodePages({ ...input, expected });
      return cutToRows(decoded, node, run.start - pages.start, run.stop - run.start);
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
