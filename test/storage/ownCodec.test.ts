// Codecs of users: in every place where a built-in one can be, on every thread, with the same care for damaged data.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { createArray, openArray, openGroup, setAttributes } from "chunkwise/zarr";
import { afterAll, describe, expect, test } from "vitest";

const root = mkdtempSync(join(tmpdir(), "chunkwise-own-codec-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const folder = (): string => join(root, `f${folders++}`);

const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 255);
const moduleOf = (name: string, text: string): string => {
  const file = join(root, `${name}.mjs`);
  writeFileSync(file, text);
  return `file://${file}`;
};

/** As a module, for all threads; with a configuration, and a promise. */
const PLUS = `export default ({ by = 1 }) => ({
  encode: async (bytes) => bytes.map((byte) => byte + by),
  decode: (bytes) => bytes.map((byte) => byte - by),
});`;
cw.engine.codecs.add({ name: "plus", module: moduleOf("plus", PLUS) });
cw.engine.codecs.add({
  name: "here",
  load: async () => ({ default: () => ({ encode: flip, decode: flip }) }),
});
const lengthen = (bytes: Uint8Array): Uint8Array => new Uint8Array([...bytes, ...bytes, ...bytes]);
const TRIPLE = { encode: lengthen, decode: (bytes: Uint8Array) => bytes.slice(0, bytes.length / 3) };
cw.engine.codecs.add({ name: "triple", growth: 3, load: async () => ({ default: () => TRIPLE }) });
cw.engine.codecs.add({ name: "untold", load: async () => ({ default: () => TRIPLE }) });

const x = cw.arange(0, 4000, 1, { dtype: "float64" }).reshape([40, 100]).rechunk([20, 30]);
const expected = x.computeSync().toList();
const plus = { name: "plus", configuration: { by: 7 } };

describe.each(["inline", "threads"] as const)("%s", (executor) => {
  test.each<[string, Omit<cw.ToZarrOptions, "executor">]>([
    ["alone", { codecs: [plus] }],
    ["before a compressor and a sum", { codecs: [plus, "zstd", "crc32c"] }],
    ["behind them", { codecs: ["gzip", "crc32c", plus] }],
    ["twice, in another order of axes", { codecs: [plus, "plus"], order: "F" }],
    ["in shards", { codecs: [plus, "crc32c"], chunks: [5, 10], shards: [20, 30] }],
    ["in Zarr v2", { codecs: [plus, "zlib"], zarrFormat: 2 }],
  ])("%s", async (_, options) => {
    const path = folder();
    const stored = await x.toZarr(path, { ...options, executor });
    expect((await stored.compute({ executor })).toList()).toEqual(expected);
    const part = (await cw.fromZarr(path)).get("3:39", "11:77");
    expect((await part.compute({ executor })).toList()).toEqual(
      x.get("3:39", "11:77").computeSync().toList(),
    );
  });

  test("of intermediates", async () => {
    const spec = new cw.Spec({ codecs: [plus], workDir: folder(), executor });
    const sorted = (await x.toZarr(folder(), { executor }))
      .rechunk([40, 5])
      .flip({ axis: 0 })
      .rechunk([3, 100]);
    expect((await sorted.compute({ spec })).toList()).toEqual(x.flip({ axis: 0 }).computeSync().toList());
  });
});

test("one that only this thread has stays here", async () => {
  const stored = await x.toZarr(folder(), { codecs: ["here"] });
  expect((await stored.compute()).toList()).toEqual(expected);
  await expect(stored.compute({ executor: "threads" })).rejects.toThrow(
    /the codec here is one that only this thread has\. Add it by its module/,
  );
  const spec = new cw.Spec({ codecs: ["here"] });
  await expect(x.compute({ spec })).rejects.toThrow(/intermediates cannot have the codec "here"/);
});

test("one that makes more than it is given says so", async () => {
  const stored = await x.toZarr(folder(), { codecs: ["triple"] });
  expect((await stored.compute()).toList()).toEqual(expected);
  await expect(x.toZarr(folder(), { codecs: ["untold"], executor: "inline" })).rejects.toThrow(
    /the codec untold made 14400 bytes of 4800.*growth: 3/,
  );
});

describe("what it makes of damaged data", () => {
  const given = async (decode: (bytes: Uint8Array) => Uint8Array): Promise<unknown> => {
    const known = new cw.CodecTable([
      { name: "own", load: async () => ({ default: () => ({ encode: flip, decode }) }) },
    ]);
    const array = await createArray(new cw.MemoryStore(), "x", {
      shape: 8,
      dtype: "uint8",
      codecs: ["own"],
      known,
    });
    await array.setChunk([0], {
      ...(await array.getChunk([0], { missing: "fill" }))!,
      data: new Uint8Array(8).fill(3),
    });
    return array.getChunk([0]).catch((error: unknown) => error);
  };

  test("is an error of the chunk", async () => {
    expect(await given(flip)).toMatchObject({ dtype: "uint8" });
    expect(String(await given((bytes) => bytes.subarray(1)))).toMatch(
      /CorruptDataError: .*own data of 7 bytes/,
    );
    const thrown = await given(() => {
      throw new Error("no way");
    });
    expect(thrown).toBeInstanceOf(cw.CorruptDataError);
    expect(String(thrown)).toMatch(/own cannot be decoded: no way/);
    expect(String(await given(() => "text" as never))).toMatch(/the codec own gave "text"/);
  });
});

test("one that works in place, and in the same memory again, harms nobody", async () => {
  const memory = new Uint8Array(1 << 20);
  const inPlace = (bytes: Uint8Array): Uint8Array => {
    for (let i = 0; i < bytes.length; i++) bytes[i]! ^= 255;
    memory.set(bytes);
    return memory.subarray(0, bytes.length);
  };
  const load = async () => ({ default: () => ({ encode: inPlace, decode: inPlace }) });
  cw.engine.codecs.add({ name: "inPlace", load });
  const large = cw.arange(0, 80_000, 1, { dtype: "float64", chunks: 20_000 });
  const store = new cw.MemoryStore();
  const [stored, plain] = await cw.store(
    [large, large],
    [{ store, codecs: ["inPlace"] }, new cw.MemoryStore()],
  );
  for (const array of [stored!, stored!, plain!])
    expect((await array.equal(large).all().compute()).item()).toBe(true);
  expect(memory.length).toBe(1 << 20);
});

test("a table for those who have no engine", async () => {
  const known = new cw.CodecTable([{ name: "plus", module: moduleOf("again", PLUS) }]);
  const store = new cw.FileStore(folder());
  const options = { shape: [4], chunks: [2], dtype: "uint8", codecs: [plus] } as const;
  await expect(createArray(store, "x", options)).rejects.toThrow(/codec "plus" is not supported/);
  const made = await createArray(store, "x", { ...options, known });
  const renamed = await setAttributes(made, { units: "m" });
  expect(renamed.attributes).toEqual({ units: "m" });
  await expect(openArray(store, "x")).rejects.toThrow(/codec "plus" is not supported/);
  expect((await (await openGroup(store)).openArray("x", { known })).metadata.codecs).toContainEqual(plus);
  expect(JSON.parse(readFileSync(join(store.root, "x", "zarr.json"), "utf8")).codecs).toContainEqual(plus);
});

test.each<[unknown, RegExp]>([
  [{ name: "zstd", load: async () => ({}) }, /there is a codec "zstd" already/],
  [{ name: "sharding_indexed", load: async () => ({}) }, /already/],
  [{ name: "", load: async () => ({}) }, /the name of a codec is ""/],
  [{ name: "none" }, /the codec "none" has no code/],
  [{ name: "relative", module: "./codec.js" }, /has no code/],
  [{ name: "large", growth: Number.POSITIVE_INFINITY, load: async () => ({}) }, /growth is Infinity/],
])("%j is no codec", (codec, message) => {
  expect(() => cw.engine.codecs.add(codec as cw.OwnCodec)).toThrow(message);
  expect(() => cw.engine.codecs.add(codec as cw.OwnCodec)).toThrow(cw.ValueError);
});

test.each<[string, string, RegExp]>([
  ["throws", "throw new Error('broken module')", /cannot be loaded: broken module/],
  ["noDefault", "export const encode = 1", /cannot be loaded/],
  ["noMethods", "export default () => ({ encode: 1 })", /the codec noMethods is/],
])("a module that %s is told of when a chunk needs it", async (name, text, message) => {
  cw.engine.codecs.add({ name, module: moduleOf(name, text) });
  await expect(x.toZarr(folder(), { codecs: [name] })).rejects.toThrow(message);
});
