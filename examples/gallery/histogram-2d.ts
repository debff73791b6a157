// A histogram of two variables: where the points of a strange attractor lie. Edges follow from the least and the most of each
// coordinate, in the same plan; partial counts of chunks are added up in a tree.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { heatmap } from "./plots/plot.ts";

// Hénon's map, 20 000 steps.
const count = 20_000;
const [x, y] = [new Float64Array(count), new Float64Array(count)];
for (let i = 1; i < count; i++) {
  x[i] = 1 - 1.4 * x[i - 1]! * x[i - 1]! + y[i - 1]!;
  y[i] = 0.3 * x[i - 1]!;
}
const chunks = 3000;
const { counts, xEdges, yEdges } = cw.histogram2d(cw.asarray(x, { chunks }), cw.asarray(y, { chunks }), {
  bins: [24, 16],
});
const [cells, across, along] = await cw.compute(counts, xEdges, yEdges);

console.log("from", [...across][0], "to", [...across].at(-1));
console.log("cells with points:", [...cells].filter((n) => Number(n) > 0).length, "of", cells.size);

const { histogram2d: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
assert.deepEqual(cells.toList(), expected.counts);
assert.deepEqual(across.toList(), expected.xEdges);
assert.deepEqual(along.toList(), expected.yEdges);

const shades = (cells.toList() as number[][]).map((row) =>
  row.map((n) => (n === 0 ? Number.NaN : Math.log(n))),
);
const [least, most] = [Number([...along][0]), Number([...along].at(-1))];
const plot = heatmap("Points of Hénon's map", shades, {
  ...{ across: "y", up: "x", value: "logarithm of the count" },
  fromTo: { across: [least, most], up: [Number([...across].at(-1)), Number([...across][0])] },
});
writeFileSync(new URL("plots/histogram-2d.svg", import.meta.url), plot);
