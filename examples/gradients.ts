// Gradients: functions of lazy arrays, differentiated. What comes out is lazy, and computed like anything else.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const x = cw.asarray([1, 2, 3], { dtype: "float64" });
const slope = cw.grad((x: cw.LazyArray) => x.square().sum())(x);
console.log(await slope.compute());
assert.deepEqual(slope.computeSync().toList(), [2, 4, 6]);

// A straight line through points: weights are a record, and so is the gradient.
const [t, y] = [cw.asarray([0, 1, 2, 3]), cw.asarray([1.1, 2.9, 5.2, 6.8])];
type Line = { readonly rise: cw.LazyArray; readonly start: cw.LazyArray };
const misfit = ({ rise, start }: Line): cw.LazyArray =>
  t.multiply(rise).add(start).subtract(y).square().mean();
let line: Line = { rise: cw.asarray(0.5), start: cw.asarray(0.5) };
for (let step = 0; step < 30; step++) {
  const { grad } = cw.valueAndGrad(misfit)(line);
  const [rise, start] = await cw.compute(
    line.rise.subtract(grad.rise.multiply(0.2)),
    line.start.subtract(grad.start.multiply(0.2)),
  );
  line = { rise: cw.asarray(rise), start: cw.asarray(start) };
}
console.log(Number(await line.rise.compute()).toFixed(2), Number(await line.start.compute()).toFixed(2));

// Products with the Jacobian, from the left and from the right; and all of it, where it is small.
const f = (x: cw.LazyArray): cw.LazyArray => x.multiply(x.get("::-1"));
const { value, pullback } = cw.vjp(f, x);
const { tangent } = cw.jvp(f, [x], [cw.asarray([1, 0, 0], { dtype: "float64" })]);
console.log((await cw.compute(value, pullback(value)[0], tangent)).map(String).join("\n"));
console.log(await cw.jacobian(f)(x).compute());
const second = cw.hessian((x: cw.LazyArray) => x.prod())(x);
console.log(await second.compute());

// A gradient is planned as any other expression.
const data = cw.arange(1e8, { dtype: "float64", chunks: 1e7 }).multiply(1e-8);
const large = cw.grad((w: cw.LazyArray) => data.multiply(w).sin().sum())(cw.asarray(2.5));
const plan = large.plan();
console.log(plan.maxProjectedMem < 1e6, plan.numTasks);
assert.ok(plan.maxProjectedMem < 1e6);

// What counts as constant, and functions that say themselves what comes back.
const weighted = cw.grad((x: cw.LazyArray) => x.multiply(cw.stopGradient(x)).sum())(x);
const rounded = cw.customPullback(
  (x: cw.LazyArray) => x.round(),
  (cotangent) => cotangent,
);
const through = cw.grad((x: cw.LazyArray) => rounded(x).square().sum())(x.add(0.4));
console.log((await cw.compute(weighted, through)).map(String).join("\n"));

const ofBlocks = cw.grad((x: cw.LazyArray<"float64">) => {
  const cube = (block: cw.NDArray<"float64">): Float64Array => block.data.map((v) => v ** 3);
  const pullback = (g: cw.NDArray<"float64">, block: cw.NDArray<"float64">): Float64Array =>
    g.data.map((each, i) => 3 * each * block.data[i]! ** 2);
  return cw.mapBlocks(cube, x, { pullback }).sum();
})(x);
console.log(await ofBlocks.compute());

// A loop has a gradient, however many steps it has: which rate leaves a quarter of 2 after ten? By Newton's steps.
const left = (rate: cw.LazyArray): cw.LazyArray =>
  cw.scan(
    (level) => [level.multiply(cw.subtract(1, rate)), null],
    cw.asarray(2, { dtype: "float64" }),
    null,
    { length: 10 },
  )[0];
let rate = 0.05;
for (let step = 0; step < 8; step++) {
  const { value, grad } = cw.valueAndGrad(left)(cw.asarray(rate));
  const [level, change] = await cw.compute(value, grad);
  rate -= (Number(level) - 0.5) / Number(change);
}
console.log(rate.toFixed(6), (1 - 0.25 ** 0.1).toFixed(6));

// What has no derivative says so.
try {
  cw.grad((x: cw.LazyArray) => cw.mapBlocks((block) => block, x).sum())(x);
} catch (error) {
  assert.ok(error instanceof cw.DerivativeError);
  console.log(error.cure);
}
