// How many workers have tasks, and what is left for them, where workers take memory by being there.

import fc from "fast-check";
import { expect, test } from "vitest";
import { sharesOf } from "../../src/runtime/scheduler/shares.ts";
import type { OperationNode } from "../../src/runtime/scheduler/taskGraph.ts";

const operation = (projectedMem: number, heldBytes: number): OperationNode =>
  ({ projectedMem, heldBytes }) as OperationNode;

const cases = fc.record({
  task: fc.integer({ min: 1, max: 1000 }),
  held: fc.integer({ min: 0, max: 1000 }),
  extra: fc.integer({ min: 0, max: 10_000 }),
  workers: fc.integer({ min: 1, max: 12 }),
  each: fc.integer({ min: 0, max: 500 }),
});

test("tasks, held chunks and workers together are no more than the budget, and one more worker would be too many", () => {
  fc.assert(
    fc.property(cases, ({ task, held, extra, workers, each }) => {
      const budget = task + extra;
      const taken = (count: number): number => (count - 1) * each;
      const given = sharesOf(budget, [operation(task, Math.min(held, task))], workers, taken);
      expect(given.workers).toBeGreaterThanOrEqual(1);
      expect(given.workers).toBeLessThanOrEqual(workers);
      expect(given.budget).toBe(budget - taken(given.workers));
      expect(given.workers * task).toBeLessThanOrEqual(given.shares.tasks);
      expect(given.shares.tasks + given.shares.held).toBeLessThanOrEqual(given.budget);
      if (given.workers === workers) return;
      const more = given.workers + 1;
      const room = held === 0 ? budget - taken(more) : Math.max(task, (budget - taken(more)) / 2);
      expect(more * task).toBeGreaterThan(room);
    }),
  );
});
