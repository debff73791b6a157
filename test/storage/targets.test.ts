// What `cw.store` takes as targets: options that do not exist are refused, as toZarr's are, before anything is written.

import { describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";

const x = cw.arange(0, 6, 1, { dtype: "float32" }).rechunk([2]);
const executor = "inline";
type Odd = Parameters<typeof cw.store>[1][number];

describe("cw.store", () => {
  test.each([
    [{ fillvalue: 3 }, /there is no option "fillvalue".*fillValue/],
    [{ chunk: [2] }, /there is no option "chunk".*chunks/],
    [{ executor }, /there is no option "executor"/],
    [{ spec: new cw.Spec() }, /there is no option "spec"/],
  ])("%o", async (options, message) => {
    const [first, second] = [new cw.MemoryStore(), new cw.MemoryStore()];
    const targets = [first, { store: second, ...options } as Odd];
    const error: unknown = await cw.store([x, x.add(1)], targets, { executor }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(cw.ValueError);
    expect((error as Error).message).toMatch(message);
    expect([first.byteLength, second.byteLength]).toEqual([0, 0]);
  });

  test("those that exist", async () => {
    const store = new cw.MemoryStore();
    const options = { attributes: { a: 1 }, chunks: [3], codecs: [], fillValue: 7, dimensionNames: ["t"] };
    const [stored] = await cw.store([x], [{ store, path: "a", ...options }], { executor });
    expect(stored!.chunks).toEqual([3]);
  });

  test.each([
    [{ path: "x" }, /is not a store/],
    [null, /is not a store/],
    [7, /is not a store/],
  ])("what is no target: %o", async (target, message) => {
    await expect(cw.store([x], [target as unknown as Odd], { executor })).rejects.toThrow(message);
  });
});
