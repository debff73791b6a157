// Several Parquet files as one file, without decoding them. In: files with the same columns, in order. Out: one file with
// their row groups one after another. So partitions can be written apart, by tasks that run at once, and be one file in
// the end. What must hold: pages are copied as they are; at most one chunk is in memory; the file appears whole or not at
// all.

import { ValueError } from "../../core/errors.ts";
import type { StoreOptions } from "../store.ts";
import { checkSame } from "./dataset.ts";
import type { ParquetFile } from "./file.ts";
import type { ChunkInfo, RowGroup } from "./footer.ts";
import { footerBytes, MAGIC, type PlacedChunk, type WrittenGroup } from "./footerWriter.ts";
import type { Sink } from "./sink.ts";
import { sinkOf, type WriteTarget } from "./target.ts";
import type { WrittenFile } from "./write.ts";

export interface JoinOptions extends StoreOptions {
  /** Texts for the footer; those of the files are left behind. */
  keyValues?: ReadonlyMap<string, string>;
}

export async function joinParquet(
  target: WriteTarget,
  files: Iterable<ParquetFile> | AsyncIterable<ParquetFile>,
  options: JoinOptions = {},
): Promise<WrittenFile> {
  const sink = await sinkOf(target);
  try {
    const joiner = new Joiner(sink, options);
    for await (const file of files) await joiner.append(file);
    return await joiner.finish();
  } catch (cause) {
    sink.abort();
    throw cause;
  }
}

class Joiner {
  readonly #sink: Sink;
  readonly #options: JoinOptions;
  readonly #groups: WrittenGroup[] = [];
  #first: ParquetFile | null = null;
  #at: number = MAGIC.length;

  constructor(sink: Sink, options: JoinOptions) {
    this.#sink = sink;
    this.#options = options;
    sink.append(MAGIC);
  }

  async append(file: ParquetFile): Promise<void> {
    this.#first ??= file;
    checkSame(this.#first, file);
    for (const group of file.rowGroups) this.#groups.push(await this.#copied(file, group));
  }

  async #copied(file: ParquetFile, group: RowGroup): Promise<WrittenGroup> {
    const chunks: PlacedChunk[] = [];
    for (const info of group.chunks) {
      this.#sink.append(await file.readStored(group.index, info.leaf, this.#options));
      chunks.push(placed(info, file, this.#at));
      this.#at += info.length;
    }
    return { rows: group.rows, chunks };
  }

  async finish(): Promise<WrittenFile> {
    if (this.#first === null) throw new ValueError({ what: "no files to join", cure: "Give one at least" });
    const { keyValues = new Map() } = this.#options;
    const footer = footerBytes({ elements: this.#first.elements, groups: this.#groups, keyValues });
    this.#sink.append(footer);
    await this.#sink.finish();
    const rows = this.#groups.reduce((sum, group) => sum + group.rows, 0);
    return { name: this.#sink.name, rows, rowGroups: this.#groups.length, bytes: this.#at + footer.length };
  }
}

function placed(info: ChunkInfo, file: ParquetFile, offset: number): PlacedChunk {
  const { statistics, ...chunk } = info;
  // Bounds in the older fields are in an order of their own.
  const isKnown =
    statistics !== null && !statistics.isOld && statistics.min !== null && statistics.max !== null;
  const extremes = isKnown && statistics.isExact ? { min: statistics.min!, max: statistics.max! } : null;
  return {
    ...chunk,
    node: file.schema.leaves[info.leaf]!,
    nulls: statistics?.nulls ?? null,
    extremes,
    offset,
  };
}
