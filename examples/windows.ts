// Windows and grids: filters, rolling statistics, differences, interpolation, coarser grids.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

// A blurred image: a task reads a chunk and what lies around it, and nothing is stored in between.
const photo = cw.random(1).uniform([400, 300], { chunks: 200 });
const image = cw.asarray(await photo.compute(), { chunks: 200 });
const blurred = cw.gaussianFilter(image, 2, { mode: "nearest" });
const { numOperations, numTasks } = blurred.plan();
console.log(`${numOperations} operation, ${numTasks} tasks`);

// Specks go away, edges stay.
const speckled = cw.asarray([1, 1, 9, 1, 1, 5, 5, 0, 5, 5]);
console.log(await cw.medianFilter(speckled, 3).compute());

// The mean of three days, and how far they are apart; at the begin of as many as there are.
const days = cw.asarray([1, 2, 6, Number.NaN, 5, 7]);
const three = cw.rolling(days, 3, { minPeriods: 1 });
console.log((await three.mean().compute()).toList());
console.log((await three.count().compute()).toList());

// Every window is there, too, as an axis.
console.log(await cw.slidingWindowView([1, 2, 3, 4], 3).compute());

// Weights of any shape, that may be computed themselves.
const edges = cw.convolve(image, [[1, 0, -1]], { boundary: "reflect" });
assert.deepEqual(edges.shape, image.shape);
console.log(await cw.convolve([1, 2, 3], [1, 1]).compute());

// Derivatives, as many as there are samples.
const t = cw.linspace(0, 1, 5);
console.log(await cw.gradient(t.multiply(t), { axis: 0, spacing: t, edgeOrder: 2 }).compute());

// Between samples: one line, or a field on another grid.
console.log(await cw.interp([0.5, 1.25], [0, 1, 2], [0, 10, 40]).compute());
const field = cw.asarray([
  [0, 1, 2],
  [10, 11, 12],
]);
const finer = cw.interp(
  [
    [0.5, 1],
    [0, 0.5, 1.5],
  ],
  [
    [0, 1],
    [0, 1, 2],
  ],
  field,
  { axis: [0, 1] },
);
console.log(await finer.compute());

// Four pixels as one, and an image at three scales.
const half = cw.coarsen(image, { 0: 2, 1: 2 }, cw.mean);
const scales = cw.pyramid(image, { levels: 3 });
assert((await cw.allclose(half, scales[1]!).compute()).item());
console.log(scales.map(({ shape }) => shape));
