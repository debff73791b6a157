// OME-Zarr: levels are means of 2 × 2 pixels (against NumPy's own in the other direction: a plain loop), metadata say what versions
// 0.4 and 0.5 want said, and what others wrote is opened.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { openArray } from "../../src/storage/index.ts";

/** Means of the pixels that there are, element by element. */
function halves(rows: readonly (readonly number[])[]): number[][] {
  const [h, w] = [rows.length, rows[0]!.length];
  return Array.from({ length: Math.ceil(h / 2) }, (_, i) =>
    Array.from({ length: Math.ceil(w / 2) }, (__, j) => {
      const block = [2 * i, 2 * i + 1].flatMap((y) => [2 * j, 2 * j + 1].map((x) => rows[y]?.[x]));
      const there = block.filter((value) => value !== undefined);
      return there.reduce((sum, value) => sum + value, 0) / there.length;
    }),
  );
}

const image = cw
  .arange(0, 2 * 37 * 50, 1, { dtype: "float32", chunks: 700 })
  .multiply(7)
  .remainder(101)
  .reshape([2, 37, 50])
  .withDims(["c", "y", "x"]);

describe.each(["0.4", "0.5"] as const)("version %s", (version) => {
  test("levels, axes and scales", async () => {
    const store = new cw.MemoryStore();
    const options = {
      version,
      levels: 4,
      chunks: [1, 16, 16],
      name: "cells",
      scale: { y: 0.5, x: 0.25 },
      units: { y: "micrometer", x: "micrometer" },
      path: "images/a",
    } as const;
    const written = await cw.toOmeZarr(image, store, options);
    const opened = await cw.openOmeZarr(store, { path: "images/a" });
    for (const { name, version: found, axes, levels } of [written, opened]) {
      expect([name, found]).toEqual(["cells", version]);
      expect(axes).toEqual([
        { name: "c", type: "channel", unit: null },
        { name: "y", type: "space", unit: "micrometer" },
        { name: "x", type: "space", unit: "micrometer" },
      ]);
      expect(
        levels.map(({ path, scale, translation, array }) => [
          path,
          scale,
          translation,
          array.shape,
          array.dims,
        ]),
      ).toEqual([
        ["0", [1, 0.5, 0.25], [0, 0, 0], [2, 37, 50], ["c", "y", "x"]],
        ["1", [1, 1, 0.5], [0, 0.25, 0.125], [2, 19, 25], ["c", "y", "x"]],
        ["2", [1, 2, 1], [0, 0.75, 0.375], [2, 10, 13], ["c", "y", "x"]],
        ["3", [1, 4, 2], [0, 1.75, 0.875], [2, 5, 7], ["c", "y", "x"]],
      ]);
    }
    let expected = (await image.compute()).toList() as number[][][];
    for (const { array } of opened.levels) {
      const found = (await array.compute()).toList() as number[][][];
      found.flat(2).forEach((value, i) => expect(value).toBeCloseTo(expected.flat(2)[i]!, 3));
      expected = expected.map(halves);
    }
    const zarr = await openArray(store, "images/a/1");
    expect([zarr.metadata.zarrFormat, zarr.metadata.keyEncoding.separator]).toEqual([
      version === "0.4" ? 2 : 3,
      "/",
    ]);
  });

  test("attributes are those of the specification", async () => {
    const store = new cw.MemoryStore();
    await cw.toOmeZarr(image.get(0), store, { version, levels: 1 });
    const { attributes } = await cw.openGroup(store);
    const multiscale = {
      axes: [
        { name: "y", type: "space" },
        { name: "x", type: "space" },
      ],
      datasets: [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1] }] }],
      type: "mean",
    };
    expect(attributes).toEqual(
      version === "0.4"
        ? { multiscales: [{ version, ...multiscale }] }
        : { ome: { version, multiscales: [multiscale] } },
    );
  });
});

test("whole numbers stay whole, and how many levels follows from the size", async () => {
  const store = new cw.MemoryStore();
  const bytes = cw
    .arange(0, 600 * 700, 1, { chunks: 60_000 })
    .remainder(256)
    .astype("uint8")
    .reshape([600, 700]);
  const { levels } = await cw.toOmeZarr(bytes, store, { chunks: [128, 128], executor: "threads" });
  expect(levels.map(({ array }) => [array.dtype, array.shape, array.chunks])).toEqual([
    ["uint8", [600, 700], [128, 128]],
    ["uint8", [300, 350], [128, 128]],
    ["uint8", [150, 175], [128, 128]],
  ]);
  const block = (await levels[0]!.array.get("10:12", "20:22").compute()).toList() as number[][];
  expect((await levels[1]!.array.get(5, 10).compute()).item()).toBeCloseTo(
    block.flat().reduce((a, b) => a + b) / 4,
    -0.5,
  );
});

test("what others wrote, long ago too", async () => {
  const store = new cw.MemoryStore();
  const x = cw.ones([1, 1, 1, 4, 4]);
  await x.toZarr(store, { path: "old/0", zarrFormat: 2 });
  const group = await cw.openGroup(store, { path: "old" });
  await group.setAttributes({ multiscales: [{ datasets: [{ path: "0" }] }] });
  const first = await cw.openOmeZarr(store, { path: "old" });
  expect([first.version, first.levels[0]!.array.dims]).toEqual(["0.1", ["t", "c", "z", "y", "x"]]);
  await group.setAttributes({
    multiscales: [
      {
        version: "0.4",
        axes: [{ name: "t" }, { name: "c" }, { name: "z" }, { name: "y" }, { name: "x", type: "space" }],
        datasets: [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1, 2, 3] }] }],
        coordinateTransformations: [{ type: "scale", scale: [0.5, 1, 1, 1, 1] }],
      },
    ],
  });
  expect((await cw.openOmeZarr(store, { path: "old" })).levels[0]!.scale).toEqual([0.5, 1, 1, 2, 3]);
});

test("what is no image says so", async () => {
  const store = new cw.MemoryStore();
  await expect(cw.toOmeZarr(image.withDims(["x", "y", "c"]), store)).rejects.toThrow("Axes go t, c, z, y, x");
  await expect(cw.toOmeZarr(image.withDims(["lat", "y", "x"]), store)).rejects.toThrow(
    'an axis of an image is called "lat"',
  );
  await expect(cw.toOmeZarr(image.greater(3), store)).rejects.toThrow("an image of bool");
  await cw.ones([2]).toZarr(store, { path: "a/b" });
  await expect(cw.openOmeZarr(store, { path: "a" })).rejects.toThrow("the group has no multiscales");
});
