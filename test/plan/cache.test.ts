// Plans that are remembered: found again by structure, those that were not asked for the longest given up, so many nodes in all
// however long a process lives and however many shapes it has.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { makeExpr } from "../../src/expr/expr.ts";
import { runRows } from "../../src/ops/longSort.ts";
import { PlanCache } from "../../src/plan/cache.ts";
import { type Plan, planOf } from "../../src/plan/index.ts";

const nothing = { key: "", apply: <T>(roots: T): T => roots };

function planned(cache: PlanCache, x: cw.LazyArray): Plan["data"] {
  const roots = [x.expr];
  return cache.planFor(roots, nothing, {}, () => planOf(roots, {})).data;
}

/** Four nodes of a length. */
const sized = (length: number): cw.LazyArray =>
  cw.asarray(new Float64Array(length), { chunks: 10 }).sin().cumulativeSum();

test("the same structure has the same plan, with the sources of each", () => {
  const cache = new PlanCache();
  expect(planned(cache, sized(20))).toBe(planned(cache, sized(20)));
  expect(planned(cache, sized(20))).not.toBe(planned(cache, sized(21)));
});

test("so many nodes are remembered; what is asked for stays", () => {
  const cache = new PlanCache();
  const often = planned(cache, sized(5));
  let most = 0;
  for (let length = 10; length < 1000; length++) {
    planned(cache, sized(length));
    expect(planned(cache, sized(5))).toBe(often);
    most = Math.max(most, cache.nodes);
  }
  expect(most).toBeGreaterThan(500);
  expect(most).toBeLessThanOrEqual(1000);
  const seldom = planned(cache, sized(10));
  for (let length = 2000; length < 2600; length++) planned(cache, sized(length));
  expect(planned(cache, sized(10))).not.toBe(seldom);
});

test("what a stage found out is for its data alone: lists of thousands of numbers are not remembered", () => {
  const listed = (count: number): cw.LazyArray => {
    const starts = Array.from({ length: count }, (_, i) => i);
    const attrs = { starts, counts: starts.map(() => 1), rows: [0, count], most: count };
    return new cw.LazyArray(makeExpr(runRows, [cw.asarray(new Float64Array(count)).expr], attrs));
  };
  const cache = new PlanCache();
  expect(planned(cache, listed(20_000))).not.toBe(planned(cache, listed(20_000)));
  expect(cache.nodes).toBe(0);
  expect(planned(cache, listed(20))).toBe(planned(cache, listed(20)));
});
