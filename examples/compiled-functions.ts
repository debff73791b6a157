// Functions that are planned once and called again and again: inputs, state that is updated, loops.

import { deepEqual, ok, rejects, throws } from "node:assert/strict";
import * as cw from "chunkwise";

const norm = cw.compile(
  (x, scale) => x.multiply(x).sum().sqrt().multiply(scale),
  [{ dtype: "float64", shape: [2] }, "float64"],
);
console.log((await norm([3, 4], 10)).item());
console.log(norm.sync(new Float64Array([6, 8]), 0.5).item());
console.log(String(norm));

// Where its time goes; how many nodes it had before and after rewriting.
const profiled = cw.compile((x) => x.add(1).multiply(2), ["float64"], { profile: true });
profiled.sync(3);
console.log(String(profiled.profile()).split("\n")[3]);

// Several outputs, by name; and arrays that they are written to.
const split = cw.compile(
  (x) => ({ low: x.minimum(0), high: x.maximum(0) }),
  [{ dtype: "float32", shape: [3] }],
);
const out = await split(new Float32Array([-1, 0, 2]));
console.log(out.low.toList(), out.high.toList());
split.sync(new Float32Array([5, -6, 7]), { out });
console.log(out.low.toList(), out.high.toList());

// What is wrong is said with the input's name.
throws(() => norm.sync(new Float64Array(3), 1), /input x: float64 \[2\] is given 3 elements/);
await rejects(split(new Float64Array(3) as never), /input x: float32 \[3\] is given Float64Array/);

// State: a line that is fitted to points, step by step.
const x = cw.input("float64", [4], { name: "x" });
const y = cw.input("float64", [4], { name: "y" });
const slope = cw.shared(0, { name: "slope", dtype: "float64" });
const offset = cw.shared(0, { name: "offset", dtype: "float64" });
const error = x.multiply(slope).add(offset).subtract(y);
const fit = cw.compile(() => error.multiply(error).mean(), [x, y], {
  updates: [
    [slope, slope.subtract(error.multiply(x).mean().multiply(0.2))],
    [offset, offset.subtract(error.mean().multiply(0.2))],
  ],
});
const points = [new Float64Array([0, 1, 2, 3]), new Float64Array([1, 3, 5, 7])] as const;
let loss = Number.POSITIVE_INFINITY;
for (let step = 0; step < 300; step++) loss = fit.sync(...points).item();
ok(loss < 1e-9);
console.log(slope.getValue().item().toFixed(3), offset.getValue().item().toFixed(3));
offset.setValue(0);

// The same with something else in the place of a state.
const at = cw.compile(() => x.multiply(slope).add(offset), [x], {
  givens: [[slope, cw.asarray(10, { dtype: "float64" })]],
});
deepEqual(at.sync([1, 2, 3, 4]).toList(), [10, 20, 30, 40]);

// Loops: the square root of 2 by Newton's steps, as many as it takes.
const root = cw.whileLoop(
  (r) => r.multiply(r).subtract(2).abs().greater(1e-12),
  (r) => r.add(cw.divide(2, r)).divide(2),
  cw.asarray(1, { dtype: "float64" }),
  { maxSteps: 100 },
);
console.log(root.computeSync().item());

// Along an axis, with something carried: a running balance with interest, and where it ends.
const payments = cw.asarray([100, -30, 50], { dtype: "float64" });
const [balance, history] = cw.scan(
  (money, payment) => {
    const next = money.multiply(1.5).add(payment);
    return [next, next];
  },
  cw.asarray(0, { dtype: "float64" }),
  payments,
);
const [last, all] = cw.computeSync(balance, history as cw.LazyArray);
console.log(last.item(), all.toList());

// One of two: the other is not computed.
const gently = cw.compile(
  (v) =>
    cw.cond(
      v.max().greater(100),
      (a) => a.divide(a.max()),
      (a) => a,
      v,
    ),
  [{ dtype: "float64", shape: [2] }],
);
console.log(gently.sync([50, 200]).toList(), gently.sync([1, 2]).toList());
