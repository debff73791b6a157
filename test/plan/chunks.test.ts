// Chunks that nobody chose: from the element's size, what a task may use, and how the array is stored.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { autoChunks, checkChunks, sizeOf } from "../../src/core/chunks.ts";
import { check } from "../property/settings.ts";
import { zeros } from "./plans.ts";

describe("autoChunks", () => {
  test("aims at 64 MiB when nothing is known", () => {
    expect(autoChunks([100_000, 100_000], 8)).toEqual([2896, 2896]);
    expect(autoChunks([100, 100_000], 8)).toEqual([100, 83_886]);
    expect(autoChunks([10, 10], 8)).toEqual([10, 10]);
  });

  test("goes by what a task may use, which has several chunks at once", () => {
    expect(autoChunks([100_000, 100_000], 8, 64e6)).toEqual([1000, 1000]);
  });

  test("takes stored chunks together, and cuts those that are too large", () => {
    expect(autoChunks([100_000, 100_000], 8, 64e6, [100, 250])).toEqual([800, 1000]);
    expect(autoChunks([100_000, 100_000], 8, 64e6, [1, 100_000])).toEqual([8, 100_000]);
    expect(autoChunks([100_000, 100_000], 8, 64e6, [4000, 4000])).toEqual([1000, 1000]);
  });

  test("axis by axis", () => {
    expect(checkChunks([10, "auto"], [1000, 1000], 8, { budget: 8 * 8 * 1000, stored: [10, 30] })).toEqual([
      10, 60,
    ]);
  });
});

const cases = fc.record({
  axes: fc.array(fc.tuple(fc.nat({ max: 3000 }), fc.integer({ min: 1, max: 3000 })), {
    minLength: 1,
    maxLength: 5,
  }),
  itemsize: fc.constantFrom(1, 2, 4, 8, 16),
  budget: fc.integer({ min: 1, max: 1e9 }),
  isStored: fc.boolean(),
});

test("chunks are chunks, and fit where anything does", () =>
  check(300, cases, ({ axes, itemsize, budget, isStored }) => {
    const shape = axes.map(([n]) => n);
    const stored = isStored ? axes.map(([, chunk]) => chunk) : undefined;
    const chunks = autoChunks(shape, itemsize, budget, stored);
    chunks.forEach((n, axis) =>
      expect(Number.isInteger(n) && n >= 1 && n <= Math.max(1, shape[axis]!)).toBe(true),
    );
    expect(sizeOf(chunks)).toBeLessThanOrEqual(Math.max(1, budget / 8 / itemsize));
  }));

describe('"auto" in functions', () => {
  test("stored chunks are taken together, on all axes or on some", async () => {
    const store = new cw.MemoryStore();
    await zeros([100, 90], [10, 30]).toZarr(store);
    expect((await cw.fromZarr(store)).chunks).toEqual([10, 30]);
    expect((await cw.fromZarr(store, { chunks: "auto" })).chunks).toEqual([100, 90]);
    expect((await cw.fromZarr(store, { chunks: [10, "auto"] })).chunks).toEqual([10, 90]);
  });

  test("chunks that are there are kept whole", () => {
    const x = cw.ones([100_000, 3000], { chunks: [700, 3000] });
    expect(x.rechunk("auto").chunks).toEqual([1400, 3000]);
    expect(x.rechunk([100, "auto"]).chunks).toEqual([100, 3000]);
  });

  test("arrays that are made are cut by the size of their elements", () => {
    expect(cw.ones([100_000, 100_000], { chunks: "auto" }).chunks).toEqual([2896, 2896]);
    expect(cw.ones([100_000, 100_000], { dtype: "int8", chunks: ["auto", 1000] }).chunks).toEqual([
      67_108, 1000,
    ]);
  });
});

/** Chunks of x + y, where y may be broadcast. */
const unified = (
  x: readonly [readonly number[], readonly number[]],
  y: readonly [readonly number[], readonly number[]],
): readonly number[] => cw.ones(x[0], { chunks: x[1] }).add(cw.ones(y[0], { chunks: y[1] })).chunks;

describe("arrays that are cut in different ways", () => {
  test("long chunks are kept where they consist of whole short ones", () => {
    expect(
      unified(
        [
          [1000, 1000],
          [100, 1000],
        ],
        [
          [1000, 1000],
          [50, 1000],
        ],
      ),
    ).toEqual([100, 1000]);
    expect(
      unified(
        [
          [1000, 1000],
          [100, 1000],
        ],
        [[1000], [10]],
      ),
    ).toEqual([100, 1000]);
    expect(unified([[1000], [1000]], [[1000], [300]])).toEqual([1000]);
  });

  test("else the shortest: coprime lengths would be read in pieces either way", () =>
    expect(unified([[1000], [300]], [[1000], [200]])).toEqual([200]));

  test("no chunk is larger than the largest of the inputs", () => {
    expect(
      unified(
        [
          [1000, 1000],
          [1000, 10],
        ],
        [
          [1000, 1000],
          [10, 1000],
        ],
      ),
    ).toEqual([10, 1000]);
    expect(
      unified(
        [
          [64, 64],
          [16, 32],
        ],
        [
          [64, 64],
          [32, 16],
        ],
      ),
    ).toEqual([16, 32]);
  });
});
