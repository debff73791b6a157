// Seed 002, what it says of plans and memory, statement by statement.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { MemoryError } from "../../src/plan/budget.ts";
import { planOf } from "../../src/plan/index.ts";
import { memoryOf, termsOf, totalMemory } from "../../src/plan/taskMemory.ts";
import { arraysOf, tasksOf } from "../property/planTasks.ts";
import { intermediates, planned, zeros } from "./plans.ts";

describe("the plan", () => {
  test("is a graph of arrays and operations: a rechunk, an elementwise sum", () => {
    const [x, y] = [zeros([4, 4], [2, 2]), zeros([4, 4], [2, 2])];
    const { data } = planned(x.add(y).rechunk([4, 1]), { optimize: false });
    const ops = data.operations.map(({ steps }) =>
      steps.flatMap((step) => ("op" in step ? [step.op.name] : [])),
    );
    expect(ops).toEqual([["add"], ["rechunk"]]);
    expect(data.arrays.map(({ role }) => role)).toEqual(["source", "source", "intermediate", "result"]);
  });

  test("has a task for each chunk of the output", () => {
    const { data, numTasks } = planned(zeros([10, 9], [2, 4]).exp());
    expect(data.operations[0]!.grid).toEqual([5, 3]);
    expect(numTasks).toBe(15);
  });

  test("writes every intermediate when it is not optimised", () => {
    const x = zeros([4], [2]).exp().log().sin();
    expect(intermediates(planned(x, { optimize: false })).length).toBe(2);
    expect(intermediates(planned(x)).length).toBe(0);
  });
});

describe("the memory of a task", () => {
  const needed = (chunks: number, data: Float32Array | Float64Array): number =>
    planned(cw.asarray(data, { chunks }).exp()).maxProjectedMem;
  const doubles = new Float64Array(1000);

  test("is known while the plan is built, a function of chunk size, dtype and operation", () => {
    expect(needed(10, doubles)).toBe(2 * 10 * 8);
    expect(needed(20, doubles)).toBe(2 * 20 * 8);
    expect(needed(10, new Float32Array(1000))).toBe(2 * 10 * 4);
    expect(planned(zeros([1000], [10]).add(zeros([1000], [10]))).maxProjectedMem).toBe(3 * 10 * 8);
  });

  test("does not depend on how many chunks there are", () => {
    expect(needed(10, new Float64Array(1_000_000))).toBe(needed(10, doubles));
  });

  test("counts all blocks that are read", () => {
    expect(planned(zeros([1000], [10]).rechunk(100).add(1)).maxProjectedMem).toBe(2 * 100 * 8);
    // Nothing but a copy: they are read into the chunk itself.
    expect(planned(zeros([1000], [10]).rechunk(100)).maxProjectedMem).toBe(100 * 8);
  });

  test("is an upper bound for every task", () => {
    const x = zeros([30, 20], [4, 3]);
    const { data } = planned([
      x.T.exp().sum({ axis: 0 }),
      x.roll(3, { axis: 1 }).add(x),
      x.cumulativeSum({ axis: 0 }),
    ]);
    const arrays = arraysOf(data);
    for (const operation of data.operations)
      for (const task of tasksOf(operation, arrays))
        expect(totalMemory(termsOf(task, arrays))).toBeLessThanOrEqual(
          totalMemory(memoryOf(operation, arrays)),
        );
  });
});

describe("more than the user allows", () => {
  const x = zeros([1000], [100]);
  const square = x.multiply(x).exp();
  const bytes = 2 * 100 * 8;

  test("is refused while planning", () => {
    expect(planned(square, { allowedMem: bytes }).maxProjectedMem).toBe(bytes);
    expect(() => planned(square, { allowedMem: bytes - 1 })).toThrow(MemoryError);
  });

  test("names the operation, the line, the terms and the cure", () => {
    const error = refusal(() => planned(square, { allowedMem: 1000 }));
    expect(error).toMatchObject({ operation: "op-001", needed: bytes, allowed: 1000 });
    expect(error.line).toContain("seed002.test.ts");
    expect(error.message).toContain("multiply");
    expect(error.message).toContain("a task needs 1.6 kB and may use 1 kB: read a0 800 B + write a1 800 B");
    expect(error.message).toContain(
      "Allow 1.6 kB or more, or cut its inputs into smaller chunks: [50] in place of [100]",
    );
  });

  test("each cure does", () => {
    planned(square, { allowedMem: 1600 });
    const smaller = zeros([1000], [50]);
    planned(smaller.multiply(smaller).exp(), { allowedMem: 1000 });
  });

  test("is no matter where nothing is said", () => expect(() => planOf([square.expr])).not.toThrow());
});

function refusal(plan: () => unknown): MemoryError {
  try {
    plan();
  } catch (error) {
    if (error instanceof MemoryError) return error;
  }
  return expect.fail("it was not refused");
}
