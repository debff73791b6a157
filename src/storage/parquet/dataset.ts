// Several Parquet files as one table. In: paths, patterns, URLs or open byte files. Out: one schema, and partitions (a
// row group each) with the numbers of their rows, known from footers alone. What must hold: all files have the same
// columns of the same types in the same order; else an error names the first file and column that differ.

import { infoOf, type TypedArray } from "../../core/dtype.ts";
import { NotSupportedError } from "../errors.ts";
import type { HttpStoreOptions } from "../httpStore.ts";
import type { StoreOptions } from "../store.ts";
import { mapLimited } from "../zarr/limited.ts";
import type { Column, LeafColumn, ListColumn, StructColumn, Values } from "./column.ts";
import { SchemaMismatchError } from "./errors.ts";
import { type OpenOptions, ParquetFile } from "./file.ts";
import { checkFilter, type Filter } from "./filter.ts";
import { type FileArguments, filesOf } from "./places.ts";
import { type RowRun, rowsOfRuns } from "./rowRuns.ts";
import type { LeafType, Schema, SchemaNode } from "./schema.ts";
import { runsMatching } from "./skipping.ts";

// Columns one after another: several row groups as one. In: columns of the same leaves of one schema. Out: one column.
// What must hold: the result is what reading one row group of all the rows would give.

export function joinColumns<C extends Column>(columns: readonly C[]): C;
export function joinColumns(columns: readonly Column[]): Column {
  const [first] = columns;
  if (columns.length === 1) return first!;
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const base = { length, validity: joinValidity(columns, length) };
  switch (first!.kind) {
    case "leaf":
      return { ...first!, ...base, values: joinValues(columns as readonly LeafColumn[]) };
    case "list":
      return { ...first!, ...base, ...joinLists(columns as readonly ListColumn[]) };
    case "struct":
      return {
        ...first!,
        ...base,
        fields: first!.fields.map((_, i) =>
          joinColumns((columns as readonly StructColumn[]).map((column) => column.fields[i]!)),
        ),
      };
  }
}

function joinValidity(columns: readonly Column[], length: number): Uint8Array | null {
  if (columns.every(({ validity }) => validity === null)) return null;
  const joined = new Uint8Array(length).fill(1);
  let at = 0;
  for (const column of columns) {
    if (column.validity !== null) joined.set(column.validity, at);
    at += column.length;
  }
  return joined;
}

function joinLists(lists: readonly ListColumn[]): { offsets: Int32Array; item: Column } {
  return { offsets: joinOffsets(lists), item: joinColumns(lists.map((list) => list.item)) };
}

/** Of columns whose first offset is 0, as all are that were read. */
function joinOffsets(parts: readonly { readonly offsets: Int32Array }[]): Int32Array {
  const count = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const joined = new Int32Array(count + 1);
  let at = 0;
  let base = 0;
  for (const { offsets } of parts) {
    for (let i = 1; i < offsets.length; i++) joined[++at] = base + offsets[i]!;
    base += offsets[offsets.length - 1]!;
    if (base >= 2 ** 31) throw tooMany(base);
  }
  return joined;
}

function joinValues(columns: readonly LeafColumn[]): Values | null {
  const parts = columns.map(({ values }) => values).filter((values) => values !== null);
  const [first] = parts;
  if (first === undefined) return null;
  const arrays = parts.map(({ data }) => data);
  switch (first.kind) {
    case "numbers":
      return { ...first, data: joinArrays(arrays, infoOf(first.dtype).array) };
    case "fixed":
      return { ...first, data: joinArrays(arrays, Uint8Array) as Uint8Array };
    case "bytes": {
      const offsets = joinOffsets(parts as readonly Extract<Values, { kind: "bytes" }>[]);
      return { ...first, offsets, data: joinArrays(arrays, Uint8Array) as Uint8Array };
    }
  }
}

function joinArrays(arrays: readonly TypedArray[], ArrayOf: new (length: number) => TypedArray): TypedArray {
  const joined = new ArrayOf(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    joined.set(array as never, at);
    at += array.length;
  }
  return joined;
}

const tooMany = (items: number): NotSupportedError =>
  new NotSupportedError({
    what: `row groups with ${items} items together, and offsets are of 32 bits`,
    cure: "Join fewer row groups into a partition",
  });

export interface DatasetOptions extends OpenOptions {
  /** For files behind http(s) URLs: headers, retries, time-outs. */
  http?: HttpStoreOptions;
}

/** A row group of a file, or runs of its rows. */
export interface Partition {
  readonly file: ParquetFile;
  readonly rowGroup: number;
  readonly rows: number;
  /** Not said: all rows. */
  readonly runs?: readonly RowRun[];
  /** The number of its first row in the whole dataset. */
  readonly firstRow: number;
}

export class ParquetDataset {
  readonly files: readonly ParquetFile[];
  readonly schema: Schema;
  readonly partitions: readonly Partition[];
  readonly rows: number;

  constructor(files: readonly ParquetFile[]) {
    for (const file of files.slice(1)) checkSame(files[0]!, file);
    this.files = files;
    this.schema = files[0]!.schema;
    const partitions: Partition[] = [];
    let firstRow = 0;
    for (const file of files)
      for (const { index, rows } of file.rowGroups) {
        partitions.push({ file, rowGroup: index, rows, firstRow });
        firstRow += rows;
      }
    this.partitions = partitions;
    this.rows = firstRow;
  }

  /** First rows of all partitions, and the number of rows at the end. */
  get divisions(): number[] {
    return [...this.partitions.map((partition) => partition.firstRow), this.rows];
  }
  get bytesRead(): number {
    return this.files.reduce((sum, file) => sum + file.bytesRead, 0);
  }

  /** Bytes of a leaf in all files. */
  leafBytes(leaf: number): number {
    return this.files.reduce((sum, file) => sum + file.leafBytes(leaf), 0);
  }

  /** The partitions that may have rows for which the filter holds, by the statistics in footers. */
  partitionsMatching(filter: Filter): Partition[] {
    checkFilter(filter, this.schema);
    const kept = new Map(this.files.map((file) => [file, new Set(file.rowGroupsMatching(filter))]));
    return this.partitions.filter(({ file, rowGroup }) => kept.get(file)!.has(rowGroup));
  }

  /** The same by all that files say of their values: bloom filters, dictionaries and page indexes are read where they are. */
  async runsMatching(filter: Filter, options: StoreOptions = {}): Promise<Partition[]> {
    const partitions = this.partitionsMatching(filter);
    const found: Partition[][] = new Array(partitions.length);
    await mapLimited(partitions.entries(), AT_ONCE, async ([i, partition]) => {
      const { file, rowGroup, rows } = partition;
      const runs = await runsMatching(file, rowGroup, filter, options);
      const left = rowsOfRuns(runs);
      found[i] = left === 0 ? [] : left === rows ? [partition] : [{ ...partition, rows: left, runs }];
    });
    return found.flat();
  }
}

/** Footers of so many files are read at once. */
const AT_ONCE = 8;

export async function openDataset(
  files: FileArguments,
  options: DatasetOptions = {},
): Promise<ParquetDataset> {
  const places = await filesOf(files, options);
  const open: ParquetFile[] = new Array(places.length);
  await mapLimited(places.entries(), AT_ONCE, async ([i, place]) => {
    open[i] = await ParquetFile.open(place, options);
  });
  return new ParquetDataset(open);
}

/** A typed error that names what differs. */
export function checkSame(first: ParquetFile, other: ParquetFile): void {
  const difference = differenceOf(first.schema.root, other.schema.root);
  if (difference === undefined) return;
  throw new SchemaMismatchError(
    {
      what: `${difference.what} (the other file is ${first.name})`,
      cure: "Files of one dataset must have the same columns in the same order; open the others by themselves",
    },
    { file: other.name, column: difference.column },
  );
}

interface Difference {
  readonly column: string;
  readonly what: string;
}

function differenceOf(a: SchemaNode, b: SchemaNode): Difference | undefined {
  const column = a.path;
  const [left, right] = [shapeText(a), shapeText(b)];
  if (left !== right) return { column, what: `is ${right} here and ${left} in another file` };
  if (a.kind === "list" && b.kind === "list") return differenceOf(a.item, b.item);
  if (a.kind === "struct" && b.kind === "struct") return fieldDifference(a.fields, b.fields);
  return undefined;
}

function fieldDifference(a: readonly SchemaNode[], b: readonly SchemaNode[]): Difference | undefined {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined) return { column: right!.path, what: "is not in another file" };
    if (right === undefined) return { column: left.path, what: "is missing here and in another file" };
    if (left.name !== right.name)
      return { column: left.path, what: `should be field ${i}, and ${right.path} is` };
    const found = differenceOf(left, right);
    if (found !== undefined) return found;
  }
  return undefined;
}

function shapeText(node: SchemaNode): string {
  const nullable = node.nullable ? "nullable " : "";
  if (node.kind === "leaf") return nullable + typeText(node.type);
  return nullable + (node.kind === "list" && node.isMap ? "map" : node.kind);
}

function typeText({ physical, length, logical }: LeafType): string {
  const size = physical === "fixed" ? `(${length})` : "";
  if (logical === null) return physical + size;
  const { kind, ...rest } = logical;
  const details = Object.values(rest);
  return `${physical}${size} as ${kind}${details.length > 0 ? `(${details.join(", ")})` : ""}`;
}
