// Writing: files appear whole or not at all, options do what they say, columns that do not fit the schema are refused.

import { existsSync, readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { MemoryStore } from "../../src/storage/index.ts";
import {
  type Field,
  joinParquet,
  localFile,
  openDataset,
  ParquetFile,
  type StructColumn,
  sliceColumn,
  writeParquet,
} from "../../src/storage/parquet/index.ts";
import { fileRows, openDuck, rowsOf, temporaryFolder } from "./support.ts";
import { structFrom } from "./tables.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const int: Field = {
  kind: "leaf",
  name: "i",
  nullable: false,
  type: { physical: "int32", length: 0, logical: null },
};
const text: Field = {
  kind: "leaf",
  name: "s",
  nullable: true,
  type: { physical: "byteArray", length: 0, logical: { kind: "string" } },
};
const list: Field = { kind: "list", name: "l", nullable: true, item: { ...int, name: "element" } };
const FIELDS = [int, text, list];
const table = (count: number, first = 0): StructColumn =>
  structFrom(
    FIELDS,
    Array.from({ length: count }, (_, at) => {
      const i = first + at;
      return {
        i,
        s: i % 4 === 0 ? null : `word ${i % 10}`,
        l: i % 5 === 0 ? null : new Array(i % 3).fill(i),
      };
    }),
  );

describe("files", () => {
  test("one file, partitions as row groups", async () => {
    const path = folder.path("one.parquet");
    const [written] = await writeParquet(path, FIELDS, [table(100), table(50, 100)], { rowGroupRows: 60 });
    const file = await ParquetFile.open(await localFile(path));
    expect(file.rowGroups.map((group) => group.rows)).toEqual([60, 40, 50]);
    expect(written).toMatchObject({
      name: path,
      rows: 150,
      rowGroups: 3,
      bytes: (await localFile(path)).size,
    });
    expect(await fileRows(path)).toEqual(rowsOf(table(150)));
  });

  test("a file per partition, from a stream of partitions", async () => {
    const target = folder.path("parts");
    async function* partitions() {
      yield table(10);
      yield table(5, 10);
    }
    const written = await writeParquet(target, FIELDS, partitions(), { files: "perPartition" });
    expect(written.map((file) => file.rows)).toEqual([10, 5]);
    expect(readdirSync(target).sort()).toEqual(["part-00000.parquet", "part-00001.parquet"]);
    expect((await openDataset(target)).divisions).toEqual([0, 10, 15]);
    await expect(writeParquet(target, FIELDS, [], { files: "perPartition" })).rejects.toThrow(
      "part-00000.parquet already",
    );
  });

  test("files joined into one, page by page", async () => {
    const parts = [table(100), table(0), table(50, 100)];
    const paths = await Promise.all(
      parts.map(async (part, i) => {
        const path = folder.path(`joined-${i}.parquet`);
        await writeParquet(path, FIELDS, [part], { rowGroupRows: 60, codec: i === 0 ? "zstd" : "snappy" });
        return path;
      }),
    );
    const files = await Promise.all(paths.map(async (path) => ParquetFile.open(await localFile(path))));
    const path = folder.path("joined.parquet");
    const written = await joinParquet(path, files);
    expect(written).toMatchObject({ rows: 150, rowGroups: 3, bytes: (await localFile(path)).size });
    const expected = parts.flatMap((part) => rowsOf(part));
    expect(await fileRows(path)).toEqual(expected);
    const joined = await ParquetFile.open(await localFile(path));
    expect(joined.rowGroupsMatching({ column: "i", op: "<", value: 60 })).toEqual([0]);
    expect(joined.statistics(2, 1)).toEqual(files[2]!.statistics(0, 1));
    if (typeof duck === "string") return;
    expect(await duck.rows(`select i, s, l from read_parquet('${path}')`)).toEqual(expected);
    // And what another writer wrote.
    const theirs = folder.path("theirs.parquet");
    await duck.run(
      `copy (select * from read_parquet('${path}')) to '${theirs}' (format parquet, codec zstd)`,
    );
    const their = await ParquetFile.open(await localFile(theirs));
    await joinParquet(path, [their, their]);
    expect(await duck.rows(`select i, s, l from read_parquet('${path}')`)).toEqual([
      ...expected,
      ...expected,
    ]);
    await expect(joinParquet(path, [files[0]!, their])).rejects.toThrow("in another file");
    await expect(joinParquet(folder.path("nothing.parquet"), [])).rejects.toThrow("no files to join");
    expect(
      readdirSync(folder.path(".")).filter((name) => name.startsWith(".") || name === "nothing.parquet"),
    ).toEqual([]);
  });

  test("into a store", async () => {
    const store = new MemoryStore();
    await writeParquet({ store, key: "/a" }, FIELDS, [table(3), table(2, 3)], { files: "perPartition" });
    expect(await fileRows((await store.get("/a/part-00001.parquet"))!)).toEqual(rowsOf(table(2, 3)));
  });

  test("a failure leaves nothing behind, and what was there stays", async () => {
    const path = folder.path("kept/whole.parquet");
    await writeParquet(path, FIELDS, [table(5)]);
    function* failing(): Iterable<StructColumn> {
      yield table(1000);
      throw new Error("the source failed");
    }
    await expect(writeParquet(path, FIELDS, failing())).rejects.toThrow("the source failed");
    expect(readdirSync(folder.path("kept"))).toEqual(["whole.parquet"]);
    expect(await fileRows(path)).toEqual(rowsOf(table(5)));
    await expect(writeParquet(folder.path("kept/new.parquet"), FIELDS, failing())).rejects.toThrow();
    expect(existsSync(folder.path("kept/new.parquet"))).toBe(false);
  });

  test("slices of columns are written as they are", async () => {
    const path = folder.path("slice.parquet");
    await writeParquet(path, FIELDS, [sliceColumn(table(100), 33, 77)]);
    expect(await fileRows(path)).toEqual(rowsOf(table(44, 33)));
  });

  test("texts in the footer", async () => {
    const path = folder.path("texts.parquet");
    await writeParquet(path, FIELDS, [table(1)], { keyValues: new Map([["who", "ü"]]) });
    const file = await ParquetFile.open(await localFile(path));
    expect([...file.keyValues, file.createdBy]).toEqual([["who", "ü"], "chunkwise"]);
  });
});

describe("columns that do not fit", () => {
  const write = (column: unknown, fields: Field[] = FIELDS): Promise<unknown> =>
    writeParquet({ store: new MemoryStore(), key: "/x" }, fields, [column as StructColumn]);
  const good = table(4);
  const withField = (index: number, change: object): unknown => ({
    ...good,
    fields: good.fields.map((field, i) => (i === index ? { ...field, ...change } : field)),
  });

  test.each<[string, unknown, RegExp]>([
    [
      "another dtype",
      withField(0, { values: { kind: "numbers", dtype: "float64", data: new Float64Array(4) } }),
      /column i has float64 values, and the schema says int32/,
    ],
    [
      "too few values",
      withField(0, { values: { kind: "numbers", dtype: "int32", data: new Int32Array(3) } }),
      /column i has 3 values for 4 slots/,
    ],
    [
      "another kind",
      withField(1, { kind: "struct", names: [], fields: [] }),
      /column s is a struct, and the schema says leaf/,
    ],
    [
      "offsets that fall",
      withField(2, { offsets: Int32Array.of(0, 2, 1, 1, 1) }),
      /column l has offsets that do not rise/,
    ],
    [
      "offsets too far",
      withField(2, { offsets: Int32Array.of(0, 0, 0, 0, 99) }),
      /column l has offsets that do not rise from 0 to/,
    ],
    [
      "a null where none may be",
      withField(0, { validity: Uint8Array.of(1, 0, 1, 1) }),
      /column i has a null \(at 1\) and is not nullable/,
    ],
    ["another name", { ...good, names: ["i", "t", "l"] }, /has the field t, where the schema says s/],
    [
      "a missing field",
      { ...good, names: ["i"], fields: [good.fields[0]] },
      /has 1 fields, and the schema says 3/,
    ],
    ["too short", withField(1, { length: 2 }), /column s has 2 slots, where 4 are needed/],
  ])("%s", async (_, column, message) => {
    await expect(write(column)).rejects.toThrow(message);
  });

  test("schemas that Parquet cannot say, options that make no sense", async () => {
    await expect(write(good, [])).rejects.toThrow("a table without columns");
    await expect(write(good, [int, int])).rejects.toThrow("two fields of a struct have the same name");
    await expect(write(good, [{ kind: "struct", name: "e", nullable: true, fields: [] }])).rejects.toThrow(
      "has no fields",
    );
    await expect(write(good, [{ ...list, isMap: true } as Field])).rejects.toThrow("are not pairs");
    await expect(writeParquet(folder.path("x"), FIELDS, [good], { rowGroupRows: 0 })).rejects.toThrow(
      "rowGroupRows is 0",
    );
  });
});

describe.skipIf(typeof duck === "string")(
  `as DuckDB sees it${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { rows } = duck as Exclude<typeof duck, string>;

    test.each(["none", "snappy", "gzip", "zstd", "brotli", "lz4raw"] as const)(
      "%s, both versions of pages",
      async (codec) => {
        for (const pageVersion of [1, 2] as const) {
          const path = folder.path(`codec-${codec}-${pageVersion}.parquet`);
          await writeParquet(path, FIELDS, [table(5000)], {
            codec,
            pageVersion,
            rowGroupRows: 3000,
            pageSize: 4000,
          });
          expect(await rows(`SELECT * FROM '${path}'`)).toEqual(rowsOf(table(5000)));
        }
      },
    );

    test("dictionaries where values repeat, statistics, and the schema", async () => {
      const path = folder.path("seen.parquet");
      await writeParquet(path, FIELDS, [table(1000)]);
      const found =
        await rows(`SELECT path_in_schema AS p, encodings AS e, stats_min_value AS lo, stats_max_value AS hi, stats_null_count AS n
      FROM parquet_metadata('${path}')`);
      expect(found).toEqual([
        { p: "i", e: "PLAIN, RLE", lo: "0", hi: "999", n: 0n },
        { p: "s", e: "PLAIN, RLE, RLE_DICTIONARY", lo: "word 0", hi: "word 9", n: 250n },
        { p: "l, list, element", e: "PLAIN, RLE", lo: "1", hi: "998", n: expect.anything() },
      ]);
      expect(
        await rows(`SELECT count(*) AS c FROM '${path}' WHERE s = 'word 3' AND i BETWEEN 100 AND 199`),
      ).toEqual([{ c: 10n }]);
    });
  },
);
