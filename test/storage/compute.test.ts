// Damaged stores met in a computation: the error says which operation, which chunk of it and which object, and nothing
// is left behind.

import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";
import type { CodecArgument } from "../../src/storage/index.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-compute-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

const x = cw.reshape(cw.arange(0, 64, 1, { dtype: "float64" }), [8, 8]).rechunk([4, 4]);

async function stored(codecs: readonly CodecArgument[], shards?: number[]): Promise<string> {
  const place = join(root, `array${count++}`);
  await x.toZarr(place, { codecs, ...(shards && { shards }), executor: "inline" });
  return place;
}

/** The object that holds the elements from [4, 0] on. */
const objectOf = (place: string, shards?: number[]): string => join(place, shards ? "c/0/0" : "c/1/0");

const DAMAGE: { readonly [name: string]: (file: string) => void } = {
  "cut short": (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  emptied: (file) => truncateSync(file, 0),
  "a terabyte long": (file) => truncateSync(file, 2 ** 40),
  "a flipped bit": (file) => {
    const bytes = readFileSync(file);
    bytes[9]! ^= 4;
    writeFileSync(file, bytes);
  },
};

describe.each([
  ["crc32c", ["crc32c"], undefined],
  ["zstd, crc32c", ["zstd", "crc32c"], undefined],
  ["shards", ["crc32c"], [8, 8]],
] as const)("%s", (_, codecs, shards) => {
  test.each(Object.keys(DAMAGE))("%s", async (damage) => {
    const place = await stored(codecs, shards && [...shards]);
    const array = await cw.fromZarr(place);
    expect((await array.add(1).sum().compute({ executor: "inline" })).item()).toBe(2016 + 64);
    DAMAGE[damage]!(objectOf(place, shards && [...shards]));
    const error = await array
      .add(1)
      .compute({ executor: "inline" })
      .catch((cause: unknown) => cause as cw.RunError);
    expect(error).toBeInstanceOf(cw.RunError);
    const { message, operation, chunk, cause } = error as cw.RunError;
    expect(operation).toBe("add");
    expect(chunk).toEqual(shards ? expect.any(Array) : [1, 0]);
    expect(message).toContain(shards ? "/c/0/0" : "/c/1/0");
    expect(message).toMatch(/add.*compute\.test\.ts:\d+/);
    expect(cause).toBeInstanceOf(cw.CorruptDataError);
    // What is not read is not missed.
    if (shards === undefined)
      expect((await array.get("0:4").sum().compute({ executor: "inline" })).item()).toBe(496);
  });
});

test("a target that fails leaves no array and no strays", async () => {
  const place = await stored(["crc32c"]);
  DAMAGE["cut short"]!(objectOf(place));
  const target = join(root, "target");
  const array = await cw.fromZarr(place);
  await expect(array.add(1).toZarr(target, { executor: "inline" })).rejects.toThrow("/c/1/0");
  const files = readdirSync(target, { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => file.endsWith(".partial"))).toEqual([]);
});

test.each([
  ["negative lengths", { shape: [-1, 8] }],
  ["1e308", { shape: [1e308, 8] }],
  ["an unknown codec", { codecs: [{ name: "magic" }] }],
  ["an unknown extension", { extension: { name: "x" } }],
])("fromZarr refuses %s and names the object", async (_, change) => {
  const place = await stored([]);
  const file = join(place, "zarr.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...change }));
  await expect(cw.fromZarr(place)).rejects.toBeInstanceOf(cw.StorageError);
  await expect(cw.fromZarr(place)).rejects.toThrow(/^\//);
});

test("a huge array is opened, planned in part and refused in whole", async () => {
  const place = await stored([]);
  const file = join(place, "zarr.json");
  const json = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...json, shape: [2 ** 26, 2 ** 26] }));
  const array = await cw.fromZarr(place);
  const before = process.memoryUsage().rss;
  expect((await array.get("0:8", "0:8").sum().compute({ executor: "inline" })).item()).toBe(2016);
  await expect(array.compute({ executor: "inline" })).rejects.toBeInstanceOf(cw.ChunkwiseError);
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
});
