// Making lazy arrays: from data in memory, and from a formula. What an array says of itself costs nothing.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

// From data in memory. A typed array keeps its dtype and is not copied.
const list = cw.asarray([
  [1, 2, 3],
  [4, 5, 6],
]);
const typed = cw.asarray(new Float32Array([1, 2, 3, 4]), { chunks: 2 });
const grid = cw.asarray(new cw.NDArray(new Float64Array(6), [2, 3], "float64"));
console.log(list.dtype, list.shape, list.chunks);
console.log(typed.dtype, typed.shape, typed.chunks);
console.log(grid.dtype, grid.shape, grid.chunks);
assert.equal(list.dtype, "int64");
assert.equal(typed.dtype, "float32");
assert.deepEqual(grid.shape, [2, 3]);

// From a formula: nothing is stored, each task makes the numbers it needs.
const ramp = cw.arange(0, 10, 2.5);
const even = cw.linspace(0, 1, 5);
const sevens = cw.full([2, 2], 7);
const identity = cw.eye(3, { dtype: "int8" });
for (const x of [ramp, even, sevens, identity]) console.log(await x.compute());
assert.deepEqual(ramp.computeSync().toList(), [0, 2.5, 5, 7.5]);
assert.deepEqual(even.computeSync().toList(), [0, 0.25, 0.5, 0.75, 1]);

// So an array may be larger than any memory. Its chunks are what one task works on.
const huge = cw.ones([1_000_000, 1_000_000], { chunks: [1000, "auto"] });
console.log(huge.nbytes, huge.chunks, huge.numblocks);
console.log(await huge.get("500000:500002", ":3").compute());
assert.equal(huge.nbytes, 8e12);
assert.deepEqual(huge.numblocks, [1000, 120]);

// Another cut of the same numbers.
const cut = typed.rechunk("all");
console.log(cut.chunks, cut.numblocks);
assert.deepEqual(cut.computeSync().toList(), [1, 2, 3, 4]);
