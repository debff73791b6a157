// Round trips of arrays of any shape, chunking, order, dtype and codecs; then the chunk interface by example.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type Block, newBlock, subBlock } from "../../src/core/block.ts";
import { chunkBox, placeOf, sizeOf } from "../../src/core/chunks.ts";
import { DTYPES } from "../../src/core/dtype.ts";
import { DTypeError, IndexError, ShapeError } from "../../src/core/errors.ts";
import {
  type CreateArrayOptions,
  consolidate,
  createArray,
  createGroup,
  FileStore,
  MemoryStore,
  MetadataError,
  NotFoundError,
  openArray,
  openGroup,
  openNode,
  type Store,
  type StoredName,
  setAttributes,
  ZarrArray,
} from "../../src/storage/index.ts";
import { blockOf, bytesOf, hex, sampleBlock, writeAll } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-roundtrip-"));
afterAll(() => rmSync(root, { recursive: true }));

const CODECS: readonly NonNullable<CreateArrayOptions["codecs"]>[] = [
  [],
  [],
  ["crc32c"],
  ["gzip"],
  ["zlib"],
  ["zstd", "crc32c"],
  ["lz4"],
  ["blosc"],
  [{ name: "blosc", configuration: { cname: "zstd", shuffle: "bitshuffle" } }],
  [{ name: "blosc", configuration: { cname: "zlib", shuffle: "noshuffle", blocksize: 64 } }],
  ["crc32", "zlib"],
  ["shuffle", "zstd"],
  ["gzip", "adler32"],
];

interface Plan {
  readonly options: CreateArrayOptions;
  readonly start: number[];
  readonly part: number[];
  readonly seed: number;
  readonly isFile: boolean;
}

const axis = fc.record({
  length: fc.integer({ min: 0, max: 17 }),
  chunk: fc.integer({ min: 1, max: 7 }),
  times: fc.integer({ min: 1, max: 3 }),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true }),
});

const plans: fc.Arbitrary<Plan> = fc
  .record({
    axes: fc.array(axis, { maxLength: 3 }),
    dtype: fc.constantFrom<StoredName>(...DTYPES),
    codecs: fc.constantFrom(...CODECS),
    keys: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
    zarrFormat: fc.constantFrom(2 as const, 3 as const, 3 as const),
    isSharded: fc.boolean(),
    indexLocation: fc.constantFrom("start" as const, "end" as const),
    endian: fc.constantFrom("little" as const, "big" as const),
    separator: fc.constantFrom("/" as const, "." as const),
    writeEmptyChunks: fc.boolean(),
    seed: fc.integer({ min: 1, max: 1000 }),
    isFile: fc.boolean(),
  })
  .map(({ axes, keys, isSharded, separator, seed, isFile, ...rest }) => {
    const shape = axes.map(({ length }) => length);
    const order = axes.map((_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
    const isV3 = rest.zarrFormat === 3;
    const start = axes.map(({ length, from }) => Math.floor(length * from));
    return {
      options: {
        ...rest,
        shape,
        chunks: axes.map(({ chunk }) => chunk),
        shards: isSharded && isV3 && axes.length > 0 ? axes.map(({ chunk, times }) => chunk * times) : null,
        order: isV3 ? order : keys[0]! % 2 === 0 ? "C" : "F",
        keyEncoding: { name: isV3 && seed % 2 === 0 ? "default" : "v2", separator },
      },
      start,
      part: axes.map(({ length, to }, i) => Math.floor((length - start[i]!) * to)),
      seed,
      isFile,
    } satisfies Plan;
  });

let count = 0;

describe("properties", () => {
  test("what is written is read, whole and in parts", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async ({ options, start, part, seed, isFile }) => {
        const store: Store = isFile
          ? new FileStore(join(root, `p${count++}`), { blocking: seed % 2 === 0 })
          : new MemoryStore();
        const array = await createArray(store, "a/b", options);
        const shape = [...array.shape];
        const block = sampleBlock(options.dtype, shape, seed);
        await writeAll(array, block);
        const again = await openArray(store, "a/b", options);
        expect(again.metadata).toEqual(array.metadata);
        expect(hex(bytesOf(await again.read()))).toBe(hex(bytesOf(block)));
        const wanted = hex(bytesOf(subBlock(block, start, part)));
        expect(hex(bytesOf(await again.readRegion(start, part)))).toBe(wanted);
        const into = strided(newBlock(array.dtype, [...part].reverse()));
        await again.readRegion(start, part, into);
        expect(hex(bytesOf(into))).toBe(wanted);
      }),
      { numRuns: 250 },
    );
  });

  test("chunks can be replaced one by one, in shards too", async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 1, max: 5 }), async ({ options, seed }, step) => {
        const store = new MemoryStore();
        const array = await createArray(store, "", options);
        const block = sampleBlock(options.dtype, [...array.shape], seed);
        const whole = newBlock(array.dtype, array.shape);
        const written: string[] = [];
        const total = sizeOf(array.chunkGrid);
        // In an order that is not the grid's, and not all.
        for (let i = total - 1; i >= 0; i -= step) {
          const place = placeOf(i, array.chunkGrid);
          const box = chunkBox(array.shape, array.chunks, place);
          const part = subBlock(block, box.start, box.shape);
          await array.setChunk(place, part);
          const isZero = bytesOf(part).every((byte) => byte === 0);
          // v2 has no fill value unless one is given: nothing is left out then.
          if (!isZero || options.writeEmptyChunks || options.zarrFormat === 2) written.push(place.join());
          else expect(await array.getChunk(place)).toBeNull();
          (await import("../../src/storage/zarr/blockCopies.ts")).copyBlock(
            part,
            subBlock(whole, box.start, box.shape),
          );
        }
        const listed: string[] = [];
        for await (const place of array.listChunks()) listed.push(place.join());
        expect(listed.sort()).toEqual(written.sort());
        for (const place of written.slice(0, 3))
          expect(await array.hasChunk(place === "" ? [] : place.split(",").map(Number))).toBe(true);
        expect(hex(bytesOf(await array.read()))).toBe(hex(bytesOf(whole)));
      }),
      { numRuns: 120 },
    );
  });

  test("metadata survive the way through JSON", async () => {
    const fills = fc.oneof(
      fc.double(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.constantFrom("NaN", "-Infinity", "0x7ff8000000000123", "0xfff0000000000001"),
    );
    await fc.assert(
      fc.asyncProperty(fills, fc.dictionary(fc.string(), fc.jsonValue()), async (fillValue, attributes) => {
        const store = new MemoryStore();
        const dtype = typeof fillValue === "bigint" ? "int64" : "float64";
        const array = await createArray(store, "", {
          shape: [3],
          chunks: [2],
          dtype,
          fillValue,
          attributes: attributes as { [name: string]: number },
        });
        const again = await openArray(store);
        expect(hex(again.metadata.fill.element)).toBe(hex(array.metadata.fill.element));
        expect(again.attributes).toEqual(attributes);
        const read = bytesOf(await again.read());
        expect(hex(read.slice(8, 16))).toBe(hex(array.metadata.fill.element));
      }),
      { numRuns: 200 },
    );
  });
});

/** The same block with its axes reversed: not contiguous, for most shapes. */
const strided = (block: Block): Block => ({
  ...block,
  shape: [...block.shape].reverse(),
  strides: [...block.strides].reverse(),
});

describe("float16", () => {
  test("a fill value is rounded once", async () => {
    // Just above a tie of halves, but a tie after rounding to float32.
    const value = 1 + 2 ** -11 + 2 ** -40;
    const array = await createArray(new MemoryStore(), "", {
      shape: [1],
      dtype: "float16",
      fillValue: value,
    });
    expect(array.fillValue).toBe(1 + 2 ** -10);
  });
});

describe("the chunk interface", () => {
  test("missing chunks are null, or fill value when asked", async () => {
    const array = await createArray(new MemoryStore(), "", {
      shape: [5, 5],
      chunks: [2, 2],
      dtype: "int64",
      fillValue: 2n ** 62n,
    });
    expect(await array.getChunk([0, 0])).toBeNull();
    expect(await array.hasChunk([2, 2])).toBe(false);
    const edge = (await array.getChunk([2, 2], { missing: "fill" }))!;
    expect(edge.shape).toEqual([1, 1]);
    expect(edge.data[0]).toBe(2n ** 62n);
    expect(await array.getRaw([0, 0])).toBeUndefined();
  });

  test("a chunk of fill value is left out, or stored when asked", async () => {
    for (const writeEmptyChunks of [false, true]) {
      const store = new MemoryStore();
      const array = await createArray(store, "", {
        shape: [4],
        chunks: [2],
        dtype: "float64",
        fillValue: -0,
        writeEmptyChunks,
        codecs: [],
      });
      await array.setChunk([0], blockOf("float64", [2], new Uint8Array(new Float64Array([-0, -0]).buffer)));
      // 0 is not −0.
      await array.setChunk([1], newBlock("float64", [2]));
      expect([await store.has("/c/0"), await store.has("/c/1")]).toEqual([writeEmptyChunks, true]);
      await array.setChunk([1], blockOf("float64", [2], new Uint8Array(new Float64Array([-0, -0]).buffer)));
      expect(await store.has("/c/1")).toBe(writeEmptyChunks);
    }
  });

  test("edge chunks are stored whole, with fill value beyond the edge", async () => {
    const store = new MemoryStore();
    const array = await createArray(store, "", {
      shape: [3],
      chunks: [2],
      dtype: "int8",
      fillValue: 7,
      codecs: [],
    });
    await array.setChunk([1], blockOf("int8", [1], new Uint8Array([9])));
    expect([...(await store.get("/c/1"))!]).toEqual([9, 7]);
    await array.setChunk([1], blockOf("int8", [2], new Uint8Array([1, 2])));
    expect([...(await store.get("/c/1"))!]).toEqual([1, 2]);
    expect([...bytesOf((await array.getChunk([1]))!)]).toEqual([1]);
  });

  test("raw bytes go through as they are", async () => {
    const from = await createArray(new MemoryStore(), "", { shape: [100], chunks: [50], dtype: "float64" });
    const to = await createArray(new MemoryStore(), "", { shape: [100], chunks: [50], dtype: "float64" });
    const block = sampleBlock("float64", [100]);
    await writeAll(from, block);
    for await (const place of from.listChunks()) await to.setRaw(place, (await from.getRaw(place))!);
    expect(hex(bytesOf(await to.read()))).toBe(hex(bytesOf(block)));
    await to.deleteShard([0]);
    expect(await to.hasShard([0])).toBe(false);
    const encoded = (await from.encodeShard(subBlock(block, [0], [50])))!;
    expect(hex(bytesOf(await from.decodeShard(encoded)))).toBe(hex(bytesOf(subBlock(block, [0], [50]))));
  });

  test("chunks of one shard written at once are all there", async () => {
    const array = await createArray(new MemoryStore(), "", {
      shape: [64],
      chunks: [4],
      shards: [64],
      dtype: "int32",
    });
    const block = sampleBlock("int32", [64], 3);
    await Promise.all(
      Array.from({ length: 16 }, (_, i) => array.setChunk([i], subBlock(block, [4 * i], [4]))),
    );
    expect(hex(bytesOf(await array.read()))).toBe(hex(bytesOf(block)));
  });

  test("wrong places, shapes and dtypes", async () => {
    const array = await createArray(new MemoryStore(), "", { shape: [4, 4], chunks: [2, 2], dtype: "int32" });
    for (const place of [[2, 0], [-1, 0], [0], [0.5, 0], [0, 0, 0]])
      await expect(array.getChunk(place)).rejects.toBeInstanceOf(IndexError);
    await expect(array.readRegion([3, 3], [2, 1])).rejects.toBeInstanceOf(IndexError);
    await expect(array.setChunk([0, 0], newBlock("int32", [1, 2]))).rejects.toBeInstanceOf(ShapeError);
    await expect(array.setChunk([0, 0], newBlock("int16", [2, 2]))).rejects.toBeInstanceOf(DTypeError);
    await expect(array.readRegion([0, 0], [2, 2], newBlock("int16", [2, 2]))).rejects.toBeInstanceOf(
      DTypeError,
    );
  });

  test("an aborted signal stops reading and writing", async () => {
    const array = await createArray(new FileStore(join(root, "abort")), "", {
      shape: [4],
      chunks: [2],
      dtype: "int32",
    });
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(array.read({ signal })).rejects.toThrow("enough");
    await expect(array.getChunk([0], { signal })).rejects.toThrow("enough");
    await expect(array.setChunk([0], sampleBlock("int32", [2]), { signal })).rejects.toThrow("enough");
    await expect(openArray(array.store, "", { signal })).rejects.toThrow("enough");
  });

  test("blocks may lie in memory that threads share", async () => {
    const store = new FileStore(join(root, "shared"), { blocking: false });
    const plain = sampleBlock("float64", [300, 100]);
    const shared = new Float64Array(new SharedArrayBuffer(plain.data.byteLength));
    shared.set(plain.data as Float64Array);
    const block = { ...plain, data: shared };
    for (const [i, codecs] of CODECS.entries()) {
      const array = await createArray(store, `a${i}`, {
        shape: [300, 100],
        chunks: [150, 100],
        dtype: "float64",
        codecs,
      });
      await writeAll(array, block);
      const into = { ...plain, data: new Float64Array(new SharedArrayBuffer(plain.data.byteLength)) };
      await array.readRegion([0, 0], [300, 100], into);
      expect(Buffer.compare(bytesOf(into), bytesOf(plain)), JSON.stringify(codecs)).toBe(0);
    }
  });

  test("a Map is a store", async () => {
    const map = new Map<string, Uint8Array>() as unknown as Store;
    const array = await createArray(map, "", { shape: [4], chunks: [2], dtype: "int32" });
    const block = sampleBlock("int32", [4], 5);
    await writeAll(array, block);
    expect(hex(bytesOf(await (await openArray(map)).read()))).toBe(hex(bytesOf(block)));
  });
});

describe("groups", () => {
  test.each([2, 3] as const)("v%i: members, attributes, consolidated metadata", async (zarrFormat) => {
    const store = new MemoryStore();
    const group = await createGroup(store, "", { zarrFormat, attributes: { title: "all" } });
    await group.createArray("x/y/a", {
      shape: [4],
      dtype: "int32",
      attributes: { units: "m" },
      dimensionNames: ["t"],
    });
    await group.createArray("b", { shape: [], dtype: "float64", chunks: [] });
    const paths = async (deep: boolean) =>
      (await (await openGroup(store)).members({ deep })).map(({ path, kind }) => `${kind} ${path}`);
    const all = ["array b", "group x", "group x/y", "array x/y/a"];
    expect(await paths(false)).toEqual(["array b", "group x"]);
    expect(await paths(true)).toEqual(all);
    await consolidate(store);
    expect(await paths(true)).toEqual(all);
    // Only one object is read now.
    const asked: string[] = [];
    const watched: Store = {
      get(key) {
        asked.push(key);
        return store.get(key);
      },
    };
    const opened = await openGroup(watched);
    const before = asked.length;
    const inner = await (await opened.openGroup("x")).openArray("y/a");
    expect(asked.length).toBe(before);
    expect(inner).toBeInstanceOf(ZarrArray);
    expect([inner.attributes["units"], inner.dimensionNames, inner.path]).toEqual(["m", ["t"], "/x/y/a"]);
    await expect(opened.openArray("nothing")).rejects.toBeInstanceOf(NotFoundError);
    expect(opened.attributes).toEqual({ title: "all" });
    const changed = await setAttributes(await openArray(store, "b", { zarrFormat }), { new: [1n, "é"] });
    expect(changed.attributes).toEqual({ new: [1n, "é"] });
    expect((await openNode(store, "b", { zarrFormat })).attributes).toEqual({ new: [1, "é"] });
  });

  test("what is there is not overwritten unless asked", async () => {
    const store = new MemoryStore();
    await createArray(store, "a", { shape: [4], dtype: "int32" });
    await expect(createArray(store, "a", { shape: [4], dtype: "int32" })).rejects.toBeInstanceOf(
      MetadataError,
    );
    await expect(createArray(store, "a/b", { shape: [4], dtype: "int32" })).rejects.toBeInstanceOf(
      MetadataError,
    );
    await createGroup(store, "a", { overwrite: true });
    await expect(openArray(store, "a")).rejects.toBeInstanceOf(NotFoundError);
    await expect(openGroup(store, "z")).rejects.toBeInstanceOf(NotFoundError);
  });
});
