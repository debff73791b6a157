// New arrays: what a user asks for → metadata, checked, and written to the store.

import { type ChunksArgument, checkChunks, checkShape, describe, type Shape } from "../../core/chunks.ts";
import { isDType, isTime } from "../../core/dtype.ts";
import { DTypeError } from "../../core/errors.ts";
import { closest } from "../../core/suggest.ts";
import type { CodecSpec } from "../codecs/codec.ts";
import { isOfElements } from "../codecs/elements.ts";
import { builtInCodecs, ZSTD_LEVEL } from "../codecs/table.ts";
import { MetadataError } from "../errors.ts";
import { normalPath, type Store, type StoreOptions } from "../store.ts";
import { ZarrArray } from "./array.ts";
import {
  type ArrayMetadata,
  type ArrayOptions,
  checkChunkShape,
  codecToV3,
  dimensionNamesFrom,
  type KeyEncoding,
  shapeFrom,
  type ZarrFormat,
} from "./metadata.ts";
import { makeParents, writeNode } from "./nodes.ts";
import { clearPlace, lookAtPlace } from "./place.ts";
import {
  type Endian,
  type Fill,
  type FillArgument,
  fillFromUser,
  noTimeFill,
  nullFill,
  type StoredName,
  type StoredType,
  storedType,
  zeroFill,
} from "./storedType.ts";
import type { JsonObject } from "./zarrJson.ts";

/** A codec by its name, or with its configuration. */
export type CodecArgument = string | { readonly name: string; readonly configuration?: JsonObject };

/** Options of `createArray`. */
export interface CreateArrayOptions extends ArrayOptions, StoreOptions {
  /** How long the array is along each axis. */
  readonly shape: number | Shape;
  /** Of the elements in the store. */
  readonly dtype: StoredName;
  /** The unit of reading: lengths per axis, or "auto". */
  readonly chunks?: ChunksArgument;
  /** The unit of writing: multiples of the chunks. None unless given. */
  readonly shards?: readonly number[] | null;
  /** 0 unless given; null, which only v2 has, unless given there. */
  readonly fillValue?: FillArgument | null;
  /** Compressors and checksums, in the order of encoding; zstd and crc32c unless given. [] for none. */
  readonly codecs?: readonly CodecArgument[];
  /** Row-major, column-major, or a permutation of the axes. */
  readonly order?: "C" | "F" | readonly number[];
  /** The order of bytes in an element; "little" unless given. */
  readonly endian?: Endian;
  /** A name for each axis, or null. */
  readonly dimensionNames?: readonly (string | null)[] | null;
  /** What else is to be said of the array. */
  readonly attributes?: JsonObject;
  /** 3 unless given. */
  readonly zarrFormat?: ZarrFormat;
  /** How chunks are named: "c/0/1" unless given, "0.1" in v2. */
  readonly keyEncoding?: KeyEncoding;
  /** Where a shard has its index. */
  readonly indexLocation?: "start" | "end";
  /** Removes what is at the path first: an array or a group with all that is in it. */
  readonly overwrite?: boolean;
}

/** Makes an array: `await createArray(store, "grid", {shape: [100, 100], chunks: [40, 100], dtype: "int32"})`. */
export async function createArray(
  store: Store,
  path: string,
  options: CreateArrayOptions,
): Promise<ZarrArray> {
  const at = normalPath(path);
  const metadata = planArray(options, at === "" ? "/" : at);
  // Built first: what cannot be used must not be written.
  const array = new ZarrArray(store, at, metadata, options);
  const request = { signal: options.signal };
  const inTheWay = await lookAtPlace(store, at, metadata.keyEncoding, options.overwrite === true, request);
  if (at !== "") await makeParents(store, at, metadata.zarrFormat, request);
  if (inTheWay !== null) await clearPlace(store, at, inTheWay, request);
  await writeNode(store, at, metadata, request);
  return array;
}

/** What an array would have as metadata. */
export function planArray(options: CreateArrayOptions, where: string): ArrayMetadata {
  const { zarrFormat = 3, attributes = {}, fillValue } = options;
  if (!isDType(options.dtype))
    throw new DTypeError({
      what: `${describe(options.dtype)} is not a data type`,
      cure: closest(String(options.dtype), ["float64", "float32", "float16", "int64", "uint8", "complex128"]),
    });
  const type = storedType(options.dtype);
  const shape = checkShape(options.shape);
  const chunks = chunkShape(options.chunks ?? "auto", shape, type, where);
  const shards = options.shards ? shapeFrom(options.shards, "shards", where, 1) : null;
  const unitShape = shards ?? chunks;
  checkChunkShape(shape, unitShape, type, "chunks", where);
  return {
    kind: "array",
    zarrFormat,
    shape,
    unitShape,
    type,
    fill: fillOf(fillValue, type, zarrFormat),
    codecs: codecList(options, shape.length, chunks, type, zarrFormat),
    keyEncoding: options.keyEncoding ?? defaultKeys(zarrFormat),
    dimensionNames: dimensionNamesFrom(options.dimensionNames ?? null, shape.length, where),
    attributes,
  };
}

function fillOf(value: FillArgument | null | undefined, type: StoredType, zarrFormat: ZarrFormat): Fill {
  if (value !== undefined && value !== null) return fillFromUser(value, type);
  if (zarrFormat === 2) return nullFill(type);
  if (value === undefined) return isTime(type.dtype) ? noTimeFill(type) : zeroFill(type);
  throw new MetadataError({
    what: "Zarr v3 has no fill value null",
    cure: "Leave it out (it is 0 then), give a value, or use zarrFormat: 2",
  });
}

const defaultKeys = (zarrFormat: ZarrFormat): KeyEncoding =>
  zarrFormat === 3 ? { name: "default", separator: "/" } : { name: "v2", separator: "." };

/** Lengths given one by one may be longer than the array, as Zarr allows; the rest is as everywhere here. */
function chunkShape(argument: ChunksArgument, shape: Shape, type: StoredType, where: string): Shape {
  const isList = Array.isArray(argument) && argument.every((x) => typeof x === "number" && x !== -1);
  if (isList) return shapeFrom(argument as number[], "chunks", where, 1);
  return checkChunks(argument, shape, type.bytes);
}

function codecList(
  options: CreateArrayOptions,
  ndim: number,
  chunks: Shape,
  type: StoredType,
  zarrFormat: ZarrFormat,
): CodecSpec[] {
  const given = (options.codecs ?? defaultCodecs(zarrFormat)).map((codec) => specOf(codec, type, options));
  const hasSerial = given.some(({ name }) => name === "bytes" || name === "sharding_indexed");
  const serial: CodecSpec = {
    name: "bytes",
    configuration: endianOf(options.endian ?? "little", type, zarrFormat),
  };
  const transposes = given.filter(({ name }) => name === "transpose");
  // v3 has codecs of elements before the one that makes bytes, v2 has them among its filters.
  const isBefore = (name: string): boolean => zarrFormat === 3 && !hasSerial && isOfElements(name);
  const rest = given.filter(({ name }) => name !== "transpose" && !isBefore(name));
  const inner = [
    ...orderCodec(options.order ?? "C", ndim),
    ...transposes,
    ...given.filter(({ name }) => isBefore(name)),
    ...(hasSerial ? rest : [serial, ...rest]),
  ];
  return options.shards ? [shardingSpec(options, chunks, inner)] : inner;
}

/** Single bytes have no order. v3 says nothing then, v2 has always one. */
function endianOf(endian: Endian, type: StoredType, zarrFormat: ZarrFormat): JsonObject {
  if (type.wordBytes > 1) return { endian };
  return zarrFormat === 3 ? {} : { endian: "little" };
}

/** Zarr v2 of long ago does not know crc32c. */
function defaultCodecs(zarrFormat: ZarrFormat): CodecSpec[] {
  const zstd = { name: "zstd", configuration: { level: ZSTD_LEVEL } };
  if (zarrFormat === 2) return [zstd];
  return [
    { name: "zstd", configuration: { level: ZSTD_LEVEL, checksum: false } },
    { name: "crc32c", configuration: {} },
  ];
}

function specOf(
  codec: CodecArgument,
  type: StoredType,
  { zarrFormat, known = builtInCodecs }: CreateArrayOptions,
): CodecSpec {
  const { name, configuration = {} } = typeof codec === "string" ? { name: codec } : codec;
  const plain = name.replace(/^numcodecs\./, "");
  const typesize = plain === "blosc" ? { typesize: type.bytes } : {};
  // numcodecs of long ago does not know this field.
  if (plain === "zstd" && zarrFormat === 2)
    return { name: plain, configuration: { level: ZSTD_LEVEL, ...configuration } };
  return { name: plain, configuration: { ...known.usual(plain), ...typesize, ...configuration } };
}

function orderCodec(order: "C" | "F" | readonly number[], ndim: number): CodecSpec[] {
  const axes = Array.from({ length: ndim }, (_, axis) => axis);
  const permutation = order === "C" ? axes : order === "F" ? axes.reverse() : order;
  const isIdentity = permutation.every((axis, i) => axis === i) && permutation.length === ndim;
  return isIdentity ? [] : [{ name: "transpose", configuration: { order: permutation } }];
}

function shardingSpec(options: CreateArrayOptions, chunks: Shape, inner: readonly CodecSpec[]): CodecSpec {
  return {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: chunks,
      codecs: inner.map(codecToV3),
      index_codecs: [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }],
      index_location: options.indexLocation ?? "end",
    },
  };
}
