// Reductions: kernels against the interpreter, bit for bit, for every reduction of the table over dtypes, axes
// and lengths around the rounds and blocks of the defined order; and the accuracy of that order.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, newBlock } from "../../src/core/block.ts";
import { DTYPES, type DType, infoOf, isFloat, isWide } from "../../src/core/dtype.ts";
import type { ReduceStep } from "../../src/kernel/blockProgram.ts";
import { runReduce } from "../../src/kernel/interpret/reduce.ts";
import { runReduceInArena } from "../../src/kernel/wasm/reduceArena.ts";
import { compileTask } from "../../src/plan/compile/task.ts";

const SEED = Number(process.env["CHUNKWISE_SEED"] ?? 20261115);
const REDUCTIONS = ["sum", "prod", "mean", "var", "max", "min", "any", "all", "countNonzero"] as const;
type Reduction = (typeof REDUCTIONS)[number];

const takes = (name: Reduction, dtype: DType): boolean => {
  if (["any", "all", "countNonzero"].includes(name)) return true;
  if (dtype === "bool") return name === "max" || name === "min";
  return !dtype.startsWith("complex") || ["sum", "prod", "mean"].includes(name);
};

function dataOf(dtype: DType, shape: readonly number[], seed: number): cw.NDArray {
  const { data } = newBlock(dtype, shape);
  let state = seed + 1;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const whole = (state >>> 10) % 200;
    data[i] = isWide(dtype)
      ? BigInt(whole - (dtype === "int64" ? 100 : 0))
      : dtype === "bool"
        ? whole % 2
        : isFloat(infoOf(dtype).part)
          ? whole / 7 - 14
          : whole - 100;
  }
  return new cw.NDArray(data, shape, dtype);
}

/** The reduce step of a one-chunk plan, with its operands bound and fresh results. */
function stepOf(
  array: cw.LazyArray,
  source: Block,
): { step: ReduceStep; fresh: () => Block[]; results: number[] } {
  const { data } = array.plan();
  const operation = data.operations[0]!;
  const { program, reads } = compileTask(
    operation,
    new Map(data.arrays.map((a) => [a.name, a])),
    operation.grid.map(() => 0),
  );
  const step = program.steps.find((item): item is ReduceStep => item.kind === "reduce")!;
  const inputs = new Set(reads.map(({ buffer }) => buffer));
  const fresh = (): Block[] =>
    program.buffers.map((buffer, at) => (inputs.has(at) ? source : newBlock(buffer.dtype, buffer.shape)));
  return { step, fresh, results: step.results.map(({ buffer }) => buffer) };
}

const length = fc.constantFrom(1, 2, 3, 5, 63, 64, 65, 130, 1023, 1024, 1025, 2100, 5000);

describe("reductions", () => {
  test(`kernels give the interpreter's bits (seed ${SEED})`, { timeout: 120_000 }, () => {
    let compiled = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...REDUCTIONS),
        fc.constantFrom(...DTYPES),
        length,
        fc.constantFrom(1, 2, 3, 17),
        fc.constantFrom<number | number[]>(0, 1, [0, 1]),
        fc.nat(1000),
        (name, dtype, long, short, axis, seed) => {
          if (!takes(name, dtype)) return;
          const source = dataOf(dtype, axis === 1 ? [short, long] : [long, short], seed);
          const x = cw.asarray(source);
          const { step, fresh, results } = stepOf(x[name]({ axis }), source);
          const expected = fresh();
          const actual = fresh();
          runReduce(step, expected);
          if (!runReduceInArena(step, actual, 1)) return;
          compiled++;
          for (const at of results) expect(actual[at]!.data).toEqual(expected[at]!.data);
        },
      ),
      { numRuns: 3000, seed: SEED },
    );
    expect(compiled).toBeGreaterThan(1500);
  });

  test("the error of a float32 sum grows with log n, as NumPy's pairwise sum does", () => {
    for (const n of [1e3, 1e5, 1e6]) {
      const data = Float32Array.from({ length: n }, (_, i) => Math.fround(1 + ((i * 7919) % 1000) / 997));
      const exact = data.reduce((sum, x) => sum + x, 0);
      const found = Number(cw.asarray(data).sum().computeSync().item());
      const bound = (16 + Math.log2(n)) * 2 ** -24 * exact;
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(bound);
    }
  });
});
