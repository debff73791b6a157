// Plans of ragged computations are found again, as those of dense ones are: for the same expression of the same sources.

import * as rg from "chunkwise/ragged";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { engine } from "../../src/array/defaultEngine.ts";
import type { Plan } from "../../src/plan/index.ts";
import type { PlanData } from "../../src/plan/plan.ts";

type Rows = readonly { readonly a: readonly number[]; readonly b: number }[];

const ROWS: Rows = [
  { a: [1, 2], b: 1 },
  { a: [], b: 2 },
  { a: [3], b: 3 },
];

const source = (rows: Rows): rg.LazyRagged => rg.lazy(rg.fromIter(rows), { npartitions: 2 });
/** Reads one column of two. */
const sums = (x: rg.LazyRagged): rg.LazyRagged => rg.sum(x.field("a"), { axis: 1 }) as rg.LazyRagged;

let asked: MockInstance<typeof engine.plans.planFor>;
beforeEach(() => {
  asked = vi.spyOn(engine.plans, "planFor");
});
afterEach(() => vi.restoreAllMocks());

const plans = (): PlanData[] => asked.mock.results.map(({ value }) => (value as Plan).data);

describe("a ragged computation", () => {
  test("is planned once for one expression", async () => {
    const x = source(ROWS);
    expect((await rg.compute(sums(x))).toList()).toEqual([3, 0, 3]);
    expect((await rg.compute(sums(x))).toList()).toEqual([3, 0, 3]);
    const [first, second] = plans();
    expect(second).toBe(first);
  });

  test("is planned anew for other sources", async () => {
    expect((await rg.compute(sums(source(ROWS)))).toList()).toEqual([3, 0, 3]);
    const others = [...ROWS, { a: [5, 6, 7], b: 4 }];
    expect((await rg.compute(sums(source(others)))).toList()).toEqual([3, 0, 3, 18]);
    const [first, second] = plans();
    expect(second).not.toBe(first);
  });

  test("is planned anew for other columns and other options", async () => {
    const x = source(ROWS);
    await rg.compute(sums(x));
    await rg.compute(x.field("b"));
    await rg.compute(sums(x), { optimize: false });
    expect(new Set(plans()).size).toBe(3);
  });

  test("reads the same columns by a plan that is found", async () => {
    const x = source(ROWS);
    await rg.compute(sums(x));
    await rg.compute(sums(x));
    const needs = asked.mock.results.map(({ value }) =>
      [...(value as Plan).sources.values()].map(
        (resource) => (resource as unknown as { need: unknown }).need,
      ),
    );
    expect(needs[1]).toEqual(needs[0]);
    expect(needs[0]).toHaveLength(1);
  });

  test("names the user's line where a found plan fails", async () => {
    const x = source(ROWS);
    const failing = rg.mapPartitions((part: rg.RaggedArray) => rg.toRegular(part.field("a") as never), [x], {
      type: "2 * float64",
    });
    const failure = async (): Promise<Error> =>
      rg.compute(failing).then(
        () => expect.fail("it is not regular"),
        (error: Error) => error,
      );
    const [first, second] = [await failure(), await failure()];
    expect(first.message).toContain("planCache.test.ts");
    expect(second.message).toBe(first.message);
    expect(plans()[1]).toBe(plans()[0]);
  });
});
