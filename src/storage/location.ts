// Where a store is, as data: so that another thread or process can open the same one. In: what users write (a path,
// a URL, a store) or a location. Out: a store, or the location of one. A store that is not reachable from elsewhere
// (in memory, or one of a user's own) has none.

import { ValueError } from "../core/errors.ts";
import { describe } from "../core/shape.ts";
import { NotSupportedError } from "./errors.ts";
import { FileStore } from "./fileStore.ts";
import { HttpStore } from "./httpStore.ts";
import type { Store } from "./store.ts";
import { ZipStore } from "./zipStore.ts";

export type StoreLocation =
  | { readonly kind: "file"; readonly root: string; readonly durable?: true }
  | { readonly kind: "http"; readonly url: string };

/** What stands for a store wherever one is asked for. */
export type StoreArgument = string | URL | Store;

export async function storeOf(argument: StoreArgument): Promise<Store> {
  if (typeof argument !== "string" && !(argument instanceof URL)) return checked(argument);
  const text = String(argument);
  if (/^https?:\/\//i.test(text)) return new HttpStore(text);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !/^file:/i.test(text))
    throw new ValueError({
      what: `${describe(text)} is neither a path nor an http: address`,
      cure: "Give a path, an http(s) URL, or a store",
    });
  if (text === "")
    throw new ValueError({ what: "the path is empty", cure: 'Give a folder, as "data/temperature.zarr"' });
  const path = /^file:/i.test(text) ? decodeURIComponent(new URL(text).pathname) : text;
  return path.endsWith(".zip") ? ZipStore.fromFile(path) : new FileStore(path);
}

function checked(store: Store): Store {
  if (typeof store === "object" && typeof store?.get === "function") return store;
  throw new ValueError({
    what: `${describe(store)} is not a store`,
    cure: "A store has a method get(key); FileStore, HttpStore, ZipStore and MemoryStore are there, or give a path",
  });
}

/** The same store, which waits for the disk. */
export function durableStore(store: Store): Store {
  if (store instanceof FileStore) return store.isDurable ? store : store.asDurable();
  throw new NotSupportedError({
    what: "durable: true, and the store is not in files",
    cure: "Write to a folder, or leave it out: only files can be waited for until they are on the disk",
  });
}

export function locationOf(store: Store): StoreLocation | null {
  if (store instanceof FileStore) {
    const root = store.absoluteRoot();
    return store.isDurable ? { kind: "file", root, durable: true } : { kind: "file", root };
  }
  if (store instanceof HttpStore) return store.isPlain ? { kind: "http", url: store.fullUrl } : null;
  return null;
}

/** `blocking`: for threads that have nothing else to do. */
export function storeAt(location: StoreLocation, { blocking = false }: { blocking?: boolean } = {}): Store {
  switch (location.kind) {
    case "file":
      return new FileStore(location.root, { blocking, durable: location.durable === true });
    case "http":
      return new HttpStore(location.url);
    default:
      location satisfies never;
      throw new ValueError({ what: `${describe(location)} is not the location of a store` });
  }
}
