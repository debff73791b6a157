// What the metadata of an array or group say, whichever version of Zarr they are stored in. The codecs are
// those of v3: v2's filters, compressor, order and byte order are translated when they are read.

import { checkSize, describe, isLength, type Shape, sizeOf } from "../../core/chunks.ts";
import { ShapeError } from "../../core/errors.ts";
import type { CodecSpec } from "../codecs/codec.ts";
import type { KnownCodecs } from "../codecs/table.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import {
  type Fill,
  fillJson,
  parseFill,
  type StoredType,
  typeFromV3,
  typeToV3,
  zeroFill,
} from "./storedType.ts";
import { isObject, type Json, type JsonObject } from "./zarrJson.ts";

/** Options of opening and making arrays: `openArray(store, path, {maxChunkBytes: 1e9})`. */
export interface ArrayOptions {
  /** Chunks that take more bytes than this in memory are refused: 2 GiB unless told otherwise. */
  maxChunkBytes?: number;
  /** Chunks that hold only the fill value are stored all the same; otherwise they are left out, unless it is null. */
  writeEmptyChunks?: boolean;
  /** The codecs that there are; the built-in ones unless given: `new CodecTable([{name, module}])` has others besides. */
  known?: KnownCodecs;
  /** What a chunk that is not stored is: its fill value, or a LostChunkError, where all that is read was stored before. */
  missing?: "fill" | "error";
}

/** The version of Zarr: 2 or 3. */
export type ZarrFormat = 2 | 3;

/** How a chunk's place becomes its key: "c/0/1" (default) or "0.1" (v2), with "/" or "." between. */
export interface KeyEncoding {
  /** "default" of v3, or "v2". */
  readonly name: "default" | "v2";
  /** What stands between the numbers. */
  readonly separator: "/" | ".";
}

/** What is stored of an array beside its chunks, whichever version it has. */
export interface ArrayMetadata {
  /** Tells it from a group's. */
  readonly kind: "array";
  /** The version: 2 or 3. */
  readonly zarrFormat: ZarrFormat;
  /** How long the array is along each axis. */
  readonly shape: Shape;
  /** Of one stored object: a chunk, or a shard of chunks. */
  readonly unitShape: Shape;
  /** The dtype of the elements in the store, and how they lie there. */
  readonly type: StoredType;
  /** What chunks that are not stored hold. */
  readonly fill: Fill;
  /** From elements to bytes, in the order of encoding. */
  readonly codecs: readonly CodecSpec[];
  /** How chunks are named. */
  readonly keyEncoding: KeyEncoding;
  /** A name for each axis, or null. */
  readonly dimensionNames: readonly (string | null)[] | null;
  /** What else is said of the array. */
  readonly attributes: JsonObject;
}

/** What is stored of a group. */
export interface GroupMetadata {
  /** Tells it from an array's. */
  readonly kind: "group";
  /** The version: 2 or 3. */
  readonly zarrFormat: ZarrFormat;
  /** What is said of the group. */
  readonly attributes: JsonObject;
  /** Metadata of everything below, by path relative to the group; null when not consolidated. */
  readonly consolidated: ConsolidatedMetadata | null;
}

/** One array that is not supported does not make the others unreadable: its error waits until it is opened. */
export type ConsolidatedMetadata = ReadonlyMap<string, NodeMetadata | NotSupportedError>;

export function unlessNotSupported(read: () => NodeMetadata): NodeMetadata | NotSupportedError {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof NotSupportedError) return cause;
    throw cause;
  }
}

/** Of an array or a group: `kind` says of which. */
export type NodeMetadata = ArrayMetadata | GroupMetadata;

export function objectOf(value: Json | undefined, name: string, where: string): JsonObject {
  if (isObject(value)) return value;
  throw new MetadataError({ what: `${name} is ${describe(value)}`, where, cure: "It must be an object" });
}

export function listOf(value: Json | undefined, name: string, where: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new MetadataError({ what: `${name} is ${describe(value)}`, where, cure: "It must be a list" });
}

export function shapeFrom(value: Json | undefined, name: string, where: string, least: 0 | 1): Shape {
  const list = listOf(value, name, where);
  list.forEach((length, axis) => {
    if (isLength(length) && length >= least) return;
    throw new MetadataError({
      what: `${name} is ${describe(length)} on axis ${axis}`,
      where,
      cure: `It must be a whole number of ${least} or more, below 2^53`,
    });
  });
  try {
    checkSize(list as number[]);
  } catch (cause) {
    if (!(cause instanceof ShapeError)) throw cause;
    throw new MetadataError({ what: `${name}: ${cause.what}`, where, cure: cause.cure }, { cause });
  }
  return list as number[];
}

/** Shape and chunk shape must agree, and a chunk's bytes must be countable. */
export function checkChunkShape(
  shape: Shape,
  chunks: Shape,
  type: StoredType,
  name: string,
  where: string,
): void {
  if (chunks.length !== shape.length) {
    throw new MetadataError({
      what: `${name} has ${chunks.length} axes and the array has ${shape.length}`,
      where,
    });
  }
  if (Number.isSafeInteger(sizeOf(chunks) * type.bytes * 16)) return;
  throw new MetadataError({ what: `${name} makes chunks of ${sizeOf(chunks)} elements`, where });
}

export function attributesFrom(value: Json | undefined, where: string): JsonObject {
  return value === undefined ? {} : objectOf(value, "attributes", where);
}

export function dimensionNamesFrom(
  value: Json | undefined,
  ndim: number,
  where: string,
): readonly (string | null)[] | null {
  if (value === undefined || value === null) return null;
  const names = listOf(value, "dimension_names", where);
  if (names.length !== ndim)
    throw new MetadataError({ what: `${names.length} dimension names for ${ndim} axes`, where });
  const wrong = names.find((name) => name !== null && typeof name !== "string");
  if (wrong === undefined) return names as (string | null)[];
  throw new MetadataError({
    what: `a dimension name is ${describe(wrong)}`,
    where,
    cure: "Names are strings or null",
  });
}

/** No real array has more; each costs work before anything is read. */
const MOST_CODECS = 64;

export function checkCodecCount(count: number, where: string): void {
  if (count > MOST_CODECS) throw new MetadataError({ what: `${count} codecs`, where });
}

// Zarr v3: zarr.json ⇄ metadata. Strict: what is not understood is refused, unless it says that it may be
// ignored ("must_understand": false).

const ARRAY_FIELDS = [
  "zarr_format",
  "node_type",
  "shape",
  "data_type",
  "chunk_grid",
  "chunk_key_encoding",
  "fill_value",
  "codecs",
  "attributes",
  "dimension_names",
  "storage_transformers",
];
const GROUP_FIELDS = ["zarr_format", "node_type", "attributes", "consolidated_metadata"];

export function nodeFromV3(json: Json, where: string): NodeMetadata {
  const object = objectOf(json, "zarr.json", where);
  if (object["zarr_format"] !== 3)
    throw new MetadataError({ what: `zarr_format is ${describe(object["zarr_format"])}, not 3`, where });
  if (object["node_type"] === "array") return arrayFromV3(object, where);
  if (object["node_type"] === "group") return groupFromV3(object, where);
  throw new MetadataError({
    what: `node_type is ${describe(object["node_type"])}`,
    where,
    cure: 'It must be "array" or "group"',
  });
}

function arrayFromV3(json: JsonObject, where: string): ArrayMetadata {
  checkFields(json, ARRAY_FIELDS, where);
  const transformers = json["storage_transformers"];
  if (transformers !== undefined && listOf(transformers, "storage_transformers", where).length > 0)
    throw new NotSupportedError({ what: "storage transformers are not supported", where });
  const shape = shapeFrom(json["shape"], "shape", where, 0);
  const type = typeFromV3(json["data_type"], where);
  const unitShape = gridFrom(json["chunk_grid"], where);
  checkChunkShape(shape, unitShape, type, "chunk_shape", where);
  if (json["fill_value"] === undefined) throw new MetadataError({ what: "fill_value is missing", where });
  return {
    kind: "array",
    zarrFormat: 3,
    shape,
    unitShape,
    type,
    // zarrita writes null where no value was given; the specification has no null.
    fill: json["fill_value"] === null ? zeroFill(type) : parseFill(json["fill_value"], type, where),
    codecs: codecsFrom(json["codecs"], where),
    keyEncoding: keyEncodingFrom(json["chunk_key_encoding"], where),
    dimensionNames: dimensionNamesFrom(json["dimension_names"], shape.length, where),
    attributes: attributesFrom(json["attributes"], where),
  };
}

function checkFields(json: JsonObject, known: readonly string[], where: string): void {
  for (const [name, value] of Object.entries(json)) {
    if (known.includes(name) || (isObject(value) && value["must_understand"] === false)) continue;
    throw new NotSupportedError({
      what: `the metadata have the field ${JSON.stringify(name.slice(0, 60))}, which is not known`,
      where,
      cure: "Data that need it cannot be read",
    });
  }
}

/** An extension: a name and its configuration, or the name alone. */
function extensionFrom(value: Json | undefined, what: string, where: string): CodecSpec {
  if (typeof value === "string") return { name: value, configuration: {} };
  const object = objectOf(value, what, where);
  const { name, configuration } = object;
  if (typeof name !== "string")
    throw new MetadataError({ what: `the name of ${what} is ${describe(name)}`, where });
  return {
    name,
    configuration:
      configuration === undefined ? {} : objectOf(configuration, `configuration of ${what}`, where),
  };
}

function gridFrom(value: Json | undefined, where: string): readonly number[] {
  const { name, configuration } = extensionFrom(value, "chunk_grid", where);
  if (name !== "regular")
    throw new NotSupportedError({ what: `the chunk grid ${describe(name)} is not supported`, where });
  return shapeFrom(configuration["chunk_shape"], "chunk_shape", where, 1);
}

function keyEncodingFrom(value: Json | undefined, where: string): KeyEncoding {
  const { name, configuration } = extensionFrom(value, "chunk_key_encoding", where);
  if (name !== "default" && name !== "v2")
    throw new NotSupportedError({ what: `the chunk key encoding ${describe(name)} is not supported`, where });
  return { name, separator: separatorFrom(configuration["separator"] ?? (name === "v2" ? "." : "/"), where) };
}

export function separatorFrom(value: Json, where: string): "/" | "." {
  if (value === "/" || value === ".") return value;
  throw new MetadataError({
    what: `the separator of chunk keys is ${describe(value)}`,
    where,
    cure: 'It must be "/" or "."',
  });
}

export function codecsFrom(value: Json | undefined, where: string): CodecSpec[] {
  const list = listOf(value, "codecs", where);
  checkCodecCount(list.length, where);
  return list.map((item) => {
    const spec = extensionFrom(item, "a codec", where);
    return { ...spec, name: spec.name.replace(/^numcodecs\./, "") };
  });
}

function groupFromV3(json: JsonObject, where: string): GroupMetadata {
  checkFields(json, GROUP_FIELDS, where);
  return {
    kind: "group",
    zarrFormat: 3,
    attributes: attributesFrom(json["attributes"], where),
    consolidated: consolidatedFrom(json["consolidated_metadata"], where),
  };
}

function consolidatedFrom(value: Json | undefined, where: string): ConsolidatedMetadata | null {
  if (value === undefined || value === null) return null;
  const object = objectOf(value, "consolidated_metadata", where);
  // Only this kind is known; others must be marked as ignorable, and are ignored.
  if (object["kind"] !== "inline") return null;
  const metadata = objectOf(object["metadata"], "consolidated_metadata.metadata", where);
  return new Map(
    Object.entries(metadata).map(([path, node]) => [
      path,
      unlessNotSupported(() => nodeFromV3(node, `${where} (${path.slice(0, 80)})`)),
    ]),
  );
}

/** Codecs that the specification of v3 does not have are written under numcodecs' name. */
const FOREIGN = [
  ...["zlib", "lz4", "crc32", "adler32", "shuffle"],
  ...["delta", "fixedscaleoffset", "quantize", "bitround", "packbits", "astype"],
];

export function codecToV3({ name, configuration }: CodecSpec): Json {
  const shown = FOREIGN.includes(name) ? `numcodecs.${name}` : name;
  if (Object.keys(configuration).length === 0 && name === "crc32c") return { name: shown };
  return { name: shown, configuration };
}

export function nodeToV3(node: NodeMetadata, where: string): JsonObject {
  return node.kind === "array" ? arrayToV3(node, where) : groupToV3(node, where);
}

function arrayToV3(array: ArrayMetadata, where: string): JsonObject {
  return {
    zarr_format: 3,
    node_type: "array",
    shape: array.shape,
    data_type: typeToV3(array.type),
    chunk_grid: { name: "regular", configuration: { chunk_shape: array.unitShape } },
    chunk_key_encoding: {
      name: array.keyEncoding.name,
      configuration: { separator: array.keyEncoding.separator },
    },
    fill_value: fillJson(array.fill, array.type, 3, where),
    codecs: array.codecs.map(codecToV3),
    attributes: array.attributes,
    ...(array.dimensionNames === null ? {} : { dimension_names: array.dimensionNames }),
  };
}

function groupToV3(group: GroupMetadata, where: string): JsonObject {
  const base = { zarr_format: 3, node_type: "group", attributes: group.attributes };
  if (group.consolidated === null) return base;
  const metadata = Object.fromEntries(
    [...group.consolidated].map(([path, node]) => {
      // What could not be read cannot be written either.
      if (node instanceof NotSupportedError) throw node;
      return [path, nodeToV3(node, `${where} (${path})`)];
    }),
  );
  return { ...base, consolidated_metadata: { kind: "inline", must_understand: false, metadata } };
}
