// Sorting in blocks that are merged, with blocks of a few elements. In: arrays with ties, NaN, zeros of both signs, in any chunks.
// Out: what sorting the whole gives, bit for bit, every way of computing.

import * as cw from "chunkwise";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withStagesSync } from "../../src/array/settling.ts";
import { placeOf, sizeOf } from "../../src/core/chunks.ts";
import { node } from "../../src/lazy/build.ts";
import { longArgsort, longSort } from "../../src/ops/longSort.ts";
import { compileTask } from "../../src/plan/compile/compileTask.ts";
import { memoryOf, termsOf, totalMemory } from "../../src/plan/taskMemory.ts";

const ODD = [0, -0, Number.NaN, Infinity, -Infinity, 1, 1, 2];

const floats = fc.array(fc.oneof(fc.constantFrom(...ODD), fc.integer({ min: -5, max: 5 }), fc.double()), {
  minLength: 1,
  maxLength: 300,
});

const bits = ({ data }: cw.NDArray): unknown[] =>
  Array.from(new BigUint64Array((data as Float64Array).slice().buffer));

test("blocks that are merged are in the order of the whole", () => {
  fc.assert(
    fc.property(floats, fc.integer({ min: 1, max: 40 }), fc.boolean(), (values, chunk, descending) => {
      const x = cw.asarray(Float64Array.from(values), { chunks: chunk });
      const attrs = { descending, most: 8 * 16 };
      const long = [node(longSort, [x], attrs), node(longArgsort, [x], attrs)];
      const whole = [x.sort({ descending }), x.argsort({ descending })];
      const [a, b, c, d] = cw.computeSync([...long, ...whole]) as cw.NDArray[];
      expect(bits(a!)).toEqual(bits(c!));
      expect(bits(b!)).toEqual(bits(d!));
    }),
    { numRuns: 60 },
  );
});

test("very many blocks are merged in groups, and the groups in turn", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 530, max: 660 }),
      fc.integer({ min: 2, max: 4000 }),
      fc.boolean(),
      (length, distinct, descending) => {
        const of = (i: number): number => ((i * 7919) % 10_007) % distinct;
        const values = Float64Array.from({ length }, (_, i) => ODD[of(i)] ?? of(i));
        const x = cw.asarray(values, { chunks: 8 });
        const attrs = { descending, most: 8 * 16 };
        const long = [node(longSort, [x], attrs), node(longArgsort, [x], attrs)];
        const whole = [x.sort({ descending }), x.argsort({ descending })];
        const [a, b, c, d] = cw.computeSync([...long, ...whole]) as cw.NDArray[];
        expect(bits(a!)).toEqual(bits(c!));
        expect(bits(b!)).toEqual(bits(d!));
      },
    ),
    { numRuns: 2 },
  );
});

test("what is stated of merges is what the largest task needs, though few of them are compiled", () => {
  const length = 12_000;
  const values = Float64Array.from({ length }, (_, i) => ODD[(i * 7919) % 97] ?? Math.sin(i));
  const x = cw.asarray(values, { chunks: 1000 });
  const order = node(longArgsort, [x], { descending: false, most: 8 * 1000 });
  const [settled] = withStagesSync([order], {}, (known) => known);
  const { data } = cw.plan(settled!);
  const arrays = new Map(data.arrays.map((array) => [array.name, array]));
  const differing = data.operations.filter((operation) => {
    const needed = Array.from({ length: sizeOf(operation.grid) }, (_, task) =>
      totalMemory(termsOf(compileTask(operation, arrays, placeOf(task, operation.grid)), arrays)),
    );
    expect(totalMemory(memoryOf(operation, arrays))).toBe(Math.max(...needed));
    return new Set(needed).size > 1;
  });
  expect(differing.length).toBeGreaterThan(0);
});
