// Sources: what is read is the narrowed form and nothing else; memory and Parquet agree on every need; a location opens
// the same source; bytes are counted.

import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Form } from "../../src/core/form/form.ts";
import {
  ABSENT,
  closed,
  everything,
  type Level,
  NEEDED,
  type Need,
  narrowed,
  nodesOf,
  PRESENT,
} from "../../src/core/form/form.ts";
import { formText } from "../../src/core/form/formJson.ts";
import { formOf, fromIter, type Layout, toList, validate } from "../../src/ragged/index.ts";
import { columnOfLayout } from "../../src/ragged/parquet.ts";
import { jsonLinesFormat, parquetFormat } from "../../src/ragged/sources/formats.ts";
import { MemorySource } from "../../src/ragged/sources/memorySource.ts";
import { openSource } from "../../src/ragged/sources/open.ts";
import { openParquet, type ParquetSource } from "../../src/ragged/sources/parquetSource.ts";
import {
  childrenThere,
  flattened,
  formThere,
  type Numbered,
  numbered,
} from "../../src/ragged/sources/source.ts";
import { zerosOf } from "../../src/ragged/sources/zeros.ts";
import { FormatTable } from "../../src/storage/formats/table.ts";
import { MemoryStore } from "../../src/storage/index.ts";
import {
  type ByteFile,
  type Field,
  memoryFile,
  type StructColumn,
  type WriteOptions,
  writeParquet,
} from "../../src/storage/parquet/index.ts";
import { openDuck, temporaryFolder } from "../parquet/support.ts";
import { anyTable, structFrom } from "../parquet/tables.ts";
import { anything, disguised } from "./arbitrary.ts";

const FORMATS = new FormatTable([parquetFormat, jsonLinesFormat]);
const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Any closed need of a form. */
const needOf = (form: Form, levels: readonly number[]): Need =>
  closed(
    form,
    nodesOf(form).map((_, i) => (levels[i % levels.length] ?? 0) as Level),
  );

const anyLevels = fc.array(fc.constantFrom<number>(ABSENT, ABSENT, PRESENT, NEEDED), {
  minLength: 1,
  maxLength: 40,
});

/** The need of the columns at these paths, and of what is above them. */
function needAt(form: Form, paths: { readonly [path: string]: Level }): Need {
  const nodes = flattened(numbered(form));
  const isHolder = ({ form: { kind } }: { form: Form }): boolean =>
    kind !== "record" && kind !== "byteMasked";
  return closed(
    form,
    nodes.map((node) => (isHolder(node) ? (paths[node.path] ?? ABSENT) : ABSENT)),
  );
}

async function fileOf(
  fields: readonly Field[],
  parts: readonly StructColumn[],
  options: WriteOptions = {},
): Promise<Uint8Array> {
  const store = new MemoryStore();
  await writeParquet({ store, key: "/t" }, fields, parts, options);
  return (await store.get("/t"))!;
}

const parquetOf = async (rows: readonly object[], options: WriteOptions = {}): Promise<Uint8Array> => {
  const { fields, column } = columnOfLayout(fromIter(rows));
  return fileOf(fields, [column], options);
};

describe("every need", () => {
  test("memory: the narrowed form, the needed values, zeros for the rest", () => {
    fc.assert(
      fc.property(anything, fc.array(fc.nat(3)), anyLevels, (rows, bits, levels) => {
        const layout = disguised(fromIter(rows), bits);
        const source = new MemorySource([layout]);
        const need = needOf(source.form, levels);
        const part = source.read(0, need);
        validate(part);
        expect(formText(formOf(part))).toBe(formText(narrowed(source.form, need)));
        expect(part.length).toBe(rows.length);
        expect(source.bytesOf(0, need)).toBeLessThanOrEqual(source.bytesOf(0, everything(source.form)));
        const whole = source.read(0, everything(source.form));
        expect(whole).toBe(layout);
      }),
      { numRuns: 300 },
    );
  });

  test("memory: values against a walk over plain values", () => {
    const expected = (node: Numbered, need: Need, value: unknown): unknown => {
      if (need[node.at] !== NEEDED) return toList(zerosOf(formThere(node, need), 1))[0];
      const [child] = node.children;
      if (node.form.kind === "record")
        return Object.fromEntries(
          childrenThere(node, need).map((field) => {
            const name = node.form.kind === "record" ? node.form.fields![node.children.indexOf(field)]! : "";
            return [name, expected(field, need, (value as { [name: string]: unknown })[name])];
          }),
        );
      if (node.form.kind === "indexedOption") return value === null ? null : expected(child!, need, value);
      return Array.isArray(value) ? value.map((item) => expected(child!, need, item)) : value;
    };
    fc.assert(
      fc.property(anything, anyLevels, (rows, levels) => {
        const source = new MemorySource([fromIter(rows)]);
        if (nodesOf(source.form).some(({ kind }) => kind === "union" || kind === "empty")) return;
        const need = needOf(source.form, levels);
        const tree = numbered(source.form);
        const values = toList(source.layouts[0]!).map((value) => expected(tree, need, value));
        expect(toList(source.read(0, need))).toEqual(values);
      }),
      { numRuns: 300 },
    );
  });

  test("parquet: as memory, for any schema, however row groups are joined", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTable(12),
        anyLevels,
        fc.integer({ min: 1, max: 3 }),
        async (table, levels, joined) => {
          const { fields, rows } = table;
          const bytes = await fileOf(fields, [structFrom(fields, rows)], { rowGroupRows: 3 });
          const source = await openParquet(memoryFile(bytes), { rowGroupsPerPartition: joined });
          expect(source.rows.reduce((a, b) => a + b)).toBe(rows.length);
          const all = await readAll(source, everything(source.form));
          const memory = new MemorySource(all);
          expect(memory.rows).toEqual(source.rows);
          expect(formText(memory.form)).toBe(formText(source.form));
          const need = needOf(source.form, levels);
          const parts = await readAll(source, need);
          parts.forEach((part, i) => {
            validate(part);
            expect(formText(formOf(part))).toBe(formText(narrowed(source.form, need)));
            expect(toList(part)).toEqual(toList(memory.read(i, need)));
          });
        },
      ),
      { numRuns: 150 },
    );
  });

  test("parquet of another writer, leaf by leaf", async (context) => {
    const duck = await openDuck();
    if (typeof duck === "string") return context.skip(duck);
    const path = folder.path("duck.parquet");
    await duck.run(`copy (select i, [{a: i, b: [i::varchar, null]}, null] as l, {x: i, y: {z: [i]}} as s,
      map {i: [i]} as m, case when i % 3 = 0 then null else 'text' || i end as t from range(100) r(i))
      to '${path}' (format parquet, row_group_size 2048)`);
    const source = await openParquet(path);
    const memory = new MemorySource(await readAll(source, everything(source.form)));
    for (const [at] of nodesOf(source.form).entries())
      for (const level of [PRESENT, NEEDED] as const) {
        const need = needOf(
          source.form,
          nodesOf(source.form).map((_, i) => (i === at ? level : ABSENT)),
        );
        const part = await source.read(0, need);
        expect(formText(formOf(part))).toBe(formText(narrowed(source.form, need)));
        expect(toList(part)).toEqual(toList(memory.read(0, need)));
        if (level === PRESENT) expect(source.touched(need)).toEqual([]);
      }
  });

  test("a need by hand", async () => {
    const rows = [
      {
        met: 1.5,
        jets: [
          { pt: 1, eta: null },
          { pt: 2, eta: 3 },
        ],
        name: "a",
      },
      { met: 2.5, jets: [], name: "b" },
    ];
    for (const source of [
      new MemorySource([fromIter(rows)]),
      await openParquet(memoryFile(await parquetOf(rows))),
    ]) {
      const read = async (paths: { readonly [path: string]: Level }) =>
        toList(await source.read(0, needAt(source.form, paths)));
      expect(await read({ met: 2 })).toEqual([{ met: 1.5 }, { met: 2.5 }]);
      expect(await read({ met: 1, name: 1 })).toEqual([
        { met: 0, name: "" },
        { met: 0, name: "" },
      ]);
      expect(await read({ jets: 2 })).toEqual([{ jets: [{}, {}] }, { jets: [] }]);
      expect(await read({ jets: 1, "jets.pt": 1 })).toEqual([{ jets: [] }, { jets: [] }]);
      expect(await read({ jets: 2, "jets.pt": 1 })).toEqual([{ jets: [{ pt: 0 }, { pt: 0 }] }, { jets: [] }]);
      expect(await read({ "jets.eta": 2 })).toEqual([{ jets: [{ eta: null }, { eta: 3 }] }, { jets: [] }]);
      expect(await read({})).toEqual([{}, {}]);
    }
  });

  test("nulls alone, without the values", async () => {
    const source = await openParquet(memoryFile(await parquetOf([{ x: 5 }, { x: null }, { x: 7 }])));
    const [record, option, leaf] = nodesOf(source.form).map(({ kind }) => kind);
    expect([record, option, leaf]).toEqual(["record", "byteMasked", "numpy"]);
    expect(toList(await source.read(0, [NEEDED, NEEDED, PRESENT]))).toEqual([
      { x: 0 },
      { x: null },
      { x: 0 },
    ]);
  });

  test("zeros of any form have its length and its form", () => {
    fc.assert(
      fc.property(anything, fc.array(fc.nat(3)), fc.nat(5), (rows, bits, length) => {
        const form = formOf(disguised(fromIter(rows), bits));
        if (rows.length === 0 || JSON.stringify(formText(form)).includes("EmptyArray")) return;
        const zeros = zerosOf(form, length);
        validate(zeros);
        expect(zeros.length).toBe(length);
        expect(formText(formOf(zeros))).toBe(formText(form));
      }),
      { numRuns: 200 },
    );
  });
});

const readAll = async (source: ParquetSource, need: Need): Promise<Layout[]> => {
  const parts: Layout[] = [];
  for (let i = 0; i < source.rows.length; i++) parts.push(await source.read(i, need));
  return parts;
};

describe("what is read", () => {
  const ROWS = Array.from({ length: 300 }, (_, i) => ({
    foo: i,
    bar: { x: Array.from({ length: i % 4 }, (_, j) => i * j), y: Math.sin(i) },
    jets: Array.from({ length: i % 3 }, (_, j) => ({ pt: i + j / 7, flag: true, tracks: [j] })),
  }));
  /** Every read of a file that is far larger than the gaps that are read with their neighbours. */
  function watched(bytes: Uint8Array): { file: ByteFile; reads: [number, number][] } {
    const inner = memoryFile(bytes);
    const reads: [number, number][] = [];
    const file: ByteFile = {
      ...inner,
      async read(offset, length) {
        reads.push([offset, length]);
        return inner.read(offset, length);
      },
    };
    return { file, reads };
  }
  const open = async () => {
    const bytes = await parquetOf(ROWS, { rowGroupRows: 100, codec: "none", dictionary: false });
    const { file, reads } = watched(bytes);
    return { source: await openParquet(file), reads };
  };
  const columnsOf = (source: ParquetSource, need: Need): (string | null)[] =>
    source.touched(need).map((at) => source.costs()[at]!.column);

  test.each<[string, { readonly [path: string]: Level }, string[]]>([
    ["bar.x / foo", { "bar.x": 2, foo: 2 }, ["foo", "bar.x"]],
    ["num(jets): the cheapest leaf", { jets: 2 }, ["jets.flag"]],
    ["a list of which a leaf is read anyway", { jets: 2, "jets.pt": 2 }, ["jets.pt"]],
    ["an inner list serves the outer", { jets: 2, "jets.tracks": 2 }, ["jets.tracks"]],
    ["only there", { jets: 1, "jets.pt": 1, foo: 1 }, []],
  ])("%s", async (_, paths, columns) => {
    const { source, reads } = await open();
    // A list's path is also its items': what is a leaf is needed by its own path only.
    const need = withoutItems(source.form, paths);
    expect(columnsOf(source, need)).toEqual(columns);
    const before = source.bytesRead;
    await source.read(1, need);
    const file = source.dataset.files[0]!;
    const leaves = columns.map((path) => file.leavesAt(path)[0]!.leaf);
    const ranges = file.byteRanges(1, leaves);
    const inside = reads.every(
      ([offset, length]) =>
        ranges.some((range) => range.offset === offset) &&
        ranges.some((range) => range.offset + range.length === offset + length),
    );
    expect(inside).toBe(true);
    const least = ranges.reduce((sum, { length }) => sum + length, 0);
    expect(source.bytesRead - before).toBeGreaterThanOrEqual(least);
    if (columns.length < 2) expect(source.bytesRead - before).toBe(least);
  });

  /** Levels by path; the items of a list at the path are only there. */
  function withoutItems(form: Form, paths: { readonly [path: string]: Level }): Need {
    const nodes = flattened(numbered(form));
    const lists = new Set(
      nodes.filter(({ form: { kind } }) => kind === "listOffset").map(({ path }) => path),
    );
    return closed(
      form,
      nodes.map(({ form: { kind }, path }) => {
        const isItem = lists.has(path) && kind !== "listOffset";
        const isAsked = kind !== "record" && kind !== "byteMasked" && !(isItem && path !== "bar.x");
        return isAsked ? (paths[path] ?? ABSENT) : ABSENT;
      }),
    );
  }

  test("costs say what every column takes", async () => {
    const { source } = await open();
    const costs = source.costs().filter(({ column }) => column !== null);
    expect(costs.map(({ column }) => column)).toEqual([
      ...["foo", "bar.x", "bar.y", "jets.pt", "jets.flag", "jets.tracks"],
    ]);
    for (const { column, bytes } of costs)
      expect(bytes).toBe(source.dataset.leafBytes(source.dataset.files[0]!.leavesAt(column!)[0]!.leaf));
  });

  test("memory is about what is said", async () => {
    const { source } = await open();
    const bytes = source.bytesOf(0, needAt(source.form, { foo: 2 }));
    expect(bytes).toBeGreaterThanOrEqual(800);
    expect(bytes).toBeLessThan(2000);
    expect(source.bytesOf(0, needAt(source.form, {}))).toBe(0);
    const text = "a text that is in a dictionary once";
    const texts = await openParquet(memoryFile(await parquetOf(ROWS.map(() => ({ text })))));
    const said = texts.bytesOf(0, everything(texts.form));
    expect(said).toBeGreaterThan(ROWS.length * text.length);
    expect(said).toBeLessThan(2 * ROWS.length * text.length);
  });
});

describe("partitions, locations, errors", () => {
  const rows = Array.from({ length: 50 }, (_, i) => ({ id: i, met: i / 2, jets: [{ pt: i }] }));
  const write = async (name: string): Promise<string> => {
    const path = folder.path(name);
    writeFileSync(path, await parquetOf(rows, { rowGroupRows: 10 }));
    return path;
  };

  test("row groups, several of them, whole files", async () => {
    const files = [await write("a.parquet"), await write("b.parquet")];
    expect((await openParquet(files)).rows).toEqual(Array.from({ length: 10 }, () => 10));
    expect((await openParquet(files, { rowGroupsPerPartition: 4 })).rows).toEqual([40, 40, 20]);
    expect((await openParquet(files, { rowGroupsPerPartition: "file" })).rows).toEqual([50, 50]);
  });

  test("a filter leaves out row groups", async () => {
    const path = await write("filtered.parquet");
    expect((await openParquet(path, { filter: ["id", "<", 15] })).rows).toEqual([10, 10]);
    const both = await openParquet(path, {
      filter: [
        ["id", ">=", 15],
        ["jets.pt", "<", 25],
      ],
    });
    expect(both.rows).toEqual([10, 10]);
    const none = await openParquet(path, { filter: { column: "id", op: ">", value: 99 } });
    expect(none.rows).toEqual([0]);
    const empty = await none.read(0, everything(none.form));
    expect([toList(empty), formText(formOf(empty))]).toEqual([[], formText(none.form)]);
    expect(none.fingerprint()).not.toBe(both.fingerprint());
  });

  test("a location opens the same source", async () => {
    const path = await write("located.parquet");
    const source = await openParquet(path, { rowGroupsPerPartition: 2, filter: ["id", ">", 5n] });
    const location = structuredClone(source.location()!);
    const again = await openSource(location, FORMATS);
    expect([again.rows, again.fingerprint(), again.name]).toEqual([
      source.rows,
      source.fingerprint(),
      source.name,
    ]);
    const need = everything(source.form);
    expect(toList(await again.read(1, need))).toEqual(toList(await source.read(1, need)));
    writeFileSync(path, await parquetOf([{ id: 9, met: 1, jets: [] }]));
    await expect(openSource(location, FORMATS)).rejects.toThrow(
      "the files have changed since the computation was defined",
    );
    const here = await openParquet(memoryFile(await parquetOf(rows)));
    expect(here.location()).toBe(null);
    await expect(openSource({ format: "memory" }, FORMATS)).rejects.toThrow(
      "is not the location of a source",
    );
  });

  test("memory: fingerprints by content, one form for all partitions", () => {
    const source = (values: readonly unknown[]) => new MemorySource([fromIter(values)]);
    expect(source([1, 2]).fingerprint()).toBe(source([1, 2]).fingerprint());
    expect(source([1, 2]).fingerprint()).not.toBe(source([1, 3]).fingerprint());
    expect(source([1, 2]).fingerprint()).not.toBe(source([1, 2, 3]).fingerprint());
    expect(() => new MemorySource([fromIter([1]), fromIter(["a"])])).toThrow(
      "partition 1 is string and partition 0 is int64",
    );
    expect(() => new MemorySource([])).toThrow("a source of no partitions");
    expect(() => source([1]).read(1, [NEEDED])).toThrow("memory: there is no partition 1 of 1");
  });

  test("what is not there", async () => {
    const path = await write("events.parquet");
    await expect(openParquet(folder.path("event.parquet"))).rejects.toThrow(
      "there is no such file. Did you mean events.parquet?",
    );
    await expect(openParquet(folder.path("nothing/at/all.parquet"))).rejects.toThrow("there is no such file");
    await expect(openParquet(folder.path("no/*.parquet"))).rejects.toThrow("no file has a name like this");
    await expect(openParquet([])).rejects.toThrow("a dataset of no files");
    await expect(openParquet(path, { filter: ["mett", "<", 1] })).rejects.toThrow(
      "there is no column mett to compare. Did you mean met?",
    );
    await expect(openParquet(path, { filter: ["id", "=" as "==", 1] })).rejects.toThrow(
      "a filter compares by",
    );
    await expect(openParquet(path, { rowGroupsPerPartition: 0 })).rejects.toThrow(
      "rowGroupsPerPartition is 0",
    );
  });
});
