// Programs that differ in their constants alone share a kernel after the first few, and compute the same bits as ever.

import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as cw from "../../src/index.ts";
import { evaluateReference } from "../reference.ts";

afterEach(() => vi.restoreAllMocks());

/** How many kernels are compiled meanwhile. */
async function compiled(run: () => Promise<unknown>): Promise<number> {
  const modules = vi.spyOn(WebAssembly, "Module");
  await run();
  return modules.mock.calls.length;
}

const bitsOf = ({ data }: cw.NDArray): number[] => [
  ...new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
];

const FORMS: { readonly [name: string]: (x: cw.LazyArray, c: number) => cw.LazyArray } = {
  "a loop": (x, c) =>
    x
      .multiply(c)
      .add(c + 1)
      .exp(),
  "a power": (x, c) => x.abs().pow(c).subtract(0.25),
  "a reduction": (x, c) => x.multiply(c).sum({ axis: 0 }),
  "a mean": (x, c) => x.add(c).mean(),
  "a comparison": (x, c) => cw.where(x.less(c), x, c),
  "complex numbers": (x, c) => x.multiply(cw.complex(c, -c)),
  "shifts of integers": (x, c) =>
    x
      .astype("int32")
      .bitwiseLeftShift(Math.abs(Math.trunc(c)) % 8)
      .add(Math.trunc(c)),
};

describe("kernels of a family", () => {
  test.each(Object.entries(FORMS))(
    "%s: the same bits as interpreted, whatever the constant",
    async (_, form) => {
      const data = Float64Array.from({ length: 60 }, (_, i) => Math.sin(i) * 10);
      data[7] = NaN;
      data[8] = -0;
      await fc.assert(
        fc.asyncProperty(fc.double({ min: -1e3, max: 1e3, noNaN: true }), async (c) => {
          const x = cw.asarray(data).reshape([12, 5]);
          const result = form(x, c);
          const expected = evaluateReference([result.expr]).get(result.expr)!;
          expect(bitsOf(await result.compute())).toEqual(bitsOf(cw.NDArray.fromBlock(expected)));
        }),
        { numRuns: 12 },
      );
    },
  );

  test.each([10, 100, 1000])(
    "%i arrays with constants of their own need no more than a few kernels",
    async (count) => {
      const x = cw.asarray(new Float64Array(8));
      const arrays = Array.from({ length: count }, (_, i) =>
        x
          .tan()
          .multiply(i + count / 7)
          .cosh(),
      );
      const together = await compiled(() => cw.compute(arrays));
      expect(together).toBeGreaterThan(0);
      expect(together).toBeLessThanOrEqual(5);
      const apart = await compiled(async () => {
        for (const array of arrays.slice(0, 20)) await array.compute();
      });
      expect(apart).toBeLessThanOrEqual(4);
    },
  );
});
