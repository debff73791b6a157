// Tasks get the memory that was stated for them, and no more: a plan that stated too little fails, and says so.

import { afterEach, expect, test, vi } from "vitest";
import { InvariantError } from "../../src/core/errors.ts";
import * as cw from "../../src/index.ts";
import { Borrowed } from "../../src/kernel/blockProgram.ts";
import { PlanGraph } from "../../src/runtime/planGraph.ts";

afterEach(() => vi.restoreAllMocks());

test("blocks up to the limit, and what is borrowed meanwhile counts too", () => {
  const borrowed = new Borrowed(cw.engine.backend, 1000);
  borrowed.block("float64", [50]);
  expect(() => borrowed.block("float64", [76])).toThrow(InvariantError);
  borrowed.giveBack();
  borrowed.block("float64", [50]);
  const other = borrowed.within();
  other.block("float64", [75]);
  other.giveBack();
  expect(borrowed.most).toBe(1000);
  expect(() => other.block("float64", [76])).toThrow("no more than 1000 were stated for it");
  other.giveBack();
  // What somebody else holds for a part of the work counts with that part.
  const part = borrowed.within(300);
  part.block("float64", [37]);
  expect(() => part.block("float64", [1])).toThrow("a task asks for 1004 bytes");
  part.giveBack();
  // Others borrow what they like.
  const apart = new Borrowed(cw.engine.backend);
  apart.block("float64", [1000]);
  for (const each of [borrowed, apart]) each.giveBack();
});

test.each(["inline", "threads"] as const)("a task of more than was stated fails, %s", async (executor) => {
  const store = new cw.MemoryStore();
  await cw.ones([64, 64], { chunks: [32, 64] }).toZarr(store);
  const x = await cw.fromZarr(store);
  const double = x.multiply(2).sum({ axis: 0 });
  expect((await double.compute({ executor })).data[0]).toBe(128);
  vi.spyOn(PlanGraph.prototype, "statedOf").mockReturnValue(1000);
  const failing = x.multiply(3).sum({ axis: 0 }).compute({ executor });
  await expect(failing).rejects.toThrow(/a task asks for \d+ bytes, and no more than 1000 were stated/);
  await expect(failing).rejects.toBeInstanceOf(cw.RunError);
});
