// Elements by about their ranks. In: arrays of several dtypes with ties, NaN and infinities, in any chunks. Out: elements whose ranks are
// off by no more than is stated, the same every way of computing.

import * as cw from "chunkwise";
import { afterAll, expect, test } from "vitest";
import { elementsBySamples } from "../../src/array/bySamples.ts";
import { needThreads, Ways } from "../ways.ts";

needThreads();
const ways = new Ways();
afterAll(() => ways.agree(), 60_000);

const LENGTH = 12_000;
const RANKS = [0, 1, 600, 6000, 11_000, 11_999];
const ranks = cw.asarray(BigInt64Array.from(RANKS, BigInt));
/** Blocks of 3000 elements. */
const MOST = 8 * 3000;

const places = cw.arange(LENGTH, { dtype: "int64" });
const arrays: { readonly [name: string]: cw.LazyArray } = {
  "all differ": places.multiply(7919).remainder(LENGTH).astype("float64").rechunk(1500),
  "in order, in two axes": places.astype("float32").reshape([100, 120]).rechunk([37, 60]),
  "ties, below 0": places.multiply(7919).remainder(50).subtract(25).rechunk(3500),
};

test.each(Object.entries(arrays))("%s: ranks are off by a thousandth, and one for each block", (_, x) => {
  const [found, all] = ways.compute([elementsBySamples(x, ranks, true, MOST), x.reshape([-1]).sort()]);
  const sorted = all!.toList() as number[];
  (found!.toList() as number[]).forEach((value, i) => {
    const [first, last] = [sorted.indexOf(value), sorted.lastIndexOf(value)];
    expect(first).toBeGreaterThanOrEqual(0);
    const off = Math.max(0, first - RANKS[i]!, RANKS[i]! - last);
    expect(off).toBeLessThanOrEqual(LENGTH / 1000 + 8);
  });
});

test("NaN is found where it is to be, and left out otherwise", () => {
  const x = cw.where(places.remainder(3).equal(0), Number.NaN, places.astype("float64")).rechunk(2000);
  const wanted = cw.asarray(BigInt64Array.of(4000n, 8000n));
  const [poisoned, plain] = ways.compute([
    elementsBySamples(x, wanted, true, MOST),
    elementsBySamples(x, wanted, false, MOST),
  ]);
  expect(poisoned!.toList()).toEqual([NaN, NaN]);
  const [middle, behind] = plain!.toList() as number[];
  expect(Math.abs(middle! - 6000)).toBeLessThan(20);
  expect(behind).toBeNaN();
});

test("what a task can hold is exact all the same; other values of the option are refused", () => {
  const x = cw.asarray([3, 1, 2, 5]);
  expect(x.quantile(0.5, { approximate: true }).computeSync().item()).toBe(2.5);
  expect(x.median({ approximate: true }).computeSync().item()).toBe(2.5);
  expect(() => x.median({ approximate: "yes" as never })).toThrow(/approximate is "yes"/);
});

test("quantiles, medians and take of lengths that depend on data", async () => {
  const x = cw.arange(20, { dtype: "float64", chunks: 6 });
  const high = x.get(x.greater(9));
  expect((await high.median().compute()).item()).toBe(14.5);
  expect((await high.quantile([0, 1], { keepdims: true }).compute()).toList()).toEqual([[10], [19]]);
  const last = high.argsort({ descending: true }).get(":2");
  expect((await cw.take(high, last).compute()).toList()).toEqual([19, 18]);
  expect((await cw.take(x, cw.nonzero(x.greater(17))[0]!).compute()).toList()).toEqual([18, 19]);
});
