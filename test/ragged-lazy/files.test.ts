// Files in and out of lazy arrays: Parquet and JSON lines, one or many, with DuckDB as the other reader.

import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openDuck, temporaryFolder } from "../parquet/support.ts";
import { needThreads } from "../ways.ts";
import { RaggedWays } from "./ways.ts";

const inline = { executor: "inline" } as const;
const folder = temporaryFolder();
afterAll(() => folder.remove());
const duck = await openDuck();

const rows = Array.from({ length: 50 }, (_, i) => ({
  n: i,
  met: i % 7 === 0 ? null : i * 0.5,
  name: `event ${i}`,
  jets:
    i % 5 === 0
      ? []
      : Array.from({ length: i % 4 }, (_, k) => ({ pt: i + k / 4, hits: k % 2 === 0 ? [k, i] : [] })),
}));
const events = (npartitions = 4): rg.LazyRagged => rg.lazy(rg.fromIter(rows), { npartitions });

needThreads();
const ways = new RaggedWays();
const list = (x: rg.LazyRagged): Promise<unknown[]> => ways.rowsOf(x);
// Before the next test changes the files.
afterEach(() => ways.agree(), 60_000);

describe("Parquet", () => {
  test("one file: a row group for every partition", async () => {
    const path = folder.path("one.parquet");
    const written = await rg.toParquet(events(), path, inline);
    expect(written).toMatchObject([{ rows: 50 }]);
    const back = await rg.fromParquet(path);
    expect(back.divisions).toEqual(events().divisions);
    expect(await list(back)).toEqual(rows);
    const two = await rg.fromParquet(path, { rowGroupsPerPartition: 3 });
    expect(two.npartitions).toBe(2);
    expect(await list(two)).toEqual(rows);
    expect((await rg.fromParquet(path, { rowGroupsPerPartition: "file" })).npartitions).toBe(1);
  });

  test("a file for every partition, written by the tasks", async () => {
    const path = folder.path("many");
    const written = await rg.toParquet(events(), path, { ...inline, files: "perPartition" });
    expect(readdirSync(path).sort()).toEqual(written.map(({ name }) => name.split("/").at(-1)).sort());
    expect(written.map(({ rows: count }) => count)).toEqual([12, 13, 12, 13]);
    expect(await list(await rg.fromParquet(path))).toEqual(rows);
    expect(await list(await rg.fromParquet(`${path}/*.parquet`))).toEqual(rows);
    const some = await rg.fromParquet([`${path}/part-00002.parquet`, `${path}/part-00000.parquet`]);
    expect(await list(some.field("n"))).toEqual(
      [...rows.slice(25, 37), ...rows.slice(0, 12)].map(({ n }) => n),
    );
    // Parts of another table would be read as parts of this one.
    await expect(rg.toParquet(events(2), path, { ...inline, files: "perPartition" })).rejects.toThrow(
      /has the file part-00000\.parquet already.*empty folder/,
    );
  });

  test("what is written is computed on the way, from what is needed", async () => {
    const path = folder.path("computed.parquet");
    const ds = await rg.fromParquet(folder.path("one.parquet"));
    const jets = ds.field("jets");
    const hard = jets.get(jets.field("pt").greater(20)) as rg.LazyRagged;
    await rg.toParquet(rg.zip({ n: ds.field("n"), pt: hard.field("pt") }, { depthLimit: 1 }), path, inline);
    expect(await list(await rg.fromParquet(path))).toEqual(
      rows.map(({ n, jets: all }) => ({ n, pt: all.map(({ pt }) => pt).filter((pt) => pt > 20) })),
    );
  });

  test("a filter leaves row groups out", async () => {
    const path = folder.path("one.parquet");
    const late = await rg.fromParquet(path, { filter: ["n", ">=", 37] });
    expect(late.npartitions).toBe(1);
    expect(await list(late.field("n"))).toEqual(rows.slice(37).map(({ n }) => n));
    const middle = await rg.fromParquet(path, {
      filter: [
        ["n", ">", 13],
        ["n", "<", 20],
      ],
    });
    expect(await list(middle.field("n"))).toEqual(rows.slice(12, 25).map(({ n }) => n));
    const none = await rg.fromParquet(path, { filter: ["n", ">", 1000] });
    expect(await list(none)).toEqual([]);
    await expect(rg.fromParquet(path, { filter: ["nn", ">", 1] })).rejects.toThrow(cw.ChunkwiseError);
  });

  test("an array in memory, an object of a store, options", async () => {
    const store = new cw.MemoryStore();
    await rg.toParquet(rg.fromIter(rows), { store, key: "/a.parquet" }, { codec: "zstd", dictionary: false });
    const back = await rg.fromParquet(rg.storeFile(store, "/a.parquet") as never);
    expect(await list(back)).toEqual(rows);
  });

  test.skipIf(typeof duck === "string")("DuckDB reads it all the same", async () => {
    const { rows: query } = duck as Exclude<typeof duck, string>;
    const expected = rows.map(({ n, met, jets }) => ({
      n: BigInt(n),
      met,
      jets: jets.map(({ pt, hits }) => ({ pt, hits: hits.map(BigInt) })),
    }));
    for (const place of ["one.parquet", "many/*.parquet"])
      expect(await query(`SELECT n, met, jets FROM '${folder.path(place)}' ORDER BY n`)).toEqual(expected);
  });

  test.skipIf(typeof duck === "string")("what DuckDB writes is read lazily", async () => {
    const path = folder.path("duck.parquet");
    await (duck as Exclude<typeof duck, string>).run(
      `COPY (SELECT i, range(i % 4) AS xs, {'a': i * 0.5, 'b': 'b' || i} AS s FROM range(5000) t(i))
       TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
    );
    const ds = await rg.fromParquet(path);
    expect(ds.npartitions).toBe(3);
    const sum = await ds.field("xs").sum().compute(inline);
    expect(sum).toBe((5000 / 4) * (0 + 0 + 1 + 3));
    expect(rg.necessaryColumns(ds.field("s", "a"))).toEqual({ [path]: ["s.a"] });
  });

  test("damaged and missing files are errors with a name", async () => {
    const path = folder.path("damaged.parquet");
    writeFileSync(path, readFileSync(folder.path("one.parquet")));
    const ds = await rg.fromParquet(path);
    writeFileSync(path, "nothing of the kind");
    await expect(ds.field("n").compute(inline)).rejects.toThrow(/damaged\.parquet/);
    await expect(rg.fromParquet(path)).rejects.toThrow(cw.ChunkwiseError);
    truncateSync(path, 0);
    await expect(rg.fromParquet(path)).rejects.toThrow(/damaged\.parquet/);
    await expect(rg.fromParquet(folder.path("nowhere.parquet"))).rejects.toThrow(/nowhere\.parquet/);
    await expect(rg.fromParquet(folder.path("nothing-*.parquet"))).rejects.toThrow(cw.ChunkwiseError);
  });

  test("files of different schemas are no table", async () => {
    const path = folder.path("differing");
    mkdirSync(path);
    await rg.toParquet([{ x: 1 }], `${path}/a.parquet`);
    await rg.toParquet([{ y: 1 }], `${path}/b.parquet`);
    await expect(rg.fromParquet(path)).rejects.toThrow(rg.SchemaMismatchError);
  });
});

describe("JSON lines", () => {
  test("one file and many", async () => {
    const one = folder.path("one.jsonl");
    await rg.toJsonLines(events(), one, inline);
    expect(
      readFileSync(one, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    expect(await list(await rg.fromJsonLines(one))).toEqual(rows);
    const many = folder.path("lines");
    const written = await rg.toJsonLines(events(3), many, { ...inline, files: "perPartition" });
    expect(written.map(({ rows: count }) => count)).toEqual([16, 17, 17]);
    expect(await list(await rg.fromJsonLines(`${many}/*.jsonl`))).toEqual(rows);
  });

  test("in blocks, of which rows are counted by reading", async () => {
    const ds = await rg.fromJsonLines(folder.path("one.jsonl"), { blockBytes: 700 });
    expect(ds.npartitions).toBeGreaterThan(3);
    expect(await list(ds.field("n"))).toEqual(rows.map(({ n }) => n));
    expect(await ds.field("n").sum().compute(inline)).toBe((49 * 50) / 2);
    expect(await list(ds.field("n").get("::-1") as rg.LazyRagged)).toEqual(rows.map(({ n }) => n).reverse());
    const [name] = Object.keys(rg.necessaryColumns(ds.field("n")));
    expect(rg.necessaryColumns(ds.field("n"))).toEqual({ [name!]: ["n"] });
  });

  test("a type that is given, and lines that are none", async () => {
    const path = folder.path("odd.jsonl");
    writeFileSync(path, '{"x": 1}\n{"x": null}\n');
    const ds = await rg.fromJsonLines(path, { type: "{x: ?float32}" });
    expect(ds.type).toContain("{x: ?float32}");
    expect(await list(ds)).toEqual([{ x: 1 }, { x: null }]);
    await ways.agree();
    writeFileSync(path, '{"x": 1}\n{"x": \n');
    await expect(rg.fromJsonLines(path)).rejects.toThrow(rg.JsonLineError);
  });

  test("to Parquet and back", async () => {
    const path = folder.path("from-lines.parquet");
    await rg.toParquet(await rg.fromJsonLines(folder.path("one.jsonl"), { blockBytes: 700 }), path, inline);
    expect(await list(await rg.fromParquet(path))).toEqual(rows);
  });
});

test("an error while writing one file is the run's error, and leaves no file", async () => {
  const path = folder.path("failed.parquet");
  const x = rg.mapPartitions(
    (() => {
      throw new Error("it broke");
    }) as never,
    events(),
    { type: "{x: float64}" },
  );
  await expect(rg.toParquet(x, path, { ...inline, onFail: "pass" })).rejects.toThrow(/it broke/);
  expect(readdirSync(folder.path(".")).filter((name) => name.startsWith("failed"))).toEqual([]);
  await expect(
    rg.toParquet(events(), path, { ...inline, signal: AbortSignal.abort(new Error("no")) }),
  ).rejects.toThrow("no");
});
