// Quantiles of groups against a naive evaluator: the elements of each label, taken out, and quantiles of these.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const METHODS = ["linear", "lower", "nearest", "hazen", "median_unbiased", "inverted_cdf"] as const;
const DTYPES = ["float64", "float32", "int32", "uint8"] as const;
const cases = fc.record({
  rows: fc.integer({ min: 1, max: 4 }),
  labels: fc.array(fc.integer({ min: -1, max: 4 }), { minLength: 1, maxLength: 14 }),
  q: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
  seed: fc.nat({ max: 1000 }),
  dtype: fc.constantFrom(...DTYPES),
  method: fc.constantFrom(...METHODS),
  chunk: fc.integer({ min: 1, max: 6 }),
  nan: fc.boolean(),
  skips: fc.boolean(),
  axis: fc.constantFrom(0, 1),
  isLazy: fc.boolean(),
});
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

function values({ rows, labels, seed, dtype, nan }: Case): Float64Array {
  const draw = (i: number): number => (((i + seed) * 7919) % 11) - (dtype === "uint8" ? 0 : 5);
  const hasNaN = nan && dtype.startsWith("float");
  return Float64Array.from({ length: rows * labels.length }, (_, i) =>
    hasNaN && (i + seed) % 5 === 0 ? Number.NaN : draw(i),
  );
}

/** Rows of elements, chunked, with the labels along `axis`. */
function arrayOf(given: Case): cw.LazyArray {
  const { rows, labels, axis, chunk, dtype } = given;
  const whole = cw.asarray(new cw.NDArray(values(given), [rows, labels.length])).astype(dtype);
  return (axis === 1 ? whole : cw.permuteDims(whole, [1, 0])).rechunk([chunk, chunk]);
}

test("any labels, dtype and method ≡ quantiles of each label by itself", () => {
  fc.assert(
    fc.property(cases, (given) => {
      const { labels, q, axis, method, skips, rows, chunk } = given;
      const x = arrayOf(given);
      const numLabels = 5;
      const asked = given.isLazy ? cw.asarray(labels).astype("int64").rechunk([chunk]) : labels;
      const found = cw
        .groupbyReduce(x, asked, { reduce: skips ? "nanquantile" : "quantile", axis, q, method, numLabels })
        .computeSync();
      expect(found.shape).toEqual(axis === 1 ? [q.length, rows, numLabels] : [q.length, numLabels, rows]);
      for (let label = 0; label < numLabels; label++) {
        const places = labels.flatMap((own, at) => (own === label ? [at] : []));
        if (places.length === 0) continue;
        const part = cw.take(x, places, { axis });
        const expected = (skips ? cw.nanquantile : cw.quantile)(part, q, { axis, method }).computeSync();
        const got = cw.asarray(found).get(...(axis === 1 ? [null, null, label] : [null, label]).map(side));
        expect([...got.computeSync()], `label ${label}`).toEqual([...expected]);
      }
    }),
    { numRuns: 150 },
  );
});

const side = (at: number | null): number | cw.Slice => (at === null ? cw.slice(null) : at);

describe("what there is to know of them", () => {
  const x = [3, 1, 2, 40, 10, 30, Number.NaN];

  test("medians, with a label that has no elements, and one that has NaN", () => {
    const labels = [0, 0, 0, 1, 1, 1, 3];
    const options = { reduce: "median", numLabels: 5 } as const;
    expect([...cw.groupbyReduce(x, labels, options).computeSync()]).toEqual([2, 30, NaN, NaN, NaN]);
    const lazy = cw.asarray(labels).astype("int32");
    expect([...cw.groupbyReduce(x, lazy, options).computeSync()]).toEqual([2, 30, NaN, NaN, NaN]);
    const filled = cw.groupbyReduce(x, lazy, { ...options, reduce: "nanmedian", fillValue: -1 });
    expect([...filled.computeSync()]).toEqual([2, 30, -1, -1, -1]);
  });

  test("one q is no axis; several are the first", () => {
    const labels = [0, 0, 0, 1, 1, 1, -1];
    expect(cw.groupbyReduce(x, labels, { reduce: "quantile", q: 0.5 }).shape).toEqual([2]);
    const several = cw.groupbyReduce(x, labels, { reduce: "quantile", q: [0, 0.5, 1] });
    expect(several.computeSync().toList()).toEqual([
      [1, 10],
      [2, 30],
      [3, 40],
    ]);
  });

  test("beside other reductions, and with labels that are counted when computed", () => {
    const labels = cw.asarray([0, 0, 0, 1, 1, 1, 2]).astype("int64");
    const found = cw.groupbyReduce(x, labels, { reduce: ["sum", "median", "quantile"], q: [0.5] });
    expect([...found.sum.computeSync()]).toEqual([6, 80, NaN]);
    expect([...found.median.computeSync()]).toEqual([2, 30, NaN]);
    expect(found.quantile.computeSync().toList()).toEqual([[2, 30, NaN]]);
  });

  test("what is asked wrongly is told at once", () => {
    const labels = [0, 0, 0, 1, 1, 1, 2];
    const wrong = (options: object): (() => unknown) => {
      return () => cw.groupbyReduce(x, labels, { reduce: "quantile", ...options } as never);
    };
    expect(wrong({})).toThrow(/Pass q/);
    expect(wrong({ q: 2 })).toThrow(cw.ValueError);
    expect(wrong({ q: 0.5, method: "linea" })).toThrow(/linear/);
  });
});
