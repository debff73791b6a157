// Logical types: what numbers and bytes mean, in types, values, arithmetic, files. Oracles: DuckDB for Parquet, arithmetic and
// comparisons; apache-arrow for Arrow; whole numbers of any size for exactness.

import * as arrow from "apache-arrow";
import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { openDuck, temporaryFolder } from "../parquet/support.ts";

const inline = { executor: "inline" } as const;
const folder = temporaryFolder();
afterAll(() => folder.remove());
const duck = await openDuck();
const isThere = typeof duck !== "string";

const of = (type: string, ...values: unknown[]): rg.RaggedArray =>
  rg.valuesAstype(values, type) as rg.RaggedArray;

/** A text of each type, with a null beside it. */
const EACH: readonly (readonly [type: string, ...values: string[]])[] = [
  ["decimal(10, 2)", "1.05", "-3.10", "0.00"],
  ["decimal(38, 4)", "12345678901234567890.1234", "-0.0001"],
  ["date", "2024-02-29", "0001-01-01", "9999-12-31"],
  ["time[s]", "12:34:56"],
  ["time[us]", "23:59:59.000001"],
  ["timestamp[ms]", "1969-12-31T23:59:59.500"],
  ["timestamp[us, UTC]", "2024-01-01T00:00:00.123456Z"],
  ["timestamp[ns]", "2024-01-01T00:00:00.123456789"],
  ["uuid", "01234567-89ab-cdef-0123-456789abcdef"],
  ["json", '{"a": 1}'],
  ["categorical", "b", "a", "b"],
];
const SPAN = ["duration[ms]", "-P1DT2H3M4.500S", "PT0S", "PT36H"] as const;
const table = (): rg.RaggedArray =>
  rg.fromIter([
    Object.fromEntries(EACH.map(([type, first]) => [type, first])),
    Object.fromEntries(EACH.map(([type]) => [type, null])),
    Object.fromEntries(EACH.map(([type, ...values]) => [type, values.at(-1)])),
  ]);
const typed = (): rg.RaggedArray => {
  const texts = table();
  const columns = EACH.map(([type]) => [type, rg.valuesAstype(texts.field(type), type)] as const);
  return rg.zip(Object.fromEntries(columns)) as rg.RaggedArray;
};

describe("types and values", () => {
  test.each([
    ...EACH.map(([type]) => type),
    ...["duration[s]", "interval", "enum", "bson", "?date"],
    ...[
      'timestamp[s, "Europe/Berlin"]',
      "map[string, ?date]",
      "?map[int64, var * uuid]",
      "var * {a: date, b: ?time[ms]}",
    ],
  ])("%s is read as it is written", (type) => {
    const { form } = rg.parseType(type);
    expect(rg.typeText(form)).toBe(type);
    expect(rg.typeText(rg.formOfJson(JSON.parse(JSON.stringify(rg.jsonOfForm(form)))))).toBe(type);
  });

  test("what is no type says what would be", () => {
    expect(() => rg.parseType("decimal(50, 2)")).toThrow(/up to 38 digits/);
    expect(() => rg.parseType("decimal(2, 5)")).toThrow(cw.ValueError);
    expect(() => rg.parseType("timestamp[h]")).toThrow(/s, ms, us or ns/);
    expect(() => rg.valuesAstype([1], "datetime")).toThrow(cw.DTypeError);
    // Names of records are free.
    expect(rg.typeText(rg.parseType("date[x: int64]").form)).toBe("date[x: int64]");
  });

  test("values are shown as they are written", () => {
    for (const [type, ...values] of [...EACH, SPAN]) {
      const x = of(type, ...values, null);
      expect(x.type).toBe(`${values.length + 1} * ?${type}`);
      const shown = x.toList().slice(0, -1).map(String);
      const again = of(type, ...shown);
      expect(again.toList().map(String), type).toEqual(shown);
      if (!type.startsWith("decimal") && type !== "duration[ms]") expect(shown, type).toEqual(values);
    }
    expect(of("decimal(10, 2)", "1.05", "-3.10").toList()).toEqual([1.05, -3.1]);
    expect(of("decimal(38, 4)", "12345678901234567890.1234").toList()).toEqual(["12345678901234567890.1234"]);
    expect(of("duration[ms]", "PT36H", "-PT0.5S").toList()).toEqual(["P1DT12H", "-PT0.500S"]);
    expect(rg.max(of("date", "2024-02-29", "2023-01-01"))).toBe("2024-02-29");
  });

  test("dates as Date sees them, over all years of four digits", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (at) => {
          const x = rg.fromIter([at]);
          const text = at.toISOString();
          expect(x.type).toBe("1 * timestamp[ms, UTC]");
          expect(new Date(x.toList()[0] as string).getTime()).toBe(at.getTime());
          expect(rg.valuesAstype(x, "date").toList()).toEqual([text.slice(0, 10)]);
          expect(of("timestamp[ms, UTC]", text).toList()).toEqual(x.toList());
          expect(rg.equal(x, at).toList()).toEqual([true]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("texts that say nothing are refused, with their row", () => {
    for (const [type, text] of [
      ["date", "2023-02-29"],
      ["date", "yesterday"],
      ["time[s]", "25:00:00"],
      ["uuid", "0123"],
      ["decimal(10, 2)", "1,5"],
      ["duration[s]", "P1M"],
      ["timestamp[s]", "2024-13-01"],
    ] as const)
      expect(() => of(type, null, text), `${type} ${text}`).toThrow(/value 0/);
    expect(() => of("decimal(3, 1)", "100")).toThrow(/more than it holds/);
    expect(() => rg.valuesAstype(of("date", "4000-01-01"), "timestamp[ns]")).toThrow(/more than it holds/);
    expect(() => rg.valuesAstype(of("date", "2024-01-01"), "decimal(10, 2)")).toThrow(/cannot become/);
  });
});

describe("arithmetic", () => {
  test("decimals are exact, whatever their digits", () => {
    const digits = (precision: number) =>
      fc.bigInt({ min: -(10n ** BigInt(precision)) + 1n, max: 10n ** BigInt(precision) - 1n });
    const decimal = fc
      .constantFrom([4, 1], [9, 9], [18, 2], [18, 0], [30, 10])
      .chain(([precision, scale]) =>
        fc.tuple(
          fc.constant([precision!, scale!] as const),
          fc.array(digits(precision!), { minLength: 3, maxLength: 3 }),
        ),
      );
    const text = (value: bigint, scale: number): string => {
      const all = String(value < 0n ? -value : value).padStart(scale + 1, "0");
      return `${value < 0n ? "-" : ""}${all.slice(0, all.length - scale)}.${all.slice(all.length - scale)}`;
    };
    const wholes = (x: unknown, scale: number): bigint[] =>
      (rg.toList(rg.valuesAstype(x as rg.RaggedArray, "string")) as string[]).map((value) => {
        const [whole = "0", fraction = ""] = value.replace("-", "").split(".");
        const sign = value.startsWith("-") ? -1n : 1n;
        return sign * BigInt(whole + fraction.padEnd(scale, "0"));
      });
    fc.assert(
      fc.property(decimal, decimal, ([[p, s], a], [[q, t], b]) => {
        const [x, y] = [
          of(`decimal(${p}, ${s})`, ...a.map((v) => text(v, s))),
          of(`decimal(${q}, ${t})`, ...b.map((v) => text(v, t))),
        ];
        const scale = Math.max(s, t);
        const up = (v: bigint, from: number): bigint => v * 10n ** BigInt(scale - from);
        const plain = (make: () => unknown): bigint[] | null => {
          try {
            return wholes(make(), make === product ? s + t : scale);
          } catch (error) {
            // What does not fit is an error, never another number.
            expect(error).toBeInstanceOf(cw.ChunkwiseError);
            return null;
          }
        };
        const product = (): unknown => rg.multiply(x, y);
        expect(plain(() => rg.add(x, y))).toEqual(a.map((v, i) => up(v, s) + up(b[i]!, t)));
        expect(plain(() => rg.subtract(x, y))).toEqual(a.map((v, i) => up(v, s) - up(b[i]!, t)));
        const products = plain(product);
        if (products !== null) expect(products).toEqual(a.map((v, i) => v * b[i]!));
        expect(rg.less(x, y).toList()).toEqual(a.map((v, i) => up(v, s) < up(b[i]!, t)));
        expect(rg.equal(x, y).toList()).toEqual(a.map((v, i) => up(v, s) === up(b[i]!, t)));
      }),
      { numRuns: 60 },
    );
  });

  test("numbers beside decimals are what they are written as", () => {
    const x = of("decimal(10, 2)", "1.00", "2.50");
    for (const y of [x, rg.lazy(x)]) {
      expect([rg.add(y, 0.1).type, rg.add(y, 0.125).type, rg.add(y, 0.5).type]).toEqual([
        "2 * decimal(11, 2)",
        "2 * decimal(12, 3)",
        "2 * decimal(11, 2)",
      ]);
    }
    expect(rg.add(x, 0.1).toList()).toEqual([1.1, 2.6]);
    expect(rg.equal(x, 2.5).toList()).toEqual([false, true]);
    expect(rg.multiply(x, 3n).toList()).toEqual([3, 7.5]);
    expect(rg.divide(x, 2).toList()).toEqual([0.5, 1.25]);
    expect(rg.add(x, rg.fromIter([0.25, 1])).type).toBe("2 * float64");
    expect(rg.sqrt(x).type).toBe("2 * float64");
    expect(rg.add(x, rg.fromIter([1, 2])).toList()).toEqual([2, 4.5]);
    expect([rg.valuesAstype(x, "int64").toList(), rg.valuesAstype(x, "float32").type]).toEqual([
      [1, 2],
      "2 * float32",
    ]);
  });

  test("points in time, spans and what there is not", () => {
    const [day, at, span] = [
      of("date", "2024-02-28"),
      of("timestamp[us]", "2024-03-01T00:00:00.5"),
      of("duration[ms]", "P1DT0.25S"),
    ];
    expect([rg.subtract(at, day).type, rg.subtract(at, day).toList()]).toEqual([
      "1 * duration[us]",
      ["P2DT0.500S"],
    ]);
    expect([rg.add(day, span).type, rg.add(day, span).toList()]).toEqual([
      "1 * timestamp[ms]",
      ["2024-02-29T00:00:00.250"],
    ]);
    expect(rg.add(day, "P2D").toList()).toEqual(["2024-03-01T00:00:00"]);
    expect(rg.multiply(span, 2).toList()).toEqual(["P2DT0.500S"]);
    expect(rg.divide(span, of("duration[s]", "P1D")).toList()).toEqual([86400.25 / 86400]);
    expect(rg.greater(at, "2024-03-01").toList()).toEqual([true]);
    expect(rg.less(of("date", "4000-01-01"), "2262-01-01T00:00:00.000000001").toList()).toEqual([false]);
    expect(rg.sum(of("decimal(38, 2)", "1"))).toBe(1);
    const refused: (() => unknown)[] = [
      () => rg.add(day, day),
      () => rg.sin(day),
      () => rg.add(day, 1),
      () => rg.sum(day),
      () => rg.multiply(day, 2),
      () => rg.greater(day, span),
      () => rg.subtract(at, of("timestamp[us, UTC]", "2024-01-01")),
      () => rg.equal(day, "soon"),
      () => rg.toNumpy(day),
      () => rg.fillNone(of("decimal(4, 1)", null), 0.25),
      () => rg.less(of("uuid", EACH[8]![1]!), EACH[8]![1]!),
      () => rg.isclose(day, day),
    ];
    for (const call of refused) expect(call).toThrow(cw.ChunkwiseError);
  });

  test("reductions, in memory and in partitions", async () => {
    const values = [["1.10", "2.20", null], [], ["3.30"]];
    const x = rg.valuesAstype(values, "decimal(10, 2)") as rg.RaggedArray;
    const days = of("date", "2024-02-29", null, "2023-01-01");
    const lazy = [x, days].map((array) => rg.lazy(array, { npartitions: 3 }));
    expect([rg.sum(x), rg.max(x), rg.min(days), rg.argmax(days), rg.count(days)]).toEqual([
      6.6,
      3.3,
      "2023-01-01",
      0,
      2,
    ]);
    const [decimals, dates] = lazy as [rg.LazyRagged, rg.LazyRagged];
    expect(await rg.compute([decimals.sum(), decimals.max(), dates.min(), dates.argmax()], inline)).toEqual([
      6.6,
      3.3,
      "2023-01-01",
      0,
    ]);
    expect(await decimals.mean().compute(inline)).toBeCloseTo(2.2, 12);
    expect([decimals.sum().type, dates.max().type]).toEqual(["decimal(18, 2)", "?date"]);
    expect(rg.sum(x, { axis: 1 }).toList()).toEqual([3.3, 0, 3.3]);
    const large = of("decimal(18, 0)", ...Array.from({ length: 12 }, () => "999999999999999999"));
    expect(() => rg.sum(large)).toThrow(/does not fit/);
    await expect(rg.lazy(large, { npartitions: 4 }).sum().compute(inline)).rejects.toThrow(/does not fit/);
    // Halves that cancel: sums beyond 64 bits on the way are no error.
    const signs = of(
      "decimal(18, 0)",
      ...Array.from({ length: 24 }, (_, i) => `${i < 12 ? "" : "-"}999999999999999999`),
    );
    expect(await rg.lazy(signs, { npartitions: 4 }).sum().compute(inline)).toBe(0);
    expect(rg.sum(of("duration[ms]", "P1D", "-PT1S"))).toBe("PT23H59M59S");
  });

  test("moved, filled, sorted, put together, values keep their meaning", () => {
    const days = of("date", "2024-02-29", null, "2023-01-01");
    expect(rg.fillNone(days, "1999-12-31").toList()).toEqual(["2024-02-29", "1999-12-31", "2023-01-01"]);
    expect([rg.sort(days, { axis: 0 }).type, rg.sort(days, { axis: 0 }).toList()]).toEqual([
      "3 * ?date",
      ["2023-01-01", "2024-02-29", null],
    ]);
    expect(rg.concatenate([days, "2000-01-01"]).type).toBe("4 * ?date");
    expect(rg.concatenate([of("date", "2024-02-29"), [1]]).type).toBe("2 * union[date, int64]");
    expect(rg.where([true, false, true], days, "2000-01-01").toList()).toEqual([
      "2024-02-29",
      "2000-01-01",
      "2023-01-01",
    ]);
    expect([rg.fullLike(days, "2000-01-01").type, rg.zerosLike(of("decimal(4, 2)", "1.5")).toList()]).toEqual(
      ["3 * ?date", [0]],
    );
    expect(rg.fillNone(of("categorical", "a", null), "b").type).toBe("2 * categorical");
    expect(rg.fillNone(of("uuid", null), EACH[8]![1]!).toList()).toEqual([EACH[8]![1]!]);
    const wide = of("decimal(30, 1)", "-5.5", "100000000000000000000", "7");
    expect(rg.sort(wide, { axis: 0 }).toList()).toEqual([-5.5, 7, "100000000000000000000.0"]);
    expect(rg.equal(of("uuid", EACH[8]![1]!), EACH[8]![1]!.toUpperCase()).toList()).toEqual([true]);
  });
});

describe("Parquet", () => {
  test("what is written is read as the same types and values", async () => {
    const x = typed();
    const path = folder.path("each.parquet");
    await rg.toParquet(rg.lazy(x, { npartitions: 2 }), path);
    const y = await (await rg.fromParquet(path)).compute(inline);
    expect(y.toList()).toEqual(x.toList());
    // Parquet knows neither seconds nor categories.
    expect(y.type).toBe(
      x.type
        .replaceAll("time[s]: ?time[s]", "time[s]: ?time[ms]")
        .replace(/"time\[s\]": \?time\[s\]/, '"time[s]": ?time[ms]')
        .replace("?categorical", "?string"),
    );
    await expect(
      rg.toParquet(rg.lazy(rg.zip({ d: of(...SPAN) })), folder.path("span.parquet")),
    ).rejects.toThrow(/no word/);
  });

  test.skipIf(!isThere)("DuckDB's types, values, arithmetic and comparisons are ours", async () => {
    const { run, rows } = duck as Exclude<typeof duck, string>;
    const path = folder.path("duck.parquet");
    const columns = `(i * 1.005)::DECIMAL(10,2) AS d, ((i - 5) * 100000000000::DECIMAL(38,2))::DECIMAL(30,2) AS w, (i * 1.5)::DECIMAL(4,1) AS s,
      DATE '2024-02-25' + i::INT AS day, TIME '12:34:56.789' + INTERVAL (i) SECOND AS tm,
      TIMESTAMP '1969-12-31 22:00:00.123456' + INTERVAL (i) HOUR AS ts, (TIMESTAMP '2024-01-01 00:00:00.5')::TIMESTAMPTZ AS tz,
      TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS tn, ('01234567-89ab-cdef-0123-45678900000' || i)::UUID AS u,
      INTERVAL (i) MONTH + INTERVAL 3 DAY + INTERVAL 500 MILLISECOND AS iv, MAP {'a': i, 'b': i + 1} AS m, {'x': i}::JSON AS j,
      CASE WHEN i % 2 = 0 THEN NULL ELSE [DATE '2020-01-01', NULL] END AS l`;
    await run(`SET TimeZone = 'UTC'`);
    await run(`COPY (SELECT ${columns} FROM range(10) t(i)) TO '${path}' (FORMAT parquet)`);
    const x = await (await rg.fromParquet(path)).compute(inline);
    expect(x.type).toBe(
      "10 * {d: ?decimal(10, 2), w: ?decimal(30, 2), s: ?decimal(4, 1), day: ?date, tm: ?time[us], ts: ?timestamp[us], tz: ?timestamp[us, UTC], tn: ?timestamp[ns], u: ?uuid, iv: ?interval, m: ?map[string, ?int64], j: ?json, l: option[var * ?date]}",
    );
    const texts =
      await rows(`SELECT d::VARCHAR AS d, w::VARCHAR AS w, day::VARCHAR AS day, tm::VARCHAR AS tm, strftime(ts, '%Y-%m-%dT%H:%M:%S.%f') AS ts,
      u::VARCHAR AS u, j::VARCHAR AS j, (d + s)::VARCHAR AS sum, (d * s)::VARCHAR AS product, (w - d)::VARCHAR AS less, (d > 5.02)::VARCHAR AS over,
      (ts < TIMESTAMP '1970-01-01')::VARCHAR AS early, (day + INTERVAL 1 HOUR > ts)::VARCHAR AS after FROM '${path}'`);
    const [d, s, w, day, ts] = ["d", "s", "w", "day", "ts"].map((name) => x.field(name));
    const ours = {
      ...{ d, w, day, tm: x.field("tm"), ts, u: x.field("u"), j: x.field("j") },
      ...{ sum: d!.add(s!), product: d!.multiply(s!), less: w!.subtract(d!), over: d!.greater(5.02) },
      ...{ early: ts!.less("1970-01-01"), after: day!.add("PT1H").greater(ts!) },
    };
    for (const [name, column] of Object.entries(ours)) {
      const expected = texts.map((row) => (row as { [name: string]: string })[name]);
      const shown = (column as rg.RaggedArray).toList().map(String);
      const isNumber = ["d", "w", "sum", "product", "less"].includes(name);
      if (isNumber) expect(shown.map(Number), name).toEqual(expected.map(Number));
      else expect(shown, name).toEqual(expected);
    }
    expect(x.field("iv").toList().slice(0, 2)).toEqual(["P3DT0.500S", "P1M3DT0.500S"]);
    expect(x.field("m").toList()[3]).toEqual({ a: 3, b: 4 });
    expect(x.field("tz").toList()[0]).toBe("2024-01-01T00:00:00.500Z");
    const again = folder.path("again.parquet");
    await rg.toParquet(rg.lazy(x), again);
    const differing = await rows(
      `SELECT count(*) AS n FROM (SELECT * EXCLUDE (tn) FROM '${path}' EXCEPT SELECT * EXCLUDE (tn) FROM '${again}')`,
    );
    expect(Number((differing[0] as { n: bigint }).n)).toBe(0);
  });

  test("filters compare what values stand for", async () => {
    const x = rg.zip({
      d: of("decimal(10, 2)", "1.00", "2.50", "3.00", "4.75"),
      w: of("decimal(30, 2)", "1.00", "2.50", "3.00", "4.75"),
      day: of("date", "2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"),
      at: of("timestamp[us, UTC]", "2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"),
    });
    const path = folder.path("filter.parquet");
    await rg.toParquet(rg.lazy(x, { npartitions: 4 }), path);
    const left = async (...filter: readonly unknown[]): Promise<number> =>
      (await rg.fromParquet(path, { filter: filter as never })).divisions!.at(-1)!;
    expect(await left("d", ">", 2.5)).toBe(2);
    expect(await left("d", ">", 2.499)).toBe(3);
    expect(await left("d", "==", 100)).toBe(0);
    expect(await left("d", "==", "4.75")).toBe(1);
    expect(await left("d", "!=", 3)).toBe(3);
    expect(await left("day", "<", "2024-02-01")).toBe(1);
    expect(await left("day", "<", "2024-02-01T00:00:01")).toBe(2);
    expect(await left("day", ">=", new Date("2024-03-01T00:00:00Z"))).toBe(2);
    expect(await left("at", ">", "2024-03-01T00:00:00+02:00")).toBe(2);
    await expect(left("day", "<", "soon")).rejects.toThrow(/is no date/);
  });
});

test("JSON has no sign for them: they are written as they are shown, and read as texts", async () => {
  const path = folder.path("each.jsonl");
  const x = rg.zip({ d: of("decimal(38, 2)", "12345678901234567890.10"), at: of("date", "2024-02-29") });
  await rg.toJsonLines(rg.lazy(x), path);
  const y = await (await rg.fromJsonLines(path, { type: "{at: string, d: float64}" })).compute(inline);
  expect(y.toList()).toEqual([{ at: "2024-02-29", d: Number("12345678901234567890") }]);
  await expect(rg.fromJsonLines(path, { type: "{at: date}" })).rejects.toThrow(/no sign/);
});

describe("Arrow", () => {
  test("what goes out through IPC comes back", async () => {
    const x = rg.zip(
      { each: typed(), span: rg.valuesAstype([SPAN[1], null, SPAN[2]], SPAN[0]) },
      { depthLimit: 1 },
    ) as rg.RaggedArray;
    const vector = (await rg.toArrow(x)) as unknown as arrow.Vector;
    const bytes = arrow.tableToIPC(new arrow.Table({ x: vector }));
    const y = rg.fromArrow(arrow.tableFromIPC(bytes) as never).field("x");
    expect([y.type, y.toList()]).toEqual([x.type, x.toList()]);
  });

  test("Arrow's own types", () => {
    const taken = (values: readonly unknown[], type: arrow.DataType): unknown => {
      const x = rg.fromArrow(arrow.vectorFromArray(values, type) as never);
      return [x.type, x.toList()];
    };
    const dates = [new Date(0), null, new Date("2024-02-29T00:00:00Z")];
    for (const type of [new arrow.DateDay(), new arrow.DateMillisecond()])
      expect(taken(dates, type)).toEqual(["3 * ?date", ["1970-01-01", null, "2024-02-29"]]);
    expect(taken([1.5e12, null], new arrow.TimestampMillisecond("Asia/Tokyo"))).toEqual([
      '2 * ?timestamp[ms, "Asia/Tokyo"]'.replace('"Asia/Tokyo"', '"Asia/Tokyo"'),
      ["2017-07-14T02:40:00Z", null],
    ]);
    expect(taken([90n], new arrow.DurationSecond())).toEqual(["1 * duration[s]", ["PT1M30S"]]);
    expect(taken([Int32Array.of(1, 500)], new arrow.IntervalDayTime())).toEqual([
      "1 * interval",
      ["P1DT0.500S"],
    ]);
    const days = arrow.vectorFromArray(dates, new arrow.DateDay()).slice(1);
    expect(rg.fromArrow(days as never).toList()).toEqual([null, "2024-02-29"]);
  });

  test("maps are objects where keys are texts, pairs elsewhere", async () => {
    const buffers = {
      "node0-offsets": Int32Array.of(0, 2, 3),
      "node2-offsets": Int32Array.of(0, 1, 2, 3),
      "node3-data": new TextEncoder().encode("abc"),
      "node4-data": BigInt64Array.of(1n, 2n, 3n),
    };
    const x = rg.fromBuffers(rg.parseType("map[string, int64]").form, 2, buffers);
    expect([x.type, x.toList()]).toEqual(["2 * map[string, int64]", [{ a: 1, b: 2 }, { c: 3 }]]);
    const back = rg.fromArrow(await rg.toArrow(x));
    expect([back.type, back.toList()]).toEqual([x.type, x.toList()]);
  });
});
