// Lowering: trees of reductions and scans, products that do not fit, arrays that are cut in different ways.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { taskParts } from "../../src/array/taskParts.ts";
import type { PlanOptions } from "../../src/plan/index.ts";
import { foreignPlan } from "../../src/plan/load.ts";
import type { Json } from "../../src/plan/planJson.ts";
import { planToJson } from "../../src/plan/planJson.ts";
import { findFunction } from "../../src/runtime/userFunctions.ts";
import { planned, zeros } from "./plans.ts";
import { runPlain } from "./run.ts";

const { ops, adapt } = taskParts();
const NAMES = { ops, find: (reference: Json) => findFunction(reference, adapt) };

const counted = (shape: readonly number[], chunks: readonly number[]): cw.LazyArray => {
  const size = shape.reduce((product, n) => product * n, 1);
  const values = Float64Array.from({ length: size }, (_, i) => (i % 7) - 3);
  return cw.asarray(new cw.NDArray(values, shape), { chunks });
};

const valuesOf = (x: cw.LazyArray, options: PlanOptions = {}): number[] =>
  Array.from(runPlain(planned(x, options))[0]!.data as Float64Array);

const grids = (x: cw.LazyArray, options: PlanOptions = {}): (readonly number[])[] =>
  planned(x, options).data.operations.map(({ grid }) => grid);

describe("trees of reductions", () => {
  test("axes with one chunk are no part of the tree", () => {
    expect(grids(zeros([128, 3, 5], [2, 3, 5]).sum())).toEqual([[64, 1, 1], [8, 1, 1], []]);
    expect(grids(zeros([128, 2], [2, 1]).sum())).toEqual([[64, 2], [32, 1], [4, 1], []]);
  });

  test("splitEvery says how many states one task takes", () => {
    expect(grids(zeros([128], [2]).sum(), { splitEvery: 64 })).toEqual([[64], []]);
    expect(grids(zeros([128], [2]).sum(), { splitEvery: 4 })).toEqual([[64], [16], [4], []]);
    expect(grids(zeros([32], [2]).sum(), { splitEvery: 1 })).toEqual([[16], [8], [4], [2], []]);
  });

  test("chunks of one place are taken together: states would be as many as elements", () => {
    expect(grids(zeros([6, 20], [1, 5]).mean({ axis: 0 }))).toEqual([[4]]);
    expect(grids(zeros([50, 20], [1, 20]).mean({ axis: 0 }))).toEqual([[7, 1], [1]]);
    expect(grids(zeros([0, 20], [1, 20]).sum({ axis: 0 }))).toEqual([[1]]);
  });

  test("fewer workers take more at once", () => {
    expect(grids(zeros([2000], [2]).sum(), { workers: 20 })).toEqual([[1000], [20], []]);
    expect(grids(zeros([2000], [2]).sum(), { workers: 500 })).toEqual([[1000], [125], [16], []]);
  });

  test("no more than there is room for", () => {
    const x = zeros([128, 100], [2, 100]);
    const { maxProjectedMem } = planned(x.sum({ axis: 0 }), { allowedMem: 6000 });
    expect(maxProjectedMem).toBeLessThanOrEqual(6000);
    expect(grids(x.sum({ axis: 0 }), { allowedMem: 6000 }).map(([n]) => n)).toEqual([64, 22, 8, 3, 1]);
  });

  test.each([{}, { splitEvery: 3 }, { workers: 2 }, { allowedMem: 300 }])("%j changes no sum", (options) => {
    expect(valuesOf(counted([37, 3], [2, 2]).sum({ axis: 0 }), options)).toEqual(
      valuesOf(counted([37, 3], [37, 3]).sum({ axis: 0 })),
    );
  });
});

describe("scans", () => {
  test("of few chunks take all totals together", () => {
    expect(grids(zeros([64], [1]).cumulativeSum())).toEqual([[64], [1], [64]]);
  });

  test("of many chunks have totals of totals", () => {
    expect(grids(zeros([10_000], [1]).cumulativeSum())).toEqual([
      [10_000],
      [157],
      [3],
      [1],
      [3],
      [157],
      [10_000],
    ]);
    const { maxProjectedMem } = planned(zeros([10_000], [1]).cumulativeSum());
    expect(maxProjectedMem).toBeLessThanOrEqual(2 * 64 * 8 + 64);
  });

  test.each([
    [700, 1],
    [701, 3],
    [4200, 1],
  ])("of %i in chunks of %i are the same", (length, chunk) => {
    const [cut, whole] = [counted([length], [chunk]), counted([length], [length])];
    expect(valuesOf(cut.cumulativeSum())).toEqual(valuesOf(whole.cumulativeSum()));
    expect(valuesOf(cut.cumulativeSum(), { optimize: false })).toEqual(valuesOf(whole.cumulativeSum()));
  });

  test("along an axis of several", () => {
    const scan = (chunks: readonly number[]): number[] =>
      valuesOf(counted([150, 3], chunks).cumulativeSum({ axis: 0 }));
    expect(scan([2, 2])).toEqual(scan([150, 3]));
  });
});

describe("products that do not fit", () => {
  const [a, b] = [counted([6, 40], [3, 4]), counted([40, 6], [4, 3])];
  const whole = (3 * 40 + 40 * 3 + 9) * 8;

  test("are added up block by block in their task", () => {
    expect(grids(a.matmul(b))).toEqual([[2, 2]]);
    const plan = planned(a.matmul(b), { allowedMem: 700 });
    expect(whole).toBeGreaterThan(700);
    expect(plan.data.operations.map(({ grid }) => grid)).toEqual([[2, 2]]);
    // Two blocks of either operand, one of them packed, and the chunk itself.
    expect(plan.maxProjectedMem).toBe((2 * 2 + 2) * 12 * 8 + 9 * 8);
  });

  test("in blocks that a loaded plan must name well", () => {
    const json = JSON.stringify(planToJson(planned(a.matmul(b)).data));
    expect(json).toContain('"blocks":[4]');
    for (const bad of ['"blocks":[0]', '"blocks":[4,4]', '"blocks":[4],"isSum":true'])
      expect(() => foreignPlan(JSON.parse(json.replace('"blocks":[4]', bad)), NAMES)).toThrow(
        "blocks of a contraction",
      );
  });

  test("are sums of products of parts where these are small", () => {
    const [row, column] = [counted([2, 400], [2, 8]), counted([400, 2], [8, 2])];
    const plan = planned(row.matmul(column), { allowedMem: 2500 });
    expect(plan.maxProjectedMem).toBeLessThanOrEqual(2500);
    expect(plan.data.operations.length).toBeGreaterThan(1);
    expect(valuesOf(row.matmul(column), { allowedMem: 2500 })).toEqual(valuesOf(row.matmul(column)));
  });

  test("and used in what comes behind them", () => {
    const scaled = (): cw.LazyArray =>
      a
        .matmul(b)
        .multiply(2)
        .add(counted([6, 6], [3, 3]));
    expect(planned(scaled(), { allowedMem: 1200 }).data.operations.length).toBe(1);
    expect(valuesOf(scaled(), { allowedMem: 1200 })).toEqual(valuesOf(scaled()));
  });

  test.each([
    [[6, 40], [40, 6], 4],
    [[5, 37], [37, 4], 5],
    [[7, 3], [3, 2], 2],
  ])("%j · %j in blocks of %i", (left, right, block) => {
    const x = counted(left, [2, block]);
    const y = counted(right, [block, 2]);
    expect(valuesOf(x.matmul(y), { allowedMem: 900 })).toEqual(valuesOf(x.matmul(y)));
  });

  test("with batches, several contracted axes and short integers", () => {
    const [x, y] = [counted([2, 4, 9], [1, 2, 3]), counted([2, 9, 5], [1, 3, 2])];
    expect(valuesOf(x.matmul(y), { allowedMem: 900 })).toEqual(valuesOf(x.matmul(y)));
    const [u, v] = [counted([4, 6, 8], [2, 3, 2]), counted([6, 8, 3], [3, 2, 3])];
    const product = cw.tensordot(u, v, { axes: 2 });
    expect(valuesOf(product, { allowedMem: 1500 })).toEqual(valuesOf(product));
    const [s, t] = [a, b].map((z) => cw.astype(z.multiply(50), "int8"));
    const short = cw.matmul(s!, t!);
    expect(valuesOf(short, { allowedMem: 500 })).toEqual(valuesOf(short));
  });
});

describe("inputs that are cut in different ways", () => {
  test("are read by windows, without a rechunk", () => {
    const plan = planned(counted([24], [6]).add(counted([24], [4])));
    expect(plan.numOperations).toBe(1);
    expect(plan.data.operations[0]!.grid).toEqual([6]);
    expect(plan.maxProjectedMem).toBe(3 * 4 * 8);
  });
});

test("reductions of nothing, in chunks of one place", () => {
  const nothing = cw.zeros([3, 0, 2]).rechunk([1, 1, 1]);
  expect(nothing.sum().computeSync().item()).toBe(0);
  expect(
    nothing
      .mean({ axis: [0, 1] })
      .computeSync()
      .toList(),
  ).toEqual([Number.NaN, Number.NaN]);
  expect(nothing.sum({ axis: 0 }).computeSync().shape).toEqual([0, 2]);
});
