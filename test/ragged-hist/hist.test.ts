// Histograms: counts, sums of weights and their squares are NumPy's (generate.py), in memory and over partitions; kinds of axes;
// parts and sums; what is read; pictures and rows.

import { readFileSync } from "node:fs";
import * as rg from "chunkwise/ragged";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../property/settings.ts";

const { axis } = rg;

interface Case {
  readonly axes: readonly (
    | { readonly regular: readonly [number, number, number] }
    | { readonly variable: readonly number[] }
  )[];
  readonly columns: readonly (readonly number[])[];
  readonly weights: readonly number[];
  readonly counts: unknown;
  readonly sums: unknown;
  readonly squares: unknown;
}
const CASES: readonly Case[] = JSON.parse(
  readFileSync(new URL("./fixture.json", import.meta.url), "utf8"),
) as Case[];

const FLOW = { flow: true } as const;
const histOf = ({ axes }: Case): rg.Hist =>
  rg.hist(
    ...axes.map((one) => ("regular" in one ? axis.regular(...one.regular) : axis.variable(one.variable))),
  );

describe("what NumPy counts", () => {
  test.each(CASES.map((one, number) => [number, one] as const))("case %i", async (_, one) => {
    const columns = one.columns.map((column) => Float64Array.from(column));
    const weight = Float64Array.from(one.weights);
    const counted = histOf(one).fill(...columns);
    expect(counted.values(FLOW).toList()).toEqual(one.counts);
    expect(counted.variances(FLOW).toList()).toEqual(one.counts);
    const weighed = histOf(one).fill(...columns, { weight });
    expect([weighed.values(FLOW).toList(), weighed.variances(FLOW).toList()]).toEqual([
      one.sums,
      one.squares,
    ]);

    const rows = rg.zip([...columns, weight]);
    const lazy = rg.unzip(rg.lazy(rows, { npartitions: 3 }));
    const [first, ...others] = lazy.slice(0, -1);
    const [again, both] = await rg.compute([
      histOf(one).fill(first!, ...others),
      histOf(one).fill(first!, ...others, { weight: lazy.at(-1)! }),
    ]);
    expect(again.values(FLOW).toList()).toEqual(one.counts);
    expect([both.values(FLOW).toList(), both.variances(FLOW).toList()]).toEqual([one.sums, one.squares]);
  });
});

describe("what is counted", () => {
  const rows = rg.fromIter([
    { met: 10, kind: "a", pt: [1, null, 3], day: new Date("2024-01-31T23:00:00Z"), ok: true, n: 2 },
    { met: null, kind: "b", pt: [], day: new Date("2024-02-29T00:00:00Z"), ok: false, n: 5 },
    { met: Number.NaN, kind: "a", pt: [7], day: null, ok: true, n: -1 },
  ]);

  test("lists of any depth, of what goes with them; nulls do not count, NaN is behind all", () => {
    const h = rg.hist(axis.integer(0, 4, { name: "pt" })).fill(rows.field("pt"));
    expect(h.values(FLOW).toList()).toEqual([0, 0, 1, 0, 1, 1]);
    const two = rg.hist(axis.integer(0, 4, { name: "pt" }), axis.regular(2, 0, 20, { name: "met" }));
    expect(
      two
        .fill({ met: rows.field("met"), pt: rows.field("pt") })
        .project("met")
        .values(FLOW)
        .toList(),
    ).toEqual([0, 0, 2, 1]);
    expect(
      rg
        .hist(axis.regular(1, 0, 1))
        .fill(0.5)
        .fill([0.25, 2])
        .sum(FLOW),
    ).toBe(3);
  });

  test("labels: given, growing in order, of whole numbers and of true and false", async () => {
    const given = rg.hist(axis.strCategory(["b", "c"])).fill(rows.field("kind"));
    expect(given.values(FLOW).toList()).toEqual([1, 0, 2]);
    const growing = rg.hist(
      axis.strCategory([], { growth: true, name: "kind" }),
      axis.boolean({ name: "ok" }),
    );
    const names = { kind: rows.field("kind"), ok: rows.field("ok") };
    const h = growing.fill(names);
    expect([h.axis("kind").labels, h.values().toList()]).toEqual([
      ["a", "b"],
      [
        [0, 2],
        [1, 0],
      ],
    ]);
    const lazy = rg.lazy(rows, { npartitions: 3 });
    const both = await growing.fill({ kind: lazy.field("kind"), ok: lazy.field("ok") }).compute();
    expect(both.toJSON()).toEqual(h.toJSON());
    expect(h.fill(["z"], { ok: true }).axis("kind").labels).toEqual(["a", "b", "z"]);
    expect(
      rg
        .hist(axis.intCategory([5, 2]))
        .fill(rows.field("n"))
        .values(FLOW)
        .toList(),
    ).toEqual([1, 1, 1]);
    expect(
      h
        .fill({ kind: "ß", ok: [true, false] })
        .get({ kind: "ß" })
        .values()
        .toList(),
    ).toEqual([1, 1]);
  });

  test("time by months, and dates as they are", () => {
    const months = axis.datetime("month", "2024-01-01", "2024-04-01", { name: "day" });
    expect(rg.hist(months).fill(rows.field("day")).values().toList()).toEqual([1, 1, 0]);
    const dates = rg.valuesAstype(["2024-02-29", "2024-03-01", "2023-12-31"], "date");
    expect(rg.hist(months).fill(dates).values(FLOW).toList()).toEqual([1, 0, 1, 1, 0]);
    expect(months.labels[1]).toBe("[2024-02-01, 2024-03-01)");
    expect(() => rg.hist(months).fill([1, 2])).toThrow(/dates and timestamps, not int64/);
    expect(() => rg.hist(axis.integer(0, 2)).fill(dates)).toThrow(/numbers, not date/);
  });

  test("logarithms, roots, circles, decimals, and no flow", () => {
    const log = axis.regular(3, 1, 1000, { transform: "log" });
    expect(rg.hist(log).fill([0.5, 1, 9.9, 10.1, 999, 1000]).values(FLOW).toList()).toEqual([1, 2, 1, 1, 1]);
    expect(axis.regular(2, 0, 16, { transform: "sqrt" }).edges).toEqual(Float64Array.of(0, 4, 16));
    const angle = axis.regular(4, -2, 2, { circular: true });
    expect(rg.hist(angle).fill([-2, 2, 3.5, -2.5, 6]).values().toList()).toEqual([3, 1, 0, 1]);
    const price = rg.valuesAstype(["1.10", "2.00"], "decimal(10, 2)");
    expect(
      rg
        .hist(axis.variable([1, 1.1, 2]))
        .fill(price)
        .values(FLOW)
        .toList(),
    ).toEqual([0, 0, 1, 1]);
    const closed = axis.integer(0, 2, { underflow: false, overflow: false });
    expect(rg.hist(closed).fill([-1, 0, 1, 2]).values(FLOW).toList()).toEqual([1, 1]);
  });

  test("as much in any partitions", () =>
    check(
      30,
      fc.tuple(
        fc.array(fc.tuple(fc.integer({ min: -3, max: 9 }), fc.constantFrom("x", "y", "z", "é")), {
          maxLength: 25,
        }),
        fc.integer({ min: 1, max: 12 }),
      ),
      async ([pairs, npartitions]) => {
        const h = rg.hist(
          axis.integer(0, 6, { name: "n" }),
          axis.strCategory([], { growth: true, name: "s" }),
        );
        const n = Int32Array.from(pairs, ([value]) => value);
        const s = rg.valuesAstype(
          pairs.map(([, text]) => text),
          "string",
        );
        const lazy = rg.lazy(rg.zip({ n, s }), { npartitions });
        const got = await h.fill(lazy.field("n"), lazy.field("s")).compute();
        const labels = [...new Set(pairs.map(([, text]) => text))];
        expect(got.axis("s").labels).toEqual(labels);
        const count = (bin: number, label: string): number =>
          pairs.filter(([value, text]) => text === label && Math.min(6, Math.max(-1, value)) === bin).length;
        expect(got.values(FLOW).toList()).toEqual(
          Array.from({ length: 8 }, (_, i) => labels.map((label) => count(i - 1, label))),
        );
      },
    ));
});

describe("lazily", () => {
  test("only the columns that are counted are read, and what is there is counted on", async () => {
    const events = rg.lazy(
      rg.fromIter([
        { met: 1, jets: [{ pt: 1, eta: 2 }] },
        { met: 2, jets: [] },
      ]),
      { npartitions: 2 },
    );
    const h = rg.hist(axis.integer(0, 3, { name: "pt" })).fill(events.field("jets", "pt"));
    expect(Object.values(h.necessaryColumns())).toEqual([["jets.pt"]]);
    expect(String(h.plan())).toMatch(/rg\.histPartial/);
    const more = h.fill([0, 0]).add(rg.hist(axis.integer(0, 3, { name: "pt" })).fill([2]));
    expect((await more.compute()).values().toList()).toEqual([2, 1, 1]);
    const other = await rg.hist(axis.integer(0, 3)).fill([1]).fill(events.field("met")).compute();
    expect(other.values().toList()).toEqual([0, 2, 1]);
  });

  test.each(["inline", "threads"] as const)("the same bits by %s", async (executor) => {
    const x = rg.lazy(
      Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i)),
      { npartitions: 7 },
    );
    const h = rg.hist(axis.regular(20, -1, 1)).fill(x, { weight: x.multiply(0.1) });
    const [a, b] = [await h.compute({ executor }), await h.compute({ executor: "inline" })];
    expect(a.toJSON()).toEqual(b.toJSON());
  });
});

describe("parts", () => {
  const h = rg
    .hist(axis.regular(6, 0, 6, { name: "x" }), axis.strCategory(["a", "b", "c"], { name: "s" }))
    .fill([-1, 0, 1, 2, 3, 4, 5, 6, 2], ["a", "a", "b", "b", "c", "c", "a", "d", "d"], { weight: 2 });

  test("a bin, a label, a place", () => {
    expect(h.get({ s: "b" }).values().toList()).toEqual([0, 2, 2, 0, 0, 0]);
    expect(h.get(rg.loc(3.5)).values(FLOW).toList()).toEqual([0, 0, 2, 0]);
    expect(h.get(-1, 0).item()).toBe(2);
    expect(h.get(rg.loc(1, 1), 1).item()).toBe(2);
    expect(() => h.get(9)).toThrow(/no bin 9/);
    expect(() => h.get({ s: "q" })).toThrow(/no bin "q"/);
  });

  test("ranges, whose rest goes to the flow; fewer bins; sums", () => {
    const cut = h.get({ x: [rg.loc(1), rg.loc(5), rg.rebin(2)] });
    expect(cut.axis("x").edges).toEqual(Float64Array.of(1, 3, 5));
    expect(cut.project("x").values(FLOW).toList()).toEqual([4, 6, 4, 4]);
    expect(
      h
        .get({ x: rg.rebin(4) })
        .project("x")
        .values(FLOW)
        .toList(),
    ).toEqual([2, 10, 6]);
    expect(
      h
        .get({ x: [null, null, "sum"] })
        .values(FLOW)
        .toList(),
    ).toEqual([6, 4, 4, 4]);
    expect(
      h
        .get({ x: [0, 6, "sum"] })
        .values(FLOW)
        .toList(),
    ).toEqual([4, 4, 4, 2]);
    expect(
      h
        .get({ s: ["c", "a"] })
        .project("s")
        .values(FLOW)
        .toList(),
    ).toEqual([4, 6, 8]);
  });

  test("axes in another order, scaled, added, normed", () => {
    const turned = h.project("s", "x");
    expect(turned.values().shape).toEqual([3, 6]);
    expect(turned.project("x", "s").toJSON()).toEqual(h.toJSON());
    expect(h.scale(0.5).variances().toList()).toEqual(h.scale(-0.5).variances().toList());
    expect(h.add(h.scale(-1)).sum(FLOW)).toBe(0);
    expect(h.add(h.scale(-1)).variances(FLOW).data).toEqual(
      h
        .scale(2 ** 0.5)
        .variances(FLOW)
        .data.map(Math.round),
    );
    const d = rg
      .hist(axis.variable([0, 1, 5]))
      .fill([0.5, 2, 3, 4])
      .density();
    expect(d.toList()).toEqual([0.25, 0.75 / 4]);
    expect(() => h.add(turned)).toThrow(/are added/);
  });
});

describe("out", () => {
  const one = rg.hist(axis.regular(2, 0, 2, { name: "x", label: "x <GeV>" })).fill([0.5, 1.5, 1.5]);
  const two = rg
    .hist(axis.datetime(2, "2024-01-01", "2024-01-03", { name: "t" }), axis.integer(0, 2, { name: "n" }))
    .fill(rg.valuesAstype(["2024-01-01", "2024-01-02"], "date"), [0, 1]);

  test("rows and marks for Observable Plot", () => {
    expect(one.toRows()).toEqual([
      { x0: 0, x1: 1, value: 1, variance: 1 },
      { x0: 1, x1: 2, value: 2, variance: 2 },
    ]);
    expect(two.toRows()[3]).toMatchObject({
      t0: new Date("2024-01-02"),
      t1: new Date("2024-01-03"),
      n0: 1,
      value: 1,
    });
    const called = (name: string) => (data: unknown, options: object) => ({ name, data, options });
    const Plot = { rectY: called("rectY"), rect: called("rect"), barY: called("barY"), cell: called("cell") };
    expect(one.toPlot(Plot)).toMatchObject({
      x: { label: "x <GeV>" },
      marks: [{ name: "rectY", data: one.toRows(), options: { x1: "x0", x2: "x1", y: "value" } }],
    });
    expect(two.toPlot(Plot).marks[0]).toMatchObject({ name: "rect", options: { fill: "value", y1: "n0" } });
  });

  test("pictures: a step for each bin, a cell for each that is not empty, every text escaped", () => {
    const svg = one.toSVG({ title: "a & b" });
    expect(svg).toMatch(/^<svg [^>]*viewBox="0 0 640 400"/);
    expect(svg).toContain("x &lt;GeV&gt;");
    expect(svg).toContain("<title>a &amp; b</title>");
    // From 0 up to a half, and to all.
    expect(svg).toMatch(/M64 352V192H340V32H616V352"/);
    expect(two.toSVG().match(/z(?=["M])/g)!.length).toBe(2 + 32);
    expect(two.toSVG({ log: true })).not.toMatch(/NaN|Infinity/);
    expect(one.scale(0).toSVG()).not.toMatch(/NaN|Infinity/);
    expect(() => one.toSVG({ width: -1 })).toThrow(/120 or more/);
  });
});

describe("what is not right is told early", () => {
  const met = axis.regular(2, 0, 1, { name: "met" });
  test.each([
    ["no axes", () => rg.hist(), /no axes/],
    ["one name twice", () => rg.hist(met, met), /two axes are called "met"/],
    ["no bins", () => axis.regular(0, 0, 1), /0 bins/],
    ["no width", () => axis.regular(2, 1, 1), /from 1 to 1/],
    ["edges that fall", () => axis.variable([1, 0]), /edge 1 is 0/],
    ["logarithm of 0", () => axis.regular(2, 0, 1, { transform: "log" }), /no edge/],
    ["labels twice", () => axis.strCategory(["a", "a"]), /labels/],
    ["an unknown axis", () => rg.hist(met).fill({ mte: [1] }), /no axis "mte"/],
    ["nothing for an axis", () => rg.hist(met).fill(), /nothing is given for the axis "met"/],
    ["too much", () => rg.hist(met).fill([1], [2]), /2 arguments for 1 axes/],
    ["texts", () => rg.hist(met).fill(["a"]), /numbers, not texts/],
    ["records", () => rg.hist(met).fill(rg.fromIter([{ a: 1 }])), /records among the values/],
    [
      "too many cells",
      () => rg.hist(axis.integer(0, 1e5), axis.integer(0, 1e5, { name: "y" })),
      /is the most/,
    ],
  ])("%s", (_, call, message) => {
    expect(call).toThrow(message);
  });
});
