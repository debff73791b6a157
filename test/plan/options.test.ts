// Any options, any program: the same results as without any, and no task needs more than was allowed.

import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryError } from "../../src/plan/budget.ts";
import type { Plan, PlanOptions } from "../../src/plan/index.ts";
import { memoryOf, totalMemory } from "../../src/plan/taskMemory.ts";
import { programs } from "../property/arbitrary.ts";
import { expectSame } from "../property/compare.ts";
import { arraysOf, mostBytes } from "../property/planTasks.ts";
import { check } from "../property/settings.ts";
import { planned } from "./plans.ts";
import { runPlain } from "./run.ts";

const names = fc.uniqueArray(
  fc.integer({ min: 1, max: 12 }).map((n) => `op-${String(n).padStart(3, "0")}`),
  { maxLength: 4 },
);
const options: fc.Arbitrary<PlanOptions> = fc.record(
  {
    fusion: fc.constantFrom("all", "map"),
    maxTotalSourceArrays: fc.integer({ min: 1, max: 8 }),
    maxTotalNumInputBlocks: fc.option(fc.integer({ min: 1, max: 40 })),
    alwaysFuse: names,
    neverFuse: names,
    allowedMem: fc.integer({ min: 8, max: 4000 }),
    workers: fc.integer({ min: 1, max: 20 }),
    splitEvery: fc.integer({ min: 2, max: 20 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<PlanOptions>;

function planOrRefusal(make: () => Plan): Plan | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof MemoryError) return null;
    throw error;
  }
}

/** Names that the plan does not have are refused, and tested elsewhere. */
function withKnownNames(options: PlanOptions, { data }: Plan): PlanOptions {
  const known = new Set(data.operations.map(({ name }) => name));
  const { alwaysFuse, neverFuse, ...others } = options;
  return {
    ...others,
    alwaysFuse: alwaysFuse?.filter((name) => known.has(name)),
    neverFuse: neverFuse?.filter((name) => known.has(name)),
  };
}

test("results are the same, and tasks keep to what is allowed", () => {
  let refused = 0;
  check(120, fc.tuple(programs({ maxSteps: 10 }), options), ([program, drawn]) => {
    const roots = program.build("cut");
    const { alwaysFuse: _, neverFuse: __, ...others } = drawn;
    const unfused = planOrRefusal(() => planned(roots, { ...others, optimize: false }));
    if (unfused === null) return void refused++;
    const chosen = withKnownNames(drawn, unfused);
    const plan = planOrRefusal(() => planned(roots, chosen));
    if (plan === null) return void refused++;
    const arrays = arraysOf(plan.data);
    for (const operation of plan.data.operations) {
      const stated = totalMemory(memoryOf(operation, arrays));
      expect(stated).toBeLessThanOrEqual(chosen.allowedMem ?? Number.POSITIVE_INFINITY);
      expect(mostBytes(operation, arrays)).toBeLessThanOrEqual(stated);
    }
    const expected = runPlain(planned(roots, { optimize: false }));
    runPlain(plan).forEach((block, i) => expectSame(block, expected[i]!));
  });
  expect(refused).toBeLessThan(60);
});

test("a budget that is met without fusion is met with it", () =>
  check(80, programs({ maxSteps: 10 }), (program) => {
    const roots = program.build("cut");
    const { maxProjectedMem } = planned(roots, { optimize: false });
    expect(planned(roots, { allowedMem: maxProjectedMem }).maxProjectedMem).toBeLessThanOrEqual(
      maxProjectedMem,
    );
  }));
