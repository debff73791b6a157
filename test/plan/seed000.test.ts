// Seed 000, statement by statement: what optimisation does to a plan, and the controls.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { fuse } from "../../src/plan/index.ts";
import { intermediates, planned, reasons, seedTasks, zeros } from "./plans.ts";

describe("map fusion", () => {
  const a = zeros([3, 3], [2, 2]);
  const b = cw.negative(a);
  const c = cw.astype(b, "float32");
  const before = planned(c, { optimize: false });

  test.each(["all", "map"] as const)(
    "fusion: %s takes 10 tasks to 5, and b is no longer written",
    (fusion) => {
      const after = planned(c, { fusion });
      expect([seedTasks(before), seedTasks(after)]).toEqual([10, 5]);
      expect([intermediates(before).length, intermediates(after).length]).toEqual([1, 0]);
      expect(after.totalBytes).toBeLessThan(before.totalBytes);
    },
  );

  test("is on by default", () => expect(planned(c).numOperations).toBe(1));
});

describe("several inputs", () => {
  const [a, b, c] = [0, 1, 2].map(() => zeros([3, 3], [2, 2]));
  const d = cw.add(b!, c!);
  const e = cw.add(a!, d);

  test("map fusion has no effect", () => {
    expect(planned(e, { fusion: "map" }).data).toEqual(planned(e, { optimize: false }).data);
  });

  test("with several inputs d is fused away", () => {
    expect(planned(e).numOperations).toBe(1);
    expect(intermediates(planned(e))).toEqual([]);
  });

  test("the same for arrays that are computed from nothing", () => {
    const [x, y, z] = [0, 1, 2].map(() => cw.ones([3, 3], { chunks: [2, 2] }));
    const sum = cw.add(x!, cw.add(y!, z!));
    expect(planned(sum, { fusion: "map" }).numOperations).toBe(2);
    expect(planned(sum).numOperations).toBe(1);
  });

  test("debug says why", () => {
    expect(reasons(e)).toBe(
      [
        "can't fuse op-001 since no predecessor ops can be fused",
        "can fuse op-002 since num tasks of predecessor ops match",
      ].join("\n"),
    );
    expect(reasons(zeros([3], [2]))).toBe("can't fuse op-001 since it is not fusable");
  });
});

describe("maxTotalSourceArrays", () => {
  const sum = (count: number): cw.LazyArray =>
    Array.from({ length: count }, () => zeros([4], [2])).reduce((x, y) => cw.add(x, y));

  test("is 4: a higher fan-in is fused in stages", () => {
    expect(planned(sum(4)).numOperations).toBe(1);
    expect(planned(sum(5)).numOperations).toBe(2);
    expect(planned(sum(8)).numOperations).toBe(3);
    expect(reasons(sum(5))).toContain(
      "can't fuse op-002 since total number of source arrays (5) exceeds max (4)",
    );
  });

  test("can be more", () => expect(planned(sum(8), { maxTotalSourceArrays: 8 }).numOperations).toBe(1));

  test("or less", () => expect(planned(sum(4), { maxTotalSourceArrays: 2 }).numOperations).toBe(3));

  test("what was said holds for an operation that reads more already", () => {
    const joined = cw.concat(Array.from({ length: 6 }, () => zeros([4], [2]).negative()));
    expect(planned(joined).numOperations).toBe(1);
    expect(planned(joined, { maxTotalSourceArrays: 6 }).numOperations).toBe(1);
    expect(planned(joined, { maxTotalSourceArrays: 4 }).numOperations).toBe(7);
    expect(reasons(joined, { maxTotalSourceArrays: 4 })).toContain(
      "since total number of source arrays (6) exceeds max (4)",
    );
  });

  test("constants do not count", () => {
    const shifted = [1, 2, 3, 4, 5, 6].reduce<cw.LazyArray>(
      (x, n) => x.multiply(n).add(cw.asarray(n)),
      sum(4),
    );
    expect(planned(shifted).numOperations).toBe(1);
  });

  test("an array that is read twice counts once", () => {
    const list = Array.from({ length: 4 }, () => zeros([4], [2]));
    const twice = [...list, ...list].reduce((x, y) => cw.add(x, y));
    expect(planned(twice).numOperations).toBe(1);
  });
});

describe("maxTotalNumInputBlocks", () => {
  const x = cw.add(zeros([60], [2]), zeros([60], [2]));
  const wide = (chunk: number): cw.LazyArray => x.rechunk(chunk);

  test("is 10: other numbers of tasks are fused while a task reads at most so many chunks", () => {
    expect(planned(wide(10)).numOperations).toBe(1);
    expect(reasons(wide(10))).toContain(
      "can fuse op-002 since total number of input blocks (10) does not exceed max (10)",
    );
    expect(planned(wide(12)).numOperations).toBe(2);
    expect(reasons(wide(12))).toContain(
      "can't fuse op-002 since total number of input blocks (12) exceeds max (10)",
    );
  });

  test("can be more", () => {
    expect(planned(wide(12), { maxTotalNumInputBlocks: 12 }).numOperations).toBe(1);
  });

  describe("where a task reads more than that already", () => {
    const whole = zeros([60], [2]).negative().rechunk(60);

    test("it may read as many where nothing was said, and the log says so", () => {
      expect(planned(whole).numOperations).toBe(1);
      expect(reasons(whole)).toContain(
        "can fuse op-002 since total number of input blocks (30) is no more than before (30)",
      );
    });

    test.each([10, 29])("the limit holds where it was said: %i", (maxTotalNumInputBlocks) => {
      expect(planned(whole, { maxTotalNumInputBlocks }).numOperations).toBe(2);
      expect(reasons(whole, { maxTotalNumInputBlocks })).toContain(
        `can't fuse op-002 since total number of input blocks (30) exceeds max (${maxTotalNumInputBlocks})`,
      );
    });

    test("and lets through what keeps to it", () => {
      expect(planned(whole, { maxTotalNumInputBlocks: 30 }).numOperations).toBe(1);
      expect(reasons(whole, { maxTotalNumInputBlocks: 30 })).toContain(
        "can fuse op-002 since total number of input blocks (30) does not exceed max (30)",
      );
    });
  });

  test("null: only operations with the same number of tasks are fused", () => {
    expect(planned(wide(10), { maxTotalNumInputBlocks: null }).numOperations).toBe(2);
    expect(reasons(wide(10), { maxTotalNumInputBlocks: null })).toContain(
      "can't fuse op-002 since num tasks of predecessor ops do not match",
    );
    expect(planned(x.exp(), { maxTotalNumInputBlocks: null }).numOperations).toBe(1);
  });
});

describe("alwaysFuse and neverFuse", () => {
  const [a, b, c] = [0, 1, 2].map(() => zeros([3, 3], [2, 2]));
  const e = cw.add(a!, cw.add(b!, c!)).exp();

  test("neverFuse names operations that take in nothing", () => {
    expect(planned(e, { neverFuse: ["op-002"] }).numOperations).toBe(2);
    expect(reasons(e, { neverFuse: ["op-002"] })).toBe(
      [
        "can't fuse op-001 since no predecessor ops can be fused",
        "can't fuse op-002 since it is in neverFuse",
        "can fuse op-003 since num tasks of predecessor ops match",
      ].join("\n"),
    );
  });

  test("alwaysFuse names operations that no limit keeps from it", () => {
    const limits = { maxTotalSourceArrays: 2 };
    expect(planned(e, limits).numOperations).toBe(2);
    expect(planned(e, { ...limits, alwaysFuse: ["op-002"] }).numOperations).toBe(1);
    expect(reasons(e, { ...limits, alwaysFuse: ["op-002"] })).toContain(
      "can fuse op-002 since it is in alwaysFuse",
    );
  });
});

describe("a custom optimize function", () => {
  const e = cw
    .negative(zeros([4], [2]))
    .exp()
    .log();

  test("takes the place of fusion", () => {
    expect(planned(e, { optimizeFunction: (plan) => plan }).numOperations).toBe(3);
    expect(
      planned(e, { optimizeFunction: (plan) => fuse(plan, { neverFuse: ["op-003"] }) }).numOperations,
    ).toBe(2);
  });

  test("is not asked when nothing is to be optimised", () => {
    const optimizeFunction = (): never => expect.fail("it was called");
    expect(planned(e, { optimize: false, optimizeFunction }).numOperations).toBe(3);
  });
});
