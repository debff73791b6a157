// What a damaged or hostile store can hold: every case ends in a typed error, soon, and without much memory.

import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  CorruptDataError,
  createArray,
  MemoryStore,
  MetadataError,
  NotSupportedError,
  openArray,
  openGroup,
  StorageError,
  type StoreKey,
  type ZarrArray,
} from "../../src/storage/index.ts";
import { bytesOf, hex, randomBytes, sampleBlock, writeAll } from "./support.ts";

const text = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

async function storeWith(objects: { readonly [key: string]: unknown }): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (const [key, value] of Object.entries(objects)) await store.set(key as StoreKey, text(value));
  return store;
}

const V3 = {
  zarr_format: 3,
  node_type: "array",
  shape: [4, 4],
  data_type: "int32",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [{ name: "bytes", configuration: { endian: "little" } }],
};
const V2 = {
  zarr_format: 2,
  shape: [4, 4],
  chunks: [2, 2],
  dtype: "<i4",
  compressor: null,
  fill_value: 0,
  order: "C",
  filters: null,
};
const grid = (chunk_shape: unknown) => ({ chunk_grid: { name: "regular", configuration: { chunk_shape } } });
const codecs = (...list: unknown[]) => ({
  codecs: [{ name: "bytes", configuration: { endian: "little" } }, ...list],
});
const shard = (configuration: object, depth = 0): object => ({
  name: "sharding_indexed",
  configuration: {
    chunk_shape: [1, 1],
    codecs: depth > 0 ? [shard(configuration, depth - 1)] : V3.codecs,
    index_codecs: [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }],
    ...configuration,
  },
});
const raw = (fields: string): string => JSON.stringify(V3).replace(/^\{/, `{${fields},`);

const BAD_V3: { readonly [name: string]: unknown } = {
  "not JSON": "{",
  "not an object": "[]",
  "no text": "",
  "another format": { ...V3, zarr_format: 4 },
  "no node type": { ...V3, node_type: undefined },
  "a negative length": { ...V3, shape: [-1, 4] },
  "a fraction": { ...V3, shape: [1.5, 4] },
  "a length of text": { ...V3, shape: ["4", 4] },
  "1e308": JSON.stringify(V3).replace('"shape":[4,4]', '"shape":[1e308,1e308]'),
  "1e400": JSON.stringify(V3).replace('"shape":[4,4]', '"shape":[1e400,4]'),
  "a length of 30 digits": JSON.stringify(V3).replace('"shape":[4,4]', `"shape":[${"9".repeat(30)},4]`),
  "2^80 elements": { ...V3, shape: [2 ** 40, 2 ** 40] },
  "too many axes": { ...V3, shape: new Array(10_000).fill(1), ...grid(new Array(10_000).fill(1)) },
  "chunks of 0": { ...V3, ...grid([0, 2]) },
  "negative chunks": { ...V3, ...grid([-2, 2]) },
  "chunks of 1e308": JSON.stringify({ ...V3, ...grid([7, 2]) }).replace("[7,2]", "[1e308,2]"),
  "chunks of another rank": { ...V3, ...grid([2]) },
  "no chunk grid": { ...V3, chunk_grid: undefined },
  "another grid": { ...V3, chunk_grid: { name: "rectilinear", configuration: {} } },
  "another key encoding": { ...V3, chunk_key_encoding: { name: "hilbert" } },
  "another separator": {
    ...V3,
    chunk_key_encoding: { name: "default", configuration: { separator: "/../" } },
  },
  "another data type": { ...V3, data_type: "float8" },
  "a structured data type": { ...V3, data_type: { name: "structured", configuration: {} } },
  "no fill value": { ...V3, fill_value: undefined },
  "a fill value of another type": { ...V3, fill_value: "zero" },
  "a fill value out of range": { ...V3, fill_value: 2 ** 31 },
  "a fill value that is a fraction": { ...V3, fill_value: 0.5 },
  "hexadecimal of another length": { ...V3, data_type: "float32", fill_value: "0x7fc0" },
  "codecs that are not a list": { ...V3, codecs: {} },
  "a codec without a name": { ...V3, codecs: [{}] },
  "an unknown codec": { ...V3, ...codecs({ name: "magic" }) },
  "an unknown codec before bytes": { ...V3, codecs: [{ name: "magic" }, ...V3.codecs] },
  "a codec named after a method": { ...V3, ...codecs({ name: "constructor" }) },
  "a compressor before bytes": { ...V3, codecs: [{ name: "gzip" }, ...V3.codecs] },
  "two serializers": { ...V3, ...codecs(V3.codecs[0]) },
  "bytes without endian": { ...V3, codecs: [{ name: "bytes" }] },
  "a gzip level of 99": { ...V3, ...codecs({ name: "gzip", configuration: { level: 99 } }) },
  "a blosc of another name": { ...V3, ...codecs({ name: "blosc", configuration: { cname: "lzma" } }) },
  "a transpose that is none": {
    ...V3,
    codecs: [{ name: "transpose", configuration: { order: [0, 0] } }, ...V3.codecs],
  },
  "a thousand codecs": { ...V3, ...codecs(...new Array(1000).fill({ name: "gzip" })) },
  "shards that chunks do not fill": { ...V3, codecs: [shard({ chunk_shape: [2, 3] })] },
  "shards with chunks of 0": { ...V3, codecs: [shard({ chunk_shape: [0, 1] })] },
  "a compressed index": { ...V3, codecs: [shard({ index_codecs: [V3.codecs[0], { name: "gzip" }] })] },
  "an index elsewhere": { ...V3, codecs: [shard({ index_location: "middle" })] },
  "shards in shards without end": { ...V3, codecs: [shard({}, 90)] },
  "an unknown field": { ...V3, secret: 1 },
  "a transformer": { ...V3, storage_transformers: [{ name: "x" }] },
  "names that are too few": { ...V3, dimension_names: ["x"] },
  "names that are numbers": { ...V3, dimension_names: [1, 2] },
  "attributes that are a list": { ...V3, attributes: [] },
  "deep nesting": raw(`"attributes":${"[".repeat(100_000)}`),
  "deep nesting that ends": raw(`"attributes":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`),
  "a number of a million digits": raw(`"x":${"1".repeat(1_000_000)}`),
  "a string that does not end": `{"a": "${"x".repeat(1_000_000)}`,
  "control characters": '{"a": "\n"}',
};

const BAD_V2: { readonly [name: string]: unknown } = {
  "not JSON": "}",
  "another format": { ...V2, zarr_format: 3 },
  "chunks of 0": { ...V2, chunks: [0, 2] },
  "negative chunks": { ...V2, chunks: [2, -2] },
  "a huge shape": { ...V2, shape: [2 ** 40, 2 ** 40] },
  "another order": { ...V2, order: "Z" },
  "no dtype": { ...V2, dtype: undefined },
  "a dtype without order": { ...V2, dtype: "|i4" },
  "a dtype of three bytes": { ...V2, dtype: "<i3" },
  "a structured dtype": { ...V2, dtype: [["a", "<i4"]] },
  "a date without a unit": { ...V2, dtype: "<M8" },
  "a date in steps of 25 s": { ...V2, dtype: "<M8[25s]" },
  "a string": { ...V2, dtype: "<U4" },
  "an object dtype": { ...V2, dtype: "|O", filters: [{ id: "pickle" }] },
  "an unknown compressor": { ...V2, compressor: { id: "lzma" } },
  "a compressor without id": { ...V2, compressor: {} },
  "filters that are no list": { ...V2, filters: {} },
  "an unknown filter": { ...V2, filters: [{ id: "pickle" }] },
  "another separator": { ...V2, dimension_separator: "-" },
  "a fill value of another type": { ...V2, fill_value: {} },
};

describe("metadata", () => {
  test("what the cases are made from is right", async () => {
    expect((await openArray(await storeWith({ "/zarr.json": V3 }))).shape).toEqual([4, 4]);
    expect((await openArray(await storeWith({ "/.zarray": V2 }))).shape).toEqual([4, 4]);
    const extended = { ...V3, extra: { must_understand: false } };
    expect((await openArray(await storeWith({ "/zarr.json": extended }))).shape).toEqual([4, 4]);
  });

  test.each(Object.keys(BAD_V3))("v3: %s", async (name) => {
    const store = await storeWith({ "/zarr.json": BAD_V3[name] });
    await expect(openArray(store)).rejects.toBeInstanceOf(StorageError);
    await expect(openArray(store)).rejects.toThrow(/^\/(zarr\.json)?/);
  });

  test.each(Object.keys(BAD_V2))("v2: %s", async (name) => {
    const store = await storeWith({ "/.zarray": BAD_V2[name] });
    await expect(openArray(store)).rejects.toBeInstanceOf(StorageError);
  });

  test("consolidated metadata are checked as strictly", async () => {
    const group = {
      zarr_format: 3,
      node_type: "group",
      consolidated_metadata: {
        kind: "inline",
        must_understand: false,
        metadata: { a: { ...V3, shape: [-1, 1] } },
      },
    };
    await expect(openGroup(await storeWith({ "/zarr.json": group }))).rejects.toBeInstanceOf(MetadataError);
    const v2 = {
      zarr_consolidated_format: 1,
      metadata: { ".zgroup": { zarr_format: 2 }, "a/.zarray": { ...V2, chunks: [0, 0] } },
    };
    await expect(
      openGroup(await storeWith({ "/.zgroup": { zarr_format: 2 }, "/.zmetadata": v2 })),
    ).rejects.toBeInstanceOf(MetadataError);
  });

  test("names cannot change prototypes", async () => {
    const array = await openArray(
      await storeWith({ "/zarr.json": raw('"attributes":{"__proto__":{"polluted":true}}') }),
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(array.attributes)).toBe(Object.prototype);
  });

  test("a huge array costs nothing until it is read, and a huge chunk is refused", async () => {
    const array = await openArray(
      await storeWith({ "/zarr.json": { ...V3, shape: [2 ** 26, 2 ** 26], ...grid([2 ** 22, 2 ** 22]) } }),
    );
    await expect(array.getChunk([0, 0])).rejects.toBeInstanceOf(NotSupportedError);
    expect(hex(bytesOf(await array.readRegion([5, 5], [1, 2])))).toBe("00".repeat(8));
    const wide = await openArray(
      await storeWith({
        "/zarr.json": {
          ...V3,
          shape: [2 ** 17, 2 ** 17],
          ...grid([2 ** 17, 2 ** 17]),
          codecs: [shard({ chunk_shape: [1, 1] })],
        },
      }),
    );
    await expect(wide.readRegion([0, 0], [1, 1])).rejects.toBeInstanceOf(NotSupportedError);
  });
});

const CODECS = {
  none: [],
  crc32c: ["crc32c"],
  gzip: ["gzip"],
  zlib: ["zlib"],
  zstd: ["zstd"],
  lz4: ["lz4"],
  blosc: ["blosc"],
  blosc_zstd: [{ name: "blosc", configuration: { cname: "zstd" } }],
  blosc_zlib: [{ name: "blosc", configuration: { cname: "zlib", shuffle: "bitshuffle" } }],
  default: ["zstd", "crc32c"],
} as const;

async function arrayWith(
  name: keyof typeof CODECS,
  shards: number[] | null = null,
): Promise<{ array: ZarrArray; store: MemoryStore }> {
  const store = new MemoryStore();
  const array = await createArray(store, "", {
    shape: [40, 40],
    chunks: shards ? [10, 10] : [40, 40],
    shards,
    dtype: "float32",
    codecs: CODECS[name],
  });
  await writeAll(array, sampleBlock("float32", [40, 40]));
  return { array, store };
}

const KEY = "/c/0/0";
const names = Object.keys(CODECS) as (keyof typeof CODECS)[];

describe("chunks", () => {
  test.each(names)("%s: cut short anywhere", async (name) => {
    const { array, store } = await arrayWith(name);
    const whole = (await store.get(KEY))!;
    const step = Math.max(1, Math.floor(whole.length / 60));
    for (let length = 0; length < whole.length; length += length < 40 ? 1 : step) {
      await store.set(KEY, whole.slice(0, length));
      await expect(array.getChunk([0, 0]), `${length} of ${whole.length}`).rejects.toBeInstanceOf(
        CorruptDataError,
      );
    }
    await store.set(KEY, new Uint8Array([...whole, 0]));
    const longer = await array.getChunk([0, 0]).catch((cause: unknown) => cause);
    // What follows a gzip or zlib stream is passed over by Node's zlib.
    if (name !== "gzip" && name !== "zlib") expect(longer).toBeInstanceOf(CorruptDataError);
  });

  test.each(names)("%s: a flipped bit is an error or a block, never more", async (name) => {
    const { array, store } = await arrayWith(name);
    const whole = (await store.get(KEY))!;
    const before = hex(bytesOf((await array.getChunk([0, 0]))!));
    const places = randomBytes(300, 7);
    for (let i = 0; i + 1 < places.length; i += 2) {
      const at =
        i < 60 ? Math.min(i, whole.length - 1) : ((places[i]! * 256 + places[i + 1]!) * 7919) % whole.length;
      const flipped = whole.slice();
      flipped[at]! ^= 1 << (i % 8);
      await store.set(KEY, flipped);
      const result = await array.getChunk([0, 0]).catch((cause: unknown) => cause);
      if (result instanceof Error) expect(result, String(at)).toBeInstanceOf(StorageError);
      else if (name === "crc32c" || name === "default") expect.unreachable(`bit at ${at} went unseen`);
      else expect(result).toMatchObject({ shape: [40, 40] });
    }
    await store.set(KEY, whole);
    expect(hex(bytesOf((await array.getChunk([0, 0]))!))).toBe(before);
  });

  test("decompression bombs are stopped at the size of the chunk", async () => {
    const bomb = new Uint8Array(400_000_000);
    /** The bombs hold 400 MB and more; what refusing one costs must be far from that. */
    const refuses = async (array: ZarrArray): Promise<void> => {
      const before = process.memoryUsage().rss;
      await expect(array.getChunk([0, 0])).rejects.toBeInstanceOf(CorruptDataError);
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    };
    for (const [name, bytes] of [
      ["gzip", gzipSync(bomb)],
      ["zlib", deflateSync(bomb)],
    ] as const) {
      const { array, store } = await arrayWith(name);
      await store.set(KEY, bytes);
      await refuses(array);
    }
    const claims = { lz4: 0, blosc: 4, blosc_zstd: 4 } as const;
    for (const [name, at] of Object.entries(claims)) {
      const { array, store } = await arrayWith(name as "lz4");
      const bytes = (await store.get(KEY))!.slice();
      new DataView(bytes.buffer).setUint32(at, 0xfffffff0, true);
      await store.set(KEY, bytes);
      await refuses(array);
    }
    // zstd: a frame that claims 2^40 bytes, and runs of one byte without a claimed size.
    const { array, store } = await arrayWith("zstd");
    const huge = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, 7]);
    const runs = new Uint8Array([
      0x28,
      0xb5,
      0x2f,
      0xfd,
      0x00,
      0x58,
      ...new Array(20_000).fill([0x02, 0x00, 0x10, 7]).flat(),
      3,
      0,
      0,
      7,
    ]);
    for (const bytes of [huge, runs]) {
      await store.set(KEY, bytes);
      await refuses(array);
    }
  });
});

describe("shards", () => {
  test.each(["none", "default"] as const)("%s: cut short, flipped", async (name) => {
    const { array, store } = await arrayWith(name, [40, 40]);
    const whole = (await store.get(KEY))!;
    for (let length = 0; length < whole.length; length += 97) {
      await store.set(KEY, whole.slice(0, length));
      await expect(array.readRegion([0, 0], [15, 15]), String(length)).rejects.toBeInstanceOf(
        CorruptDataError,
      );
    }
    for (let at = whole.length - 260; at < whole.length; at += 3) {
      const flipped = whole.slice();
      flipped[at]! ^= 16;
      await store.set(KEY, flipped);
      await expect(array.getChunk([0, 0]), String(at)).rejects.toBeInstanceOf(CorruptDataError);
    }
  });

  test("an index that points anywhere", async () => {
    const store = new MemoryStore();
    const json = { ...V3, codecs: [shard({ index_codecs: [V3.codecs[0]] })] };
    await store.set("/zarr.json", text(json));
    const array = await openArray(store);
    for (const [offset, length] of [
      [0n, 2n ** 63n],
      [2n ** 63n, 4n],
      [2n ** 64n - 1n, 4n],
      [10n ** 9n, 4n],
      [0n, 10n ** 12n],
      [2n ** 64n - 2n, 2n],
      [0n, 0n],
    ] as const) {
      const bytes = new Uint8Array(4 + 64);
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < 4; i++) {
        view.setBigUint64(4 + 16 * i, offset, true);
        view.setBigUint64(12 + 16 * i, length, true);
      }
      await store.set("/c/0/0", bytes);
      await expect(array.getChunk([0, 0]), `${offset} ${length}`).rejects.toBeInstanceOf(StorageError);
      await expect(array.readRegion([0, 0], [2, 2]), `${offset} ${length}`).rejects.toBeInstanceOf(
        StorageError,
      );
    }
  });
});
