// Transforms of lines that no task holds, as tables: the same as of whole lines, but for rounding, in tasks that hold a few rows.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { rowsOf, transformedInSteps } from "../../src/array/fourier/longLines.ts";

const noise = (n: number): cw.LazyArray =>
  cw.asarray(
    cw
      .random(n)
      .normal([2, n])
      .add(
        cw
          .random(n + 1)
          .normal([2, n])
          .multiply(cw.complex(0, 1)),
      )
      .computeSync(),
  );

test.each([
  [4096, 64],
  [6000, 75],
  [1024, 16],
])("a line of %i in %i rows", (n, rows) => {
  const x = noise(n).rechunk([1, 1000]);
  for (const [way, isInverse] of [
    [cw.fft.fft(x), false],
    [cw.fft.ifft(x).multiply(n), true],
  ] as const) {
    const found = transformedInSteps(x, isInverse, rows);
    const [off, size] = cw.computeSync([cw.max(cw.abs(found.subtract(way))), cw.max(cw.abs(way))]);
    expect(Number(off!.item())).toBeLessThan(8 * Number.EPSILON * Number(size!.item()));
  }
});

test("how lines are cut", () => {
  expect(rowsOf(1 << 22)).toBeNull();
  expect(rowsOf(1 << 24)).toBe(4096);
  expect(rowsOf(3 * 2 ** 23)).toBe(4096);
  // A prime has no table.
  expect(rowsOf(16777259)).toBeNull();
});

test("no task holds the line", () => {
  const n = 1 << 24;
  const x = cw.random(1).normal(n, { chunks: 1 << 20 });
  const line = 16 * n;
  const plan = cw.fft.fft(x).plan({ spec: new cw.Spec({ allowedMem: line, reservedMem: 1 }) });
  expect(plan.maxProjectedMem).toBeLessThan(line / 2);
});
