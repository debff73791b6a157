// Stores of users: what they say of themselves is what counts, not whose class they are of.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, describe, expect, test } from "vitest";

const root = mkdtempSync(join(tmpdir(), "chunkwise-own-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const folder = (): string => {
  const path = join(root, `f${folders++}`);
  mkdirSync(path);
  return path;
};

const module = new URL("../../examples/flat-store.js", import.meta.url).href;
const { openFlatStore } = (await import(module)) as { openFlatStore(folder: string): cw.Store };

const x = cw.arange(0, 4000, 1, { dtype: "float64" }).reshape([40, 100]).rechunk([20, 30]);
const expected = x.computeSync().toList();

describe.each(["inline", "threads"] as const)("%s", (executor) => {
  test("a store by its module", async () => {
    const path = folder();
    const stored = await x.add(1).toZarr(openFlatStore(path), { path: "a/b", executor });
    expect((await stored.subtract(1).compute({ executor })).toList()).toEqual(expected);
    const again = await cw.fromZarr(openFlatStore(path), { path: "a/b" });
    expect((await again.sum().compute({ executor })).item()).toBe((4000 * 3999) / 2 + 4000);
  });

  test("threads open it themselves: this one is asked for metadata alone", async () => {
    const path = folder();
    await x.toZarr(openFlatStore(path), { executor: "inline" });
    const asked: string[] = [];
    const inner = openFlatStore(path);
    const store: cw.Store = {
      get(key) {
        asked.push(key);
        return inner.get(key);
      },
      location: () => inner.location!(),
    };
    const stored = await cw.fromZarr(store);
    expect((await stored.compute({ executor })).toList()).toEqual(expected);
    expect(asked.some((key) => key.startsWith("/c/"))).toBe(executor === "inline");
  });
});

test("a store that says it is the same place is", async () => {
  const path = folder();
  const at = (): cw.Store => ({ ...openFlatStore(path), address: () => path });
  const stored = await x.toZarr(at(), { path: "x" });
  await expect(stored.add(1).toZarr(at(), { path: "x", overwrite: true })).rejects.toThrow(
    /computed from the array that it would overwrite/,
  );
});

test("a store that tells when objects were changed is gone on with; one that does not is computed again", async () => {
  const begun = async (store: cw.Store, source: cw.LazyArray): Promise<number> => {
    let count = 0;
    await source.add(1).toZarr(store, {
      overwrite: false,
      onEvent: ({ type }) => {
        if (type === "taskStart") count++;
      },
    });
    return count;
  };
  const source = folder();
  await x.toZarr(openFlatStore(source));
  const target = openFlatStore(folder());
  expect(await begun(target, await cw.fromZarr(openFlatStore(source)))).toBeGreaterThan(0);
  expect(await begun(target, await cw.fromZarr(openFlatStore(source)))).toBe(0);
  const { listSizes: _, ...untold } = openFlatStore(source);
  await expect(begun(target, await cw.fromZarr(untold))).rejects.toThrow(/something already/);
});

test("what it cannot do is an error that says so", async () => {
  const { listSizes: _, ...store } = openFlatStore(folder());
  await expect(x.toZarr(store, { durable: true })).rejects.toThrow(
    /durable: true, and the store is not in files/,
  );
  let durable = 0;
  const asDurable = (): cw.Store => {
    durable++;
    return { ...store, isDurable: true };
  };
  await x.toZarr({ ...store, asDurable }, { durable: true, executor: "inline" });
  expect(durable).toBe(1);
});

test("a module that has no such store", async () => {
  const location = { kind: "module", module, name: "openOther", argument: null } as const;
  const inner = openFlatStore(folder());
  await x.toZarr(inner);
  const stored = await cw.fromZarr({ ...inner, location: () => location });
  await expect(stored.compute({ executor: "threads" })).rejects.toThrow(/exports no function "openOther"/);
});
