// The harness for rules finds what is wrong with wrong rules, and lets pass what their class allows.

import { expect, test } from "vitest";
import type { DType } from "../../src/core/dtype.ts";
import { integer, p, type Rule, rule, x, y } from "../../src/rewrite/index.ts";
import { n, sum } from "./nodes.ts";
import { checkRule, type RuleCase } from "./ruleHarness.ts";

type Build = RuleCase["build"];

const addZero: Build = (o) => n("add", o("x"), 0);
const timesZero: Build = (o) => n("multiply", o("x"), 0);
const minusSelf: Build = (o) => n("subtract", o("x"), o("x"));
const plusMinus: Build = (o) => n("subtract", n("add", o("x"), o("y")), o("y"));

function holds(one: Rule, build: Build, dtypes?: readonly DType[]): void {
  checkRule(one, { rule: one.name, build, ...(dtypes === undefined ? {} : { dtypes }) });
}

test.each<[string, Rule, Build]>([
  ["x * 1 is exact", rule("mulOne", "x * 1 = x", p.multiply(x, 1), x), (o) => n("multiply", o("x"), 1)],
  ["x + 0 loses −0", rule("addZero", "x + 0 = x", p.add(x, 0), x, { changes: ["zeroSign"] }), addZero],
  [
    "x * 0 loses NaN and the sign of zero",
    rule("mulZero", "x * 0 = 0", p.multiply(x, 0), 0, { changes: ["nan", "zeroSign"] }),
    timesZero,
  ],
  [
    "x − x is 0 for integers",
    rule("subSelf", "x - x = 0", p.subtract(x, x), 0, { when: [integer(x)] }),
    minusSelf,
  ],
  [
    "(x + y) − y rounds",
    rule("cancel", "(x + y) - y = x", p.subtract(p.add(x, y), y), x, { changes: ["rounding", "nan"] }),
    plusMinus,
  ],
  [
    "log1p is nearer",
    rule("log1p", "log(1 + x) = log1p(x)", p.log(p.add(1, x)), p.log1p(x), { tags: ["stabilize"] }),
    (o) => n("log", n("add", 1, o("x"))),
  ],
])("a right rule passes: %s", (_, right, build) => holds(right, build));

test.each<[string, Rule, Build]>([
  ["−0 + 0", rule("addZero", "x + 0 = x", p.add(x, 0), x), addZero],
  ["inf * 0", rule("mulZero", "x * 0 = 0", p.multiply(x, 0), 0, { changes: ["zeroSign"] }), timesZero],
  ["−1 * 0", rule("mulZero", "x * 0 = 0", p.multiply(x, 0), 0, { changes: ["nan"] }), timesZero],
  ["inf − inf", rule("subSelf", "x - x = 0", p.subtract(x, x), 0), minusSelf],
  ["NaN == NaN", rule("eqSelf", "x == x = 1", p.equal(x, x), true), (o) => n("equal", o("x"), o("x"))],
  [
    "rounding",
    rule("cancel", "(x + y) - y = x", p.subtract(p.add(x, y), y), x, { changes: ["nan"] }),
    plusMinus,
  ],
  [
    "inf + y − y",
    rule("cancel", "(x + y) - y = x", p.subtract(p.add(x, y), y), x, { changes: ["rounding"] }),
    plusMinus,
  ],
  [
    "a stabilized form that is something else",
    rule("log1p", "log(1 + x) = log(x)", p.log(p.add(1, x)), p.log(x), { tags: ["stabilize"] }),
    (o) => n("log", n("add", 1, o("x"))),
  ],
  [
    "a stabilized form that makes NaN of infinity",
    rule("plusNothing", "x² = x² + (x - x)", p.square(x), p.add(p.multiply(x, x), p.subtract(x, x)), {
      tags: ["stabilize"],
    }),
    (o) => n("square", o("x")),
  ],
  [
    "integers that wrap",
    rule("half", "(x * 2) // 2 = x", p.floorDivide(p.multiply(x, 2), 2), x),
    (o) => n("floorDivide", n("multiply", o("x"), 2), 2),
  ],
  [
    "a dropped operand that broadcasts",
    rule(
      "sumTwice",
      "sum(x + y) = sum(x) + sum(y)",
      p.sum(p.add(x, y), { axes: [0], keepdims: false }),
      (b) => n("add", sum(b.x), sum(b.y)),
    ),
    (o) => sum(n("add", o("x"), o("y"))),
  ],
])("a wrong rule is found out: %s", (_, wrong, build) => {
  expect(() => holds(wrong, build)).toThrow(/ became .*CHUNKWISE_SEED/);
});

test("a failure names the rule, its equation, the values and the seed", () => {
  const wrong = rule("addZero", "x + 0 = x", p.add(x, 0), x);
  expect(() => holds(wrong, addZero, ["float64"])).toThrow(
    /addZero \(exact\): x \+ 0 = x\n {2}add\(x, 0\) {2}→ {2}x\n {2}slot \d+: 0 became -0 .*CHUNKWISE_SEED=\d+/,
  );
});

test("a rule that does not fire on its case is found out", () => {
  const one = rule("mulOne", "x * 1 = x", p.multiply(x, 1), x);
  expect(() => holds(one, (o) => n("multiply", o("x"), 2))).toThrow("mulOne fires");
  expect(() => holds(one, (o) => n("multiply", o("x"), 1), ["float64", "complex128"])).toThrow("dtypes");
});
