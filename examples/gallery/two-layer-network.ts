// A network of two layers that learns a function of 16 numbers from 173 MB of examples in a Zarr store, with 160 MB for the whole
// process. Its weights are a record of arrays, and so is the gradient. Each step sees a part of the data; the
// loss over all of them is looked at before and after.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "network-"));
const spec = new cw.Spec({ allowedMem: "160MB" });
const [rows, inputs, hidden, part] = [2_700_000, 16, 12, 100_000];
const dtype = "float32";
type Weights = Record<"w1" | "b1" | "w2" | "b2", cw.LazyArray>;

const place = cw.arange(rows, { dtype, chunks: part }).expandDims(1);
const waves = place.remainder(1009).multiply(cw.arange(inputs, { dtype }).add(1).multiply(0.37)).sin();
const x = await waves.toZarr(join(folder, "x"), { spec, codecs: [] });
// What is to be learned.
const target = (of: cw.LazyArray): cw.LazyArray =>
  of.get(":", 0).multiply(of.get(":", 1)).add(of.get(":", 2)).tanh();

const predicted = ({ w1, b1, w2, b2 }: Weights, of: cw.LazyArray): cw.LazyArray =>
  of.matmul(w1).add(b1).tanh().matmul(w2).add(b2);
const loss = (weights: Weights, of: cw.LazyArray): cw.LazyArray =>
  predicted(weights, of).subtract(target(of)).square().mean();
const lossAndGradient = cw.valueAndGrad(loss);

/** Numbers that look random, and are the same everywhere. */
const start = (shape: number[], size: number): cw.LazyArray => {
  const count = shape.reduce((product, n) => product * n, 1);
  const wild = Float32Array.from({ length: count }, (_, i) => size * Math.sin(12.9898 * (i + 1) ** 2));
  return cw.asarray(new cw.NDArray(wild, shape));
};
let weights: Weights = {
  w1: start([inputs, hidden], 0.5),
  b1: start([hidden], 0.1),
  w2: start([hidden], 0.5),
  b2: start([], 0),
};

const overAll = async (): Promise<number> => (await loss(weights, x).compute({ spec })).item() as number;
const before = await overAll();
const names = ["w1", "b1", "w2", "b2"] as const;
for (let step = 0; step < 16; step++) {
  const from = (step % 27) * part;
  const { grad } = lossAndGradient(weights, x.get(cw.slice(from, from + part)));
  const next = names.map((name) => weights[name].subtract(grad[name].multiply(0.5)));
  const computed = await cw.compute(next, { spec });
  weights = Object.fromEntries(names.map((name, i) => [name, cw.asarray(computed[i]!)])) as Weights;
}
const after = await overAll();

console.log("data:", x.nbytes / 1e6, "MB; the loss became less than a third:", after < before / 3);
assert.ok(after < before / 3 && x.nbytes > 160e6, `${before} ${after}`);

rmSync(folder, { recursive: true });
