// Dates and times as dtypes: made of text and shown as text, compared, subtracted, cast, moved and stored, as NumPy has them
// (fixtures/generate.py); and nothing else is done with them.

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ALL_DTYPES, type TimeDType } from "../../src/core/dtype.ts";
import { storedTime, timeShown } from "../../src/core/times.ts";
import { Ways } from "../ways.ts";

interface Case {
  readonly a: { readonly dtype: TimeDType; readonly values: string[] };
  readonly b: { readonly dtype: TimeDType; readonly values: string[] };
  readonly [name: string]: unknown;
}

const fixtures = JSON.parse(readFileSync(`${import.meta.dirname}/fixtures/numpy.json`, "utf8"));
const whole = ({ dtype, values }: { dtype: TimeDType; values: string[] }): cw.LazyArray =>
  cw.asarray(values.map(BigInt), { dtype, chunks: 3 });

describe("as NumPy", () => {
  test("text", () => {
    for (const [dtype, cases] of Object.entries<[string, string][]>(fixtures.texts))
      for (const [stored, text] of cases) {
        expect(timeShown(dtype as TimeDType, BigInt(stored)), `${dtype} ${stored}`).toBe(text);
        expect(storedTime(text, dtype as TimeDType)).toBe(BigInt(stored));
      }
  });

  test("comparisons, differences and sums, with no time among them", async () => {
    const { equal, notEqual, less, lessEqual, greater, greaterEqual, subtract, add } = cw;
    const tests = { equal, notEqual, less, lessEqual, greater, greaterEqual };
    const names = Object.keys(tests) as (keyof typeof tests)[];
    const ways = new Ways();
    for (const { a, b, ...expected } of fixtures.pairs as Case[]) {
      const [x, y] = [whole(a), whole(b)];
      const found = names.map((name) => tests[name](x, y));
      const results = await cw.compute(found);
      names.forEach((name, i) => {
        expect(results[i]!.toList(), `${a.dtype} ${name} ${b.dtype}`).toEqual(expected[name]);
      });
      ways.add(found, results);
      for (const [name, call] of Object.entries({ subtract, add })) {
        const wanted = expected[name] as { dtype: string; values: string[] } | null;
        if (wanted === null) {
          expect(() => call(x, y), `${a.dtype} ${name} ${b.dtype}`).toThrow(cw.DTypeError);
          continue;
        }
        const result = await call(x, y).compute();
        expect([result.dtype, Array.from(result.data, String)]).toEqual([wanted.dtype, wanted.values]);
      }
    }
    await ways.agree();
  });

  test("units", async () => {
    for (const { from, to, values, expected } of fixtures.units) {
      const x = whole({ dtype: from, values }).astype(to);
      expect(Array.from((await x.compute()).data, String), `${from} as ${to}`).toEqual(expected);
    }
  });
});

test("what is shown, parsed again, is the same", () => {
  const times = ALL_DTYPES.filter((dtype): dtype is TimeDType => dtype.startsWith("datetime64"));
  fc.assert(
    fc.property(fc.constantFrom(...times), fc.bigInt({ min: -50_000n, max: 90_000n }), (dtype, stored) => {
      expect(storedTime(timeShown(dtype, stored), dtype)).toBe(stored);
    }),
    { numRuns: 500 },
  );
});

describe("arrays", () => {
  const days = cw.asarray(["2020-06-30", "2020-07-01", "NaT", new Date("2021-01-01T00:00:00Z")], {
    dtype: "datetime64[D]",
    chunks: 2,
  });

  test("print, and give text", async () => {
    const result = await days.compute();
    expect(result.dtype).toBe("datetime64[D]");
    expect(result.toList()).toEqual(["2020-06-30", "2020-07-01", "NaT", "2021-01-01"]);
    expect(String(result)).toBe("[2020-06-30, 2020-07-01,        NaT, 2021-01-01]\ndatetime64[D] [4]");
    expect(JSON.stringify(result)).toBe('["2020-06-30","2020-07-01","NaT","2021-01-01"]');
    expect(result.data).toBeInstanceOf(BigInt64Array);
    expect(() => +(days.get(0).computeSync() as unknown as number)).toThrow("A date or time is none");
  });

  test("are selected, turned, joined and chosen from", async () => {
    const ways = new Ways();
    const arrays = [
      days.get("::-1"),
      days.get([3, 0]),
      days.get(days.greater(cw.asarray("2020-07-01", { dtype: "datetime64[s]" }))),
      cw.concat([days, days]),
      days.reshape([2, 2]).T,
      cw.where(days.notEqual(days), cw.asarray("1970-01-01", { dtype: "datetime64[D]" }), days),
      cw.stack([days, days], { axis: 1 }),
      days.set(0, cw.asarray("1999-12-31", { dtype: "datetime64[D]" })),
    ];
    const found = await cw.compute(arrays);
    expect(found.map((array) => array.toList())).toEqual([
      ["2021-01-01", "NaT", "2020-07-01", "2020-06-30"],
      ["2021-01-01", "2020-06-30"],
      ["2021-01-01"],
      [...days.computeSync(), ...days.computeSync()],
      [
        ["2020-06-30", "NaT"],
        ["2020-07-01", "2021-01-01"],
      ],
      ["2020-06-30", "2020-07-01", "1970-01-01", "2021-01-01"],
      (days.computeSync().toList() as string[]).map((day) => [day, day]),
      ["1999-12-31", "2020-07-01", "NaT", "2021-01-01"],
    ]);
    for (const array of found) expect(array.dtype).toBe("datetime64[D]");
    ways.add(
      arrays.filter((_, i) => i !== 2),
      found.filter((_, i) => i !== 2),
    );
    await ways.agree();
  });

  test("nothing else is computed with them, and the error says how", () => {
    const calls = [
      () => days.sum(),
      () => days.mean(),
      () => days.multiply(2),
      () => days.add(1),
      () => days.sqrt(),
      () => days.sort(),
      () => days.greater(3),
      () => cw.matmul(days, days),
      () => days.add(days),
      () => days.astype("bool"),
    ];
    for (const call of calls) expect(call, String(call)).toThrow(cw.DTypeError);
    expect(() => days.sum()).toThrow(
      'sum: datetime64[D] are no numbers to compute with. Take their whole numbers: x.astype("int64")',
    );
    expect(() => days.astype("datetime64[M]")).toThrow("a month is no number of days");
    expect(() => cw.asarray(["yesterday"], { dtype: "datetime64[D]" })).toThrow(
      '"yesterday" is no value of datetime64[D]',
    );
    expect(() => cw.asarray(["2020-07-01T05"], { dtype: "datetime64[D]" })).toThrow("Use a finer unit");
  });

  test("their numbers are computed with", async () => {
    const [first] = (await days.get(":2").astype("float64").mean().compute()).toContiguous().data;
    expect(first).toBe(18443.5);
  });
});

describe.each([2, 3] as const)("Zarr v%s", (zarrFormat) => {
  test("every unit is written and read again", async () => {
    const store = new cw.MemoryStore();
    for (const dtype of ALL_DTYPES.filter((name) => name.includes("64["))) {
      const x = cw.asarray([0n, 5n, -(2n ** 63n)], { dtype: dtype as TimeDType, chunks: 2 });
      await x.toZarr(store, { path: dtype.replace(/\W/g, "_"), zarrFormat });
      const back = await cw.fromZarr(store, { path: dtype.replace(/\W/g, "_") });
      expect(back.dtype).toBe(dtype);
      expect((await back.compute()).toList()).toEqual(x.computeSync().toList());
    }
  });

  test("counted, as the CF conventions have it, and decoded", async () => {
    const store = new cw.MemoryStore();
    const x = cw.asarray(["2020-06-30T06", "2020-07-01T00", "NaT"], { dtype: "datetime64[h]" });
    await x.toZarr(store, { zarrFormat, encode: { units: "hours since 2000-01-01", fillValue: -1 } });
    const raw = await cw.fromZarr(store);
    expect([raw.dtype, raw.attributes["units"]]).toEqual(["int64", "hours since 2000-01-01"]);
    const back = await cw.fromZarr(store, { decode: true });
    expect((await back.astype("datetime64[h]").compute()).toList()).toEqual(x.computeSync().toList());
  });

  test("packed, and unpacked", async () => {
    const store = new cw.MemoryStore();
    const x = cw.asarray([1.25, -3.5, Number.NaN, 300]).withAttributes({ units: "K" });
    const packing = { dtype: "int16", scaleFactor: 0.25, addOffset: 10, fillValue: -32768 } as const;
    await x.toZarr(store, { zarrFormat, encode: packing });
    expect((await cw.fromZarr(store)).dtype).toBe("int16");
    const back = await cw.fromZarr(store, { decode: true });
    expect((await back.compute()).toList()).toEqual([1.25, -3.5, Number.NaN, 300]);
    expect(back.attributes).toEqual({ units: "K" });
  });
});
