// Patterns: what they match, in which order, and what right sides build.

import { describe, expect, test } from "vitest";
import { RuleError } from "../../src/core/errors.ts";
import { Complex } from "../../src/core/numbers.ts";
import { makeExpr } from "../../src/expr/expr.ts";
import { OPS, opNamed } from "../../src/ops/index.ts";
import { scalar } from "../../src/rewrite/make.ts";
import {
  attrs,
  bind,
  constant,
  nary,
  on,
  p,
  rest,
  seeThrough,
  single,
  variable,
  x,
  y,
  z,
} from "../../src/rewrite/pattern.ts";
import { decline, integer, rule } from "../../src/rewrite/patternRule.ts";
import { f64, n, run, source, sum } from "./nodes.ts";

const X = source(1);
const Y = source(2);
const Z = source(3);
const add = opNamed("add");

test("there is a builder for every op of the table", () => {
  expect(Object.keys(p).sort()).toEqual([...OPS.keys()].sort());
});

describe("constants", () => {
  const mulOne = rule("mulOne", "x * 1 = x", p.multiply(x, 1), x);
  const addZero = rule("addZero", "x + 0 = x", p.add(x, 0), x);

  test("match in both orders of a commutative op", () => {
    expect(run(n("multiply", X, 1), mulOne)).toBe(X);
    expect(run(n("multiply", f64(1), X), mulOne)).toBe(X);
  });

  test("match exactly: 0 is not −0", () => {
    expect(run(n("add", X, 0), addZero)).toBe(X);
    expect(run(n("add", X, -0), addZero)).toBe(n("add", X, -0));
  });

  test("match in every real dtype, but not where values are complex or bool", () => {
    const whole = source(1, "int64");
    expect(run(n("multiply", whole, 1), mulOne)).toBe(whole);
    const z1 = makeExpr(opNamed("cast"), [X], { dtype: "complex128" });
    const product = makeExpr(opNamed("multiply"), [z1, scalar(new Complex(1, 0), "complex128")]);
    expect(run(product, mulOne)).toBe(product);
  });

  test("are of any shape; a smaller result is broadcast", () => {
    const ones = makeExpr(opNamed("full"), [], { dtype: "float64", shape: [3, 4], chunks: [3, 4], value: 1 });
    const result = run(n("multiply", X, ones), mulOne);
    expect(result.op.name).toBe("broadcast");
    expect(result.inputs[0]).toBe(X);
    expect(result.shape).toEqual([3, 4]);
  });

  test("bind their values, and may be tested", () => {
    const fold = rule(
      "fold",
      "(x * c) * d = x * (c * d)",
      p.multiply(
        p.multiply(x, constant("c")),
        constant("d", (v) => v === 2, "d is 2"),
      ),
      ({ c, d }) => p.multiply(x, Number(c) * Number(d)),
    );
    expect(run(n("multiply", n("multiply", X, 3), 2), fold)).toBe(n("multiply", X, 6));
    const other = n("multiply", n("multiply", X, 3), 5);
    expect(run(other, fold)).toBe(other);
  });
});

test("a repeated variable is the same node", () => {
  const self = rule("subSelf", "x - x = 0", p.subtract(x, x), 0, { when: [integer(x)] });
  const whole = source(1, "int64");
  const zero = run(n("subtract", whole, whole), self);
  expect([zero.op.name, zero.attrs["value"], zero.shape]).toEqual(["full", 0n, [4]]);
  expect(run(n("subtract", X, X), self)).toBe(n("subtract", X, X));
  expect(run(n("subtract", X, Y), self)).toBe(n("subtract", X, Y));
});

test("orders of nested commutative ops are all tried", () => {
  const factor = rule(
    "factor",
    "a*b + a*c = a*(b+c)",
    p.add(p.multiply(x, y), p.multiply(x, z)),
    p.multiply(x, p.add(y, z)),
  );
  for (const left of [n("multiply", X, Y), n("multiply", Y, X)])
    for (const right of [n("multiply", X, Z), n("multiply", Z, X)])
      expect(run(n("add", left, right), factor)).toBe(n("multiply", X, n("add", Y, Z)));
});

test("of several ops, those that are commutative match in both orders", () => {
  const either = rule("either", "f(1, x) = x", on([opNamed("add"), opNamed("subtract")])(1, x), x);
  expect(run(n("add", 1, X), either)).toBe(X);
  expect(run(n("add", X, 1), either)).toBe(X);
  expect(run(n("subtract", 1, X), either)).toBe(X);
  expect(run(n("subtract", X, 1), either)).toBe(n("subtract", X, 1));
});

test("a right side that declines leaves the other order to be tried", () => {
  const onlyY = rule("onlyY", "x + y = y", p.add(x, y), ({ x: left, y: right }) =>
    left === X ? right : decline("x is not X"),
  );
  expect(run(n("add", X, Y), onlyY)).toBe(Y);
  expect(run(n("add", Y, X), onlyY)).toBe(Y);
});

describe("attributes", () => {
  test("are compared and bound", () => {
    const sumOfNeg = rule(
      "sumOfNeg",
      "sum(-x) = -sum(x)",
      p.sum(single(p.negative(x)), attrs),
      p.negative(p.sum(x, attrs)),
    );
    expect(run(sum(n("negative", X)), sumOfNeg)).toBe(n("negative", sum(X)));
    const kept = rule("kept", "", p.sum(x, { axes: bind("axes"), keepdims: true }), ({ axes }) =>
      axes.length === 1 ? 0 : null,
    );
    expect(run(sum(X, [0], true), kept).op.name).toBe("full");
    expect(run(sum(X, [0], false), kept)).toBe(sum(X, [0], false));
  });

  test("a repeated name must have the same value", () => {
    const merge = rule("merge", "x[t][t] = x[t]", p.permute(p.permute(x, attrs), attrs), p.permute(x, attrs));
    const square = source(1, "float64", [2, 2, 2]);
    const turn = (axes: number[], of = square) => makeExpr(opNamed("permute"), [of], { axes });
    expect(run(turn([1, 2, 0], turn([1, 2, 0])), merge)).toBe(turn([1, 2, 0]));
    const other = turn([0, 2, 1], turn([1, 2, 0]));
    expect(run(other, merge)).toBe(other);
  });
});

test("single means that nothing else uses the node", () => {
  const lone = rule("lone", "", p.exp(single(p.negative(x))), p.reciprocal(p.exp(x)));
  const minus = n("negative", X);
  expect(run(n("exp", minus), lone)).toBe(n("reciprocal", n("exp", X)));
  const both = n("add", n("exp", minus), minus);
  expect(run(both, lone)).toBe(both);
});

test("clients are those of the node that was there before its inputs changed", () => {
  const lone = rule("lone", "", p.exp(single(p.negative(x))), p.reciprocal(p.exp(x)));
  const one = rule("one", "x * 1 = x", p.multiply(x, 1), x);
  const minus = n("negative", n("multiply", X, 1));
  const both = n("add", n("exp", minus), minus);
  const now = n("negative", X);
  expect(run(both, lone, one)).toBe(n("add", n("exp", now), now));
});

test("seeThrough finds the lowest node that fits", () => {
  const through = rule(
    "through",
    "",
    p.exp(seeThrough(["broadcast", "negative"], x)),
    ({ x: found }, node) => {
      expect(found).toBe(X);
      return makeExpr(opNamed("broadcast"), [found], { shape: node.shape });
    },
  );
  const wide = makeExpr(opNamed("broadcast"), [n("negative", X)], { shape: [2, 4] });
  expect(run(n("exp", wide), through)).toBe(makeExpr(opNamed("broadcast"), [X], { shape: [2, 4] }));
});

test("rest binds any number of inputs", () => {
  const join = (...inputs: (typeof X)[]) => makeExpr(opNamed("concat"), inputs, { axis: 0 });
  const last = variable("last");
  const swap = rule(
    "swap",
    "",
    p.concat(
      x.where((node) => node === Z, "x is Z"),
      rest("others"),
      last,
      attrs,
    ),
    p.concat(last, rest("others"), x, attrs),
  );
  expect(run(join(Z, Y, Y, X), swap)).toBe(join(X, Y, Y, Z));
  expect(run(join(Z, X), swap)).toBe(join(X, Z));
});

test("nary takes a chain as a flat list", () => {
  const cancel = rule(
    "cancel",
    "x + … − x = …",
    nary(add, [x, p.negative(x)], rest("others")),
    nary(add, [], rest("others")),
  );
  const chain = n("add", n("add", n("add", n("negative", X), Y), Z), X);
  expect(run(chain, cancel)).toBe(n("add", Y, Z));
  expect(() => nary(opNamed("subtract"), [x]) && rule("no", "", nary(opNamed("subtract"), [x]), x)).toThrow(
    /not commutative/,
  );
});

test("on takes ops by record, several too", () => {
  const same = rule("sameCompare", "x < x = false", on([opNamed("less"), opNamed("greater")])(x, x), false);
  expect(run(n("less", X, X), same).attrs["value"]).toBe(false);
  expect(run(n("greater", X, X), same).attrs["value"]).toBe(false);
  expect(run(n("lessEqual", X, X), same)).toBe(n("lessEqual", X, X));
});

test("numbers on a right side take the dtype beside them", () => {
  const pick = rule("pick", "", p.abs(x), p.where(p.less(x, 0), p.negative(x), p.add(x, 1)));
  const short = source(1, "int16");
  const result = run(n("abs", short), pick);
  expect(result.inputs[2]!.inputs[1]!.dtype).toBe("int16");
  expect(result.inputs[0]!.inputs[1]!.dtype).toBe("int16");
});

test("a right side may only use what is bound", () => {
  expect(() => rule("bad", "", p.exp(x), y)).toThrow(RuleError);
  expect(() => rule("bad", "", p.exp(x), y)).toThrow(/uses y, which its left side does not bind/);
});

test("a right side that cannot be built names the rule", () => {
  const bad = rule("badSum", "", p.exp(x), p.logicalNot(p.bitwiseAnd(x, x)));
  expect(() => run(n("exp", X), bad)).toThrow(/rule badSum: its right side cannot be built/);
});
