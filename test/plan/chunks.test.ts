// Chunks that nobody chose: from the element's size, what a task may use, and how the array is stored.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { autoChunks, checkChunks } from "../../src/core/chunks.ts";
import { sizeOf } from "../../src/core/shape.ts";
import { check } from "../property/settings.ts";

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
