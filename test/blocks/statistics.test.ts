// Groups, histograms and averages beyond what the oracle asks (test/oracle): any chunks give what one chunk gives, known labels cost
// what is there, several reductions are one pass, and what does not fit is told of.

import * as cw from "chunkwise";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";

needThreads();
const ways = new Ways();
afterAll(() => ways.agree(), 60_000);

const wholeNumbers = (n: number, seed: number, limit = 50): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => (((i + 1) * 7919 + seed * 31) % limit) - limit / 2);

const withHoles = (x: Float64Array): Float64Array => x.map((value, i) => (i % 5 === 3 ? Number.NaN : value));

describe("groups whose labels are known", () => {
  const given = fc.record({
    n: fc.integer({ min: 1, max: 80 }),
    chunk: fc.integer({ min: 1, max: 9 }),
    seed: fc.nat({ max: 99 }),
    order: fc.constantFrom("sorted", "periodic", "any"),
    reduce: fc.constantFrom("sum", "nanmean", "max", "nanmin", "count", "nancount", "any", "std"),
  });

  test("any chunks, sorted labels or months that come again ≡ one chunk", () => {
    fc.assert(
      fc.property(given, ({ n, chunk, seed, order, reduce }) => {
        const x = new cw.NDArray(withHoles(wholeNumbers(2 * n, seed)), [n, 2]);
        const labelOf = {
          sorted: (i: number) => i >> 2,
          periodic: (i: number) => i % 12,
          any: (i: number) => (i * i) % 7,
        };
        const labels = Int32Array.from({ length: n }, (_, i) => (i % 11 === 5 ? -1 : labelOf[order](i)));
        const options = { axis: 0, reduce, numLabels: 40 } as const;
        const of = (chunks: number[], given: cw.Operand): unknown[] => [
          ...cw.groupbyReduce(cw.asarray(x, { chunks }), given, options).computeSync(),
        ];
        const one = of([n, 2], cw.asarray(labels));
        const many = of([Math.min(chunk, n), 1], labels);
        many.forEach((value, i) => {
          if ((reduce === "std" || reduce === "nanmean") && !Number.isNaN(value))
            expect(value).toBeCloseTo(one[i] as number, 10);
          else expect(value).toBe(one[i]);
        });
      }),
      { numRuns: 40 },
    );
  });

  test("a hundred thousand labels, each in one chunk: what is written follows the array, and not labels times chunks", () => {
    const x = cw.ones([100_000], { chunks: [1000] });
    const labels = Int32Array.from({ length: 100_000 }, (_, i) => i);
    const known = cw.plan(cw.groupbyReduce(x, labels, { reduce: "sum" }));
    expect(known.bytesWritten).toBeLessThan(8 * 500_000);
    const months = Int32Array.from({ length: 1200 }, (_, i) => i % 12);
    const cube = cw.ones([1200, 50, 40], { chunks: [4, 50, 40] });
    const partials = (given: cw.Operand): number =>
      cw.plan(cw.groupbyReduce(cube, given, { axis: 0, reduce: "sum", numLabels: 12 })).bytesWritten;
    expect(2 * partials(months)).toBeLessThan(partials(cw.asarray(months)));
  });

  test("several reductions are one pass over the array", () => {
    const x = cw.asarray(wholeNumbers(4000, 3), { chunks: [100] });
    const labels = cw.asarray(
      Int32Array.from({ length: 4000 }, (_, i) => i % 3),
      { chunks: [100] },
    );
    const made = cw.groupbyReduce(x, labels, { reduce: ["mean", "max", "nancount"], numLabels: 3 });
    const plan = cw.plan([made.mean, made.max, made.nancount]);
    // Once the elements, and the labels no more often than for each of the three and the counts.
    expect(plan.bytesRead).toBeLessThan(8 * 4000 + 4 * 4 * 4000 + 20_000);
    expect(Object.keys(made)).toEqual(["mean", "max", "nancount"]);
    const found = ways.compute([made.mean, made.max, made.nancount]);
    expect(found[2]!.toList()).toEqual([1334, 1333, 1333]);
  });
});

describe("places, first and last", () => {
  const x = cw.asarray(
    [
      [3, Number.NaN],
      [1, 2],
      [3, 5],
      [0, 5],
    ],
    { dtype: "float64", chunks: [1, 2] },
  );
  const of = (reduce: cw.GroupReduction): unknown =>
    ways.compute([cw.groupbyReduce(x, [0, 1, 0, 1], { axis: 0, reduce, numLabels: 3 })])[0]!.toList();

  test("are those of the whole axis; of nothing −1, and NaN", () => {
    expect(of("argmax")).toEqual([
      [0, 0],
      [1, 3],
      [-1, -1],
    ]);
    expect(of("nanargmax")).toEqual([
      [0, 2],
      [1, 3],
      [-1, -1],
    ]);
    expect(of("argmin")).toEqual([
      [0, 0],
      [3, 1],
      [-1, -1],
    ]);
    expect(of("first")).toEqual([
      [3, NaN],
      [1, 2],
      [NaN, NaN],
    ]);
    expect(of("nanfirst")).toEqual([
      [3, 5],
      [1, 2],
      [NaN, NaN],
    ]);
    expect(of("last")).toEqual([
      [3, 5],
      [0, 5],
      [NaN, NaN],
    ]);
  });
});

describe("histograms", () => {
  const cases = fc.record({
    n: fc.integer({ min: 1, max: 300 }),
    chunk: fc.integer({ min: 1, max: 70 }),
    bins: fc.integer({ min: 1, max: 30 }),
    seed: fc.nat({ max: 99 }),
  });

  test("any chunks ≡ one chunk; every element is in a bin whose edges it lies between", () => {
    fc.assert(
      fc.property(cases, ({ n, chunk, bins, seed }) => {
        const data = wholeNumbers(n, seed, 37).map((value) => value / 7);
        const whole = cw.histogram(data, bins);
        const { counts, edges } = cw.histogram(cw.asarray(data, { chunks: Math.min(n, chunk) }), bins);
        expect(counts.computeSync().toList()).toEqual(whole.counts.computeSync().toList());
        const limits = [...edges.computeSync()] as number[];
        const expected = new Array<number>(bins).fill(0);
        for (const value of data) {
          const at = limits.findIndex(
            (edge, i) => i < bins && value >= edge && (value < limits[i + 1]! || i === bins - 1),
          );
          expected[at]!++;
        }
        expect(counts.computeSync().toList()).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("memory follows chunks and bins", () => {
    const x = cw.ones([400_000], { chunks: [10_000] });
    expect(
      cw.plan(Object.values(cw.histogram(x, { bins: 100, range: [0, 2] }))).maxProjectedMem,
    ).toBeLessThan(1_000_000);
  });

  test("of elements without a range an error says so when it is computed", () => {
    const { counts } = cw.histogram(cw.asarray([1, Number.NaN, 2], { dtype: "float64" }), 4);
    expect(() => counts.computeSync()).toThrow(/between NaN and NaN, which is no range/);
    const falling = cw.histogram([1, 2, 3], cw.asarray([3, 1]));
    expect(() => falling.counts.computeSync()).toThrow(/edges of bins do not rise/);
  });

  test("as a method; bins by place or by name", () => {
    const x = cw.asarray([0.5, 1.5, 1.7]);
    const [a, b] = [x.histogram(2), x.histogram({ bins: 2 })];
    expect(a.counts.computeSync().toList()).toEqual([1, 2]);
    expect(b.counts.computeSync().toList()).toEqual([1, 2]);
    expect(x.digitize([0, 1, 2]).computeSync().toList()).toEqual([1, 2, 2]);
  });
});

describe("how many labels there are is found out when it is computed", () => {
  const given = fc.record({
    labels: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
    chunk: fc.integer({ min: 1, max: 70 }),
    least: fc.integer({ min: 0, max: 12 }),
  });
  const lazy = (labels: readonly number[], chunk: number): cw.LazyArray<"int32"> =>
    cw.asarray(Int32Array.from(labels), { chunks: [Math.max(1, Math.min(chunk, labels.length))] });

  test("counts are those of labels in memory", () => {
    fc.assert(
      fc.property(given, ({ labels, chunk, least: minLength }) => {
        const weights = labels.map((label, i) => label + (i % 3) / 2);
        const late = lazy(labels, chunk);
        const [counts, weighed] = ways.compute([
          cw.bincount(late, { minLength }),
          cw.bincount(late, { minLength, weights }),
        ]);
        expect(counts).toEqual(cw.bincount(labels, { minLength }).computeSync());
        expect(weighed).toEqual(cw.bincount(labels, { minLength, weights }).computeSync());
      }),
      { numRuns: 40 },
    );
  });

  test("so are groups, of several reductions, with axes before and behind", () => {
    fc.assert(
      fc.property(given, ({ labels, chunk }) => {
        const x = cw.asarray(new cw.NDArray(wholeNumbers(6 * labels.length, 5), [2, labels.length, 3]), {
          chunks: [1, Math.max(1, Math.min(chunk, labels.length)), 2],
        });
        const reduce = ["mean", "nanmax", "argmin", "count"] as const;
        const options = { axis: 1, reduce, fillValue: 7 };
        const late = cw.groupbyReduce(x, lazy(labels, chunk), options);
        const known = cw.groupbyReduce(x, labels, {
          ...options,
          numLabels: Math.max(0, ...labels.map((l) => l + 1)),
        });
        const found = ways.compute(reduce.map((name) => late[name]));
        found.forEach((result, i) => expect(result).toEqual(known[reduce[i]!].computeSync()));
      }),
      { numRuns: 20 },
    );
  });

  test("results of the same labels are as long as each other, and what a mask selects is counted", async () => {
    const labels = lazy([3, 1, 1, 5], 2);
    const x = cw.asarray([1, 2, 3, 4], { dtype: "float64" });
    const { max, min } = cw.groupbyReduce(x, labels, { reduce: ["max", "min"], fillValue: 0 });
    expect(String(max)).toContain("float64 [?]");
    expect((await max.subtract(min).compute()).toList()).toEqual([0, 1, 0, 0, 0, 0]);
    expect((await cw.bincount(labels.get(labels.less(4))).compute()).toList()).toEqual([0, 2, 0, 1]);
  });

  test("numbers below 0 are told of, with their place", () => {
    expect(() => cw.bincount(cw.asarray([4, -2])).computeSync()).toThrow(/-2 at place 1 is below 0/);
  });
});

describe("what does not fit", () => {
  const x = cw.asarray([1, 2, 3], { dtype: "float64" });
  test.each<[string, () => unknown, RegExp]>([
    ["bins of nothing", () => cw.histogram(x, 0), /bins is 0.*1 or more/],
    ["bins by a rule", () => cw.histogram(x, "auto" as never), /bins is "auto".*number of bins/],
    ["edges that fall", () => cw.histogram(x, [3, 2, 1]), /do not rise: 3 is followed by 2/],
    ["a range that falls", () => cw.histogram(x, { range: [2, 1] }), /range is .*lower one first/],
    ["weights of another shape", () => cw.histogram(x, { weights: [1, 2] }), /weights have shape \[2\]/],
    ["complex numbers", () => cw.histogram(cw.astype(x, "complex128")), /real numbers/],
    ["a coordinate too few", () => cw.histogram2d(x, [1, 2]), /shapes \[3\] and \[2\]/],
    ["bins for other coordinates", () => cw.histogramdd([x, x], { bins: [2, 3, 4] }), /for 2 coordinates/],
    ["points without rows", () => cw.histogramdd(x), /shape \[3\].*row for each point/],
    ["numbers below 0", () => cw.bincount([1, -2]), /-2 is below 0/],
    ["fractions", () => cw.bincount([0.5]), /float64.*whole numbers/],
    [
      "weights of no axis",
      () =>
        cw.average(
          [
            [1, 2],
            [3, 4],
          ],
          { weights: [1, 2] },
        ),
      /weights have shape \[2\]/,
    ],
    [
      "frequencies that are fractions",
      () => cw.cov([[1, 2]], { fweights: [0.5, 1] }),
      /fweights are float64/,
    ],
    ["three axes of variables", () => cw.cov(cw.ones([2, 2, 2])), /one row for each variable/],
    [
      "a number and values of labels",
      () => cw.groupbyReduce(x, [1, 2, 1], { reduce: "sum", numLabels: 3, expected: [1] }),
      /both numLabels and expected/,
    ],
    [
      "a list with another name",
      () => cw.groupbyReduce(x, [1, 2, 1], { reduce: ["sum", "summ" as never] }),
      /reduce is "summ"/,
    ],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
    expect(run).toThrow(cw.ChunkwiseError);
  });

  test("what is told of when it is computed", () => {
    expect(() => cw.bincount(cw.asarray([0, 5]), { length: 3 }).computeSync()).toThrow(
      /the number 5 at place 1 is not below length, which is 3/,
    );
    expect(() => cw.bincount(cw.asarray([0, -5]), { length: 3 }).computeSync()).toThrow(
      /-5 at place 1 is below 0/,
    );
    expect(() => cw.nanargmax(cw.asarray([NaN, NaN])).computeSync()).toThrow(/nothing but NaN/);
  });
});
