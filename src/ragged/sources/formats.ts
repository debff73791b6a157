// Parquet and JSON lines as formats: how their files are known, opened, opened again by location, and written. In: files. Out:
// sources of rows in partitions; files that appear whole or not at all.

import type { RaggedFormat } from "../../storage/formats/raggedFormat.ts";
import type { Layout } from "../layout/layout.ts";
import {
  checkJsonFolder,
  type JsonOptions,
  type JsonWriteOptions,
  writeJsonLines,
  writeJsonPartition,
} from "./jsonLinesSink.ts";
import { JSON_ENDINGS, type JsonLinesOptions, jsonLinesAt, openJsonLines } from "./jsonLinesSource.ts";
import {
  checkParquetFolder,
  type Layouts,
  writeParquetLayouts,
  writeParquetPartition,
} from "./parquetSink.ts";
import { openParquet } from "./parquetSource.ts";

export const parquetFormat: RaggedFormat = {
  kind: "ragged",
  name: "parquet",
  suffixes: [".parquet", ".parq"],
  async recognises(look) {
    const magic = new TextDecoder().decode((await look.first(4)) ?? new Uint8Array());
    return magic === "PAR1" || hasMembers(await look.members(), [".parquet"]);
  },
  open: openParquet,
  openAt: (location) => openParquet(location["files"] as string[], location["options"] as object),
  write: (target, form, parts, options) => writeParquetLayouts(target, form, parts as Layouts, options),
  writePart: (folder, at, part, options) => writeParquetPartition(folder, at, part as Layout, options),
  checkFolder: checkParquetFolder,
};

export const jsonLinesFormat: RaggedFormat = {
  kind: "ragged",
  name: "jsonLines",
  suffixes: JSON_ENDINGS,
  // A folder may have a file ".json" for many reasons.
  recognises: async (look) => hasMembers(await look.members(), [".jsonl", ".ndjson"]),
  open: (files, options) => openJsonLines(files, options as JsonLinesOptions),
  openAt: (location) =>
    jsonLinesAt(location["files"] as string[], location["options"] as Parameters<typeof jsonLinesAt>[1]),
  write: (target, _, parts, options) => writeJsonLines(target, parts as Layouts, options as JsonWriteOptions),
  writePart: (folder, at, part, options) =>
    writeJsonPartition(folder, at, part as Layout, options as JsonOptions),
  checkFolder: checkJsonFolder,
};

const hasMembers = (names: readonly string[], endings: readonly string[]): boolean =>
  names.some((name) => !/^[._]/.test(name) && endings.some((ending) => name.endsWith(ending)));
