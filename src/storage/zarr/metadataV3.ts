// Zarr v3: zarr.json ⇄ metadata. Strict: what is not understood is refused, unless it says that it may be
// ignored ("must_understand": false).

import { describe } from "../../core/shape.ts";
import type { CodecSpec } from "../codecs/codecFields.ts";
import { MetadataError, NotSupportedError } from "../errors.ts";
import { fillJson, parseFill, zeroFill } from "./fill.ts";
import {
  type ArrayMetadata,
  attributesFrom,
  type ConsolidatedMetadata,
  checkChunkShape,
  checkCodecCount,
  dimensionNamesFrom,
  type GroupMetadata,
  type KeyEncoding,
  listOf,
  type NodeMetadata,
  objectOf,
  shapeFrom,
  unlessNotSupported,
} from "./metadata.ts";
import { typeFromV3 } from "./storedType.ts";
import { isObject, type Json, type JsonObject } from "./zarrJson.ts";

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
const FOREIGN = ["zlib", "lz4", "crc32", "adler32", "shuffle"];

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
    data_type: array.type.name,
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
