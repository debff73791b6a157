// Names of axes, attributes, dates, coordinates and datasets: what xarray writes is opened, selected by label, and written back.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";

const folder = mkdtempSync(join(tmpdir(), "chunkwise-datasets-"));
const place = (name: string): string => join(folder, name);

// Axes have names. Whatever takes an axis takes its name, and names go where their axes go.
const hours = cw.arange(0, 366 * 24, 1, { dtype: "float32" }).reshape([366, 24]);
const x = hours.withDims(["day", "hour"]).withAttributes({ units: "K" });
console.log(x.mean({ axis: "hour" }).dims, x.T.dims, x.get({ hour: 12 }).dims);
console.log(x.get({ day: "0:10", hour: 12 }).shape, x.get({ day: 3 }).attributes);

// They are written, and read again.
await x.toZarr(place("days.zarr"));
const opened = await cw.fromZarr(place("days.zarr"));
console.log(opened.dims, opened.attributes);

// Names that differ where two arrays meet are dropped, never an error: they change no result.
const other = cw.ones([366, 24]).withDims(["day", "station"]);
console.log(x.add(other).dims);

// Dates are written as text. They compare, and what is between them is a span of time.
const dates = cw.asarray(["2020-07-01", "2020-07-09", "NaT"], { dtype: "datetime64[D]" });
const start = cw.asarray("2020-07-04", { dtype: "datetime64[D]" });
console.log(String(await dates.compute()));
console.log(
  (await dates.greater(start).compute()).toList(),
  (await dates.subtract(start).compute()).toList(),
);

// Nothing else is computed with them; their whole numbers are there.
assert.throws(() => dates.sum(), cw.DTypeError);
console.log((await dates.astype("datetime64[s]").astype("int64").compute()).item(0));

// A dataset: variables that share coordinates.
const time = cw.arange(0, 366, 1, { dtype: "int64" }).add(18_262).astype("datetime64[D]").withDims(["time"]);
const lat = cw.linspace(90, -90, 19).withDims(["lat"]).withAttributes({ units: "degrees_north" });
const warmth = cw
  .arange(0, 366 * 19, 1, { dtype: "float32", chunks: 61 * 19 })
  .reshape([366, 19])
  .withDims(["time", "lat"])
  .withAttributes({ units: "K" });
const made = await cw.dataset({
  variables: { warmth },
  coords: { time, lat },
  attributes: { title: "made" },
});
console.log(String(made));

// Written in one computation, as xarray writes: names, coordinates, counted times, missing values; packed where that is said.
await made.toZarr(place("climate.zarr"), {
  encoding: { warmth: { dtype: "int16", scaleFactor: 0.5, addOffset: 1000, fillValue: -32768 } },
});

// Opened: metadata and the labels of dimensions are read, and nothing else. Values and times are decoded.
const ds = await cw.openDataset(place("climate.zarr"));
console.log(ds.dims, ds.get("warmth").dtype, ds.labels("time")!.item(0));

// Selected by label: a month, a range of latitudes in either order, the nearest; and by place.
const july = ds.sel({ time: "2020-07", lat: [30, 60] });
console.log(july.get("warmth").shape, july.labels("lat")!.toList());
console.log(ds.sel({ lat: 41 }, { method: "nearest" }).get("warmth").dims);
console.log(ds.sel({ time: { labels: ["2020-02-29", "2020-12-31"] } }).get("warmth").shape);
console.log(ds.isel({ time: "0:60:30", lat: [0, 18] }).get("warmth").shape);
console.log("mean of July:", (await july.get("warmth").mean().compute()).item());

// More time than there was: readers see the old length until all is written, and then the new one.
const more = await cw.dataset({
  variables: { warmth: cw.ones([2, 19]).withDims(["time", "lat"]) },
  coords: { time: cw.asarray(["2021-01-01", "2021-01-02"], { dtype: "datetime64[D]" }).withDims(["time"]) },
});
await more.toZarr(place("climate.zarr"), { append: "time" });
console.log((await cw.openDataset(place("climate.zarr"))).dims);

// The same of one array, and other lengths without any data.
await cw.zeros([2, 24], { dtype: "float32" }).toZarr(place("days.zarr"), { append: "day" });
console.log((await cw.fromZarr(place("days.zarr"))).shape);
console.log((await cw.resizeZarr(place("days.zarr"), [100, 24])).shape);

// What one array is packed as is decoded on request.
const packed = await cw.fromZarr(place("climate.zarr"), { path: "warmth" });
const meant = await cw.fromZarr(place("climate.zarr"), { path: "warmth", decode: true });
console.log(packed.dtype, meant.dtype, (await meant.get({ time: 0, lat: 3 }).compute()).item());

// An image in several resolutions, each by means of 2 × 2 pixels, as OME-Zarr.
const image = cw
  .arange(0, 600 * 800, 1, { dtype: "uint32" })
  .remainder(251)
  .astype("uint8")
  .reshape([600, 800])
  .withDims(["y", "x"]);
await cw.toOmeZarr(image, place("cells.zarr"), {
  chunks: [256, 256],
  scale: { y: 0.65, x: 0.65 },
  units: { y: "micrometer", x: "micrometer" },
});
const { levels } = await cw.openOmeZarr(place("cells.zarr"));
for (const { array, scale } of levels) console.log(array.shape, array.dtype, scale);

rmSync(folder, { recursive: true });
