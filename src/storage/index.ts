// Storage: stores, and Zarr arrays and groups in them. What the rest of the house imports.

export type { AccessToken, TokenOption } from "./cloud/accessToken.ts";
export { AzureStore, type AzureStoreOptions } from "./cloud/azureStore.ts";
export type { CloudStoreOptions } from "./cloud/cloudOptions.ts";
export { GcsStore, type GcsStoreOptions } from "./cloud/gcsStore.ts";
export type { AwsCredentials, S3StoreOptions } from "./cloud/s3Options.ts";
export { S3Store } from "./cloud/s3Store.ts";
export type { Bytes, SizeBound } from "./codecs/codec.ts";
export type {
  CodecImplementation,
  CodecModule,
  LoadedCodec,
  ModuleCodec,
  OwnCodec,
} from "./codecs/table.ts";
export { CodecTable } from "./codecs/table.ts";
export {
  CorruptDataError,
  LostChunkError,
  MetadataError,
  NotFoundError,
  NotSupportedError,
  StorageError,
  StoreKeyError,
  StoreRequestError,
} from "./errors.ts";
export { FileStore, type FileStoreOptions } from "./fileStore.ts";
export type {
  ChunkWriter,
  DenseArray,
  DenseFormat,
  DenseTarget,
  Look,
  NewArray,
  Place,
  PreparedPlace,
  SourceArgument,
  Using,
  WrittenUnit,
} from "./formats/denseFormat.ts";
export type { Format } from "./formats/format.ts";
export type { RaggedFormat, Table, TableLocation } from "./formats/raggedFormat.ts";
export type { FormatModule, ModuleFormat, OwnFormat } from "./formats/table.ts";
export { FormatTable } from "./formats/table.ts";
export { HttpStore, type HttpStoreOptions } from "./httpStore.ts";
export { type StoreArgument, storeAt, storeOf } from "./location.ts";
export { MemoryStore } from "./memoryStore.ts";
export type {
  AzureLocation,
  ByteRange,
  GcsLocation,
  GetOptions,
  ListedObject,
  OpenObject,
  PlainData,
  S3Location,
  SetOptions,
  Store,
  StoreKey,
  StoreLocation,
  StoreOptions,
  SweepOptions,
} from "./store.ts";
export { type ChunkOptions, ZarrArray } from "./zarr/array.ts";
export { consolidate } from "./zarr/consolidate.ts";
export { type CodecArgument, type CreateArrayOptions, createArray } from "./zarr/create.ts";
export {
  type CreateGroupOptions,
  createGroup,
  type Member,
  type OpenOptions,
  openArray,
  openGroup,
  openNode,
  setAttributes,
  ZarrGroup,
} from "./zarr/group.ts";
export type {
  ArrayMetadata,
  ArrayOptions,
  GroupMetadata,
  KeyEncoding,
  NodeMetadata,
  ZarrFormat,
} from "./zarr/metadata.ts";
export { resize } from "./zarr/resize.ts";
export type { Endian, FillArgument, StoredName } from "./zarr/storedType.ts";
export type { Json, JsonObject } from "./zarr/zarrJson.ts";
export { ZipStore, zipOf } from "./zipStore.ts";
