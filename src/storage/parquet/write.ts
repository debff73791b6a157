// Tables as Parquet files. In: fields, and partitions of columns. Out: one file with the partitions as row groups, or a
// file per partition. What must hold: a file appears whole or not at all; at most one row group is in memory.

import { ValueError } from "../../core/errors.ts";
import { checkColumn } from "./checkColumn.ts";
import { type ChunkOptions, writeChunk } from "./chunkWriter.ts";
import { type StructColumn, sliceColumn } from "./column.ts";
import type { WrittenCodec } from "./compression.ts";
import { elementsOf, type Field } from "./fields.ts";
import { footerBytes, MAGIC, type PlacedChunk, type WrittenGroup } from "./footerWriter.ts";
import { type Schema, type SchemaElement, schemaOf } from "./schema.ts";
import { shred } from "./shred.ts";
import type { Sink } from "./sink.ts";
import { emptyFolder, inFolder, partName, sinkOf, type WriteTarget } from "./target.ts";

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
      const groups: WrittenGroup[] = [];
      sink.append(MAGIC);
      let at = MAGIC.length;
      for await (const partition of partitions)
        for (const rows of this.#rowGroups(partition)) {
          const group = await this.#writeGroup(sink, rows, at);
          groups.push(group);
          at = group.chunks.reduce((end, chunk) => Math.max(end, chunk.offset + chunk.length), at);
        }
      const footer = footerBytes({ elements: this.#elements, groups, keyValues: this.#keyValues });
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

  async #writeGroup(sink: Sink, rows: StructColumn, start: number): Promise<WrittenGroup> {
    const chunks: PlacedChunk[] = [];
    let offset = start;
    for (const shredded of shred(rows, this.#schema.root)) {
      const { parts, ...chunk } = await writeChunk(shredded, this.#options);
      for (const part of parts) sink.append(part);
      chunks.push({ ...chunk, offset, codec: this.#options.codec });
      offset += chunk.length;
    }
    return { rows: rows.length, chunks };
  }
}

function wholeNumber(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new ValueError({ what: `${name} is ${value}`, cure: "Use a whole number above 0" });
}
