// Deferred execution: operations only describe; execute() computes, and output() asks for stages on the way.
// The two functions of the proposal for NumPy that this follows: foo and bar.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

/** Degrees to radians, and the sum of their squares. */
async function foo(degrees: Float64Array): Promise<cw.NDArray> {
  const deferred = new cw.LazyArray(degrees);
  const scaled = deferred.multiply(cw.pi).divide(180);
  const sumSquare = cw.sum(cw.square(scaled));
  return sumSquare.execute();
}

const squares = await foo(new Float64Array([0, 90, 180]));
console.log(Number(squares.item()).toFixed(6));
assert.ok(Math.abs(Number(squares.item()) - 1.25 * Math.PI ** 2) < 1e-12);

/** A stage on the way comes back beside the result. */
async function bar(array: Float64Array) {
  const plus1 = new cw.LazyArray(array).add(1).output();
  const plus2 = plus1.add(1);
  return plus2.execute();
}

const stages = await bar(new Float64Array([10, 20]));
console.log(stages);
assert.deepEqual(stages.output_0?.toList(), [11, 21]);
assert.deepEqual(stages.result.toList(), [12, 22]);

// With a name the stage is a typed property.
const x = cw.asarray(new Float64Array([1, 2, 3, 4]));
const scaled = x.multiply(10).output("scaled");
const centred = scaled.subtract(scaled.mean()).output("centred");
const named = await centred.square().sum().execute();
const spread: cw.NDArray = named.result;
const shifted: cw.NDArray = named.centred;
console.log(named);
console.log(Object.keys(named));
assert.deepEqual(Object.keys(named), ["scaled", "centred", "result"]);
assert.deepEqual(shifted.toList(), [-15, -5, 5, 15]);
assert.equal(spread.item(), 500);

// What was marked is a property of the lazy array.
console.log([...centred.outputs.keys()]);
assert.deepEqual([...centred.outputs.keys()], ["scaled", "centred"]);
