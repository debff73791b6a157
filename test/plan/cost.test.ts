// Planning is no more work for many chunks than for few, with the memory that tasks state.

import * as cw from "chunkwise";
import { expect, test } from "vitest";
import { planOf } from "../../src/plan/index.ts";
import { workOf } from "../work.ts";

function planningOf(length: number): number {
  const x = cw.arange(0, length, 1, { dtype: "float64", chunks: 1000 });
  const means = [x.mean(), x.multiply(x.subtract(1)).mean(), x.get("1:").subtract(x.get(":-1")).max()];
  const roots = means.map(({ expr }) => expr);
  return workOf(() => expect(planOf(roots).maxProjectedMem).toBeLessThan(1e5));
}

test("10⁹ chunks, with maxProjectedMem, are planned as 10⁶ are, but for rounds of reductions", () => {
  const few = planningOf(1e9);
  const many = planningOf(1e12);
  console.log(`blocks of code entered: 10⁶ chunks ${few}, 10⁹ chunks ${many}`);
  expect(many).toBeLessThan(2 * few);
});
