// The example of the README: an expression over a hundred thousand numbers, and a table less its column means.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.linspace(0, 1, 100_001, { chunks: 10_000 });
const y = cw.expr`(${x} * 2 + 1) / (1 + ${x}**2)`;
const mean = y.mean();
console.log(mean); // what it is made of: nothing has been computed
console.log(mean.plan().numTasks, "tasks");

const result = await mean.compute(); // an NDArray
console.log(Number(result.item()).toFixed(4)); // ln 2 + pi/4, nearly

const table = cw.asarray([
  [1.5, 2, 3.5],
  [4.5, 5, 8.5],
]);
console.log(await table.subtract(table.mean({ axis: 0 })).compute());

assert.ok(Math.abs(Number(result.item()) - (Math.LN2 + Math.PI / 4)) < 1e-4);
