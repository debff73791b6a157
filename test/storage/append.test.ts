// Appending to stored arrays, and making them longer and shorter: any chunking, any length, in shards and not; a run that fails, and
// what a killed one left behind, count for nothing; consolidated metadata are kept right.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consolidate, createGroup, openArray, openGroup, resize } from "../../src/storage/index.ts";

const numbers = (n: number, from = 0): cw.LazyArray => cw.arange(from, from + n, 1, { dtype: "int32" });
const list = async (store: cw.Store, path?: string): Promise<unknown> =>
  (await (await cw.fromZarr(store, path === undefined ? {} : { path })).compute()).toList();

test("pieces of any length make the whole, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 2 }),
      fc.constantFrom<2 | 3>(2, 3),
      async (lengths, chunk, perShard, zarrFormat) => {
        const store = new cw.MemoryStore();
        const isSharded = perShard > 0 && zarrFormat === 3;
        const layout = isSharded ? { shards: [chunk * perShard, 2] } : {};
        let from = 0;
        for (const n of lengths) {
          const x = numbers(3 * n, 3 * from)
            .reshape([n, 3])
            .withDims(["time", "x"]);
          await x.toZarr(store, { append: "time", chunks: [chunk, 2], zarrFormat, ...layout });
          from += n;
        }
        expect(await list(store)).toEqual(
          numbers(3 * from)
            .reshape([from, 3])
            .computeSync()
            .toList(),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("a reader that opened before sees what it saw, and threads write the same", async () => {
  const store = new cw.MemoryStore();
  await numbers(10)
    .withDims(["t"])
    .toZarr(store, { chunks: [4] });
  const before = await cw.fromZarr(store);
  const after = await numbers(20, 10).toZarr(store, { append: 0, executor: "threads" });
  expect([before.shape, after.shape, after.dims]).toEqual([[10], [30], ["t"]]);
  expect((await before.compute()).toList()).toEqual(numbers(10).computeSync().toList());
  expect((await after.compute()).toList()).toEqual(numbers(30).computeSync().toList());
});

/** Gives up after so many chunks. */
class Failing extends cw.MemoryStore {
  left = Number.POSITIVE_INFINITY;
  override async set(key: cw.StoreKey, value: Uint8Array): Promise<void> {
    if (/c\/\d/.test(key) && this.left-- <= 0) throw new Error("the disk is full");
    await super.set(key, value);
  }
}

test("a run that fails leaves the old extent; what it wrote is never seen", async () => {
  const store = new Failing();
  await numbers(6).toZarr(store, { chunks: [4], fillValue: -1 });
  store.left = 2;
  await expect(numbers(20, 100).toZarr(store, { append: 0, retries: { attempts: 1 } })).rejects.toThrow();
  store.left = Number.POSITIVE_INFINITY;
  expect(await list(store)).toEqual([0, 1, 2, 3, 4, 5]);
  // Chunks that do not count, and the end of the last one that does, are cleared before they come into sight.
  const grown = await cw.resizeZarr(store, [14]);
  expect((await grown.compute()).toList()).toEqual([0, 1, 2, 3, 4, 5, ...new Array(8).fill(-1)]);
  await numbers(2, 14).toZarr(store, { append: 0 });
  expect(((await list(store)) as number[]).slice(-3)).toEqual([-1, 14, 15]);
});

describe("what does not fit is refused", () => {
  const opened = async (): Promise<cw.MemoryStore> => {
    const store = new cw.MemoryStore();
    await cw
      .ones([2, 3])
      .withDims(["time", "x"])
      .toZarr(store, { chunks: [2, 3] });
    return store;
  };
  test.each<[string, cw.LazyArray, string | number, string]>([
    ["lengths", cw.ones([1, 4]), 0, "[1, 4] cannot follow one of shape [2, 3] along axis 0"],
    ["dtypes", cw.ones([1, 3], { dtype: "int8" }), 0, 'x.astype("float64")'],
    ["names", cw.ones([1, 3]).withDims(["x", "time"]), 0, 'axis 0 is called "x", and "time" in the store'],
    ["a name that is not there", cw.ones([1, 3]), "day", 'no axis is called "day"'],
    ["an axis that is not there", cw.ones([1, 3]), 2, "axis 2 is out of range"],
  ])("%s", async (_, x, append, message) => {
    const store = await opened();
    await expect(x.toZarr(store, { append })).rejects.toThrow(message);
    expect((await cw.fromZarr(store)).shape).toEqual([2, 3]);
  });

  test("somebody else was quicker", async () => {
    const store = await opened();
    const { set } = store;
    store.set = async (key, value) => {
      store.set = set;
      await cw.resizeZarr(store, [4, 3]);
      await store.set(key, value);
    };
    const appended = cw.arange(3, { dtype: "float64" }).reshape([1, 3]).toZarr(store, { append: 0 });
    await expect(appended).rejects.toThrow("somebody else made it longer");
    expect((await cw.fromZarr(store)).shape).toEqual([4, 3]);
  });
});

test("longer and shorter along any axis", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (shapes) => {
        const store = new cw.MemoryStore();
        const first = numbers(25).add(1).astype("int32").reshape([5, 5]);
        await first.toZarr(store, { chunks: [2, 3] });
        let model = first.computeSync().toList() as number[][];
        let array = await openArray(store);
        for (const [rows, columns] of shapes) {
          array = await resize(array, [rows, columns]);
          model = Array.from({ length: rows }, (_, i) =>
            Array.from({ length: columns }, (__, j) => model[i]?.[j] ?? 0),
          );
          expect((await (await cw.fromZarr(store)).compute()).toList()).toEqual(model);
        }
      },
    ),
    { numRuns: 40 },
  );
});

describe.each([2, 3] as const)("consolidated metadata of v%s", (zarrFormat) => {
  test("are kept right", async () => {
    const store = new cw.MemoryStore();
    await createGroup(store, "", { zarrFormat });
    await numbers(3).toZarr(store, { path: "deep/a", zarrFormat, chunks: [2] });
    await consolidate(store);
    const shapeOf = async (path: string): Promise<readonly number[]> =>
      (await (await openGroup(store)).openArray(path)).shape;
    await numbers(4).toZarr(store, { path: "deep/a", append: 0 });
    expect(await shapeOf("deep/a")).toEqual([7]);
    await cw.resizeZarr(store, [5], { path: "deep/a" });
    expect(await shapeOf("deep/a")).toEqual([5]);
    await numbers(9).toZarr(store, { path: "deep/b", zarrFormat });
    expect(await shapeOf("deep/b")).toEqual([9]);
    const group = await (await cw.openGroup(store)).setAttributes({ title: "all" });
    expect(group.attributes).toEqual({ title: "all" });
    await (await group.group("deep")).setAttributes({ title: "part" });
    const again = await cw.openGroup(store);
    expect([again.attributes, (await again.group("deep")).attributes]).toEqual([
      { title: "all" },
      { title: "part" },
    ]);
    expect(await shapeOf("deep/a")).toEqual([5]);
  });
});
