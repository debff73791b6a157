// Rechunk plans: every stage fits, the last is what was asked for, and none is dearer than going directly.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { taskParts } from "../../src/array/taskParts.ts";
import { sizeOf } from "../../src/core/chunks.ts";
import { planFromJson } from "../../src/plan/load.ts";
import { planToJson } from "../../src/plan/planJson.ts";
import { costOf, meetings, type RechunkRequest, rechunkPlan } from "../../src/plan/rechunk.ts";
import { check } from "../property/settings.ts";
import { planned } from "./plans.ts";
import { runPlain } from "./run.ts";

const MB = 1e6;
const grids = (request: RechunkRequest): (readonly number[])[] =>
  rechunkPlan(request).map(({ chunks }) => chunks);

describe("known cases", () => {
  const square = { shape: [8000, 8000], itemsize: 4 };

  test("rows to columns are direct where parts of chunks can be read, and staged where they cannot", () => {
    const turn = { ...square, from: [1000, 8000], to: [8000, 1000], maxMem: 200 * MB, workers: 8 };
    expect(grids({ ...turn, inner: [1000, 1000] })).toEqual([[8000, 1000]]);
    const stages = rechunkPlan(turn);
    expect(stages.map(({ chunks }) => chunks)).toEqual([
      [1000, 8000],
      [8000, 1000],
    ]);
    expect(stages[0]!.inner).toEqual([1000, 1000]);
  });

  test("one pass suffices: direct", () => {
    expect(grids({ ...square, from: [100, 8000], to: [1000, 8000], maxMem: 200 * MB })).toEqual([
      [1000, 8000],
    ]);
    expect(grids({ ...square, from: [1000, 1000], to: [500, 500], maxMem: 200 * MB, minMem: 1 }).length).toBe(
      2,
    );
    expect(grids({ ...square, from: [500, 500], to: [1000, 1000], maxMem: 200 * MB })).toEqual([
      [1000, 1000],
    ]);
  });

  test("more workers get smaller chunks on the way", () => {
    const turn = {
      shape: [100_000, 10_000],
      itemsize: 8,
      from: [1, 10_000],
      to: [100_000, 10],
      maxMem: 1000 * MB,
    };
    const first = (workers: number): number => sizeOf(grids({ ...turn, workers })[0]!);
    expect(first(1)).toBeGreaterThan(first(100));
    expect((100_000 * 10_000) / first(100)).toBeGreaterThanOrEqual(100);
  });

  test("thin slabs one way and the other go through grids in between", () => {
    const stages = rechunkPlan({
      ...{ shape: [1_000_000, 1_000_000], itemsize: 4, from: [1, 1_000_000], to: [1_000_000, 1] },
      maxMem: 100 * MB,
    });
    expect(stages.length).toBeGreaterThan(2);
  });

  test("a chunk that cannot be made is refused with the cure", () => {
    expect(() => rechunkPlan({ ...square, from: [10, 8000], to: [8000, 8000], maxMem: 100 * MB })).toThrow(
      "Allow 512 MB or more, or use smaller chunks",
    );
  });
});

test("meetings are pairs of chunks that share places", () =>
  check(
    300,
    fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 })),
    ([n, a, b]) => {
      const pairs = new Set(Array.from({ length: n }, (_, i) => `${Math.floor(i / a)} ${Math.floor(i / b)}`));
      expect(meetings(n, a, b)).toBe(pairs.size);
    },
  ));

const axes = fc.array(
  fc
    .integer({ min: 1, max: 5000 })
    .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n }), fc.integer({ min: 1, max: n }))),
  { minLength: 1, maxLength: 5 },
);
const requests: fc.Arbitrary<RechunkRequest> = fc
  .record({
    axes,
    itemsize: fc.constantFrom(1, 2, 4, 8, 16),
    room: fc.integer({ min: 1, max: 64 }),
    workers: fc.integer({ min: 1, max: 64 }),
  })
  .map(({ axes, itemsize, room, workers }) => {
    const to = axes.map(([, , to]) => to);
    const maxMem = 2 * itemsize * sizeOf(to) * room;
    return { shape: axes.map(([n]) => n), from: axes.map(([, from]) => from), to, itemsize, maxMem, workers };
  });

test("any grids, any number of axes, coprime or not", () =>
  check(500, requests, (request) => {
    const { shape, itemsize, to, maxMem } = request;
    const stages = rechunkPlan(request);
    expect(stages.at(-1)!.chunks).toEqual(to);
    for (const { chunks, inner } of stages) {
      expect(2 * sizeOf(chunks) * itemsize).toBeLessThanOrEqual(maxMem);
      chunks.forEach((n, axis) => {
        expect(Number.isInteger(n) && n >= 1 && n <= shape[axis]!).toBe(true);
        expect(inner[axis]!).toBeLessThanOrEqual(n);
      });
    }
    expect(costOf(request, stages)).toBeLessThanOrEqual(costOf(request, [{ chunks: to, inner: to }]));
  }));

const small = fc.record({
  shape: fc.tuple(fc.integer({ min: 1, max: 23 }), fc.integer({ min: 1, max: 19 })),
  from: fc.tuple(fc.integer({ min: 1, max: 23 }), fc.integer({ min: 1, max: 19 })),
  to: fc.tuple(fc.integer({ min: 1, max: 23 }), fc.integer({ min: 1, max: 19 })),
  room: fc.integer({ min: 2, max: 6 }),
});

test("in a plan with a budget the elements stay where they are and tasks fit", () =>
  check(60, small, ({ shape, from, to, room }) => {
    const values = Float64Array.from({ length: sizeOf(shape) }, (_, i) => i);
    const clip = (chunks: readonly number[]): number[] => chunks.map((n, axis) => Math.min(n, shape[axis]!));
    const x = cw.asarray(new cw.NDArray(values, shape), { chunks: clip(from) }).rechunk(clip(to));
    const allowedMem = 8 * room * sizeOf(clip(to));
    const plan = planned(x, { allowedMem });
    expect(plan.maxProjectedMem).toBeLessThanOrEqual(allowedMem);
    expect(runPlain(plan)[0]!.data).toEqual(values);
  }));

test("stages survive JSON", () => {
  const x = cw.asarray(new cw.NDArray(new Float64Array(4096), [64, 64]), { chunks: [1, 64] });
  const { data } = planned(x.rechunk([64, 1]), { allowedMem: 4096, workers: 4 });
  expect(data.arrays.some((array) => "inner" in array)).toBe(true);
  const source = { $resource: "x" };
  expect(
    planFromJson(JSON.parse(JSON.stringify(planToJson(data))), {
      ops: taskParts().ops,
      find: () => source as never,
    }),
  ).toEqual(data);
});
