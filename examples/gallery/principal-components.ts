// Principal components of tall data: 40,000 measurements of 12 things that follow three causes. The matrix is decomposed block by block
// (TSQR), and no task has all of it; a random sample finds the same.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { lines } from "./plots/plot.ts";

const [rows, columns] = [40_000, 12];
const row = cw.arange(0, rows, 1, { dtype: "float64", chunks: 10_000 }).reshape([rows, 1]);
const column = cw.arange(0, columns, 1, { dtype: "float64" });
const cause = (rate: number, weight: number): cw.LazyArray =>
  row.multiply(rate).sin().multiply(column.multiply(weight).cos());
const data = cause(0.37, 0.2).multiply(5).add(cause(0.011, 0.9).multiply(2)).add(cause(1.7, 2.1)).add(column);

const centred = data.subtract(data.mean({ axis: 0 }));
const { S, Vh } = cw.linalg.svd(centred, { fullMatrices: false });
const sample = cw.linalg.randomizedSvd(centred, 3);
const [sizes, directions, nearly] = await cw.compute(S, Vh, sample.S);
const explained = [...sizes.data].map((x) => Number(x) ** 2);
const whole = explained.reduce((sum, x) => sum + x, 0);
console.log(
  "explained:",
  explained
    .slice(0, 4)
    .map((x) => (x / whole).toFixed(4))
    .join(" "),
);

const { principalComponents: expected } = JSON.parse(
  readFileSync(new URL("expected.json", import.meta.url), "utf8"),
);
expected.sizes.forEach((x: number, k: number) =>
  assert.ok(Math.abs(Number(sizes.data[k]) - x) < 1e-9 * expected.sizes[0]),
);
[...nearly.data].forEach((x, k) =>
  assert.ok(Math.abs(Number(x) - expected.sizes[k]) < 1e-9 * expected.sizes[0]),
);
// Directions have either sign.
const shown = [0, 1, 2].map((k) => {
  const own = Array.from({ length: columns }, (_, j) => Number(directions.data[k * columns + j]));
  const sign = Math.sign(own[0]!);
  own.forEach((x, j) => assert.ok(Math.abs(sign * x - expected.directions[k][j]) < 1e-9));
  return own.map((x) => Number((sign * x).toFixed(6)));
});
const plot = lines("Three directions", shown, { across: "what was measured" }, ["first", "second", "third"]);
writeFileSync(new URL("plots/principal-components.svg", import.meta.url), plot);
