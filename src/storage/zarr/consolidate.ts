// Consolidated metadata: everything that is known of the nodes below a group, in one object, so that a reader
// needs one request. v2 keeps it in .zmetadata, v3 in the group's own zarr.json.

import { NotSupportedError } from "../errors.ts";
import { keyIn, normalPath, requireSet, type Store, type StoreOptions } from "../store.ts";
import { openGroup, walkNodes, ZarrGroup } from "./group.ts";
import type { GroupMetadata, NodeMetadata } from "./metadata.ts";
import { documentsV2, writeNode } from "./nodes.ts";
import { type Json, jsonBytes } from "./zarrJson.ts";

/** Collects the metadata of everything below the group, and writes them: `await consolidate(store)`. */
export async function consolidate(store: Store, path = "", options: StoreOptions = {}): Promise<ZarrGroup> {
  const at = normalPath(path);
  const group = await openGroup(store, at, { ...options, consolidated: false });
  const nodes: [string, NodeMetadata][] = [];
  for await (const [relative, node] of walkNodes(store, at, group.zarrFormat, options)) {
    // Metadata that are not understood cannot be copied into others.
    if (node instanceof NotSupportedError) throw node;
    if (relative !== "")
      nodes.push([relative, node.kind === "group" ? { ...node, consolidated: null } : node]);
  }
  nodes.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const metadata: GroupMetadata = { ...group.metadata, consolidated: new Map(nodes) };
  if (group.zarrFormat === 3) await writeNode(store, at, metadata, options);
  else await writeV2(store, at, metadata, nodes, options);
  return new ZarrGroup(store, at, metadata);
}

async function writeV2(
  store: Store,
  path: string,
  group: GroupMetadata,
  nodes: readonly [string, NodeMetadata][],
  options: StoreOptions,
): Promise<void> {
  const entries: { [key: string]: Json } = {};
  for (const [relative, node] of [["", group] as [string, NodeMetadata], ...nodes]) {
    const prefix = relative === "" ? "" : `${relative}/`;
    const { name, json, attributes } = documentsV2(node, `${path}/${relative}`);
    entries[`${prefix}${name}`] = json;
    if (Object.keys(attributes as object).length > 0) entries[`${prefix}.zattrs`] = attributes;
  }
  const key = keyIn(path, ".zmetadata");
  await requireSet(store)(key, jsonBytes({ metadata: entries, zarr_consolidated_format: 1 }, key), options);
}
