// Layouts as Parquet files. In: layouts of one form, one after another. Out: the bytes of a file; one file with a row
// group or several for each partition; or a folder with a file for each. Must hold: a file appears whole or not at all,
// and no more than one partition is in memory; columns come from the form, so that a partition without rows has them too.

import type { Form } from "../../core/form/form.ts";
import {
  emptyFolder,
  type Field,
  type FileArgument,
  filesOf,
  joinParquet,
  memoryFile,
  ParquetFile,
  partName,
  putFile,
  type StructColumn,
  type WriteOptions,
  type WriteTarget,
  type WrittenFile,
  writeParquet,
} from "../../storage/parquet/index.ts";
import type { StoreKey } from "../../storage/store.ts";
import { formOf, type Layout } from "../layout/layout.ts";
import { plainProbe } from "../layout/probe.ts";
import { columnOfLayout } from "../parquet.ts";

export type Layouts = Iterable<Layout> | AsyncIterable<Layout>;
/** One file in memory has no other files beside it. */
export type EncodeOptions = Omit<WriteOptions, "files">;

/** The columns of a form; a typed error for what Parquet cannot hold. */
export const parquetFields = (form: Form): readonly Field[] => columnOfLayout(plainProbe(form)).fields;

/** A layout of records as a whole file. */
export async function encodeParquetFile(layout: Layout, options: EncodeOptions = {}): Promise<Uint8Array> {
  let file: Uint8Array | undefined;
  const store = {
    get: async () => file,
    set: async (_: StoreKey, bytes: Uint8Array) => {
      file = bytes;
    },
  };
  const { column } = columnOfLayout(layout);
  await writeParquet({ store, key: "/file" }, parquetFields(formOf(layout)), [column], options);
  return file!;
}

/** One file, or with `files: "perPartition"` a folder of part-00000.parquet and so on. */
export const writeParquetLayouts = (
  target: WriteTarget,
  form: Form,
  layouts: Layouts,
  options: WriteOptions = {},
): Promise<WrittenFile[]> => writeParquet(target, parquetFields(form), columnsOf(layouts), options);

async function* columnsOf(layouts: Layouts): AsyncIterable<StructColumn> {
  for await (const layout of layouts) yield columnOfLayout(layout).column;
}

/** An error when the folder has files of another table. To be asked once, before partitions are written by themselves. */
export const checkParquetFolder = (folder: WriteTarget): Promise<void> => emptyFolder(folder, ".parquet");

/** One partition as its file in a folder: for tasks that each write their own. Written again it is replaced. */
export async function writeParquetPartition(
  folder: WriteTarget,
  partition: number,
  layout: Layout,
  options: EncodeOptions = {},
): Promise<WrittenFile> {
  const bytes = await encodeParquetFile(layout, options);
  const name = await putFile(folder, partName(partition, ".parquet"), bytes);
  return { name, rows: layout.length, rowGroups: groupsOf(layout.length, options), bytes: bytes.length };
}

/** Encoded partitions, or files that hold them, as one file: pages are copied, nothing is decoded. */
export const joinParquetFiles = (
  target: WriteTarget,
  files: Iterable<FileArgument | Uint8Array> | AsyncIterable<FileArgument | Uint8Array>,
): Promise<WrittenFile> => joinParquet(target, opened(files));

async function* opened(
  files: Iterable<FileArgument | Uint8Array> | AsyncIterable<FileArgument | Uint8Array>,
): AsyncIterable<ParquetFile> {
  for await (const argument of files) {
    const found = argument instanceof Uint8Array ? [memoryFile(argument)] : await filesOf(argument);
    for (const file of found) yield await ParquetFile.open(file);
  }
}

const groupsOf = (rows: number, { rowGroupRows = 2 ** 20 }: EncodeOptions): number =>
  Math.ceil(rows / rowGroupRows);
