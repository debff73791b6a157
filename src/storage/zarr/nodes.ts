// Metadata in a store: found, read and written, in either version of Zarr.

import { MetadataError, NotFoundError, type NotSupportedError } from "../errors.ts";
import { keyIn, requireSet, type Store, type StoreOptions } from "../store.ts";
import { fromUtf8 } from "../text.ts";
import {
  type ConsolidatedMetadata,
  type NodeMetadata,
  unlessNotSupported,
  type ZarrFormat,
} from "./metadata.ts";
import { arrayFromV2, arrayToV2, groupFromV2, groupToV2 } from "./metadataV2.ts";
import { nodeFromV3, nodeToV3 } from "./metadataV3.ts";
import { type Json, type JsonObject, jsonBytes, LONGEST_JSON, parseJson } from "./zarrJson.ts";

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
    where: path === "" ? "/" : path,
    cure: "Check the path and the store's root",
  });
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
