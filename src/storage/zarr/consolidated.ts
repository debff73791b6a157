// Consolidated metadata kept right: a node that is written again is written into those of the groups above it, where there are
// some. In: the node as it is now. Out: nothing. Must hold: what is said of other nodes stays as it is, understood or not.

import { keyIn, requireSet, type Store, type StoreOptions } from "../store.ts";
import type { NodeMetadata } from "./metadata.ts";
import { documentsOf, documentsV2 } from "./nodes.ts";
import { isObject, type JsonObject, jsonBytes, LONGEST_JSON, parseJson } from "./zarrJson.ts";

export async function refreshConsolidated(
  store: Store,
  path: string,
  node: NodeMetadata,
  options: StoreOptions = {},
): Promise<void> {
  const parts = path.split("/");
  for (let depth = parts.length; depth >= 1; depth--) {
    const group = parts.slice(0, depth).join("/");
    const relative = parts.slice(depth).join("/");
    if (node.zarrFormat === 2) await refreshV2(store, group, relative, node, options);
    else if (relative !== "") await refreshV3(store, group, relative, node, options);
  }
}

async function objectAt(
  store: Store,
  path: string,
  name: string,
  options: StoreOptions,
): Promise<JsonObject | null> {
  const key = keyIn(path, name);
  const bytes = await store.get(key, { signal: options.signal, maxBytes: LONGEST_JSON });
  const json = bytes === undefined ? null : parseJson(bytes, key);
  return isObject(json) ? json : null;
}

async function refreshV3(
  store: Store,
  group: string,
  relative: string,
  node: NodeMetadata,
  options: StoreOptions,
): Promise<void> {
  const json = await objectAt(store, group, "zarr.json", options);
  const known = json?.["consolidated_metadata"];
  if (json === null || !isObject(known) || known["kind"] !== "inline" || !isObject(known["metadata"])) return;
  const document = documentsOf(node, `${group}/${relative}`).get("zarr.json")!;
  const metadata = { ...known["metadata"], [relative]: document };
  const key = keyIn(group, "zarr.json");
  const after: JsonObject = { ...json, consolidated_metadata: { ...known, metadata } };
  await requireSet(store)(key, jsonBytes(after, key), options);
}

async function refreshV2(
  store: Store,
  group: string,
  relative: string,
  node: NodeMetadata,
  options: StoreOptions,
): Promise<void> {
  const json = await objectAt(store, group, ".zmetadata", options);
  if (json === null || !isObject(json["metadata"])) return;
  const { name, json: document, attributes } = documentsV2(node, `${group}/${relative}`);
  const prefix = relative === "" ? "" : `${relative}/`;
  const { [`${prefix}.zattrs`]: _, ...others } = json["metadata"];
  const attrs = Object.keys(attributes).length === 0 ? {} : { [`${prefix}.zattrs`]: attributes };
  const metadata = { ...others, ...attrs, [`${prefix}${name}`]: document };
  const key = keyIn(group, ".zmetadata");
  await requireSet(store)(key, jsonBytes({ ...json, metadata }, key), options);
}
