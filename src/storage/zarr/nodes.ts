// Metadata in a store: found, read and written, in either version of Zarr.

import { describe } from "../../core/chunks.ts";
import type { CodecSpec } from "../codecs/codec.ts";
import { isOfElements } from "../codecs/elements.ts";
import { MetadataError, NotFoundError, NotSupportedError } from "../errors.ts";
import { keyIn, requireSet, type Store, type StoreOptions } from "../store.ts";
import {
  type ArrayMetadata,
  attributesFrom,
  type ConsolidatedMetadata,
  checkChunkShape,
  checkCodecCount,
  type GroupMetadata,
  listOf,
  type NodeMetadata,
  nodeFromV3,
  nodeToV3,
  objectOf,
  separatorFrom,
  shapeFrom,
  unlessNotSupported,
  type ZarrFormat,
} from "./metadata.ts";
import {
  type Endian,
  fillJson,
  nullFill,
  parseFill,
  type StoredType,
  typeFromV2,
  typeToV2,
} from "./storedType.ts";
import { fromUtf8, type Json, type JsonObject, jsonBytes, LONGEST_JSON, parseJson } from "./zarrJson.ts";

// Zarr v2: .zarray, .zgroup and .zattrs ⇄ metadata. Order, byte order, filters and compressor become v3's
// list of codecs, and back. xarray's _ARRAY_DIMENSIONS attribute gives the dimension names.

const DIMENSIONS_ATTRIBUTE = "_ARRAY_DIMENSIONS";

function arrayFromV2(json: Json, attributes: Json | undefined, where: string): ArrayMetadata {
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
    ...namesAndAttributes(checked, shape.length),
  };
}

/** Names of axes are an attribute in v2, and are written as one. */
function namesAndAttributes(
  attributes: JsonObject,
  ndim: number,
): Pick<ArrayMetadata, "dimensionNames" | "attributes"> {
  const dimensionNames = dimensionsFrom(attributes, ndim);
  if (dimensionNames === null) return { dimensionNames, attributes };
  const { [DIMENSIONS_ATTRIBUTE]: _, ...others } = attributes;
  return { dimensionNames, attributes: others };
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

function groupFromV2(json: Json, attributes: Json | undefined, where: string): GroupMetadata {
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

function arrayToV2(array: ArrayMetadata, where: string): { zarray: JsonObject; zattrs: JsonObject } {
  const { transposed, endian, rest } = splitCodecs(array, where);
  const compressor = rest.at(-1);
  const isFilter =
    compressor !== undefined &&
    (isOfElements(compressor.name) || ["crc32", "adler32", "shuffle", "crc32c"].includes(compressor.name));
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

const groupToV2 = (): JsonObject => ({ zarr_format: 2 });

export interface FindOptions extends StoreOptions {
  /** Looks for this version only; otherwise for v3, then for v2. */
  zarrFormat?: ZarrFormat | undefined;
}

async function readJson(
  store: Store,
  path: string,
  name: string,
  options: StoreOptions,
): Promise<Json | undefined> {
  const key = keyIn(path, name);
  const bytes = await store.get(key, { signal: options.signal, maxBytes: LONGEST_JSON });
  return bytes === undefined ? undefined : parseJson(bytes, key);
}

/** What is at a path; null when nothing is. */
export async function findNode(
  store: Store,
  path: string,
  options: FindOptions,
): Promise<NodeMetadata | null> {
  if (options.zarrFormat !== 2) {
    const json = await readJson(store, path, "zarr.json", options);
    if (json !== undefined) return nodeFromV3(json, keyIn(path, "zarr.json"));
  }
  return options.zarrFormat === 3 ? null : findV2(store, path, options);
}

async function findV2(store: Store, path: string, options: StoreOptions): Promise<NodeMetadata | null> {
  const [zarray, zgroup, zattrs] = await Promise.all(
    [".zarray", ".zgroup", ".zattrs"].map((name) => readJson(store, path, name, options)),
  );
  if (zarray !== undefined) return arrayFromV2(zarray, zattrs, keyIn(path, ".zarray"));
  if (zgroup === undefined) return null;
  const group = groupFromV2(zgroup, zattrs, keyIn(path, ".zgroup"));
  const consolidated = await readJson(store, path, ".zmetadata", options);
  if (consolidated === undefined) return group;
  return { ...group, consolidated: consolidatedFromV2(consolidated, keyIn(path, ".zmetadata")) };
}

function consolidatedFromV2(json: Json, where: string): ConsolidatedMetadata {
  const { metadata, zarr_consolidated_format: format } = (json ?? {}) as { [name: string]: Json };
  if (format !== 1 || typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    throw new MetadataError({ what: "not consolidated metadata of format 1", where });
  const entries = metadata as { [key: string]: Json };
  const nodes = new Map<string, NodeMetadata | NotSupportedError>();
  for (const [key, value] of Object.entries(entries)) {
    const [, path, name] = /^(?:(.*)\/)?(\.zarray|\.zgroup)$/s.exec(key) ?? [];
    if (name === undefined || (path === undefined && name === ".zgroup")) continue;
    const prefix = path === undefined ? "" : `${path}/`;
    const attributes = Object.hasOwn(entries, `${prefix}.zattrs`) ? entries[`${prefix}.zattrs`] : undefined;
    const place = `${where} (${key.slice(0, 80)})`;
    const read = name === ".zarray" ? arrayFromV2 : groupFromV2;
    nodes.set(
      path ?? "",
      unlessNotSupported(() => read(value, attributes, place)),
    );
  }
  return nodes;
}

export async function requireNode(store: Store, path: string, options: FindOptions): Promise<NodeMetadata> {
  const node = await findNode(store, path, options);
  if (node !== null) return node;
  throw new NotFoundError({
    what: `there is no Zarr ${options.zarrFormat === undefined ? "" : `v${options.zarrFormat} `}array or group`,
    where: addressIn(store, path),
    cure: "Check the path and the store's root",
  });
}

/** As a user would write it. What follows an address's "?" may be a secret. */
export function addressIn(store: Store, path: string): string {
  const location = store.location?.() ?? null;
  const at = (root: string): string => (path === "" ? root : `${root.replace(/\/$/, "")}/${path.slice(1)}`);
  switch (location?.kind) {
    case "file":
      return at(location.root);
    case "http":
      return at(location.url.replace(/[?#].*$/s, ""));
    case "s3":
    case "gs":
      return at(`${location.kind}://${location.bucket}/${location.path}`);
    case "az":
      return at(`az://${location.account}/${location.container}/${location.path}`);
    default:
      return path === "" ? "/" : path;
  }
}

export async function writeNode(
  store: Store,
  path: string,
  node: NodeMetadata,
  options: StoreOptions,
): Promise<void> {
  const set = requireSet(store);
  const documents = documentsOf(node, path);
  const attributes = keyIn(path, ".zattrs");
  const had = node.zarrFormat === 2 && (await store.get(attributes, options)) !== undefined;
  if (had && !documents.has(".zattrs")) await set(attributes, jsonBytes({}, attributes), options);
  for (const [name, json] of documents)
    await set(keyIn(path, name), jsonBytes(json, keyIn(path, name)), options);
}

/** What a node is stored as, by name, in the order of writing: the node is there when the last one is. */
export function documentsOf(node: NodeMetadata, path: string): Map<string, JsonObject> {
  if (node.zarrFormat === 3) return new Map([["zarr.json", nodeToV3(node, keyIn(path, "zarr.json"))]]);
  const { name, json, attributes } = documentsV2(node, path);
  const hasAttributes = Object.keys(attributes).length > 0;
  return new Map([...(hasAttributes ? [[".zattrs", attributes] as const] : []), [name, json] as const]);
}

/** The fields in which two nodes differ as they are stored. */
export function differences(one: NodeMetadata, other: NodeMetadata, path: string): string[] {
  if (one.zarrFormat !== other.zarrFormat) return ["zarr_format"];
  const [a, b] = [documentsOf(one, path), documentsOf(other, path)];
  const names = new Set<string>();
  const textOf = (json: Json | undefined): string =>
    json === undefined ? "" : fromUtf8(jsonBytes(json, path));
  for (const document of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(document) ?? {}, b.get(document) ?? {}];
    for (const field of new Set([...Object.keys(left), ...Object.keys(right)]))
      if (textOf(left[field]) !== textOf(right[field]))
        names.add(document === ".zattrs" ? "attributes" : field);
  }
  return [...names].sort();
}

export function documentsV2(
  node: NodeMetadata,
  path: string,
): { name: string; json: JsonObject; attributes: JsonObject } {
  if (node.kind === "group") return { name: ".zgroup", json: groupToV2(), attributes: node.attributes };
  const { zarray, zattrs } = arrayToV2(node, keyIn(path, ".zarray"));
  return { name: ".zarray", json: zarray, attributes: zattrs };
}

/** Groups above a path are made where nothing is. */
export async function makeParents(
  store: Store,
  path: string,
  zarrFormat: ZarrFormat,
  options: StoreOptions,
): Promise<void> {
  const parts = path.split("/").slice(0, -1);
  const group = { kind: "group", zarrFormat, attributes: {}, consolidated: null } as const;
  for (let depth = 1; depth <= parts.length; depth++) {
    const parent = parts.slice(0, depth).join("/");
    if ((await findNode(store, parent, options)) === null) await writeNode(store, parent, group, options);
  }
}
