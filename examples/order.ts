// Order: sorting, the largest k, quantiles, of arrays of any size.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.asarray([3, 1, NaN, 2, 1]);
console.log(await x.sort().compute());
console.log(await x.argsort().compute());
console.log(await x.topk(2).compute());
console.log(await x.argtopk(2, { largest: false }).compute());
assert.deepEqual(x.argsort().computeSync().toList(), [1, 4, 3, 0, 2]);

const y = cw.asarray([
  [1, 4, 2, 8],
  [5, 7, 6, 9],
]);
console.log(await y.median({ axis: 1 }).compute());
console.log(await y.quantile([0.25, 0.75], { axis: 1 }).compute());
console.log(await y.percentile(30, { method: "lower" }).compute());
console.log((await x.nanmedian().compute()).item());
assert.deepEqual(y.median({ axis: 1 }).computeSync().toList(), [3, 6.5]);

// One pass over what no task can hold, and ranks that may be a little off.
const large = cw.arange(0, 3_000_000, 1, { dtype: "float64", chunks: 500_000 }).sin();
const [exactly, about] = await cw.compute(large.median(), large.median({ approximate: true }));
console.log(Math.abs(Number(about.item()) - Number(exactly.item())) < 0.005);
