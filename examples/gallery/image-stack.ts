// A stack of images from a microscope: the background is what a minimum and a wide blur leave of each, spots are what is above it. The
// result is stored at three scales.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { heatmap } from "./plots/plot.ts";

const [count, n] = [4, 64];
const axis = (length: number, at: number): cw.LazyArray =>
  cw.arange(0, length, 1, { dtype: "float64" }).reshape([0, 1, 2].map((k) => (k === at ? length : 1)));
const [z, y, x] = [axis(count, 0), axis(n, 1), axis(n, 2)];
// Uneven light, and spots that move from image to image.
const light = y.multiply(0.05).sin().add(x.multiply(0.03).cos()).multiply(200).add(500);
const spot = (row: number, column: number): cw.LazyArray =>
  y
    .subtract(z.multiply(3).add(row))
    .square()
    .add(x.subtract(z.multiply(-2).add(column)).square())
    .multiply(-0.2)
    .exp()
    .multiply(300);
const stack = [spot(12, 20), spot(30, 50), spot(45, 33)]
  .reduce((sum, each) => sum.add(each), light)
  .round()
  .astype("uint16")
  .rechunk([1, 32, 32]);

const smooth = cw.medianFilter(stack, [1, 3, 3]);
const background = cw.gaussianFilter(cw.minimumFilter(smooth, [1, 15, 15]).astype("float32"), [0, 5, 5]);
const spots = cw.clip(smooth.astype("float32").subtract(background), { min: 0 });

const levels = cw.pyramid(spots, { levels: 3 });
const stores = levels.map(() => new cw.MemoryStore());
await cw.store(levels, stores);
const stored = await Promise.all(stores.map((store) => cw.fromZarr(store)));
console.log("scales:", stored.map(({ shape }) => shape.join(" × ")).join(", "));

const [whole, small] = await cw.compute(stored[0]!.get(0), stored[2]!);
const { imageStack: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
expected.whole.forEach((each: number, k: number) =>
  assert.ok(Math.abs(Number(whole.data[37 * k]) - each) < 1e-3),
);
expected.small.forEach((each: number, k: number) =>
  assert.ok(Math.abs(Number(small.data[13 * k]) - each) < 1e-3),
);
console.log("the brightest:", Math.max(...(whole.data as Float32Array)).toFixed(1));

const rows = Array.from({ length: n }, (_, i) =>
  Array.from({ length: n }, (_, j) => Number(whole.data[i * n + j])),
);
writeFileSync(new URL("plots/image-stack.svg", import.meta.url), heatmap("Spots above the background", rows));
