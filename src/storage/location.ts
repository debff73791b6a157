// Stores from what stands for them. In: what users write (a path, a URL, a store), or a location, as another thread or
// process sent it. Out: a store.

import { describe } from "../core/chunks.ts";
import { ValueError } from "../core/errors.ts";
import type { Address } from "../core/platform.ts";
import { exportedFunction } from "./builtin.ts";
import { cloudStoreAt, cloudStoreOf } from "./cloud/openCloud.ts";
import { NotSupportedError } from "./errors.ts";
import { FileStore } from "./fileStore.ts";
import { HttpStore } from "./httpStore.ts";
import type { Store, StoreLocation } from "./store.ts";
import { isCloudAddress } from "./store.ts";
import { ZipStore } from "./zipStore.ts";

/** What stands for a store wherever one is asked for. */
export type StoreArgument = string | Address | Store;

/**
 * A store of what stands for one: `await storeOf("data.zarr")` is a FileStore, of an http(s) URL an HttpStore, of a
 * path that ends with .zip a ZipStore, of s3://bucket/path an S3Store, and so with gs:// and az://.
 */
export async function storeOf(argument: StoreArgument): Promise<Store> {
  if (typeof argument !== "string" && !(argument instanceof URL)) return checked(argument);
  const text = String(argument);
  if (/^https?:\/\//i.test(text)) return new HttpStore(text);
  if (isCloudAddress(text)) return cloudStoreOf(argument);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text) && !/^file:/i.test(text))
    throw new ValueError({
      // What follows may be a password.
      what: `an address ${describe(text.slice(0, text.indexOf("//") + 2))}… is neither a path nor one that is known`,
      cure: "Give a path, an http(s) URL, s3://bucket/path, gs://bucket/path, az://account/container/path, or a store",
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
    cure: "A store has a method get(key); FileStore, HttpStore, S3Store, ZipStore and MemoryStore are there, or give a path",
  });
}

/** The same store, which waits for the disk. */
export function durableStore(store: Store): Store {
  if (store.isDurable === true) return store;
  if (store.asDurable !== undefined) return store.asDurable();
  throw new NotSupportedError({
    what: "durable: true, and the store is not in files",
    cure: "Write to a folder, or leave it out: only files can be waited for until they are on the disk",
  });
}

/**
 * The store at a location that another thread or process sent: `await storeAt(store.location())`. `blocking`: for
 * threads that have nothing else to do.
 */
export async function storeAt(
  location: StoreLocation,
  { blocking = false }: { blocking?: boolean } = {},
): Promise<Store> {
  switch (location.kind) {
    case "file":
      return new FileStore(location.root, { blocking, durable: location.durable === true });
    case "http":
      return new HttpStore(location.url);
    case "s3":
    case "gs":
    case "az":
      return cloudStoreAt(location);
    case "module": {
      const open = await exportedFunction(location.module, location.name);
      return checked((await open(location.argument)) as Store);
    }
    default:
      location satisfies never;
      throw new ValueError({ what: `${describe(location)} is not the location of a store` });
  }
}
