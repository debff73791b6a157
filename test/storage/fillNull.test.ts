// Zarr v2 without a fill value. xarray reads v2's fill_value as "missing", so that an array whose fill value is 0 loses its
// zeros there: unless one is asked for, v2 arrays have none (null). What is not stored of such an array is nothing that other
// readers agree on; so every chunk is stored.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as zarrita from "zarrita";
import * as cw from "../../src/index.ts";
import {
  consolidate,
  createArray,
  createGroup,
  FileStore,
  MemoryStore,
  MetadataError,
  openArray,
  setAttributes,
} from "../../src/storage/index.ts";
import { sampleBlock, writeAll } from "./support.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-null-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newPlace = (): string => join(root, `array${count++}`);
const fillIn = (place: string): unknown =>
  JSON.parse(readFileSync(join(place, ".zarray"), "utf8")).fill_value;
const chunksIn = (place: string): string[] =>
  readdirSync(place)
    .filter((name) => /^\d/.test(name))
    .sort();

const x = cw.arange(0, 6, 1, { dtype: "float32" }).rechunk([2]);
const base = { zarrFormat: 2, executor: "inline" } as const;

describe("toZarr as v2", () => {
  test.each([{}, { fillValue: null }])("null, unless another is asked for (%o)", async (options) => {
    const place = newPlace();
    await x.toZarr(place, { ...base, ...options });
    expect(fillIn(place)).toBe(null);
  });

  test.each([0, 5, Number.NaN])("%d is kept", async (fillValue) => {
    const place = newPlace();
    await x.toZarr(place, { ...base, fillValue });
    expect(fillIn(place)).toEqual(Number.isNaN(fillValue) ? "NaN" : fillValue);
  });

  test.each([{}, { writeEmptyChunks: false }])("every chunk is stored, zeros too (%o)", async (options) => {
    const place = newPlace();
    const zeros = cw.zeros([6], { dtype: "float32", chunks: 2 });
    const stored = await zeros.toZarr(place, { ...base, ...options });
    expect([fillIn(place), chunksIn(place)]).toEqual([null, ["0", "1", "2"]]);
    expect((await stored.compute()).toList()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test("with a fill value, chunks can be left out", async () => {
    const place = newPlace();
    const zeros = cw.zeros([6], { dtype: "float32", chunks: 2 });
    await zeros.toZarr(place, { ...base, fillValue: 0, writeEmptyChunks: false });
    expect([fillIn(place), chunksIn(place)]).toEqual([0, []]);
  });

  test("the same computation goes on; with another fill value it is another array", async () => {
    const place = newPlace();
    await x.toZarr(place, base);
    await x.toZarr(place, base);
    await expect(x.toZarr(place, { ...base, fillValue: 0 })).rejects.toThrow(/other fill_value/);
  });
});

test("v3 has no null", async () => {
  await expect(x.toZarr(newPlace(), { fillValue: null, executor: "inline" })).rejects.toThrow(
    /v3 has no fill value null.*zarrFormat: 2/,
  );
  await expect(
    createArray(new MemoryStore(), "", { shape: [2], dtype: "int8", fillValue: null }),
  ).rejects.toBeInstanceOf(MetadataError);
});

test.each(["int16", "float64", "bool"] as const)("%s: what is not stored reads as 0", async (dtype) => {
  const store = new FileStore(newPlace());
  const array = await createArray(store, "", { shape: [6], chunks: [2], dtype, zarrFormat: 2 });
  const block = sampleBlock(dtype, [6]);
  await writeAll(array, block);
  await array.deleteShard([1]);
  const read = await (await openArray(store)).read();
  expect([...read.data].slice(2, 4)).toEqual([0, 0]);
  expect([...read.data].slice(4)).toEqual([...block.data].slice(4));
});

test("attributes that are set and metadata that are consolidated keep it", async () => {
  const place = newPlace();
  const store = new FileStore(place);
  await createGroup(store, "", { zarrFormat: 2 });
  const array = await createArray(store, "a", { shape: [2], dtype: "int8", zarrFormat: 2 });
  await setAttributes(await openArray(store, "a"), { units: "K" });
  expect(fillIn(join(place, "a"))).toBe(null);
  await consolidate(store);
  const { metadata } = JSON.parse(readFileSync(join(place, ".zmetadata"), "utf8"));
  expect(metadata["a/.zarray"].fill_value).toBe(null);
  expect(array.fillValue).toBe(0);
});

test("zarrita reads it", async () => {
  const store = new FileStore(newPlace());
  await x.toZarr(store, base);
  const location = zarrita.root(store as unknown as zarrita.Readable);
  const array = await zarrita.open.v2(location, { kind: "array" });
  expect([...((await zarrita.get(array)) as { data: Float32Array }).data]).toEqual([0, 1, 2, 3, 4, 5]);
});
