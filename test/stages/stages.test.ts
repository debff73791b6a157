// Stages: lengths that depend on data, from the call to the result. In: arrays with lazy masks. Out: what selecting eagerly
// gives, whatever runs the stages; text with `?`; and errors that say how to settle.

import * as cw from "chunkwise";
import { expect, test } from "vitest";

const x = cw.arange(200, { chunks: [30], dtype: "float64" }).subtract(90);
const selected = x.get(x.greater(2));
const values = Array.from({ length: 107 }, (_, i) => i + 3);

test("a selection inside of a larger expression needs no call from the user", async () => {
  expect((await selected.compute()).toList()).toEqual(values);
  expect(selected.computeSync().toList()).toEqual(values);
  const again = selected.get(selected.remainder(50).equal(0)).sort({ descending: true });
  expect(again.computeSync().toList()).toEqual([100, 50]);
  expect(selected.mean().computeSync().item()).toBe(56);
});

test("two selections by the same mask are as long, and two by others need not be", () => {
  const doubled = x.multiply(2).get(x.greater(2));
  expect(selected.add(doubled).computeSync().toList()).toEqual(values.map((n) => 3 * n));
  expect(() => selected.add(x.get(x.less(0)))).toThrow(cw.UnknownLengthError);
  expect(() => selected.add(x)).toThrow(/settle/);
});

test("asking for a length says how it is settled", async () => {
  for (const ask of [
    () => selected.shape,
    () => selected.size,
    () => selected.numblocks,
    () => selected.reshape([3, -1]),
    () => cw.zerosLike(selected),
  ])
    expect(ask).toThrow(/await x\.settle\(\)/);
  const settled = await selected.settle();
  expect(settled.shape).toEqual([107]);
  const [a, b] = await cw.settle([selected, x.get(x.less(0))]);
  expect([a.shape, b.shape]).toEqual([[107], [90]]);
});

test("a plan shows its first stage as it is, and the rest with lengths that are not known", async () => {
  const plan = selected.sort().plan();
  expect(String(plan)).toMatchInlineSnapshot(`
    "plan: 1 operation, 7 tasks, 0 intermediate arrays (0 B); reads 0 B, writes 56 B
    before optimisation: 3 operations, 21 tasks, 2 intermediate arrays (1.8 kB); reads 1.8 kB, writes 1.86 kB
      a2: result int64 [7] in 7 chunks of [1]
    op-003: 7 tasks [i] in [7]
      %0 = arange(start: 0, step: 1) float64 [200]
      %1 = subtract(%0, 90) float64 [200]
      %2 = greater(%1, 2) bool [200]
      %3 = countTrue(%2, block: 30) int64 [7]
      a2[i] ← %3
      reads 0 B, writes 56 B
      memory 46 B = temporaries 30 B + rows 8 B + write a2 8 B
    then, planned when that is known:
      %0 = arange(start: 0, step: 1) float64 [200] chunks [30]
      %1 = subtract(%0, 90) float64 [200] chunks [30]
      %2 = greater(%1, 2) bool [200] chunks [30]
      %3 = compact(%1, %2) float64 [?] chunks [30]
      %4 = longSort(%3, descending: false, most: 16777216) float64 [?] chunks [30]"
  `);
  expect((await cw.computePlan(plan))[0]!.toList()).toEqual(values);
  expect(() => cw.savePlan(plan)).toThrow(/settle/);
});
