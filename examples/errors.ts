// Errors: what can be known when an operation is defined is checked then; what depends on the data is told
// when it is computed, with the operation, the chunk and your line. Every message ends with a cure.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.ones([3, 4]);
const whole = cw.asarray([7, 8, 9]);

/** Runs what must fail, and shows how. */
function fails(errorClass: new (...args: never[]) => Error, slip: () => unknown): void {
  assert.throws(slip, (error: unknown) => {
    assert.ok(error instanceof errorClass);
    console.log(`${error.name}: ${error.message}`);
    return true;
  });
}

console.log("When an operation is defined\n");
fails(cw.ShapeError, () => x.add(cw.ones([5])));
fails(cw.DTypeError, () => x.bitwiseAnd(1));
fails(cw.DTypeError, () => x.astype("flaot64" as cw.DType));
fails(cw.AxisError, () => x.sum({ axis: 2 }));
fails(cw.IndexError, () => x.get(7));
fails(cw.ValueError, () => cw.max(cw.zeros([0])));
fails(cw.ChunkError, () => x.rechunk([1, [1, 2, 1]]));
fails(cw.ExprSyntaxError, () => cw.expr`${x} || 1`);

// Nothing is written in place: a plain array as target is a TypeError.
fails(TypeError, () => cw.add(x, 1, { out: new Float64Array(12) as unknown as cw.LazyArray }));

// All but that one are ChunkwiseErrors, with their parts as properties.
try {
  x.reshape([5, -1]);
} catch (error) {
  assert.ok(error instanceof cw.ChunkwiseError);
  console.log("\nIn parts\n");
  console.log("where:", error.where);
  console.log("what: ", error.what);
  console.log("cure: ", error.cure);
  assert.equal(error.where, "reshape");
}

console.log("\nWhen the computation runs\n");
const divisors = cw.asarray([2, 0, 1]).rechunk(1);
const quotients = whole.rechunk(1).floorDivide(divisors);
await assert.rejects(quotients.compute(), (error: unknown) => {
  assert.ok(error instanceof cw.RunError);
  const line = error.line ?? "an unknown line";
  console.log(`${error.name}: ${error.message.replace(line, "your file:line:column")}`);
  console.log(error.operation, error.chunk);
  assert.match(line, /errors\.[jt]s:\d+:\d+$/);
  assert.equal(error.operation, "floorDivide");
  assert.deepEqual(error.chunk, [1]);
  return true;
});

// The cure of the message.
const safe = cw.where(divisors.equal(0), 1, divisors);
console.log(await whole.floorDivide(safe).compute());

// Floating numbers do not fail: they are IEEE's.
console.log(await cw.asarray([1.5, 0, -1.5]).divide(0).compute());
assert.deepEqual(cw.asarray([1.5, -1.5]).divide(0).computeSync().toList(), [Infinity, -Infinity]);
