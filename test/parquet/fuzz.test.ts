// Random nested tables: what we write we read, what we write DuckDB reads, what DuckDB writes we read.

import fc from "fast-check";
import { afterAll, describe, test } from "vitest";
import { MemoryStore } from "../../src/storage/memoryStore.ts";
import { type WriteOptions, writeParquet } from "../../src/storage/parquet/index.ts";
import { expectRows, fileRows, openDuck, rowsOf, temporaryFolder } from "./support.ts";
import { anyTable, structFrom, type Table } from "./tables.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const anyOptions: fc.Arbitrary<WriteOptions> = fc.record({
  codec: fc.constantFrom("none", "snappy", "gzip", "zstd", "brotli", "lz4raw"),
  rowGroupRows: fc.constantFrom(1, 7, 1000),
  pageSize: fc.constantFrom(64, 200, 100_000),
  dictionary: fc.boolean(),
  pageVersion: fc.constantFrom(1, 2),
});

async function written(table: Table, options: WriteOptions, cuts: number): Promise<Uint8Array> {
  const store = new MemoryStore();
  const size = Math.max(1, Math.ceil(table.rows.length / cuts));
  const parts = [];
  for (let from = 0; from < table.rows.length; from += size)
    parts.push(structFrom(table.fields, table.rows.slice(from, from + size)));
  await writeParquet({ store, key: "/t.parquet" }, table.fields, parts, options);
  return (await store.get("/t.parquet"))!;
}

test("plain values become columns and are the same again", () => {
  fc.assert(
    fc.property(anyTable(20), ({ fields, rows }) => expectRows(rowsOf(structFrom(fields, rows)), rows)),
    { numRuns: 100 },
  );
});

test("what we write we read, whatever the options", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyTable(40),
      anyOptions,
      fc.integer({ min: 1, max: 3 }),
      async (table, options, cuts) => {
        expectRows(await fileRows(await written(table, options, cuts)), table.rows);
      },
    ),
    { numRuns: 200 },
  );
});

describe.skipIf(typeof duck === "string")(
  `with DuckDB${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { run, rows } = duck as Exclude<typeof duck, string>;
    let count = 0;

    const onDisk = async (table: Table, options: WriteOptions): Promise<string> => {
      const path = folder.path(`ours-${count++}.parquet`);
      await writeParquet(path, table.fields, [structFrom(table.fields, table.rows)], options);
      return path;
    };

    test("what we write DuckDB reads", async () => {
      await fc.assert(
        fc.asyncProperty(anyTable(30), anyOptions, async (table, options) => {
          const path = await onDisk(table, options);
          expectRows(await rows(`SELECT * FROM '${path}'`), table.rows);
        }),
        { numRuns: 120 },
      );
    });

    test("what DuckDB writes we read", async () => {
      const codecs = fc.constantFrom("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw");
      await fc.assert(
        fc.asyncProperty(anyTable(30), codecs, fc.constantFrom("V1", "V2"), async (table, codec, version) => {
          const path = await onDisk(table, { codec: "none" });
          const copy = folder.path(`theirs-${count++}.parquet`);
          await run(
            `COPY (SELECT * FROM '${path}') TO '${copy}' (FORMAT parquet, CODEC ${codec}, PARQUET_VERSION ${version})`,
          );
          // DuckDB's dictionaries hold one zero for both; so what it reads is asked for, and not what was written.
          expectRows(await fileRows(copy), await rows(`SELECT * FROM '${copy}'`));
        }),
        { numRuns: 120 },
      );
    });
  },
);
