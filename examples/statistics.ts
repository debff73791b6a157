// Statistics: what leaves NaN out, averages with weights, covariances, histograms, and groups of several kinds.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

// Without NaN, in one pass.
const measured = cw.asarray([
  [1, Number.NaN, 3],
  [Number.NaN, Number.NaN, 8],
]);
console.log(cw.nanmean(measured, { axis: 1 }).computeSync().toList());
console.log(cw.nanargmax(measured, { axis: 1 }).computeSync().toList());
console.log(cw.nancumsum(measured, { axis: 1 }).computeSync().toList());
assert.deepEqual(cw.nansum(measured).computeSync().item(), 12);

// An average with weights, and the sum of the weights.
const { average, weightSum } = cw.average([1, 2, 4], { weights: [1, 1, 2], returned: true });
console.log(average.computeSync().item(), weightSum.computeSync().item());
assert.equal(average.computeSync().item(), 2.75);

// Rows are variables.
const variables = cw.asarray([
  [1, 2, 3, 4],
  [2, 4, 6, 9],
]);
console.log(cw.cov(variables).computeSync().toList());
assert.ok(Number(cw.corrcoef(variables).get(0, 1).computeSync().item()) > 0.99);

// Ten bins between the least and the most, or edges; both results come from one plan.
const samples = cw.arange(0, 1000, 1, { dtype: "float64", chunks: 100 }).sin();
const { counts, edges } = cw.histogram(samples, 4);
const [inBins, limits] = await cw.compute(counts, edges);
console.log(inBins, limits);
const halves = cw.histogram(samples, { bins: [-1, 0, 1], density: true });
console.log(halves.counts.computeSync());
assert.equal(cw.sum(inBins).computeSync().item(), 1000);

// Numbers by themselves.
const dice = cw.arange(0, 60, 1, { dtype: "int64" }).remainder(6);
console.log(cw.bincount(dice, { length: 6 }).computeSync().toList());
console.log(cw.digitize([0.2, 1, 7], [0, 1, 5]).computeSync().toList());
assert.deepEqual(cw.bincount([0, 2, 2]).computeSync().toList(), [1, 0, 2]);

// Several reductions of the same groups are one pass over the array.
const rain = cw.asarray([3, Number.NaN, 5, 0, 1, 2], { dtype: "float64", chunks: 2 });
const station = ["a", "b", "a", "b", "b", "a"].map((name) => name.charCodeAt(0));
const groups = cw.groupbyReduce(rain, station, {
  reduce: ["nanmean", "max", "nancount"],
  expected: [97, 98],
});
const [mean, most, number] = await cw.compute(groups.nanmean, groups.max, groups.nancount);
console.log(mean.toList(), most.toList(), number.toList());
assert.deepEqual(number.toList(), [3, 2]);

// Labels over two axes: one number for each region of a map.
const map = cw.asarray([
  [1, 2, 3],
  [4, 5, 6],
]);
const region = [
  [0, 0, 1],
  [0, 1, 1],
];
console.log(cw.groupbyReduce(map, region, { reduce: "sum" }).computeSync().toList());
console.log(
  cw
    .groupbyReduce(map, region, { reduce: "quantile", q: [0, 0.5] })
    .computeSync()
    .toList(),
);
assert.deepEqual(cw.groupbyReduce(map, region, { reduce: "first" }).computeSync().toList(), [1, 3]);
assert.deepEqual(cw.bincount(dice).computeSync().toList(), [10, 10, 10, 10, 10, 10]);
