// Parquet files as a source. In: files, which row groups make a partition, and a filter. Out: partitions of which just
// the chunks of the needed leaves are read. Must hold: row groups that the filter rules out are in no partition; the
// same location opens the same source, and an error says so where files have changed.

import { describe } from "../../core/chunks.ts";
import { parseBytes } from "../../core/counts.ts";
import { infoOf } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { closed, type Form, type Need } from "../../core/form/form.ts";
import { fingerprintBytes } from "../../expr/expr.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import {
  type ChunkInfo,
  type Comparison,
  cutRuns,
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
import { isBytesValue } from "../logicalParquet.ts";
import { formOfSchema } from "../parquet.ts";
import { type Bound, bind, type Choice, chosenLeaves, layoutOfBound, leavesOf } from "./parquetBinding.ts";
import {
  checkedPartition,
  flattened,
  type NodeCost,
  type Numbered,
  numbered,
  RaggedSource,
  type ReadSignal,
} from "./source.ts";

/** `["met", ">", 20]`; several of them must all hold. */
export type Condition = readonly [column: string, op: Comparison, value: FilterValue];
/** Which rows are wanted: a condition, several that must all hold, or a filter made of such. */
export type FilterArgument = Filter | Condition | readonly Condition[];

/** Options of `rg.fromParquet`. */
export interface ParquetSourceOptions extends DatasetOptions {
  /** How many row groups in a row make a partition; 1 unless given. "file": all of a file. */
  rowGroupsPerPartition?: number | "file";
  /**
   * Row groups, and pages where the file has an index of them, that have no row for which this holds are left out, by statistics,
   * bloom filters and dictionaries. Other rows stay.
   */
  filter?: FilterArgument;
  /** A row group that would take more than this in memory, with all of its columns, is cut into runs of rows; 256 MiB unless given. */
  partitionBytes?: number | string;
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
  const dataset = await openDataset(files, options);
  return new ParquetSource(dataset, options, await groupsOf(dataset, options));
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

  constructor(
    dataset: ParquetDataset,
    options: ParquetSourceOptions = {},
    groups: readonly Partition[] = dataset.partitions,
  ) {
    super();
    this.dataset = dataset;
    this.#options = options;
    this.name = options.name ?? namesText(dataset);
    this.form = formOfSchema(dataset.schema);
    this.#tree = numbered(this.form);
    this.#root = bind(dataset.schema.root, this.#tree);
    this.#partitions = partitionsOf(groups, options);
    this.rows = this.#partitions.map((groups) => groups.reduce((sum, { rows }) => sum + rows, 0));
    this.#leafBytes = dataset.schema.leaves.map(({ leaf }) => this.#bytesOfLeaf(leaf));
  }

  /** So far, footers included. */
  get bytesRead(): number {
    return this.dataset.bytesRead;
  }

  override get isFar(): boolean {
    return this.dataset.files.some((file) => file.isFar);
  }

  fingerprint(): string {
    if (this.#fingerprint === null) {
      const numbers = new Map(this.dataset.files.map((file, i) => [file, i]));
      const files = this.dataset.files.map((file) => file.fingerprint);
      const groups = this.#partitions.map((part) =>
        part.map(({ file, rowGroup, runs }) => `${numbers.get(file)}.${rowGroup}${runsText(runs)}`),
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
    const options = { ...choice, ...(signal === undefined ? {} : { signal }) };
    for (const { file, rowGroup, runs } of groups)
      for (const rows of runs ?? [null])
        columns.push(await file.read(rowGroup, rows === null ? options : { ...options, rows }));
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
      let bytes = 0;
      for (const leaf of [...leaves, ...shapesOnly]) bytes += shapeBytes(nodes[leaf]!, chunks[leaf]!);
      for (const leaf of leaves)
        bytes += valueBytes(nodes[leaf]!, chunks[leaf]!, () => textBytesOf(group, leaf));
      sum += Math.ceil(bytes * partOf(group));
    }
    // Row groups, and runs of their rows, are joined by copying.
    const isOne = groups.length <= 1 && (groups[0]?.runs?.length ?? 1) === 1;
    return isOne ? sum : 2 * sum;
  }

  costs(): readonly NodeCost[] {
    const bytes = new Map<number, number>();
    const names = new Map<number, string>();
    leavesOf(this.#root).forEach(({ content, schema }, leaf) => {
      bytes.set(content.at, (bytes.get(content.at) ?? 0) + this.#leafBytes[leaf]!);
      // A variant has several columns, and the name of none of them.
      names.set(content.at, names.has(content.at) ? content.path : schema.path);
    });
    return flattened(this.#tree).map(({ at }) => ({
      column: names.get(at) ?? null,
      bytes: bytes.get(at) ?? 0,
    }));
  }

  touched(need: Need): readonly number[] {
    const { leaves, shapesOnly } = this.#chosen(closed(this.form, need));
    const nodes = leavesOf(this.#root);
    const touched = new Set([...leaves, ...shapesOnly].map((leaf) => nodes[leaf]!.content.at));
    return [...touched].sort((a, b) => a - b);
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
    for (const part of this.#partitions.flat())
      sum += part.file.rowGroups[part.rowGroup]!.chunks[leaf]!.length * partOf(part);
    return Math.round(sum);
  }
}

const runsText = (runs: Partition["runs"]): string =>
  runs === undefined ? "" : `:${runs.map(({ start, stop }) => `${start}-${stop}`).join()}`;

function namesText({ files }: ParquetDataset): string {
  const [first] = files;
  return files.length === 1 ? first!.name : `${first!.name} and ${files.length - 1} more`;
}

/** The row groups, or runs of their rows, that the filter leaves. */
async function groupsOf(
  dataset: ParquetDataset,
  { filter, signal }: ParquetSourceOptions,
): Promise<readonly Partition[]> {
  if (filter === undefined) return dataset.partitions;
  return dataset.runsMatching(filterOf(filter), signal === undefined ? {} : { signal });
}

function partitionsOf(
  groups: readonly Partition[],
  { rowGroupsPerPartition: most = 1, partitionBytes }: ParquetSourceOptions,
): (readonly Partition[])[] {
  const parts: Partition[][] = [];
  for (const group of most === 1 ? groups.flatMap((each) => cutPartition(each, partitionBytes)) : groups) {
    const last = parts.at(-1);
    if (last !== undefined && (most === "file" ? last[0]!.file === group.file : last.length < most))
      last.push(group);
    else parts.push([group]);
  }
  return parts.length === 0 ? [[]] : parts;
}

/** Row groups that would take more in memory than this are cut into runs of rows of this size, about. */
const MOST_BYTES = 256 * 2 ** 20;

/** A row group in runs of rows, where all of its columns would take too much together. */
function cutPartition(group: Partition, given: string | number | undefined): Partition[] {
  const most = given === undefined ? MOST_BYTES : (parseBytes(given) ?? 0);
  if (most <= 0)
    throw new ValueError({
      what: `partitionBytes is ${describe(given)}`,
      cure: 'Use a number of bytes above 0, or a size such as "100MB"',
    });
  const { file, rowGroup, rows } = group;
  const { chunks } = file.rowGroups[rowGroup]!;
  const bytes = file.schema.leaves.reduce(
    (sum, node, leaf) =>
      sum + shapeBytes(node, chunks[leaf]!) + valueBytes(node, chunks[leaf]!, () => textBytesOf(group, leaf)),
    0,
  );
  const count = Math.ceil((bytes * partOf(group)) / most);
  if (count <= 1) return [group];
  const all = group.runs ?? [{ start: 0, stop: rows }];
  return cutRuns(all, Math.max(1, Math.ceil(rows / count))).map((run) => ({
    ...group,
    rows: run.stop - run.start,
    runs: [run],
  }));
}

/** Of the rows of its row group. */
const partOf = ({ file, rowGroup, rows }: Partition): number =>
  rows / Math.max(1, file.rowGroups[rowGroup]!.rows);

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
  if (isBytesValue(type)) return entries * (Math.max(16, type.length) + 4);
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
