// Loops and conditions beside plain JavaScript, on every executor; what they carry keeps its type; the same body is one node.

import * as cw from "chunkwise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const WAYS: readonly [string, cw.AsyncComputeOptions][] = [
  ["inline", { executor: "inline" }],
  ["threads", { executor: "threads", threads: 2 }],
  ["the reference", { backend: cw.referenceBackend, executor: "inline" }],
  ["without rewriting", { optimize: false, executor: "inline" }],
];

describe.each(WAYS)("%s", (_, options) => {
  test("whileLoop: Newton's steps to a square root", async () => {
    const a = cw.asarray(new Float64Array([2, 9, 100]));
    const root = cw.whileLoop(
      (x) => x.multiply(x).subtract(a).abs().max().greater(1e-9),
      (x) => x.add(a.divide(x)).multiply(0.5),
      a,
    );
    const expected = [2, 9, 100];
    while (Math.max(...expected.map((x, i) => Math.abs(x * x - [2, 9, 100][i]!))) > 1e-9)
      expected.forEach((x, i) => (expected[i] = (x + [2, 9, 100][i]! / x) * 0.5));
    expect((await root.compute(options)).toList()).toEqual(expected);
  });

  test("whileLoop: several arrays", async () => {
    const [n, f] = cw.whileLoop(
      ([k]) => k.greater(1),
      ([k, product]) => [k.subtract(1), product.multiply(k)],
      [cw.asarray(6), cw.asarray(1)],
    );
    const [k, product] = await cw.compute([n!, f!], options);
    expect([k.item(), product.item()]).toEqual([1, 720]);
  });

  test("scan: running sums, and what is carried last", async () => {
    const x = cw.asarray(
      new cw.NDArray(
        Float64Array.from({ length: 12 }, (_, i) => i / 3),
        [4, 3],
      ),
    );
    const w = cw.asarray(new Float64Array([1, 2, 3])).add(1);
    const [last, sums] = cw.scan(
      (sum, row) => {
        const next = sum.add(row.multiply(w));
        return [next, next.sum()];
      },
      cw.zeros([3]),
      x,
    );
    const expected: number[] = [];
    const sum = [0, 0, 0];
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 3; j++) sum[j]! += ((3 * i + j) / 3) * [2, 3, 4][j]!;
      expected.push(sum[0]! + sum[1]! + sum[2]!);
    }
    const [a, b] = await cw.compute([last, sums as cw.LazyArray], options);
    expect(a.toList()).toEqual(sum);
    expect(b.toList()).toEqual(expected);
  });

  test("cond computes one of two", async () => {
    const x = cw.asarray(new Float64Array([4, 9]));
    const by = (flag: cw.LazyArray): Promise<cw.NDArray> =>
      cw
        .cond(
          flag,
          (y) => y.sqrt(),
          (y) => y.negative(),
          x,
        )
        .compute(options) as Promise<cw.NDArray>;
    expect((await by(x.sum().greater(10))).toList()).toEqual([2, 3]);
    expect((await by(x.sum().greater(100))).toList()).toEqual([-4, -9]);
  });

  test("loops in loops, and in compiled functions", async () => {
    const f = cw.compile(
      (x, n) =>
        cw.whileLoop(
          ([i]) => i.less(n),
          ([i, y]) => [i.add(1), cw.scan((s, v) => [s.add(v.multiply(i)), s], cw.zeros([]), y)[0].add(y)],
          [cw.asarray(0), x],
        )[1]!,
      [{ dtype: "float64", shape: [3] }, "int64"],
      options,
    );
    const plain = (x: number[], n: number): number[] => {
      let y = x;
      for (let i = 0; i < n; i++) {
        const s = y.reduce((sum, v) => sum + v * i, 0);
        y = y.map((v) => v + s);
      }
      return y;
    };
    expect((await f([1, 2, 3], 4)).toList()).toEqual(plain([1, 2, 3], 4));
    expect((await f([3, 0, 1], 3)).toList()).toEqual(plain([3, 0, 1], 3));
  });
});

test("scan beside a plain loop, with any data", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, min: -9, max: 9 }), { minLength: 1, maxLength: 40 }),
      (data) => {
        const x = cw.asarray(Float64Array.from(data));
        const [last, all] = cw.scan((s, v) => [s.multiply(0.5).add(v), s], cw.asarray(0.25), x);
        const expected: number[] = [];
        let s = 0.25;
        for (const v of data) {
          expected.push(s);
          s = s * 0.5 + v;
        }
        expect(cw.computeSync(last, all as cw.LazyArray).map((r) => r.toList())).toEqual([s, expected]);
      },
    ),
    { numRuns: 30 },
  );
});

test("a body that is written twice is one node; another is another", () => {
  const x = cw.asarray(new Float64Array([1, 2]));
  const loop = (by: number): cw.LazyArray =>
    cw.whileLoop(
      (y) => y.sum().less(100),
      (y) => y.multiply(by),
      x,
    );
  expect(loop(2).expr).toBe(loop(2).expr);
  expect(loop(2).expr).not.toBe(loop(3).expr);
});

test("plans print loops and can be saved", async () => {
  const x = cw.asarray(new Float64Array([1, 2]));
  const loop = cw.whileLoop(
    (y) => y.sum().less(100),
    (y) => y.multiply(2),
    x.add(1),
  );
  const plan = loop.plan();
  expect(String(plan)).toContain("whileLoop");
  const [result] = await cw.computePlan(await cw.loadPlan(cw.savePlan(plan)));
  expect(result!.toList()).toEqual(loop.computeSync().toList());
});

test("what does not depend on what is carried is computed before the loop", () => {
  const x = cw.asarray(new Float64Array([1, 2]));
  const loop = cw.whileLoop(
    (y) => y.sum().less(100),
    (y) => y.add(x.exp().sum()),
    x,
  );
  expect(String(loop)).toContain("exp");
});

test("errors", async () => {
  const x = cw.asarray(new Float64Array([1, 2]));
  expect(() =>
    cw.whileLoop(
      (y) => y.less(1),
      (y) => y,
      x,
    ),
  ).toThrow(/the condition gives bool \[2\]/);
  expect(() =>
    cw.whileLoop(
      () => cw.asarray(true),
      (y) => y.astype("float32"),
      x,
    ),
  ).toThrow(cw.DTypeError);
  expect(() =>
    cw.whileLoop(
      () => cw.asarray(true),
      (y) => y.sum(),
      x,
    ),
  ).toThrow(cw.ShapeError);
  const endless = cw.whileLoop(
    () => cw.asarray(true),
    (y) => y.add(1),
    x,
    { maxSteps: 10 },
  );
  await expect(endless.compute()).rejects.toThrow(/goes on after 10 steps/);
  expect(() => endless.computeSync()).toThrow(cw.RunError);
  expect(() => cw.scan((s) => [s, s], x, null, {} as never)).toThrow(cw.ShapeError);
  expect(() => cw.scan((s) => s as never, x, x)).toThrow(/a pair/);
  expect(() =>
    cw.cond(
      x.greater(1),
      () => x,
      () => x,
    ),
  ).toThrow(cw.ShapeError);
  expect(() =>
    cw.whileLoop(
      (y) => y.get(y.greater(1)).sum().less(1),
      (y) => y,
      x,
    ),
  ).toThrow(cw.UnknownLengthError);
});
