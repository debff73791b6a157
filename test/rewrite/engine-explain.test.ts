// Explain and profile: what fired, why something did not, and figures that add up.

import { expect, test } from "vitest";
import { optimize } from "../../src/doors/rewrite.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { RuleGroup, RuleSequence } from "../../src/rewrite/database.ts";
import { explain } from "../../src/rewrite/explain.ts";
import type { FunctionGraph } from "../../src/rewrite/functionGraph.ts";
import { constant, p, single, x } from "../../src/rewrite/pattern.ts";
import { decline, floating, rule } from "../../src/rewrite/patternRule.ts";
import type { PassProfile, StageFigures } from "../../src/rewrite/profileFigures.ts";
import { functionRule, type GlobalRewrite } from "../../src/rewrite/rule.ts";
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

const totalOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** What holds of a sequence, a stage and a pass alike. */
function expectToAddUp({ milliseconds, costs, nodes }: StageFigures): void {
  expect(totalOf(Object.values(costs), (cost) => cost)).toBeCloseTo(milliseconds, 6);
  expect(Object.values(costs).every((cost) => cost >= -1e-9)).toBe(true);
  expect(nodes.max).toBeGreaterThanOrEqual(Math.max(nodes.start, nodes.end));
}

function expectPassToAddUp(pass: PassProfile): void {
  expectToAddUp(pass);
  const added = totalOf(pass.rules, (rule) => rule.added) + pass.rebuilt.added;
  const removed = totalOf(pass.rules, (rule) => rule.removed) + pass.rebuilt.removed;
  expect(pass.nodes.start + added - removed).toBe(pass.nodes.end);
  expect(pass.applied).toBe(totalOf(pass.rules, (rule) => rule.applied));
  for (const rule of pass.rules) {
    expect(rule.tried).toBeGreaterThanOrEqual(rule.matched);
    expect(rule.matched).toBeGreaterThanOrEqual(rule.applied);
  }
  const times = pass.rules.map((rule) => rule.milliseconds);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
}

test("the figures of a profile add up", () => {
  const inner = n("negative", n("negative", n("multiply", n("add", X, 0), 1)));
  const root = sum(n("log", n("add", n("multiply", n("exp", inner), 0.5), 1)));
  const { roots, report } = optimize([root, inner], { ...all, profile: true });
  const profile = report.profile!;
  expectToAddUp(profile);
  expect([profile.name, profile.stages.map(({ name, index }) => [name, index])]).toEqual([
    "test",
    [
      ["canonicalize", 0],
      ["stabilize", 1],
    ],
  ]);
  expect(profile.applied).toBe(totalOf(profile.stages, ({ applied }) => applied));
  for (const stage of profile.stages) {
    expectToAddUp(stage);
    stage.passes.forEach(expectPassToAddUp);
    expect(stage.milliseconds).toBeCloseTo(
      totalOf(stage.passes, ({ milliseconds }) => milliseconds),
      6,
    );
    for (const rule of stage.rules) {
      const did = stage.passes.flatMap(({ rules }) => rules).filter(({ name }) => name === rule.name);
      expect(rule.applied).toBe(totalOf(did, ({ applied }) => applied));
      const told = report.stages.filter(({ name }) => name === stage.name);
      expect(rule.applied).toBe(totalOf(told, ({ applied }) => applied[rule.name] ?? 0));
    }
  }
  expect(roots).toEqual([sum(n("log1p", n("divide", n("exp", X), 2))), X]);
  expect(profile.stages[1]!.unused).toEqual(["floatAbs", "opaque"]);
  expect(JSON.parse(JSON.stringify(profile)).stages.length).toBe(2);
});

const timeless = (text: unknown): string => String(text).replaceAll(/\d+\.\d+ ms/g, "T");

test("a profile is a hierarchy to read", () => {
  const { report } = optimize([n("negative", n("negative", X))], { database, profile: true });
  const text = timeless(report.profile);
  const [head, costs, ...stages] = text.split(/\n(?= {2}\S)/);
  // Which of the two took longer is not known.
  expect([head, costs, ...stages.sort()].join("\n")).toBe(`test  T, 3 nodes before, 1 after, 1 replacements
  T in rules, T sorting, T validating, T calling features, T elsewhere
  T - canonicalize (rules, 0)
    nodes (start, end, max) 3 1 3, 1 replacements
    T in rules, T sorting, T validating, T calling features, T elsewhere
    0 - T (T sorting), 2 rounds, 3 nodes, 1 replacements, rebuilt +0 −0, negNeg 1
    T - negNeg: tried 1, matched 1, applied 1, nodes +0 −2
    T in 2 rules that were not applied
  T - stabilize (rules, 1)
    nodes (start, end, max) 1 1 1, 0 replacements
    T in rules, T sorting, T validating, T calling features, T elsewhere
    0 - T (T sorting), 1 rounds, 1 nodes, 0 replacements, rebuilt +0 −0
    T in 3 rules that were not applied`);
});

test("a profile tells sequences within sequences, and what validators and features of a rewrite took", () => {
  const watching: GlobalRewrite = {
    name: "watching",
    requirements: () => [
      { name: "judge", validate: () => null },
      { name: "books", onImport: () => {} },
    ],
    apply(graph) {
      for (const node of graph.walk(n("negative", X).op))
        graph.replaceValidate(node, n("abs", node.inputs[0]!), "mine");
    },
  };
  const inner = new RuleSequence("inner", [watching, new RuleGroup("last", [])]);
  const outer = new RuleSequence("outer", [database.group("canonicalize"), inner]);
  const { report } = optimize([n("exp", n("negative", n("multiply", X, 1)))], {
    database: outer,
    profile: true,
  });
  const [first, second] = report.profile!.stages;
  expect([first!.kind, second!.kind, second!.name]).toEqual(["rules", "sequence", "inner"]);
  const [whole] = second!.stages;
  expect([whole!.name, whole!.kind, whole!.applied, second!.applied]).toEqual(["watching", "global", 1, 1]);
  expect(whole!.costs.validate).toBeGreaterThan(0);
  expect(whole!.costs.callback).toBeGreaterThan(0);
  expect(whole!.costs.toposort).toBeGreaterThan(0);
  for (const figures of [report.profile!, second!, whole!, ...whole!.passes]) expectToAddUp(figures);
  expect(timeless(report.profile)).toMatch(
    / {2}T - inner \(sequence, 1\)\n.*\n.*\n {4}T - watching \(global, 0\)/,
  );
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
