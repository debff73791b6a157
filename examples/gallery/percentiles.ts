// Percentiles of a cube along time: what a place has in its coldest days, in half of them, and in its warmest. Lines are looked at
// without sorting them, in blocks of a few places; percentiles are the first axis of the result. And what is above the 90th of its
// own place: how often that happens in each part of the year.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { lines } from "./plots/plot.ts";

const [days, rows, columns] = [730, 12, 20];
const axis = (length: number, at: number): cw.LazyArray =>
  cw.arange(0, length, 1, { dtype: "float64" }).reshape([0, 1, 2].map((k) => (k === at ? length : 1)));
const [day, row, column] = [axis(days, 0), axis(rows, 1), axis(columns, 2)];
// A year, more of it towards the poles, and weather that comes and goes.
const season = day.multiply((2 * Math.PI) / 365).cos();
const weather = day.multiply(0.7).add(column).sin().add(day.multiply(0.231).add(row).cos()).multiply(3);
const cube = season
  .multiply(row.multiply(-1.5))
  .add(weather)
  .add(20)
  .subtract(row)
  .rechunk([100, rows, columns]);

const asked = [5, 25, 50, 75, 95];
const found = cube.percentile(asked, { axis: 0 });
const byRow = found.mean({ axis: 2 });
const isHot = cube.greater(cube.percentile(90, { axis: 0 }));
const hotDays = isHot.mean({ axis: [1, 2] });
const [percentiles, share] = await cw.compute(byRow, hotDays);

console.log("in the north:", (percentiles.toList() as number[][]).map((p) => p.at(-1)!.toFixed(2)).join(" "));
const summer = (share.toList() as number[]).slice(152, 244);
console.log("hot in summer:", (summer.reduce((a, b) => a + b) / summer.length).toFixed(3));

const { percentiles: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
(percentiles.toList() as number[][]).forEach((list, p) =>
  list.forEach((x, i) => assert.ok(Math.abs(x - expected.byRow[p][i]) < 1e-12)),
);
(share.toList() as number[]).forEach((x, i) => assert.ok(Math.abs(x - expected.hotDays[i]) < 1e-12));

const plot = lines(
  "Percentiles of two years, by latitude",
  percentiles.toList() as number[][],
  { across: "row, from the equator to the pole", up: "°C" },
  asked.map((p) => `${p} %`),
);
writeFileSync(new URL("plots/percentiles.svg", import.meta.url), plot);
