// Parquet: files and datasets read by leaves and row groups into typed columns, and written from them.

export { type ByteFile, httpFile, localFile, memoryFile, storeFile } from "./byteFile.ts";
export {
  type Column,
  type LeafColumn,
  type ListColumn,
  type StructColumn,
  sliceColumn,
  type Values,
} from "./column.ts";
export { dtypeOfLeaf } from "./columnValues.ts";
export type { Decompressor, Decompressors, WrittenCodec } from "./compression.ts";
export {
  type DatasetOptions,
  joinColumns,
  openDataset,
  ParquetDataset,
  type Partition,
} from "./dataset.ts";
export { ParquetDataError, SchemaMismatchError } from "./errors.ts";
export { type OpenOptions, ParquetFile, type ReadOptions } from "./file.ts";
export { type Comparison, checkFilter, type Filter, type FilterValue } from "./filter.ts";
export type { ChunkInfo, RowGroup } from "./footer.ts";
export { joinParquet } from "./joinFiles.ts";
export type { Physical } from "./names.ts";
export { type FileArgument, type FileArguments, filesOf, type PlaceOptions } from "./places.ts";
export { cutRuns, type RowRun } from "./rowRuns.ts";
export type { Logical, TimeUnit } from "./schema.ts";
export {
  type LeafNode,
  type LeafType,
  type ListNode,
  leavesAt,
  type Schema,
  type SchemaNode,
  type StructNode,
} from "./schema.ts";
export type { Bound, Statistics } from "./statistics.ts";
export { emptyFolder, inFolder, partName, putFile, putPieces, type WriteTarget } from "./target.ts";
export { variantTexts } from "./variant.ts";
export type { Field } from "./write.ts";
export {
  type Partitions,
  type WriteOptions,
  type WrittenFile,
  writeParquet,
} from "./write.ts";
