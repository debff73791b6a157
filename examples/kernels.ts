// Kernels: how a computation runs, on how many threads, and where its results lie.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const n = 200_000;
const raw = Float64Array.from({ length: n }, (_, i) => i / n);

// Wrapped: nothing is copied, tiles of it pass through the kernels' memory when it is computed with.
const wrapped = cw.asarray(raw);
// Copied into the kernels' memory, where kernels work on it directly: worth it for what is used often.
const x = cw.asarray(raw, { copy: true });

const gauss = cw.expr`exp(-${x}**2 / 2) * sin(${x}) + log1p(abs(${x}))`;
const onOne = await gauss.compute({ threads: 1 });
const onAll = await gauss.compute();
// The same bits, however many threads there are and wherever the data lies.
assert.deepEqual(onOne.data, onAll.data);
assert.deepEqual(wrapped.sum().computeSync(), x.sum().computeSync());
console.log("the largest of", n, "values is", Number(gauss.max().computeSync().item()).toFixed(6));

// A large result is a view of the kernels' memory: its buffer is the whole of it.
const doubled = await x.multiply(2).compute();
console.log(doubled.data.buffer instanceof SharedArrayBuffer, doubled.data.length);
// A copy of one's own, for whatever cannot take shared memory.
const own = doubled.data.slice();
console.log(own.buffer instanceof ArrayBuffer, own.byteOffset);

// The memory comes back when nobody holds the result any more, or at once, if you say so.
doubled.dispose();
assert.throws(() => doubled.data, /was disposed of/);
