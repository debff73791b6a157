// Plans: how an array would be computed. A plan is data, costs no computation, and can be read.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

// Map fusion: the negative numbers are never stored.
const a = cw.asarray(
  [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ],
  { chunks: [2, 2] },
);
const b = cw.negative(a);
const c = cw.astype(b, "float32");

const before = c.plan({ optimize: false });
const after = c.plan();
console.log(before);
console.log();
console.log(after);
assert.equal(before.numTasks, 8);
assert.equal(after.numTasks, 4);

// The figures by name.
console.log();
for (const plan of [before, after]) {
  const { numOperations, numTasks, totalBytes, maxProjectedMem } = plan;
  console.log({ numOperations, numTasks, totalBytes, maxProjectedMem });
}
assert.equal(before.totalBytes, 9 * 8 + 9 * 4);
assert.equal(after.totalBytes, 9 * 4);

// Several inputs fuse as well, without being asked to.
const p = cw.asarray(new Float64Array(9), { chunks: 5 });
const q = cw.asarray(new Float64Array(9), { chunks: 5 });
const r = cw.asarray(new Float64Array(9), { chunks: 5 });
const sum = cw.add(p, cw.add(q, r));
console.log();
console.log(sum.plan());
assert.equal(sum.plan().numOperations, 1);

// What reads the same chunks becomes one operation with several outputs: u and v are passed over once.
const u = cw.asarray(new Float64Array(40), { chunks: 10 });
const v = cw.asarray(new Float64Array(40), { chunks: 10 });
const quadratic = cw.plan([u.mean(), v.mean(), u.multiply(v).mean()]);
console.log();
console.log(quadratic);
assert.deepEqual(
  quadratic.data.operations.map(({ outputs }) => outputs.length),
  [3, 1, 1, 1],
);
assert.ok(quadratic.before !== null && quadratic.bytesRead < 1.2 * (2 * 40 * 8));

// Windows: a task that writes chunk [i, j] of the result reads the chunk [j, i] of the transposed source.
console.log();
console.log(a.T.plan());

// A window that is not a chunk but moves with the task has a tilde; a colon is a whole axis.
const steps = cw.asarray(new Float64Array(20), { chunks: 5 });
console.log();
console.log(steps.diff().plan());
console.log();
console.log(a.sum({ axis: 0 }).plan());

// A plan is as small for many chunks as for few. Its memory is that of one task.
const places = cw.arange(0, 1_000_000, 1, { chunks: 1000 });
const huge = places.expandDims({ axis: 1 }).multiply(places);
const means = huge.mean({ axis: 0 });
console.log();
console.log(means.plan().numOperations, means.plan().numTasks, means.plan().maxProjectedMem < 1e6);
assert.ok(means.plan().numTasks > 1_000_000);
assert.ok(means.plan().maxProjectedMem < 1e6);

// As JSON.
const json = JSON.parse(JSON.stringify(after)) as { arrays: { name: string; role: string }[] };
console.log();
console.log(json.arrays.map(({ name, role }) => `${name} ${role}`));
assert.deepEqual(
  json.arrays.map(({ role }) => role),
  ["source", "result"],
);
