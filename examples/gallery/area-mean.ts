// The mean over an area, with missing values: cells near the poles are smaller, and some have no value. Both sums leave out
// what is missing, and they are one pass over the data.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { heatmap } from "./plots/plot.ts";

const [days, rows, columns] = [30, 18, 36];
const places = cw.arange(0, days * rows * columns, 1, { dtype: "float64" }).reshape([days, rows, columns]);
const values = places.multiply(0.37).sin().multiply(10);
// Every seventh value is missing.
const field = cw.where(places.remainder(7).equal(3), Number.NaN, values).rechunk([5, rows, columns]);

const latitude = cw
  .arange(0, rows, 1, { dtype: "float64" })
  .add(0.5)
  .multiply(180 / rows)
  .subtract(90);
const weights = latitude
  .multiply(Math.PI / 180)
  .cos()
  .reshape([rows, 1]);
const isThere = cw.logicalNot(cw.isnan(field));
const axes = { axis: [1, 2] };
const daily = cw.nansum(field.multiply(weights), axes).divide(cw.where(isThere, weights, 0).sum(axes));
const overTime = cw.nanmean(field, { axis: 0 });
const [means, map] = await cw.compute(daily, overTime);

console.log(
  "the first days:",
  [...means]
    .slice(0, 5)
    .map((x) => Number(x).toFixed(4))
    .join(" "),
);

const { areaMean: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
[...means].forEach((x, i) => assert.ok(Math.abs(Number(x) - expected[i]) < 1e-10));

writeFileSync(
  new URL("plots/area-mean.svg", import.meta.url),
  heatmap("Mean of what is there", map.toList() as number[][], {
    ...{ across: "longitude", up: "latitude", value: "mean of 30 days" },
    fromTo: { across: [0, 360], up: [90, -90] },
  }),
);
