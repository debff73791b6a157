// Sizes: what cannot be is refused when it is described, without allocating; what is merely huge can be described.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { attempt, expectMistake, fault, mistake, wrong } from "./check.ts";

const BILLION = 1e9;
const LONGEST = Number.MAX_SAFE_INTEGER;
const row = cw.zeros([1, BILLION]);
const column = cw.zeros([BILLION, 1]);
const line = cw.zeros([BILLION]);

describe("more than 2^53 elements", () => {
  test.each<[string, () => unknown]>([
    ["zeros of one axis", () => cw.zeros([2 ** 53])],
    ["zeros of two axes", () => cw.zeros([2 ** 27, 2 ** 26])],
    ["zeros of a length beyond all", () => cw.zeros([1e308])],
    ["ones", () => cw.ones([BILLION, BILLION])],
    ["full", () => cw.full([BILLION, BILLION], 7)],
    ["eye", () => cw.eye(BILLION)],
    ["broadcastTo", () => cw.broadcastTo(1, [BILLION, BILLION])],
    ["broadcastArrays", () => cw.broadcastArrays(row, column)],
    ["add", () => row.add(column)],
    ["where", () => cw.where(row.greater(0), column, 0)],
    ["clip", () => row.clip(column)],
    ["matmul", () => column.matmul(row)],
    ["tensordot", () => cw.tensordot(line, line, { axes: 0 })],
    ["repeat", () => line.repeat(BILLION)],
    ["tile", () => line.tile(BILLION)],
    ["tile along new axes", () => cw.zeros([1]).tile([BILLION, BILLION])],
    ["pad", () => line.pad(LONGEST)],
    ["concat", () => cw.concat([cw.zeros([LONGEST]), line])],
    ["stack", () => cw.stack([cw.zeros([LONGEST]), cw.zeros([LONGEST])])],
    ["meshgrid", () => cw.meshgrid(line, line)],
    ["get with arrays", () => cw.zeros([BILLION, 2]).get(":", cw.zeros([BILLION], { dtype: "int64" }))],
    ["take", () => cw.zeros([BILLION, 2]).take(cw.zeros([BILLION], { dtype: "int64" }), { axis: 1 })],
    ["cumulativeSum", () => cw.zeros([LONGEST]).cumulativeSum({ includeInitial: true })],
  ])("%s", (_, call) => {
    expectMistake(call, cw.ShapeError, /\d/);
  });

  test("the message says that it is too many, not that the length is not whole", () => {
    expect(mistake(() => cw.zeros([2 ** 53])).message).toMatch("2^53");
    expect(mistake(() => cw.linspace(0, 1, 2 ** 53)).message).toMatch("2^53");
  });

  test("ranges", () => {
    expectMistake(() => cw.arange(2 ** 53), cw.ValueError, "9007199254740992");
    expectMistake(() => cw.arange(0, 1, 1e-300), cw.ValueError, "1e-300");
    expectMistake(() => cw.arange(0n, 2n ** 80n), cw.ValueError, "1208925819614629174706176");
    // The bounds are finite: it is the count that has to shrink.
    expect(mistake(() => cw.arange(2 ** 53)).cure).not.toMatch("finite");
    expectMistake(() => cw.arange(0, Number.POSITIVE_INFINITY), cw.ValueError, "Infinity", "finite");
    expectMistake(() => cw.arange(Number.NEGATIVE_INFINITY, 0), cw.ValueError, "-Infinity", "finite");
    expectMistake(() => cw.arange(0, 5, Number.NaN), cw.ValueError, "NaN");
    expectMistake(() => cw.arange(Number.NaN), cw.ValueError, "NaN");
    expectMistake(() => cw.arange(0, 5, 0), cw.ValueError, "step is 0");
    expectMistake(() => cw.arange(0, 5, 0n), cw.ValueError, "step is 0");
    expectMistake(() => cw.arange(0n, 5n, 0.5, { dtype: "int64" }), cw.DTypeError, "0.5");
    expect(cw.arange(0n, 5n, 0.5).computeSync().toList()).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5]);
  });
});

describe("numbers that are no sizes", () => {
  const BAD: readonly unknown[] = [Number.NaN, -1, 1.5, 1e308, Number.POSITIVE_INFINITY, "3", true, 3n];

  test.each(BAD.map((size) => [typeof size === "string" ? JSON.stringify(size) : String(size), size]))(
    "%s",
    (_, size) => {
      expectMistake(() => cw.zeros(wrong(size)), cw.ShapeError);
      expectMistake(() => cw.zeros([2, wrong(size)]), cw.ShapeError);
      expectMistake(() => cw.eye(wrong(size)), cw.ShapeError);
      expectMistake(() => cw.eye(2, wrong(size)), cw.ShapeError);
      expectMistake(() => cw.linspace(0, 1, wrong(size)), cw.ShapeError);
      // Counts may be bigints: they come from integer arrays.
      const count = size === 3n ? -3n : size;
      expectMistake(() => cw.zeros(3).repeat(wrong(count)), cw.ValueError);
      expectMistake(() => cw.zeros(3).repeat([1, 1, wrong(count)]), cw.ValueError);
      expectMistake(() => cw.zeros(3).tile(wrong(size)), cw.ValueError);
      expectMistake(() => cw.zeros(3).tile([1, wrong(size)]), cw.ValueError);
      expectMistake(() => cw.zeros(3).pad(wrong(size)), cw.ValueError);
      expectMistake(() => cw.zeros(3).pad([0, wrong(size)]), cw.ValueError);
      expectMistake(() => cw.zeros(3).broadcastTo([wrong(size), 3]), cw.ShapeError);
    },
  );

  test("the message contains the number that is wrong", () => {
    expectMistake(() => cw.zeros(3).repeat([1, -7, 1]), cw.ValueError, "-7");
    expectMistake(() => cw.zeros(3).tile([2, -7]), cw.ValueError, "-7");
    expectMistake(() => cw.zeros(3).pad(-7), cw.ValueError, "-7");
    expectMistake(
      () =>
        cw.zeros([3, 3]).pad([
          [0, 1],
          [0, 7.5],
        ]),
      cw.ValueError,
      "7.5",
    );
    expectMistake(
      () =>
        cw.zeros([3, 3]).pad([
          [0, 1],
          [0, 1],
          [0, 1],
        ]),
      cw.ValueError,
      /\b3\b.*\b2\b/,
    );
    expectMistake(() => cw.zeros(3).reshape([1.5, 2]), cw.ShapeError, "1.5", "whole");
    expectMistake(
      () => cw.matmul(cw.zeros([2, 3, 4]), cw.zeros([5, 4, 3])),
      cw.ShapeError,
      "[2, 3, 4]",
      "[5, 4, 3]",
    );
    expectMistake(() => cw.diff(cw.zeros(3), { prepend: 5 }), cw.ShapeError, "diff:");
  });

  test("chunks", () => {
    const x = cw.zeros([4]);
    for (const chunk of [0, -2, Number.NaN, 1.5, 1e308, "2", {}, null, true, 2n])
      expectMistake(() => x.rechunk([wrong(chunk)]), cw.ChunkError, "axis 0");
    for (const list of [
      [1, 3],
      [3, 2],
      [2, 1],
      [4, 0],
      [-1, 5],
      [1.5, 1.5, 1],
      [2, 2, 0],
      [0],
      [],
      ["2", "2"],
      [null, 4],
    ])
      expectMistake(() => x.rechunk([wrong(list)]), cw.ChunkError, "axis 0");
    expectMistake(() => x.rechunk([2, 2]), cw.ChunkError, "2 axes", "has 1");
    expectMistake(() => x.rechunk([]), cw.ChunkError, "0 axes", "has 1");
    expectMistake(() => cw.sum(x).rechunk([1]), cw.ChunkError, "1 axes", "has 0");
    expectMistake(() => cw.zeros([3], { chunks: [[1.5, 1.5]] }), cw.ChunkError, "1.5");
  });

  test("no chunk is ever of a fractional length", () => {
    expectMistake(() => cw.zeros([3]).rechunk([[1.5, 1.5]]), cw.ChunkError);
  });
});

describe("huge, but possible", () => {
  const huge = cw.zeros([1e15]);

  test("1e15 zeros can be described, and worked with, without allocating", () => {
    const before = process.memoryUsage();
    const worked = huge.add(1).multiply(2).reshape([1e5, 1e10]).get("::2", "5:-5").sum({ axis: 1 });
    expect(huge.size).toBe(1e15);
    expect(huge.nbytes).toBe(8e15);
    expect(worked.shape).toEqual([5e4]);
    expect(String(worked)).toMatch("[100000, 10000000000]");
    const after = process.memoryUsage();
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(2e8);
  });

  test("so can their plan", () => {
    const plan = cw
      .arange(2 ** 50)
      .add(1)
      .sum()
      .plan();
    expect(plan.numTasks).toBeGreaterThan(1e8);
    expect(plan.maxProjectedMem).toBeLessThan(1e9);
    expect(String(plan).length).toBeLessThan(1e4);
    expect(cw.zeros([1e15], { chunks: 1 }).add(1).plan({ optimize: false }).numTasks).toBe(1e15);
  });

  test("a part of them can be computed", () => {
    expect(huge.set("5:7", 1).get("4:8").computeSync().toList()).toEqual([0, 1, 1, 0]);
    expect(
      cw
        .arange(2 ** 53 - 1)
        .get(-1)
        .computeSync()
        .item(),
    ).toBe(2 ** 53 - 2);
  });

  test("a result that no memory holds is a typed error, when it is asked for", async () => {
    expectMistake(() => huge.computeSync(), cw.ChunkwiseError, /1000000000000000|8 PB/);
    await expect(huge.compute()).rejects.toBeInstanceOf(cw.ChunkwiseError);
  });

  test("a list of 1e15 arrays is refused", () => {
    expectMistake(() => cw.unstack(huge), cw.ChunkwiseError, "1000000000000000");
  });

  test("very many axes: they work, or are refused when they are described", () => {
    const outcome = attempt(() => cw.zeros(new Array<number>(3000).fill(1)).add(1).flip().computeSync());
    expect(outcome.threw ? fault(outcome.error) : null).toBeNull();
  });

  test("very many arrays can be joined", () => {
    const x = cw.zeros([2]);
    const joined = cw.concat(Array.from({ length: 200_000 }, () => x));
    expect(joined.shape).toEqual([400_000]);
    expect(joined.chunks).toHaveLength(1);
    expect(String(joined)).toMatch("400000");
  });
});
