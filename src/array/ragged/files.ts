// Files: Parquet and JSON lines, in and out. Opening reads footers, or a sample of lines; computing reads what is needed.

import { describe } from "../../core/chunks.ts";
import { ValueError } from "../../core/errors.ts";
import { makeExpr } from "../../expr/expr.ts";
import type { Partition, RaggedOp as RaggedNode } from "../../expr/op.ts";
import { asyncCall } from "../../lazy/call.ts";
import type { Layout } from "../../ragged/index.ts";
import { WRITERS } from "../../ragged/lazy/writing.ts";
import {
  type JsonLinesOptions,
  type JsonWriteOptions,
  jsonLinesFormat,
  type ParquetSourceOptions,
  parquetFormat,
} from "../../ragged/sources/index.ts";
import type { TakePartition } from "../../runtime/partitionTasks.ts";
import { type AsyncComputeOptions, type CheckedRun, checkRun, OPTIONS_AT } from "../../runtime/spec.ts";
import type { RaggedFormat, WrittenPart } from "../../storage/formats/raggedFormat.ts";
import type { FileArguments, WriteOptions, WriteTarget } from "../../storage/parquet/index.ts";
import { engine } from "../defaultEngine.ts";
import { checkTarget } from "./argumentChecks.ts";
import { computeLazy, runRagged } from "./compute.ts";
import { openRagged } from "./opening.ts";
import { asLazyRagged, asRagged, LazyRagged, type RaggedArray, type RaggedInput } from "./raggedArrays.ts";

// Partitions come as they are ready; a file takes them in their order. In: a run that gives partitions to whoever takes
// them, and a writer that reads them one after another. Out: what the writer says.

async function inOrder<T>(
  { npartitions }: LazyRagged,
  write: (layouts: AsyncIterable<Layout>) => Promise<T>,
  run: (take: TakePartition) => Promise<void>,
): Promise<T> {
  const queue = new Queue(npartitions);
  const running = run((at, partition) => queue.put(at, partition)).then(
    () => {},
    (error: unknown) => queue.fail(error),
  );
  try {
    return await write(queue.all());
  } finally {
    await running;
  }
}

/** Holds what comes too early. */
class Queue {
  readonly #count: number;
  readonly #parts = new Map<number, Partition>();
  #failure: { readonly error: unknown } | null = null;
  #wake: () => void = () => {};

  constructor(count: number) {
    this.#count = count;
  }

  put(at: number, partition: Partition): void {
    this.#parts.set(at, partition);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  async *all(): AsyncIterable<Layout> {
    for (let at = 0; at < this.#count; at++) {
      while (!this.#parts.has(at)) {
        if (this.#failure !== null) throw this.#failure.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const part = this.#parts.get(at)!;
      this.#parts.delete(at);
      yield part as Layout;
    }
  }
}

const PARQUET_OPTIONS = [
  ...[
    "rowGroupsPerPartition",
    "partitionBytes",
    "filter",
    "name",
    "tailBytes",
    "maxChunkBytes",
    "codecs",
    "http",
    "signal",
  ],
];
const JSON_OPTIONS = ["type", "blockBytes", "sampleRows", "sampleBytes", "http", "name", "signal"];

/**
 * Opens Parquet files (paths, patterns, folders, URLs): one partition a row group. Reads their footers alone: `const
 * events = await rg.fromParquet("events/*.parquet")`.
 */
export const fromParquet: (files: FileArguments, options?: ParquetSourceOptions) => Promise<LazyRagged> =
  asyncCall(
    "fromParquet",
    (files: FileArguments, options: ParquetSourceOptions = {}) => openRagged(parquetFormat, files, options),
    [1, ...PARQUET_OPTIONS],
  );

/**
 * Opens files with a JSON value on every line. Reads a sample, to know the type, unless it is given: `const events =
 * await rg.fromJsonLines("events.jsonl")`.
 */
export const fromJsonLines: (files: FileArguments, options?: JsonLinesOptions) => Promise<LazyRagged> =
  asyncCall(
    "fromJsonLines",
    (files: FileArguments, options: JsonLinesOptions = {}) => openRagged(jsonLinesFormat, files, options),
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
  (array: RaggedInput, place: WriteTarget, options: ToParquetOptions = {}) =>
    written(parquetFormat, array, place, options, "toParquet"),
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
  (array: RaggedInput, place: WriteTarget, options: ToJsonLinesOptions = {}) =>
    written(jsonLinesFormat, array, place, options, "toJsonLines"),
  [2, ...JSON_WRITING, ...OPTIONS_AT.run],
);

/** Options of `rg.toFiles`: the format, what it is told, and how the rows are computed. */
export interface ToFilesOptions extends AsyncComputeOptions {
  /** The name of a format; by the end of the target's name unless given. */
  readonly format?: string;
  /** What the format is told besides: those that its own function takes. */
  readonly options?: object;
}

/**
 * Writes rows in any format that can be written, those of users too.
 *
 * @example
 * await rg.toFiles(events, "events.parquet", { options: { codec: "zstd" } });
 */
export const toFiles: (
  array: RaggedInput,
  target: WriteTarget,
  options?: ToFilesOptions,
) => Promise<readonly WrittenPart[]> = asyncCall(
  "toFiles",
  async (array: RaggedInput, place: WriteTarget, { format, options = {}, ...run }: ToFilesOptions = {}) => {
    const target = checkTarget(place);
    const name = format ?? engine.formats.bySuffix(typeof target === "string" ? target : target.key);
    if (name === null)
      throw new ValueError({
        what: `the end of ${describe(target)} names no format`,
        cure: `Say it: {format}. There are ${engine.formats.names.join(", ")}`,
      });
    return written(
      await engine.formats.ragged(name),
      array,
      place,
      { ...options, ...run } as object,
      "toFiles",
    );
  },
  [2, "format", "options", ...OPTIONS_AT.run],
);

/** Options of the run, and the others. */
function split(options: object, where: string): { run: CheckedRun; own: object } {
  const isOfRun = ([name]: readonly [string, unknown]): boolean => OPTIONS_AT.run.includes(name);
  const entries = Object.entries(options);
  return {
    run: checkRun(Object.fromEntries(entries.filter(isOfRun)), where, "run", engine.spec),
    own: Object.fromEntries(entries.filter((entry) => !isOfRun(entry) && entry[0] !== "files")),
  };
}

/** The way of all rows out: by the tasks themselves, a file each, or in their order to one writer. */
async function written(
  format: RaggedFormat,
  array: RaggedInput,
  place: WriteTarget,
  options: { readonly files?: "one" | "perPartition" | undefined },
  where: string,
): Promise<readonly WrittenPart[]> {
  const target = checkTarget(place);
  const { run, own } = split(options, where);
  const rows = asLazyRagged(asRagged(array));
  const byTasks = WRITERS.get(format.name);
  if (options.files === "perPartition" && typeof target === "string" && byTasks !== undefined) {
    await format.checkFolder!(target);
    return writtenByTasks(byTasks, rows, target, own, run);
  }
  if (format.write === undefined)
    throw new ValueError({ what: `rows are not written as ${format.name}`, cure: 'Write them as "parquet"' });
  const all = { ...own, files: options.files ?? "one" };
  return inOrder(
    rows,
    (layouts) => format.write!(target, rows.form, layouts, all),
    (take) => runRagged([rows], [take], run),
  );
}

/** Tasks write their partitions themselves. */
async function writtenByTasks(
  op: RaggedNode,
  rows: LazyRagged,
  folder: string,
  options: object,
  run: CheckedRun,
): Promise<readonly WrittenPart[]> {
  if (rows.isItem)
    throw new ValueError({ what: `${describe(rows)} is one value`, cure: "Write an array of rows" });
  const files = new LazyRagged(makeExpr(op, [rows.expr], { folder, options: JSON.stringify(options) }));
  const [parts] = await computeLazy([files], run);
  return (parts as RaggedArray).toList() as unknown as WrittenPart[];
}
