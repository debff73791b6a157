// Blocks in memory that threads share, as the blocks of tasks are: written from and read into, by every codec, whole
// and in part, with files read at once and through Node's threads.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Block, subBlock } from "../../src/core/block.ts";
import type { DType } from "../../src/core/dtype.ts";
import { KeptMemory } from "../../src/storage/codecs/codec.ts";
import {
  type CodecArgument,
  CorruptDataError,
  createArray,
  FileStore,
  MemoryStore,
  type Store,
} from "../../src/storage/index.ts";
import { copyBlock, permuteBlock } from "../../src/storage/zarr/blockCopies.ts";
import { bytesOf, hex, sampleBlock, sharedBlock, writeAll } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-shared-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

const STORES: { readonly [name: string]: () => Store } = {
  files: () => new FileStore(join(root, `a${count++}`)),
  "files, blocking": () => new FileStore(join(root, `a${count++}`), { blocking: true }),
  memory: () => new MemoryStore(),
};

const CODECS: readonly (readonly CodecArgument[])[] = [
  [],
  ["crc32c"],
  ["adler32"],
  ["gzip"],
  ["zlib"],
  ["zstd"],
  ["lz4"],
  ["blosc"],
  [{ name: "blosc", configuration: { cname: "zstd", shuffle: "bitshuffle", typesize: 8 } }],
  [{ name: "blosc", configuration: { cname: "lz4", clevel: 0, typesize: 8 } }],
  ["zstd", "crc32c"],
  ["shuffle", "gzip", "crc32c"],
];

function inShared(block: Block): Block {
  const copy = sharedBlock(block.dtype, block.shape);
  copyBlock(block, copy);
  return copy;
}

/** Long enough to go through Node's threads. */
const SHAPE = [130, 150];

async function check(store: Store, dtype: DType, options: object): Promise<void> {
  const array = await createArray(store, "", { shape: SHAPE, chunks: [130, 75], dtype, ...options });
  const block = inShared(sampleBlock(dtype, SHAPE));
  await writeAll(array, block);
  const expected = (start: number[], shape: number[]): string => hex(bytesOf(subBlock(block, start, shape)));
  for (const [start, shape] of [
    [[0, 0], SHAPE],
    [
      [0, 75],
      [130, 75],
    ],
    [
      [0, 74],
      [130, 1],
    ],
    [
      [129, 0],
      [1, 150],
    ],
    [
      [10, 70],
      [40, 9],
    ],
  ] as [number[], number[]][]) {
    const straight = await array.readRegion(start, shape, sharedBlock(dtype, shape));
    expect(hex(bytesOf(straight))).toBe(expected(start, shape));
    // With its axes the other way round in memory.
    const crosswise = permuteBlock(sharedBlock(dtype, shape.toReversed()), [1, 0]);
    await array.readRegion(start, shape, crosswise);
    expect(hex(bytesOf(crosswise))).toBe(expected(start, shape));
  }
}

describe.each(Object.keys(STORES))("%s", (name) => {
  test.each(CODECS.map((codecs) => [JSON.stringify(codecs), codecs] as const))("%s", async (_, codecs) => {
    await check(STORES[name]!(), "float64", { codecs });
    await check(STORES[name]!(), "float64", { codecs, chunks: [65, 25], shards: [130, 75] });
  });

  test.each([
    ["big-endian", "int32", { endian: "big" }],
    ["F order", "int16", { order: "F" }],
    [
      "F order in shards",
      "float32",
      { order: "F", chunks: [65, 25], shards: [130, 75], indexLocation: "start" },
    ],
    ["booleans", "bool", {}],
    ["complex", "complex128", { codecs: ["crc32c"] }],
  ] as const)("%s", (_, dtype, options) => check(STORES[name]!(), dtype, options));
});

test.each([2 ** 16 + 5, 2 ** 18 + 1, 300_001])(
  "a checksum of %i elements, read in several pieces",
  async (length) => {
    const place = join(root, `a${count++}`);
    const block = inShared(sampleBlock("float64", [length]));
    for (const codecs of [["crc32c"], ["crc32"], ["adler32"]])
      for (const blocking of [false, true]) {
        const options = {
          shape: [length],
          chunks: [length],
          dtype: "float64",
          codecs,
          overwrite: true,
        } as const;
        const array = await createArray(new FileStore(place, { blocking }), "", options);
        await writeAll(array, block);
        const target = sharedBlock("float64", [length]);
        await array.readRegion([0], [length], target);
        expect(Buffer.compare(bytesOf(target), bytesOf(block))).toBe(0);
        const file = join(place, "c/0");
        const bytes = readFileSync(file);
        for (const at of [0, 5, 2 ** 19 + 3, bytes.length - 1]) {
          const flipped = Uint8Array.from(bytes);
          flipped[at % bytes.length]! ^= 1;
          writeFileSync(file, flipped);
          await expect(array.readRegion([0], [length], target)).rejects.toBeInstanceOf(CorruptDataError);
        }
      }
  },
);

test("scratch memory is used again, and kept within bounds", () => {
  const memory = new KeptMemory();
  const large = Array.from({ length: 6 }, () => memory.take(1 << 24));
  for (const bytes of large) memory.give(bytes);
  const again = Array.from({ length: 6 }, () => memory.take(1 << 24));
  expect(again.filter((bytes) => large.includes(bytes)).length).toBe(2);
  const small = memory.take(1000);
  memory.give(small);
  memory.give(again[0]!);
  expect(memory.take(900) === small).toBe(true);
});
