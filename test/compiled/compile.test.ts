// Compiled functions: what they give is what compute gives, call after call, on every executor; what is wrong with a call is said;
// states are replaced all at once or not at all; calls leave nothing behind.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

type Make = (x: cw.LazyArray, y: cw.LazyArray, s: cw.LazyArray) => cw.LazyArray;

const leaf: fc.Arbitrary<Make> = fc.constantFrom<Make>(
  (x) => x,
  (_, y) => y,
  (x, _, s) => x.multiply(s),
  (x, y) => x.matmul(y.T),
  () => cw.full([4, 4], 0.5),
);
const makes: fc.Arbitrary<Make> = fc.letrec<{ node: Make; leaf: Make }>((tie) => ({
  leaf,
  node: fc.oneof(
    { maxDepth: 4 },
    tie("leaf"),
    fc.tuple(tie("node"), tie("node")).map(
      ([a, b]): Make =>
        (...xs) =>
          a(...xs).add(b(...xs)),
    ),
    fc.tuple(tie("node"), tie("node")).map(
      ([a, b]): Make =>
        (...xs) =>
          a(...xs).maximum(b(...xs)),
    ),
    tie("node").map(
      (a): Make =>
        (...xs) =>
          a(...xs)
            .multiply(2)
            .subtract(1),
    ),
    tie("node").map(
      (a): Make =>
        (...xs) =>
          a(...xs).T,
    ),
    tie("node").map(
      (a): Make =>
        (...xs) =>
          a(...xs).subtract(a(...xs).sum({ axis: 0, keepdims: true })),
    ),
    tie("node").map(
      (a): Make =>
        (...xs) =>
          a(...xs).flip({ axis: 1 }),
    ),
    tie("node").map(
      (a): Make =>
        (...xs) =>
          cw.where(a(...xs).greater(0), a(...xs), xs[2].negative()),
    ),
    tie("node").map(
      (a): Make =>
        (...xs) =>
          cw.cumulativeSum(a(...xs), { axis: 1 }),
    ),
  ),
})).node;

const matrix = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 16, maxLength: 16 });
const square = { dtype: "float64", shape: [4, 4] } as const;
const WAYS: readonly [string, number, cw.AsyncComputeOptions][] = [
  ["inline", 25, {}],
  ["threads", 3, { executor: "threads", threads: 2 }],
  ["the reference", 10, { backend: cw.referenceBackend }],
  ["in chunks", 6, {}],
];

describe.each(WAYS)("%s", (way, numRuns, options) => {
  test("what compute gives, call after call with other data", async () => {
    const chunks = way === "in chunks" ? [3, 2] : undefined;
    await fc.assert(
      fc.asyncProperty(
        makes,
        fc.array(fc.tuple(matrix, matrix, fc.integer({ min: -3, max: 3 })), { minLength: 1, maxLength: 3 }),
        async (make, calls) => {
          const f = cw.compile(
            (x, y, s) => ({ a: make(x, y, s), b: make(y, x, s).sum() }),
            [{ ...square, chunks }, { ...square, chunks }, "float64"],
            options,
          );
          const kept: [cw.NDArray, cw.NDArray][] = [];
          for (const [dataX, dataY, s] of calls) {
            const [x, y] = [dataX, dataY].map((data) => new cw.NDArray(Float64Array.from(data), [4, 4]));
            const lazy = [
              cw.asarray(x!, { chunks }),
              cw.asarray(y!, { chunks }),
              cw.asarray(s, { dtype: "float64" }),
            ] as const;
            const [a, b] = await cw.compute([make(...lazy), make(lazy[1], lazy[0], lazy[2]).sum()], options);
            const soon = await f(x!, y!.data, s);
            const now = f.sync(Float64Array.from(dataX), y!.toList() as number[][], s);
            for (const given of [soon, now]) {
              expect(given.a.toList()).toEqual(a.toList());
              expect(given.b.item()).toBe(b.item());
            }
            kept.push([soon.a, a]);
          }
          // No later call has written to them.
          for (const [given, expected] of kept) expect(given.toList()).toEqual(expected.toList());
        },
      ),
      { numRuns },
    );
  });
});

const line = { dtype: "float64", shape: [3] } as const;

describe("outputs", () => {
  const x = new Float64Array([1, 2, 3]);

  test("one, a list, names; one that is there twice, an input as it is, a constant", async () => {
    const one = cw.compile((a) => a.add(1), [line]);
    expect((await one(x)).toList()).toEqual([2, 3, 4]);
    const list = cw.compile((a) => [a.add(1), a.add(1), a, cw.ones([2])], [line]);
    const [first, second, same, constant] = await list(x);
    first!.data[0] = 99;
    expect(second!.toList()).toEqual([2, 3, 4]);
    same!.data[0] = 99;
    expect(x[0]).toBe(1);
    expect(constant!.toList()).toEqual([1, 1]);
    const named = cw.compile((a) => ({ sum: a.sum(), turned: a.flip() }), [line]);
    const { sum, turned } = named.sync(x);
    expect([sum.item(), turned.toList()]).toEqual([6, [3, 2, 1]]);
  });

  test("large ones are no later call's either", () => {
    const n = 50_000;
    const f = cw.compile((a) => [a.add(1), a.add(1), a.multiply(2)], [{ dtype: "float64", shape: [n] }]);
    const [a, b, c] = f.sync(new Float64Array(n).fill(1));
    const [d] = f.sync(new Float64Array(n).fill(5));
    a!.data[1] = 7;
    expect([a, b, c, d].map((r) => r!.data[0])).toEqual([2, 2, 2, 6]);
    expect(b!.data[1]).toBe(2);
  });

  test("into arrays that the caller brings, also one that is read", () => {
    for (const n of [4, 60_000]) {
      const f = cw.compile((a) => a.add(a.flip()), [{ dtype: "float64", shape: [n] }]);
      const out = cw.zeros([n]).computeSync();
      const data = Float64Array.from({ length: n }, (_, i) => i * i);
      const expected = data.map((v, i) => v + data[n - 1 - i]!);
      expect(f.sync(data, { out })).toBe(out);
      expect(out.data).toEqual(expected);
      const again = f.sync(out, { out }).data;
      expect(again).toEqual(expected.map((v, i) => v + expected[n - 1 - i]!));
    }
    const f = cw.compile((a) => a.add(1), [line]);
    expect(() => f.sync(x, { out: cw.zeros([2]).computeSync() })).toThrow(cw.ShapeError);
    expect(() => f.sync(x, { out: cw.zeros([3], { dtype: "float32" }).computeSync() as never })).toThrow(
      cw.ShapeError,
    );
  });

  test("every dtype", () => {
    for (const dtype of [
      "bool",
      "int8",
      "uint16",
      "int64",
      "float16",
      "float32",
      "complex64",
      "complex128",
    ] as const) {
      const f = cw.compile((a, s) => [a.equal(s), a], [{ dtype, shape: [2] }, dtype]);
      const value = cw.asarray([1, 0], { dtype }).computeSync();
      const [isEqual, same] = f.sync(value, 1);
      expect([isEqual!.toList(), same!.dtype]).toEqual([[true, false], dtype]);
      expect(f.sync(value.data, value.item(0) as never)[1]!.toList()).toEqual(value.toList());
    }
  });
});

test("values that are lazy, and lengths that depend on data", async () => {
  const f = cw.compile((a) => a.get(a.greater(1)).multiply(2), [line]);
  expect((await f([1, 2, 3])).toList()).toEqual([4, 6]);
  expect(f.sync(new Float64Array([5, 0, 0])).toList()).toEqual([10]);
  const g = cw.compile(
    (a, b) => a.add(b).sum(),
    [{ dtype: "float64", shape: [1000], chunks: 100 }, "float64"],
  );
  const stored = await cw.arange(1000, { dtype: "float64", chunks: 100 }).toZarr(new cw.MemoryStore());
  expect((await g(stored, 1)).item()).toBe(500_500);
  expect((await g(new Float64Array(1000), cw.asarray(2).astype("float64"))).item()).toBe(2000);
  expect(g.sync(cw.arange(1000, { dtype: "float64" }), 0).item()).toBe(499_500);
});

test("givens take the places of others", async () => {
  const x = cw.input("float64", [3], { name: "x" });
  const w = cw.shared([1, 2, 3], { name: "w", dtype: "float64" });
  const f = cw.compile(() => x.multiply(w).sum(), [x], {
    givens: [[w, cw.asarray([2, 2, 2]).astype("float64")]],
  });
  expect((await f([1, 1, 1])).item()).toBe(6);
  expect(() => cw.compile(() => x, [x], { givens: [[x, cw.ones([2])]] })).toThrow(cw.ShapeError);
  expect(() => cw.compile(() => x, [x], { givens: [[x, cw.ones([3], { dtype: "int8" })]] })).toThrow(
    cw.DTypeError,
  );
});

describe("errors of calls name the input", () => {
  const f = cw.compile((weights, count) => weights.multiply(count), [line, "int32"]);
  const cases: readonly [string, readonly unknown[], RegExp][] = [
    [
      "a wrong count",
      [new Float64Array(3)],
      /1 values where 2 are taken.*weights: float64 \[3\], count: int32 \[\]/s,
    ],
    ["a wrong dtype", [new Float32Array(3), 1], /input weights: float64 \[3\] is given Float32Array/],
    ["a wrong length", [new Float64Array(2), 1], /input weights.*2 elements/],
    ["a wrong shape", [cw.zeros([3, 1]).computeSync(), 1], /input weights.*shape \[3, 1\]/],
    ["a wrong lazy dtype", [cw.zeros([3], { dtype: "float32" }), 1], /input weights.*float32/],
    ["a fraction for an integer", [new Float64Array(3), 1.5], /input count/],
    ["a number for an array", [1, 1], /input weights.*a number/],
    ["text", ["abc", 1], /input weights.*"abc"/],
    ["nothing", [undefined, 1], /input weights.*undefined/],
    ["an unknown option", [new Float64Array(3), 1, { outs: 1 }], /no option "outs"/],
  ];
  test.each(cases)("%s", async (_, args, message) => {
    const call = f as unknown as {
      (...args: readonly unknown[]): Promise<unknown>;
      sync(...args: readonly unknown[]): unknown;
    };
    expect(() => call.sync(...args)).toThrow(message);
    expect(() => call.sync(...args)).toThrow(cw.ChunkwiseError);
    await expect(call(...args)).rejects.toThrow(message);
  });

  test("of definitions", () => {
    const [x, y] = [cw.input("float64", [3], { name: "x" }), cw.input("float64", [3], { name: "y" })];
    expect(() => cw.compile(() => x.add(y), [x])).toThrow(/the input y is used and is none/);
    expect(() => cw.compile(() => x, [x, x])).toThrow(/named twice/);
    expect(() => cw.compile((() => 3) as never, [])).toThrow(/gave 3 where a lazy array/);
    expect(() => cw.compile(() => x, ["float46" as never])).toThrow(cw.DTypeError);
    expect(() => cw.compile(() => x, [x], { updates: [[x, x]] as never })).toThrow(/no shared state/);
    expect(() => cw.compile(() => x, [x], { mode: "fast" as never })).toThrow(cw.ValueError);
    expect(() => x.computeSync()).toThrow(/the input x has no elements/);
  });
});

describe("shared state", () => {
  test("is what it is when something is computed, and can be read and set", async () => {
    const w = cw.shared([1, 2, 3], { dtype: "float64", name: "w" });
    const sum = w.multiply(2).sum();
    expect((await sum.compute()).item()).toBe(12);
    w.setValue(new Float64Array([1, 1, 1]));
    expect(sum.computeSync().item()).toBe(6);
    const value = w.getValue();
    value.data[0] = 99;
    expect(w.getValue().toList()).toEqual([1, 1, 1]);
    expect(() => w.setValue([1, 2])).toThrow(cw.ShapeError);
    expect(() => w.setValue(new Float32Array(3))).toThrow(cw.DTypeError);
    expect(cw.shared(2.5).getValue().item()).toBe(2.5);
  });

  test("updates see the values from before the call, and swap", async () => {
    const [a, b] = [cw.shared([1, 1], { dtype: "float64" }), cw.shared([2, 2], { dtype: "float64" })];
    const swap = cw.compile(() => a.add(b), [], {
      updates: [
        [a, b],
        [b, a],
      ],
    });
    expect((await swap()).toList()).toEqual([3, 3]);
    expect([a.getValue().toList(), b.getValue().toList()]).toEqual([
      [2, 2],
      [1, 1],
    ]);
    const fib = cw.compile(() => b, [], {
      updates: [
        [a, b],
        [b, a.add(b)],
      ],
    });
    for (let i = 0; i < 5; i++) fib.sync();
    expect(b.getValue().toList()).toEqual([18, 18]);
  });

  test("an error leaves all of them as they were", async () => {
    const count = cw.shared(0, { dtype: "int32" });
    const g = cw.compile((d) => count.bitwiseLeftShift(d), ["int32"], { updates: [[count, count.add(1)]] });
    expect(g.sync(3).item()).toBe(0);
    expect(() => g.sync(-1)).toThrow(cw.RunError);
    await expect(g(-1)).rejects.toThrow(cw.RunError);
    expect(count.getValue().item()).toBe(1);
    expect((await g(1)).item()).toBe(2);
    expect(count.getValue().item()).toBe(2);
  });

  test("calls that are not awaited update one after another", async () => {
    for (const options of [{}, { executor: "threads" as const }]) {
      const w = cw.shared(new Float64Array(2), { name: "w" });
      const f = cw.compile(() => w, ["float64"], {
        ...options,
        updates: (x) => [[w, w.multiply(2).add(x)]],
      });
      const before = await Promise.all([1, 2, 3, 4].map((x) => f(x)));
      expect(before.map((r) => r.item(0))).toEqual([0, 1, 4, 11]);
      expect(w.getValue().toList()).toEqual([26, 26]);
      if (!("executor" in options)) continue;
      const pending = f(1);
      expect(() => f.sync(1)).toThrow(/under way/);
      expect(() => w.setValue([0, 0])).toThrow(/under way/);
      await pending;
      expect(f.sync(0).item(0)).toBe(53);
    }
  });

  test("a computation that has begun reads what was there when it did", async () => {
    const n = 50_000;
    const w = cw.shared(new Float64Array(n).fill(1), { name: "w" });
    const step = cw.compile(() => w.sum(), [], { updates: [[w, w.add(1)]] });
    const pending = w.add(0).compute({ executor: "threads", threads: 2 });
    await new Promise((resolve) => setImmediate(resolve));
    const seen = await Promise.race([pending.then((r) => r.data), Promise.resolve(null)]);
    step.sync();
    step.sync();
    const { data } = seen === null ? await pending : { data: seen };
    expect(new Set(data).size).toBe(1);
    expect(w.getValue().data[0]).toBe(3);
  });

  test("two updates of one state are refused, and other types", () => {
    const w = cw.shared([1, 2], { dtype: "float64", name: "w" });
    expect(() =>
      cw.compile(() => w, [], {
        updates: [
          [w, w.add(1)],
          [w, w],
        ],
      }),
    ).toThrow(/w twice/);
    expect(() => cw.compile(() => w, [], { updates: [[w, w.sum()]] })).toThrow(cw.ShapeError);
    expect(() => cw.compile(() => w, [], { updates: [[w, w.astype("float32")]] })).toThrow(cw.DTypeError);
  });
});

test("functions whose calls take turns do not disturb one another", async () => {
  const spec = { dtype: "float64", shape: [64] } as const;
  const f = cw.compile((x) => x.multiply(2), [spec]);
  const g = cw.compile((x) => x.multiply(2).add(1), [spec]);
  const data = (i: number): Float64Array => new Float64Array(64).fill(i);
  const all = await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? f : g)(data(i))));
  expect(all.map((r) => r.item(63))).toEqual(Array.from({ length: 40 }, (_, i) => 2 * i + (i % 2)));
});

test("10,000 calls leave nothing behind", async () => {
  const w = cw.shared(new Float64Array(50), { name: "w" });
  const f = cw.compile((x) => x.matmul(w), [{ dtype: "float64", shape: [20, 50] }], {
    updates: (x) => [[w, w.multiply(0.5).add(x.sum({ axis: 0 }))]],
  });
  const x = new Float64Array(1000).fill(0.25);
  for (let i = 0; i < 100; i++) f.sync(x);
  const before = cw.engine.backend.statistics();
  for (let i = 0; i < 5000; i++) {
    f.sync(x);
    await f(x);
  }
  const after = cw.engine.backend.statistics();
  expect([after.bytes, after.kernels]).toEqual([before.bytes, before.kernels]);
  expect(after.places).toBeLessThanOrEqual(before.places + 2);
  expect(w.getValue().item(0)).toBe(10);
});

test("a function says what it is", () => {
  const f = cw.compile((x, scale) => x.multiply(scale), [line, "float64"]);
  expect(String(f)).toContain("x: float64 [3], scale: float64 []");
  expect(f.plan().numTasks).toBe(1);
});
