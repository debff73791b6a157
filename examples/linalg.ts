// Linear algebra: batches of matrices, tall ones in blocks, sums by names of axes.

import assert from "node:assert/strict";
import * as cw from "chunkwise";

const a = cw.asarray([
  [4, 1],
  [2, 3],
]);
console.log(await cw.linalg.solve(a, [1, 2]).compute());
const { S } = cw.linalg.svd(a);
console.log(await S.compute());
console.log(await cw.linalg.det(cw.stack([a, a.multiply(2)])).compute());

// Principal components of 100,000 rows, in blocks: no task has all of them.
const spread = cw.asarray([3, 1, 0.5, 0.1]);
const data = cw
  .random(5)
  .normal([100_000, 4], { chunks: [20_000, 4] })
  .multiply(spread);
const centred = data.subtract(data.mean({ axis: 0 }));
const { S: sizes } = cw.linalg.svd(centred, { fullMatrices: false });
const deviations = (await sizes.divide(Math.sqrt(100_000)).compute()).toList() as number[];
console.log(deviations.map((each) => each.toFixed(1)));

// A line through points.
const t = cw.linspace(0, 1, 101);
const design = cw.stack([cw.onesLike(t), t], { axis: 1 });
const line = (await cw.linalg.lstsq(design, t.multiply(3).add(2)).compute()).toList() as number[];
assert(Math.abs(line[0]! - 2) < 1e-12 && Math.abs(line[1]! - 3) < 1e-12);

// Three matrices, multiplied in the order that takes less work.
const chain = cw.einsum("ij,jk,kl->il", cw.ones([1000, 2]), cw.ones([2, 1000]), cw.ones([1000, 3]));
console.log(chain);
console.log(await cw.kron([1, 10], [1, 2, 3]).compute());
