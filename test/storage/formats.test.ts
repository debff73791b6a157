// Formats: what is there is recognised by its name or its looks; users' are the same as ours, on every thread; tables of names
// say what is missing.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-formats-"));
afterAll(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => join(folder, name);

const rows = [
  { id: 1, x: [0.5] },
  { id: 2, x: [] },
];
const x = cw.arange(0, 12, 1, { dtype: "float64" }).reshape([3, 4]).rechunk([1, 4]);

beforeAll(async () => {
  await x.toZarr(place("a.zarr"));
  await x.toZarr(place("plain-folder"));
  await x.toNpy(place("a.npy"));
  await x.toNpy(place("no-suffix"));
  await rg.toParquet(rg.fromIter(rows), place("a.parquet"));
  await rg.toParquet(rg.fromIter(rows), place("parts"), { files: "perPartition" });
  await rg.toJsonLines(rg.fromIter(rows), place("a.jsonl"));
});

describe("open", () => {
  test.each(["a.zarr", "plain-folder", "a.npy", "no-suffix"])("%s is dense", async (name) => {
    const opened = (await cw.open(place(name))) as cw.LazyArray;
    expect(opened).toBeInstanceOf(cw.LazyArray);
    expect((await opened.sum().compute()).item()).toBe(66);
  });

  test.each(["a.parquet", "parts", "a.jsonl", "parts/*.parquet"])("%s is nested", async (name) => {
    const opened = (await cw.open(place(name))) as rg.LazyRagged;
    expect(opened).toBeInstanceOf(rg.LazyRagged);
    expect((await opened.field("x").compute()).toList()).toEqual([[0.5], []]);
  });

  test("in stores, by path; with the options of the format", async () => {
    const store = new cw.MemoryStore();
    await x.toZarr(store, { path: "g/x" });
    const dense = (await cw.open(store, { path: "g/x", chunks: [3, 4] })) as cw.LazyArray;
    expect(dense.chunks).toEqual([3, 4]);
    await rg.toParquet(rg.fromIter(rows), { store, key: "/t.parquet" });
    const nested = (await cw.open(store, { path: "t.parquet" })) as rg.LazyRagged;
    expect((await nested.field("id").compute()).toList()).toEqual([1, 2]);
    const late = (await cw.open(place("a.parquet"), {
      options: { filter: ["id", ">", 5] },
    })) as rg.LazyRagged;
    expect((await late.field("id").compute()).toList()).toEqual([]);
  });

  test("what nobody knows is an error with the cure", async () => {
    writeFileSync(place("other.bin"), "nothing");
    await expect(cw.open(place("other.bin"))).rejects.toThrow(
      /no format knows .* There are zarr, npy, parquet/,
    );
    await expect(cw.open(place("a.npy"), { format: "npys" })).rejects.toThrow("Did you mean npy?");
    await expect(cw.open(place("a.parquet"), { chunks: 3 })).rejects.toThrow("have partitions");
    await expect(rg.toFiles(rg.fromIter(rows), place("x.zarr"))).rejects.toThrow("a format of dense arrays");
    await expect(cw.store([x], [place("x.parquet")])).rejects.toThrow("a format of nested data");
  });
});

test("rows are written by the end of a name, too", async () => {
  const written = await rg.toFiles(rg.fromIter(rows), place("b.parquet"), { options: { codec: "zstd" } });
  expect(written.map(({ rows: count }) => count)).toEqual([2]);
  expect((await (await rg.fromParquet(place("b.parquet"))).compute()).toList()).toEqual(rows);
});

const dense = (name: string, format: Partial<cw.DenseFormat> = {}): cw.DenseFormat => ({
  kind: "dense",
  name,
  open: () => ({
    dtype: "int32",
    shape: [5, 3],
    chunks: [2, 3],
    read({ start, shape: [rows, columns] }) {
      const at = (i: number): number =>
        3 * (start[0]! + Math.floor(i / columns!)) + start[1]! + (i % columns!);
      return Int32Array.from({ length: rows! * columns! }, (_, i) => at(i));
    },
  }),
  ...format,
});

describe("users' formats", () => {
  test("names are checked, and stay what they are", () => {
    const { formats } = cw.engine;
    expect(() => formats.add(dense("zarr"))).toThrow('there is a format "zarr" already');
    expect(() => formats.add(dense(""))).toThrow("Give it one");
    expect(() => formats.add({ name: "bad", module: "./relative.js" })).toThrow("has no code");
    expect(() => formats.add({ ...dense("bad"), suffixes: [".BAD"] })).toThrow("in small letters");
    expect(() => formats.add({ name: "bad" } as cw.OwnFormat)).toThrow("has no code");
  });

  test("an object stays on this thread, and says so", async () => {
    cw.engine.formats.add(dense("counting", { suffixes: [".counting"] }));
    const opened = (await cw.open(place("any.counting"))) as cw.LazyArray<"int32">;
    expect(opened.chunks).toEqual([2, 3]);
    expect((await opened.get("1:", 1).compute()).toList()).toEqual([4, 7, 10, 13]);
    expect((await opened.sum().compute()).item()).toBe(105);
    const failed = opened.add(1).compute({ executor: "threads" });
    await expect(failed).rejects.toThrow("the format counting is one that only this thread has");
  });

  test.each<[string, object, RegExp]>([
    ["dtype", { dtype: "float8" }, /gave the dtype "float8"/],
    ["shape", { shape: [-1] }, /is -1/],
    ["chunks", { chunks: [0, 3] }, /gave the chunks/],
    ["reading", { read: undefined }, /no way to read/],
  ])("a wrong %s is an error when it is opened", async (name, part, message) => {
    const open: cw.DenseFormat["open"] = async () => ({
      ...(await dense("x").open(null!, {}, null!)),
      ...part,
    });
    cw.engine.formats.add(dense(`wrong ${name}`, { open }));
    await expect(cw.open(place("any"), { format: `wrong ${name}` })).rejects.toThrow(message);
  });

  test("elements of another length or kind are errors that name the format", async () => {
    const short = { dtype: "int32", shape: [4], read: () => new Int32Array(3) } as const;
    cw.engine.formats.add(dense("short", { open: () => short }));
    const opened = (await cw.open(place("any"), { format: "short" })) as cw.LazyArray;
    await expect(opened.add(1).compute()).rejects.toThrow("the format short gave Int32Array of 3 for 4");
  });

  test("nested data by lists and by arrays; columns that nobody needs are not asked for", async () => {
    const asked: string[][] = [];
    const table = (read: cw.Table["read"]): cw.RaggedFormat => ({
      kind: "ragged",
      name: `table ${asked.push([])}`,
      open: () => ({ type: "{id: int64, x: var * float64}", rows: [1, 1], read }),
    });
    const lists = table((at, columns) => {
      asked[0]!.push(...columns);
      return [{ ...rows[at]!, more: "than asked for" }];
    });
    const inArrays = table((at) => rg.fromIter(rows).get(`${at}:${at + 1}`));
    for (const format of [lists, inArrays]) {
      cw.engine.formats.add(format);
      const opened = (await cw.open(place("any"), { format: format.name })) as rg.LazyRagged;
      expect((await rg.sum(opened.field("x"), { axis: 1 }).compute()).toList()).toEqual([0.5, 0]);
      expect(rg.necessaryColumns(opened.field("id"))).toEqual({ [place("any")]: ["id"] });
    }
    expect(new Set(asked[0])).toEqual(new Set(["x"]));
  });

  test("rows of another type are an error that names the format", async () => {
    const read = (): unknown => [{ id: "no number" }];
    cw.engine.formats.add({
      kind: "ragged",
      name: "odd",
      open: () => ({ type: "{id: int64}", rows: [1], read }),
    });
    const opened = (await cw.open(place("any"), { format: "odd" })) as rg.LazyRagged;
    await expect(opened.compute()).rejects.toThrow(/the format odd gave rows that are not/);
  });
});

describe("saved plans", () => {
  test("npy sources are opened below the roots that are named, and nowhere else", async () => {
    mkdirSync(place("data"));
    await x.toNpy(place("data/x.npy"));
    const opened = await cw.fromNpy(place("data/x.npy"));
    const text = cw.savePlan(opened.add(1).sum().plan());
    expect(text).toContain('"format":"npy"');
    await expect(cw.loadPlan(text)).rejects.toThrow(`loadPlan(text, {stores: ["${place("data")}"]})`);
    await expect(cw.loadPlan(text, { stores: [place("parts")] })).rejects.toThrow(cw.PlanError);
    const plan = await cw.loadPlan(text, { stores: [place("data")] });
    expect((await cw.computePlan(plan))[0]!.item()).toBe(78);
    const climbing = text.replace('"path":"/x.npy"', '"path":"/../a.npy"');
    await expect(cw.loadPlan(climbing, { stores: [place("data")] })).rejects.toThrow(cw.StoreKeyError);
    const unknown = text.replace('"format":"npy"', '"format":"npys"');
    await expect(cw.loadPlan(unknown, { stores: [folder] })).rejects.toThrow("Did you mean npy?");
  });
});
