// Files: Parquet and JSON lines, in and out. Opening reads footers, or a sample of lines; computing reads what is needed.

import { ValueError } from "../../core/errors.ts";
import { describe } from "../../core/shape.ts";
import { makeExpr } from "../../expr/expr.ts";
import type { RaggedOp as RaggedNode } from "../../expr/op.ts";
import { asyncCall } from "../../lazy/call.ts";
import type { Layout } from "../../ragged/index.ts";
import { type WrittenPart, writeJsonFiles, writeParquetFiles } from "../../ragged/lazy/writing.ts";
import {
  checkJsonFolder,
  checkParquetFolder,
  type JsonLinesOptions,
  type JsonWriteOptions,
  openJsonLines,
  openParquet,
  type ParquetSourceOptions,
  writeJsonLines,
  writeParquetLayouts,
} from "../../ragged/sources/index.ts";
import { type AsyncComputeOptions, type CheckedRun, checkRun, OPTIONS_AT } from "../../runtime/options.ts";
import type { FileArguments, WriteOptions, WriteTarget } from "../../storage/parquet/index.ts";
import { engine } from "../engine.ts";
import { LazyRagged, type Ragged, type RaggedArray } from "./arrays.ts";
import { checkTarget } from "./check.ts";
import { computeLazy, runRagged } from "./compute.ts";
import { asLazyRagged, asRagged, lazyOf, type RaggedInput } from "./operands.ts";
import { inOrder } from "./order.ts";

const PARQUET_OPTIONS = [
  ...["rowGroupsPerPartition", "filter", "name", "tailBytes", "maxChunkBytes", "codecs", "http", "signal"],
];
const JSON_OPTIONS = ["type", "blockBytes", "sampleRows", "sampleBytes", "http", "name", "signal"];

/**
 * Opens Parquet files (paths, patterns, folders, URLs): one partition a row group. Reads their footers alone: `const
 * events = await rg.fromParquet("events/*.parquet")`.
 */
export const fromParquet: (files: FileArguments, options?: ParquetSourceOptions) => Promise<LazyRagged> =
  asyncCall(
    "fromParquet",
    async (files: FileArguments, options: ParquetSourceOptions = {}) =>
      lazyOf(await openParquet(files, options)),
    [1, ...PARQUET_OPTIONS],
  );

/**
 * Opens files with a JSON value on every line. Reads a sample, to know the type, unless it is given: `const events =
 * await rg.fromJsonLines("events.jsonl")`.
 */
export const fromJsonLines: (files: FileArguments, options?: JsonLinesOptions) => Promise<LazyRagged> =
  asyncCall(
    "fromJsonLines",
    async (files: FileArguments, options: JsonLinesOptions = {}) =>
      lazyOf(await openJsonLines(files, options)),
    [1, ...JSON_OPTIONS],
  );

/** Options of `rg.toParquet`: how files are written, and how they are computed. */
export interface ToParquetOptions extends WriteOptions, AsyncComputeOptions {}
/** Options of `rg.toJsonLines`: how lines are written, and how they are computed. */
export interface ToJsonLinesOptions extends JsonWriteOptions, AsyncComputeOptions {}

const PARQUET_WRITING = [
  "codec",
  "rowGroupRows",
  "pageSize",
  "dictionary",
  "pageVersion",
  "files",
  "keyValues",
];
const JSON_WRITING = ["files", "nonFinite"];

/** Options of the run, and the others. */
function split(options: object, where: string): { run: CheckedRun; own: object } {
  const isOfRun = ([name]: readonly [string, unknown]): boolean => OPTIONS_AT.run.includes(name);
  const entries = Object.entries(options);
  return {
    run: checkRun(Object.fromEntries(entries.filter(isOfRun)), where, "run", engine.spec),
    own: Object.fromEntries(entries.filter((entry) => !isOfRun(entry) && entry[0] !== "files")),
  };
}

/**
 * Writes one file, or with files: "perPartition" a folder of part-00000.parquet and so on. Nothing is held but what is
 * worked on: `await rg.toParquet(x, "events.parquet", {codec: "zstd"})`.
 */
export const toParquet: (
  array: RaggedInput,
  target: WriteTarget,
  options?: ToParquetOptions,
) => Promise<readonly WrittenPart[]> = asyncCall(
  "toParquet",
  async (array: RaggedInput, place: WriteTarget, options: ToParquetOptions = {}) => {
    const target = checkTarget(place);
    const { run, own } = split(options, "toParquet");
    if (options.files === "perPartition" && typeof target === "string") {
      await checkParquetFolder(target);
      return writtenParts(writeParquetFiles, asRagged(array), target, own, run);
    }
    const rows = asLazyRagged(asRagged(array));
    const write = (layouts: AsyncIterable<Layout>): Promise<readonly WrittenPart[]> =>
      writeParquetLayouts(target, rows.form, layouts, { ...own, files: options.files ?? "one" });
    return inOrder(rows, write, (take) => runRagged([rows], [take], run));
  },
  [2, ...PARQUET_WRITING, ...OPTIONS_AT.run],
);

/**
 * Writes a JSON value on every line; one file, or with files: "perPartition" a folder of part-00000.jsonl and so on:
 * `await rg.toJsonLines(x, "events.jsonl")`.
 */
export const toJsonLines: (
  array: RaggedInput,
  target: WriteTarget,
  options?: ToJsonLinesOptions,
) => Promise<readonly WrittenPart[]> = asyncCall(
  "toJsonLines",
  async (array: RaggedInput, place: WriteTarget, options: ToJsonLinesOptions = {}) => {
    const target = checkTarget(place);
    const { run, own } = split(options, "toJsonLines");
    if (options.files === "perPartition" && typeof target === "string") {
      await checkJsonFolder(target);
      return writtenParts(writeJsonFiles, asRagged(array), target, own, run);
    }
    const rows = asLazyRagged(asRagged(array));
    const write = (layouts: AsyncIterable<Layout>): Promise<readonly WrittenPart[]> =>
      writeJsonLines(target, layouts, { ...own, files: options.files ?? "one" });
    return inOrder(rows, write, (take) => runRagged([rows], [take], run));
  },
  [2, ...JSON_WRITING, ...OPTIONS_AT.run],
);

/** Tasks write their partitions themselves. */
async function writtenParts(
  op: RaggedNode,
  array: Ragged,
  folder: string,
  options: object,
  run: CheckedRun,
): Promise<readonly WrittenPart[]> {
  const rows = asLazyRagged(array);
  if (rows.isItem)
    throw new ValueError({ what: `${describe(array)} is one value`, cure: "Write an array of rows" });
  const written = new LazyRagged(makeExpr(op, [rows.expr], { folder, options: JSON.stringify(options) }));
  const [parts] = await computeLazy([written], run);
  return (parts as RaggedArray).toList() as unknown as WrittenPart[];
}
