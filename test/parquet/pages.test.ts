// Parts of row groups: runs of rows are read by their pages, and what a filter rules out is not read. Files are DuckDB's,
// which have no page indexes, and ours, which have; both versions of pages, nested data, dictionaries.

import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BloomFilter, plainBytes, xxh64 } from "../../src/storage/parquet/bloom.ts";
import { type Filter, localFile, ParquetFile } from "../../src/storage/parquet/index.ts";
import { cutRuns, intersected, rowsOfRuns, united } from "../../src/storage/parquet/rowRuns.ts";
import { runsMatching } from "../../src/storage/parquet/skipping.ts";
import { openDuck, rowsOf, temporaryFolder } from "./support.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const ROWS = 6000;
const QUERY = `
  SELECT i,
    ((i * 7919) % 100) * 10 AS k,
    'name ' || ((i * 31) % 50) AS name,
    CASE WHEN i % 7 = 0 THEN NULL ELSE i * 1.5::DOUBLE END AS x,
    CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN [] ELSE range(i % 6) END AS list,
    CASE WHEN i % 13 = 0 THEN NULL
      ELSE list_transform(range(i % 4), lambda j: CASE WHEN j = 1 THEN NULL ELSE
        {'pt': j + i::DOUBLE, 'hits': CASE WHEN j = 2 THEN NULL ELSE range(j) END} END) END AS jets,
    'text number ' || i AS text
  FROM range(${ROWS}) t(i)`;

const open = async (name: string): Promise<ParquetFile> =>
  ParquetFile.open(await localFile(folder.path(name)));

describe.skipIf(typeof duck === "string")(
  `pages${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { run, rows } = duck as Exclude<typeof duck, string>;

    beforeAll(async () => {
      for (const version of ["V1", "V2"])
        await run(
          `COPY (${QUERY}) TO '${folder.path(`duck${version}.parquet`)}' (FORMAT parquet, PARQUET_VERSION ${version}, ROW_GROUP_SIZE ${ROWS})`,
        );
      const data = await rg.fromParquet(folder.path("duckV1.parquet"));
      for (const pageVersion of [1, 2] as const)
        await rg.toParquet(data, folder.path(`ownV${pageVersion}.parquet`), { pageVersion, pageSize: 2048 });
    });

    test.each(["duckV1", "duckV2", "ownV1", "ownV2"])("runs of rows of %s", async (name) => {
      const file = await open(`${name}.parquet`);
      const whole = rowsOf(await file.read(0));
      for (const [start, stop] of [
        [0, 1],
        [0, ROWS],
        [1, 5],
        [4999, 5001],
        [777, 3_123],
        [ROWS - 1, ROWS],
        [300, 300],
      ] as const)
        expect(rowsOf(await file.read(0, { rows: { start, stop } }))).toEqual(whole.slice(start, stop));
      await expect(file.read(0, { rows: { start: 5, stop: ROWS + 1 } })).rejects.toThrow(/no rows 5 to 6001/);
    });

    test.each(["duckV1", "ownV1"])("runs of rows of lists alone, for their lengths, of %s", async (name) => {
      const file = await open(`${name}.parquet`);
      const [leaf] = file.leavesAt("jets.hits");
      const options = { leaves: [], shapesOnly: [leaf!.leaf] };
      const whole = (await file.read(0, options)).fields[0]!;
      const part = (await file.read(0, { ...options, rows: { start: 1_321, stop: 4_765 } })).fields[0]!;
      expect(lengthsOf(part)).toEqual(lengthsOf(whole).slice(1_321, 4_765));
    });

    test("a run reads its pages, and the index once", async () => {
      const file = await open("ownV1.parquet");
      const [leaf] = file.leavesAt("text");
      const bytes = file.rowGroups[0]!.chunks[leaf!.leaf]!.length;
      const before = file.bytesRead;
      const wanted = { leaves: [leaf!.leaf], rows: { start: 3000, stop: 3050 } };
      await file.read(0, wanted);
      const first = file.bytesRead - before;
      await file.read(0, wanted);
      expect(first).toBeLessThan(bytes / 5);
      expect(file.bytesRead - before - first).toBeLessThan(first);
    });

    const FILTERS: readonly (readonly [string, Filter, string, least: number])[] = [
      ["a range", { column: "i", op: "<", value: 100 }, "i < 100", 0.8],
      [
        "two ends",
        {
          or: [
            { column: "i", op: "<", value: 50 },
            { column: "i", op: ">=", value: ROWS - 50 },
          ],
        },
        `i < 50 or i >= ${ROWS - 50}`,
        0.9,
      ],
      [
        "both",
        {
          and: [
            { column: "i", op: ">", value: 100 },
            { column: "x", op: "<", value: 600 },
          ],
        },
        "i > 100 and x < 600",
        0.85,
      ],
      ["one text", { column: "text", op: "==", value: "text number 777" }, "text = 'text number 777'", 0.5],
      ["no such text", { column: "name", op: "==", value: "name 7x" }, "name = 'name 7x'", 1],
      ["no such number", { column: "k", op: "in", values: [505, 1000] }, "k in (505, 1000)", 1],
      ["nulls", { column: "x", op: "isNull" }, "x is null", 0],
      ["not", { column: "k", op: "!=", value: 5 }, "k <> 5", 0],
    ];

    test.each(FILTERS)("a filter keeps what matches: %s", async (_, filter, sql, least) => {
      const wanted = (await rows(`SELECT i FROM (${QUERY}) WHERE ${sql}`)).map(({ i }) => Number(i));
      for (const name of ["duckV1", "duckV2", "ownV1", "ownV2"]) {
        const file = await open(`${name}.parquet`);
        const runs = await runsMatching(file, 0, filter);
        expect(wanted.filter((row) => !runs.some(({ start, stop }) => row >= start && row < stop))).toEqual(
          [],
        );
        // Ours have page indexes: so much of the rows is ruled out.
        if (name.startsWith("own")) expect(1 - rowsOfRuns(runs) / ROWS).toBeGreaterThanOrEqual(least);
      }
    });

    test("a partition has the runs that are left, and reads no more", async () => {
      const path = folder.path("ownV1.parquet");
      const file = await open("ownV1.parquet");
      const data = await rg.fromParquet(path, { filter: ["i", "<", 300], name: "data" });
      const found = (await data.field("i").compute()).toList() as number[];
      expect(found.length).toBeLessThan(2000);
      expect(found.slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, i) => i));
      const [leaf] = file.leavesAt("i");
      expect(rg.explainColumns(data.field("i")).columns[0]!.bytes).toBeLessThan(
        file.rowGroups[0]!.chunks[leaf!.leaf]!.length / 5,
      );
    });

    test("a value that is not there is known by the dictionary or the bloom filter, for few bytes", async () => {
      for (const name of ["duckV1", "ownV1"]) {
        const file = await open(`${name}.parquet`);
        const before = file.bytesRead;
        expect(await runsMatching(file, 0, { column: "k", op: "==", value: 505 })).toEqual([]);
        expect(
          await runsMatching(file, 0, { column: "name", op: "in", values: ["name 8x", "name 9x"] }),
        ).toEqual([]);
        const { chunks } = file.rowGroups[0]!;
        const stored = ["k", "name"].reduce(
          (sum, path) => sum + chunks[file.leavesAt(path)[0]!.leaf]!.length,
          0,
        );
        expect(file.bytesRead - before).toBeLessThan(stored / 3);
      }
    });

    test("bloom filters of DuckDB have what is there", async () => {
      const file = await open("duckV1.parquet");
      const [leaf] = file.leavesAt("name");
      const range = file.rowGroups[0]!.chunks[leaf!.leaf]!.bloomFilter!;
      expect(range).not.toBeNull();
      const filter = BloomFilter.of(await file.readAside(range))!;
      const has = (text: string): boolean => filter.mayHave(xxh64(plainBytes(text, leaf!.type)!));
      for (let i = 0; i < 50; i++) expect(has(`name ${i}`)).toBe(true);
      const others = Array.from({ length: 1000 }, (_, i) => has(`nobody ${i}`)).filter(Boolean);
      expect(others.length).toBeLessThan(100);
    });

    test("row groups that are too large become partitions of runs of rows", async () => {
      for (const name of ["duckV1", "ownV2"]) {
        const path = folder.path(`${name}.parquet`);
        const whole = await rg.fromParquet(path);
        const cut = await rg.fromParquet(path, { partitionBytes: "200kB" });
        expect(cut.npartitions).toBeGreaterThan(4);
        expect(cut.divisions!.at(-1)).toBe(ROWS);
        expect((await cut.compute()).toList()).toEqual((await whole.compute()).toList());
        const pt = cut.field("jets", "pt");
        expect(await rg.num(pt).sum().compute()).toBe(await rg.num(whole.field("jets")).sum().compute());
      }
      await expect(rg.fromParquet(folder.path("ownV1.parquet"), { partitionBytes: "x" })).rejects.toThrow(
        /partitionBytes is "x"/,
      );
    });
  },
);

const lengthsOf = (column: unknown): (number | null)[] => {
  const { offsets, validity, length } = column as {
    offsets: Int32Array;
    validity: Uint8Array | null;
    length: number;
  };
  return Array.from({ length }, (_, i) => (validity?.[i] === 0 ? null : offsets[i + 1]! - offsets[i]!));
};

test("runs", () => {
  const a = [
    { start: 0, stop: 10 },
    { start: 20, stop: 30 },
  ];
  const b = [
    { start: 5, stop: 22 },
    { start: 29, stop: 40 },
  ];
  expect(intersected(a, b)).toEqual([
    { start: 5, stop: 10 },
    { start: 20, stop: 22 },
    { start: 29, stop: 30 },
  ]);
  expect(united([...b, ...a])).toEqual([{ start: 0, stop: 40 }]);
  expect(united([{ start: 3, stop: 3 }])).toEqual([]);
  expect(cutRuns([{ start: 0, stop: 10 }], 4)).toEqual([
    { start: 0, stop: 3 },
    { start: 3, stop: 6 },
    { start: 6, stop: 10 },
  ]);
});

test.each([
  ["", "ef46db3751d8e999"],
  ["a", "d24ec4f1a98c6e5b"],
  ["abc", "44bc2cf5ad770999"],
  ["Nobody inspects the spammish repetition", "fbcea83c8a378bf1"],
])("xxh64 of %j", (text, hash) => {
  expect(xxh64(new TextEncoder().encode(text)).toString(16)).toBe(hash);
});
