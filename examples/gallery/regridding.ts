// A field of the earth on another grid: 5° to 2°, bilinear, one day a task. The samples' places are known, so that a task reads what it
// needs of them.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { heatmap } from "./plots/plot.ts";

const [days, rows, columns] = [10, 37, 73];
const line = (n: number, at: number): cw.LazyArray =>
  cw.arange(0, n, 1, { dtype: "float64" }).reshape([0, 1, 2].map((k) => (k === at ? n : 1)));
const [day, lat, lon] = [line(days, 0), line(rows, 1).multiply(5).subtract(90), line(columns, 2).multiply(5)];
const radians = Math.PI / 180;
const field = lat
  .multiply(2 * radians)
  .cos()
  .multiply(10)
  .add(
    lon
      .multiply(3 * radians)
      .add(day.multiply(0.4))
      .sin(),
  )
  .rechunk([1, rows, columns]);

const fine = { lat: cw.arange(-89, 90, 2), lon: cw.arange(1, 360, 2) };
const coarse = { lat: cw.arange(-90, 91, 5), lon: cw.arange(0, 361, 5) };
const regridded = cw.interp([fine.lat, fine.lon], [coarse.lat, coarse.lon], field, { axis: [1, 2] });
console.log("from", field.shape, "to", regridded.shape);
const found = await regridded.compute();

const { regridding: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
const [, high, wide] = found.shape as [number, number, number];
expected.rows.forEach((row: readonly number[], k: number) =>
  row.forEach((x, j) => assert.ok(Math.abs(Number(found.data[(k * high + 9 * k) * wide + j]) - x) < 1e-12)),
);
console.log("the north of the first day:", Number(found.data[(high - 1) * wide]).toFixed(4));

const shown = Array.from({ length: high }, (_, i) =>
  Array.from({ length: wide / 2 }, (_, j) => Number(found.data[(high - 1 - i) * wide + 2 * j])),
);
const fromTo = { across: [0, 360], up: [-90, 90] } as const;
writeFileSync(
  new URL("plots/regridding.svg", import.meta.url),
  heatmap("On a grid of 2°", shown, { across: "longitude", up: "latitude", fromTo }),
);
