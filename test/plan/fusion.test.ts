// What is fused, and what is not, counted in operations, arrays and reads.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { extentOf } from "../../src/expr/op.ts";
import { memoryOf, totalMemory } from "../../src/plan/taskMemory.ts";
import { intermediates, planned, readCounts, reasons, zeros } from "./plans.ts";

const pair = (): [cw.LazyArray, cw.LazyArray] => [zeros([8, 6], [2, 3]), zeros([8, 6], [2, 3])];

/** Each chunk of each source exactly once. */
function expectReadOnce(...arrays: readonly cw.LazyArray[]): void {
  const { data } = planned(arrays);
  const sources = data.arrays.filter(({ role }) => role === "source").map(({ name }) => name);
  const counts = [...readCounts(data)].filter(([key]) => sources.includes(key.split(" ")[0]!));
  expect(counts.length).toBe(8 * sources.length);
  expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
}

describe("shared reads", () => {
  test("(x·2 + y·3) / (1 + x·x) reads each chunk once", () => {
    const [x, y] = pair();
    expectReadOnce(cw.divide(x.multiply(2).add(y.multiply(3)), x.multiply(x).add(1)));
  });

  test("means of u, v and u·v read each chunk once", () => {
    const [u, v] = pair();
    expectReadOnce(u.mean(), v.mean(), u.multiply(v).mean());
    expectReadOnce(u.mean({ axis: 0 }), v.mean({ axis: 0 }), u.multiply(v).mean({ axis: 0 }));
  });

  test("what reads other windows stays apart", () => {
    const [x] = pair();
    expect(planned([x.negative(), x.T.exp()]).numOperations).toBe(2);
  });

  test("a small shared array is no reason", () => {
    const [x, y] = [zeros([64, 6], [32, 3]), zeros([64, 6], [32, 3])];
    const weights = zeros([6], [3]);
    expect(planned([x.multiply(weights), y.multiply(weights)]).numOperations).toBe(2);
  });
});

describe("diamonds", () => {
  test("(u + 1)·(u + 2) never stores u", () => {
    const [x, y] = pair();
    const u = x.add(y);
    const plan = planned(u.add(1).multiply(u.add(2)));
    expect(plan.numOperations).toBe(1);
    expect(intermediates(plan)).toEqual([]);
    expect(
      plan.data.operations[0]!.steps.filter((step) => "op" in step && step.op.name === "add").length,
    ).toBe(3);
  });

  test("two results of u share it", () => {
    const [x, y] = pair();
    const u = x.add(y);
    const plan = planned([u.exp(), u.log()]);
    expect([plan.numOperations, intermediates(plan).length]).toEqual([1, 0]);
  });

  test("x·2 − mean(x·2) computes x·2 again and never stores it", () => {
    const [x] = pair();
    const u = x.multiply(2);
    const plan = planned(u.subtract(u.mean()));
    expect(
      plan.data.arrays.filter((array) => array.role === "intermediate" && extentOf(array)[0] === 8),
    ).toEqual([]);
  });

  test("what is much to compute is stored", () => {
    const [x, y] = pair();
    let u = x.add(y);
    for (let i = 0; i < 40; i++) u = u.exp();
    const stored = planned(u.subtract(u.mean())).data.arrays.filter(
      (array) => array.role === "intermediate" && extentOf(array)[0] === 8,
    );
    expect(stored.length).toBe(1);
  });
});

describe("reductions, products and moves", () => {
  test("a reduction takes in its producers, not the levels below", () => {
    const [x, y] = pair();
    const plan = planned(x.multiply(y).sum());
    expect(plan.data.operations.map(({ grid }) => grid)).toEqual([[4, 2], [2, 1], []]);
  });

  test("β·C + α·A·B is one operation without a temporary for β·C", () => {
    const [a, b, c] = [0, 1, 2].map(() => zeros([6, 6], [3, 3]));
    const { data } = planned(c!.multiply(0.5).add(a!.matmul(b!).multiply(2)));
    expect(data.operations.length).toBe(1);
    const arrays = new Map(data.arrays.map((array) => [array.name, array]));
    const terms = memoryOf(data.operations[0]!, arrays);
    expect(terms.find(({ reason }) => reason === "temporaries")!.bytes).toBe(9 * 8);
  });

  test("a rechunk takes in one input, but not several that it would read many times", () => {
    const [x, y] = [zeros([64, 64], [1, 64]), zeros([64, 64], [1, 64])];
    const turned = (u: cw.LazyArray): cw.LazyArray => u.rechunk([64, 8]);
    const limits = { maxTotalNumInputBlocks: 200 };
    expect(planned(turned(x.exp()), limits).numOperations).toBe(1);
    expect(planned(turned(x.add(y)), limits).numOperations).toBe(2);
    expect(reasons(turned(x.add(y)), limits)).toContain("would be read or computed more than it saves");
  });

  test("heavy work is not done again for smaller chunks", () => {
    const x = zeros([64], [64]);
    expect(planned(cw.sort(x).rechunk(4)).numOperations).toBe(2);
    expect(planned(cw.sort(x).exp()).numOperations).toBe(1);
  });

  test("x and its reverse, joined, would need all of it", () => {
    const x = zeros([64], [4]).negative();
    expect(planned(x.add(x.flip())).maxProjectedMem).toBeLessThanOrEqual(4 * 4 * 8);
  });
});

describe("allowedMem", () => {
  test("nothing is fused that needs more", () => {
    const [x, y] = pair();
    const chunk = 6 * 8;
    const sum = x.add(y).add(zeros([8, 6], [2, 3]));
    expect(planned(sum, { allowedMem: 4 * chunk }).numOperations).toBe(1);
    expect(planned(sum, { allowedMem: 3 * chunk }).numOperations).toBe(2);
    expect(planned(sum, { allowedMem: 3 * chunk }).maxProjectedMem).toBe(3 * chunk);
  });

  test("siblings neither", () => {
    const [x, y] = pair();
    const both = [x.exp(), x.add(y)];
    const arrays = planned(both).data;
    expect(arrays.operations.length).toBe(1);
    const known = new Map(arrays.arrays.map((array) => [array.name, array]));
    const needed = totalMemory(memoryOf(arrays.operations[0]!, known));
    expect(planned(both, { allowedMem: needed }).numOperations).toBe(1);
    expect(planned(both, { allowedMem: needed - 1 }).numOperations).toBe(2);
  });
});

test("a long fan of siblings and chains keeps its order", () => {
  const x = zeros([8], [2]);
  const results = Array.from({ length: 20 }, (_, i) => x.add(i).sum().add(x.mean()).multiply(x));
  const { data } = planned(results);
  const made = new Set(data.arrays.filter(({ role }) => role === "source").map(({ name }) => name));
  for (const { steps, outputs } of data.operations) {
    for (const step of steps) if (step.kind === "read") expect(made.has(step.array)).toBe(true);
    for (const { array } of outputs) made.add(array);
  }
});

describe("all tasks count", () => {
  const line = zeros([4000], [20]);

  test("a part that few tasks need is computed where it is read", () => {
    const joined = cw.concat([line.exp(), zeros([333], [20]).exp()]);
    expect(planned(joined).numOperations).toBe(1);
  });

  test("one task that would compute the whole array is one too many", () => {
    // Where the ends meet, a task needs the last elements and the first: as a box, all of them.
    const { numOperations, maxProjectedMem } = planned(cw.roll(line.exp(), 1403));
    expect({ numOperations, maxProjectedMem }).toEqual({ numOperations: 2, maxProjectedMem: 2 * 20 * 8 });
  });

  test("tasks of too many kinds are not made, though the user asks for it", () => {
    const sums = cw.cumulativeSum(zeros([21_003], [7]), { axis: 0 });
    const again = cw.cumulativeSum(cw.roll(sums, 1403), { axis: 0 }).rechunk([5]);
    const names = planned(again, { optimize: false }).data.operations.map(({ name }) => name);
    const lines: string[] = [];
    const plan = planned(again, { alwaysFuse: names, debug: (line) => lines.push(line) });
    expect(plan.numOperations).toBeGreaterThan(1);
    expect(lines.filter((line) => line.includes("tasks would be of more than 500 kinds"))).not.toEqual([]);
  });
});
