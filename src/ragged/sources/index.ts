// Where rows of nested data come from and go to: memory, Parquet, JSON lines.

export { jsonLinesFormat, parquetFormat } from "./formats.ts";
export {
  checkJsonFolder,
  encodeJsonLines,
  type JsonOptions,
  type JsonWriteOptions,
  type WrittenLines,
  writeJsonLines,
  writeJsonPartition,
} from "./jsonLinesSink.ts";
export { JsonLineError, type JsonLinesOptions, JsonLinesSource, openJsonLines } from "./jsonLinesSource.ts";
export { MemorySource } from "./memorySource.ts";
export { asSource, openSource } from "./open.ts";
export {
  checkParquetFolder,
  type EncodeOptions,
  encodeParquetFile,
  joinParquetFiles,
  type Layouts,
  parquetFields,
  writeParquetLayouts,
  writeParquetPartition,
} from "./parquetSink.ts";
export {
  type Condition,
  type FilterArgument,
  openParquet,
  ParquetSource,
  type ParquetSourceOptions,
} from "./parquetSource.ts";
export { type NodeCost, RaggedSource, type ReadSignal } from "./source.ts";
