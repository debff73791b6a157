// Groups that xarray wrote are opened as xarray opens them: names, coordinates, missing values, scales, times; and selections by
// label and place are those of xarray (fixtures/generate.py).

import { readFileSync } from "node:fs";
import * as cw from "chunkwise";
import { beforeAll, describe, expect, test } from "vitest";

interface Described {
  readonly dims: string[];
  readonly shape: number[];
  readonly dtype: string;
  readonly values: (number | string | boolean | null)[];
}

const FIXTURES = `${import.meta.dirname}/fixtures`;
const expected = JSON.parse(readFileSync(`${FIXTURES}/xarray.json`, "utf8"));
const zip = new cw.ZipStore(readFileSync(`${FIXTURES}/xarray.zip`));

/** As the fixtures tell it: NaN is null, times are told to the microsecond. */
async function described(x: cw.LazyArray): Promise<Described> {
  const isInstant = x.dtype.startsWith("datetime64");
  const isSpan = x.dtype.startsWith("timedelta64");
  const told = isInstant ? x.astype("datetime64[us]") : isSpan ? x.astype("timedelta64[us]") : x;
  const result = await (isSpan ? told.astype("int64") : told).compute();
  const values = [...result].map((value) =>
    typeof value === "number" && Number.isNaN(value) ? null : (value as number | string | boolean),
  );
  const dtype = isInstant ? "datetime64[ns]" : isSpan ? "timedelta64[ns]" : x.dtype;
  return { dims: x.dims as string[], shape: [...x.shape], dtype, values };
}

let ds: cw.Dataset;
beforeAll(async () => {
  ds = await cw.openDataset(zip, { path: "climate" });
});

describe("what is in it", () => {
  test.each(Object.keys(expected.variables))("%s", async (name) => {
    expect(Object.keys(ds.variables)).toContain(name);
    expect(await described(ds.get(name))).toEqual(expected.variables[name]);
  });

  test.each(Object.keys(expected.coords))("the coordinate %s", async (name) => {
    expect(Object.keys(ds.coords)).toContain(name);
    expect(await described(ds.get(name))).toEqual(expected.coords[name]);
  });

  test("attributes, without those that said how values are packed", () => {
    expect(ds.attributes).toEqual(expected.group);
    for (const [name, attributes] of Object.entries(expected.attrs))
      expect(ds.get(name).attributes).toEqual(attributes);
    expect(ds.dims).toEqual({ time: 51, lat: 5, lon: 6 });
    expect(String(ds)).toContain("t2m (time, lat, lon) float32");
  });

  test("undecoded it is what is stored", async () => {
    const raw = await cw.fromZarr(zip, { path: "climate/rain" });
    expect([raw.dtype, raw.attributes["scale_factor"]]).toEqual(["int16", 0.1]);
    const meant = await cw.fromZarr(zip, { path: "climate/rain", decode: true });
    expect(await described(meant)).toEqual(expected.variables.rain);
    expect(meant.attributes).toEqual({ units: "mm", coordinates: "height cell" });
  });
});

describe("times, however they are counted", () => {
  test.each(Object.keys(expected.counted))("%s", async (name) => {
    const x = await cw.fromZarr(zip, { path: `counted/${name}`, decode: true });
    expect(await described(x)).toEqual(expected.counted[name]);
  });
});

describe("selections", () => {
  const t2m = (selected: cw.Dataset): cw.LazyArray => selected.get("t2m");
  const cases: { readonly [name: string]: () => cw.LazyArray } = {
    month: () => t2m(ds.sel({ time: "2020-07" })),
    day: () => t2m(ds.sel({ time: "2020-07-03" })),
    range: () => t2m(ds.sel({ time: ["2020-07-30", "2020-08"], lat: [60, 30] })),
    nearest: () => t2m(ds.sel({ lat: 33, lon: 301 }, { method: "nearest" })),
    labels: () => t2m(ds.sel({ lon: { labels: [300, 60] } }).isel({ time: 0 })),
    places: () => t2m(ds.isel({ time: "0:10:3", lat: [4, 0], lon: -1 })),
    last: () => t2m(ds.sel({ time: ["2020-08-05", null] }).isel({ lat: 0 })),
  };
  test.each(Object.keys(cases))("%s", async (name) => {
    expect(await described(cases[name]!())).toEqual(expected.selections[name]);
  });

  test("a Date, and ends in the other order", async () => {
    const day = ds.sel({ time: new Date("2020-07-03T00:00:00Z"), lat: [30, 60] });
    expect(day.dims).toEqual({ lat: 3, lon: 6 });
    expect(day.labels("lat")!.toList()).toEqual([60, 45, 30]);
    expect(day.labels("time")).toBeNull();
  });

  test("what is not there says what is", () => {
    expect(() => ds.sel({ lat: 31 })).toThrow("lat has no label 31: they go from 60 to 0 (5 of them)");
    expect(() => ds.sel({ lat: 33 }, { method: "nearest", tolerance: 1 })).toThrow(cw.IndexError);
    expect(() => ds.sel({ latitude: 1 })).toThrow('there is no dimension "latitude"');
    expect(() => ds.get("t2")).toThrow(cw.ValueError);
  });
});

test("names go with arrays as xarray's do", async () => {
  const t = ds.get("t2m");
  const found: { [name: string]: cw.LazyArray } = {
    mean: t.mean({ axis: "time" }),
    two: t.sum({ axis: ["lat", "time"] }),
    transposed: t.permuteDims(["lon", "time", "lat"]),
    one: t.get({ lat: 0 }),
    cumulated: t.cumulativeSum({ axis: "lat" }),
    joined: cw.concat([t, t], { axis: "lat" }),
    "with scalar": t.multiply(2).add(1),
    broadcast: t.subtract(t.mean({ axis: "time" })),
    where: cw.where(t.greater(260), t, Number.NaN),
  };
  for (const [name, x] of Object.entries(found)) expect(x.dims, name).toEqual(expected.names[name]);
});
