// Gradients of loops and conditions: beside the same steps written one after another, to the bit where the order of sums is the same, by
// every way of computing; twice differentiated; compiled; what has none says so.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { apart, byGradient, directional } from "./finiteDifferences.ts";

type X = cw.LazyArray;
const WAYS: readonly [string, cw.AsyncComputeOptions][] = [
  ["inline", { executor: "inline" }],
  ["threads", { executor: "threads", threads: 2 }],
  ["the reference", { backend: cw.referenceBackend, executor: "inline" }],
  ["without rewriting", { optimize: false, executor: "inline" }],
];
const rows = cw.asarray(
  new cw.NDArray(
    Float64Array.from({ length: 12 }, (_, i) => Math.cos(i)),
    [4, 3],
  ),
);
const weights = cw.asarray(Float64Array.from([0.3, -1.1, 0.7]));
const start = cw.asarray(Float64Array.from([0.1, 0.2, -0.4]));

/** A recurrence, as a loop and as its steps. */
const step = (state: X, row: X, w: X): X => state.multiply(w).add(row).tanh();
const looped = (w: X, from: X, x: X): X => {
  const [end, seen] = cw.scan((s: X, row: X) => [step(s, row, w), s.multiply(row)], from, x);
  return (end as X).sum().add((seen as X).square().sum());
};
const unrolled = (w: X, from: X, x: X): X => {
  let [state, sum] = [from, cw.asarray(0, { dtype: "float64" }) as X];
  for (let i = 0; i < 4; i++) {
    sum = sum.add(state.multiply(x.get(i)).square().sum());
    state = step(state, x.get(i), w);
  }
  return state.sum().add(sum);
};

describe.each(WAYS)("%s", (_, options) => {
  test("of a scan as of its steps", async () => {
    const argnums = [0, 1, 2] as const;
    const [found, wanted] = [looped, unrolled].map((f) => cw.grad(f, { argnums })(weights, start, rows));
    const all = await cw.compute([...found!, ...wanted!], options);
    for (let k = 0; k < 3; k++) {
      const other = all[k + 3]!.toList() as number[];
      (all[k]!.toList() as number[]).flat().forEach((value, i) => {
        expect(Math.abs(value - other.flat()[i]!)).toBeLessThan(1e-14);
      });
    }
  });

  test("of the function of two that runs, to what it takes and to what it uses", async () => {
    const f = (x: X, w: X): X =>
      cw.cond(
        x.sum().greater(0),
        (a) => a.multiply(w).sum(),
        (a) => a.square().sum(),
        x,
      ) as X;
    const at = cw.grad(f, { argnums: [0, 1] });
    const [a, b, c, d] = await cw.compute(
      [...at(start.abs(), weights), ...at(start.abs().negative(), weights)],
      options,
    );
    expect([a!.toList(), b!.toList()]).toEqual([weights.computeSync().toList(), [0.1, 0.2, 0.4]]);
    expect([c!.toList(), d!.toList()]).toEqual([
      [-0.2, -0.4, -0.8],
      [0, 0, 0],
    ]);
  });
});

test("the function that does not run is not computed on the way back either", () => {
  const singular = cw.zeros([2, 2]);
  const f = (x: X): X =>
    cw.cond(
      cw.asarray(true),
      (a) => a.sum(),
      (a) => cw.linalg.inv(a.multiply(0)).sum(),
      x,
    ) as X;
  expect(cw.grad(f)(singular).computeSync().toList()).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

test("second derivatives, and forward mode", () => {
  const slope = (w: X, from: X): X =>
    cw
      .grad((v: X) => looped(v, from, rows))(w)
      .sin()
      .sum();
  const direction = cw.asarray(Float64Array.from([1, -0.5, 0.25]));
  const [xs, vs] = [
    [weights, start],
    [direction, direction.negative()],
  ];
  expect(apart(byGradient(slope as never, xs, vs), directional(slope as never, xs, vs))).toBeLessThan(1e-7);
  const f = (w: X): X => looped(w, start, rows);
  const { tangent } = cw.jvp(f, [weights], [direction]);
  expect(
    apart(tangent.computeSync().item() as number, directional(f as never, [weights], [direction])),
  ).toBeLessThan(1e-8);
});

test("gradients of gradients inside of a step keep their variables apart", () => {
  // d/dx of Σ (d/ds s³) = 3 s², carried from x.
  const f = (x: X): X =>
    (cw.scan((s: X) => [cw.grad((t: X) => t.pow(3).sum())(s), null], x, null, { length: 2 })[0] as X).sum();
  // 3 (3 x²)² = 27 x⁴, whose derivative is 108 x³.
  const x = cw.asarray(Float64Array.from([0.5, -1]));
  expect(cw.grad(f)(x).computeSync().toList()).toEqual([13.5, -108]);
});

test("in a compiled function, which has one plan for all data", () => {
  const f = cw.compile(
    (w, x) => ({ ...cw.valueAndGrad((v: X) => looped(v, start, x))(w) }),
    [
      { dtype: "float64", shape: [3] },
      { dtype: "float64", shape: [4, 3] },
    ],
  );
  const data = rows.computeSync();
  const { value, grad } = f.sync(weights.computeSync(), data);
  expect(value.item()).toBe(looped(weights, start, rows).computeSync().item());
  expect(grad.toList()).toEqual(
    cw
      .grad((v: X) => looped(v, start, rows))(weights)
      .computeSync()
      .toList(),
  );
});

test("whole numbers that are carried have no part in it; no step leaves what there was", () => {
  const f = (x: X): X => {
    const [[n, s]] = cw.scan(
      ([k, v]: readonly [X, X]) => [[k.add(1), v.multiply(k)], null],
      [cw.asarray(1), x],
      null,
      {
        length: 4,
      },
    ) as unknown as [X[], X[]];
    return s!.sum().add(n!.astype("float64"));
  };
  expect(cw.grad(f)(start).computeSync().toList()).toEqual([24, 24, 24]);
  const none = (x: X): X =>
    (cw.scan((s: X, row: X) => [s.multiply(row), null], x, cw.zeros([0, 3]))[0] as X).sum();
  expect(cw.grad(none)(start).computeSync().toList()).toEqual([1, 1, 1]);
});

test("whileLoop says why it has none", () => {
  const one = (x: X): X =>
    cw.whileLoop(
      (y: X) => y.sum().less(100),
      (y: X) => y.multiply(2),
      x,
    ) as X;
  const several = (x: X): X =>
    cw.whileLoop(
      ([y]: readonly X[]) => y!.sum().less(100),
      ([y, z]: readonly X[]) => [y!.multiply(2), z!.add(1)],
      [x, x],
    )[0]! as X;
  for (const loop of [one, several]) {
    expect(() => cw.grad((x: X) => loop(x).sum())(start)).toThrow(cw.DerivativeError);
    expect(() => cw.grad((x: X) => loop(x).sum())(start)).toThrow(/how often a whileLoop goes round/);
  }
});

test("a function with a pullback of its own inside of a step, and of a condition, of what is outside", () => {
  const scaled = cw.customPullback(
    (a: X, b: X) => a.multiply(b),
    (g, _, a, b) => [g.multiply(b), g.multiply(a).multiply(10)],
  );
  const inStep = (w: X): X =>
    (cw.scan((s: X) => [scaled(s, w.multiply(2)), null], start, null, { length: 1 })[0] as X).sum();
  const inCond = (w: X): X =>
    cw.cond(
      cw.asarray(true),
      (s) => scaled(s, w.multiply(2)).sum(),
      (s) => s.sum(),
      start,
    ) as X;
  for (const f of [inStep, inCond])
    expect(cw.grad(f)(weights).computeSync().toList()).toEqual([0.1, 0.2, -0.4].map((s) => s * 10 * 2));
});

test("random numbers count as constant, inside of a step too", () => {
  const draws = cw.random(7).normal([4, 3]);
  const f = (w: X): X => {
    const [end] = cw.scan((s: X, row: X) => [s.add(w.multiply(row)), null], start, draws);
    return (end as X).sum();
  };
  const rest = cw
    .grad(f)(weights)
    .subtract(draws.sum({ axis: 0 }));
  expect(rest.abs().max().computeSync().item()).toBeLessThan(1e-14);
});
