// JSON lines: any cut into blocks gives the same rows, needs are narrowed while reading, numbers are exact, and a line
// that does not fit is named. And written: what is written is read again as it was.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { ChunkwiseError } from "../../src/core/errors.ts";
import { closed, everything, type Level, narrowed, nodesOf } from "../../src/core/form/form.ts";
import { formText } from "../../src/core/form/formJson.ts";
import { formOf, fromIter, type Layout, toList, typeText, validate } from "../../src/ragged/index.ts";
import {
  encodeJsonLines,
  encodeParquetFile,
  JsonLineError,
  type JsonLinesOptions,
  type JsonLinesSource,
  joinParquetFiles,
  jsonLinesFormat,
  MemorySource,
  openJsonLines,
  openParquet,
  openSource,
  parquetFormat,
  writeJsonLines,
  writeJsonPartition,
  writeParquetLayouts,
  writeParquetPartition,
} from "../../src/ragged/sources/index.ts";
import { FormatTable } from "../../src/storage/formats/table.ts";
import { MemoryStore } from "../../src/storage/index.ts";
import { memoryFile, storeFile } from "../../src/storage/parquet/index.ts";
import { openDuck, temporaryFolder } from "../parquet/support.ts";
import { anything } from "./arbitrary.ts";

const FORMATS = new FormatTable([parquetFormat, jsonLinesFormat]);
const folder = temporaryFolder();
afterAll(() => folder.remove());

const open = (text: string, options: JsonLinesOptions = {}): Promise<JsonLinesSource> =>
  openJsonLines(memoryFile(new TextEncoder().encode(text), "lines"), options);

const readAll = async (source: JsonLinesSource): Promise<Layout[]> => {
  const parts: Layout[] = [];
  for (let i = 0; i < source.rows.length; i++) parts.push(await source.read(i, everything(source.form)));
  return parts;
};
const rowsOf = async (source: JsonLinesSource): Promise<unknown[]> => (await readAll(source)).flatMap(toList);

const textOf = (layout: Layout): string => new TextDecoder().decode(encodeJsonLines(layout));

describe("reading", () => {
  test("any cut into blocks gives the same rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        anything,
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        async (rows, blockBytes, isCut) => {
          if (rows.length === 0) return;
          const text =
            rows.map((row) => JSON.stringify(row)).join(isCut ? "\r\n\n" : "\n") + (isCut ? "\n" : "");
          const source = await open(text, { blockBytes });
          const layout = fromIter(rows);
          expect(formText(source.form)).toBe(formText(formOf(layout)));
          const parts = await readAll(source);
          for (const part of parts) {
            validate(part);
            expect(formText(formOf(part))).toBe(formText(source.form));
          }
          expect(parts.flatMap(toList)).toEqual(toList(layout));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("every need is narrowed, as in memory", async () => {
    await fc.assert(
      fc.asyncProperty(
        anything,
        fc.array(fc.constantFrom<Level>(0, 1, 2), { minLength: 1 }),
        async (rows, levels) => {
          if (rows.length === 0) return;
          const source = await open(rows.map((row) => JSON.stringify(row)).join("\n"));
          const memory = new MemorySource(await readAll(source));
          const need = closed(
            source.form,
            nodesOf(source.form).map((_, i) => levels[i % levels.length]!),
          );
          const part = await source.read(0, need);
          validate(part);
          expect(formText(formOf(part))).toBe(formText(narrowed(source.form, need)));
          const expected = memory.read(0, need);
          expect(part.length).toBe(expected.length);
          if (!source.form.kind.startsWith("union")) expect(toList(part)).toEqual(toList(expected));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("numbers are the nearest doubles", async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.tuple(fc.maxSafeInteger(), fc.nat(30), fc.integer({ min: -330, max: 310 })).map(([m, f, e]) => {
        const digits = String(Math.abs(m));
        const cut = f % digits.length;
        const fraction = cut === 0 ? "" : `.${digits.slice(digits.length - cut)}`;
        return `${m < 0 ? "-" : ""}${digits.slice(0, digits.length - cut)}${fraction}E${e}`;
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1 }), async (texts) => {
        const source = await open(texts.join("\n"), { type: "float64" });
        expect(await rowsOf(source)).toEqual(texts.map((text) => JSON.parse(text) as number));
      }),
      { numRuns: 300 },
    );
  });

  test("integers are exact, texts are what they were", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            i: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
            u: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
            s: fc.string({ unit: "grapheme" }),
          }),
          { minLength: 1 },
        ),
        async (rows) => {
          const text = rows
            .map(({ i, u, s }) => `{"s": ${JSON.stringify(s)}, "u":${u} ,"i":${i}}`)
            .join("\n");
          const found = (await rowsOf(
            await open(text, { type: "{i: int64, u: uint64, s: string}" }),
          )) as typeof rows;
          expect(found.map(({ i, u, s }) => ({ i: BigInt(i), u: BigInt(u), s }))).toEqual(rows);
          const inferred = (await rowsOf(await open(text.replaceAll(/"u":\d+ ,/g, "")))) as typeof rows;
          expect(inferred.map(({ i }) => BigInt(i))).toEqual(rows.map(({ i }) => i));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("the type: found from lines, given, with points", async () => {
    const text = '{"a": 1, "b": [2.0], "c": null}\n{"a": 2, "b": [], "d": "x"}\n';
    expect(typeText((await open(text)).form)).toBe("{a: int64, b: var * float64, c: ?unknown, d: ?string}");
    const given = await open(text, { type: "{b: var * float32, c: ?bool, z: ?int8}" });
    expect(await rowsOf(given)).toEqual([
      { b: [2], c: null, z: null },
      { b: [], c: null, z: null },
    ]);
    const fixed = await open("[[1,2],[3,4]]\n[]", { type: "var * 2 * int16" });
    expect(await rowsOf(fixed)).toEqual([
      [
        [1, 2],
        [3, 4],
      ],
      [],
    ]);
    expect((await open(text)).rows).toEqual([null]);
    await expect(open("")).rejects.toThrow("there are no lines to find the type from. Give a type");
    expect(await rowsOf(await open("", { type: "{a: int64}" }))).toEqual([]);
    await expect(open(text, { type: "complex128" })).rejects.toThrow("which JSON cannot be read as");
  });

  test.each<[string, string, string | undefined, number, string, string]>([
    ["another type", '{"a": {"b": 1}}\n\n{"a": {"b": "x"}}', undefined, 3, "a.b", '"x" is no int64'],
    ["a fraction", '{"a": 1}\n{"a": 1.5}', undefined, 2, "a", "1.5 is no int64"],
    ["out of range", "[1]\n[300]", "var * uint8", 2, "", "300 is no uint8"],
    ["a null", '{"a": 1}\n{"a": null}', undefined, 2, "a", "null is no int64"],
    ["a missing field", '{"a": 1}\n{}', undefined, 2, "a", "the field is missing"],
    ["a new field", '{"a": 1}\n{"a": 1, "b": [1]}', undefined, 2, "b", "the field was not there"],
    ["a field twice", '{"a": 1, "a": 2}', "{a: int64}", 1, "a", "the field is there twice"],
    ["no JSON", '{"a": 1}\n{"a" 1}', undefined, 2, "", '"1" stands where ":" belongs'],
    ["cut short", '{"a": [1]}\n{"a": [1', undefined, 2, "", "the line ends in a list or a record"],
    ["too much", "1\n2 3", undefined, 2, "", '"3" stands after the value'],
    ["a bad number", "1\n01", undefined, 2, "", "01 is no value of JSON"],
    ["a value of no known type", '{"a": []}\n{"a": [1]}', undefined, 2, "a", "the type is not known"],
    ["not as long", "[1,2]\n[1]", "2 * int64", 2, "", "[1] is no 2 * int64"],
  ])("a line that does not fit: %s", async (_, text, type, line, path, what) => {
    for (const blockBytes of [1000, 7]) {
      const source = await open(text, {
        sampleRows: 1,
        sampleBytes: 1,
        blockBytes,
        ...(type === undefined ? {} : { type }),
      });
      const error = await rowsOf(source).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(JsonLineError);
      expect(error).toMatchObject({ file: "lines", line, path });
      expect((error as Error).message).toContain(what);
      expect((error as Error).message).toContain(`lines, line ${line}`);
    }
  });

  test("lines that are no JSON where the type is found", async () => {
    await expect(open('{"a": 1}\n{a: 1}')).rejects.toThrow("lines, line 2: this is no JSON");
  });

  test("any bytes give rows or a typed error", async () => {
    const text =
      '{"a": -1.5e3, "s": "x\\u00e9\\n", "l": [[true, null], []], "u": {"z": 12345678901234567890}}';
    const letters = fc.constantFrom(...'{}[],:"\\tfnu0-.eE \n\r\u0000é');
    const change = fc.tuple(fc.nat(2 * text.length), fc.nat(3), letters);
    const type = "{a: float64, s: string, l: var * var * ?bool, u: {z: uint64}}";
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), fc.boolean(), async (changes, isGiven) => {
        let changed = `${text}\n${text}`;
        for (const [at, cut, letter] of changes)
          changed = changed.slice(0, at) + letter + changed.slice(at + cut);
        const outcome = await open(changed, isGiven ? { type } : { sampleRows: 1 })
          .then(readAll)
          .catch((cause: unknown) => cause);
        if (Array.isArray(outcome)) outcome.forEach((part) => void validate(part as Layout));
        else expect(outcome).toBeInstanceOf(ChunkwiseError);
      }),
      { numRuns: 1000 },
    );
  });

  test("what is not needed is not looked at", async () => {
    const source = await open('{"a": 1, "b": 2}\n{"a": 3, "b": "x"}', { type: "{a: int64, b: int64}" });
    const costs = source.costs();
    expect(costs.map(({ column }) => column)).toEqual([null, "a", "b"]);
    const need: Level[] = [2, 2, 0];
    expect(toList(await source.read(0, need))).toEqual([{ a: 1 }, { a: 3 }]);
    expect(source.touched(need).map((at) => costs[at]!.column)).toEqual(["a"]);
    await expect(source.read(0, everything(source.form))).rejects.toThrow('"x" is no int64');
  });

  test("files, folders, HTTP, and a location that opens the same", async () => {
    mkdirSync(folder.path("logs"));
    const texts = ['{"a": 1}\n{"a": 2}\n', '\ufeff{"a": 3}'];
    texts.forEach((text, i) => {
      writeFileSync(folder.path(`logs/${i}.jsonl`), text);
    });
    const source = await openJsonLines(folder.path("logs"), { blockBytes: 9 });
    expect(await rowsOf(source)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    const location = JSON.parse(JSON.stringify(source.location())) as NonNullable<
      ReturnType<typeof source.location>
    >;
    const again = (await openSource(location, FORMATS)) as JsonLinesSource;
    expect(again.fingerprint()).toBe(source.fingerprint());
    expect(await rowsOf(again)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    writeFileSync(folder.path("logs/1.jsonl"), '{"a": 34}');
    await expect(openSource(location, FORMATS)).rejects.toThrow("the files have changed");
    await expect(openJsonLines(folder.path("logs/0.jsonll"))).rejects.toThrow("Did you mean 0.jsonl");

    const server = createServer((request, response) => {
      const bytes = Buffer.from(texts[0]!);
      const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
      const start = from === "" ? Math.max(0, bytes.length - Number(to)) : Number(from);
      const end = from === "" ? bytes.length - 1 : Number(to);
      response.writeHead(206, { "Content-Range": `bytes ${start}-${end}/${bytes.length}` });
      response.end(bytes.subarray(start, end + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const remote = await openJsonLines(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a.jsonl`, {
      blockBytes: 5,
    });
    expect(await rowsOf(remote)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(remote.location()).not.toBe(null);

    const store = new MemoryStore();
    await store.set("/a.jsonl", new TextEncoder().encode(texts[0]!));
    const kept = await openJsonLines(storeFile(store, "/a.jsonl"), { blockBytes: 5 });
    expect(await rowsOf(kept)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(kept.location()).toBe(null);
    server.close();
  });
});

describe("writing", () => {
  const ROWS = [
    { a: 1n, b: [1.5, Number.NaN], c: { s: 'é"\n' }, d: null },
    { a: 2n ** 62n + 1n, b: [], c: { s: "" }, d: true },
  ];

  test("JSON lines as text", () => {
    const text = textOf(fromIter(ROWS));
    expect(text).toBe(
      `{"a":1,"b":[1.5,null],"c":{"s":"é\\"\\n"},"d":null}\n` +
        `{"a":${2n ** 62n + 1n},"b":[],"c":{"s":""},"d":true}\n`,
    );
    const strings = new TextDecoder().decode(
      encodeJsonLines(fromIter([Number.NaN, -Infinity]), { nonFinite: "string" }),
    );
    expect(strings).toBe('"NaN"\n"-Infinity"\n');
    expect(() => encodeJsonLines(fromIter([{ x: Number.NaN }]), { nonFinite: "error" })).toThrow("x is NaN");
    expect(textOf(fromIter([2, 2.5, -0]))).toBe("2.0\n2.5\n-0.0\n");
  });

  test("what is written is read as it was", async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (rows) => {
        if (rows.length === 0) return;
        const layout = fromIter(rows);
        const source = await open(textOf(layout));
        expect(await rowsOf(source)).toEqual(toList(layout));
        if (!formText(source.form).includes("EmptyArray"))
          expect(typeText(source.form)).toBe(typeText(formOf(layout)));
      }),
      { numRuns: 200 },
    );
  });

  test("NaN as text comes back as NaN", async () => {
    const text = new TextDecoder().decode(
      encodeJsonLines(fromIter([1.5, Number.NaN, Infinity]), { nonFinite: "string" }),
    );
    expect(await rowsOf(await open(text, { type: "float64" }))).toEqual([1.5, Number.NaN, Infinity]);
  });

  const PARTS = [
    fromIter([
      { a: 1, b: [1.5] },
      { a: 2, b: [] },
    ]),
    fromIter([{ a: 3, b: [2.5, 3.5] }]),
    fromIter([{ a: 4, b: [0.5] }]),
  ];
  const ALL = PARTS.flatMap(toList);

  test("one file of several partitions, in order", async () => {
    const stream = async function* () {
      yield* PARTS;
    };
    const [lines] = await writeJsonLines(folder.path("one.jsonl"), stream());
    expect(lines).toMatchObject({ rows: 4, bytes: readFileSync(folder.path("one.jsonl")).length });
    expect(await rowsOf(await openJsonLines(folder.path("one.jsonl")))).toEqual(ALL);
    const [file] = await writeParquetLayouts(folder.path("one.parquet"), formOf(PARTS[0]!), stream());
    expect(file).toMatchObject({ rows: 4, rowGroups: 3 });
    const source = await openParquet(folder.path("one.parquet"));
    expect(source.rows).toEqual([2, 1, 1]);
    const whole = await openParquet(folder.path("one.parquet"), { rowGroupsPerPartition: "file" });
    expect(toList(await whole.read(0, everything(whole.form)))).toEqual(ALL);
  });

  test("a file per partition, each by itself", async () => {
    for (const [i, part] of PARTS.entries()) {
      await writeParquetPartition(folder.path("parts"), i, part);
      await writeJsonPartition(folder.path("lines"), i, part);
    }
    expect(readdirSync(folder.path("parts"))).toEqual([0, 1, 2].map((i) => `part-0000${i}.parquet`));
    expect((await openParquet(folder.path("parts"))).rows).toEqual([2, 1, 1]);
    const encoded = async function* () {
      for (const part of PARTS) yield await encodeParquetFile(part);
    };
    await joinParquetFiles(folder.path("whole.parquet"), encoded());
    const whole = await openParquet(folder.path("whole.parquet"), { rowGroupsPerPartition: 3 });
    expect(toList(await whole.read(0, everything(whole.form)))).toEqual(ALL);
    expect(await rowsOf(await openJsonLines(folder.path("lines")))).toEqual(ALL);
    await expect(writeJsonLines(folder.path("lines"), PARTS, { files: "perPartition" })).rejects.toThrow(
      "has the file part-00000.jsonl already",
    );
    const store = new MemoryStore();
    const written = await writeJsonLines({ store, key: "/out" }, PARTS, { files: "perPartition" });
    expect(written.map(({ name, rows }) => [name, rows])).toEqual([
      ["/out/part-00000.jsonl", 2],
      ["/out/part-00001.jsonl", 1],
      ["/out/part-00002.jsonl", 1],
    ]);
  });

  test("nothing is left of a file whose rows fail", async () => {
    const failing = async function* () {
      yield PARTS[0]!;
      throw new Error("no more");
    };
    mkdirSync(folder.path("failed"));
    await expect(writeJsonLines(folder.path("failed/x.jsonl"), failing())).rejects.toThrow("no more");
    await expect(
      writeParquetLayouts(folder.path("failed/x.parquet"), formOf(PARTS[0]!), failing()),
    ).rejects.toThrow("no more");
    expect(readdirSync(folder.path("failed"))).toEqual([]);
  });

  test("a layout as a Parquet file in memory, without rows too", async () => {
    for (const layout of [PARTS[0]!, { ...PARTS[0]!, length: 0 }]) {
      const source = await openParquet(memoryFile(await encodeParquetFile(layout, { codec: "zstd" })));
      expect(typeText(source.form)).toBe("{a: int64, b: var * float64}");
      expect(source.rows).toEqual([layout.length]);
    }
  });

  test("DuckDB reads the lines", async (context) => {
    const duck = await openDuck();
    if (typeof duck === "string") return context.skip(duck);
    await writeJsonLines(folder.path("duck.jsonl"), [
      fromIter(ROWS.map(({ b, ...row }) => ({ ...row, b: [1.5, 2] }))),
    ]);
    expect(
      await duck.rows(`select a, b, c.s as s, d from read_json('${folder.path("duck.jsonl")}')`),
    ).toEqual([
      { a: 1n, b: [1.5, 2], s: 'é"\n', d: null },
      { a: 2n ** 62n + 1n, b: [1.5, 2], s: "", d: true },
    ]);
  });
});
