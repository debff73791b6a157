// A store in memory: for tests, for small results, and for intermediates that fit.

import { type ByteRange, cut, keySegments, type Store, type StoreKey } from "./store.ts";

/** A store in memory: `await x.toZarr(new cw.MemoryStore())`. */
export class MemoryStore implements Store {
  readonly near = "memory";
  readonly #objects = new Map<string, Uint8Array>();
  /** How many objects had been set when each was. */
  readonly #versions = new Map<string, number>();
  #sets = 0;

  get(key: StoreKey): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#objects.get(key));
  }

  getRange(key: StoreKey, range: ByteRange): Promise<Uint8Array | undefined> {
    const all = this.#objects.get(key);
    return Promise.resolve(all && cut(all, range));
  }

  has(key: StoreKey): Promise<boolean> {
    return Promise.resolve(this.#objects.has(key));
  }

  async set(key: StoreKey, value: Uint8Array): Promise<void> {
    keySegments(key);
    // A copy: the caller may reuse its buffer. (`slice` of a Node Buffer would not copy.)
    this.#objects.set(key, new Uint8Array(value));
    this.#versions.set(key, ++this.#sets);
  }

  async setNew(key: StoreKey, value: Uint8Array): Promise<boolean> {
    if (this.#objects.has(key)) return false;
    await this.set(key, value);
    return true;
  }

  version(key: StoreKey): string | undefined {
    return this.#objects.has(key) ? String(this.#versions.get(key)) : undefined;
  }

  async delete(key: StoreKey): Promise<boolean> {
    return this.#objects.delete(key);
  }

  *list(prefix: StoreKey): Iterable<StoreKey> {
    const start = prefix === "/" ? "/" : `${prefix}/`;
    for (const key of [...this.#objects.keys()]) if (key.startsWith(start)) yield key as StoreKey;
  }

  async listDir(prefix: StoreKey): Promise<{ keys: string[]; folders: string[] }> {
    return foldersOf(this.list(prefix), prefix);
  }

  /** Bytes of all objects. */
  get byteLength(): number {
    let sum = 0;
    for (const object of this.#objects.values()) sum += object.length;
    return sum;
  }
}

/** What lies directly below a prefix, found from the keys of all that lies below. */
export function foldersOf(keys: Iterable<StoreKey>, prefix: StoreKey): { keys: string[]; folders: string[] } {
  const skip = prefix === "/" ? 1 : prefix.length + 1;
  const names = new Set<string>();
  const folders = new Set<string>();
  for (const key of keys) {
    const rest = key.slice(skip);
    const slash = rest.indexOf("/");
    if (slash < 0) names.add(rest);
    else folders.add(rest.slice(0, slash));
  }
  return { keys: [...names].sort(), folders: [...folders].sort() };
}
