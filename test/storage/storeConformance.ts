// What every store must do that can be written to: one suite, for each kind of store by the file that has one.

import { beforeEach, describe, expect, test } from "vitest";
import { type Store, type StoreKey, StoreKeyError } from "../../src/storage/index.ts";
import { randomBytes } from "./support.ts";

export interface Expects {
  /** Whether `delete` says if something was there. */
  readonly deleteTells?: boolean;
  readonly hasSignals?: boolean;
}

export async function keysOf(store: Store, prefix: StoreKey): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list!(prefix)) keys.push(key);
  return keys.sort();
}

/** `make` gives an empty store every time. */
export function describeStore(name: string, make: () => Store, expects: Expects = {}): void {
  describe(name, () => {
    let store: Store;
    beforeEach(() => {
      store = make();
    });

    test("what is not there is undefined", async () => {
      expect(await store.get("/a")).toBeUndefined();
      expect(await store.getRange!("/a/b", { offset: 0, length: 1 })).toBeUndefined();
      expect(await store.has!("/a")).toBe(false);
      const deleted = await store.delete!("/a");
      if (expects.deleteTells !== false) expect(deleted).toBe(false);
      expect(await keysOf(store, "/")).toEqual([]);
    });

    test("set, get, ranges, delete", async () => {
      const bytes = randomBytes(100_000);
      await store.set!("/a/b/c", bytes);
      await store.set!("/a/b/c", bytes.subarray(0, 50_000));
      expect(await store.get("/a/b/c")).toEqual(bytes.subarray(0, 50_000));
      expect(await store.getRange!("/a/b/c", { offset: 10, length: 20 })).toEqual(bytes.subarray(10, 30));
      expect(await store.getRange!("/a/b/c", { suffixLength: 7 })).toEqual(bytes.subarray(49_993, 50_000));
      expect(await store.has!("/a/b/c")).toBe(true);
      expect(await store.has!("/a/b")).toBe(false);
      expect(await store.get("/a/b")).toBeUndefined();
      expect(await store.get("/a/b/c/d")).toBeUndefined();
      const deleted = await store.delete!("/a/b/c");
      if (expects.deleteTells !== false) expect(deleted).toBe(true);
      expect(await store.get("/a/b/c")).toBeUndefined();
    });

    test("setNew: one of many who try at once, and only where nothing is", async () => {
      const tries = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.setNew!("/locks/one", new Uint8Array([i, i]))),
      );
      expect(tries.filter((made) => made)).toEqual([true]);
      const winner = tries.indexOf(true);
      expect([...(await store.get("/locks/one"))!]).toEqual([winner, winner]);
      expect(await store.setNew!("/locks/one", new Uint8Array(3))).toBe(false);
      expect(await keysOf(store, "/")).toEqual(["/locks/one"]);
      await store.delete!("/locks/one");
      expect(await store.setNew!("/locks/one", new Uint8Array(3))).toBe(true);
      await store.set!("/plain", new Uint8Array(1));
      expect(await store.setNew!("/plain", new Uint8Array(3))).toBe(false);
      expect((await store.get("/plain"))!.length).toBe(1);
    });

    test("the bytes given are not kept", async () => {
      const bytes = new Uint8Array([1, 2, 3]);
      await store.set!("/a", Buffer.from(bytes.buffer));
      bytes[0] = 9;
      expect([...(await store.get("/a"))!]).toEqual([1, 2, 3]);
    });

    test("lists", async () => {
      for (const key of ["/x/1", "/x/2", "/x/y/3", "/xz", "/a"] as const)
        await store.set!(key, new Uint8Array(1));
      expect(await keysOf(store, "/x")).toEqual(["/x/1", "/x/2", "/x/y/3"]);
      expect(await keysOf(store, "/")).toEqual(["/a", "/x/1", "/x/2", "/x/y/3", "/xz"]);
      const { keys, folders } = await store.listDir!("/x");
      expect([keys.sort(), folders]).toEqual([["1", "2"], ["y"]]);
    });

    test("setParts, versions, sizes, deleteBelow: where the store has them", async () => {
      const bytes = randomBytes(300_000);
      const parts = [
        bytes.subarray(0, 7),
        bytes.subarray(7, 7),
        bytes.subarray(7, 200_000),
        bytes.subarray(200_000),
      ];
      if (store.setParts === undefined) await store.set!("/p/a", bytes);
      else await store.setParts("/p/a", parts.values());
      await store.set!("/p/q/b", new Uint8Array(0));
      await store.set!("/pq", new Uint8Array(2));
      // Not toEqual, which takes a second for so many.
      expect(Buffer.compare((await store.get("/p/a"))!, bytes)).toBe(0);
      expect(await store.get("/p/q/b")).toEqual(new Uint8Array(0));
      const before = await store.version!("/p/a");
      expect([await store.version!("/p/a"), await store.version!("/p/none")]).toEqual([before, undefined]);
      await store.set!("/p/a", bytes.subarray(1));
      expect(await store.version!("/p/a")).not.toBe(before);
      if (store.listSizes !== undefined) {
        const sizes: [string, number][] = [];
        for await (const page of store.listSizes("/p"))
          for (const { key, size, modified } of page) {
            sizes.push([key, size]);
            expect(Math.abs(Date.now() - modified!)).toBeLessThan(3600_000);
          }
        expect(sizes.sort()).toEqual([
          ["/p/a", 299_999],
          ["/p/q/b", 0],
        ]);
      }
      if (store.deleteBelow === undefined) return;
      await store.deleteBelow("/p");
      expect(await keysOf(store, "/")).toEqual(["/pq"]);
      await store.deleteBelow("/nothing/there");
    });

    test("what is rewritten is read as it is now, also by parts that may be kept", async () => {
      for (let round = 0; round < 3; round++) {
        const bytes = randomBytes(1000 + round, round + 1);
        await store.set!("/kept", bytes);
        for (let offset = 0; offset < 900; offset += 100) {
          const part = await store.getRange!("/kept", { offset, length: 100 }, { mayKeep: 1e6 });
          expect(part).toEqual(bytes.subarray(offset, offset + 100));
        }
        expect(await store.getRange!("/kept", { suffixLength: 5 }, { mayKeep: 1e6 })).toEqual(
          bytes.subarray(-5),
        );
      }
      await store.delete!("/kept");
      expect(await store.getRange!("/kept", { offset: 0, length: 1 }, { mayKeep: 1e6 })).toBeUndefined();
    });

    test.each([
      "a",
      "/../a",
      "/a/../../b",
      "/a//b",
      "//etc/passwd",
      "/./a",
      "/a\\b",
      "/C:/x",
      "/a\0b",
      "/a/",
    ])("the key %j is refused", async (key) => {
      await expect((async () => store.set!(key as StoreKey, new Uint8Array(1)))()).rejects.toBeInstanceOf(
        StoreKeyError,
      );
    });

    test("an aborted signal stops a request", async () => {
      if (expects.hasSignals === false) return;
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(store.get("/a", { signal })).rejects.toThrow("enough");
      await expect(store.set!("/a", new Uint8Array(1), { signal })).rejects.toThrow("enough");
    });
  });
}
