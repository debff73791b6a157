// A cluster's size costs the scheduler nothing: a decision is as much work with a thousand workers as with ten, and workers
// are kept busy. `bench/cluster-simulation.mjs` does the same with 10,000 workers and 10⁷ tasks.

import { expect, test } from "vitest";
import { workOf } from "../work.ts";
import { runCluster } from "./manyWorkers.ts";

const WORLD = { straggles: 0.01, losses: 0.001, seed: 7 };

test("a decision is as much work with many workers as with few", () => {
  const workEach = (workers: number): number => {
    let decisions = 0;
    const work = workOf(() => {
      ({ decisions } = runCluster({ ...WORLD, workers, width: 16 ** 2 * 80 }));
    });
    return work / decisions;
  };
  const [few, many] = [workEach(10), workEach(1000)];
  console.log(`blocks of code a decision: ${few.toFixed(0)} with 10 workers, ${many.toFixed(0)} with 1000`);
  // Heaps have a few levels more.
  expect(many).toBeLessThan(1.5 * few);
});

test.each([10, 100, 1000])("%i workers are busy until the end, whatever straggles or is lost", (workers) => {
  const { makespan, ideal } = runCluster({ ...WORLD, workers, width: 16 ** 2 * 2 * workers });
  console.log(`${workers} workers: ${(makespan / ideal).toFixed(3)} × the ideal`);
  expect(makespan / ideal).toBeLessThan(1.1);
});
