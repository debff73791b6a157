// Zarr v2: .zarray, .zgroup and .zattrs ⇄ metadata. Order, byte order, filters and compressor become v3's
// list of codecs, and back. xarray's _ARRAY_DIMENSIONS attribute gives the dimension names.

import { describe } from "../../core/shape.ts";
import type { CodecSpec } from "../codecs/codecFields.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import { fillJson, nullFill, parseFill } from "./fill.ts";
import {
  type ArrayMetadata,
  attributesFrom,
  checkChunkShape,
  checkCodecCount,
  type GroupMetadata,
  listOf,
  objectOf,
  shapeFrom,
} from "./metadata.ts";
import { separatorFrom } from "./metadataV3.ts";
import { type Endian, type StoredType, typeFromV2, typeToV2 } from "./storedType.ts";
import type { Json, JsonObject } from "./zarrJson.ts";

export const DIMENSIONS_ATTRIBUTE = "_ARRAY_DIMENSIONS";

export function arrayFromV2(json: Json, attributes: Json | undefined, where: string): ArrayMetadata {
  const object = objectOf(json, ".zarray", where);
  checkFormat(object, where);
  const shape = shapeFrom(object["shape"], "shape", where, 0);
  const unitShape = shapeFrom(object["chunks"], "chunks", where, 1);
  const { type, endian } = typeFromV2(object["dtype"], where);
  checkChunkShape(shape, unitShape, type, "chunks", where);
  const fill = object["fill_value"] ?? null;
  const checked = attributesFrom(attributes, where.replace(/\.zarray$/, ".zattrs"));
  return {
    kind: "array",
    zarrFormat: 2,
    shape,
    unitShape,
    type,
    fill: fill === null ? nullFill(type) : parseFill(fill, type, where),
    codecs: codecsFromV2(object, shape.length, type, endian, where),
    keyEncoding: { name: "v2", separator: separatorFrom(object["dimension_separator"] ?? ".", where) },
    dimensionNames: dimensionsFrom(checked, shape.length),
    attributes: checked,
  };
}

/** Only a convention: an attribute that does not fit is an attribute like others. */
function dimensionsFrom(attributes: JsonObject, ndim: number): string[] | null {
  const names = attributes[DIMENSIONS_ATTRIBUTE];
  if (!Array.isArray(names) || names.length !== ndim) return null;
  return names.every((name) => typeof name === "string") ? (names as string[]) : null;
}

function checkFormat(object: JsonObject, where: string): void {
  if (object["zarr_format"] === 2) return;
  throw new MetadataError({ what: `zarr_format is ${describe(object["zarr_format"])}, not 2`, where });
}

export function groupFromV2(json: Json, attributes: Json | undefined, where: string): GroupMetadata {
  checkFormat(objectOf(json, ".zgroup", where), where);
  return {
    kind: "group",
    zarrFormat: 2,
    attributes: attributesFrom(attributes, where.replace(/\.zgroup$/, ".zattrs")),
    consolidated: null,
  };
}

function codecsFromV2(
  json: JsonObject,
  ndim: number,
  type: StoredType,
  endian: Endian,
  where: string,
): CodecSpec[] {
  const order = json["order"] ?? "C";
  if (order !== "C" && order !== "F")
    throw new MetadataError({ what: `order is ${describe(order)}`, where, cure: 'It must be "C" or "F"' });
  const filters = json["filters"] ?? null;
  const compressor = json["compressor"] ?? null;
  const list = filters === null ? [] : [...listOf(filters, "filters", where)];
  checkCodecCount(list.length, where);
  if (compressor !== null) list.push(compressor);
  return [
    ...(order === "F" && ndim > 1 ? [transposeSpec(ndim)] : []),
    { name: "bytes", configuration: { endian } },
    ...list.map((codec) => codecFromV2(codec, type, where)),
  ];
}

const transposeSpec = (ndim: number): CodecSpec => ({
  name: "transpose",
  configuration: { order: Array.from({ length: ndim }, (_, axis) => ndim - 1 - axis) },
});

const SHUFFLES = ["noshuffle", "shuffle", "bitshuffle"];

function codecFromV2(json: Json, type: StoredType, where: string): CodecSpec {
  const { id, ...rest } = objectOf(json, "a codec", where);
  if (typeof id !== "string")
    throw new MetadataError({ what: `the id of a codec is ${describe(id)}`, where });
  if (id !== "blosc") return { name: id, configuration: rest };
  // −1 means: bits for single bytes, bytes for everything longer.
  const auto = type.bytes === 1 ? 2 : 1;
  const { shuffle = 1 } = rest;
  const mode = SHUFFLES[shuffle === -1 ? auto : Number(shuffle)] ?? shuffle;
  return { name: id, configuration: { ...rest, shuffle: mode, typesize: type.bytes } };
}

export function arrayToV2(array: ArrayMetadata, where: string): { zarray: JsonObject; zattrs: JsonObject } {
  const { transposed, endian, rest } = splitCodecs(array, where);
  const compressor = rest.at(-1);
  const isFilter =
    compressor !== undefined && ["crc32", "adler32", "shuffle", "crc32c"].includes(compressor.name);
  const filters = isFilter ? rest : rest.slice(0, -1);
  const { keyEncoding, dimensionNames } = array;
  if (keyEncoding.name !== "v2")
    throw new NotSupportedError({ what: "Zarr v2 has only the v2 encoding of chunk keys", where });
  const zarray: JsonObject = {
    zarr_format: 2,
    shape: array.shape,
    chunks: array.unitShape,
    dtype: typeToV2(array.type, endian),
    compressor: compressor === undefined || isFilter ? null : codecToV2(compressor),
    fill_value: fillJson(array.fill, array.type, 2, where),
    order: transposed ? "F" : "C",
    filters: filters.length === 0 ? null : filters.map(codecToV2),
    dimension_separator: keyEncoding.separator,
  };
  const names = dimensionNames?.map((name, axis) => name ?? `dim_${axis}`);
  return {
    zarray,
    zattrs: names === undefined ? array.attributes : { ...array.attributes, [DIMENSIONS_ATTRIBUTE]: names },
  };
}

function splitCodecs(
  { codecs, shape }: ArrayMetadata,
  where: string,
): { transposed: boolean; endian: Endian; rest: readonly CodecSpec[] } {
  const at = codecs.findIndex((codec) => codec.name === "bytes");
  const before = codecs.slice(0, Math.max(0, at));
  const transposed = before.length === 1 && isReversal(before[0]!, shape.length);
  if (at < 0 || (before.length > 0 && !transposed)) {
    throw new NotSupportedError({
      what: `Zarr v2 cannot hold the codecs ${codecs.map((codec) => codec.name).join(", ")}`,
      where,
      cure: 'Use zarrFormat: 3, or order "C" or "F" and no shards',
    });
  }
  const endian = codecs[at]!.configuration["endian"] === "big" ? "big" : "little";
  return { transposed, endian, rest: codecs.slice(at + 1) };
}

function isReversal(codec: CodecSpec, ndim: number): boolean {
  const { order } = codec.configuration;
  return (
    codec.name === "transpose" && Array.isArray(order) && order.every((axis, i) => axis === ndim - 1 - i)
  );
}

function codecToV2({ name, configuration }: CodecSpec): JsonObject {
  if (name !== "blosc") return { id: name, ...configuration };
  const { typesize: _, shuffle, ...rest } = configuration;
  return { id: name, ...rest, shuffle: SHUFFLES.indexOf(String(shuffle ?? "noshuffle")) };
}

export const groupToV2 = (): JsonObject => ({ zarr_format: 2 });
