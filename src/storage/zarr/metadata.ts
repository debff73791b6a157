// What the metadata of an array or group say, whichever version of Zarr they are stored in. The codecs are
// those of v3: v2's filters, compressor, order and byte order are translated when they are read.

import { ShapeError } from "../../core/errors.ts";
import { checkSize, describe, isLength, type Shape, sizeOf } from "../../core/shape.ts";
import type { CodecSpec } from "../codecs/codecFields.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import type { Fill } from "./fill.ts";
import type { StoredType } from "./storedType.ts";
import { isObject, type Json, type JsonObject } from "./zarrJson.ts";

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
