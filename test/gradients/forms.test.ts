// What gradients are: closed forms, JAX's conventions where a function has no derivative, higher orders, functions of functions,
// functions with pullbacks of their own, and what is told of what cannot be.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { elementsByDigits } from "../../src/array/byDigits.ts";
import { apart, byGradient, directional, type Scalarly } from "./finiteDifferences.ts";

type X = cw.LazyArray;
const f64 = (data: cw.NestedScalars, chunks?: number): X =>
  cw.asarray(data, { dtype: "float64", ...(chunks === undefined ? {} : { chunks }) });
const list = (x: X): unknown => x.computeSync().toList();
/** Of a function's sum. */
const slope = (f: (x: X) => X, ...at: number[]): unknown => list(cw.grad((x: X) => f(x).sum())(f64(at)));

describe("conventions where there is no derivative, as JAX has them", () => {
  test.each<[string, (x: X) => X, number[], unknown]>([
    ["abs at 0", (x) => x.abs(), [0, -2], [0, -1]],
    ["sign", (x) => x.sign(), [0, 3], [0, 0]],
    [
      "floor, ceil, trunc, round",
      (x) => x.floor().add(x.ceil()).add(x.trunc()).add(x.round()),
      [0.5, 1],
      [0, 0],
    ],
    ["maximum of equals", (x) => x.maximum(0), [0, 1, -1], [0.5, 1, 0]],
    ["minimum of equals", (x) => x.minimum(0), [0, 1, -1], [0.5, 0, 1]],
    ["clip at its bounds", (x) => x.clip(0, 1), [0, 0.5, 1, 2], [0.5, 1, 0.5, 0]],
    ["sqrt at 0", (x) => x.sqrt(), [0, 4], [Infinity, 0.25]],
    ["x ** 0 at 0", (x) => x.pow(0), [0, 2], [0, 0]],
    ["x ** 2 at 0", (x) => x.pow(2), [0, -3], [0, -6]],
    ["0 ** x", (x) => cw.pow(0, x), [1, 2], [0, 0]],
    ["hypot at 0", (x) => x.hypot(0), [0, 3], [0, 1]],
    ["max of equals", (x) => x.max(), [3, 1, 3], [0.5, 0, 0.5]],
    ["min of equals", (x) => x.min(), [3, 3, 4], [0.5, 0.5, 0]],
    ["sort of equals is stable", (x) => x.sort().multiply([1, 2, 3]), [2, 1, 1], [3, 1, 2]],
    ["prod with one zero", (x) => x.prod(), [0, 3, 4], [12, 0, 0]],
    ["prod with two", (x) => x.prod(), [0, 3, 0], [0, 0, 0]],
    ["running products with zeros", (x) => x.cumulativeProd(), [2, 0, 3, 0], [1, 8, 0, 0]],
    ["where, of the branch that is not taken", (x) => cw.where(x.greater(0), x.log(), 0), [0, 1], [NaN, 1]],
    [
      "where, with care",
      (x) => cw.where(x.greater(0), cw.where(x.greater(0), x, 1).log(), 0),
      [0, 2],
      [0, 0.5],
    ],
    ["logaddexp of infinities", (x) => x.logaddexp(-Infinity), [-Infinity, 1], [NaN, 1]],
    [
      "comparisons and places",
      (x) => x.greater(1).astype("float64").add(x.argmax().astype("float64")),
      [1, 2],
      [0, 0],
    ],
    ["through whole numbers", (x) => x.astype("int32").astype("float64"), [1.5], [0]],
  ])("%s", (_, f, at, expected) => expect(slope(f, ...at)).toEqual(expected));

  test("of the last value that was written, and of no other", () => {
    const set = (v: X): X =>
      cw
        .zeros([2])
        .set([cw.asarray([0, 0, 1])], v)
        .multiply([1, 10])
        .sum();
    expect(list(cw.grad(set)(f64([1, 2, 3])))).toEqual([0, 1, 10]);
  });
});

describe("elements that were chosen", () => {
  test("of groups: the first and the last, and products with zeros", () => {
    const [numbers, withNaN] = [f64([0, 2, 3, 0, 0, 5, 7], 2), f64([0, 2, 3, 0, 0, 5, Number.NaN], 2)];
    const labels = [0, 0, 0, 1, 1, 1, 2];
    const of = (reduce: "prod" | "first" | "nanlast" | "nanprod"): unknown =>
      list(
        cw.grad((y: X) =>
          cw.groupbyReduce(y, labels, { reduce, numLabels: 4 }).get(":2").multiply([1, 10]).sum(),
        )(reduce.startsWith("nan") ? withNaN : numbers),
      );
    expect(of("prod")).toEqual([6, 0, 0, 0, 0, 0, 0]);
    expect(of("nanprod")).toEqual([6, 0, 0, 0, 0, 0, 0]);
    expect(of("first")).toEqual([1, 0, 0, 10, 0, 0, 0]);
    expect(of("nanlast")).toEqual([0, 0, 1, 0, 0, 10, 0]);
  });
  test("by rank in a line that no task holds: of equal ones to the one that a stable sort puts there", () => {
    const x = f64([5, 1, 5, 1, 7, 5], 4);
    const chosen = (y: X): X =>
      elementsByDigits(y, cw.asarray([1, 3, 5]), true)
        .multiply([1, 10, 100])
        .sum();
    expect(list(cw.grad(chosen)(x))).toEqual([0, 0, 10, 1, 100, 0]);
    expect(list(cw.grad((y: X) => chosen(y.square()))(x))).toEqual([0, 0, 100, 2, 1400, 0]);
  });
});

describe("complex numbers, as JAX has them", () => {
  const z = cw.asarray([cw.complex(1, 2), cw.complex(3, -4)]);
  test("of real numbers: ∂/∂re − i ∂/∂im", () => {
    const squares = cw.grad((x: X) => x.multiply(x.conj()).real().sum())(z);
    expect(String(squares.computeSync().toList())).toBe("2-4j,6+8j");
    expect(String(list(cw.grad((x: X) => x.abs().sum())(cw.asarray([cw.complex(0, 2)]))))).toBe("0-1j");
    expect(String(list(cw.grad((x: X) => x.abs().sum())(cw.asarray([cw.complex(0, 0)]))))).toBe("0+0j");
    expect(String(list(cw.grad((x: X) => x.imag().sum())(z)))).toBe("0-1j,0-1j");
  });
  test("of holomorphic functions: their derivative", () => {
    const found = cw.grad((x: X) => x.sin().sum(), { holomorphic: true })(z);
    expect(found.subtract(z.cos()).abs().max().computeSync().item()).toBeLessThan(1e-12);
  });
  test("real arguments have real gradients", () => {
    const x = f64([1, 2]);
    expect(cw.grad((y: X) => y.multiply(cw.complex(0, 1)).exp().real().sum())(x).dtype).toBe("float64");
  });
});

describe("functions of functions", () => {
  const x = f64([1, 2, 3], 2);
  test("what a function uses beside its arguments is constant, even where it is the same array", () => {
    expect(list(cw.grad((w: X) => w.multiply(x).sum())(x))).toEqual([1, 2, 3]);
    const nested = (y: X): X => y.multiply(cw.grad((w: X) => w.multiply(y).sum())(y)).sum();
    expect(list(cw.grad(nested)(x))).toEqual([2, 4, 6]);
  });
  test("higher orders", () => {
    const fourth = (y: X): X => y.pow(4).sum();
    const second = (y: X): X => cw.grad(fourth)(y).sum();
    const third = (y: X): X => cw.grad(second)(y).sum();
    expect(list(cw.grad(third)(x))).toEqual([24, 48, 72]);
  });
  test("several arguments, lists and records", () => {
    const f = (a: X, b: { w: X; c: X[] }): X => a.multiply(b.w).add(b.c[0]!).sum();
    const [a, b] = [f64([1, 2]), { w: f64([3, 4]), c: [f64([5, 6])] }];
    const [ofA, ofB] = cw.grad(f, { argnums: [0, 1] })(a, b);
    expect([list(ofA), list(ofB.w), list(ofB.c[0]!)]).toEqual([
      [3, 4],
      [1, 2],
      [1, 1],
    ]);
    const { value, grad } = cw.valueAndGrad(f, { argnums: -1 })(a, b);
    expect([list(value), list(grad.w)]).toEqual([22, [1, 2]]);
  });
  test("vjp and jvp are transposes of each other", () => {
    const m = f64([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const f = (y: X): X => m.matmul(y.sin());
    const { value, pullback } = cw.vjp(f, x);
    const { tangent } = cw.jvp(f, [x], [f64([1, -1, 2])]);
    expect(value.shape).toEqual([2]);
    const one = pullback(f64([3, 5]))[0]!
      .multiply([1, -1, 2])
      .sum();
    const other = tangent.multiply([3, 5]).sum();
    expect(one.subtract(other).computeSync().item()).toBeCloseTo(0, 12);
  });
  test("what does not depend on its argument has gradient 0, and changes by 0", () => {
    expect(list(cw.grad((_: X) => cw.asarray(1.5))(x))).toEqual([0, 0, 0]);
    expect(list(cw.jvp((_: X) => x, [x], [x]).tangent)).toEqual([0, 0, 0]);
  });
  test("jacobian, by rows and by columns, and hessian", () => {
    const m = f64([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(list(cw.jacobian((y: X) => m.matmul(y))(x))).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(list(cw.jacobian((y: X) => m.T.matmul(y))(f64([1, 1])))).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
    const rosenbrock = (y: X): X => {
      const [a, b] = [y.get(0), y.get(1)];
      return cw.add(cw.subtract(1, a).square(), b.subtract(a.square()).square().multiply(100));
    };
    expect(list(cw.hessian(rosenbrock)(f64([1, 2])))).toEqual([
      [402, -400 + 400 - 400],
      [-400, 200],
    ]);
    expect(list(cw.jvp(cw.grad(rosenbrock), [f64([1, 2])], [f64([1, 1])]).tangent)).toEqual([2, -200]);
  });
  test("dtypes and shapes are those of the arguments", () => {
    for (const dtype of ["float16", "float32", "float64", "complex64"] as const) {
      const y = cw.ones([3, 2], { dtype, chunks: 2 });
      expect([cw.grad((a: X) => a.abs().mean())(y).dtype, cw.grad((a: X) => a.abs().sum())(y).shape]).toEqual(
        [dtype, [3, 2]],
      );
    }
  });
});

describe("pullbacks of users' own", () => {
  const x = f64([0.2, 1.7, -0.6, 2.5, 0.4], 2);
  test("stopGradient is constant", () => {
    expect(slope((y) => y.multiply(cw.stopGradient(y)), 3)).toEqual([3]);
  });
  test("customPullback goes round what is between, and is differentiated again", () => {
    const through = cw.customPullback(
      (y: X) => y.round(),
      (g) => g,
    );
    expect(list(cw.grad((y: X) => through(y).square().sum())(x))).toEqual([0, 4, -2, 4, 0]);
    const cube = cw.customPullback(
      (y: X) => y.pow(3),
      (g, _, y) => g.multiply(y.square()).multiply(3),
    );
    const slopes = (y: X): X =>
      cw
        .grad((w: X) => cube(w).sum())(y)
        .sum();
    expect(list(cw.grad(slopes)(f64([1, 2])))).toEqual([6, 12]);
    expect(list(cube(f64([2])))).toEqual([8]);
  });
  const sine = (block: cw.NDArray): Float64Array => (block.data as Float64Array).map(Math.sin);
  const sinePullback = (g: cw.NDArray, block: cw.NDArray): Float64Array =>
    (g.data as Float64Array).map((value, i) => value * Math.cos(block.data[i] as number));
  const close = (f: Scalarly, xs: X[]): void => {
    const vs = xs.map((y, k) => y.multiply(0.7).cos().add(k).astype("float64"));
    const [a, b] = [byGradient(f, xs, vs), directional(f, xs, vs)];
    expect(apart(a, b), `${a} and ${b}`).toBeLessThan(1e-7);
  };
  test("functions of blocks with a pullback", () => {
    close(
      (y) =>
        cw
          .mapBlocks(sine as never, y!, { pullback: sinePullback as never })
          .square()
          .sum(),
      [x],
    );
  });
  test("what blocks share is added up", () => {
    const scaled = (a: cw.NDArray, w: cw.NDArray): Float64Array =>
      (a.data as Float64Array).map((v) => v * (w.item(0) as number));
    const back = (g: cw.NDArray, a: cw.NDArray, w: cw.NDArray): Float64Array[] => [
      (g.data as Float64Array).map((v) => v * (w.item(0) as number)),
      Float64Array.of((g.data as Float64Array).reduce((sum, v, i) => sum + v * (a.data[i] as number), 0)),
    ];
    close(
      (y, w) =>
        cw
          .mapBlocks(scaled as never, [y!, w!], { pullback: back as never })
          .square()
          .sum(),
      [x, f64([1.3])],
    );
  });
  test.each(["constant", "edge", "reflect", "wrap"] as const)(
    "overlapping blocks, beyond which is %s",
    (boundary) => {
      const differences = (block: cw.NDArray): Float64Array =>
        (block.data as Float64Array).map((v, i, all) => v * (all[i + 1] ?? 0) + 0.5 * (all[i - 1] ?? 0));
      const back = (g: cw.NDArray, block: cw.NDArray): Float64Array => {
        const [all, parts] = [block.data as Float64Array, new Float64Array(block.size)];
        (g.data as Float64Array).forEach((value, i) => {
          parts[i]! += value * (all[i + 1] ?? 0);
          if (i + 1 < all.length) parts[i + 1]! += value * all[i]!;
          if (i > 0) parts[i - 1]! += 0.5 * value;
        });
        return parts;
      };
      for (const depth of [1, [1, 2], [3, 1]] as const)
        close(
          (y) => {
            const options = { depth: [depth], boundary, pullback: back as never };
            return (cw.mapOverlap(differences as never, y!, options) as X).square().sum();
          },
          [x],
        );
    },
  );
});

describe("what cannot be differentiated is told", () => {
  const x = f64([1, 2, 3]);
  const error = (make: () => unknown): cw.ChunkwiseError => {
    try {
      make();
    } catch (thrown) {
      return thrown as cw.ChunkwiseError;
    }
    throw new Error("nothing was thrown");
  };
  test.each<[string, () => unknown, new (...args: never[]) => Error, RegExp]>([
    [
      "a function of blocks",
      () => cw.grad((y: X) => cw.mapBlocks(() => 0, y).sum())(x),
      cw.DerivativeError,
      /customPullback/,
    ],
    [
      "a quantile by samples",
      () => cw.grad((y: X) => cw.median(y.add(cw.zeros([3e6])), { approximate: true }))(f64([1])),
      cw.DerivativeError,
      /has no derivative/,
    ],
    [
      "whole numbers",
      () => cw.grad((y: X) => y.sum())(cw.arange(3)),
      cw.DTypeError,
      /argument 0 is int64.*astype/,
    ],
    ["an array", () => cw.grad((y: X) => y)(x), cw.ShapeError, /shape \[3\].*cw\.jacobian/],
    [
      "a complex number",
      () => cw.grad((y: X) => y.multiply(cw.complex(0, 1)).sum())(x),
      cw.DTypeError,
      /holomorphic/,
    ],
    ["a truth value", () => cw.grad((y: X) => cw.all(y))(x), cw.DTypeError, /bool, which has no gradient/],
    ["no array", () => cw.grad((y: X) => y.sum())(3 as never), cw.DTypeError, /argument 0 is 3.*asarray/],
    [
      "no such argument",
      () => cw.grad((y: X) => y.sum(), { argnums: 1 as 0 })(x),
      cw.ValueError,
      /argnums is 1/,
    ],
    ["too many rows", () => cw.jacobian((y: X) => y)(cw.zeros([5000])), cw.ValueError, /5000.*4096.*cw\.jvp/],
    [
      "another shape",
      () => cw.vjp((y: X) => y, x).pullback(f64([1])),
      cw.ShapeError,
      /the cotangent has shape \[1\]/,
    ],
    [
      "a lone tangent",
      () => cw.jvp((y: X) => y, [x], [f64([1])]),
      cw.ShapeError,
      /a tangent has shape \[1\]/,
    ],
    [
      "a pullback that gives too much",
      () =>
        cw.grad((y: X) =>
          cw
            .customPullback(
              (w: X) => w,
              (g) => [g, g],
            )(y)
            .sum(),
        )(x),
      cw.ValueError,
      /2 arrays for 1/,
    ],
  ])("%s", (_, make, type, text) => {
    const thrown = error(make);
    expect(thrown).toBeInstanceOf(type);
    expect(thrown.message).toMatch(text);
  });
});
