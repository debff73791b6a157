// Stated memory: temporaries count while they are alive, and no task of any operation needs more than is stated.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlanData } from "../../src/plan/plan.ts";
import { memoryOf, termsOf, totalMemory } from "../../src/plan/taskMemory.ts";
import { ALL_FAMILIES, programs } from "../property/arbitrary.ts";
import { arraysOf, tasksOf } from "../property/planTasks.ts";
import { check } from "../property/settings.ts";
import { planned, zeros } from "./plans.ts";

/** The stated bytes of an operation, and of the task that needs most. */
function bounds(plan: PlanData): { stated: number; needed: number; name: string }[] {
  const arrays = arraysOf(plan);
  return plan.operations.map((operation) => ({
    name: operation.name,
    stated: totalMemory(memoryOf(operation, arrays)),
    needed: Math.max(0, ...tasksOf(operation, arrays).map((task) => totalMemory(termsOf(task, arrays)))),
  }));
}

function expectBound(plan: PlanData): void {
  for (const { name, stated, needed } of bounds(plan)) expect(needed, name).toBeLessThanOrEqual(stated);
}

test("a temporary whose last reader has run gives its bytes to a later one", () => {
  const x = zeros([64], [64]);
  const sorts = (count: number): cw.LazyArray =>
    Array.from({ length: count }).reduce<cw.LazyArray>((y) => cw.sort(y).flip().exp(), x);
  const terms = (count: number): number => {
    const { data } = planned(sorts(count));
    expect(data.operations.length).toBe(1);
    const list = memoryOf(data.operations[0]!, arraysOf(data));
    return list.find(({ reason }) => reason === "temporaries")!.bytes;
  };
  expect(terms(8)).toBe(terms(3));
  expect(terms(8)).toBe(2 * 64 * 8);
});

describe("reasons", () => {
  const reasonsOf = (x: cw.LazyArray): string[] => {
    const { data } = planned(x);
    return memoryOf(data.operations[0]!, arraysOf(data)).map(({ reason }) => reason);
  };
  const x = zeros([8, 8], [4, 4]);
  test.each([
    ["a sum", x.sum(), ["read a0", "states of reductions", "write a1"]],
    ["a product", x.matmul(x), ["read a0", "packed panels", "write a1"]],
    ["sorting", cw.sort(x), ["read a0", "sorting", "write a1"]],
    ["adding", x.add(1), ["read a0", "write a1"]],
  ])("%s", (_, array, expected) => expect(reasonsOf(array)).toEqual(expected));
});

const anyPrograms = programs({ exact: false, families: ALL_FAMILIES, maxSteps: 12 });

test("no task of a random program needs more than is stated", () =>
  check(80, anyPrograms, (program) => {
    for (const optimize of [true, false]) expectBound(cw.plan(program.build("cut"), { optimize }).data);
  }));

/** Functions whose windows move in other ways than chunks do. */
const MOVES: { readonly [name: string]: (x: cw.LazyArray, n: number) => cw.LazyArray } = {
  roll: (x, n) => x.roll(n, { axis: 0 }),
  "x + roll": (x, n) => x.exp().add(x.exp().roll(n, { axis: 0 })),
  pad: (x, n) => x.pad(n, { mode: "reflect" }),
  concat: (x, n) => cw.concat([x, x.get(`${n}:`), x.flip()]),
  tile: (x) => x.tile(3),
  repeat: (x, n) => x.repeat(n + 1),
  slices: (x, n) => x.get(`${n}::${n + 1}`),
  recut: (x, n) => x.rechunk(n + 2).exp(),
  rows: (x, n) => x.get(cw.slice(x.size - (x.size % (n + 1)))).reshape([-1, n + 1]),
  scan: (x, n) => x.cumulativeSum({ axis: 0 }).rechunk(n + 2),
};
const cases = fc.record({
  chunk: fc.integer({ min: 1, max: 7 }),
  chunks: fc.integer({ min: 150, max: 400 }),
  rest: fc.integer({ min: 0, max: 6 }),
  n: fc.integer({ min: 1, max: 9 }),
});

/** More tasks than are looked at. */
test.each(Object.entries(MOVES))("many tasks: %s", (_, move) =>
  check(8, cases, ({ chunk, chunks, rest, n }) => {
    const x = zeros([chunk * chunks + rest], [chunk]);
    expectBound(planned(move(x, n)).data);
  }),
);

test("the bound is tight", () =>
  check(40, anyPrograms, (program) => {
    const { data } = cw.plan(program.build("cut"));
    for (const { stated, needed, name } of bounds(data))
      expect(needed, name).toBeGreaterThanOrEqual(0.5 * stated);
  }));

test("two halves exchanged, with what they are halves of: the task at the seam is counted, and its windows are printed", () => {
  const x = cw.asarray(new Float64Array(400_000), { chunks: [1000] });
  const plan = cw
    .concat([x.get("123457:"), x.get(":123457")])
    .add(x)
    .plan({ mode: "none" });
  expect(plan.maxProjectedMem).toBe(32_000);
  expect(`${plan}`).not.toContain("0:0");
});
