// Hostile stores, end to end: metadata with any part replaced, objects that are not what their keys promise, archives
// and servers that lie about sizes, damaged files read straight into shared memory. Always a typed error or a result,
// soon, and without much memory.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { crc32 } from "../../src/storage/codecs/wasm.ts";
import {
  type CodecArgument,
  CorruptDataError,
  createArray,
  FileStore,
  HttpStore,
  MemoryStore,
  MetadataError,
  openArray,
  StorageError,
  type Store,
  type ZarrArray,
  ZipStore,
} from "../../src/storage/index.ts";
import { sampleBlock, sharedBlock, writeAll } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-hostile-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const folder = (): string => join(root, `store${count++}`);
const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Runs it; a typed error or a result, within the memory. */
async function bounded<T>(
  action: () => Promise<T>,
  { bytes = 150e6 }: { bytes?: number } = {},
): Promise<T | StorageError> {
  const before = process.memoryUsage().rss;
  const result = await action().catch((cause: unknown) => cause as StorageError);
  if (result instanceof Error) expect(result).toBeInstanceOf(StorageError);
  expect(process.memoryUsage().rss - before).toBeLessThan(bytes);
  return result;
}

const little = { name: "bytes", configuration: { endian: "little" } };
const V3 = {
  zarr_format: 3,
  node_type: "array",
  shape: [4, 4],
  data_type: "float32",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 2] } },
  chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
  fill_value: 0,
  codecs: [
    { name: "transpose", configuration: { order: [1, 0] } },
    {
      name: "sharding_indexed",
      configuration: {
        chunk_shape: [1, 2],
        codecs: [
          little,
          {
            name: "blosc",
            configuration: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 4, blocksize: 0 },
          },
          { name: "zstd", configuration: { level: 3, checksum: false } },
        ],
        index_codecs: [little, { name: "crc32c" }],
        index_location: "end",
      },
    },
    { name: "gzip", configuration: { level: 1 } },
  ],
  attributes: { a: { b: 1 } },
  dimension_names: ["y", null],
};
const V2 = {
  zarr_format: 2,
  shape: [4, 4],
  chunks: [2, 2],
  dtype: "<f4",
  compressor: { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 },
  fill_value: "NaN",
  order: "F",
  filters: [{ id: "shuffle", elementsize: 4 }],
  dimension_separator: "/",
};

const ODD: readonly unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, 2 ** 31, 2 ** 52, 1e308, "", "x", "1e308", "__proto__", "../../etc"],
  ...[[], {}, [[]], [null], [-1, -1], [1e308, 2], new Array(70).fill(1), { name: "x" }, { name: {} }],
  { name: "bytes", configuration: { endian: "middle" } },
];

/** The value with one part of it, at any depth, replaced. */
function* replaced(value: unknown, by: unknown): Iterable<unknown> {
  yield by;
  if (Array.isArray(value))
    for (const [i, item] of value.entries())
      for (const other of replaced(item, by)) yield value.with(i, other);
  else if (typeof value === "object" && value !== null)
    for (const [name, item] of Object.entries(value))
      for (const other of replaced(item, by)) yield { ...value, [name]: other };
}

describe("metadata with one part replaced", () => {
  test.each([
    ["v3", "/zarr.json", V3],
    ["v2", "/.zarray", V2],
  ] as const)("%s: a typed error or an array that can be read", async (_, key, valid) => {
    const store = new MemoryStore();
    await store.set(key, text(valid));
    expect((await openArray(store)).shape).toEqual([4, 4]);
    let refused = 0;
    let cases = 0;
    await bounded(
      async () => {
        for (const by of ODD)
          for (const other of replaced(valid, by)) {
            await store.set(key, text(other ?? null));
            const opened = await openArray(store).catch((cause: unknown) => cause);
            cases++;
            if (opened instanceof Error) refused++;
            if (opened instanceof Error) expect(opened, JSON.stringify(other)).toBeInstanceOf(StorageError);
            else await readSome(opened as ZarrArray, JSON.stringify(other));
          }
      },
      { bytes: 300e6 },
    );
    expect(refused / cases).toBeGreaterThan(0.7);
  });

  /** What can be opened can be read, or says why not. */
  async function readSome(array: ZarrArray, what: string): Promise<void> {
    const shape = array.shape.map((length) => Math.min(length, 2));
    const read = await array
      .readRegion(
        shape.map(() => 0),
        shape,
      )
      .catch((cause: unknown) => cause);
    if (read instanceof Error) expect(read, what).toBeInstanceOf(StorageError);
    else expect(read).toMatchObject({ shape });
  }

  test("bytes changed anywhere", async () => {
    const valid = text(V3);
    const store = new MemoryStore();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const bytes = valid.slice();
          for (const [at, byte] of changes) bytes[at] = byte;
          await store.set("/zarr.json", bytes);
          const opened = await openArray(store).catch((cause: unknown) => cause);
          if (opened instanceof Error) expect(opened).toBeInstanceOf(StorageError);
        },
      ),
      { numRuns: 400 },
    );
  });

  test.each([
    ['{"zarr_format": 3, "zarr_format": 2}', /twice/],
    ['{"attributes": {"__proto__": 1, "__proto__": 2}}', /twice/],
    ['{"a": {"b": 1, "\\u0062": 2}}', /twice/],
  ])("names that are there twice: %s", async (json, message) => {
    const store = new MemoryStore();
    await store.set("/zarr.json", new TextEncoder().encode(json));
    await expect(openArray(store)).rejects.toBeInstanceOf(MetadataError);
    await expect(openArray(store)).rejects.toThrow(message);
  });

  test("an array that no memory holds can be opened, and says so when it is read", async () => {
    const store = new MemoryStore();
    const huge = { ...V3, shape: [2 ** 26, 2 ** 26], codecs: [little] };
    await store.set("/zarr.json", text(huge));
    const error = await bounded(async () => (await openArray(store)).read());
    expect(String(error)).toMatch(/smaller region/);
  });
});

const CODECS: { readonly [name: string]: readonly CodecArgument[] } = {
  none: [],
  crc32c: ["crc32c"],
  crc32: ["crc32"],
  gzip: ["gzip"],
  zstd: ["zstd"],
  lz4: ["lz4"],
  blosc: ["blosc"],
  "zstd, crc32c": ["zstd", "crc32c"],
  "lz4, crc32c": ["lz4", "crc32c"],
};

interface Stored {
  readonly array: ZarrArray;
  readonly file: string;
}

async function fileArray(codecs: readonly CodecArgument[], shards: number[] | null): Promise<Stored> {
  const place = folder();
  const options = { shape: [60, 60], chunks: shards ? [20, 60] : [60, 60], shards, codecs };
  const array = await createArray(new FileStore(place), "", { ...options, dtype: "float32" });
  await writeAll(array, sampleBlock("float32", [60, 60]));
  return { array, file: join(place, "c/0/0") };
}

const whole = ({ array }: Stored): Promise<unknown> =>
  array.readRegion([0, 0], [60, 60], sharedBlock("float32", [60, 60]));
const part = ({ array }: Stored): Promise<unknown> =>
  array.readRegion([3, 5], [50, 2], sharedBlock("float32", [50, 2]));

describe.each([
  ["a chunk", null],
  ["a shard", [60, 60]],
] as const)("files, read into shared memory: %s", (_, shards) => {
  test.each(Object.keys(CODECS))("%s: cut short or too long", async (name) => {
    const stored = await fileArray(CODECS[name]!, shards && [...shards]);
    const bytes = readFileSync(stored.file);
    const step = Math.max(1, Math.floor(bytes.length / 25));
    for (let length = 0; length < bytes.length; length += length < 20 ? 1 : step) {
      writeFileSync(stored.file, bytes.subarray(0, length));
      for (const read of [whole, part])
        await expect(read(stored), `${length} of ${bytes.length}`).rejects.toBeInstanceOf(CorruptDataError);
    }
    writeFileSync(stored.file, Buffer.concat([bytes, bytes]));
    // A shard may have gaps; what follows a gzip stream is passed over.
    if (shards === null && name !== "gzip")
      for (const read of [whole, part]) await expect(read(stored)).rejects.toBeInstanceOf(CorruptDataError);
  });

  test.each(Object.keys(CODECS))("%s: flipped bits", async (name) => {
    const stored = await fileArray(CODECS[name]!, shards && [...shards]);
    const bytes = readFileSync(stored.file);
    for (let i = 0; i < 60; i++) {
      const flipped = Uint8Array.from(bytes);
      flipped[(i * 7919) % bytes.length]! ^= 1 << (i % 8);
      writeFileSync(stored.file, flipped);
      const result = await bounded(() => whole(stored) as Promise<object>);
      if (name.includes("crc"))
        expect(result, `byte ${(i * 7919) % bytes.length}`).toBeInstanceOf(StorageError);
    }
  });
});

describe("files that are not chunks", () => {
  test("a file of a terabyte is refused before it is read", async () => {
    for (const name of ["none", "crc32c", "zstd", "gzip", "blosc"]) {
      const stored = await fileArray(CODECS[name]!, null);
      truncateSync(stored.file, 2 ** 40);
      for (const read of [whole, part, () => stored.array.getChunk([0, 0])])
        expect(await bounded(async () => read(stored) as Promise<object>)).toBeInstanceOf(CorruptDataError);
    }
    const place = folder();
    mkdirSync(place);
    writeFileSync(join(place, "zarr.json"), "{");
    truncateSync(join(place, "zarr.json"), 2 ** 40);
    expect(await bounded(() => openArray(new FileStore(place)))).toBeInstanceOf(StorageError);
  });

  test("a folder or a pipe is no chunk", async () => {
    const stored = await fileArray([], null);
    unlinkSync(stored.file);
    mkdirSync(stored.file);
    expect(await stored.array.getChunk([0, 0])).toBeNull();
    expect(await bounded(() => whole(stored) as Promise<object>)).toMatchObject({ shape: [60, 60] });
    rmSync(stored.file, { recursive: true });
    execFileSync("mkfifo", [stored.file]);
    expect(await bounded(() => stored.array.getChunk([0, 0]))).toBeNull();
  });
});

/** A zip archive of one deflated entry that claims to have `size` bytes. */
function zipOfOne(name: string, content: Uint8Array, size: number): Uint8Array {
  const packed = deflateRawSync(content);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(size, 18);
  fields.writeUInt16LE(name.length, 22);
  const title = Buffer.from(name);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, title, packed]);
  const central = Buffer.concat([
    ...[Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), fields, Buffer.alloc(14), title],
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

/** The same metadata, and chunks from elsewhere. */
async function metadataOver(store: Store): Promise<ZarrArray> {
  const json = text({ ...V3, codecs: [little] });
  const get: Store["get"] = (key, options) => (key === "/zarr.json" ? json : store.get(key, options));
  return openArray({ get });
}

describe("archives and servers", () => {
  test("a zip entry that inflates, or claims to, beyond what a chunk can have", async () => {
    const zeros = new Uint8Array(300_000_000);
    for (const size of [16, zeros.length, 0xfffffff0]) {
      const array = await metadataOver(new ZipStore(zipOfOne("c/0/0", zeros, size)));
      expect(await bounded(() => array.getChunk([0, 0]))).toBeInstanceOf(CorruptDataError);
    }
    const right = await metadataOver(new ZipStore(zipOfOne("c/0/0", new Uint8Array(16), 16)));
    expect(await right.getChunk([0, 0])).toMatchObject({ shape: [2, 2] });
  });

  test("an answer without end, or of a terabyte", async () => {
    const server = createServer((request, response) => {
      if (request.url!.includes("/c/0/0")) response.setHeader("Content-Length", 2 ** 40);
      const piece = Buffer.alloc(1 << 16);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    }).listen(0);
    try {
      const { port } = server.address() as AddressInfo;
      const array = await metadataOver(new HttpStore(`http://127.0.0.1:${port}`, { retries: 0 }));
      expect(await bounded(() => array.getChunk([0, 0]))).toBeInstanceOf(StorageError);
      expect(await bounded(() => array.getChunk([0, 1]))).toBeInstanceOf(StorageError);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("shard indexes", () => {
  const json = {
    ...V3,
    codecs: [
      {
        name: "sharding_indexed",
        configuration: { chunk_shape: [1, 1], codecs: [little], index_codecs: [little] },
      },
    ],
  };

  test.each([
    ["all chunks in one place", [0, 0, 0, 0], [4, 4, 4, 4], true],
    ["chunks that overlap", [0, 1, 2, 3], [4, 4, 4, 4], true],
    ["chunks over the index itself", [20, 24, 30, 40], [4, 4, 4, 4], true],
    ["chunks over the end", [70, 70, 70, 70], [4, 4, 4, 4], false],
    ["chunks of other lengths", [0, 0, 0, 0], [3, 5, 8, 16], false],
    ["offsets beyond 2^53", [2 ** 60, 0, 0, 0], [4, 4, 4, 4], false],
  ] as const)("%s", async (_, offsets, lengths, isReadable) => {
    const bytes = new Uint8Array(8 + 64);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < 4; i++) {
      view.setBigUint64(8 + 16 * i, BigInt(offsets[i]!), true);
      view.setBigUint64(16 + 16 * i, BigInt(lengths[i]!), true);
    }
    const memory = new MemoryStore();
    const files = new FileStore(folder());
    for (const store of [memory, files]) {
      await store.set("/zarr.json", text(json));
      await store.set("/c/0/0", bytes);
      const array = await openArray(store);
      const result = await bounded(() => array.readRegion([0, 0], [2, 2], sharedBlock("float32", [2, 2])));
      // Chunks may share bytes: that is odd, and harmless.
      if (isReadable) expect(result).toMatchObject({ shape: [2, 2] });
      else expect(result).toBeInstanceOf(CorruptDataError);
    }
  });
});
