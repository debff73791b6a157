// Printing never computes. A lazy array prints its operations, a result its numbers.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.asarray([[1.5, 2, 2.5, 3]], { chunks: [1, 2] });
const y = x.add(x.T).sum({ axis: 0 });

console.log(y);
console.log(await y.compute());
console.log(await cw.arange(10_000).reshape([100, 100]).compute());

assert.deepEqual(y.computeSync().toList(), [15, 17, 19, 21]);
assert.match(String(y), /^LazyArray float64 \[4\] in 2 chunks of \[2\]\n/);
