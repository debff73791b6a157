// The scheduler's memory does not grow with the number of tasks: nothing is kept for a task that is not needed yet or
// is over. SCALE_TASKS=10000000 runs the longest chain.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/runtime/scheduler/policy.ts";
import { Scheduler } from "../../src/runtime/scheduler/scheduler.ts";
import type { ReaderRange, TaskGraph, TaskRef } from "../../src/runtime/scheduler/taskGraph.ts";

const MANY = Number(process.env["SCALE_TASKS"] ?? 1_000_000);

/** f(g(x)), chunk by chunk; with `isReversed`, f reads g from the other end. */
function chain(tasks: number, isReversed: boolean): TaskGraph {
  const other = (task: number): number => (isReversed ? tasks - 1 - task : task);
  const about = { label: "f", tasks, projectedMem: 100 };
  return {
    operations: [
      { ...about, name: "g", isWanted: false, heldBytes: 50 },
      { ...about, name: "f", isWanted: true, heldBytes: 0 },
    ],
    needs: (op, task): TaskRef[] => (op === 1 ? [{ op: 0, task: other(task) }] : []),
    readers: (op, task): ReaderRange[] => {
      const reader = other(task);
      return op === 0 ? [{ op: 1, count: 1, last: reader, tasks: () => [reader] }] : [];
    },
  };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const usage = (): number => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Runs all tasks, some of them at once. Out: bytes at the most, and what was held at the most. */
function run(graph: TaskGraph): { peak: number; mostUsed: number; done: number } {
  const scheduler = new Scheduler(graph, {
    ...{ policy: DEFAULT_POLICY, pool: "test", workers: 8, ahead: 0, budget: Number.POSITIVE_INFINITY },
    shares: null,
    ...{ storesAll: false, maySpill: true, emit: null, free: () => {}, drop: () => {} },
  });
  const running: number[] = [];
  const stats = {
    startTime: 0,
    readTime: 0,
    computeTime: 0,
    endTime: 0,
    bytesRead: 0,
    bytesWritten: 0,
    measuredMem: null,
  };
  const before = usage();
  let [peak, done] = [0, 0];
  for (;;) {
    const action = scheduler.next(0);
    if (action.kind === "start") running.push(action.attempt.id);
    if (action.kind === "end") return { peak, mostUsed: scheduler.mostUsedBytes, done };
    if (action.kind !== "wait") continue;
    scheduler.done(running.shift()!, stats, 0);
    done++;
    if (done % 250_000 === 0) peak = Math.max(peak, usage() - before);
  }
}

describe.each([false, true])("a chain of two operations (reversed: %s)", (isReversed) => {
  test(`of ${MANY} tasks each needs no more than one of 10,000`, () => {
    const few = run(chain(10_000, isReversed));
    const many = run(chain(MANY, isReversed));
    expect([few.done, many.done]).toEqual([20_000, 2 * MANY]);
    expect(many.mostUsed).toBe(few.mostUsed);
    console.log(
      `${2 * MANY} tasks: ${(many.peak / 1e6).toFixed(2)} MB, 20,000 tasks: ${(few.peak / 1e6).toFixed(2)} MB`,
    );
    // A bit for a task that is done out of order.
    expect(many.peak).toBeLessThan(few.peak + MANY / 4 + 1e6);
  });
});
