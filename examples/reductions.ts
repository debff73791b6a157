// Reductions: statistics over axes, how they are done chunk by chunk, and what that means for rounding.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.asarray([
  [2, 4, 4, 4],
  [5, 5, 7, 9],
]);

console.log((await x.sum().compute()).item(), (await x.mean().compute()).item());
console.log(await x.sum({ axis: 0 }).compute());
console.log(await x.max({ axis: 1, keepdims: true }).compute());
console.log(await x.argmax({ axis: 1 }).compute());
console.log(await x.cumulativeSum({ axis: 1 }).compute());
assert.equal(x.sum().computeSync().item(), 40);
assert.equal(x.mean().computeSync().item(), 5);

// The variance of a population, and of a sample.
const population = x.std().computeSync().item();
const sample = x.var({ correction: 1 }).computeSync().item();
console.log(population, Number(sample).toFixed(4));
assert.equal(population, 2);
assert.ok(Math.abs(Number(sample) - 32 / 7) < 1e-12);

// Truth and counting.
const large = x.greater(6);
console.log(await large.any({ axis: 0 }).compute());
console.log((await large.all().compute()).item(), (await large.countNonzero().compute()).item());
assert.equal(large.countNonzero().computeSync().item(), 2);

// A tree: each chunk to a state, eight states to one, the last ones to the result.
const long = cw.asarray(new Float64Array(100).fill(0.5), { chunks: 5 });
const sum = long.sum();
console.log(sum.plan());
assert.equal(sum.computeSync().item(), 50);
assert.equal(sum.plan().numTasks, 20 + 3 + 1);

// The order of additions follows the chunks, and floating additions round. So two chunkings may differ in
// the last digits, within about 4 log2(n) eps sum|x|. Whole numbers and maxima are the same for any chunks.
const n = 10_000;
const values = Float64Array.from({ length: n }, (_, i) => ((i * 7919) % 1000) / 7 - 70);
const sums = [n, 1000, 70].map((chunks) => Number(cw.asarray(values, { chunks }).sum().computeSync().item()));
const magnitude = Number(cw.asarray(values).abs().sum().computeSync().item());
const tolerance = 4 * Math.log2(n) * cw.finfo("float64").eps * magnitude;
const spread = Math.max(...sums) - Math.min(...sums);
console.log(sums[0]!.toFixed(4), spread <= tolerance);
assert.ok(spread <= tolerance);
