// Datasets and arrays that we write are opened by xarray as they were written: names, coordinates, times, missing values. The part
// of Python runs where it has xarray.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as cw from "chunkwise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "chunkwise-datasets-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const instants = (texts: readonly string[], dtype: "datetime64[D]" | "datetime64[s]" = "datetime64[D]") =>
  cw.asarray([...texts], { dtype });

function made(days: readonly string[], from = 0): Promise<cw.Dataset> {
  const n = days.length;
  const values = cw.arange(from, from + 6 * n, 1, { dtype: "float32" }).reshape([n, 2, 3]);
  return cw.dataset({
    variables: {
      t: cw
        .where(values.equal(4), Number.NaN, values)
        .rechunk([2, 2, 3])
        .withDims(["time", "lat", "lon"])
        .withAttributes({ units: "K" }),
      packed: values.divide(4).withDims(["time", "lat", "lon"]),
      area: cw.ones([2, 3], { dtype: "int32" }).withDims(["lat", "lon"]),
    },
    coords: {
      time: instants(days).withDims(["time"]),
      lat: cw.asarray([10.5, -10.5]).withDims(["lat"]).withAttributes({ units: "degrees_north" }),
      cell: cw.arange(6).reshape([2, 3]).withDims(["lat", "lon"]),
      run: instants(["2019-12-31T06:00:00"], "datetime64[s]").get(0),
    },
    attributes: { title: "made here" },
  });
}

const encoding = { packed: { dtype: "int16", scaleFactor: 0.25, addOffset: 1, fillValue: -32768 } } as const;

const SCRIPT = `
import json, sys, numpy as np, xarray as xr
ds = xr.open_zarr(sys.argv[1])
def plain(x):
    v = x.values
    if v.dtype.kind == "M": return [str(y) for y in v.astype("datetime64[s]").ravel()]
    return [None if isinstance(y, float) and np.isnan(y) else y for y in v.ravel().tolist()]
print(json.dumps({
  "dims": dict(ds.sizes), "coords": sorted(ds.coords), "vars": sorted(ds.data_vars), "attrs": ds.attrs,
  "values": {n: plain(ds[n]) for n in ds.variables}, "names": {n: list(ds[n].dims) for n in ds.variables},
  "units": ds.t.attrs.get("units"), "dtypes": {n: str(ds[n].dtype) for n in ds.variables}}))
`;

const python = ["/usr/bin/python3", "python3"].find((name) => {
  try {
    execFileSync(name, ["-c", "import xarray, zarr"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

const opened = (path: string): Record<string, never> =>
  JSON.parse(
    execFileSync(python!, ["-W", "ignore", "-c", SCRIPT, path], {
      encoding: "utf8",
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
    }),
  );

describe.skipIf(python === undefined)(
  `xarray opens${python === undefined ? " (skipped: no Python with xarray and zarr)" : ""}`,
  () => {
    test("what was written, and what was appended to it", async () => {
      const path = join(folder, "x.zarr");
      await (await made(["2020-01-01", "2020-01-02", "2020-01-03"])).toZarr(path, {
        zarrFormat: 2,
        encoding,
      });
      const seen = opened(path);
      expect(seen).toMatchObject({
        dims: { time: 3, lat: 2, lon: 3 },
        coords: ["cell", "lat", "run", "time"],
        vars: ["area", "packed", "t"],
        attrs: { title: "made here" },
        units: "K",
        names: { t: ["time", "lat", "lon"], cell: ["lat", "lon"], run: [] },
        dtypes: { t: "float32", time: "datetime64[ns]", area: "int32" },
      });
      const all = Array.from({ length: 18 }, (_, i) => i);
      expect(seen["values"]).toMatchObject({
        time: ["2020-01-01T00:00:00", "2020-01-02T00:00:00", "2020-01-03T00:00:00"],
        run: ["2019-12-31T06:00:00"],
        t: all.map((i) => (i === 4 ? null : i)),
        packed: all.map((i) => i / 4),
        lat: [10.5, -10.5],
      });
      await (await made(["2020-01-04", "2020-01-05"], 18)).toZarr(path, { append: "time" });
      const after = opened(path);
      expect(after).toMatchObject({
        dims: { time: 5 },
        attrs: { title: "made here" },
        coords: ["cell", "lat", "run", "time"],
      });
      const more = Array.from({ length: 30 }, (_, i) => i);
      expect(after["values"]).toMatchObject({
        time: [1, 2, 3, 4, 5].map((day) => `2020-01-0${day}T00:00:00`),
        t: more.map((i) => (i === 4 ? null : i)),
        packed: more.map((i) => i / 4),
      });
    });

    test("what it wrote itself, and we appended to", async () => {
      const path = join(folder, "theirs.zarr");
      const write = `
import sys, numpy as np, pandas as pd, xarray as xr
ds = xr.Dataset({"t": (("time",), np.array([1.0, np.nan, 3.0]))}, coords={"time": pd.date_range("2021-02-27", periods=3)})
ds.to_zarr(sys.argv[1], encoding={"t": {"dtype": "int16", "scale_factor": 0.5, "_FillValue": -9}})
`;
      execFileSync(python!, ["-W", "ignore", "-c", write, path]);
      const more = await cw.dataset({
        variables: { t: cw.asarray([4.5, Number.NaN]).withDims(["time"]) },
        coords: { time: instants(["2021-03-02", "2021-03-03"]).withDims(["time"]) },
      });
      await more.toZarr(path, { append: "time" });
      expect(opened(path)).toMatchObject({
        values: {
          t: [1, null, 3, 4.5, null],
          time: ["02-27", "02-28", "03-01", "03-02", "03-03"].map((day) => `2021-${day}T00:00:00`),
        },
      });
    });
  },
);

describe.each([2, 3] as const)("we open what we wrote, in v%s", (zarrFormat) => {
  test("with labels", async () => {
    const store = new cw.MemoryStore();
    const days = ["2020-01-01", "2020-01-02", "2020-02-01"];
    await (await made(days)).toZarr(store, { zarrFormat, encoding, path: "runs/a" });
    await (await made(["2020-02-02"], 18)).toZarr(store, {
      path: "runs/a",
      append: "time",
      executor: "threads",
    });
    const ds = await cw.openDataset(store, { path: "runs/a", chunks: { time: 1 } });
    expect(ds.dims).toEqual({ time: 4, lat: 2, lon: 3 });
    expect([ds.get("t").dims, ds.get("t").chunks, ds.attributes]).toEqual([
      ["time", "lat", "lon"],
      [1, 2, 3],
      { title: "made here" },
    ]);
    const february = ds.sel({ time: "2020-02", lat: 10.5 });
    expect(february.labels("time")!.toList()).toEqual(["2020-02-01T00:00:00", "2020-02-02T00:00:00"]);
    expect((await february.get("packed").compute()).toList()).toEqual([
      [3, 3.25, 3.5],
      [4.5, 4.75, 5],
    ]);
    expect(Object.keys(ds.only("area").coords).sort()).toEqual(["cell", "lat", "run"]);
    const means = ds.assign({ mean: ds.get("t").mean({ axis: "time" }) });
    expect(means.get("mean").dims).toEqual(["lat", "lon"]);
  });
});

test("what does not fit is an error before anything is written", async () => {
  const ds = await made(["2020-01-01"]);
  const store = new cw.MemoryStore();
  await ds.toZarr(store);
  const list = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const key of store.list("/")) keys.push(key);
    return keys;
  };
  const before = await list();
  await expect((await made(["2021-05-05"])).toZarr(store)).rejects.toThrow(cw.ChunkwiseError);
  await expect(ds.toZarr(store, { append: "day" })).rejects.toThrow(
    'nothing of the dataset has the dimension "day"',
  );
  await expect(ds.toZarr(store, { encoding: { q: {} } })).rejects.toThrow(
    'encoding of "q", which is not there',
  );
  expect(await list()).toEqual(before);
  await expect(cw.dataset({ variables: { a: cw.ones([2]) } })).rejects.toThrow('axis 0 of "a" has no name');
  const [a, b] = [cw.ones([2]).withDims(["x"]), cw.ones([3]).withDims(["x"])];
  await expect(cw.dataset({ variables: { a, b } })).rejects.toThrow('x is 3 long in "b" and 2 in "a"');
});
