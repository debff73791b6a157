// Names of axes and attributes: what every kind of op makes of them, that no key, plan or result depends on them, and that they
// are written and read again.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { contentKey } from "../../src/expr/expr.ts";

const cube = cw.arange(24).reshape([2, 3, 4]).withDims(["time", "lat", "lon"]);

describe("names go where their axes go", () => {
  const cases: { readonly [name: string]: readonly [cw.LazyArray, readonly (string | null)[]] } = {
    T: [cube.T, ["lon", "lat", "time"]],
    moveaxis: [cube.moveaxis("lon", 0), ["lon", "time", "lat"]],
    expandDims: [cube.expandDims(1), ["time", null, "lat", "lon"]],
    squeeze: [cube.get("0:1").squeeze("time"), ["lat", "lon"]],
    keepdims: [cube.sum({ axis: "lat", keepdims: true }), ["time", "lat", "lon"]],
    places: [cube.get(":", [2, 0]), ["time", "lat", "lon"]],
    pairs: [cube.get([0, 1], [2, 0]), [null, "lon"]],
    mask: [cube.get({ time: [true, false] }), ["time", "lat", "lon"]],
    "a mask that is computed": [
      cube.get(cube.sum({ axis: ["lat", "lon"] }).greater(100)),
      ["time", "lat", "lon"],
    ],
    "a new axis": [cube.get(null, 0), [null, "lat", "lon"]],
    flip: [cube.flip({ axis: "lat" }), ["time", "lat", "lon"]],
    roll: [cube.roll(1, { axis: "lon" }), ["time", "lat", "lon"]],
    take: [cube.take([1, 1, 0], { axis: "lat" }), ["time", "lat", "lon"]],
    sort: [cube.sort({ axis: "lat" }), ["time", "lat", "lon"]],
    "merged axes": [cube.reshape([2, 12]), ["time", null]],
    stack: [cw.stack([cube, cube]), [null, "time", "lat", "lon"]],
    product: [cw.matmul(cube, cw.ones([4, 5]).withDims(["lon", "mode"])), ["time", "lat", "mode"]],
    broadcast: [cube.add(cw.ones([3, 1])), ["time", "lat", "lon"]],
    "names that differ": [cube.add(cw.ones([3, 4]).withDims(["lat", "x"])), ["time", "lat", null]],
    rechunk: [cube.rechunk(1), ["time", "lat", "lon"]],
    set: [cube.set({ time: 0 }, 7), ["time", "lat", "lon"]],
    none: [cube.withDims(null), [null, null, null]],
  };
  test.each(Object.keys(cases))("%s", (name) => {
    const [x, dims] = cases[name]!;
    expect(x.dims).toEqual(dims);
  });

  test("values are those of numbered axes", async () => {
    const plain = cw.arange(24).reshape([2, 3, 4]);
    const pairs = [
      [cube.mean({ axis: ["lat", "time"] }), plain.mean({ axis: [1, 0] })],
      [cube.get({ lon: "1:3", time: -1 }), plain.get(-1, ":", "1:3")],
      [cube.set({ lat: 1 }, 0), plain.set([":", 1], 0)],
      [cube.argmax({ axis: "lat" }), plain.argmax({ axis: 1 })],
      [cube.unstack({ axis: "time" })[1]!, plain.get(1)],
      [cube.var({ axis: "lon", keepdims: true }), plain.var({ axis: 2, keepdims: true })],
      [cw.quantile(cube, 0.5, { axis: "lat" }), cw.quantile(plain, 0.5, { axis: 1 })],
    ] as const;
    for (const [named, numbered] of pairs)
      expect((await named.compute()).toList()).toEqual((await numbered.compute()).toList());
  });
});

describe("what is wrong says what and which", () => {
  test("a name that is not there", () => {
    expect(() => cube.sum({ axis: "latitude" })).toThrow(
      'sum: no axis is called "latitude": the names are [time, lat, lon]',
    );
    expect(() => cw.arange(3).sum({ axis: "x" })).toThrow("Name the axes: x.withDims([…])");
    expect(() => cube.get({ day: 0 })).toThrow(cw.AxisError);
  });
  test("names that are none", () => {
    expect(() => cube.withDims(["a", "b"])).toThrow("2 names for 3 axes");
    expect(() => cube.withDims(["a", "a", null])).toThrow('two axes are called "a"');
    expect(() => cube.withDims(["a", "b", 3] as never)).toThrow(cw.AxisError);
    expect(() => cube.withAttributes(3 as never)).toThrow(cw.DTypeError);
  });
});

test("no key and no plan depends on names and attributes", () => {
  const program = (x: cw.LazyArray): cw.LazyArray => x.add(1).sum({ axis: 0 });
  const plain = cw.arange(24, { chunks: 6 }).reshape([4, 6]);
  const said = plain.withDims(["a", "b"]).withAttributes({ units: "K" });
  expect(contentKey(program(said).expr)).toBe(contentKey(program(plain).expr));
  expect(String(program(said).plan())).toBe(String(program(plain).plan()));
});

test("attributes go with the same quantity, and not with another", () => {
  const x = cube.withAttributes({ units: "K" });
  for (const same of [
    x.get(0),
    x.T,
    x.astype("float32"),
    x.take([0], { axis: "lat" }),
    x.rechunk(1),
    x.withDims(null),
  ])
    expect(same.attributes).toEqual({ units: "K" });
  for (const other of [x.add(1), x.sum(), x.greater(3)]) expect(other.attributes).toEqual({});
});

describe.each([2, 3] as const)("Zarr v%s", (zarrFormat) => {
  test("they are written and read again", async () => {
    const store = new cw.MemoryStore();
    const attributes = { units: "K", levels: [1, 2.5], note: null };
    const written = await cube.withAttributes(attributes).toZarr(store, { zarrFormat, path: "a" });
    const opened = await cw.fromZarr(store, { path: "a" });
    for (const x of [written, opened]) {
      expect(x.dims).toEqual(["time", "lat", "lon"]);
      expect(x.attributes).toEqual(attributes);
    }
    expect(String(opened)).toContain("[time: 2, lat: 3, lon: 4]");
    const group = await cw.openGroup(store);
    expect((await group.array("a")).dims).toEqual(["time", "lat", "lon"]);
    await opened.mean({ axis: "lat" }).toZarr(store, { path: "b", zarrFormat, attributes: { of: "means" } });
    const means = await cw.fromZarr(store, { path: "b" });
    expect([means.dims, means.attributes]).toEqual([["time", "lon"], { of: "means" }]);
  });

  test("other names are given, or none", async () => {
    const store = new cw.MemoryStore();
    await cube.toZarr(store, { zarrFormat, dimensionNames: ["t", "y", "x"] });
    expect((await cw.fromZarr(store)).dims).toEqual(["t", "y", "x"]);
    await cw.ones([2, 2]).toZarr(store, { zarrFormat, overwrite: true });
    expect((await cw.fromZarr(store)).dims).toEqual([null, null]);
  });
});
