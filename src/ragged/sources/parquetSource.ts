// Parquet files as a source. In: files, which row groups make a partition, and a filter. Out: partitions of which just
// the chunks of the needed leaves are read. Must hold: row groups that the filter rules out are in no partition; the
// same location opens the same source, and an error says so where files have changed.

import { describe } from "../../core/chunks.ts";
import { infoOf } from "../../core/dtype.ts";
import { ValueError } from "../../core/errors.ts";
import { ABSENT, closed, type Form, NEEDED, type Need } from "../../core/form/form.ts";
import { fingerprintBytes } from "../../expr/expr.ts";
import type { TableLocation } from "../../storage/formats/raggedFormat.ts";
import {
  type ChunkInfo,
  type Column,
  type Comparison,
  type DatasetOptions,
  dtypeOfLeaf,
  type FileArguments,
  type Filter,
  type FilterValue,
  joinColumns,
  type LeafColumn,
  type LeafNode,
  type ListColumn,
  openDataset,
  type ParquetDataset,
  type Partition,
  type SchemaNode,
  type StructColumn,
} from "../../storage/parquet/index.ts";
import { type Layout, recordOf } from "../layout/layout.ts";
import { isBytesValue } from "../logicalParquet.ts";
import { formOfSchema, leafLayout, maskOf } from "../parquet.ts";
import {
  checkedPartition,
  flattened,
  formThere,
  type NodeCost,
  type Numbered,
  numbered,
  RaggedSource,
  type ReadSignal,
} from "./source.ts";
import { zerosOf } from "./zeros.ts";

// The nodes of a form bound to the leaves of a Parquet schema. In: a schema, and what of its form is needed. Out: which
// leaves to read and which only for nulls and offsets; and of the columns that were read, a layout of the narrowed form.
// Must hold: nodes and leaves are bound by walking form and schema side by side, never by names; a needed list or option
// without a needed leaf takes the cheapest below it, or one that is read anyway.

/** What a schema node is in the form: a content, and the option around it where it may be null. */
interface Bound {
  readonly schema: SchemaNode;
  readonly option: Numbered | null;
  readonly content: Numbered;
  readonly children: readonly Bound[];
}

function bind(schema: SchemaNode, node: Numbered): Bound {
  const option = schema.nullable ? node : null;
  const content = option === null ? node : node.children[0]!;
  const below =
    schema.kind === "list" ? [schema.item] : schema.kind === "struct" ? schema.fields : ([] as const);
  return { schema, option, content, children: below.map((child, i) => bind(child, content.children[i]!)) };
}

/** Leaves by their nodes; in the order of their indices. */
function leavesOf(node: Bound): readonly Bound[] {
  return node.schema.kind === "leaf" ? [node] : node.children.flatMap(leavesOf);
}

const leafIndex = ({ schema }: Bound): number => (schema as Extract<SchemaNode, { kind: "leaf" }>).leaf;

interface Choice {
  readonly leaves: readonly number[];
  /** Only nulls and offsets of lists. */
  readonly shapesOnly: readonly number[];
}

/** Lowest lists first: what is read for an inner list serves the outer ones. */
function chosenLeaves(root: Bound, need: Need, bytesOf: (leaf: number) => number): Choice {
  const leaves: number[] = [];
  const shapesOnly: number[] = [];
  const visit = (node: Bound): boolean => {
    const isNeeded = need[node.content.at] === NEEDED;
    if (node.schema.kind === "leaf" && isNeeded) leaves.push(leafIndex(node));
    const isRead = node.schema.kind === "leaf" ? isNeeded : node.children.map(visit).includes(true);
    if (isRead || !needsShape(node, need)) return isRead;
    const below = leavesOf(node).map(leafIndex);
    shapesOnly.push(below.reduce((best, leaf) => (bytesOf(leaf) < bytesOf(best) ? leaf : best)));
    return true;
  };
  visit(root);
  return { leaves, shapesOnly };
}

const needsShape = ({ schema, option, content }: Bound, need: Need): boolean =>
  (schema.kind === "list" && need[content.at] === NEEDED) || (option !== null && need[option.at] === NEEDED);

interface ReadColumns {
  readonly need: Need;
  /** All leaves of which anything was read. */
  readonly chosen: ReadonlySet<number>;
}

/** `column` is undefined where nothing below was read. */
function layoutOfBound(node: Bound, column: Column | undefined, length: number, read: ReadColumns): Layout {
  const content = contentOfBound(node, column, length, read);
  if (node.option === null) return content;
  const isKnown = column !== undefined && read.need[node.option.at] === NEEDED;
  const mask = maskOf(isKnown ? column : { validity: null, length });
  return { kind: "byteMasked", mask, validWhen: true, content, length, parameters: {} };
}

function contentOfBound(node: Bound, column: Column | undefined, length: number, read: ReadColumns): Layout {
  const { schema, content, children } = node;
  if (schema.kind === "struct") return structOfBound(node, column as StructColumn | undefined, length, read);
  if (read.need[content.at] !== NEEDED) return zerosOf(formThere(content, read.need), length);
  if (schema.kind === "leaf") return leafLayout(column as LeafColumn)!;
  const { offsets, item } = column as ListColumn;
  const below = layoutOfBound(children[0]!, item, item.length, read);
  return { kind: "listOffset", offsets, content: below, length, parameters: content.form.parameters };
}

/** Columns are those of the fields with a chosen leaf, in the order of the schema. */
function structOfBound(
  { content, children }: Bound,
  column: StructColumn | undefined,
  length: number,
  read: ReadColumns,
): Layout {
  let next = 0;
  const names: string[] = [];
  const contents: Layout[] = [];
  for (const [i, child] of children.entries()) {
    const isRead = leavesOf(child).some((leaf) => read.chosen.has(leafIndex(leaf)));
    const field = isRead ? column?.fields[next++] : undefined;
    if (read.need[content.children[i]!.at] === ABSENT) continue;
    names.push(child.schema.name);
    contents.push(layoutOfBound(child, field, length, read));
  }
  return recordOf(names, contents, length);
}

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
