// Vorticity of a flow by centred differences: ∂v/∂x − ∂u/∂y, one operation that reads each chunk of u and v with the rows and columns
// next to it.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { heatmap } from "./plots/plot.ts";

const [n, spacing] = [96, 0.125];
const place = cw.arange(0, n, 1, { dtype: "float64" }).multiply(spacing).subtract(6);
const [y, x] = cw.meshgrid(place, place, { indexing: "ij" });
// Two whirls that turn against each other.
const whirl = (at: number, turn: number): readonly [cw.LazyArray, cw.LazyArray] => {
  const [dx, dy] = [x!.subtract(at), y!];
  const fall = dx.square().add(dy.square()).multiply(-0.5).exp().multiply(turn);
  return [dy.multiply(fall).multiply(-1), dx.multiply(fall)];
};
const [[u1, v1], [u2, v2]] = [whirl(-2, 1), whirl(2, -1)];
const flow = await cw.compute(u1.add(u2), v1.add(v2));
const [u, v] = flow.map((part) => cw.asarray(part, { chunks: 32 })) as [cw.LazyArray, cw.LazyArray];

const vorticity = cw.subtract(cw.gradient(v, { axis: 1, spacing }), cw.gradient(u, { axis: 0, spacing }));
console.log(`${vorticity.plan().numOperations} operation`);
const found = await vorticity.compute();
const circulation = await vorticity
  .get(":", `0:${n / 2}`)
  .sum()
  .multiply(spacing ** 2)
  .compute();
console.log("circulation of the first whirl:", Number(circulation.item()).toFixed(4));

const { vorticity: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
expected.forEach((each: number, k: number) =>
  assert.ok(Math.abs(Number(found.data[101 * k]) - each) < 1e-12),
);

const rows = Array.from({ length: n / 2 }, (_, i) =>
  Array.from({ length: n / 2 }, (_, j) => Number(found.data[2 * i * n + 2 * j])),
);
const fromTo = { across: [-6, 6], up: [6, -6] } as const;
writeFileSync(
  new URL("plots/vorticity.svg", import.meta.url),
  heatmap("Vorticity", rows, { across: "x", up: "y", value: "1/s", fromTo }),
);
