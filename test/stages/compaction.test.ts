// Compaction against plain JavaScript: any chunking and any density of trues gives the same rows, every way. In: arrays whose
// masks are computed later. Out: what filtering gives; plans whose tasks read no more than a few blocks.

import * as cw from "chunkwise";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { withStagesSync } from "../../src/array/settling.ts";
import { needThreads, Ways } from "../ways.ts";

needThreads();
const ways = new Ways();
afterAll(() => ways.agree(), 120_000);

/** How often each tenth of the mask is true. */
const densities = fc.array(fc.constantFrom(0, 0, 0.02, 0.5, 1), { minLength: 1, maxLength: 10 });

const maskOf = (rows: number, parts: readonly number[], seed: number): Uint8Array => {
  let state = seed;
  return Uint8Array.from({ length: rows }, (_, i) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Number(state / 2 ** 32 < parts[Math.floor((i * parts.length) / rows)]!);
  });
};

const later = (mask: Uint8Array, chunk: number): cw.LazyArray =>
  cw.asarray(mask, { chunks: [chunk] }).greater(0);

test("any chunking, any density, rows of any length", () => {
  const dtypes = ["float64", "float32", "int64", "int16", "uint8", "complex128"] as const;
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 0, max: 60 }), fc.constantFrom(0, 1, 3), densities, fc.nat()],
      ...[fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), fc.constantFrom(...dtypes)],
      (rows, width, parts, seed, chunk, maskChunk, dtype) => {
        const mask = maskOf(rows, parts, seed);
        const shape = width === 0 ? [rows] : [rows, width];
        const size = rows * Math.max(1, width);
        const x = cw
          .arange(size, { dtype: "float64" })
          .astype(dtype)
          .reshape(shape)
          .rechunk(width === 0 ? [chunk] : [chunk, 2]);
        const places = [...mask.keys()].filter((i) => mask[i] === 1);
        const [found] = ways.compute([x.get(later(mask, maskChunk))]);
        const expected = x.computeSync().toList() as unknown[];
        expect(found!.toList()).toEqual(places.map((i) => expected[i]));
      },
    ),
    { numRuns: 30 },
  );
});

test("values go to the places where a mask is true; too many or too few are told of", () => {
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 1, max: 60 }), densities, fc.nat(), fc.integer({ min: 1, max: 20 })],
      (rows, parts, seed, chunk) => {
        const mask = maskOf(rows, parts, seed);
        const count = mask.reduce((sum, n) => sum + n, 0);
        const x = cw.arange(rows, { dtype: "float64", chunks: [chunk] });
        const values = Float64Array.from({ length: count }, (_, i) => -1 - i);
        let next = 0;
        const expected = Array.from(mask, (isTrue, i) => (isTrue === 1 ? values[next++]! : i));
        const set = (given: Float64Array): cw.LazyArray => x.set(later(mask, 7), given);
        if (count !== 1) expect(ways.compute([set(values)])[0]!.toList()).toEqual(expected);
        expect(() => set(Float64Array.of(...values, 0, 0)).computeSync()).toThrow(/values for \d+ places/);
      },
    ),
    { numRuns: 12 },
  );
});

test("repeats by counts that are computed later", () => {
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 0, max: 40 }), densities, fc.nat(), fc.integer({ min: 1, max: 9 }), fc.boolean()],
      (rows, parts, seed, chunk, isWide) => {
        const counts = Array.from(maskOf(rows, parts, seed), (n, i) => n * (i % 4));
        const flat = cw.arange(rows * (isWide ? 3 : 1), { dtype: "int32" });
        const x = isWide ? flat.reshape([3, rows]).rechunk([2, chunk]) : flat.rechunk([chunk]);
        const axis = isWide ? 1 : 0;
        const each = cw.asarray(Int32Array.from(counts), { chunks: [5] }).add(0);
        const [found] = ways.compute([x.repeat(each, { axis })]);
        const row = counts.flatMap((count, i) => new Array<number>(count).fill(i));
        const expected = isWide ? [0, 1, 2].map((r) => row.map((i) => r * rows + i)) : row;
        expect(found!.toList()).toEqual(expected);
      },
    ),
    { numRuns: 16 },
  );
  const wrong = cw.asarray([1, -1]).add(0);
  expect(() => cw.asarray([5, 6]).repeat(wrong).computeSync()).toThrow(/a count of repeats is -1/);
});

test("large blocks, moved by kernels, are what the interpreter makes of them", () => {
  const rows = 150_000;
  const mask = maskOf(rows, [0.5, 0.9, 0, 0.1, 1], 5);
  const x = cw.asarray(Float64Array.from({ length: rows }, Math.sqrt), { chunks: [70_000] });
  for (const dtype of ["float64", "float32", "int16", "uint8", "complex128"] as const) {
    const y = x.astype(dtype).get(later(mask, 65_536));
    expect(y.computeSync().data).toEqual(y.computeSync({ backend: cw.referenceBackend }).data);
  }
});

test("where trues are far apart no task reads more than a block of the mask", () => {
  const rows = 100_000;
  const x = cw.arange(rows, { chunks: [1000], dtype: "float64" });
  const far = x.get(x.remainder(997).equal(0));
  const [settled] = withStagesSync([far], {}, (known) => known);
  expect(cw.plan(settled!).maxProjectedMem).toBeLessThan(4 * 1000 * 16);
  expect(far.computeSync().toList()).toEqual(Array.from({ length: 101 }, (_, i) => 997 * i));
});
