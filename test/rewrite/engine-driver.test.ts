// The driver: fixpoints, guards, provenance, and long chains.

import { describe, expect, test } from "vitest";
import { RuleCycleError, RuleGrowthError, RuleTypeError } from "../../src/core/errors.ts";
import { type Expr, makeExpr } from "../../src/expr/expr.ts";
import { assumeReplaced, lineOf } from "../../src/expr/site.ts";
import { verifyExpr } from "../../src/expr/verify.ts";
import { opNamed } from "../../src/ops/index.ts";
import { rewrite } from "../../src/rewrite/driver.ts";
import { derivationOf } from "../../src/rewrite/matchText.ts";
import { p, x, y } from "../../src/rewrite/pattern.ts";
import { rule } from "../../src/rewrite/patternRule.ts";
import { Dispatcher, functionRule } from "../../src/rewrite/rule.ts";
import { f64, n, run, source } from "./nodes.ts";

const X = source(1);
const Y = source(2);
const mulOne = rule("mulOne", "x * 1 = x", p.multiply(x, 1), x);
const negNeg = rule("negNeg", "-(-x) = x", p.negative(p.negative(x)), x);
const log1p = rule("log1p", "log(1 + x) = log1p(x)", p.log(p.add(1, x)), p.log1p(x));

test("inputs come first, and replacements are rewritten in turn", () => {
  const root = n("negative", n("multiply", n("negative", n("log", n("add", X, 1))), 1));
  const { roots, applied } = rewrite([root, X], new Dispatcher([mulOne, negNeg, log1p]));
  expect(roots).toEqual([n("log1p", X), X]);
  expect([...applied].map(([{ name }, count]) => [name, count])).toEqual([
    ["log1p", 1],
    ["mulOne", 1],
    ["negNeg", 1],
  ]);
  verifyExpr(roots);
});

test("rules are tried in their order", () => {
  const first = rule("first", "", p.exp(x), p.expm1(x));
  const second = rule("second", "", p.exp(x), p.log(x));
  expect(run(n("exp", X), first, second)).toBe(n("expm1", X));
  expect(run(n("exp", X), second, first)).toBe(n("log", X));
});

test("a rule may rewrite with other rules, and cycles are told all the same", () => {
  const inner = new Dispatcher([mulOne, negNeg]);
  const nested = functionRule("nested", "sin(x) = sin(x simplified)", {
    tracks: [opNamed("sin")],
    apply: (node) => rewrite([node], inner).roots[0]!,
  });
  const root = n("multiply", n("sin", n("multiply", n("negative", n("negative", X)), 1)), 1);
  expect(run(root, nested, mulOne)).toBe(n("sin", X));
  const there = functionRule("there", "exp(x) = expm1(x)", {
    tracks: [opNamed("exp")],
    apply: (node) => n("expm1", rewrite(node.inputs, inner).roots[0]!),
  });
  const back = rule("back", "expm1(x) = exp(x)", p.expm1(x), p.exp(x));
  expect(() => run(n("negative", n("exp", n("sin", X))), there, back)).toThrow(RuleCycleError);
});

test("dispatch rejects by what some input must be", () => {
  const some = functionRule("some", "", { someInput: new Set([opNamed("exp")]), apply: () => null });
  const dispatcher = new Dispatcher([some]);
  const isOffered = (node: Expr): boolean => dispatcher.candidates(node).length > 0;
  expect(isOffered(n("add", X, n("exp", X)))).toBe(true);
  expect(isOffered(n("add", n("exp", X), X))).toBe(true);
  expect(isOffered(n("add", X, X))).toBe(false);
  expect(isOffered(n("negative", X))).toBe(false);
  expect(isOffered(X)).toBe(false);
  const joined = (...inputs: Expr[]): Expr => makeExpr(opNamed("concat"), inputs, { axis: 0 });
  expect(isOffered(joined(X))).toBe(true);
  expect(isOffered(joined(X, Y, n("exp", X)))).toBe(true);
});

test("dispatch offers a rule only where its ops are", () => {
  const dispatcher = new Dispatcher([mulOne, negNeg, log1p]);
  const names = (node: Expr): string[] => dispatcher.candidates(node).map(({ name }) => name);
  expect(names(n("multiply", f64(3), X))).toEqual(["mulOne"]);
  expect(names(n("multiply", X, f64(3)))).toEqual(["mulOne"]);
  expect(names(n("multiply", X, Y))).toEqual([]);
  expect(names(n("negative", X))).toEqual([]);
  expect(names(n("negative", n("negative", X)))).toEqual(["negNeg"]);
  expect(names(n("exp", X))).toEqual([]);
  expect(names(X)).toEqual([]);
});

describe("cycles of rules are told at once", () => {
  const there = rule("there", "exp(x) = expm1(x)", p.exp(x), p.expm1(x));
  const back = rule("back", "expm1(x) = exp(x)", p.expm1(x), p.exp(x));

  test("with the names and both expressions", () => {
    const cycle = (): Expr => run(n("negative", n("exp", X)), there, back);
    expect(cycle).toThrow(RuleCycleError);
    expect(cycle).toThrow(
      "rules there, back undo each other: exp(arange) becomes expm1(arange), and that exp(arange) again. Exclude back, or give one of them a condition.",
    );
  });

  test("of a rule with itself", () => {
    const swap = rule("swap", "x + y = y + x", p.add(x, y), p.add(y, x));
    expect(() => run(n("add", X, Y), swap)).toThrow(/rule swap undoes itself/);
  });

  test("of a replacement that contains what it replaces", () => {
    const wrap = rule("wrap", "exp(x) = -exp(x)", p.exp(x), p.negative(p.exp(x)));
    expect(() => run(n("exp", X), wrap)).toThrow(RuleCycleError);
  });

  test("through rebuilt nodes", () => {
    const toSub = rule("toSub", "", p.add(x, p.negative(y)), p.subtract(x, y));
    const toAdd = rule("toAdd", "", p.subtract(x, y), p.add(x, p.negative(y)));
    const root = n("add", X, n("negative", n("multiply", Y, 1)));
    expect(() => run(root, mulOne, toSub, toAdd)).toThrow(/rules toSub, toAdd undo each other/);
  });
});

test("growth has a budget, and the error names the rule", () => {
  let step = 0;
  const grow = functionRule("grow", "exp(x) = exp(x + c)", {
    tracks: [opNamed("exp")],
    apply: (node) => n("exp", n("add", node.inputs[0]!, ++step)),
  });
  expect(() => run(n("exp", X), grow)).toThrow(RuleGrowthError);
  expect(() => run(n("exp", X), grow)).toThrow(/more than 100\d\d nodes, most of them grow/);
  const few = (): unknown => rewrite([n("exp", X)], new Dispatcher([grow]), { maxNewNodes: 50 });
  expect(few).toThrow(/more than 50 nodes/);
});

describe("a replacement keeps dtype and shape", () => {
  const wrong =
    (make: (node: Expr) => Expr): (() => Expr) =>
    () =>
      run(n("exp", X), functionRule("wrong", "", { tracks: [opNamed("exp")], apply: make }));

  test("or it is an error that names the rule", () => {
    const longer = wrong(() => source(1, "float64", [5]));
    expect(longer).toThrow(RuleTypeError);
    expect(longer).toThrow(
      "rule wrong replaces exp float64 [4] by arange float64 [5]. A rule must keep dtype and shape",
    );
    expect(wrong(() => source(1, "float32"))).toThrow(/by arange float32 \[4\]/);
  });

  test("what is only smaller is broadcast", () => {
    const dropped = rule("dropped", "x + y = y", p.add(x, y), y);
    const wide = source(5, "float64", [3, 4]);
    expect(run(n("add", wide, X), dropped)).toBe(makeExpr(opNamed("broadcast"), [X], { shape: [3, 4] }));
    const last = functionRule("last", "x + y = y", {
      tracks: [opNamed("add")],
      apply: ({ inputs }) => inputs[1]!,
    });
    expect(run(n("add", wide, X), last)).toBe(makeExpr(opNamed("broadcast"), [X], { shape: [3, 4] }));
    const bad = rule("bad", "sum(x) = x", p.sum(x), x);
    expect(() => run(makeExpr(opNamed("sum"), [X], { axes: [0], keepdims: false }), bad)).toThrow(
      RuleTypeError,
    );
  });
});

test("new nodes keep the line of what they replace, and tell their derivation", () => {
  const site = {
    call: "log",
    at: { stack: "Error\n at a (f.ts:1:1)\n at b (f.ts:2:2)\n at c (user.ts:3:3)" },
    isNear: false,
  };
  const before = assumeReplaced({ op: {}, site, inputs: [] });
  const own = source(77);
  const root = n("log", n("add", own, 1));
  assumeReplaced(before);
  const result = run(root, log1p);
  expect(lineOf(result.site)).toBe("user.ts:3:3");
  expect(derivationOf(result)).toEqual([{ rule: "log1p", from: root }]);
  expect(derivationOf(root)).toEqual([]);
});

test("a chain of a million nodes needs no stack and little time", () => {
  let root = source(5);
  const other = source(6);
  const ops = ["add", "negative", "negative", "multiply", "sin"];
  for (let i = 0; i < 1_000_000; i++) {
    const name = ops[i % ops.length]!;
    root = name === "add" ? n(name, root, other) : name === "multiply" ? n(name, root, 1) : n(name, root);
  }
  const { applied, visited } = rewrite([root], new Dispatcher([mulOne, negNeg, log1p]));
  expect([...applied.values()]).toEqual([200_000, 200_000]);
  expect(visited).toBeGreaterThan(1_000_000);
});
