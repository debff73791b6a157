// Columns as layouts and back: the form of a layout is the form of its schema, values stay, and a written layout is read
// as it was.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formOf,
  fromIter,
  type Layout,
  sameForm,
  toList,
  typeText,
  validate,
} from "../../src/ragged/index.ts";
import { columnOfLayout, formOfSchema, layoutOfColumn } from "../../src/ragged/parquet.ts";
import { MemoryStore } from "../../src/storage/index.ts";
import {
  type Field,
  memoryFile,
  ParquetFile,
  type StructColumn,
  writeParquet,
} from "../../src/storage/parquet/index.ts";
import { expectRows, rowsOf } from "./support.ts";
import { anyTable, structFrom } from "./tables.ts";

async function fileOf(fields: readonly Field[], column: StructColumn): Promise<ParquetFile> {
  const store = new MemoryStore();
  await writeParquet({ store, key: "/t" }, fields, [column]);
  return ParquetFile.open(memoryFile((await store.get("/t"))!));
}

async function layoutsOf(file: ParquetFile): Promise<Layout[]> {
  const layouts: Layout[] = [];
  for (const { index } of file.rowGroups) layouts.push(layoutOfColumn(await file.read(index), file.schema));
  return layouts;
}

test("the form of a layout is that of its schema; written again it is the same", async () => {
  await fc.assert(
    fc.asyncProperty(anyTable(20), async ({ fields, rows }) => {
      const file = await fileOf(fields, structFrom(fields, rows));
      for (const layout of await layoutsOf(file)) {
        validate(layout);
        expect(sameForm(formOf(layout), formOfSchema(file.schema))).toBe(true);
        expect(toList(layout).length).toBe(rows.length);
        const again = columnOfLayout(layout);
        expectRows(rowsOf(again.column), rows);
        const copy = await fileOf(again.fields, again.column);
        expectRows(rowsOf(await copy.read(0)), rows);
      }
    }),
    { numRuns: 100 },
  );
});

describe("layouts made of lists", () => {
  test.each([
    [
      "jets",
      [
        {
          jets: [
            { pt: 1.5, tag: "a" },
            { pt: 2, tag: "b" },
          ],
        },
        { jets: [] },
      ],
    ],
    [
      "nulls everywhere",
      [
        { a: null, b: [1, null] },
        { a: { x: 1 }, b: null },
        { a: { x: null }, b: [] },
      ],
    ],
    ["deep", [{ l: [[[1], []], []] }, { l: [] }, { l: [[[2, 3]]] }]],
    [
      "texts and booleans",
      [
        { s: "ü", b: true },
        { s: null, b: null },
      ],
    ],
  ])("%s", async (_, rows) => {
    const { fields, column } = columnOfLayout(fromIter(rows));
    const [layout] = await layoutsOf(await fileOf(fields, column));
    expect(toList(layout!)).toEqual(rows);
  });

  test("types as text", async () => {
    const { fields, column } = columnOfLayout(
      fromIter([
        { jets: [{ pt: 1.5 }], met: 2.5, n: null },
        { jets: [], met: 1, n: 3n },
      ]),
    );
    const file = await fileOf(fields, column);
    expect(typeText(formOfSchema(file.schema))).toBe("{jets: var * {pt: float64}, met: float64, n: ?int64}");
    const met = new Set(file.leavesAt("met").map((leaf) => leaf.leaf));
    expect(typeText(formOfSchema(file.schema, met))).toBe("{met: float64}");
  });

  test("only the offsets of a list", async () => {
    const { fields, column } = columnOfLayout(
      fromIter([
        { jets: [{ pt: 1 }, { pt: 2 }], met: 1 },
        { jets: [], met: 2 },
      ]),
    );
    const file = await fileOf(fields, column);
    const leaf = file.leavesAt("jets.pt")[0]!.leaf;
    const layout = layoutOfColumn(await file.read(0, { leaves: [], shapesOnly: [leaf] }), file.schema);
    validate(layout);
    expect(toList(layout)).toEqual([{ jets: [{}, {}] }, { jets: [] }]);
  });

  test("what Parquet cannot hold", () => {
    expect(() => columnOfLayout(fromIter([1, 2]))).toThrow(
      "Parquet holds tables, and this is an array of numpy",
    );
    expect(() => columnOfLayout(fromIter([{ x: 1 }, { x: "a" }]))).toThrow(
      "x is a union, which Parquet cannot hold",
    );
  });
});
