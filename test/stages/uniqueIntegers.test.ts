// Values of many whole numbers: counted where they lie within a short range, sorted elsewhere, the same either way.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";

needThreads();

const COUNT = 70_000;
const spread = (i: number, least: number, bins: number): number => least + ((i * 7919) % bins);

const CASES = [
  ["int8", -128, 256],
  ["uint8", 0, 200],
  ["int16", -3000, 501],
  ["int32", -2_147_483_648, 1000],
  ["uint32", 4_294_966_000, 1200],
  ["int64", -9_007_199_254_740_000, 900],
  ["uint64", 0, 65],
  // A range that nobody counts.
  ["int32", -1_000_000_000, 2_000_000_011],
] as const;

/** By a map, as whoever counts by hand would. */
function countedByHand(values: readonly number[]): [number[], number[]] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => a - b);
  return [sorted.map(([value]) => value), sorted.map(([, count]) => count)];
}

test.each(CASES)("%s from %i on, %i of them", async (dtype, least, bins) => {
  const values = Array.from({ length: COUNT }, (_, i) => spread(i, least, bins));
  const [known, howOften] = countedByHand(values);
  const x = cw
    .asarray(BigInt64Array.from(values, BigInt), { dtype: "int64", chunks: [9973] })
    .astype(dtype)
    .reshape([7, -1]);
  const ways = new Ways();
  const { values: found, counts } = cw.uniqueCounts(x);
  const inverse = cw.uniqueInverse(x);
  const results = ways.compute([found, counts, cw.uniqueValues(x), inverse.values, inverse.inverseIndices]);
  expect(results[0]!.dtype).toBe(dtype);
  expect([...results[0]!]).toEqual(known);
  expect([...results[1]!]).toEqual(howOften);
  for (const again of [results[2]!, results[3]!]) expect([...again]).toEqual(known);
  expect([...results[4]!].map((place) => known[Number(place)])).toEqual(values);
  await ways.agree();
});
