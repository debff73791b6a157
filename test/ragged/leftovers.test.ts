// Logical types that no number is, sums of wide decimals, complex order, and indexes of several axes.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { afterAll, describe, expect, test } from "vitest";
import { parseElementType } from "../../src/core/form/parseType.ts";
import { typeText } from "../../src/core/form/typeText.ts";
import { textOfGeometry } from "../../src/core/form/wellKnown.ts";
import { writeParquet } from "../../src/storage/parquet/index.ts";
import { openDuck, temporaryFolder } from "../parquet/support.ts";

const duck = await openDuck();
const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("geometries", () => {
  const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

  test.each([
    ["0101000000000000000000f03f0000000000000040", "POINT (1 2)"],
    ["00000000013ff00000000000004000000000000000", "POINT (1 2)"],
    ["01e9030000000000000000f03f00000000000000400000000000000840", "POINT Z (1 2 3)"],
    ["0101000020e6100000000000000000f03f0000000000000040", "POINT (1 2)"],
    ["0101000000000000000000f87f000000000000f87f", "POINT EMPTY"],
    ["010200000000000000", "LINESTRING EMPTY"],
    [`010200000002000000${"00".repeat(16)}${"000000000000f03f".repeat(2)}`, "LINESTRING (0 0, 1 1)"],
  ])("%s", (hex, text) => {
    expect(textOfGeometry(bytes(hex))).toBe(text);
  });

  test.each(["", "01", "0109000000", "010200000002000000", "0102000000ffffffff", "0107000000ffffff7f"])(
    "no geometry: %j",
    (hex) => {
      expect(textOfGeometry(bytes(hex))).toBeNull();
    },
  );

  test.each([null, "EPSG:4326"])("types are kept by files, crs %j", async (crs) => {
    const point = bytes("0101000000000000000000f03f0000000000000040");
    for (const kind of ["geometry", "geography"] as const) {
      const type = { physical: "byteArray", length: 0, logical: { kind, crs } } as const;
      const values = {
        kind: "bytes",
        offsets: Int32Array.of(0, point.length, point.length),
        data: point,
      } as const;
      const shape = { kind: "leaf", type, length: 2, validity: Uint8Array.of(1, 0), values } as const;
      const table = { kind: "struct", length: 2, validity: null, names: ["shape"], fields: [shape] } as const;
      const path = folder.path("shapes.parquet");
      await writeParquet(path, [{ kind: "leaf", name: "shape", nullable: true, type }], [table]);
      const shapes = await (await rg.fromParquet(path)).field("shape").compute();
      const text = `${kind}${crs === null ? "" : `["${crs}"]`}`;
      expect(shapes.type).toBe(`2 * ?${text}`);
      expect(shapes.toList()).toEqual(["POINT (1 2)", null]);
      await rg.toParquet(rg.zip({ shape: shapes }, { depthLimit: 1 }), path);
      expect((await rg.fromParquet(path)).field("shape").type).toBe(`2 * ?${text}`);
      expect(typeText(parseElementType(`var * ?${text}`))).toBe(`var * ?${text}`);
    }
  });
});

describe.skipIf(typeof duck === "string")(
  `of DuckDB${typeof duck === "string" ? ` (skipped: ${duck})` : ""}`,
  () => {
    const { run, rows } = duck as Exclude<typeof duck, string>;

    test("sums of decimals of more than 18 digits", async () => {
      const path = folder.path("wide.parquet");
      const value = "((i - 40) * 1234567890123456789012)::DECIMAL(38, 4) / 1";
      await run(
        `COPY (SELECT i % 7 AS k, CASE WHEN i % 9 = 0 THEN NULL ELSE ((i - 40)::DECIMAL(38, 4) * 1234567890123456789012) END::DECIMAL(38, 4) AS d FROM range(100) t(i)) TO '${path}' (FORMAT parquet)`,
      );
      expect(value).toContain("DECIMAL");
      const d = (await rg.fromParquet(path)).field("d");
      const [{ s } = { s: 0n }] = await rows(`SELECT sum(d)::VARCHAR AS s FROM '${path}'`);
      expect(String(await d.sum().compute())).toBe(s);
      const data = await d.compute();
      expect(String(data.sum())).toBe(s);
      expect(rg.sum(rg.unflatten(data, 50), { axis: 1 }).type).toBe("2 * decimal(38, 4)");
      const three = rg.repartition(rg.lazy(data), { npartitions: 3 });
      expect(String(await three.sum().compute())).toBe(s);
    });

    test.each(["", ", SHREDDING {'v': 'STRUCT(a BIGINT, b VARCHAR)'}"])("variants%s", async (options) => {
      const path = folder.path("variant.parquet");
      const query = `SELECT CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN 42::VARIANT WHEN 2 THEN 'text'::VARIANT
      WHEN 3 THEN {'a': i, 'b': 'x' || i}::VARIANT WHEN 4 THEN [1, 2, i]::VARIANT ELSE {'a': 1.5, 'c': [{'d': true}]}::VARIANT END AS v
      FROM range(12) t(i)`;
      await run(`COPY (${query}) TO '${path}' (FORMAT parquet${options})`);
      const v = await (await rg.fromParquet(path)).field("v").compute();
      expect(v.type).toBe("12 * ?variant");
      const found = v.toList();
      const expected = Array.from(
        { length: 12 },
        (_, i) => [null, 42, "text", { a: i, b: `x${i}` }, [1, 2, i], { a: 1.5, c: [{ d: true }] }][i % 6],
      );
      expect(found).toEqual(expected);
    });
  },
);

describe("complex numbers have an order", () => {
  const z = rg.unflatten(
    rg.fromNumpy(
      new cw.NDArray(Float64Array.of(2, 1, 1, 5, 1, -5, Number.NaN, 0, 3, 0, -1, 2), [6], "complex128"),
    ),
    [4, 2],
  );
  const shown = (x: rg.RaggedArray): string =>
    JSON.stringify(x.toList().map((row) => (row as unknown[]).map(String)));

  test("as NumPy has it: real parts, then imaginary ones, NaN last", () => {
    expect((rg.argsort(z) as rg.RaggedArray).toList()).toEqual([
      [2, 1, 0, 3],
      [1, 0],
    ]);
    expect((rg.argsort(z, { ascending: false }) as rg.RaggedArray).toList()).toEqual([
      [0, 1, 2, 3],
      [0, 1],
    ]);
    expect(shown(rg.sort(z) as rg.RaggedArray)).toBe(shown(z.get(rg.argsort(z)) as rg.RaggedArray));
  });
});

describe("dense indexes of several axes", () => {
  const x = rg.fromIter([[1], [2, 2], [], [4]]);
  const places = new cw.NDArray(Int32Array.of(3, 0, 1, 1, -1, 2), [3, 2]);

  test("places give rows in the shape of the index", async () => {
    const expected = [
      [[4], [1]],
      [
        [2, 2],
        [2, 2],
      ],
      [[4], []],
    ];
    expect((x.get(places) as rg.RaggedArray).toList()).toEqual(expected);
    expect((await (rg.lazy(x, { npartitions: 2 }).get(places) as rg.LazyRagged).compute()).toList()).toEqual(
      expected,
    );
    const deep = new cw.NDArray(Int32Array.of(3, 0, 1, 1), [1, 2, 2]);
    expect((x.get(deep) as rg.RaggedArray).toList()).toEqual([
      [
        [[4], [1]],
        [
          [2, 2],
          [2, 2],
        ],
      ],
    ]);
  });

  test("bools give elements, one after another", () => {
    const grid = rg.fromNumpy(new cw.NDArray(Float64Array.of(1, 2, 3, 4, 5, 6), [2, 3]));
    const mask = new cw.NDArray(Uint8Array.of(0, 1, 1, 0, 0, 1), [2, 3], "bool");
    expect((grid.get(mask) as rg.RaggedArray).toList()).toEqual([2, 3, 6]);
    expect(() => x.get(new cw.NDArray(Uint8Array.of(1, 0, 0, 1), [4, 1], "bool"))).toThrow(
      /not equally long/,
    );
  });

  test("where it cannot be", () => {
    expect(() => x.get(":", places)).toThrow(/an index of 2 axes is item 1/);
    expect(() => x.get(places, [0, 1])).toThrow(/Put it first/);
  });
});
