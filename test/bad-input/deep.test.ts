// Very deep graphs: a loop that a user wrote can make a million nodes. Nothing may recurse over them.

import * as cw from "chunkwise";
import { beforeAll, describe, expect, test } from "vitest";
import { contentKey } from "../../src/expr/expr.ts";
import { verifyExpr } from "../../src/expr/verify.ts";

const MINUTES = 60_000;

function chain(x: cw.LazyArray, length: number): cw.LazyArray {
  let deep = x;
  for (let i = 0; i < length; i++) deep = deep.add(1);
  return deep;
}

describe("a chain of 1,000,000 nodes", () => {
  const LENGTH = 1_000_000;
  let deep: cw.LazyArray;
  beforeAll(() => {
    deep = chain(cw.asarray(new Float64Array([1, 2])), LENGTH);
  }, 2 * MINUTES);

  test("prints its begin and its end", () => {
    const text = String(deep);
    expect(text).toMatch(/^LazyArray float64 \[2\] in 1 chunks? of \[2\]\n/);
    expect(text).toMatch("… 999941 more");
    expect(text).toMatch(`%${LENGTH} = add(%${LENGTH - 1}, 1) float64 [2]`);
    expect(text.length).toBeLessThan(10_000);
  });

  test("is verified", { timeout: MINUTES }, () => {
    expect(() => verifyExpr([deep.expr])).not.toThrow();
  });

  test("has a content key", { timeout: MINUTES }, () => {
    expect(contentKey(deep.expr)).toMatch(/^[0-9a-f]{32}$/);
  });

  test("knows its outputs", () => {
    expect([...deep.outputs.keys()]).toEqual([]);
    expect([...deep.output("last").outputs.keys()]).toEqual(["last"]);
  });

  test("has a plan, whose text has a head", { timeout: 3 * MINUTES }, () => {
    const plan = deep.plan();
    expect(plan.numTasks).toBeGreaterThan(0);
    expect(String(plan)).toMatch(/^plan: \d+ operations, \d+ tasks/);
  });
});

describe("a chain of 20,000 operations", () => {
  test("is planned and computed", async () => {
    const deep = chain(cw.asarray(new Float64Array([0, 1])), 20_000);
    expect(deep.computeSync().toList()).toEqual([20_000, 20_001]);
    expect((await deep.compute()).toList()).toEqual([20_000, 20_001]);
    expect(deep.plan().numTasks).toBeLessThan(20_000);
  });

  test("goes through JSON.stringify, as text for a log", () => {
    const deep = chain(cw.asarray(new Float64Array([5, 6])), 20_000);
    expect(JSON.stringify({ deep }).length).toBeLessThan(100_000);
  });

  test("of other shapes: it forks and joins, moves and reduces", () => {
    let deep: cw.LazyArray = cw.asarray(new Float64Array([1, 2]));
    // Every round doubles the number of paths to the begin, never the number of nodes.
    for (let i = 0; i < 2_000; i++) deep = deep.flip().add(deep).multiply(0.5);
    expect(deep.computeSync().toList()).toEqual([1.5, 1.5]);
  });
});

describe("deep brackets", () => {
  test("a sum of 20,000 terms in a template does not recurse", () => {
    const strings = Object.assign(["", ...new Array<string>(19_999).fill(" + "), ""], {
      raw: [] as string[],
    });
    strings.raw = [...strings];
    const x = cw.asarray(new Int32Array([1]));
    const sum = cw.expr(strings, ...new Array<cw.LazyArray>(20_000).fill(x));
    expect(sum.computeSync().toList()).toEqual([20_000]);
  });
});
