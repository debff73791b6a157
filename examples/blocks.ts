// Functions of your own over blocks: with what lies around them, along core dimensions, and by labels.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

// The mean of each element and its two neighbours. A block comes with one more element on either side.
const signal = cw.asarray([0, 0, 9, 0, 0, 0, 3, 3, 3], { dtype: "float64", chunks: 3 });
const smoothed = cw.mapOverlap(
  (block) => {
    const x = block.data as Float64Array;
    return Float64Array.from({ length: x.length - 2 }, (_, i) => (x[i]! + x[i + 1]! + x[i + 2]!) / 3);
  },
  signal,
  { depth: 1, boundary: "edge", trim: false },
);
console.log(await smoothed.compute());

// What lies beyond the ends of the array, for a block of three with two elements around it.
const shown: string[] = [];
for (const boundary of ["constant", "edge", "reflect", "wrap", -1] as const) {
  const look = (block: cw.NDArray): cw.NDArray => {
    shown.push(`${boundary}: ${block.toList()}`);
    return block;
  };
  await cw.mapOverlap(look, cw.asarray([1, 2, 3]), { depth: 2, boundary }).compute();
}
console.log(shown.join("\n"));

// Depths and boundaries may differ from axis to axis, and a depth from one side to the other.
const field = cw.arange(0, 24, 1, { dtype: "float64" }).reshape([4, 6]).rechunk([2, 3]);
const upstream = cw.mapOverlap(
  (block) => {
    const [, columns = 0] = block.shape;
    return (block.data as Float64Array).map((x, i, all) => (i % columns === 0 ? x : x - all[i - 1]!));
  },
  field,
  { depth: { 1: [1, 0] }, boundary: "wrap" },
);
console.log(await upstream.compute());

// A block with its overlap is a window: nothing is stored in between.
const plan = upstream.plan();
console.log(`${plan.numOperations} operation, ${plan.numTasks} tasks`);
assert.equal(plan.numOperations, 1);

// A straight line through the values of each row: one call gives slope and intercept.
const times = cw.asarray([0, 1, 2, 3], { dtype: "float64" });
const rows = cw.asarray(
  [
    [1, 3, 5, 7],
    [2, 2, 2, 2],
    [0, -1, -2, -3],
  ],
  { dtype: "float64", chunks: [2, 2] },
);
const [slope, intercept] = cw.applyGufunc(
  (t, y) => {
    const mean = (x: cw.NDArray): number => (x.data as Float64Array).reduce((a, b) => a + b) / x.size;
    const [meanT, meanY] = [mean(t), mean(y)];
    let [above, below] = [0, 0];
    (t.data as Float64Array).forEach((ti, i) => {
      above += (ti - meanT) * (Number(y.data[i]) - meanY);
      below += (ti - meanT) ** 2;
    });
    return [above / below, meanY - (above / below) * meanT];
  },
  "(i),(i)->(),()",
  [times, rows],
  { vectorize: true },
);
console.log(await cw.compute(slope!, intercept!));

// Core dimensions that only the result has get their size from you.
const histogram = cw.applyGufunc(
  (row) => {
    const counts = new Float64Array(3);
    for (const x of row.data) counts[Math.min(2, Math.max(0, Math.floor(Number(x) / 3)))]! += 1;
    return counts;
  },
  "(i)->(bin)",
  rows,
  { vectorize: true, outputSizes: { bin: 3 } },
);
console.log(await histogram.compute());

// Months of days: the mean of each month, for every column. A label below 0 leaves a place out.
const days = cw.asarray(
  [
    [1, 10],
    [2, 20],
    [3, 30],
    [4, 40],
    [5, 50],
  ],
  { dtype: "float64", chunks: [2, 2] },
);
const month = [0, 0, 1, -1, 1];
console.log(await cw.groupbyReduce(days, month, { reduce: "mean", axis: 0 }).compute());

// Labels that are computed need to be told how many there can be.
const parity = cw.arange(0, 1000, 1, { chunks: 100 }).remainder(2);
const values = cw.arange(0, 1000, 1, { dtype: "float64", chunks: 100 });
const bounds = ["min", "max", "count"] as const;
for (const reduce of bounds)
  console.log(reduce, (await cw.groupbyReduce(values, parity, { reduce, numLabels: 2 }).compute()).toList());

// A function that a module exports runs on every thread.
const smooth = cw.moduleFunction(new URL("./block-functions.js", import.meta.url), "smooth");
const smoothRows = cw.mapOverlap(smooth, field, { depth: [0, 1], boundary: "reflect" });
console.log(await smoothRows.compute({ executor: "threads" }));
