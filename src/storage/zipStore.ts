// A read-only store in a zip archive: bytes in memory, or anything that can be read by range (a file, an object
// of another store). Entries are stored or deflated; their checksums are verified. `zipOf` writes one.

import { builtin, requireBuiltin } from "./builtin.ts";
import { compressedBound, corrupt } from "./codecs/codec.ts";
import { streamed } from "./codecs/compressors.ts";
import { crc32 } from "./codecs/wasm.ts";
import { NotSupportedError } from "./errors.ts";
import { foldersOf } from "./memoryStore.ts";
import {
  type ByteRange,
  cut,
  type GetOptions,
  readRange,
  requireList,
  type Store,
  type StoreKey,
  type StoreOptions,
  tooLong,
} from "./store.ts";
import { dataStart, readDirectory, type ZipBytes, type ZipEntry, ZipWriter } from "./zipFormat.ts";

/** A store in a zip archive, to read from: `await cw.ZipStore.fromFile("data.zip")`, or `new cw.ZipStore(bytes)`. */
export class ZipStore implements Store {
  readonly #bytes: ZipBytes;
  #entries: Promise<Map<string, ZipEntry>> | undefined;

  constructor(bytes: Uint8Array | ZipBytes) {
    this.#bytes = bytes instanceof Uint8Array ? inMemory(bytes) : bytes;
  }

  /** An archive in a file (Node only). */
  static async fromFile(path: string): Promise<ZipStore> {
    const fs = await requireBuiltin("node:fs");
    const file = await fs.promises.open(path, "r");
    const { size } = await file.stat();
    await file.close();
    return new ZipStore({
      size,
      async read(offset, length) {
        const handle = await fs.promises.open(path, "r");
        try {
          const target = new Uint8Array(length);
          const { bytesRead } = await handle.read(target, 0, length, offset);
          return target.subarray(0, bytesRead);
        } finally {
          await handle.close();
        }
      },
    });
  }

  /** An archive that is an object of another store, of a known size. */
  static fromStore(store: Store, key: StoreKey, size: number): ZipStore {
    return new ZipStore({
      size,
      read: async (offset, length, options) =>
        (await readRange(store, key, { offset, length }, options)) ?? new Uint8Array(0),
    });
  }

  async get(key: StoreKey, options: GetOptions = {}): Promise<Uint8Array | undefined> {
    const entry = (await this.#directory(options)).get(key);
    if (entry === undefined) return undefined;
    if (entry.size > (options.maxBytes ?? entry.size)) throw tooLong(key, options.maxBytes!, entry.size);
    const bytes = await this.#content(entry, key, options);
    if (crc32(bytes) !== entry.crc) throw corrupt("the checksum of the zip entry is wrong", key);
    return bytes;
  }

  /** Entries that are not compressed are read by range; then there is no checksum to verify. */
  async getRange(
    key: StoreKey,
    range: ByteRange,
    options: StoreOptions = {},
  ): Promise<Uint8Array | undefined> {
    const entry = (await this.#directory(options)).get(key);
    if (entry === undefined) return undefined;
    if (entry.method !== 0) return cut((await this.get(key, options))!, range);
    const start = await dataStart(this.#bytes, entry, key, options);
    const offset = "suffixLength" in range ? Math.max(0, entry.size - range.suffixLength) : range.offset;
    const length = "suffixLength" in range ? entry.size : range.length;
    const there = Math.max(0, Math.min(length, entry.size - offset));
    return this.#bytes.read(start + offset, there, options);
  }

  async has(key: StoreKey, options: StoreOptions = {}): Promise<boolean> {
    return (await this.#directory(options)).has(key);
  }

  async *list(prefix: StoreKey, options: StoreOptions = {}): AsyncIterable<StoreKey> {
    const start = prefix === "/" ? "/" : `${prefix}/`;
    for (const key of (await this.#directory(options)).keys())
      if (key.startsWith(start)) yield key as StoreKey;
  }

  async listDir(
    prefix: StoreKey,
    options: StoreOptions = {},
  ): Promise<{ keys: string[]; folders: string[] }> {
    const start = prefix === "/" ? "/" : `${prefix}/`;
    const keys = [...(await this.#directory(options)).keys()] as StoreKey[];
    return foldersOf(
      keys.filter((key) => key.startsWith(start)),
      prefix,
    );
  }

  #directory(options: StoreOptions): Promise<Map<string, ZipEntry>> {
    this.#entries ??= readDirectory(this.#bytes, options).catch((cause: unknown) => {
      this.#entries = undefined;
      throw cause;
    });
    return this.#entries;
  }

  async #content(entry: ZipEntry, key: StoreKey, options: StoreOptions): Promise<Uint8Array> {
    const { max } = compressedBound({ max: entry.size, exact: true });
    if (entry.packedSize > max) throw tooLong(key, max, entry.packedSize);
    const start = await dataStart(this.#bytes, entry, key, options);
    const packed = await this.#bytes.read(start, entry.packedSize, options);
    if (packed.length !== entry.packedSize) throw corrupt("the zip entry is cut short", key);
    if (entry.method === 0) return packed;
    if (entry.method !== 8)
      throw new NotSupportedError({
        what: `zip compression method ${entry.method} is not supported`,
        where: key,
        cure: "Use deflate, or none",
      });
    const bytes = await inflateRaw(packed, entry.size, key);
    if (bytes.length !== entry.size) throw corrupt(`${bytes.length} bytes, where ${entry.size} belong`, key);
    return bytes;
  }
}

async function inflateRaw(packed: Uint8Array, size: number, key: StoreKey): Promise<Uint8Array> {
  const zlib = await builtin("node:zlib");
  try {
    if (zlib !== undefined) return zlib.inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
    return await streamed(new DecompressionStream("deflate-raw"), packed, size);
  } catch (cause) {
    throw corrupt("the zip entry cannot be decoded", key, cause);
  }
}

const inMemory = (bytes: Uint8Array): ZipBytes => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/**
 * Everything in a store as a zip archive; entries are not compressed (chunks are already): `const bytes = await
 * zipOf(store)`.
 */
export async function zipOf(store: Store, options: StoreOptions = {}): Promise<Uint8Array> {
  const writer = new ZipWriter();
  const keys: StoreKey[] = [];
  for await (const key of requireList(store)("/", options)) keys.push(key);
  for (const key of keys.sort()) {
    const bytes = await store.get(key, options);
    if (bytes !== undefined) writer.add(key.slice(1), bytes);
  }
  return writer.end();
}
