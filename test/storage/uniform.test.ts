// Arrays that are one value everywhere are stored as their fill value: no chunk is computed or written.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-uniform-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newPlace = (): string => join(root, `array${count++}`);

const chunksIn = (place: string): string[] =>
  readdirSync(place, { recursive: true, encoding: "utf8" }).filter((file) => /^c\/\d/.test(file));

const VALUES: readonly (readonly [cw.DType, cw.Scalar])[] = [
  ["float64", 2],
  ["float64", -0],
  ["float64", Number.NaN],
  ["float32", Number.NEGATIVE_INFINITY],
  ["int64", -(2n ** 63n)],
  ["uint64", 2n ** 64n - 1n],
  ["int8", -7],
  ["bool", true],
  ["complex128", new cw.Complex(-0, Number.POSITIVE_INFINITY)],
];

describe.each([2, 3] as const)("Zarr v%i", (zarrFormat) => {
  test.each(VALUES)("%s %o keeps its bits", async (dtype, value) => {
    const place = newPlace();
    const array = cw.full([5, 7], value, { dtype, chunks: [2, 3] });
    const stored = await array.toZarr(place, { zarrFormat, executor: "inline" });
    expect(chunksIn(place)).toEqual([]);
    const bytes = async (x: cw.LazyArray): Promise<number[]> => {
      const { data } = await x.compute();
      return [...new Uint8Array(data.buffer, data.byteOffset, data.byteLength)];
    };
    expect(await bytes(stored)).toEqual(await bytes(array));
    expect(await bytes(await cw.fromZarr(place))).toEqual(await bytes(array));
  });
});

test("in fewer bits it is what its chunks would be", async () => {
  // Between two halves in float64, but a tie in float32.
  const value = 1 + 2 ** -11 + 2 ** -30;
  const array = cw.full([3], value, { dtype: "float32" });
  const read = async (options: cw.ToZarrOptions): Promise<number[]> => {
    const stored = await array.toZarr(newPlace(), { dtype: "float16", executor: "inline", ...options });
    return [...(await stored.compute()).data].map(Number);
  };
  expect(await read({})).toEqual(await read({ writeEmptyChunks: true }));
});

test("what the optimizer finds to be constant is, too, whatever its chunks and shards", async () => {
  const place = newPlace();
  const array = cw.ones([10_000], { chunks: 1 }).add(1);
  const events: string[] = [];
  const options = {
    chunks: [10],
    shards: [100],
    executor: "inline",
    onEvent: (e: cw.RunEvent) => void events.push(e.type),
  } as const;
  const stored = await array.toZarr(place, options);
  expect(chunksIn(place)).toEqual([]);
  expect(events).toEqual(["computeStart", "computeEnd"]);
  expect((await stored.sum().compute()).item()).toBe(20_000);
});

test("an array too large to be written is there to be written in parts", async () => {
  const place = newPlace();
  await cw.zeros([1e6, 1e6], { chunks: [1000, 1000] }).toZarr(place);
  await cw.ones([1000, 1000]).toZarr(place, { region: ["5000:6000", "0:1000"] });
  expect(chunksIn(place)).toEqual(["c/5", "c/5/0"]);
  expect((await (await cw.fromZarr(place)).get("4000:7000", "0:2000").sum().compute()).item()).toBe(1e6);
});

describe("chunks are written where", () => {
  const two = cw.full([4], 2, { chunks: [2], dtype: "float32" });
  test.each([
    ["another fill value is asked for", { fillValue: 5 }],
    ["they are asked for", { writeEmptyChunks: true }],
  ])("%s", async (_, options) => {
    const place = newPlace();
    const stored = await two.toZarr(place, { ...options, executor: "inline" });
    expect(chunksIn(place).sort()).toEqual(["c/0", "c/1"]);
    expect([...(await stored.compute()).data]).toEqual([2, 2, 2, 2]);
  });

  test("the optimizer is off and the value has to be computed", async () => {
    const place = newPlace();
    await two.add(1).toZarr(place, { optimize: false, executor: "inline" });
    expect(chunksIn(place)).toHaveLength(2);
  });
});

test("beside others in one computation, and again into the same place", async () => {
  const [a, b] = [newPlace(), newPlace()];
  const arrays = [cw.ones([6], { chunks: 2 }), cw.arange(6, undefined, 1, { chunks: 2 })] as const;
  for (const round of [1, 2]) {
    const [ones, range] = await cw.store(arrays, [a, b], { executor: "inline" });
    expect([chunksIn(a).length, chunksIn(b).length], `round ${round}`).toEqual([0, 3]);
    expect((await cw.add(ones!, range!).sum().compute()).item()).toBe(21);
  }
});

test("what was begun with chunks is not taken for the fill value alone", async () => {
  const place = newPlace();
  const ones = cw.ones([6], { chunks: 2 });
  await ones.toZarr(place, { writeEmptyChunks: true, executor: "inline" });
  rmSync(join(place, "c/1"));
  await expect(ones.toZarr(place, { executor: "inline" })).rejects.toThrow(/overwrite: true/);
  const stored = await ones.toZarr(place, { overwrite: true, executor: "inline" });
  expect([...(await stored.compute()).data]).toEqual([1, 1, 1, 1, 1, 1]);
});
