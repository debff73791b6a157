// topk, argtopk, partition and searches in long lists, block by block. In: arrays with ties, NaN, zeros of both signs, in any
// chunks. Out: what sorting or searching the whole gives, bit for bit, every way of computing.

import * as cw from "chunkwise";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { node } from "../../src/lazy/build.ts";
import { searchsortedIn } from "../../src/ops/order.ts";
import { needThreads, Ways } from "../ways.ts";

needThreads();
const ways = new Ways();
afterAll(() => ways.agree());

const ODD = [0, -0, Number.NaN, Infinity, -Infinity, 1, 1, 2];
const floats = (maxLength: number) =>
  fc.array(fc.oneof(fc.constantFrom(...ODD), fc.integer({ min: -5, max: 5 })), { minLength: 1, maxLength });
const bits = ({ data }: cw.NDArray): Uint8Array => new Uint8Array((data as Float64Array).slice().buffer);

test("topk is the begin of a sort, argtopk that of an argsort", () => {
  const cases = fc.tuple(
    floats(120),
    fc.integer({ min: 0, max: 9 }),
    fc.integer({ min: 1, max: 30 }),
    fc.boolean(),
  );
  const made = fc.sample(cases, { numRuns: 30, seed: 5 }).map(([values, given, chunk, largest]) => {
    const x = cw.asarray(Float64Array.from(values), { chunks: chunk });
    const k = Math.min(given, values.length);
    const order = { descending: largest };
    return [
      [x.topk(k, { largest }), x.sort(order).get(`:${k}`)],
      [x.argtopk(k, { largest }), x.argsort(order).get(`:${k}`)],
    ] as const;
  });
  const pairs = made.flat();
  const found = ways.compute(pairs.flat());
  pairs.forEach((_, i) => expect(bits(found[2 * i]!)).toEqual(bits(found[2 * i + 1]!)));
});

test("topk goes along any axis, and takes all dtypes that sort does", () => {
  const x = cw.arange(60, { dtype: "int64" }).multiply(37).remainder(61).reshape([3, 20]).rechunk([2, 5]);
  const made = (["int64", "uint8", "float16", "float32", "complex128", "bool"] as const).flatMap((dtype) => {
    const y = x.astype(dtype);
    return [y.topk(2, { axis: 1 }), y.sort({ axis: 1, descending: true }).get("...", ":2")];
  });
  made.push(x.topk(1, { axis: 0, largest: false }), x.sort({ axis: 0 }).get(":1"));
  const found = ways.compute(made);
  for (let i = 0; i < found.length; i += 2) expect(bits(found[i]!)).toEqual(bits(found[i + 1]!));
});

test("a long list is searched block by block", () => {
  const list = cw.asarray(Float64Array.from([-3, -1, 0, 0, 0, 1, 2, 2, 5, NaN, NaN]), { chunks: 3 });
  const values = cw.asarray(Float64Array.from([-4, 0, -0, 2, 6, NaN, -1]), { chunks: 2 }).reshape([1, 7]);
  const made = (["left", "right"] as const).flatMap((side) => [
    node(searchsortedIn, [list, values], { side, block: 3 }).sum({ axis: 0 }),
    cw.searchsorted(list, values, { side }),
  ]);
  const found = ways.compute(made);
  for (let i = 0; i < found.length; i += 2) expect(bits(found[i]!)).toEqual(bits(found[i + 1]!));
});

test("partition puts the kth in its place", () => {
  const x = cw.asarray([5, 1, 4, 2, 3]);
  expect(x.partition(2).get(2).computeSync().item()).toBe(3);
  expect(
    x
      .get(x.argpartition([1, -1]))
      .get(-1)
      .computeSync()
      .item(),
  ).toBe(5);
  expect(() => x.partition(5)).toThrow(/kth is 5/);
  expect(() => x.topk(6)).toThrow(/k is 6/);
});
