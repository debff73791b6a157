// Files that DuckDB writes are read as DuckDB reads them: types, nesting, nulls, codecs, versions.

import { afterAll, describe, test } from "vitest";
import { expectRows, fileRows, openDuck, temporaryFolder } from "./support.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const NESTED = `
  SELECT i,
    CASE WHEN i % 7 = 0 THEN NULL ELSE i * 1.5 END AS x,
    CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN [] ELSE range(i % 6) END AS list,
    CASE WHEN i % 11 = 0 THEN NULL ELSE {'a': i, 'b': CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || i END} END AS s,
    CASE WHEN i % 13 = 0 THEN NULL
      ELSE list_transform(range(i % 4), lambda j: CASE WHEN j = 1 THEN NULL ELSE
        {'pt': j + 0.5::FLOAT, 'hits': CASE WHEN j = 2 THEN NULL ELSE range(j) END} END) END AS jets,
    list_transform(range(i % 3), lambda j: list_transform(range(j), lambda k: CASE WHEN k = 0 THEN NULL ELSE [k, NULL] END)) AS deep,
    CASE WHEN i % 6 = 0 THEN NULL ELSE map_from_entries([('k' || i, i), ('l', NULL)]) END AS m,
    {'u': {'v': CASE WHEN i % 2 = 0 THEN NULL ELSE [{'w': i}] END}} AS chain
  FROM range(3000) t(i)`;

const TYPES = `
  SELECT (i % 2 = 0) AS b, i::TINYINT AS i8, (i * 3)::SMALLINT AS i16, (i * 70000)::INTEGER AS i32, i * 10000000000 AS i64,
    i::UTINYINT AS u8, (i * 500)::USMALLINT AS u16, (i * 40000000)::UINTEGER AS u32, (i::UBIGINT * 180000000000000000) AS u64,
    (i / 3)::FLOAT AS f32, i / 7 AS f64, 'é' || repeat('x', i) AS text, ('\\x' || lpad(to_hex(i), 2, '0'))::BLOB AS blob,
    DATE '2024-01-01' + i::INTEGER AS d, TIME '01:02:03.5' + INTERVAL (i) MINUTE AS tm, TIMESTAMP '2024-01-01 00:00:00.25' + INTERVAL (i) DAY AS ts,
    (TIMESTAMP '1969-12-31 23:59:59.123456789'::TIMESTAMP_NS) AS ns, (TIMESTAMP '1999-01-01')::TIMESTAMP_MS AS ms,
    (i - 50)::DECIMAL(4, 1) AS d4, (i - 50)::DECIMAL(9, 2) AS d9, ((i - 50) * 12345678901)::DECIMAL(18, 3) AS d18,
    uuid() AS id, CASE WHEN i % 2 = 0 THEN 'no'::ENUM('no', 'yes') ELSE 'yes'::ENUM('no', 'yes') END AS e
  FROM range(100) t(i)`;

describe.skipIf(typeof duck === "string")(
  `DuckDB writes, we read${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { run, rows } = duck as Exclude<typeof duck, string>;

    const compare = async (name: string, query: string, options = ""): Promise<void> => {
      const path = folder.path(`${name}.parquet`);
      await run(`COPY (${query}) TO '${path}' (FORMAT parquet${options})`);
      expectRows(await fileRows(path), await rows(`SELECT * FROM '${path}'`));
    };

    test.each(["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])(
      "nested data, %s",
      async (codec) => {
        await compare(`nested-${codec}`, NESTED, `, CODEC ${codec}`);
      },
    );

    test.each(["V1", "V2"])("every type, PARQUET_VERSION %s", async (version) => {
      await compare(`types-${version}`, TYPES, `, PARQUET_VERSION ${version}`);
    });

    test.each(["V1", "V2"])("nested data in small row groups, PARQUET_VERSION %s", async (version) => {
      await compare(`groups-${version}`, NESTED, `, PARQUET_VERSION ${version}, ROW_GROUP_SIZE 2048`);
    });

    test.each(["V1", "V2"])("dictionaries and runs, PARQUET_VERSION %s", async (version) => {
      const query = `SELECT 'name ' || (i % 10) AS name, (i % 7)::INTEGER AS k, i // 100 AS run, (i % 3)::DOUBLE AS x,
      i % 2 = 0 AS b, CASE WHEN i % 9 = 0 THEN NULL ELSE ['a', 'b' || (i % 4)] END AS tags FROM range(5000) t(i)`;
      await compare(`dictionary-${version}`, query, `, PARQUET_VERSION ${version}`);
    });

    test("nothing but nulls, and no rows", async () => {
      await compare(
        "nulls",
        "SELECT NULL::INTEGER AS a, NULL::VARCHAR AS b, NULL::INTEGER[] AS c FROM range(100)",
      );
      await compare("empty", "SELECT 1 AS a, [1] AS b WHERE false");
    });

    test("NaN, infinities, zeros, extremes of integers", async () => {
      await compare(
        "extremes",
        `SELECT * FROM (VALUES ('nan'::DOUBLE, (-9223372036854775807 - 1)::BIGINT, 0::UBIGINT), ('-inf', 9223372036854775807, 18446744073709551615), (-0.0, NULL, 1)) t(f, i, u)`,
        ", PARQUET_VERSION V2",
      );
    });
  },
);
