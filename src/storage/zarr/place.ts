// A place for a new array or group. In: a store and a path. Out: what would have to go first, or an error when it may not;
// and then it goes. Must hold: looking changes nothing, so that whoever wants a place can make sure of everything else
// before anything is lost. Metadata go first: whenever it ends, there is an array or there is none, never a mixture.

import { MetadataError } from "../errors.ts";
import { foldersOf } from "../memoryStore.ts";
import { keyIn, type Store, type StoreKey, type StoreOptions } from "../store.ts";
import type { KeyEncoding } from "./metadata.ts";
import { findNode } from "./nodes.ts";

/** All of it, or, where there is no node, the names of what would be taken for chunks. */
export type InTheWay =
  | { readonly kind: "node" }
  | { readonly kind: "chunks"; readonly keys: readonly StoreKey[] };

const METADATA: readonly string[] = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"];

/** Null when the place is free. `encoding`: of a new array's chunks. */
export async function lookAtPlace(
  store: Store,
  path: string,
  encoding: KeyEncoding | null,
  overwrite: boolean,
  options: StoreOptions,
): Promise<InTheWay | null> {
  await checkParents(store, path, options);
  const found = await findNode(store, path, options).catch((cause: unknown) => {
    if (cause instanceof MetadataError) return "damaged" as const;
    throw cause;
  });
  const chunks = found === null && encoding !== null ? await strayChunks(store, path, encoding, options) : [];
  if (found === null && chunks.length === 0) return null;
  if (overwrite) return found === null ? { kind: "chunks", keys: chunks } : { kind: "node" };
  const what = found === null ? "chunks without metadata" : typeof found === "string" ? found : found.kind;
  throw new MetadataError({
    what: `there is something already (${what})`,
    where: path === "" ? "/" : path,
    cure: "Use another path, or overwrite: true",
  });
}

/** Groups may be made above it. */
async function checkParents(store: Store, path: string, options: StoreOptions): Promise<void> {
  const parts = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= parts.length; depth++) {
    const parent = parts.slice(0, depth).join("/");
    if ((await findNode(store, parent, options))?.kind !== "array") continue;
    const what = `${parent || "/"} is an array`;
    throw new MetadataError({ what, where: path, cure: "Only groups have members" });
  }
}

/** Where the first names of chunks are, and what chunks look like from there. */
function chunkNames({ name, separator }: KeyEncoding): { folder: string; chunk: RegExp } {
  const places = separator === "/" ? "\\d+(/\\d+)*" : "\\d+(\\.\\d+)*";
  if (name === "v2") return { folder: "", chunk: new RegExp(`^${places}$`) };
  return separator === "/"
    ? { folder: "/c", chunk: new RegExp(`^${places}$`) }
    : { folder: "", chunk: new RegExp(`^c\\.${places}$`) };
}

/** Keys of chunks of an array that is not there any more, or of folders with nothing but such chunks. */
async function strayChunks(
  store: Store,
  path: string,
  encoding: KeyEncoding,
  options: StoreOptions,
): Promise<StoreKey[]> {
  if (store.list === undefined) return [];
  const { folder, chunk } = chunkNames(encoding);
  const { keys, folders } = await namesIn(store, `${path}${folder}`, options);
  const found = keys.filter((name) => chunk.test(name));
  for (const name of folders)
    if (
      encoding.separator === "/" &&
      chunk.test(name) &&
      (await hasOnly(store, `${path}${folder}`, name, chunk))
    )
      found.push(name);
  const stray = found.map((name) => keyIn(`${path}${folder}`, name));
  // The chunk of an array without axes.
  const single = keyIn(path, "c");
  if (encoding.name === "default" && (await isThere(store, single, options))) stray.push(single);
  return stray;
}

const isThere = async (store: Store, key: StoreKey, options: StoreOptions): Promise<boolean> =>
  store.has === undefined ? (await store.get(key, options)) !== undefined : store.has(key, options);

async function hasOnly(store: Store, path: string, name: string, chunk: RegExp): Promise<boolean> {
  let count = 0;
  for await (const key of store.list!(keyIn(path, name))) {
    if (!chunk.test(key.slice(path.length + 1))) return false;
    count++;
  }
  return count > 0;
}

async function namesIn(
  store: Store,
  path: string,
  options: StoreOptions,
): Promise<{ keys: string[]; folders: string[] }> {
  const prefix = (path === "" ? "/" : path) as StoreKey;
  if (store.listDir !== undefined) return store.listDir(prefix, options);
  const keys: StoreKey[] = [];
  for await (const key of store.list!(prefix, options)) keys.push(key);
  return foldersOf(keys, prefix);
}

export async function clearPlace(
  store: Store,
  path: string,
  inTheWay: InTheWay,
  options: StoreOptions,
): Promise<void> {
  if (store.delete === undefined || store.list === undefined)
    throw new MetadataError({
      what: "the store cannot list and delete, so nothing can be overwritten",
      where: path,
    });
  if (inTheWay.kind === "chunks") {
    for (const key of inTheWay.keys) await deleteTree(store, key, options);
    return;
  }
  for (const name of METADATA) await store.delete(keyIn(path, name), options);
  await deleteTree(store, (path === "" ? "/" : path) as StoreKey, options);
}

/** An object, and all that lies below it. */
async function deleteTree(store: Store, at: StoreKey, options: StoreOptions): Promise<void> {
  if (at !== "/") await store.delete!(at, options);
  if (store.deleteBelow !== undefined) return void (await store.deleteBelow(at, options));
  const keys: StoreKey[] = [];
  for await (const key of store.list!(at, options)) keys.push(key);
  for (const key of keys) await store.delete!(key, options);
}
