// Parquet files as a source. In: files, which row groups make a partition, and a filter. Out: partitions of which just
// the chunks of the needed leaves are read. Must hold: row groups that the filter rules out are in no partition; the
// same location opens the same source, and an error says so where files have changed.

import { describe } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import type { Form } from "../../core/form/form.ts";
import { closed, type Need } from "../../core/form/need.ts";
import { fingerprintBytes } from "../../expr/expr.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import {
  type ChunkInfo,
  type Comparison,
  type DatasetOptions,
  dtypeOfLeaf,
  type FileArguments,
  type Filter,
  type FilterValue,
  joinColumns,
  type LeafNode,
  openDataset,
  type ParquetDataset,
  type Partition,
  type StructColumn,
} from "../../storage/parquet/index.ts";
import type { Layout } from "../layout/layout.ts";
import { formOfSchema } from "../parquet.ts";
import { type Bound, bind, type Choice, chosenLeaves, layoutOfBound, leavesOf } from "./parquetNodes.ts";
import { checkedPartition, type NodeCost, RaggedSource, type ReadSignal } from "./source.ts";
import { flattened, type Numbered, numbered } from "./tree.ts";

/** `["met", ">", 20]`; several of them must all hold. */
export type Condition = readonly [column: string, op: Comparison, value: FilterValue];
/** Which rows are wanted: a condition, several that must all hold, or a filter made of such. */
export type FilterArgument = Filter | Condition | readonly Condition[];

/** Options of `rg.fromParquet`. */
export interface ParquetSourceOptions extends DatasetOptions {
  /** How many row groups in a row make a partition; 1 unless given. "file": all of a file. */
  rowGroupsPerPartition?: number | "file";
  /** Row groups that have no row for which this holds, by their statistics, are left out. Other rows stay. */
  filter?: FilterArgument;
  /** For people; the files unless given. */
  name?: string;
}

export async function openParquet(
  files: FileArguments,
  options: ParquetSourceOptions = {},
): Promise<ParquetSource> {
  const { rowGroupsPerPartition = 1 } = options;
  if (
    rowGroupsPerPartition !== "file" &&
    !(Number.isSafeInteger(rowGroupsPerPartition) && rowGroupsPerPartition > 0)
  )
    throw new ValueError({
      what: `rowGroupsPerPartition is ${describe(rowGroupsPerPartition)}`,
      cure: 'Use a whole number above 0, or "file"',
    });
  return new ParquetSource(await openDataset(files, options), options);
}

export class ParquetSource extends RaggedSource {
  readonly name: string;
  readonly form: Form;
  readonly rows: readonly number[];
  readonly dataset: ParquetDataset;
  readonly #options: ParquetSourceOptions;
  /** The row groups of each partition; of one partition at least, even if that has none. */
  readonly #partitions: readonly (readonly Partition[])[];
  readonly #tree: Numbered;
  readonly #root: Bound;
  readonly #leafBytes: readonly number[];
  #fingerprint: string | null = null;

  constructor(dataset: ParquetDataset, options: ParquetSourceOptions = {}) {
    super();
    this.dataset = dataset;
    this.#options = options;
    this.name = options.name ?? namesText(dataset);
    this.form = formOfSchema(dataset.schema);
    this.#tree = numbered(this.form);
    this.#root = bind(dataset.schema.root, this.#tree);
    this.#partitions = partitionsOf(dataset, options);
    this.rows = this.#partitions.map((groups) => groups.reduce((sum, { rows }) => sum + rows, 0));
    this.#leafBytes = dataset.schema.leaves.map(({ leaf }) => this.#bytesOfLeaf(leaf));
  }

  /** So far, footers included. */
  get bytesRead(): number {
    return this.dataset.bytesRead;
  }

  fingerprint(): string {
    if (this.#fingerprint === null) {
      const numbers = new Map(this.dataset.files.map((file, i) => [file, i]));
      const files = this.dataset.files.map((file) => file.fingerprint);
      const groups = this.#partitions.map((part) =>
        part.map(({ file, rowGroup }) => `${numbers.get(file)}.${rowGroup}`),
      );
      const text = JSON.stringify([files, groups]);
      this.#fingerprint = `parquet ${fingerprintBytes(new TextEncoder().encode(text))}`;
    }
    return this.#fingerprint;
  }

  async read(partition: number, need: Need, { signal }: ReadSignal = {}): Promise<Layout> {
    const groups = this.#partitions[checkedPartition(this, partition)]!;
    const levels = closed(this.form, need);
    const choice = this.#chosen(levels);
    const columns: StructColumn[] = [];
    for (const { file, rowGroup } of groups)
      columns.push(await file.read(rowGroup, { ...choice, ...(signal === undefined ? {} : { signal }) }));
    const column = columns.length === 0 ? undefined : joinColumns(columns);
    const chosen = new Set([...choice.leaves, ...choice.shapesOnly]);
    // Without row groups there are no rows, so nothing is needed of them.
    const read = {
      chosen,
      need: column === undefined ? levels.map((level) => (level === 0 ? 0 : 1)) : levels,
    };
    return layoutOfBound(this.#root, column, this.rows[partition]!, read);
  }

  /** Stored bytes while they are decoded, levels, values, offsets and masks. */
  bytesOf(partition: number, need: Need): number {
    const groups = this.#partitions[checkedPartition(this, partition)]!;
    const { leaves, shapesOnly } = this.#chosen(closed(this.form, need));
    const { leaves: nodes } = this.dataset.schema;
    let sum = 0;
    for (const group of groups) {
      const { chunks } = group.file.rowGroups[group.rowGroup]!;
      for (const leaf of [...leaves, ...shapesOnly]) sum += shapeBytes(nodes[leaf]!, chunks[leaf]!);
      for (const leaf of leaves)
        sum += valueBytes(nodes[leaf]!, chunks[leaf]!, () => textBytesOf(group, leaf));
    }
    // Row groups are joined by copying.
    return groups.length > 1 ? 2 * sum : sum;
  }

  costs(): readonly NodeCost[] {
    const columns = new Map(
      leavesOf(this.#root).map(({ content, schema }, leaf) => [content.at, { schema, leaf }]),
    );
    return flattened(this.#tree).map(({ at }) => {
      const found = columns.get(at);
      if (found === undefined) return { column: null, bytes: 0 };
      return { column: found.schema.path, bytes: this.#leafBytes[found.leaf]! };
    });
  }

  touched(need: Need): readonly number[] {
    const { leaves, shapesOnly } = this.#chosen(closed(this.form, need));
    const nodes = leavesOf(this.#root);
    return [...leaves, ...shapesOnly].map((leaf) => nodes[leaf]!.content.at).sort((a, b) => a - b);
  }

  location(): TableLocation | null {
    const files = this.dataset.files.map((file) => file.location);
    const { codecs, http, signal, ...options } = this.#options;
    if (codecs !== undefined || http !== undefined || files.includes(undefined)) return null;
    return { format: "parquet", files, options, fingerprint: this.fingerprint() };
  }

  #chosen(need: Need): Choice {
    return chosenLeaves(this.#root, need, (leaf) => this.#leafBytes[leaf]!);
  }

  #bytesOfLeaf(leaf: number): number {
    let sum = 0;
    for (const { file, rowGroup } of this.#partitions.flat())
      sum += file.rowGroups[rowGroup]!.chunks[leaf]!.length;
    return sum;
  }
}

function namesText({ files }: ParquetDataset): string {
  const [first] = files;
  return files.length === 1 ? first!.name : `${first!.name} and ${files.length - 1} more`;
}

function partitionsOf(dataset: ParquetDataset, options: ParquetSourceOptions): (readonly Partition[])[] {
  const { rowGroupsPerPartition: most = 1, filter } = options;
  const kept = filter === undefined ? dataset.partitions : dataset.partitionsMatching(filterOf(filter));
  const parts: Partition[][] = [];
  for (const group of kept) {
    const last = parts.at(-1);
    if (last !== undefined && (most === "file" ? last[0]!.file === group.file : last.length < most))
      last.push(group);
    else parts.push([group]);
  }
  return parts.length === 0 ? [[]] : parts;
}

function filterOf(filter: FilterArgument): Filter {
  if (!Array.isArray(filter)) return filter as Filter;
  if (Array.isArray(filter[0])) return { and: (filter as readonly Condition[]).map(filterOf) };
  const [column, op, value] = filter as unknown as Condition;
  return { column, op, value };
}

/** Levels are a byte each, and so are masks; offsets of the lists around are four. */
function shapeBytes({ repetition, definition }: LeafNode, { entries, length }: ChunkInfo): number {
  const levels = (definition > 0 ? 2 : 0) + (repetition > 0 ? 1 : 0);
  return length + entries * (levels + 4 * repetition);
}

function valueBytes({ type }: LeafNode, { entries }: ChunkInfo, textBytes: () => number): number {
  const dtype = dtypeOfLeaf(type);
  if (dtype !== null) return entries * infoOf(dtype).bytes;
  return type.physical === "fixed" ? entries * type.length : textBytes() + 4 * (entries + 1);
}

/** Where the file does not say it, no text is taken to be longer than the longer of the least and the greatest. */
function textBytesOf({ file, rowGroup }: Partition, leaf: number): number {
  const { decodedBytes, entries, uncompressedLength } = file.rowGroups[rowGroup]!.chunks[leaf]!;
  if (decodedBytes !== null) return decodedBytes;
  const { min, max } = file.statistics(rowGroup, leaf);
  const lengths = [min, max].map((bound) => (bound instanceof Uint8Array ? bound.length : 0));
  return Math.max(uncompressedLength, entries * Math.max(...lengths));
}
