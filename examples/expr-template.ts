// cw.expr: an expression as one writes it in mathematics. Values come in through holes; nothing is evaluated
// as code, names are looked up in the table of functions.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.asarray([0, 1, 2, 3], { dtype: "float64" });
const y = cw.fullLike(x, 2);

// The same expression twice: it is the same node, so it is computed once.
const short = cw.expr`(${x}*2 + ${y}*3) / (1 + ${x}**2)`;
const long = x
  .multiply(2)
  .add(y.multiply(3))
  .divide(cw.add(1, x.pow(2)));
console.log(await short.compute());
assert.equal(short.expr, long.expr);

// Every function of the library, with keyword arguments; snake_case is understood too.
const table = cw.asarray([
  [1, 2, 3, 2],
  [4, 8, 3, 1],
]);
const shares = cw.expr`${table} / sum(${table}, axis=1, keepdims=true)`;
const total = cw.expr`cumulative_sum(${table}, axis=1)[:, -1]`;
console.log(await shares.compute());
console.log(await total.compute());
assert.deepEqual(total.computeSync().toList(), [8, 16]);

// Methods, indices, transposition and matrix products.
const gram = cw.expr`(${table} @ ${table}.T)[0, ::-1]`;
const largest = cw.expr`${table}.max(axis=0) - ${table}.min(axis=0)`;
console.log(await gram.compute());
console.log(await largest.compute());
assert.deepEqual(gram.computeSync().toList(), [31, 18]);

// Comparisons chain. `and`, `or`, `not` are for truth, `&`, `|`, `~` for bits.
const low = 2;
const between = cw.expr`${low} < ${table} <= 6 and not ${table} == 5`;
console.log(await between.compute());
assert.equal(between.dtype, "bool");
assert.equal(between.computeSync().item(0, 2), true);

// Numbers among themselves are computed at once; 2j is imaginary; pi, e, inf and nan are known.
const wave = cw.expr`exp(2j * pi * ${x})`;
console.log(wave.dtype, wave.shape);
assert.equal(wave.dtype, "complex128");

// A slip is shown with its place and, where there is one, its cure.
const slips = [() => cw.expr`${x} && ${y}`, () => cw.expr`sine(${x})`, () => cw.expr`(${x} + 1`];
for (const slip of slips) {
  assert.throws(slip, (error: unknown) => {
    assert.ok(error instanceof cw.ExprSyntaxError);
    console.log(error.message);
    return true;
  });
}
