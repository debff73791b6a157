// mapBlocks: several outputs from one call for each block, truth values and complex numbers, scalars.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";

const grid = (): cw.LazyArray => cw.arange(0, 30, 1, { dtype: "float64" }).reshape([5, 6]).rechunk([2, 4]);

describe("several outputs", () => {
  const counted = (): { calls: () => number; outputs: cw.LazyArray[] } => {
    let calls = 0;
    const outputs = cw.mapBlocks(
      (block) => {
        calls++;
        const values = block.data as Float64Array;
        return [
          values.map((x) => 2 * x),
          Uint8Array.from(values, (x) => Number(x > 10)),
          BigInt64Array.from(values, (x) => -BigInt(x)),
          Float64Array.from({ length: 2 * values.length }, (_, i) => (i % 2 === 0 ? values[i / 2]! : 1)),
        ];
      },
      grid(),
      { outputs: ["float64", "bool", "int64", "complex128"] },
    );
    return { calls: () => calls, outputs };
  };

  test.each([{}, { optimize: false }, { executor: "inline" as const }])(
    "%o: one call for each block",
    async (options) => {
      const { calls, outputs } = counted();
      const [doubled, isLarge, minus, turned] = await cw.compute(outputs, options);
      expect(calls()).toBe(6);
      const x = grid().computeSync();
      expect(doubled!.toList()).toEqual(grid().multiply(2).computeSync().toList());
      expect(isLarge!.toList()).toEqual(grid().greater(10).computeSync().toList());
      expect(minus!.dtype).toBe("int64");
      expect([...minus!]).toEqual([...x].map((value) => 0 - (value as number)));
      expect([...turned!].map(String)).toEqual([...x].map((value) => String(cw.complex(value as number, 1))));
    },
  );

  test("one of them alone", async () => {
    const { calls, outputs } = counted();
    expect([...(await outputs[1]!.compute())].filter(Boolean).length).toBe(19);
    expect(calls()).toBe(6);
  });

  test("part of one of them: calls for the blocks that are needed", async () => {
    const { calls, outputs } = counted();
    expect((await outputs[0]!.get(0, 5).compute()).item()).toBe(10);
    expect(calls()).toBe(1);
  });

  test("with an axis less, of nothing, and with too few results", async () => {
    const extremes = (block: cw.NDArray): cw.BlockResult[] => {
      const [rows = 0, columns = 0] = block.shape;
      const row = (i: number): Float64Array =>
        (block.data as Float64Array).subarray(i * columns, (i + 1) * columns);
      return [
        Float64Array.from({ length: rows }, (_, i) => Math.min(...row(i))),
        Float64Array.from({ length: rows }, (_, i) => Math.max(...row(i))),
      ];
    };
    const options = { outputs: ["float64", "float64"], dropAxis: 1 } as const;
    const [low, high] = await cw.compute(cw.mapBlocks(extremes, grid(), options));
    expect(low!.toList()).toEqual([0, 6, 12, 18, 24]);
    expect(high!.toList()).toEqual([5, 11, 17, 23, 29]);
    const [none] = await cw.compute(cw.mapBlocks(extremes, cw.zeros([0, 3]), options));
    expect(none!.shape).toEqual([0]);
    const few = cw.mapBlocks(() => [new Float64Array(2)], cw.zeros([2, 3]), options);
    await expect(few[0]!.compute()).rejects.toThrow(/gave 1 results and 2 were announced/);
  });

  test("the same function of two arrays is two calls", async () => {
    const add = (block: cw.NDArray): cw.BlockResult[] => {
      const values = block.data as Float64Array;
      return [values.map((x) => x + 1), values.map((x) => x - 1)];
    };
    const options = { outputs: ["float64", "float64"] } as const;
    const [a, b] = [cw.mapBlocks(add, grid(), options), cw.mapBlocks(add, grid().multiply(3), options)];
    const results = await cw.compute(...a, ...b);
    expect(results.map((result) => [...result].at(-1))).toEqual([30, 28, 88, 86]);
  });
});

test("one element may be a number", () => {
  const sums = cw.mapBlocks((block) => (block.data as Float64Array).reduce((a, b) => a + b, 0), grid(), {
    chunks: [1, 1],
  });
  expect(sums.computeSync().toList()).toEqual([
    [36, 30],
    [132, 78],
    [102, 57],
  ]);
  const wrong = cw.mapBlocks(() => 5, grid());
  expect(() => wrong.computeSync()).toThrow(/gave 5 for a block of shape \[2, 4\]/);
});
