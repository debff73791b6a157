// Shapes that depend on data: lengths that are found out by stages, when the computation runs.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw
  .arange(1000, { chunks: [100], dtype: "float64" })
  .sin()
  .multiply(10);

// How many are selected depends on the values: the length is not known yet, and nothing is computed.
const large = x.get(x.greater(9));
console.log(String(large).split("\n")[0]);

// What does not need the number works, and computing needs no further call.
const middle = large.sort().get("10:-10").mean();
console.log(`mean of the middle ${(await middle.compute()).item()?.toFixed(4)}`);

// Selections by the same mask are as long as each other; by different masks they are not known to be.
const places = cw.arange(1000, { chunks: [100] }).get(x.greater(9));
console.log(String(large.add(places).sum().computeSync().item()));
assert.throws(() => large.add(x.get(x.less(-9))), cw.UnknownLengthError);

// Who asks for the number has to settle it first: a run of its own that only counts.
assert.throws(() => large.shape, /await x\.settle\(\)/);
const settled = await large.settle();
console.log(`settled: ${settled.shape}`);

// A plan shows the first stage as it will be run, and what is planned when its results are known.
console.log(String(large.plan()));

// A mask may have several axes, and stand beside ranges.
const grid = cw.arange(12).reshape([3, 4]);
console.log(String(await grid.get(grid.remainder(3).equal(0)).compute()));
console.log(String(await grid.get(":", grid.get(0).greater(1)).compute()));

// Where the mask is true: one value, or as many as there are places.
console.log(String(await grid.set(grid.greater(8), [-1, -2, -3]).compute()));

// Functions whose results are as long as the data say. Several results are a record.
const [rows, columns] = cw.nonzero(grid.remainder(5).equal(0));
console.log(String(await cw.stack([rows!, columns!]).compute()));
const { values, counts } = cw.uniqueCounts(grid.remainder(5));
console.log(...(await cw.compute(values, counts)).map((found) => JSON.stringify(found.toList())));
