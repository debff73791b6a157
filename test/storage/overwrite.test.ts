// `overwrite: true`: afterwards the array is what a fresh write would have made, to the byte, and nothing else is there.
// What was there is not lost before it is known that the new array may take its place.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import * as cw from "../../src/index.ts";
import { createArray } from "../../src/storage/index.ts";

const root = mkdtempSync(join(tmpdir(), "chunkwise-overwrite-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const newPlace = (): string => join(root, `array${count++}`);

const executor = "inline";
const MARK = ".chunkwise-run";

/** Every file and folder with what it holds; of the mark only that it is there. */
function treeOf(place: string): { [name: string]: string } {
  const names = readdirSync(place, { recursive: true, encoding: "utf8" }).sort();
  const held = (name: string): string => {
    if (statSync(join(place, name)).isDirectory()) return "folder";
    return name === MARK ? "mark" : readFileSync(join(place, name), "latin1");
  };
  return Object.fromEntries(names.map((name) => [name, held(name)]));
}

/** Counts tasks that began. */
function counting(): { onEvent(event: cw.RunEvent): void; begun: number } {
  const log = {
    begun: 0,
    onEvent: ({ type }: cw.RunEvent) => {
      if (type === "taskStart") log.begun++;
    },
  };
  return log;
}

const numbers = (): cw.LazyArray => cw.arange(0, 24, 1, { dtype: "float32" }).reshape([6, 4]).rechunk([2, 2]);

const WAYS: { readonly [name: string]: cw.ToZarrOptions } = {
  "in the same way": {},
  "with attributes": { attributes: { units: "K" } },
  "with dimension names": { dimensionNames: ["y", "x"] },
  "with another separator": { keyEncoding: { name: "default", separator: "." } },
  "with v2's keys": { keyEncoding: { name: "v2", separator: "/" } },
  "as v2": { zarrFormat: 2, attributes: { b: 2 } },
  "with other codecs": { codecs: [] },
  "with another fill value": { fillValue: 7 },
  "in shards": { shards: [4, 4] },
};

describe.each(Object.keys(WAYS))("overwritten %s", (name) => {
  test.each(Object.keys(WAYS))("what was stored %s, it is as a fresh one", async (before) => {
    const [place, fresh] = [newPlace(), newPlace()];
    await numbers().toZarr(place, { ...WAYS[before], executor });
    const log = counting();
    await numbers().toZarr(place, { ...WAYS[name], executor, overwrite: true, onEvent: log.onEvent });
    expect(log.begun, "it is computed again").toBeGreaterThan(0);
    await numbers().toZarr(fresh, { ...WAYS[name], executor });
    expect(treeOf(place)).toEqual(treeOf(fresh));
  });
});

test.each(["/", "."] as const)("of three axes, then of one (separator %s)", async (separator) => {
  const [place, fresh] = [newPlace(), newPlace()];
  const keyEncoding = { name: "default", separator } as const;
  await cw.arange(8).reshape([2, 2, 2]).rechunk([1, 1, 1]).toZarr(place, { keyEncoding, executor });
  const flat = cw.arange(0, 4, 1, { dtype: "float32", chunks: 1 });
  const stored = await flat.toZarr(place, { keyEncoding, executor, overwrite: true });
  expect((await stored.compute()).toList()).toEqual([0, 1, 2, 3]);
  await flat.toZarr(fresh, { keyEncoding, executor });
  expect(treeOf(place)).toEqual(treeOf(fresh));
});

test("a group with all that is in it", async () => {
  const store = new cw.FileStore(newPlace());
  await numbers().toZarr(store, { path: "a/b/c", executor });
  await numbers().toZarr(store, { path: "a/b", executor, overwrite: true });
  await numbers().toZarr(store, { path: "x/b", executor });
  expect(treeOf(join(store.root, "a/b"))).toEqual(treeOf(join(store.root, "x/b")));
});

test("the same computation with other metadata is refused without it, by name", async () => {
  const place = newPlace();
  await numbers().toZarr(place, { executor, attributes: { units: "K" } });
  const before = treeOf(place);
  const again = numbers().toZarr(place, { executor, attributes: { units: "C" }, dimensionNames: ["y", "x"] });
  await expect(again).rejects.toThrow(
    /the same computation is stored there with other attributes, dimension_names.*overwrite: true/,
  );
  expect(treeOf(place)).toEqual(before);
});

test("a run that was ended while it overwrote goes on where it was", async () => {
  const place = newPlace();
  await numbers().toZarr(place, { executor, attributes: { a: 1 } });
  const controller = new AbortController();
  let done = 0;
  const onEvent = ({ type }: cw.RunEvent): void => {
    if (type === "taskEnd" && ++done === 2) controller.abort();
  };
  const options = { executor, overwrite: true } as const;
  const ended = numbers().toZarr(place, { ...options, onEvent, signal: controller.signal });
  await expect(ended).rejects.toThrow();
  const log = counting();
  const stored = await numbers().toZarr(place, { ...options, onEvent: log.onEvent });
  expect(log.begun).toBeLessThan(6);
  expect((await stored.sum().compute()).item()).toBe(276);
  expect(stored).toBeDefined();
});

describe("nothing is lost when", () => {
  async function refused(options: cw.ToZarrOptions, message: RegExp, x = numbers()): Promise<void> {
    const place = newPlace();
    await numbers().add(1).toZarr(place, { executor });
    const before = treeOf(place);
    await expect(x.toZarr(place, { executor, overwrite: true, ...options })).rejects.toThrow(message);
    expect(treeOf(place)).toEqual(before);
  }

  test("the new array cannot be described", () => refused({ codecs: ["nonesuch"] }, /nonesuch/));
  test("the memory is not enough", async () => {
    const large = cw.arange(0, 4e6, 1, { dtype: "float64" }).reshape([2000, 2000]).sin();
    const spec = new cw.Spec({ allowedMem: "20MB", reservedMem: 0 });
    await refused({ spec, chunks: [2000, 2000] }, /needs|memory/i, large);
  });

  test("another target of the same call is refused", async () => {
    const [first, second] = [newPlace(), newPlace()];
    await numbers().toZarr(first, { executor });
    await numbers().toZarr(second, { executor });
    const before = [treeOf(first), treeOf(second)];
    const both = cw.store([numbers().add(1), numbers().add(2)], [{ store: first, overwrite: true }, second], {
      executor,
    });
    await expect(both).rejects.toThrow(/something already/);
    expect([treeOf(first), treeOf(second)]).toEqual(before);
  });

  test("a group is to be made in an array", async () => {
    const store = new cw.FileStore(newPlace());
    await numbers().toZarr(store, { path: "a", executor });
    const before = treeOf(store.root);
    await expect(numbers().toZarr(store, { path: "a/b", executor, overwrite: true })).rejects.toThrow(
      /is an array/,
    );
    expect(treeOf(store.root)).toEqual(before);
  });

  test("it is what the new array is computed from", async () => {
    const place = newPlace();
    await numbers().toZarr(place, { executor });
    const before = treeOf(place);
    const x = await cw.fromZarr(place);
    await expect(x.add(1).toZarr(place, { executor, overwrite: true })).rejects.toThrow(
      /is computed from the array that it would overwrite.*another path/,
    );
    const above = new cw.FileStore(root);
    const path = place.slice(root.length + 1);
    await expect(x.add(1).toZarr(above, { path, executor, overwrite: true })).rejects.toThrow(
      /is computed from/,
    );
    expect(treeOf(place)).toEqual(before);
    const group = new cw.FileStore(newPlace());
    await numbers().toZarr(group, { path: "in/side", executor });
    const inside = await cw.fromZarr(group, { path: "in/side" });
    await expect(inside.toZarr(group, { path: "in", executor, overwrite: true })).rejects.toThrow(
      /is computed from/,
    );
  });
});

test.each([{}, { overwrite: true }])("two targets in one place are refused (%o)", async (options) => {
  const place = newPlace();
  const targets = [
    { store: place, ...options },
    { store: new cw.FileStore(root), path: place.slice(root.length + 1), ...options },
  ];
  await expect(cw.store([numbers(), numbers().add(1)], targets, { executor })).rejects.toThrow(
    /two arrays.*the same place/,
  );
  expect(existsSync(place)).toBe(false);
});

describe("chunks without metadata, as an interrupted overwrite leaves them", () => {
  const KEYS = [
    { name: "default", separator: "/" },
    { name: "default", separator: "." },
    { name: "v2", separator: "/" },
    { name: "v2", separator: "." },
  ] as const;

  test.each(KEYS)("are never taken for the new array's (%o)", async (keyEncoding) => {
    const place = newPlace();
    await numbers().toZarr(place, { executor, keyEncoding });
    writeFileSync(join(place, "notes.txt"), "mine");
    rmSync(join(place, "zarr.json"));
    const zeros = cw.zeros([6, 4], { dtype: "float32", chunks: [2, 2] });
    await expect(zeros.toZarr(place, { executor, keyEncoding })).rejects.toThrow(
      /chunks without metadata.*overwrite: true/,
    );
    const stored = await zeros.toZarr(place, { executor, keyEncoding, overwrite: true });
    expect((await stored.sum().compute()).item()).toBe(0);
    // Where no array was, what is not a chunk is not ours.
    const { c: _, ...left } = treeOf(place);
    expect(Object.keys(left).sort()).toEqual([MARK, "notes.txt", "zarr.json"]);
  });

  test("in a store that cannot delete folders, too", async () => {
    const store = new cw.MemoryStore();
    await numbers().toZarr(store, { executor });
    await store.delete("/zarr.json");
    const zeros = cw.zeros([6, 4], { dtype: "float32", chunks: [2, 2] });
    await expect(zeros.toZarr(store, { executor })).rejects.toThrow(/chunks without metadata/);
    const stored = await zeros.toZarr(store, { executor, overwrite: true });
    expect((await stored.sum().compute()).item()).toBe(0);
  });
});

test("a link in the tree is removed, and not what it leads to", async () => {
  const [place, other] = [newPlace(), newPlace()];
  await numbers().toZarr(place, { executor });
  await numbers().toZarr(other, { executor });
  const { symlinkSync } = await import("node:fs");
  symlinkSync(other, join(place, "link"));
  const before = treeOf(other);
  await createArray(new cw.FileStore(place), "", { shape: [2], dtype: "int8", overwrite: true });
  expect(existsSync(join(place, "link"))).toBe(false);
  expect(treeOf(other)).toEqual(before);
});
