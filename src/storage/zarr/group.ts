// Groups: opened, made, and asked for their members. Consolidated metadata, where there are some, stand for
// everything below the group, and nothing else is read to find it.

import { NotFoundError, NotSupportedError } from "../errors.ts";
import { normalPath, requireList, type Store, type StoreKey, type StoreOptions } from "../store.ts";
import { ZarrArray } from "./array.ts";
import { refreshConsolidated } from "./consolidated.ts";
import { type CreateArrayOptions, createArray } from "./create.ts";
import type {
  ArrayOptions,
  ConsolidatedMetadata,
  GroupMetadata,
  NodeMetadata,
  ZarrFormat,
} from "./metadata.ts";
import { type FindOptions, findNode, makeParents, requireNode, writeNode } from "./nodes.ts";
import { clearPlace, lookAtPlace } from "./place.ts";
import type { JsonObject } from "./zarrJson.ts";

/** Options of `openArray`, `openGroup` and `openNode`. */
export interface OpenOptions extends FindOptions, ArrayOptions {
  /** false looks at every node's own metadata. */
  consolidated?: boolean;
}

/** What is in a group: an array or a group, where, and its metadata. */
export interface Member {
  /** Relative to the group. */
  readonly path: string;
  /** "unsupported" is there, and cannot be opened. */
  readonly kind: "array" | "group" | "unsupported";
  /** Null where it is not supported. */
  readonly metadata: NodeMetadata | null;
}

/** A stored group: `openGroup` gives a `ZarrGroup`, and `await group.members()` what is in it. */
export class ZarrGroup {
  readonly store: Store;
  readonly path: string;
  readonly metadata: GroupMetadata;

  constructor(store: Store, path: string, metadata: GroupMetadata) {
    this.store = store;
    this.path = path;
    this.metadata = metadata;
  }

  withMetadata(metadata: GroupMetadata): ZarrGroup {
    return new ZarrGroup(this.store, this.path, metadata);
  }

  get attributes(): JsonObject {
    return this.metadata.attributes;
  }
  get zarrFormat(): ZarrFormat {
    return this.metadata.zarrFormat;
  }

  /** An array in it: `await group.openArray("grid")`. */
  async openArray(path: string, options: OpenOptions = {}): Promise<ZarrArray> {
    const node = await this.#find(path, options);
    return asArray(this.store, this.path + normalPath(path), node, options);
  }

  /** A group in it: `await group.openGroup("2024")`. */
  async openGroup(path: string, options: OpenOptions = {}): Promise<ZarrGroup> {
    const node = await this.#find(path, options);
    return asGroup(this.store, this.path + normalPath(path), node);
  }

  /** Makes an array in it: `await group.createArray("grid", {shape: [100], dtype: "int32"})`. */
  createArray(path: string, options: CreateArrayOptions): Promise<ZarrArray> {
    return createArray(this.store, this.path + normalPath(path), { zarrFormat: this.zarrFormat, ...options });
  }

  /** Makes a group in it: `await group.createGroup("2024")`. */
  createGroup(path: string, options: CreateGroupOptions = {}): Promise<ZarrGroup> {
    return createGroup(this.store, this.path + normalPath(path), { zarrFormat: this.zarrFormat, ...options });
  }

  /** Direct members, by name; all below with `deep`. */
  async members(options: StoreOptions & { deep?: boolean } = {}): Promise<Member[]> {
    const found: Member[] = [];
    for await (const [path, metadata] of this.#nodes(options)) {
      if (path === "" || (options.deep !== true && path.includes("/"))) continue;
      if (metadata instanceof NotSupportedError) found.push({ path, kind: "unsupported", metadata: null });
      else found.push({ path, kind: metadata.kind, metadata });
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async *#nodes(options: StoreOptions): AsyncIterable<[string, NodeMetadata | NotSupportedError]> {
    if (this.metadata.consolidated !== null) yield* this.metadata.consolidated;
    else yield* walkNodes(this.store, this.path, this.zarrFormat, options);
  }

  async #find(path: string, options: OpenOptions): Promise<NodeMetadata> {
    const { consolidated } = this.metadata;
    const relative = normalPath(path).slice(1);
    if (consolidated === null || relative === "" || options.consolidated === false)
      return requireNode(this.store, this.path + normalPath(path), {
        zarrFormat: this.zarrFormat,
        ...options,
      });
    const node = consolidated.get(relative);
    if (node === undefined)
      throw new NotFoundError({
        what: "the consolidated metadata have no such array or group",
        where: `${this.path}/${relative}`,
        cure: "Consolidate again, or open with consolidated: false",
      });
    if (node instanceof NotSupportedError) throw node;
    return node.kind === "group" ? { ...node, consolidated: below(consolidated, relative) } : node;
  }
}

/** What consolidated metadata say of a group inside. */
function below(nodes: ConsolidatedMetadata, path: string): ConsolidatedMetadata {
  const start = `${path}/`;
  return new Map(
    [...nodes].filter(([key]) => key.startsWith(start)).map(([key, node]) => [key.slice(start.length), node]),
  );
}

const METADATA_NAMES = { 2: [".zarray", ".zgroup"], 3: ["zarr.json"] } as const;

/** Every node below a path with its metadata, by relative path. */
export async function* walkNodes(
  store: Store,
  path: string,
  zarrFormat: ZarrFormat,
  options: StoreOptions,
): AsyncIterable<[string, NodeMetadata | NotSupportedError]> {
  const names: readonly string[] = METADATA_NAMES[zarrFormat];
  const prefix = (path === "" ? "/" : path) as StoreKey;
  for await (const key of requireList(store)(prefix, options)) {
    const slash = key.lastIndexOf("/");
    if (!names.includes(key.slice(slash + 1))) continue;
    const node = await findNode(store, key.slice(0, slash), { ...options, zarrFormat }).catch(
      (cause: unknown) => {
        if (cause instanceof NotSupportedError) return cause;
        throw cause;
      },
    );
    if (node !== null) yield [key.slice(path.length + 1, Math.max(slash, path.length + 1)), node];
  }
}

function asArray(store: Store, path: string, node: NodeMetadata, options: ArrayOptions): ZarrArray {
  if (node.kind === "array") return new ZarrArray(store, path, node, options);
  throw new NotFoundError({
    what: "there is a group, not an array",
    where: path || "/",
    cure: "Use openGroup, or the path of an array in it",
  });
}

function asGroup(store: Store, path: string, node: NodeMetadata): ZarrGroup {
  if (node.kind === "group") return new ZarrGroup(store, path, node);
  throw new NotFoundError({
    what: "there is an array, not a group",
    where: path || "/",
    cure: "Use openArray",
  });
}

/** Opens an array: `const grid = await openArray(store, "grid")`. */
export async function openArray(store: Store, path = "", options: OpenOptions = {}): Promise<ZarrArray> {
  const at = normalPath(path);
  return asArray(store, at, await requireNode(store, at, options), options);
}

/** Opens a group: `const group = await openGroup(store)`. */
export async function openGroup(store: Store, path = "", options: OpenOptions = {}): Promise<ZarrGroup> {
  const at = normalPath(path);
  const group = asGroup(store, at, await requireNode(store, at, options));
  if (options.consolidated !== false) return group;
  return new ZarrGroup(store, at, { ...group.metadata, consolidated: null });
}

/** Opens whichever there is, an array or a group: `const node = await openNode(store, "grid")`. */
export async function openNode(
  store: Store,
  path = "",
  options: OpenOptions = {},
): Promise<ZarrArray | ZarrGroup> {
  const at = normalPath(path);
  const node = await requireNode(store, at, options);
  return node.kind === "array" ? asArray(store, at, node, options) : asGroup(store, at, node);
}

/** Options of `createGroup`. */
export interface CreateGroupOptions extends StoreOptions {
  /** What is to be said of the group. */
  readonly attributes?: JsonObject;
  /** 3 unless given. */
  readonly zarrFormat?: ZarrFormat;
  /** Removes what is at the path first. */
  readonly overwrite?: boolean;
}

/** Makes a group: `await createGroup(store, "2024", {attributes: {source: "buoys"}})`. */
export async function createGroup(
  store: Store,
  path = "",
  options: CreateGroupOptions = {},
): Promise<ZarrGroup> {
  const at = normalPath(path);
  const { zarrFormat = 3, attributes = {} } = options;
  const metadata: GroupMetadata = { kind: "group", zarrFormat, attributes, consolidated: null };
  const request = { signal: options.signal };
  const inTheWay = await lookAtPlace(store, at, null, options.overwrite === true, request);
  if (at !== "") await makeParents(store, at, zarrFormat, request);
  if (inTheWay !== null) await clearPlace(store, at, inTheWay, request);
  await writeNode(store, at, metadata, request);
  return new ZarrGroup(store, at, metadata);
}

/** Writes other attributes; the node with them: `grid = await setAttributes(grid, {units: "K"})`. */
export async function setAttributes<N extends ZarrArray | ZarrGroup>(
  node: N,
  attributes: JsonObject,
  options: StoreOptions = {},
): Promise<N> {
  const metadata = { ...node.metadata, attributes };
  await writeNode(node.store, node.path, metadata as NodeMetadata, options);
  await refreshConsolidated(node.store, node.path, metadata as NodeMetadata, options);
  return node.withMetadata(metadata as never) as N;
}
