// What changes between computations is data, and what does not change is found out once: computations of one structure have one
// plan, whatever their numbers are, and cost the same few steps however large the machinery is that made it. Counted, not timed.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { workOf } from "../work.ts";

const data = Float64Array.from({ length: 300 }, (_, i) => i / 7);
const x = cw.asarray(data);
const formula = (by: cw.LazyArray): cw.LazyArray => x.multiply(by).add(1).sin().sum();

test("numbers that are inputs, states or arrays make no new plans", async () => {
  const held = cw.asarray(0.5, { dtype: "float64" });
  const plans = (): number => cw.engine.plans.nodes;
  const scale = cw.shared(1, { dtype: "float64" });
  const f = cw.compile((by) => formula(by).multiply(scale), ["float64"]);
  const ways: readonly ((by: number) => unknown)[] = [
    (by) => f.sync(by),
    (by) => {
      scale.setValue(by);
      return f.sync(0.5);
    },
    (by) => formula(cw.asarray(by, { dtype: "float64" })).computeSync(),
    (by) => cw.computeSync(formula(cw.asarray(by, { dtype: "float64" })), held.add(by === 0 ? 1 : 2)),
  ];
  for (const way of ways) {
    way(0.5);
    const before = plans();
    for (let step = 0; step < 20; step++) way(step + 0.25);
    expect(plans()).toBe(before);
  }
  await formula(cw.asarray(0.5, { dtype: "float64" })).compute();
  const before = plans();
  for (let step = 0; step < 20; step++) await formula(cw.asarray(step + 0.5, { dtype: "float64" })).compute();
  expect(plans()).toBe(before);
});

test("a computation that is there is run again at a fraction of the work of one that is planned", () => {
  const planned = workOf(() => formula(cw.asarray(1, { dtype: "float64" })).plan());
  const other = (by: number): cw.LazyArray => formula(cw.asarray(by, { dtype: "float64" }));
  other(2).computeSync();
  const fresh = workOf(() => other(Math.E).computeSync());
  const there = other(3);
  const again = workOf(() => there.computeSync());
  const f = cw.compile((by) => formula(by), ["float64"]);
  const called = workOf(() => f.sync(2));
  console.log(
    `blocks of code entered: planned ${planned}, written anew ${fresh}, again ${again}, called ${called}`,
  );
  expect(fresh).toBeLessThan(planned / 3);
  expect(again).toBeLessThan(fresh / 2);
  expect(called).toBeLessThan(again);
});
