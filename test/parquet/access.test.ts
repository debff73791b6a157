// What is read and from where: only the bytes of the chosen leaves; files, stores, HTTP; several files as one table;
// row groups that statistics rule out.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FileStore, MemoryStore, type Store } from "../../src/storage/index.ts";
import { joinRanges } from "../../src/storage/parquet/countedFile.ts";
import {
  type Field,
  type Filter,
  httpFile,
  localFile,
  memoryFile,
  openDataset,
  ParquetFile,
  SchemaMismatchError,
  storeFile,
  writeParquet,
} from "../../src/storage/parquet/index.ts";
import { patternRegex } from "../../src/storage/parquet/places.ts";
import { parquetRows, rowsOf, temporaryFolder } from "./support.ts";
import { structFrom } from "./tables.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const leaf = (
  name: string,
  physical: "int32" | "int64" | "double" | "byteArray",
  nullable = true,
): Field => ({
  kind: "leaf",
  name,
  nullable,
  type: { physical, length: 0, logical: physical === "byteArray" ? { kind: "string" } : null },
});
const JETS: Field = {
  kind: "list",
  name: "jets",
  nullable: true,
  item: {
    kind: "struct",
    name: "element",
    nullable: false,
    fields: [leaf("pt", "double"), leaf("eta", "double")],
  },
};
const FIELDS: Field[] = [leaf("id", "int32", false), leaf("met", "double"), leaf("name", "byteArray"), JETS];

const rowAt = (i: number): { [name: string]: unknown } => ({
  id: i,
  met: i % 10 === 0 ? null : i / 4,
  name: `n${String(i).padStart(5, "0")}`,
  jets: i % 3 === 0 ? [] : Array.from({ length: i % 3 }, (_, j) => ({ pt: i + j / 8, eta: Math.sin(i + j) })),
});
const ROWS = Array.from({ length: 6000 }, (_, i) => rowAt(i));
const PATH = folder.path("events.parquet");

beforeAll(async () => {
  await writeParquet(PATH, FIELDS, [structFrom(FIELDS, ROWS)], {
    rowGroupRows: 2000,
    codec: "none",
    dictionary: false,
  });
});

const open = async (): Promise<ParquetFile> => ParquetFile.open(await localFile(PATH), { tailBytes: 16 });

describe("what is read", () => {
  test("opening reads the footer and nothing else", async () => {
    const file = await open();
    const size = readFileSync(PATH).length;
    const last = file.byteRanges(2, [4])[0]!;
    expect(file.bytesRead).toBeLessThanOrEqual(16 + size - (last.offset + last.length));
    expect(file.rows).toBe(6000);
    expect(file.rowGroups.map(({ rows, firstRow }) => [rows, firstRow])).toEqual([
      [2000, 0],
      [2000, 2000],
      [2000, 4000],
    ]);
    expect(file.schema.leaves.map((node) => [node.leaf, node.path])).toEqual([
      [0, "id"],
      [1, "met"],
      [2, "name"],
      [3, "jets.pt"],
      [4, "jets.eta"],
    ]);
  });

  test("the chunks of the chosen leaves and nothing else", async () => {
    const file = await open();
    const before = file.bytesRead;
    const leaves = [...file.leavesAt("met"), ...file.leavesAt("jets.eta")].map((node) => node.leaf);
    const columns = await file.read(1, { leaves });
    const ranges = file.byteRanges(1, leaves);
    const needed = ranges.reduce((sum, range) => sum + range.length, 0);
    // Chunks lie close together here, so the gap between them is read too.
    const gap = ranges[1]!.offset - (ranges[0]!.offset + ranges[0]!.length);
    expect(file.bytesRead - before).toBe(needed + (gap <= 65536 ? gap : 0));
    const expected = ROWS.slice(2000, 4000).map(({ met, jets }) => ({
      met,
      jets: (jets as { eta: number }[]).map(({ eta }) => ({ eta })),
    }));
    expect(rowsOf(columns)).toEqual(expected);
  });

  test("what a leaf costs", async () => {
    const dataset = await openDataset([PATH, PATH]);
    const ranges = [0, 1, 2].map((group) => dataset.files[0]!.byteRanges(group, [3])[0]!.length);
    expect(dataset.leafBytes(3)).toBe(2 * ranges.reduce((sum, length) => sum + length, 0));
  });

  test("only the offsets of a list", async () => {
    const columns = await (await open()).read(0, { leaves: [], shapesOnly: [3] });
    const jets = columns.fields[0]!;
    if (jets.kind !== "list" || jets.item.kind !== "struct") throw new Error("not a list of structs");
    expect(jets.offsets[2000]).toBe(
      ROWS.slice(0, 2000).reduce((sum, row) => sum + (row["jets"] as unknown[]).length, 0),
    );
    expect(jets.item.fields[0]).toMatchObject({ kind: "leaf", values: null });
  });

  test("ranges that lie close together are joined", () => {
    const ranges = [
      { offset: 1000, length: 50 },
      { offset: 0, length: 100 },
      { offset: 120, length: 30 },
      { offset: 130, length: 5 },
    ];
    expect(joinRanges(ranges, 20)).toEqual([
      { offset: 0, length: 150, members: [1, 2, 3] },
      { offset: 1000, length: 50, members: [0] },
    ]);
  });

  test.each(["snappy", "zstd", "gzip", "lz4raw"] as const)("several reads at once, %s", async (codec) => {
    const path = folder.path(`at-once-${codec}.parquet`);
    await writeParquet(path, FIELDS, [structFrom(FIELDS, ROWS)], { rowGroupRows: 500, pageSize: 500, codec });
    const file = await ParquetFile.open(await localFile(path));
    const parts = await Promise.all(file.rowGroups.map(({ index }) => file.read(index)));
    expect(parts.flatMap(rowsOf)).toEqual(ROWS);
  });

  test("leaves, row groups and columns that are not there", async () => {
    const file = await open();
    await expect(file.read(3)).rejects.toThrow("has 3 row groups, and no number 3");
    await expect(file.read(0, { leaves: [9] })).rejects.toThrow("has 5 leaves, and no number 9");
    expect(() => file.leavesAt("jet")).toThrow("has no column jet. It has id, met, name, jets.pt, jets.eta.");
  });

  test("a file that changed since it was opened", async () => {
    const path = folder.path("changing.parquet");
    writeFileSync(path, readFileSync(PATH));
    const file = await ParquetFile.open(await localFile(path));
    writeFileSync(path, readFileSync(PATH).subarray(1));
    await expect(file.read(0)).rejects.toThrow("the file has changed since it was opened");
  });
});

describe("from where", () => {
  let server: Server;
  let url: string;
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const bytes = readFileSync(PATH);
      const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
      asked.push(`${request.url} ${request.headers.range}`);
      if (!request.url!.startsWith("/data/my%20events.parquet?key=1"))
        return void response.writeHead(404).end();
      const start = range![1] === "" ? Math.max(0, bytes.length - Number(range![2])) : Number(range![1]);
      const end = range![1] === "" ? bytes.length - 1 : Number(range![2]);
      response.writeHead(206, { "Content-Range": `bytes ${start}-${end}/${bytes.length}` });
      response.end(bytes.subarray(start, end + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/data`;
  });
  afterAll(() => void server.close());

  test("HTTP ranges, with the size from the first answer", async () => {
    const bytes = httpFile(`${url}/my%20events.parquet?key=1`);
    const file = await ParquetFile.open(bytes);
    expect(bytes.size).toBe(readFileSync(PATH).length);
    expect(await parquetRows(file)).toEqual(ROWS);
    expect(asked.length).toBe(file.requests);
    await expect(openDataset(`${url}/nothing.parquet`)).rejects.toThrow("there is no such file");
  });

  test.each(["file", "memory", "whole objects"])("a store: %s", async (kind) => {
    const bytes = new Uint8Array(readFileSync(PATH));
    const memory = new MemoryStore();
    await memory.set("/events.parquet", bytes);
    const whole: Store = { get: (key) => memory.get(key) };
    const store = kind === "file" ? new FileStore(folder.path(".")) : kind === "memory" ? memory : whole;
    const file = await ParquetFile.open(storeFile(store, "/events.parquet"), { tailBytes: 100 });
    expect(await parquetRows(file)).toEqual(ROWS);
    await expect(ParquetFile.open(storeFile(store, "/other.parquet"))).rejects.toThrow(
      "there is no such file",
    );
  });

  test("a file that is not there, and a folder in its place", async () => {
    await expect(localFile(folder.path("none.parquet"))).rejects.toThrow("there is no such file");
    await expect(localFile(folder.path("."))).rejects.toThrow("this is not a file");
  });
});

describe("several files", () => {
  beforeAll(async () => {
    for (const [year, month, rows] of [
      [2023, 1, 10],
      [2023, 2, 20],
      [2024, 1, 30],
    ] as const) {
      mkdirSync(folder.path(`year=${year}`), { recursive: true });
      const part = structFrom(FIELDS, ROWS.slice(0, rows));
      await writeParquet(folder.path(`year=${year}/m${month}.parquet`), FIELDS, [part], { rowGroupRows: 15 });
    }
  });

  test.each([
    ["year=2023/*.parquet", 30],
    ["year=*/m1.parquet", 40],
    ["**/m?.parquet", 60],
    ["year={2023,2024}/m[!2].parquet", 40],
    ["year=2023", 30],
    ["year=2024/m1.parquet", 30],
  ])("%s", async (pattern, rows) => {
    const dataset = await openDataset(folder.path(pattern));
    expect(dataset.rows).toBe(rows);
    expect(dataset.divisions.at(-1)).toBe(rows);
  });

  test("partitions are row groups, with rows numbered through", async () => {
    const dataset = await openDataset([
      folder.path("year=2023/m2.parquet"),
      folder.path("year=2023/m1.parquet"),
    ]);
    expect(dataset.divisions).toEqual([0, 15, 20, 30]);
    const found = [];
    for (const { file, rowGroup } of dataset.partitions)
      found.push(...rowsOf(await file.read(rowGroup, { leaves: [0] })));
    expect(found).toEqual([...ROWS.slice(0, 20), ...ROWS.slice(0, 10)].map(({ id }) => ({ id })));
  });

  test("a pattern that nothing matches, no files at all", async () => {
    await expect(openDataset(folder.path("*.csv"))).rejects.toThrow("no file has a name like this");
    await expect(openDataset([])).rejects.toThrow("a dataset of no files");
  });

  test.each<[string, Field[], string, RegExp]>([
    [
      "type",
      [leaf("id", "int64", false), ...FIELDS.slice(1)],
      "id",
      /is int64 here and int32 in another file/,
    ],
    ["missing", FIELDS.slice(0, 3), "jets", /is missing here/],
    [
      "name",
      [...FIELDS.slice(0, 2), leaf("label", "byteArray"), JETS],
      "name",
      /should be field 2, and label is/,
    ],
    ["more", [...FIELDS, leaf("more", "double")], "more", /is not in another file/],
    ["nullable", [leaf("id", "int32"), ...FIELDS.slice(1)], "id", /is nullable int32 here and int32/],
    [
      "kind",
      [...FIELDS.slice(0, 3), leaf("jets", "double")],
      "jets",
      /is nullable double here and nullable list/,
    ],
  ])("schemas that differ: %s", async (name, fields, column, message) => {
    const path = folder.path(`mismatch-${name}.parquet`);
    await writeParquet(path, fields, [structFrom(fields, [])]);
    const error = await openDataset([PATH, path]).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SchemaMismatchError);
    expect(error).toMatchObject({ file: path, column });
    expect((error as Error).message).toMatch(message);
  });

  test("patterns as regular expressions", () => {
    expect(patternRegex("a/*.b+c").test("a/x.b+c")).toBe(true);
    expect(patternRegex("a/*.b+c").test("a/x/y.b+c")).toBe(false);
    expect(patternRegex("{a,b*}/**/c").test("bb/c")).toBe(true);
    expect(patternRegex("x[0-9].p").test("x5xp")).toBe(false);
  });
});

describe("row groups that a filter can skip", () => {
  test.each<[Filter, number[]]>([
    [{ column: "id", op: "<", value: 2000 }, [0]],
    [{ column: "id", op: "<=", value: 2000 }, [0, 1]],
    [{ column: "id", op: ">", value: 3999 }, [2]],
    [{ column: "id", op: ">=", value: 3999 }, [1, 2]],
    [{ column: "id", op: "==", value: 2500n }, [1]],
    [{ column: "id", op: "in", values: [1, 5999, 7000] }, [0, 2]],
    [{ column: 1, op: ">", value: 1250 }, [2]],
    [{ column: "name", op: "==", value: "n04100" }, [2]],
    [{ column: "name", op: "<", value: "n01" }, [0]],
    [{ column: "jets.pt", op: ">=", value: 4001 }, [2]],
    [{ column: "met", op: "isNull" }, [0, 1, 2]],
    [{ column: "id", op: "isNull" }, []],
    [{ column: "id", op: "notNull" }, [0, 1, 2]],
    [{ column: "id", op: "!=", value: 3 }, [0, 1, 2]],
    [
      {
        and: [
          { column: "id", op: ">", value: 1999 },
          { column: "id", op: "<", value: 4000 },
        ],
      },
      [1],
    ],
    [
      {
        or: [
          { column: "id", op: "<", value: 5 },
          { column: "met", op: ">", value: 1400 },
        ],
      },
      [0, 2],
    ],
    [{ column: "id", op: "==", value: "text" }, [0, 1, 2]],
    [{ column: "id", op: "==", value: Number.NaN }, [0, 1, 2]],
  ])("%o", async (filter, groups) => {
    expect((await open()).rowGroupsMatching(filter)).toEqual(groups);
  });

  test("statistics are those of the values", async () => {
    const file = await open();
    expect(file.statistics(1, 0)).toEqual({ min: 2000, max: 3999, nulls: 0, isExact: true });
    expect(file.statistics(1, 1)).toMatchObject({ min: 2001 / 4, max: 3999 / 4, nulls: 200 });
    expect(Buffer.from(file.statistics(0, 2).min as Uint8Array).toString()).toBe("n00000");
  });

  test("of a dataset", async () => {
    const dataset = await openDataset([PATH, memoryFile(new Uint8Array(readFileSync(PATH)), "again")]);
    const kept = dataset.partitionsMatching({ column: "id", op: "<", value: 10 });
    expect(kept.map(({ file, rowGroup, firstRow }) => [file.name, rowGroup, firstRow])).toEqual([
      [PATH, 0, 0],
      ["again", 0, 6000],
    ]);
  });

  test("a column that is not there, or is not one column", async () => {
    const file = await open();
    expect(() => file.rowGroupsMatching({ column: "none", op: "isNull" })).toThrow(
      "there is no column none to compare",
    );
    expect(() => file.rowGroupsMatching({ column: "jets", op: "isNull" })).toThrow(
      "there is no column jets to compare",
    );
  });
});
