// Elements of whole arrays by the digits of their keys. In: arrays of every dtype with ties, NaN, zeros of both signs, in any chunks,
// digits of a few bits. Out: what sorting gives, every way of computing.

import * as cw from "chunkwise";
import { afterAll, expect, test } from "vitest";
import { elementsByDigits } from "../../src/array/byDigits.ts";
import { needThreads, Ways } from "../ways.ts";

needThreads();
const ways = new Ways();
afterAll(() => ways.agree(), 60_000);

const DTYPES = ["int8", "int16", "uint16", "int32", "uint64", "int64", "float32", "float64"] as const;
const RANKS = [0, 3, 20, 41];

test("the digits of keys lead to the elements of these ranks", () => {
  const base = cw.arange(42, { dtype: "int64" }).multiply(17).remainder(23).reshape([6, 7]);
  const made = DTYPES.flatMap((dtype) => {
    const x = base
      .subtract(dtype.startsWith("u") ? 0 : 11)
      .astype(dtype)
      .rechunk([4, 3]);
    const ranks = cw.asarray(BigInt64Array.from(RANKS, BigInt));
    return [elementsByDigits(x, ranks, false, 8), x.reshape([-1]).sort().get(cw.asarray(RANKS))];
  });
  const found = ways.compute(made);
  for (let i = 0; i < found.length; i += 2) expect(found[i]!.toList()).toEqual(found[i + 1]!.toList());
});

test("a NaN is found first where it is to be, and last otherwise", () => {
  const x = cw.asarray(Float64Array.from([2, NaN, -0, Infinity, -Infinity]), { chunks: 2 });
  const ranks = cw.asarray(BigInt64Array.from([1n, 3n, 4n]));
  const [poisoned, plain] = ways.compute([
    elementsByDigits(x, ranks, true),
    elementsByDigits(x, ranks, false),
  ]);
  expect(poisoned!.toList()).toEqual([NaN, NaN, NaN]);
  expect(plain!.toList()).toEqual([0, Infinity, NaN]);
});

test("the same quantile of the same array is the same expression: its ranks are computed with once", () => {
  const x = cw.arange(0, 40, 1, { dtype: "float64", chunks: 7 }).reshape([5, 8]);
  const calls: ((at: number) => cw.LazyArray)[] = [
    () => x.median(),
    (q) => x.quantile(q),
    (q) => x.quantile([q, 0.9], { axis: 1, method: "hazen" }),
  ];
  for (const call of calls) expect(call(0.3).expr).toBe(call(0.3).expr);
  for (const call of calls.slice(1)) expect(call(0.3).expr).not.toBe(call(0.4).expr);
  expect(x.quantile(0.3).expr).not.toBe(x.quantile(0.3, { method: "lower" }).expr);
});
