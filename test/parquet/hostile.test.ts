// Damaged files: cut short, with bytes changed, with absurd numbers in headers. Whatever happens, it is a typed error that
// names the file, or values; never a crash, a hang or memory out of proportion.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StorageError } from "../../src/storage/errors.ts";
import { MemoryStore } from "../../src/storage/memoryStore.ts";
import {
  type Field,
  memoryFile,
  ParquetDataError,
  ParquetFile,
  type WriteOptions,
  writeParquet,
} from "../../src/storage/parquet/index.ts";
import { runsMatching } from "../../src/storage/parquet/skipping.ts";
import {
  type Claims,
  column,
  dataPage,
  dictionaryPage,
  type Element,
  fileOf,
  join,
  root,
} from "./handmade.ts";
import { fileRows, openDuck, temporaryFolder } from "./support.ts";
import { structFrom } from "./tables.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const leaf = (name: string, physical: "int32" | "double" | "byteArray", nullable = true): Field => ({
  kind: "leaf",
  name,
  nullable,
  type: { physical, length: 0, logical: physical === "byteArray" ? { kind: "string" } : null },
});
const FIELDS: Field[] = [
  leaf("id", "int32", false),
  leaf("x", "double"),
  leaf("name", "byteArray"),
  {
    kind: "list",
    name: "jets",
    nullable: true,
    item: {
      kind: "struct",
      name: "element",
      nullable: true,
      fields: [leaf("pt", "double"), leaf("tag", "byteArray")],
    },
  },
];

const rowAt = (i: number): object => ({
  id: i,
  x: i % 5 === 0 ? null : Math.sin(i),
  name: i % 7 === 0 ? null : `name ${i % 50}`,
  jets:
    i % 6 === 0
      ? null
      : Array.from({ length: i % 4 }, (_, j) =>
          j === 2 ? null : { pt: Math.cos(i * j), tag: j === 1 ? null : `t${i}` },
        ),
});

async function ours(rows: number, options: WriteOptions): Promise<Uint8Array> {
  const store = new MemoryStore();
  const table = structFrom(
    FIELDS,
    Array.from({ length: rows }, (_, i) => rowAt(i)),
  );
  await writeParquet({ store, key: "/t.parquet" }, FIELDS, [table], options);
  return (await store.get("/t.parquet"))!;
}

/** "values", or the error that reading gave, which must be one of ours and name the file. */
async function outcome(bytes: Uint8Array): Promise<"values" | StorageError> {
  try {
    const file = await ParquetFile.open(memoryFile(bytes));
    for (const { index, rows } of file.rowGroups) {
      await file.read(index);
      // By pages, and by what is said of them.
      await file.read(index, { rows: { start: Math.min(1, rows), stop: rows } });
      await runsMatching(file, index, { column: 0, op: "==", value: 7 });
    }
    return "values";
  } catch (cause) {
    if (!(cause instanceof StorageError)) throw cause;
    expect(cause.message).toContain("memory");
    return cause;
  }
}

const changed = (bytes: Uint8Array, at: number, value: number): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = value;
  return copy;
};

/** What a sweep does to the peak of array buffers is bounded: nobody believed an absurd length. */
async function sweep(
  bytes: Uint8Array,
  step: number,
  variants: readonly ((byte: number) => number)[],
): Promise<number> {
  let errors = 0;
  for (let at = 0; at < bytes.length; at += step)
    for (const variant of variants) {
      const damaged = changed(bytes, at, variant(bytes[at]!) & 255);
      if ((await outcome(damaged)) !== "values") errors++;
    }
  return errors;
}

const VARIANTS = [(byte: number) => ~byte, () => 255];

describe("files of ours", () => {
  let large: Uint8Array;
  let small: Uint8Array;
  beforeAll(async () => {
    large = await ours(6000, { codec: "snappy", rowGroupRows: 2500, pageSize: 10_000 });
    small = await ours(40, { codec: "none", rowGroupRows: 25 });
  });

  test("cut short at every 1,000th byte", async () => {
    for (let end = 0; end < large.length; end += 1000) {
      const error = await outcome(large.subarray(0, end));
      expect(error, `cut at ${end}`).toBeInstanceOf(ParquetDataError);
    }
  });

  test("with every 1,000th byte changed: pages have checksums, so every change is found", async () => {
    const count = Math.ceil((large.length - 4) / 1000);
    let found = 0;
    for (let at = 4; at < large.length; at += 1000)
      if ((await outcome(changed(large, at, ~large[at]! & 255))) !== "values") found++;
    // All but a few that fall on a page's header, where a statistic or a spare bit may change without effect.
    expect(found).toBeGreaterThanOrEqual(count - 3);
  });

  test("with every byte of a small file changed in several ways", async () => {
    expect(await sweep(small, 1, VARIANTS)).toBeGreaterThan(small.length);
  });

  test("errors name the file, the row group and the column", async () => {
    const file = await ParquetFile.open(memoryFile(large, "events.parquet"));
    const { offset, length } = file.byteRanges(1, [4])[0]!;
    const damaged = await ParquetFile.open(
      memoryFile(changed(large, offset + length - 5, 0), "events.parquet"),
    );
    const error = await damaged.read(1).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ParquetDataError);
    expect(error).toMatchObject({ file: "events.parquet", rowGroup: 1, column: "jets.tag" });
    expect((error as Error).message).toMatch(
      /^events\.parquet, row group 1, column jets\.tag: .*write it again\.$/,
    );
    // Other leaves and other row groups are still there.
    expect((await damaged.read(1, { leaves: [0, 3] })).length).toBe(2500);
    expect((await damaged.read(0)).length).toBe(2500);
  });
});

describe.skipIf(typeof duck === "string")(
  `files of DuckDB${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { run } = duck as Exclude<typeof duck, string>;

    const file = async (name: string, rows: number, options: string): Promise<Uint8Array> => {
      const path = folder.path(`${name}.parquet`);
      const query = `SELECT i, sin(i) AS x, 'name ' || (i % 100) AS name, 'text ' || i AS text, i % 3 = 0 AS b,
      CASE WHEN i % 5 = 0 THEN NULL ELSE list_transform(range(i % 5), lambda j: {'pt': cos(i * j)::FLOAT, 'tags': ['a', NULL, 'b' || j]}) END AS jets
      FROM range(${rows}) t(i)`;
      await run(`COPY (${query}) TO '${path}' (FORMAT parquet, ${options})`);
      return new Uint8Array(readFileSync(path));
    };

    test.each(["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])(
      "%s: every 1,000th byte",
      async (codec) => {
        const bytes = await file(
          `sweep-${codec}`,
          6000,
          `CODEC ${codec}, PARQUET_VERSION V2, ROW_GROUP_SIZE 2048`,
        );
        await sweep(bytes, 1000, [(byte) => ~byte]);
        for (let end = 0; end < bytes.length; end += 1000)
          expect(await outcome(bytes.subarray(0, end)), `cut at ${end}`).toBeInstanceOf(ParquetDataError);
      },
    );

    test.each(["uncompressed", "snappy", "zstd"])("%s: every byte of a small file", async (codec) => {
      const bytes = await file(`small-${codec}`, 30, `CODEC ${codec}, PARQUET_VERSION V2`);
      const before = process.memoryUsage().arrayBuffers;
      await sweep(bytes, 1, VARIANTS);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 29);
    });
  },
);

describe("absurd numbers", () => {
  test.each([0, 3, 11, 12, 100])("%i bytes are not a file", async (length) => {
    await expect(fileRows(new Uint8Array(length))).rejects.toThrow(ParquetDataError);
  });

  test("a footer longer than the file", async () => {
    const bytes = new Uint8Array(64);
    bytes.set(new TextEncoder().encode("PAR1"), 60);
    new DataView(bytes.buffer).setUint32(56, 4_000_000_000, true);
    await expect(fileRows(bytes)).rejects.toThrow("a footer of 4000000000 bytes in a file of 64");
  });

  test("lists of billions in a footer, numbers without end, structs without end", async () => {
    const footers = [
      [0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f],
      new Array<number>(5000).fill(0xff),
      new Array<number>(5000).fill(0x1c),
      new Array<number>(5000).fill(0x19),
      [0x28, 0xff, 0xff, 0xff, 0x7f],
    ];
    for (const footer of footers) {
      const bytes = Uint8Array.from([...Buffer.from("PAR1"), ...footer, 0, 0, 0, 0, ...Buffer.from("PAR1")]);
      new DataView(bytes.buffer).setUint32(bytes.length - 8, footer.length, true);
      await expect(fileRows(bytes)).rejects.toThrow(ParquetDataError);
    }
  });

  /** Reads a file and looks at how much memory arrays took at most while it was read. */
  async function refused(bytes: Uint8Array, message: RegExp, most = 2 ** 28): Promise<void> {
    const before = process.memoryUsage().arrayBuffers;
    await expect(fileRows(bytes)).rejects.toThrow(message);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(most);
  }
  const one = (type: Element, count: number, page: Uint8Array, claims: Claims = {}): Uint8Array =>
    fileOf([root(1), type], count, count, page, claims);
  const optional = column("double", { repetition: 1 });

  test("more values than bytes can hold", async () => {
    await refused(
      one(column("int32"), 2 ** 45, dataPage(2 ** 30, [1, 2, 3, 4])),
      /35184372088832 values in \d+ bytes/,
    );
    await refused(
      one(column("int32"), 10_000_000, dataPage(10_000_000, [1, 2, 3, 4])),
      /values of 40000000 bytes, where 4 are left/,
    );
    // A run of billions of nulls takes six bytes.
    const nulls = [6, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 0];
    await refused(one(optional, 2 ** 31 - 1, dataPage(2 ** 31 - 1, nulls)), /2147483647 values in \d+ bytes/);
  });

  test("a page that says it is longer than its chunk, or than its codec can make it", async () => {
    const claimed = (uncompressed: number, claims: Claims): Uint8Array =>
      one(column("int32"), 4, dataPage(4, [1, 2, 3, 4], { uncompressed }), claims);
    await refused(claimed(2 ** 29, {}), /a page of 536870912 bytes, in a chunk of \d+/);
    await refused(
      claimed(2 ** 31 - 1, { uncompressed: 2 ** 31 }),
      /a page of 2147483647 bytes: raise maxChunkBytes/,
    );
    for (const [codec, name] of [
      [0, "none"],
      [1, "snappy"],
      [2, "gzip"],
      [4, "brotli"],
      [5, "lz4"],
      [6, "zstd"],
      [7, "lz4raw"],
    ] as const)
      await refused(
        claimed(2 ** 29, { uncompressed: 2 ** 30, codec }),
        new RegExp(`4 bytes of ${name} cannot become 536870912`),
      );
    await refused(claimed(4, { codec: 3 }), /pages compressed with lzo are not read without a decompressor/);
  });

  test("decompressors of the user's own", async () => {
    const bytes = one(column("int32"), 1, dataPage(1, [9, 9, 9, 9]), { codec: 3 });
    expect(await fileRows(bytes, { codecs: { lzo: (page) => page.map(() => 0) } })).toEqual([{ x: 0 }]);
    const wrong = fileRows(bytes, { codecs: { lzo: () => new Uint8Array(3) } });
    await expect(wrong).rejects.toThrow("a page of 3 bytes, where 4 belong");
  });

  test("offsets and lengths outside the file", async () => {
    const page = dataPage(1, [1, 2, 3, 4]);
    await refused(
      one(column("int32"), 1, page, { offset: 2 ** 50 }),
      /the bytes of x in row group 0 are said to be/,
    );
    await refused(
      one(column("int32"), 1, page, { length: 2 ** 40 }),
      /the bytes of x in row group 0 are said to be/,
    );
    await refused(
      one(column("int32"), 1, page, { offset: 0 }),
      /the bytes of x in row group 0 are said to be/,
    );
  });

  test("a dictionary of one long text, used a hundred thousand times", async () => {
    const text = new Array<number>(20_000).fill(65);
    const dictionary = dictionaryPage(1, [0x20, 0x4e, 0, 0, ...text]);
    const indices = dataPage(100_000, [1, 0xc0, 0x9a, 0x0c, 0], { encoding: "rleDictionary" });
    const bytes = one(column("byteArray"), 100_000, join(dictionary, indices));
    await refused(bytes, /the values of one row group take more than 1073741824 bytes: raise maxChunkBytes/);
    await expect(fileRows(bytes, { maxChunkBytes: 1e6 })).rejects.toThrow(/more than 1000000 bytes/);
  });

  test("levels, indices and lengths that point nowhere", async () => {
    await refused(one(optional, 4, dataPage(4, [2, 0, 0, 0, 8, 7])), /the number 7 in 1 bits/);
    await refused(
      one(optional, 4, dataPage(4, [200, 0, 0, 0, 8, 1])),
      /values of 200 bytes, where 2 are left/,
    );
    const indices = dataPage(4, [3, 8, 5], { encoding: "rleDictionary" });
    const dictionary = dictionaryPage(2, [1, 0, 0, 0, 2, 0, 0, 0]);
    await refused(
      one(column("int32"), 4, join(dictionary, indices)),
      /the dictionary index 5, in a dictionary of 2/,
    );
    await refused(one(column("int32"), 4, indices), /dictionary indices without a dictionary/);
    await refused(
      one(column("byteArray"), 1, dataPage(1, [255, 255, 255, 255])),
      /a value of 4294967295 bytes, where 0 are left/,
    );
    const deltas = dataPage(4, [128, 1, 0, 4, 0], { encoding: "deltaBinaryPacked" });
    await refused(one(column("int32"), 4, deltas), /blocks of 128 in 0 parts/);
  });

  test("an encrypted file says so", async () => {
    const bytes = new Uint8Array(100);
    bytes.set(new TextEncoder().encode("PARE"), 96);
    await expect(fileRows(bytes)).rejects.toThrow("memory: the file is encrypted");
  });
});
