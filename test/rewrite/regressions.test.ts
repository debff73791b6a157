// Miscompilations that other optimizers are known for (Theano, PyTensor, tinygrad) or that were found here, each as a
// test: the value that the formula has as it is written is the value that every default mode gives.

import * as cw from "chunkwise";
import { describe, expect, test } from "vitest";
import { RuleCycleError, RuleGrowthError } from "../../src/core/errors.ts";
import { optimize } from "../../src/doors/rewrite.ts";
import { type Expr, makeExpr, postOrder } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { rewrite } from "../../src/rewrite/driver.ts";
import { p, single, x, y, z } from "../../src/rewrite/pattern.ts";
import { rule } from "../../src/rewrite/patternRule.ts";
import { Dispatcher } from "../../src/rewrite/rule.ts";
import { slotsOf } from "../property/compare.ts";
import { evaluateReference } from "../reference.ts";
import { n, source } from "./nodes.ts";

const MODES = ["none", "fastCompile", "fastRun"];
const inMode = (array: cw.LazyArray, mode: string): Expr => optimize([array.expr], { mode }).roots[0]!;
const valuesOf = (expr: Expr): (number | bigint)[] => slotsOf(evaluateReference([expr]).get(expr)!);
const nodesOf = (expr: Expr): string[] => postOrder([expr]).map(({ op }) => op.name);

const floats = (...values: number[]): cw.LazyArray => cw.asarray(Float64Array.from(values));
const F = floats(NaN, Infinity, -Infinity, 0, -0, 1, -2.5);
const ONE = floats(2);
const square = cw.asarray([
  [0, 1],
  [2, 4],
]);

/** What a formula gives, whatever the mode. */
const EXACT: readonly [string, () => cw.LazyArray, readonly unknown[]][] = [
  ["x == x is false for NaN", () => F.equal(F), [0, 1, 1, 1, 1, 1, 1]],
  ["x != x is true for NaN", () => F.notEqual(F), [1, 0, 0, 0, 0, 0, 0]],
  ["x <= x is false for NaN", () => F.lessEqual(F), [0, 1, 1, 1, 1, 1, 1]],
  ["x >= x is false for NaN", () => F.greaterEqual(F), [0, 1, 1, 1, 1, 1, 1]],
  ["x < x is always false", () => F.less(F), [0, 0, 0, 0, 0, 0, 0]],
  ["not (x < 1) is not x >= 1", () => cw.logicalNot(F.less(1)), [1, 1, 0, 0, 0, 1, 0]],
  ["x * 0 keeps NaN and signs", () => F.multiply(0), [NaN, NaN, NaN, 0, -0, 0, -0]],
  ["0 / x keeps NaN", () => cw.divide(0, F), [NaN, 0, -0, NaN, NaN, 0, -0]],
  ["x - x keeps NaN", () => F.subtract(F), [NaN, NaN, NaN, 0, 0, 0, 0]],
  ["x / x keeps NaN", () => F.divide(F), [NaN, NaN, NaN, NaN, NaN, 1, 1]],
  ["x + 0 makes −0 to 0", () => F.add(0), [NaN, Infinity, -Infinity, 0, 0, 1, -2.5]],
  ["0 - x is not −x", () => cw.subtract(0, F), [NaN, -Infinity, Infinity, 0, 0, -1, 2.5]],
  ["-(x - y) is not y - x", () => cw.negative(ONE.subtract(ONE)), [-0]],
  ["x ** 0 is 1, for NaN too", () => cw.pow(F, 0), [1, 1, 1, 1, 1, 1, 1]],
  ["1 ** x is 1, for NaN too", () => cw.pow(1, F), [1, 1, 1, 1, 1, 1, 1]],
  ["x ** 0.5 is not sqrt(x)", () => cw.pow(F, 0.5), [NaN, Infinity, Infinity, 0, 0, 1, NaN]],
  ["x / 3 is not x * (1 / 3)", () => floats(5, 7).divide(3), [5 / 3, 7 / 3]],
  ["(x * y) / y is not x", () => ONE.multiply(floats(0)).divide(floats(0)), [NaN]],
  ["(x + y) - y is not x", () => floats(1).add(1e20).subtract(1e20), [0]],
  ["(x * 2) / 2 overflows", () => floats(1e308).multiply(2).divide(2), [Infinity]],
  ["(x + 1e308) - 1e308, twice", () => floats(1e308).add(1e308).add(-1e308), [Infinity]],
  ["exp(log(x)) is NaN below 0", () => cw.exp(cw.log(floats(-2, 0))), [NaN, 0]],
  [
    "sigmoid(logit(x)) is NaN outside of 0 to 1",
    () => cw.sigmoid(cw.log(ONE.divide(cw.subtract(1, ONE)))),
    [NaN],
  ],
  ["log(x * x) of negative numbers", () => cw.log(cw.square(floats(-1))), [0]],
  ["log(prod(x)) of negative numbers", () => cw.log(cw.prod(floats(-1, -1))), [0]],
  ["log2 of a product of negatives", () => cw.log(floats(-1).multiply(floats(-1))), [0]],
  ["a factor is not hoisted out of a sum", () => cw.sum(floats(1e308, 1e308).multiply(0)), [0]],
  ["a divisor is not hoisted out of a sum", () => cw.sum(floats(1e308, 1e308).divide(4)), [5e307]],
  ["a sum of negatives", () => cw.sum(cw.negative(floats(1, -1))), [0]],
  ["a negative sum", () => cw.negative(cw.sum(floats(1, -1))), [-0]],
  [
    "a factor does not sink into where",
    () => floats(Infinity).multiply(cw.where(cw.asarray([true]), 0, floats(1))),
    [NaN],
  ],
  ["a divisor does not sink into where", () => cw.where(cw.asarray([true]), 0, ONE).divide(0), [NaN]],
  ["a product with zeros keeps NaN", () => cw.matmul(cw.zeros([1, 1]), cw.asarray([[Infinity]])), [NaN]],
  [
    "0 · C + A @ B keeps C's NaN",
    () => cw.add(cw.asarray([[NaN]]).multiply(0), cw.matmul(cw.asarray([[2]]), cw.asarray([[3]]))),
    [NaN],
  ],
  [
    "a sum is not reassociated",
    () =>
      cw.sum(
        cw.sum(
          cw.asarray([
            [1e16, 1.5],
            [-1e16, 1.5],
          ]),
          { axis: 0 },
        ),
      ),
    [3],
  ],
  ["max(x, −x) is NaN for NaN", () => cw.maximum(F, cw.negative(F)).get("0:1"), [NaN]],
  ["x mod 1 has x's divisor's sign", () => cw.remainder(floats(-0.5, -0), 1), [0.5, 0]],
  ["--x keeps the sign of zero", () => cw.negative(cw.negative(floats(-0, 0))), [-0, 0]],
];

/** The same for integers. */
const INTEGER: readonly [string, () => cw.LazyArray, readonly unknown[]][] = [
  ["(x * 2) // 2 wraps", () => int8(100).multiply(2).floorDivide(2), [-28]],
  ["abs(−x) of unsigned numbers", () => cw.abs(cw.negative(uint8(1))), [255]],
  ["−x < 0 of unsigned numbers", () => cw.negative(uint8(1)).less(0), [0]],
  ["x < x + 1 wraps", () => int8(127).less(int8(127).add(1)), [0]],
  ["x - y < 0 is not x < y", () => int8(-128).subtract(int8(1)).less(0), [0]],
  ["abs of the smallest number", () => cw.abs(int8(-128)), [-128]],
  ["an integer through a narrower one", () => int32(300).astype("uint8").astype("int32"), [44]],
  ["an integer through float32", () => int32(16777217).astype("float32").astype("int32"), [16777216]],
  ["a bool through an integer", () => int32(2).astype("bool").astype("int32"), [1]],
  ["a float through an integer", () => floats(2.5, -0).astype("int32").astype("float64"), [2, 0]],
];

const int8 = (...values: number[]): cw.LazyArray => cw.asarray(Int8Array.from(values));
const uint8 = (...values: number[]): cw.LazyArray => cw.asarray(Uint8Array.from(values));
const int32 = (...values: number[]): cw.LazyArray => cw.asarray(Int32Array.from(values));

describe.each(MODES)("mode %s", (mode) => {
  test.each(EXACT)("%s", (_, build, expected) => expect(valuesOf(inMode(build(), mode))).toEqual(expected));
  test.each(INTEGER)("%s", (_, build, expected) => expect(valuesOf(inMode(build(), mode))).toEqual(expected));
});

describe("softmax", () => {
  const e = cw.exp(square);
  const closeTo = (expr: Expr, values: readonly number[]): void =>
    (valuesOf(expr) as number[]).forEach((value, i) => expect(value).toBeCloseTo(values[i]!, 12));

  test("is not what is divided by sums along the other axis", () => {
    const wrong = e.divide(cw.sum(e, { axis: 1 }));
    const sums = [1 + Math.E, Math.exp(2) + Math.exp(4)];
    const values = [1, Math.E, Math.exp(2), Math.exp(4)].map((value, i) => value / sums[i % 2]!);
    for (const mode of MODES) closeTo(inMode(wrong, mode), values);
    expect(inMode(wrong, "fastRun")).toBe(inMode(wrong, "none"));
  });

  test("is what is divided by sums along its own axis, and does not overflow", () => {
    const large = cw.exp(square.multiply(1000));
    const expr = inMode(large.divide(cw.sum(large, { axis: 1, keepdims: true })), "fastRun");
    closeTo(expr, [0, 1, 0, 1]);
  });

  test("by way of a new axis is the same", () => {
    const large = cw.exp(square.multiply(1000));
    const sums = cw.expandDims(cw.sum(large, { axis: 1 }), { axis: 1 });
    closeTo(inMode(large.divide(sums), "fastRun"), [0, 1, 0, 1]);
  });
});

describe("stabilized forms at their edges", () => {
  const fast = (array: cw.LazyArray): unknown[] => valuesOf(inMode(array, "fastRun"));

  test("log(sum(exp(x))) of nothing but −inf is −inf, with +inf it is inf", () => {
    expect(fast(cw.log(cw.sum(cw.exp(floats(-Infinity, -Infinity)))))).toEqual([-Infinity]);
    expect(fast(cw.log(cw.sum(cw.exp(floats(Infinity, 1)))))).toEqual([Infinity]);
    expect(fast(cw.log(cw.sum(cw.exp(floats(1000, -1000)))))).toEqual([1000]);
    expect(fast(cw.log(cw.sum(cw.exp(floats()))))).toEqual([-Infinity]);
  });

  test("log(exp(x) + exp(y)) of −inf is −inf", () => {
    const low = floats(-Infinity);
    expect(fast(cw.log(cw.exp(low).add(cw.exp(floats(-Infinity)))))).toEqual([-Infinity]);
    expect(fast(cw.log(cw.exp(floats(800)).add(cw.exp(floats(-800)))))).toEqual([800]);
  });

  test("sqrt(x * x) does not overflow, and keeps NaN", () => {
    expect(fast(cw.sqrt(cw.square(floats(1e200, -3, NaN, -0))))).toEqual([1e200, 3, NaN, 0]);
  });

  test("log(1 + x) keeps small x", () => {
    expect(fast(cw.log(cw.add(1, floats(1e-300, -1, -2))))).toEqual([1e-300, -Infinity, NaN]);
    expect(fast(cw.exp(floats(1e-300)).subtract(1))).toEqual([1e-300]);
  });

  test("1 / (1 + exp(-x)) goes to 0 and 1", () => {
    const wide = floats(-800, 800, NaN, Infinity, -Infinity);
    const sigmoid = cw.divide(1, cw.add(1, cw.exp(cw.negative(wide))));
    expect(fast(sigmoid)).toEqual([expect.closeTo(0, 300), 1, NaN, 1, 0]);
  });
});

describe("selections", () => {
  test("of selections become one, however many", () => {
    const long = cw.arange(0, 5000, 1, { dtype: "float64" });
    let part: cw.LazyArray = cw.asarray(Float64Array.from({ length: 5000 }, (_, i) => i));
    for (let i = 0; i < 1000; i++) part = part.get("1:");
    const expr = inMode(part, "fastRun");
    expect(nodesOf(expr).length).toBeLessThanOrEqual(3);
    expect(valuesOf(expr)).toEqual(valuesOf(inMode(long.get("1000:"), "none")));
  });

  test("with steps and from the end", () => {
    const ten = cw.asarray(Float64Array.from({ length: 10 }, (_, i) => i));
    const expr = inMode(ten.get("::-1").get("1::3").get("-2:"), "fastRun");
    expect(valuesOf(expr)).toEqual([5, 2]);
  });
});

describe("rules that do not end", () => {
  const X = source(1);
  const distribute = rule("distribute", "x * (y + z) = x * y + x * z", p.multiply(x, p.add(y, z)), (b) =>
    n("add", n("multiply", b.x, b.y), n("multiply", b.x, b.z)),
  );

  /** (s₁ + s₂) · (s₃ + s₄) · …: 2ⁿ products. */
  function productOfSums(count: number): Expr {
    const sum = (i: number): Expr => n("add", source(2 * i), source(2 * i + 1));
    let product = sum(0);
    for (let i = 1; i < count; i++) product = n("multiply", product, sum(i));
    return product;
  }

  test("a distributor stops at its budget and is named", () => {
    const explode = (): unknown => rewrite([productOfSums(24)], new Dispatcher([distribute]));
    expect(explode).toThrow(RuleGrowthError);
    expect(explode).toThrow(/distribute/);
  });

  test("small products are distributed", () => {
    const { roots } = rewrite([productOfSums(3)], new Dispatcher([distribute]));
    expect(nodesOf(roots[0]!).filter((name) => name === "add")).toHaveLength(7);
  });

  test("the default rules do not distribute, with fastMath neither", () => {
    const product = productOfSums(24);
    for (const mode of ["fastRun", "fastRun+fastMath"]) {
      const { roots } = optimize([product], { mode });
      expect(nodesOf(roots[0]!).length).toBeLessThanOrEqual(2 * nodesOf(product).length);
    }
  });

  test("two rules that undo each other are told at once, with names and both expressions", () => {
    const there = rule("toSquare", "x * x = square(x)", p.multiply(x, x), p.square(x));
    const back = rule("toProduct", "square(x) = x * x", p.square(x), p.multiply(x, x));
    const cycle = (): unknown => rewrite([n("square", X)], new Dispatcher([there, back]));
    expect(cycle).toThrow(RuleCycleError);
    expect(cycle).toThrow(/toProduct.*toSquare|toSquare.*toProduct/);
    expect(cycle).toThrow(/square\(arange\).*multiply\(arange, arange\)/);
  });

  test("a rule that undoes itself too", () => {
    const swap = rule("swap", "x + y = y + x", p.add(x, y), p.add(y, x));
    expect(() => rewrite([n("add", X, source(2))], new Dispatcher([swap]))).toThrow(RuleCycleError);
  });

  test("a rule that grows for ever stops at the budget", () => {
    const grow = rule("grow", "exp(x) = exp(x + x)", p.exp(x), p.exp(p.add(x, x)));
    expect(() => rewrite([n("exp", X)], new Dispatcher([grow]))).toThrow(/grow/);
  });
});

describe("the tutorial's (x * y) / y", () => {
  const [X, Y, Z] = [floats(1.5), floats(3), floats(5)] as const;
  const simplify = rule("simplify", "(x * y) / y = x", p.divide(p.multiply(x, y), y), x, {
    changes: ["rounding", "nan"],
  });
  const run = (array: cw.LazyArray): Expr => rewrite([array.expr], new Dispatcher([simplify])).roots[0]!;

  test("inside of a larger formula", () => {
    const formula = Z.add(Y.multiply(X).divide(Y).multiply(Z.divide(X)));
    expect(run(formula)).toBe(Z.add(X.multiply(Z.divide(X))).expr);
  });

  test("where the parts are equal but written twice", () => {
    expect(run(Y.add(Z).multiply(X).divide(Y.add(Z)))).toBe(X.expr);
  });

  test("is off by default and on with fastMath", () => {
    const quotient = X.multiply(Y).divide(Y);
    expect(inMode(quotient, "fastRun")).toBe(quotient.expr);
    expect(inMode(quotient, "fastRun+fastMath")).toBe(X.expr);
  });

  test("a rule that asks for a single client waits until there is one", () => {
    const once = rule("once", "exp(-x) = 1 / exp(x)", p.exp(single(p.negative(x))), p.reciprocal(p.exp(x)));
    const negative = X.negative();
    const shared = rewrite([cw.exp(negative).expr, negative.expr], new Dispatcher([once]));
    expect(shared.roots[0]).toBe(cw.exp(negative).expr);
    expect(rewrite([cw.exp(negative).expr], new Dispatcher([once])).roots[0]).not.toBe(shared.roots[0]);
  });
});

test("attributes in another order are another node: rules write them as the API does", () => {
  const X = source(3, "float64", [2, 3]);
  const sum = opNamed("sum");
  const [one, other] = [
    makeExpr(sum, [X], { axes: [0], keepdims: true }),
    cw.sum(cw.asarray([[1]]), { axis: 0, keepdims: true }),
  ];
  expect(Object.keys(one.attrs)).toEqual(Object.keys(other.expr.attrs));
});

describe("programs that made rules grow without end plan, and mean what they say", () => {
  const line = Float64Array.from({ length: 700 }, (_, i) => Math.sin(i));
  const square = cw.asarray(line.subarray(0, 625)).reshape([25, 25]);
  const grown = (q: cw.LazyArray): cw.LazyArray => cw.broadcastTo(q, [3, q.shape[0]!]);
  const PROGRAMS: { readonly [name: string]: () => cw.LazyArray } = {
    "slices of a chain": () => chain(150, cw.asarray(line), (q) => q.get("1:").multiply(1.01)),
    "slices and transpositions": () => chain(20, square, (q) => q.get("1:", "1:").add(0.5).T),
    "rows of stretched arrays": () => chain(100, cw.asarray(line), (q) => grown(q).sin().get(0)),
    "columns and back": () => chain(90, cw.asarray(line), (q) => q.reshape([-1, 1]).T.reshape([-1]).add(0.5)),
  };

  function chain(count: number, start: cw.LazyArray, next: (q: cw.LazyArray) => cw.LazyArray): cw.LazyArray {
    let q = start;
    for (let i = 0; i < count; i++) q = next(q);
    return q;
  }

  test.each(Object.keys(PROGRAMS))("%s", async (name) => {
    const result = await PROGRAMS[name]!().compute();
    const plain = await PROGRAMS[name]!().compute({ mode: "none" });
    expect(result.toList()).toEqual(plain.toList());
  });

  test("the rule that was stopped is named, and the node it was at stays", () => {
    const grow = rule("grow", "exp(x) = exp(x) + 0", p.exp(x), ({ x: inner }) =>
      n("exp", n("add", inner, n("exp", n("add", inner, inner)))),
    );
    const { roots, stopped } = rewrite([n("exp", source(1))], new Dispatcher([grow]), { stopsGrowth: true });
    expect([...stopped].map(({ name }) => name)).toEqual(["grow"]);
    expect(roots).toEqual([n("exp", source(1))]);
  });
});

test.each([1, -7, Number.NEGATIVE_INFINITY, Number.NaN, 40, 41, 85, 86])(
  "logarithms of differences of exponentials settle where what is in them is at most %d already",
  (bound) => {
    const x = cw.asarray(Float64Array.from([-3, 0.5, 20, 700]));
    const y = cw.asarray(Float64Array.from([-4, -2, 0.1, 3]));
    for (const low of [x.minimum(bound), x.minimum(bound).maximum(-2), x.minimum(y).minimum(bound)])
      for (const found of [low.expm1().log(), low.exp().subtract(y.exp()).log()]) {
        const wanted = found.computeSync({ optimize: false }).toList() as number[];
        (found.computeSync().toList() as number[]).forEach((value, i) => {
          if (Number.isFinite(wanted[i])) expect(value).toBeCloseTo(wanted[i]!, 9);
          else expect(value).toBe(wanted[i]);
        });
      }
  },
);
