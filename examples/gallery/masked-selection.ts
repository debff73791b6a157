// A selection by a mask: how many elements it has depends on the data, and nothing has to be said for that. Of a field with waves
// those places are taken where it is high; their mean, their median and where the highest are need no call in between. Chunks
// read only the blocks that have what they are made of.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as cw from "chunkwise";
import { heatmap } from "./plots/plot.ts";

const [rows, columns] = [48, 72];
const row = cw.arange(0, rows, 1, { dtype: "float64" }).reshape([rows, 1]);
const column = cw.arange(0, columns, 1, { dtype: "float64" });
const field = row
  .multiply(0.21)
  .sin()
  .multiply(column.multiply(0.13).cos())
  .add(row.multiply(column).multiply(0.004).sin())
  .rechunk([12, 24]);

const isHigh = field.greater(0.8);
const high = field.get(isHigh);
console.log(String(high).split("\n")[0]);

const [atRow, atColumn] = cw.nonzero(isHigh);
const order = high.argsort({ descending: true }).get(":3");
const [mean, median, count, peakRows, peakColumns] = await cw.compute(
  high.mean(),
  high.median(),
  isHigh.sum(),
  cw.take(atRow!, order, { axis: 0 }),
  cw.take(atColumn!, order, { axis: 0 }),
);
// What is not selected is missing in the picture.
const picture = await cw.where(isHigh, field, Number.NaN).compute();

console.log("selected:", count.item(), "of", rows * columns);
console.log("mean and median:", Number(mean.item()).toFixed(6), Number(median.item()).toFixed(6));
console.log("the highest three:", [...peakRows].map((r, i) => `${r}/${[...peakColumns][i]}`).join(" "));

const { masked: expected } = JSON.parse(readFileSync(new URL("expected.json", import.meta.url), "utf8"));
assert.equal(Number(count.item()), expected.count);
assert.ok(Math.abs(Number(mean.item()) - expected.mean) < 1e-12);
assert.ok(Math.abs(Number(median.item()) - expected.median) < 1e-12);
assert.deepEqual([peakRows.toList(), peakColumns.toList()], expected.peaks);

const plot = heatmap("Where the field is above 0.8", picture.toList() as number[][], {
  ...{ across: "column", up: "row", value: "field" },
  fromTo: { across: [0, columns - 1], up: [rows - 1, 0] },
});
writeFileSync(new URL("plots/masked-selection.svg", import.meta.url), plot);
