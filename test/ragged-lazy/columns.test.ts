// Necessary columns over a Parquet file: exactly what is needed is named, read and explained; with the pass turned off
// the results are the same. Bytes are counted where the file is read, and compared with the file's own footer.

import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import * as rg from "chunkwise/ragged";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ParquetFile } from "../../src/storage/parquet/index.ts";
import { temporaryFolder } from "../parquet/support.ts";

const inline = { executor: "inline" } as const;
const folder = temporaryFolder();
afterAll(() => folder.remove());

const ROWS = 36_000;
/** Numbers that no codec makes smaller: chunks must be larger than the gaps that are read along. */
const noise = (i: number): number => Math.sin(i * 12.9898) * 43758.5453;
const rows = Array.from({ length: ROWS }, (_, i) => ({
  met: noise(i),
  mu: Array.from({ length: i % 3 }, (_, k) => ({ pt: noise(3 * i + k), z: `${noise(i + k)}` })),
  jets: Array.from({ length: i % 4 }, (_, k) => ({
    ...{ pt: noise(i - k), eta: noise(5 * i + k), id: { a: i * 7919 + k, b: (i + k) % 2 === 0 } },
    p4: { pt: noise(7 * i * k), m: noise(11 * i + k) },
  })),
}));

/** A file that knows how many bytes were asked of it. */
interface Counted {
  readonly file: rg.ByteFile;
  bytes: number;
}

function counted(path: string): Counted {
  const own = rg.memoryFile(readFileSync(path), path);
  const self: Counted = {
    bytes: 0,
    file: {
      name: "events",
      size: own.size,
      read(offset, length) {
        self.bytes += length;
        return own.read(offset, length);
      },
      tail(length) {
        self.bytes += Math.min(length, own.size!);
        return own.tail(length);
      },
    },
  };
  return self;
}

/** The chunks of columns in all row groups, as the footer has them. */
async function storedBytes(path: string, columns: readonly string[]): Promise<number> {
  const file = await ParquetFile.open(await rg.localFile(path));
  const names = file.schema.leaves.map(({ storedPath }) =>
    storedPath.filter((name) => !LEVELS.has(name)).join("."),
  );
  const wanted = columns.map((column) => names.indexOf(column));
  expect(wanted).not.toContain(-1);
  return file.rowGroups
    .flatMap(({ chunks }) => wanted.map((leaf) => chunks[leaf]!.length))
    .reduce((sum, n) => sum + n, 0);
}
const LEVELS = new Set(["list", "element"]);

const path = folder.path("events.parquet");
const inMemory = rg.fromLists([rows.slice(0, 12_000), rows.slice(12_000, 25_000), rows.slice(25_000)]);
beforeAll(async () => {
  await rg.toParquet(inMemory, path, inline);
});

interface Case {
  readonly name: string;
  readonly make: (ds: rg.LazyRagged) => rg.LazyRagged;
  readonly columns: readonly string[];
}

/** What dask-awkward reads besides is in the comments. */
const CASES: readonly Case[] = [
  { name: "num(jets)", make: (ds) => rg.num(ds.field("jets")), columns: ["jets.id.b"] },
  {
    name: "jets[jets.pt > 1].eta",
    make: (ds) => (ds.field("jets").get(ds.field("jets", "pt").greater(1)) as rg.LazyRagged).field("eta"),
    columns: ["jets.pt", "jets.eta"],
  },
  // and id.b
  { name: "jets.p4.pt", make: (ds) => ds.field("jets", "p4", "pt"), columns: ["jets.p4.pt"] },
  // and met
  {
    name: 'withField(ds, met ** 2, "w").mu.pt',
    make: (ds) => rg.withField(ds, ds.field("met").pow(2), "w").field("mu", "pt"),
    columns: ["mu.pt"],
  },
  // and mu.z, jets.id.a
  {
    name: "concatenate([mu, zip(pt, z)]).pt",
    make: (ds) =>
      rg
        .concatenate(
          [ds.field("mu"), rg.zip({ pt: ds.field("jets", "pt"), z: ds.field("jets", "id", "a") })],
          { axis: 1 },
        )
        .field("pt"),
    columns: ["mu.pt", "jets.pt"],
  },
  // and mu.z: the lists of mu come with its smallest column
  { name: "zerosLike(mu.pt)", make: (ds) => rg.zerosLike(ds.field("mu", "pt")), columns: ["mu.pt"] },
  { name: 'withField(ds, 1, "w").w', make: (ds) => rg.withField(ds, 1, "w").field("w"), columns: [] },
  {
    name: 'withField(jets, 0, "pt"), in its place',
    make: (ds) => rg.withField(ds.field("jets"), 0, "pt").get(":", ["pt", "eta"]) as rg.LazyRagged,
    columns: ["jets.eta"],
  },
  { name: "met", make: (ds) => ds.field("met"), columns: ["met"] },
  { name: "rows", make: (ds) => rg.num(ds, { axis: 0 }), columns: [] },
  {
    name: "mean of a selection",
    make: (ds) =>
      ds
        .field("met")
        .get(rg.num(ds.field("jets")).greaterEqual(2))
        .mean(),
    columns: ["met", "jets.id.b"],
  },
  {
    name: "pairs",
    make: (ds) => {
      const [a, b] = rg.unzip(rg.combinations(ds.field("jets"), 2));
      return a!.field("pt").add(b!.field("pt")).sum({ axis: 1 });
    },
    columns: ["jets.pt"],
  },
  {
    name: "rows after filtering",
    make: (ds) => (ds.get("10:30000") as rg.LazyRagged).field("met"),
    columns: ["met"],
  },
];

const value = (result: unknown): unknown => (result instanceof rg.RaggedArray ? result.toList() : result);
const sorted = (columns: readonly string[]): string[] => [...columns].sort();

describe("columns that are needed", () => {
  test.each(CASES)("$name", async ({ make, columns }) => {
    const counter = counted(path);
    const ds = await rg.fromParquet(counter.file);
    const footer = counter.bytes;
    const x = make(ds);
    expect(sorted(rg.necessaryColumns(x)["events"] ?? [])).toEqual(sorted(columns));
    expect(counter.bytes, "asking reads nothing").toBe(footer);
    const found = value(await x.compute(inline));
    const read = counter.bytes - footer;
    expect(read).toBe(await storedBytes(path, columns));
    expect(rg.explainColumns(x).bytesRead).toBe(read);
    const whole = await x.compute({ ...inline, exclude: ["necessaryColumns"] });
    expect(isDeepStrictEqual(value(whole), found)).toBe(true);
    expect(isDeepStrictEqual(value(await make(inMemory).compute(inline)), found)).toBe(true);
  });

  // All that DuckDB, Spark and Arrow write may be null, at every level; here it is.
  const nullable = rows.slice(0, 14_000).map(({ met, mu, jets }, i) => ({
    met: i % 5 === 0 ? null : met,
    mu:
      i % 7 === 0
        ? null
        : mu.map((of, k) => ((i + k) % 11 === 0 ? null : { ...of, z: k === 1 ? null : of.z })),
    jets:
      i % 6 === 0 ? null : jets.map((of, k) => (k === 2 ? null : { ...of, pt: i % 3 === 0 ? null : of.pt })),
  }));
  const NULLABLE: readonly Case[] = [
    ...CASES.slice(0, 4),
    ...CASES.slice(5, 6),
    {
      name: "concatenate([zip, zip]).pt",
      make: (ds) => {
        const mu = rg.zip({ pt: ds.field("mu", "pt"), z: ds.field("mu", "pt") });
        const jets = rg.zip({ pt: ds.field("jets", "pt"), z: ds.field("jets", "eta") });
        return rg.concatenate([mu, jets], { axis: 1 }).field("pt");
      },
      columns: ["mu.pt", "jets.pt"],
    },
    {
      name: 'zip({p, z}).field("p")',
      make: (ds) => rg.zip({ p: ds.field("mu", "pt"), z: ds.field("mu", "z") }).field("p"),
      columns: ["mu.pt"],
    },
    {
      name: "zip of lists as they are",
      make: (ds) =>
        rg
          .zip({ p: ds.field("mu", "pt"), z: ds.get("mu", "z") as rg.LazyRagged }, { depthLimit: 1 })
          .field("p"),
      columns: ["mu.pt"],
    },
    {
      name: "zip of other lists: which are null matters",
      make: (ds) =>
        rg.zip({ m: ds.field("mu", "pt"), j: ds.field("jets", "eta") }, { depthLimit: 1 }).field("m"),
      columns: ["mu.pt", "jets.id.b"],
    },
    {
      name: "zip of other rows of the same lists",
      make: (ds) =>
        rg
          .zip(
            {
              a: ds.field("mu", "pt"),
              b: ds
                .field("mu", "z")
                .get(ds.field("met").isNone().equal(ds.field("met").isNone())) as rg.LazyRagged,
            },
            { depthLimit: 1 },
          )
          .field("a"),
      columns: ["met", "mu.pt", "mu.z"],
    },
  ];

  test.each(NULLABLE)("nullable: $name", async ({ make, columns }) => {
    const place = folder.path("nullable.parquet");
    const data = rg.lazy(rg.fromIter(nullable), { npartitions: 2 });
    if (!existsSync(place)) await rg.toParquet(data, place, inline);
    const counter = counted(place);
    const ds = await rg.fromParquet(counter.file);
    const footer = counter.bytes;
    const x = make(ds);
    expect(sorted(rg.necessaryColumns(x)["events"] ?? [])).toEqual(sorted(columns));
    const found = value(await x.compute(inline));
    expect(counter.bytes - footer).toBe(await storedBytes(place, columns));
    expect(
      isDeepStrictEqual(value(await make(data).compute({ ...inline, exclude: ["necessaryColumns"] })), found),
    ).toBe(true);
  });

  test("without the pass all columns are read", async () => {
    const counter = counted(path);
    const ds = await rg.fromParquet(counter.file);
    const footer = counter.bytes;
    await ds.field("met").compute({ ...inline, exclude: ["necessaryColumns"] });
    const all = [
      "met",
      "mu.pt",
      "mu.z",
      "jets.pt",
      "jets.eta",
      "jets.id.a",
      "jets.id.b",
      "jets.p4.pt",
      "jets.p4.m",
    ];
    expect(counter.bytes - footer).toBe(await storedBytes(path, all));
  });

  test("several arrays need what each of them needs", async () => {
    const ds = await rg.fromParquet(path, { name: "events" });
    const arrays = [ds.field("met"), ds.field("jets", "pt")];
    expect(rg.necessaryColumns(arrays)).toEqual({ events: ["met", "jets.pt"] });
    const other = await rg.fromParquet(path, { name: "events" });
    expect(rg.necessaryColumns([arrays[0]!, other.field("mu", "z")])).toEqual({
      events: ["met"],
      "events (2)": ["mu.z"],
    });
  });

  test("rows of one partition are read of one row group", async () => {
    const counter = counted(path);
    const ds = await rg.fromParquet(counter.file);
    const footer = counter.bytes;
    expect(value(await (ds.get("12000:25000") as rg.LazyRagged).field("met").compute(inline))).toEqual(
      rows.slice(12_000, 25_000).map(({ met }) => met),
    );
    const file = await ParquetFile.open(await rg.localFile(path));
    expect(counter.bytes - footer).toBe(file.rowGroups[1]!.chunks[0]!.length);
    expect((ds.get(-1) as rg.LazyRagged).field("met").isItem).toBe(true);
  });
});

test("the example of the documentation: bar.x / foo never reads bar.y", async () => {
  const data = [
    { foo: 5, bar: { x: [-1, -2], y: -2.2 } },
    { foo: 6, bar: { x: [-3], y: 3.3 } },
    { foo: 7, bar: { x: [-5, -6, -7], y: -4.4 } },
    { foo: 8, bar: { x: [8, 9, 10, 11, 12], y: 5.5 } },
  ];
  const file = folder.path("seed.parquet");
  await rg.toParquet(data, file, inline);
  const counter = counted(file);
  const ds = await rg.fromParquet(counter.file);
  const footer = counter.bytes;
  const result = ds.field("bar", "x").divide(ds.field("foo"));
  expect(rg.necessaryColumns(result)).toEqual({ events: ["foo", "bar.x"] });
  expect((await result.compute(inline)).toList()).toEqual(
    data.map(({ foo, bar }) => bar.x.map((x) => x / foo)),
  );
  expect(counter.bytes - footer).toBe(await storedBytes(file, ["foo", "bar.x"]));
});

describe("explainColumns", () => {
  test("says why, for what, where and how much", async () => {
    const ds = await rg.fromParquet(path, { name: "events" });
    const jets = ds.field("jets");
    const fast = jets.field("pt").greater(1); // here
    const x = rg.num(jets.get(fast) as rg.LazyRagged);
    const report = rg.explainColumns([x, ds.field("met")]);
    const line = new Error().stack!.split("\n")[1]!.match(/columns\.test\.ts:(\d+)/)![1]!;
    const byName = new Map(report.columns.map((column) => [column.column, column]));
    expect([...byName.keys()].sort()).toEqual(["jets.pt", "met"]);
    const pt = byName.get("jets.pt")!;
    expect(pt).toMatchObject({ source: "events", op: "rg.greater", reason: "its values, for rg.greater" });
    expect(pt.line).toContain("columns.test.ts:");
    expect(Number(/columns\.test\.ts:(\d+)/.exec(pt.line!)![1])).toBe(Number(line) - 3);
    expect(pt.bytes).toBe(await storedBytes(path, ["jets.pt"]));
    expect(byName.get("met")).toMatchObject({ op: "rg.field", reason: "its values, for rg.field" });
    expect(report.bytesRead).toBe(await storedBytes(path, ["jets.pt", "met"]));
    expect(report.failures).toEqual([]);
    expect(String(report)).toContain(`of ${report.bytesInAll} B`);
    expect(x.explainColumns().columns.length).toBe(1);
  });

  test("offsets alone are told apart from values", async () => {
    const ds = await rg.fromParquet(path, { name: "events" });
    const { columns } = rg.explainColumns(rg.num(ds.field("jets")));
    expect(columns).toMatchObject([
      { column: "jets.id.b", reason: "only where its lists and nulls are, for rg.num" },
    ]);
  });
});
