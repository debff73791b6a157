// Calls that need a length which is not known yet wait for it. In: selections of selections. Out: what the same calls give of
// arrays that are settled.

import * as cw from "chunkwise";
import { afterAll, describe, expect, test } from "vitest";
import { needThreads, Ways } from "../ways.ts";

needThreads();
const ways = new Ways();
afterAll(() => ways.agree(), 120_000);

const x = cw
  .arange(60, { chunks: [7], dtype: "float64" })
  .multiply(7)
  .remainder(31);
const chosen = x.get(x.greater(9));
const plain = cw.asarray(chosen.computeSync());
const wide = cw.arange(48, { dtype: "int32" }).reshape([12, 4]).rechunk([5, 3]);
const rows = wide.get(wide.get(":", 0).remainder(8).equal(0));
const plainRows = cw.asarray(rows.computeSync());

describe("calls on arrays of unknown length give what they give of known ones", () => {
  const CALLS: { readonly [name: string]: (a: cw.LazyArray, b: cw.LazyArray) => cw.LazyArray } = {
    first: (a) => a.get(0),
    last: (a) => a.get(-1),
    "a range": (a) => a.get("3:-2"),
    "every third, backwards": (a) => a.get("::-3"),
    "beside a whole axis": (_, b) => b.get("1:", ":2"),
    "a row": (_, b) => b.get(-1),
    "a new axis": (a) => a.get(null, "2:"),
    flip: (_, b) => b.flip(),
    sort: (a) => a.sort({ descending: true }),
    argsort: (a) => a.argsort(),
    "sum, mean and max": (a) => a.sum().add(a.mean()).add(a.max()),
    "variance along an axis": (_, b) => b.astype("float64").var({ axis: 0 }),
    "running totals": (a) => a.cumulativeSum(),
    concat: (a) => cw.concat([a, cw.asarray([1, 2]).astype("float64"), a]),
    stack: (a) => cw.stack([a, a.negative()], { axis: 1 }),
    transpose: (_, b) => b.T,
    moveaxis: (_, b) => cw.moveaxis(b, 0, 1),
    where: (a) => cw.where(a.greater(20), a, -1),
    expandDims: (a) => a.expandDims({ axis: 0 }),
    "clip and cast": (a) => a.clip(10, 20).astype("int16"),
    "a mask of it": (a) => a.get(a.less(25)).get("1:"),
    "values where they came from": (a) => a.set(a.less(25), a.get(a.less(25)).negative()),
    "set by a mask of it": (a) => a.set(a.less(25), 0),
    unique: (a) => cw.uniqueValues(a),
    counts: (a) => cw.uniqueCounts(a).counts,
    inverse: (a) => cw.uniqueInverse(a).inverseIndices,
    "first places": (a) => cw.uniqueAll(a).indices,
    nonzero: (a) => cw.nonzero(a.subtract(10))[0]!,
    searchsorted: (a) => cw.searchsorted(a.sort(), [5, 15]),
    matmul: (_, b) => b.T.matmul(b),
    argmax: (a) => a.argmax(),
  };
  test.each(Object.keys(CALLS))("%s", (name) => {
    const call = CALLS[name]!;
    const [found, expected] = [ways.compute([call(chosen, rows)])[0]!, call(plain, plainRows).computeSync()];
    expect([found.dtype, found.shape]).toEqual([expected.dtype, expected.shape]);
    expect(found.toList()).toEqual(expected.toList());
  });
});

test("what is wrong with a length shows when it is known, and says which", async () => {
  await expect(chosen.get(500).compute()).rejects.toThrow(/index 500 is out of range/);
  const none = x.get(x.greater(1000));
  expect(none.sum().computeSync().item()).toBe(0);
  await expect(none.max().compute()).rejects.toThrow(/the max of no elements/);
});
