// Statistics, weights and initial values in memory and lazily; types enforced; arrays compared and checked; columns of data frames; JSON
// and Arrow's files. Numbers of statistics are Python's in test/ragged-calls; here are lines through points, nulls and all axes.

import { gzipSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";

const x = rg.fromIter([[1, 2, 4, null], [5], [], [7, 9]]);
const y = rg.fromIter([[2, 2, 3, 4], [1], [], [0, 8]]);
const w = [1, 2, 3, 4];

describe("statistics", () => {
  // By the formulas of textbooks, in plain numbers: what is null in any does not count.
  const points = [
    [1, 2, 1],
    [2, 2, 1],
    [4, 3, 1],
    [5, 1, 2],
    [7, 0, 4],
    [9, 8, 4],
  ] as const;
  const sum = (f: (a: number, b: number) => number): number =>
    points.reduce((s, [a, b, c]) => s + c * f(a, b), 0);
  const [n, sx, sy, sxx, sxy] = [
    sum(() => 1),
    sum((a) => a),
    sum((_, b) => b),
    sum((a) => a * a),
    sum((a, b) => a * b),
  ];
  const slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  const fit = {
    intercept: (sy - slope * sx) / n,
    slope,
    interceptError: Math.sqrt(sxx / (n * sxx - sx * sx)),
    slopeError: Math.sqrt(n / (n * sxx - sx * sx)),
  };

  test.each(["in memory", "lazily"])("a line through points with weights, %s", async (how) => {
    const [a, b, c] =
      how === "lazily" ? [x, y, rg.fromIter(w)].map((v) => rg.lazy(v, { npartitions: 2 })) : [x, y, w];
    const lazy = rg.linearFit(a!, b!, { weight: c! }) as unknown;
    const found = (lazy instanceof rg.LazyItem ? await lazy.compute() : lazy) as typeof fit;
    for (const name of Object.keys(fit) as (keyof typeof fit)[])
      expect(found[name]).toBeCloseTo(fit[name], 12);
  });

  test("along an axis, of lists without spread, over all axes", async () => {
    expect(rg.corr(x, y, { axis: 1 }).toList()).toEqual([
      expect.closeTo(0.9449111825230678),
      NaN,
      NaN,
      expect.closeTo(1),
    ]);
    expect(rg.mean(x, { axis: 1, weight: w }).toList()).toEqual([7 / 3, 5, NaN, 8]);
    expect(rg.var(x, { axis: 1, weight: y, ddof: 1 }).toList()[3]).toBe(0);
    const lazy = rg.lazy(x, { npartitions: 3 });
    expect(await lazy.mean({ weight: rg.lazy(w, { npartitions: 3 }) }).compute()).toBeCloseTo(81 / 13, 12);
    expect(rg.softmax([[0, 0], [1]]).toList()).toEqual([[0.5, 0.5], [1]]);
    expect(rg.softmax([[0], [0]], { axis: null }).toList()).toEqual([[0.5], [0.5]]);
    expect(await lazy.max({ initial: 30 }).compute()).toBe(30);
    expect(lazy.max({ axis: 1, initial: 6 }).type).toBe("4 * ?int64");
    expect(rg.min(rg.fromIter([[1], []]), { axis: 1, initial: 0, maskIdentity: false }).toList()).toEqual([
      0, 0,
    ]);
    expect(
      Object.values(
        rg.necessaryColumns(rg.covar(rg.lazy([{ a: 1, b: 2, c: 3 }]).field("a"), rg.lazy([1])) as never),
      ),
    ).toContainEqual(["a"]);
    expect(() => rg.sum(x, { weight: w } as never)).toThrow(/no option "weight"/);
    expect(() => rg.moment(x, "2" as never)).toThrow(/n is "2"/);
  });

  test("dense and lazy: flattened lists of any number of rows", async () => {
    const values = rg.flatten(rg.lazy(y, { npartitions: 3 }));
    expect((await cw.add(rg.toNumpy(values), 1).compute()).toList()).toEqual([3, 3, 4, 5, 2, 1, 9]);
  });
});

describe("types enforced", () => {
  test.each([
    [[[1, 2], []], "var * float32", "2 * var * float32"],
    [
      [
        [1, 2],
        [3, 4],
      ],
      "2 * ?int64",
      "2 * 2 * ?int64",
    ],
    [[1, 2], "?decimal(5, 1)", "2 * ?decimal(5, 1)"],
    [["2024-02-29"], "date", "1 * date"],
    [[{ b: 1, a: 2 }], "{a: float64, c: ?string}", "1 * {a: float64, c: ?string}"],
    [[[{ x: 1 }], []], "var * {x: ?uint8}", "2 * var * {x: ?uint8}"],
  ])("%j as %s", async (rows, type, wanted) => {
    const made = rg.enforceType(rows, type) as rg.RaggedArray;
    expect(made.type).toBe(wanted);
    expect(rg.isValid(made)).toBe(true);
    const lazy = rg.enforceType(rg.lazy(rg.fromIter(rows), { npartitions: 2 }), type);
    expect(lazy.type).toBe(wanted);
    expect((await lazy.compute()).toList()).toEqual(made.toList());
  });

  test.each([
    [[1, null], "int64", /element 1 is null/],
    [[[1], [2, 3]], "1 * int64", /list 1 has 2 elements/],
    [[{ a: 1 }], "{b: int64}", /no field "b"/],
    [[1], "var * int64", /does not become var \* int64/],
    [[1], "nonsense", /nonsense/],
  ])("%j is no %s", (rows, type, message) => {
    expect(() => rg.enforceType(rows, type)).toThrow(message);
  });

  test("only the fields of the type are read", () => {
    const rows = rg.lazy(rg.fromIter([{ a: 1, b: 2, c: 3 }]));
    const made = rg.enforceType(rows, "{a: float32, b: float32}").field("a");
    expect(Object.values(made.necessaryColumns())).toEqual([["a"]]);
  });
});

describe("the same or not", () => {
  const nan = [[1, Number.NaN]];
  test.each([
    [[[0.3]], [[0.1 + 0.2]], {}, true],
    [[[1]], [[1.5]], {}, false],
    [[1], [1.0], { exactTypes: false }, true],
    [rg.fromIter([1]), Float64Array.of(1), {}, false],
    [rg.fromIter([1]), Float64Array.of(1), { exactTypes: false }, true],
    [nan, nan, {}, false],
    [nan, nan, { equalNan: true }, true],
    [[1, null], [1, null], {}, true],
    [[1, null], [null, 1], {}, false],
    [["a", "b"], ["a", "c"], {}, false],
    [[{ a: 1, b: [2] }], [{ a: 1, b: [2] }], {}, true],
    [[1, "a"], [1, "a"], {}, true],
    [[1, "a"], [1, "b"], {}, false],
    [[[1], []], [[1]], {}, false],
    [[1], [1.000001], { rtol: 1e-9, exactTypes: false }, false],
  ])("%j, %j, %j: %s", (a, b, options, wanted) => {
    expect(rg.almostEqual(a as never, b as never, options)).toBe(wanted);
  });
});

describe("out and in", () => {
  test("columns of a data frame", () => {
    const events = rg.fromIter([
      {
        id: 7,
        jets: [
          { pt: 1, tag: "a" },
          { pt: 2.5, tag: null },
        ],
      },
      { id: 8, jets: [] },
      { id: 9, jets: [{ pt: 4, tag: "c" }] },
    ]);
    expect(rg.toColumns(events)).toEqual({
      entry: [0, 0, 2],
      subentry: [0, 1, 0],
      id: [7, 7, 9],
      "jets.pt": Float64Array.of(1, 2.5, 4),
      "jets.tag": ["a", null, "c"],
    });
    expect(rg.toColumns(Float32Array.of(1, 2))).toEqual({ entry: [0, 1], values: Float32Array.of(1, 2) });
    expect(() => rg.toColumns([{ a: [1], b: [1, 2] }])).toThrow(/1 elements in one array and 2/);
  });

  test("JSON: lists and lines, with a type, compressed, in pieces", async () => {
    const rows = [
      { a: [1, 2], b: "é" },
      { a: [], b: null },
    ];
    const text = rg.toJson(rows);
    expect(text).toBe(JSON.stringify(rows));
    expect((await rg.fromJson(text)).toList()).toEqual(rows);
    const lines = rg.toJson(rows, { lines: true });
    expect(lines.split("\n").length).toBe(3);
    const typed = await rg.fromJson(gzipSync(lines), { lines: true, type: "{a: var * float32}" });
    expect([typed.type, typed.toList()]).toEqual(["2 * {a: var * float32}", [{ a: [1, 2] }, { a: [] }]]);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const byte of new TextEncoder().encode(text)) yield Uint8Array.of(byte);
    }
    expect((await rg.fromJson(pieces())).toList()).toEqual(rows);
    await expect(rg.fromJson("{}")).rejects.toThrow(/Write a list of rows/);
    await expect(rg.fromJson("[1]\n[", { lines: true })).rejects.toThrow(/line 2 is no JSON/);
  });

  test("Arrow's files", async () => {
    const rows = rg.fromIter([
      { a: [1, 2], b: "é" },
      { a: [], b: null },
    ]);
    const bytes = await rg.toFeather(rows);
    expect(tableFromIPC(bytes).numRows).toBe(2);
    const back = await rg.fromFeather(bytes);
    expect([back.type.replace("?", ""), back.toList()]).toEqual([rows.type.replace("?", ""), rows.toList()]);
    expect((await rg.fromFeather(await rg.toFeather([[1], []]))).field("values").toList()).toEqual([[1], []]);
    await expect(rg.fromFeather("x" as never)).rejects.toThrow(/no bytes/);
  });
});
