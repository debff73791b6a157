// A monthly climatology, and how much each month differs from it: ten years of monthly temperatures on a grid, in chunks of
// four months. Blocks hold only their own months, and what is written is a year of means.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { lines } from "./plots/plot.ts";

// 15 °C at the equator and less towards the poles, seasons, and half a degree more every year.
const [months, rows, columns] = [120, 9, 18];
const axis = (length: number, at: number): cw.LazyArray =>
  cw.arange(0, length, 1, { dtype: "float64" }).reshape([0, 1, 2].map((k) => (k === at ? length : 1)));
const [month, row, column] = [axis(months, 0), axis(rows, 1), axis(columns, 2)];
const latitude = row.subtract(4).divide(4);
const seasons = month
  .multiply(Math.PI / 6)
  .cos()
  .multiply(latitude)
  .multiply(-8);
const temperature = seasons
  .add(15)
  .subtract(latitude.square().multiply(20))
  .add(column.multiply(0.3).sin())
  .add(month.multiply(0.5 / 12))
  .rechunk([4, rows, columns]);

const monthOfYear = Int32Array.from({ length: months }, (_, i) => i % 12);
const climatology = cw.groupbyReduce(temperature, monthOfYear, { axis: 0, reduce: "mean" });
const anomaly = temperature.subtract(cw.take(climatology, monthOfYear, { axis: 0 }));
const north = climatology.get(":", 7, 0);
const warming = anomaly.mean({ axis: [1, 2] });
const [means, course] = await cw.compute(north, warming);

console.log("a year in the north:", [...means].map((x) => Number(x).toFixed(2)).join(" "));
console.log(
  "the first and the last anomaly:",
  Number([...course].at(0)).toFixed(3),
  Number([...course].at(-1)).toFixed(3),
);

const { climatology: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
[...means].forEach((x, i) => assert.ok(Math.abs(Number(x) - expected.north[i]) < 1e-12));
[...course].forEach((x, i) => assert.ok(Math.abs(Number(x) - expected.warming[i]) < 1e-12));

const plot = lines("Anomaly of ten years", [[...course].map(Number)], { across: "month", up: "°C" });
writeFileSync(new URL("plots/climatology.svg", import.meta.url), plot);
