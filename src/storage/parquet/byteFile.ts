// Files as bytes at offsets: local files, objects of a store, HTTP, memory. In: a place. Out: just the bytes asked for,
// or a typed error. What must hold: nothing is read that was not asked for; a file that has changed since it was opened
// is an error, not a mixture.

import type * as Fs from "node:fs";
import type { Address } from "../../core/platform.ts";
import { requireBuiltin } from "../builtin.ts";
import type { Room } from "../codecs/codec.ts";
import { CorruptDataError, messageOf, NotFoundError, StoreRequestError } from "../errors.ts";
import { HttpStore, type HttpStoreOptions } from "../httpStore.ts";
import { readRange, type Store, type StoreKey, type StoreOptions, tooShort } from "../store.ts";
import { mayBeTold, shownAddress, webAddress, withPath } from "../webAddress.ts";

export interface FileOptions extends StoreOptions {
  /** Where the bytes may be put: good until whoever reads ends it. */
  room?: Room | undefined;
}

/** A file that is read in parts: `rg.localFile`, `rg.httpFile`, `rg.storeFile` and `rg.memoryFile` make one. */
export interface ByteFile {
  /** For errors and for telling files apart. */
  readonly name: string;
  /** Undefined as long as nobody has told: some stores do not say. */
  readonly size: number | undefined;
  /** An absolute path or a URL by which another thread opens the same file; not there for what only this one has. */
  readonly location?: string | undefined;
  /** Another one for another state of the file, where that is known: when it was last changed. */
  readonly version?: string | undefined;
  /** Its bytes come over a network: who waits for them can do something else. */
  readonly isFar?: boolean | undefined;
  /** Exactly so many bytes, which the file must have. */
  read(offset: number, length: number, options?: FileOptions): Promise<Uint8Array>;
  /** The last bytes; all of them when there are fewer. */
  tail(length: number, options?: StoreOptions): Promise<Uint8Array>;
}

/** Bytes in memory as a file: `await rg.fromParquet(rg.memoryFile(bytes))`. */
export function memoryFile(bytes: Uint8Array, name = "memory"): ByteFile {
  return {
    name,
    size: bytes.length,
    async read(offset, length) {
      if (offset + length > bytes.length) throw tooShort(name, length, Math.max(0, bytes.length - offset));
      return bytes.subarray(offset, offset + length);
    },
    tail: async (length) => bytes.subarray(Math.max(0, bytes.length - length)),
  };
}

/** A file of the local file system (Node only): `await rg.fromParquet(await rg.localFile("events.parquet"))`. */
export async function localFile(path: string): Promise<ByteFile> {
  const fs = await requireBuiltin("node:fs");
  const { resolve } = await requireBuiltin("node:path");
  const { size, mtimeMs } = trying(path, () => checkedStat(fs, path));
  const read: ByteFile["read"] = async (offset, length, { room } = {}) => {
    if (offset + length > size) throw tooShort(path, length, Math.max(0, size - offset));
    const bytes = room?.take(length).subarray(0, length) ?? new Uint8Array(length);
    trying(path, () => readAt(fs, path, { size, mtimeMs }, offset, bytes));
    return bytes;
  };
  return {
    name: path,
    size,
    location: resolve(path),
    version: String(mtimeMs),
    read,
    tail: (length) => read(Math.max(0, size - length), Math.min(size, length)),
  };
}

interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
}

function checkedStat(fs: typeof Fs, path: string): FileState {
  const stat = fs.statSync(path);
  if (stat.isFile()) return stat;
  throw new NotFoundError({ what: "this is not a file", where: path });
}

/** Blocking: files are read in few large pieces, and a hop between threads takes longer than most of them. */
function readAt(fs: typeof Fs, path: string, state: FileState, offset: number, bytes: Uint8Array): void {
  const file = fs.openSync(path, "r");
  try {
    const { size, mtimeMs } = fs.fstatSync(file);
    if (size !== state.size || mtimeMs !== state.mtimeMs)
      throw new CorruptDataError({
        what: "the file has changed since it was opened",
        where: path,
        cure: "Open it again",
      });
    const { length } = bytes;
    for (let done = 0; done < length; ) {
      const count = fs.readSync(file, bytes, done, Math.min(length - done, 2 ** 30), offset + done);
      if (count === 0) throw tooShort(path, length, done);
      done += count;
    }
  } finally {
    fs.closeSync(file);
  }
}

function trying<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    if (code === "ENOENT" || code === "ENOTDIR") throw missing(path);
    throw new StoreRequestError(
      { what: messageOf(cause), where: path, retryable: code === "EMFILE" },
      { cause },
    );
  }
}

const missing = (where: string): NotFoundError =>
  new NotFoundError({ what: "there is no such file", where, cure: "Check the path" });

/** An object of a store; `size` where it is known from elsewhere: `rg.storeFile(store, "/events.parquet")`. */
export function storeFile(
  store: Store,
  key: StoreKey,
  { name, size }: { name?: string; size?: number } = {},
): ByteFile {
  const label = name ?? key;
  const found = (bytes: Uint8Array | undefined): Uint8Array => {
    if (bytes === undefined) throw missing(label);
    return bytes;
  };
  return {
    name: label,
    size,
    isFar: store.near === undefined,
    read: async (offset, length, options = {}) =>
      found(await readRange(store, key, { offset, length }, options)),
    async tail(length, options = {}) {
      if (size !== undefined && size <= length) return this.read(0, size, options);
      if (store.getRange !== undefined)
        return found(await store.getRange(key, { suffixLength: length }, options));
      const all = found(await store.get(key, options));
      return all.subarray(Math.max(0, all.length - length));
    },
  };
}

/**
 * A file behind an http(s) URL, whose size comes with the answer to the first request:
 * `rg.httpFile("https://example.org/a.parquet", {retries: 2})`.
 */
export function httpFile(url: string | Address, options: HttpStoreOptions = {}): ByteFile {
  const place = webAddress(url);
  const slash = place.pathname.lastIndexOf("/");
  const key = `/${decodeURIComponent(place.pathname.slice(slash + 1))}` as StoreKey;
  const base = withPath(place, place.pathname.slice(0, slash));
  let size: number | undefined;
  const listening: typeof fetch = async (input, init) => {
    const response = await (options.fetch ?? fetch)(input, init);
    const total = /\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1];
    if (total !== undefined) size ??= Number(total);
    return response;
  };
  const store = new HttpStore(base, { ...options, fetch: listening });
  const file = storeFile(store, key, { name: shownAddress(place) });
  return {
    name: file.name,
    get size() {
      return size;
    },
    // Headers and the like may be secrets, and a function cannot be sent; who opens it elsewhere has no secrets of an address.
    location: Object.keys(options).length === 0 && mayBeTold(place) ? place.href : undefined,
    isFar: true,
    read: file.read,
    tail: file.tail,
  };
}
