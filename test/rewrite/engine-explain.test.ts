// Explain and profile: what fired, why something did not, and figures that add up.

import { expect, test } from "vitest";
import { optimize } from "../../src/doors/rewrite.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { RuleGroup, RuleSequence } from "../../src/rewrite/database.ts";
import { explain } from "../../src/rewrite/explain.ts";
import type { FunctionGraph } from "../../src/rewrite/functionGraph.ts";
import { constant, p, single, x } from "../../src/rewrite/pattern.ts";
import { decline, floating, rule } from "../../src/rewrite/patternRule.ts";
import { functionRule } from "../../src/rewrite/rule.ts";
import { n, source, sum } from "./nodes.ts";

const X = source(1);
const Y = source(2);
const I = source(3, "int32");

const database = new RuleSequence("test", [
  new RuleGroup("canonicalize", [
    rule("mulOne", "x * 1 = x", p.multiply(x, 1), x),
    rule("addZero", "x + 0 = x", p.add(x, 0), x, { changes: ["zeroSign"] }),
    rule("negNeg", "-(-x) = x", p.negative(p.negative(x)), x),
    rule("half", "x * c = x / (1/c)", p.multiply(x, constant("c")), ({ c }) =>
      c === 0.5 ? p.divide(x, 2) : decline(`c is ${String(c)}, not a half`),
    ),
  ]),
  new RuleGroup("stabilize", [
    rule("log1p", "log(1 + x) = log1p(x)", p.log(single(p.add(1, x))), p.log1p(x), { when: [floating(x)] }),
    rule("floatAbs", "", p.abs(x), p.sqrt(p.square(x)), { when: [floating(x)] }),
    functionRule("opaque", "cos(x) = …", { tracks: [n("cos", X).op], apply: () => null }),
  ]),
]);
const all = { database, mode: "fastRun+fastMath" };
const why = (root: Parameters<typeof explain>[0], name: string, mode = "fastRun"): string =>
  explain(root, { database, mode, rule: name }).toString();

test("explain shows stages, and which rules fired where", () => {
  const root = n("log", n("multiply", n("add", X, 1), 1));
  expect(explain(root, { database }).toString()).toBe(`before
  %0 = arange(start: 1, step: 1) float64 [4] chunks [4]
  %1 = add(%0, 1) float64 [4] chunks [4]
  %2 = multiply(%1, 1) float64 [4] chunks [4]
  %3 = log(%2) float64 [4] chunks [4]
canonicalize
  mulOne: x * 1 = x
    multiply(add(arange, 1), 1) → add(arange, 1)
after canonicalize
  %0 = arange(start: 1, step: 1) float64 [4] chunks [4]
  %1 = add(%0, 1) float64 [4] chunks [4]
  %2 = log(%1) float64 [4] chunks [4]
stabilize
  log1p: log(1 + x) = log1p(x)
    log(add(arange, 1)) → log1p(arange)
after stabilize
  %0 = arange(start: 1, step: 1) float64 [4] chunks [4]
  %1 = log1p(%0) float64 [4] chunks [4]`);
  expect(explain(X, { database }).toString()).toContain("no rule fired");
});

test("explain says why a rule did not fire: the first clause that failed", () => {
  const shared = n("add", X, 1);
  expect([
    why(n("log", n("add", X, 1)), "log1p"),
    why(n("log", n("add", X, 2)), "log1p"),
    why(n("log", n("multiply", X, Y)), "log1p"),
    why(n("exp", X), "log1p"),
    why(n("add", n("log", shared), shared), "log1p"),
    why(n("add", X, 0), "addZero"),
    why(n("multiply", X, 3), "half"),
    why(n("multiply", X, 3), "mulOne"),
    why(n("abs", I), "floatAbs"),
    why(n("cos", X), "opaque"),
  ]).toEqual([
    "log1p: log(1 + x) = log1p(x)\n  it fired: log(add(arange, 1)) → log1p(arange)",
    "log1p: log(1 + x) = log1p(x)\n  did not fire: an input of add is 2, not 1 at log(add(arange, 2)) (log float64 [4])",
    "log1p: log(1 + x) = log1p(x)\n  did not fire: input 0 of log is multiply float64 [4], not add at log(multiply(arange1, arange2)) (log float64 [4])",
    "log1p: log(1 + x) = log1p(x)\n  did not fire: no node is log",
    "log1p: log(1 + x) = log1p(x)\n  did not fire: input 0 of log has 2 clients, not one at log(add(arange, 1)) (log float64 [4])",
    "addZero: x + 0 = x\n  did not fire: it is off: the query includes fastRun; its tags are addZero, canonicalize, fastMath, fastMath:z",
    "half: x * c = x / (1/c)\n  did not fire: c is 3, not a half at multiply(arange, 3) (multiply float64 [4])",
    "mulOne: x * 1 = x\n  did not fire: an input of multiply is 3, not 1 at multiply(arange, 3) (multiply float64 [4])",
    "floatAbs: \n  did not fire: does not hold: x is floating at abs(arange) (abs int32 [4])",
    "opaque: cos(x) = …\n  did not fire: it gave no replacement at cos(arange) (cos float64 [4])",
  ]);
  expect(() => why(X, "log1q")).toThrow("Did you mean log1p?");
});

test("the figures of a profile add up", () => {
  const inner = n("negative", n("negative", n("multiply", n("add", X, 0), 1)));
  const root = sum(n("log", n("add", n("multiply", n("exp", inner), 0.5), 1)));
  const { roots, report } = optimize([root, inner], { ...all, profile: true });
  const { stages, ...whole } = report.profile!;
  expect(whole.nodes.start).toBe(stages[0]!.nodes.start);
  expect(whole.nodes.end).toBe(stages.at(-1)!.nodes.end);
  expect(whole.applied).toBe(stages.reduce((total, { applied }) => total + applied, 0));
  stages.forEach((stage, i) => {
    const total = (of: (rule: (typeof stage.rules)[number]) => number): number =>
      stage.rules.reduce((sum, rule) => sum + of(rule), 0);
    const added = total(({ added }) => added) + stage.rebuilt.added;
    const removed = total(({ removed }) => removed) + stage.rebuilt.removed;
    expect(stage.nodes.start + added - removed).toBe(stage.nodes.end);
    expect(stage.applied).toBe(total(({ applied }) => applied));
    expect(stage.milliseconds).toBeCloseTo(
      stage.restMilliseconds + total(({ milliseconds }) => milliseconds),
      6,
    );
    expect(stage.restMilliseconds).toBeGreaterThanOrEqual(0);
    for (const rule of stage.rules) {
      expect(rule.tried).toBeGreaterThanOrEqual(rule.matched);
      expect(rule.matched).toBeGreaterThanOrEqual(rule.applied);
    }
    if (i > 0) expect(stage.nodes.start).toBe(stages[i - 1]!.nodes.end);
    expect(report.stages[i]!.applied).toEqual(
      Object.fromEntries(
        stage.rules.filter(({ applied }) => applied > 0).map(({ name, applied }) => [name, applied]),
      ),
    );
  });
  expect(roots).toEqual([sum(n("log1p", n("divide", n("exp", X), 2))), X]);
  expect(stages[1]!.unused).toEqual(["floatAbs", "opaque"]);
  expect(JSON.parse(JSON.stringify(report.profile)).stages.length).toBe(2);
});

test("a profile is a hierarchy to read", () => {
  const { report } = optimize([n("negative", n("negative", X))], {
    database,
    profile: true,
  });
  expect(
    String(report.profile).replaceAll(/\d+\.\d+ ms/g, "T"),
  ).toBe(`rewrite  T, 3 nodes before, 1 after, 1 replacements
  canonicalize  T in 2 rounds, nodes (start, end, max) 3 1 3
    T outside of rules, nodes rebuilt +0 −0
    T  negNeg: tried 1, matched 1, applied 1, nodes +0 −2
    T in 2 rules that were not applied
  stabilize  T in 1 rounds, nodes (start, end, max) 1 1 1
    T outside of rules, nodes rebuilt +0 −0
    T in 3 rules that were not applied`);
});

test("explain calls arrays by their names, and knows rewrites of whole graphs", () => {
  const negativeToAbs = {
    name: "negativeToAbs",
    apply(graph: FunctionGraph): void {
      for (const node of graph.walk(n("negative", X).op))
        graph.replace(node, n("abs", node.inputs[0]!), "mine");
    },
  };
  const whole = new RuleSequence("test", [negativeToAbs]);
  const root = n("add", n("negative", X), Y);
  expect(explain(root, { database: whole, names: { x: X, y: Y } }).toString()).toBe(`before
  x = arange(start: 1, step: 1) float64 [4] chunks [4]
  %1 = negative(x) float64 [4] chunks [4]
  y = arange(start: 2, step: 1) float64 [4] chunks [4]
  %3 = add(%1, y) float64 [4] chunks [4]
negativeToAbs
  mine: by negativeToAbs
    negative(x) → abs(x)
after negativeToAbs
  x = arange(start: 1, step: 1) float64 [4] chunks [4]
  %1 = abs(x) float64 [4] chunks [4]
  y = arange(start: 2, step: 1) float64 [4] chunks [4]
  %3 = add(%1, y) float64 [4] chunks [4]`);
  const about = (of: Expr, mode = "fastRun"): string =>
    explain(of, { database: whole, rule: "negativeToAbs", mode }).toString();
  expect(about(root)).toContain("it replaced negative(arange1) → abs(arange1)");
  expect(about(X)).toContain("did not fire: it changed nothing");
  expect(about(root, "none")).toContain("it is off");
});
