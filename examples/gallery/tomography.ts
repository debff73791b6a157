// A physical inverse problem: how much do the layers of the ground absorb? 2.7 million rays went from one borehole to another, each
// through some of 8 layers, and what was left of them was measured: exp(−Σ length · absorption). The lengths are larger than the
// memory that is allowed. The step of each descent follows from the last two gradients (Barzilai and Borwein).

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "tomography-"));
const spec = new cw.Spec({ allowedMem: "160MB" });
const [rays, layers] = [2_700_000, 8];
const dtype = "float64";

// Rays begin and end at depths between 0 and 8; a layer is 1 deep. Slanted rays are longer.
const number = cw.arange(rays, { dtype, chunks: 100_000 }).expandDims(1);
const depthOf = (turn: number): cw.LazyArray => number.multiply(turn).remainder(layers);
const top = cw.arange(layers, { dtype });
const within = (depth: cw.LazyArray): cw.LazyArray => depth.subtract(top).clip(0, 1);
const [from, to] = [depthOf(1.618033988), depthOf(2.414213562)];
const slant = cw.hypot(to.subtract(from), 2).divide(to.subtract(from).abs().add(0.05));
const crossed = within(to).subtract(within(from)).abs().multiply(slant).multiply(0.1);
const lengths = await crossed.toZarr(join(folder, "lengths"), { spec, codecs: [] });

const truth = cw.asarray([0.5, 1.2, 0.8, 0.3, 1.5, 1, 0.6, 0.9]);
const left = (absorption: cw.LazyArray): cw.LazyArray => lengths.matmul(absorption).negative().exp();
const measured = await left(truth).toZarr(join(folder, "measured"), { spec, codecs: [] });

const misfit = (absorption: cw.LazyArray): cw.LazyArray =>
  left(absorption).subtract(measured).square().mean();
const gradient = cw.grad(misfit);

/** Such that the step would have been right if the misfit were quadratic. */
const rateOf = (change: cw.LazyArray, turned: cw.LazyArray): cw.LazyArray =>
  change.square().sum().divide(change.multiply(turned).sum());

let absorption: cw.LazyArray = cw.full([layers], 0.7, { dtype });
let before: { readonly change: cw.LazyArray; readonly slope: cw.LazyArray } | null = null;
for (let step = 0; step < 12; step++) {
  const slope: cw.LazyArray = cw.asarray(await gradient(absorption).compute({ spec }));
  const rate: cw.Operand = before === null ? 5 : rateOf(before.change, slope.subtract(before.slope));
  before = { change: cw.asarray(slope.multiply(rate).negative().computeSync()), slope };
  absorption = cw.asarray(absorption.add(before.change).computeSync());
}

const apart = absorption.subtract(truth).abs().max().computeSync().item() as number;
console.log("data:", lengths.nbytes / 1e6, "MB; every layer is known to 0.02:", apart < 0.02);
assert.ok(apart < 0.02 && lengths.nbytes > 160e6, String(apart));

rmSync(folder, { recursive: true });
