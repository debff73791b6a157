// Logistic regression by gradient descent, of data that are larger than the memory that is allowed: 173 MB in a Zarr store, read
// once or twice a step, with 160 MB for the whole process. The gradient is an expression: planned, and bounded like any other.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "logistic-"));
const spec = new cw.Spec({ allowedMem: "160MB" });
const [rows, columns] = [5_400_000, 8];
const dtype = "float32";

// Waves of several lengths, and how probable something is beside them.
const place = cw.arange(rows, { dtype, chunks: 200_000 }).expandDims(1);
const waves = place.remainder(1000).multiply(cw.arange(columns, { dtype }).add(1).multiply(0.71)).sin();
const x = await waves.toZarr(join(folder, "x"), { spec, codecs: [] });
const truth = cw.asarray(new Float32Array([1, -1, 0.5, 0.8, -0.6, 0.3, 0.9, -0.7]));
const y = await x.matmul(truth).sigmoid().toZarr(join(folder, "y"), { spec, codecs: [] });

/** The mean of −log p(y). */
const loss = (weights: cw.LazyArray): cw.LazyArray => {
  const scores = x.matmul(weights);
  return scores.softplus().subtract(y.multiply(scores)).mean();
};
const lossAndGradient = cw.valueAndGrad(loss);

let weights = cw.zeros([columns], { dtype });
for (let step = 0; step < 8; step++) {
  const { value, grad } = lossAndGradient(weights);
  const next = weights.subtract(grad.multiply(12));
  const [now, computed] = await cw.compute([value, next], { spec });
  if (step % 7 === 0) console.log(`step ${step}: loss ${(now.item() as number).toFixed(4)}`);
  weights = cw.asarray(computed);
}

const apart = (await weights.subtract(truth).abs().max().compute()).item() as number;
console.log("data:", x.nbytes / 1e6, "MB; largest error of a weight below 0.05:", apart < 0.05);
assert.ok(apart < 0.05 && x.nbytes > 160e6, String(apart));
const plan = cw.grad(loss)(weights).plan({ spec });
assert.ok(plan.maxProjectedMem < 22e6);

rmSync(folder, { recursive: true });
