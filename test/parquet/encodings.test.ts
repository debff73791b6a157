// Encodings that writers use rarely, and spellings of lists that they used long ago: files put together by hand, with the
// bytes that the format's description gives; and which encodings DuckDB's files really have.

import { afterAll, describe, expect, test } from "vitest";
import { crc32 } from "../../src/storage/codecs/wasm.ts";
import { memoryFile, ParquetFile } from "../../src/storage/parquet/index.ts";
import { i32, Struct } from "../../src/storage/parquet/thrift.ts";
import { column, dataPage, type Element, fileOf, type PageOptions, root } from "./handmade.ts";
import { expectRows, fileRows, openDuck, parquetRows, temporaryFolder } from "./support.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

const bytesOf = (data: ArrayBufferView): number[] => [
  ...new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
];

async function valuesOf(
  type: Element,
  count: number,
  body: readonly number[],
  options: PageOptions,
): Promise<unknown[]> {
  const rows = await fileRows(fileOf([root(1), type], count, count, dataPage(count, body, options)));
  return rows.map((row) => row["x"]);
}

describe("values", () => {
  test("differences of integers, as in the format's example", async () => {
    // Blocks of 128 in 4 parts; 5 values; the first 7; then -2 least, widths 2 0 0 0: 7 5 3 1 2 3 4 5.
    const packed = [0b11000000, 0b00111111, 0, 0, 0, 0, 0, 0];
    const body = [128, 1, 4, 8, 14, 3, 2, 0, 0, 0, ...packed];
    const found = await valuesOf(column("int32"), 8, body, { encoding: "deltaBinaryPacked" });
    expect(found).toEqual([7, 5, 3, 1, 2, 3, 4, 5]);
    const wide = await valuesOf(column("int64"), 8, body, { encoding: "deltaBinaryPacked" });
    expect(wide).toEqual([7n, 5n, 3n, 1n, 2n, 3n, 4n, 5n]);
  });

  test("lengths and differences of texts", async () => {
    const text = column("byteArray", { converted: 0 });
    // Lengths 5 5 6 6 (first 5, least 0, one bit each: 0 1 0).
    const lengths = [128, 1, 4, 4, 10, 0, 1, 0, 0, 0, 0b010, 0, 0, 0];
    const words = [..."HelloWorldFoobarABCDEF"].map((c) => c.charCodeAt(0));
    expect(await valuesOf(text, 4, [...lengths, ...words], { encoding: "deltaLengthByteArray" })).toEqual([
      "Hello",
      "World",
      "Foobar",
      "ABCDEF",
    ]);
    // Shared 0 2 (difference 2), added 4 3 (difference -1).
    const shared = [128, 1, 4, 2, 0, 4, 0, 0, 0, 0];
    const added = [128, 1, 4, 2, 8, 1, 0, 0, 0, 0];
    const suffixes = [..."axislex"].map((c) => c.charCodeAt(0));
    expect(
      await valuesOf(text, 2, [...shared, ...added, ...suffixes], { encoding: "deltaByteArray" }),
    ).toEqual(["axis", "axlex"]);
  });

  test("streams of bytes", async () => {
    const values = Float32Array.of(1.5, -2.25, 1e10);
    const bytes = bytesOf(values);
    const split = [0, 1, 2, 3].flatMap((byte) => [0, 1, 2].map((i) => bytes[4 * i + byte]!));
    expect(await valuesOf(column("float"), 3, split, { encoding: "byteStreamSplit" })).toEqual([...values]);
    const fixed = column("fixed", { length: 3 });
    expect(await valuesOf(fixed, 2, [1, 4, 2, 5, 3, 6], { encoding: "byteStreamSplit" })).toEqual([
      "010203",
      "040506",
    ]);
  });

  test("runs of booleans", async () => {
    const body = [4, 0, 0, 0, 10, 1, 3, 0b01010101];
    const expected = [true, true, true, true, true, true, false, true, false, true, false, true, false];
    expect(await valuesOf(column("boolean"), 13, body, { encoding: "rle" })).toEqual(expected);
  });

  test("times of 96 bits", async () => {
    const times = new DataView(new ArrayBuffer(24));
    times.setBigInt64(0, 1_500n, true);
    times.setInt32(8, 2440588, true);
    times.setBigInt64(12, 0n, true);
    times.setInt32(20, 2440587, true);
    expect(await valuesOf(column("int96"), 2, bytesOf(times), {})).toEqual([1500n, -86_400_000_000_000n]);
  });

  test("decimals in bytes, half floats, unsigned and short integers, times of a day", async () => {
    const decimal = { converted: 5, logical: new Struct([5, new Struct([1, i32(2)], [2, i32(9)])]) };
    expect(
      await valuesOf(column("fixed", { length: 3, ...decimal }), 2, [0xff, 0xff, 0xfe, 0, 1, 0], {}),
    ).toEqual([-2n, 256n]);
    expect(await valuesOf(column("byteArray", decimal), 2, [1, 0, 0, 0, 0x80, 2, 0, 0, 0, 1, 0], {})).toEqual(
      [-128n, 256n],
    );
    const half = column("fixed", { length: 2, logical: new Struct([15, new Struct()]) });
    expect(await valuesOf(half, 3, [0, 0x3c, 0, 0xc0, 1, 0], {})).toEqual([1, -2, 2 ** -24]);
    expect(await valuesOf(column("int32", { converted: 13 }), 1, [255, 255, 255, 255], {})).toEqual([
      4294967295,
    ]);
    expect(await valuesOf(column("int32", { converted: 15 }), 1, [0x80, 0xff, 0xff, 0xff], {})).toEqual([
      -128,
    ]);
    expect(await valuesOf(column("int32", { converted: 7 }), 1, [10, 0, 0, 0], {})).toEqual([10_000n]);
  });

  test("levels packed with the highest bit first", async () => {
    const optional = column("int32", { repetition: 1 });
    const body = [0b10100000, ...bytesOf(Int32Array.of(7, 9))];
    expect(await valuesOf(optional, 4, body, { levels: "bitPacked" })).toEqual([7, null, 9, null]);
  });

  test("a checksum that is right, and one that is not", async () => {
    const body = bytesOf(Int32Array.of(1, 2));
    expect(await valuesOf(column("int32"), 2, body, { crc: crc32(Uint8Array.from(body)) })).toEqual([1, 2]);
    const wrong = valuesOf(column("int32"), 2, body, { crc: crc32(Uint8Array.from(body)) ^ 1 });
    await expect(wrong).rejects.toThrow(/memory, row group 0, column x: a page's crc32 is 0x[0-9a-f]+, and/);
  });
});

describe("spellings of lists", () => {
  /** Rows [1, 2], null (where it can be said), [], [3]: the second entry goes on with the first list. */
  const levels = (definitions: readonly number[], width: number): number[] => {
    const packed = definitions.reduce((sum, level, i) => sum + level * 2 ** (width * i), 0);
    const bytes = [3, ...Array.from({ length: width }, (_, i) => Math.floor(packed / 256 ** i) % 256)];
    const repeated = [3, 0b00010];
    return [repeated.length, 0, 0, 0, ...repeated, bytes.length, 0, 0, 0, ...bytes];
  };
  const VALUES = bytesOf(Int32Array.of(1, 2, 3));
  const LIST = 3;

  const read = async (
    elements: readonly Element[],
    definitions: readonly number[],
    width: number,
  ): Promise<unknown[]> => {
    const page = dataPage(5, [...levels(definitions, width), ...VALUES]);
    const file = await ParquetFile.open(memoryFile(fileOf([root(1), ...elements], 4, 5, page)));
    expect(file.schema.leaves.map((leaf) => leaf.leaf)).toEqual([0]);
    return (await parquetRows(file)).map((row) => row["x"]);
  };
  const optionalList: Element = { name: "x", repetition: 1, children: 1, converted: LIST };
  const leaf = (name: string, repetition: 0 | 1 | 2): Element => ({ name, repetition, type: "int32" });
  const repeatedGroup = (name: string): Element => ({ name, repetition: 2, children: 1 });

  test.each(["element", "item", "array_element", "array"])("three levels: list.%s", async (name) => {
    const elements = [optionalList, repeatedGroup("list"), leaf(name, 1)];
    expect(await read(elements, [3, 3, 0, 1, 3], 2)).toEqual([[1, 2], null, [], [3]]);
  });

  test("three levels: bag.array_element, with elements that are not null", async () => {
    const elements = [optionalList, repeatedGroup("bag"), leaf("array_element", 0)];
    expect(await read(elements, [2, 2, 0, 1, 2], 2)).toEqual([[1, 2], null, [], [3]]);
  });

  test.each(["array", "element"])("two levels: a repeated leaf %s", async (name) => {
    expect(await read([optionalList, leaf(name, 2)], [2, 2, 0, 1, 2], 2)).toEqual([[1, 2], null, [], [3]]);
  });

  test.each(["array", "x_tuple"])(
    "two levels: a repeated group %s of one field is a struct",
    async (name) => {
      const elements = [optionalList, repeatedGroup(name), leaf("a", 0)];
      expect(await read(elements, [2, 2, 0, 1, 2], 2)).toEqual([[{ a: 1 }, { a: 2 }], null, [], [{ a: 3 }]]);
    },
  );

  test("a bare repeated leaf", async () => {
    expect(await read([leaf("x", 2)], [1, 1, 0, 0, 1], 1)).toEqual([[1, 2], [], [], [3]]);
  });

  test("a bare repeated group", async () => {
    expect(await read([repeatedGroup("x"), leaf("a", 0)], [1, 1, 0, 0, 1], 1)).toEqual([
      [{ a: 1 }, { a: 2 }],
      [],
      [],
      [{ a: 3 }],
    ]);
  });

  test("a map in the older spelling", async () => {
    const elements: Element[] = [
      { name: "x", repetition: 1, children: 1, converted: 2 },
      { name: "map", repetition: 2, children: 1 },
      leaf("key", 0),
    ];
    expect(await read(elements, [2, 2, 0, 1, 2], 2)).toEqual([
      [{ key: 1 }, { key: 2 }],
      null,
      [],
      [{ key: 3 }],
    ]);
  });
});

describe.skipIf(typeof duck === "string")(
  `DuckDB's encodings${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { run, rows } = duck as Exclude<typeof duck, string>;

    test("all that it writes are read", async () => {
      const path = folder.path("v2.parquet");
      const query = `SELECT (i * 7919 % 10007)::INTEGER AS i32, (i * 7919)::BIGINT * 1000003 AS i64, sin(i)::FLOAT AS f, cos(i) AS d,
      'text ' || i AS s, 'few ' || (i % 5) AS few, i % 3 = 0 AS b FROM range(20000) t(i)`;
      await run(`COPY (${query}) TO '${path}' (FORMAT parquet, PARQUET_VERSION V2)`);
      const used = await rows(
        `SELECT DISTINCT unnest(string_split(encodings, ', ')) AS e FROM parquet_metadata('${path}') ORDER BY e`,
      );
      expect(used.map((row) => row["e"])).toEqual([
        "BYTE_STREAM_SPLIT",
        "DELTA_BINARY_PACKED",
        "DELTA_LENGTH_BYTE_ARRAY",
        "PLAIN",
        "RLE_DICTIONARY",
      ]);
      expectRows(await fileRows(path), await rows(`SELECT * FROM '${path}'`));
    });
  },
);
