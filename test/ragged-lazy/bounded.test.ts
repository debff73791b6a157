// Operations that make much of little: what lies between steps keeps to the room that is stated for it, whatever lists there are, and
// results are those of all rows at once.

import * as cw from "chunkwise";
import * as rg from "chunkwise/ragged";
import { describe, expect, test } from "vitest";

const ROWS = 4000;
/** Most lists are short, every 50th has 80 elements. */
const counts = Int32Array.from({ length: ROWS }, (_, i) => (i % 50 === 7 ? 80 : (i * 7) % 6));
const total = counts.reduce((sum, n) => sum + n, 0);
const x = rg.unflatten(
  Int32Array.from({ length: total }, (_, i) => (i * 37) % 1009),
  counts,
);
const ids = rg.fromNumpy(new cw.NDArray(Float64Array.from({ length: ROWS }, (_, i) => i)));

type Program = (x: rg.RaggedInput, ids: rg.RaggedInput) => rg.LazyRagged | rg.RaggedArray;

/** The most that a task had between its steps, by what it says when it ends, and what was stated for it. */
async function computed(lazy: rg.LazyRagged): Promise<{ value: unknown; most: number; stated: number }> {
  let most = 0;
  const value = await lazy.compute({
    executor: "inline",
    onEvent: (event) => {
      if (event.type === "taskEnd") most = Math.max(most, event.measuredMem ?? 0);
    },
  });
  return {
    value: value instanceof rg.RaggedArray ? value.toList() : value,
    most,
    stated: rg.plan(lazy).maxProjectedMem,
  };
}

const PROGRAMS: readonly (readonly [string, Program])[] = [
  [
    "sums over pairs of every list",
    (a) => {
      const pairs = rg.combinations(a, 2, { fields: ["a", "b"] });
      return pairs.field("a").multiply(pairs.field("b")).sum({ axis: 1 }) as never;
    },
  ],
  [
    "how many threes",
    (a) => rg.num(rg.combinations(rg.get(a, "0:800") as unknown as rg.RaggedArray, 3)) as never,
  ],
  [
    "products with themselves, counted where they differ",
    (a) => {
      const pairs = rg.cartesian({ a, b: a });
      return rg.num(pairs.get(pairs.field("a").greater(pairs.field("b")))) as never;
    },
  ],
  [
    "the largest of each nested product",
    (a) => rg.max(rg.cartesian([a, a], { nested: true }).field("1"), { axis: 2 }).sum({ axis: 1 }) as never,
  ],
  ["padded and summed over rows", (a) => rg.fillNone(rg.padNone(a, 450), 1).sum({ axis: 0 }) as never],
  [
    "rows that are dropped, and what is left of others",
    (a, i) => {
      const isLong = rg.num(a).greater(2);
      const pairs = rg.combinations(rg.get(a, isLong) as unknown as rg.RaggedArray, 2);
      return rg.num(pairs).add(rg.get(i, isLong) as unknown as rg.RaggedArray) as never;
    },
  ],
  [
    "one value for each list beside every pair",
    (a, i) => {
      const pairs = rg.cartesian({ a, b: a });
      return pairs
        .field("a")
        .add(i as rg.RaggedArray)
        .max({ axis: 1 }) as never;
    },
  ],
];

describe("between steps there is no more than is stated", () => {
  test.each(PROGRAMS)("%s", async (_, program) => {
    const whole = program(x, ids);
    const { value, most, stated } = await computed(program(rg.lazy(x), rg.lazy(ids)) as rg.LazyRagged);
    expect(value).toEqual((whole as rg.RaggedArray).toList());
    expect(most).toBeLessThanOrEqual(stated);
  });

  test("sums over all pairs", async () => {
    const pairs = rg.cartesian({ a: rg.lazy(x), b: rg.lazy(x) });
    const { value, most } = await computed(pairs.field("a").greaterEqual(0).sum());
    const expected = counts.reduce((sum, n) => sum + n * n, 0);
    expect(value).toBe(expected);
    // All pairs at once are that.
    expect(most).toBeLessThan(24 * expected);
  });

  test("the budget does not change a bit of it", async () => {
    const pairs = rg.cartesian({ a: rg.lazy(x), b: rg.lazy(x) });
    const sum = pairs.field("a").divide(7).add(pairs.field("b").sqrt()).sum();
    const ways = [{ allowedMem: "400MB" }, { allowedMem: "1GB" }, { executor: "threads", threads: 2 }];
    const values = await Promise.all(ways.map((way) => sum.compute(way)));
    expect(new Set(values).size).toBe(1);
  });
});

describe("what cannot be cut is refused", () => {
  const long = rg.lazy(rg.fromIter([Array.from({ length: 3000 }, (_, i) => i), [1, 2]]));

  test("one row that makes too much", async () => {
    const error = await rg
      .num(rg.combinations(long, 4))
      .compute({ allowedMem: "300MB", executor: "inline" })
      .catch((caught: unknown) => caught);
    expect((error as Error).cause).toBeInstanceOf(cw.MemoryError);
    expect((error as Error).message).toMatch(
      /combinations at .*one row of a partition.* need about .* TB.*Allow more memory/s,
    );
  });

  test("all rows with all others", async () => {
    const many = rg.lazy(rg.fromNumpy(new cw.NDArray(new Float64Array(40_000))));
    await expect(
      rg.cartesian([many, many], { axis: 0 }).compute({ allowedMem: "300MB", executor: "inline" }),
    ).rejects.toThrow(/all rows together need about .* GB, and a task may have .* Allow more memory\.$/);
  });

  test("a result that is too large, and what the error says to do", async () => {
    const padded = (rows: rg.LazyRagged): rg.LazyRagged =>
      rg.fillNone(rg.padNone(rows, 1200, { clip: true }), 0);
    const run = { allowedMem: "200MB", executor: "inline" } as const;
    const error = await padded(rg.lazy(x))
      .compute(run)
      .catch((caught: unknown) => caught);
    expect((error as Error).cause).toBeInstanceOf(cw.MemoryError);
    const [, rows] = /rg\.repartition\(x, \{rows: (\d+)\}\)/.exec((error as Error).message)!;
    const cut = padded(rg.repartition(rg.lazy(x), { rows: Number(rows) }));
    expect(await rg.num(cut, { axis: 1 }).sum().compute(run)).toBe(1200 * ROWS);
    expect(((await cut.get("0:3").compute(run)) as rg.RaggedArray).toList()[0]!).toHaveLength(1200);
  });
});
