// Databases and queries: set algebra, order by anchors, names that do not exist, and modes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optimize, pipeline } from "../../src/doors/rewrite.ts";
import { type Query, query, RuleGroup, RuleSequence } from "../../src/rewrite/database.ts";
import { explain } from "../../src/rewrite/explain.ts";
import { p, single, x, y } from "../../src/rewrite/pattern.ts";
import { rule } from "../../src/rewrite/patternRule.ts";
import { MODES, modeQuery } from "../../src/rewrite/pipeline.ts";
import type { Change, Rule } from "../../src/rewrite/rule.ts";
import { n, source } from "./nodes.ts";

const X = source(1);
const named = (name: string, tags: readonly string[] = [], changes: readonly Change[] = []): Rule =>
  rule(name, "exp(x) = x", p.exp(x), p.log(x), { tags, changes });
const picked = (database: RuleSequence, wanted: Query): string[] =>
  database
    .query(wanted)
    .flatMap((stage) =>
      stage.kind === "rules" ? stage.dispatcher.rules.map(({ name }) => name) : [stage.name],
    );

describe("queries", () => {
  const database = new RuleSequence("test", [
    new RuleGroup("first", [named("a", ["red"]), named("b", ["red", "blue"])]),
    new RuleGroup("second", [named("c", ["blue"]), named("d", [], ["rounding"])]),
  ]);

  test("include, require and exclude", () => {
    expect(picked(database, query({ include: ["red"] }))).toEqual(["a", "b"]);
    expect(picked(database, query({ include: ["red", "c"] }))).toEqual(["a", "b", "c"]);
    expect(picked(database, query({ include: ["fastRun"], require: ["blue"] }))).toEqual(["b", "c"]);
    expect(picked(database, query({ include: ["fastRun"], exclude: ["red"] }))).toEqual(["c"]);
    expect(picked(database, query({ include: ["second"] }))).toEqual(["c", "d"]);
    expect(picked(database, query({ include: [] }))).toEqual([]);
  });

  test("are refined into new ones", () => {
    const red = query({ include: ["red"] });
    expect(picked(database, red.including("c").requiring("blue").excluding("b"))).toEqual(["c"]);
    expect(picked(database, red)).toEqual(["a", "b"]);
  });

  test("may differ for a group", () => {
    const wanted = query({ include: ["red"] }).within("second", query({ include: ["fastMath"] }));
    expect(picked(database, wanted)).toEqual(["a", "b", "d"]);
  });

  test("with a name or tag that is not there throw, with a suggestion", () => {
    expect(() => database.query(query({ include: ["redd"] }))).toThrow(
      'there is no rule or tag "redd". Did you mean red?',
    );
    expect(() => database.query(query({ include: ["red"], exclude: ["secnd"] }))).toThrow(
      "Did you mean second?",
    );
    expect(() => database.query(query({ include: [] }).within("thrid", query({})))).toThrow(
      'no group "thrid"',
    );
  });

  test("are what a naive model says", () => {
    const TAGS = ["t0", "t1", "t2", "t3"];
    const some = fc.subarray(TAGS);
    const property = fc.property(
      fc.array(some, { minLength: 1, maxLength: 6 }),
      some,
      some,
      some,
      (tagged, include, require, exclude) => {
        const rules = tagged.map((tags, i) => named(`r${i}`, tags));
        // One rule has every tag, so that all are known.
        const all = new RuleSequence("model", [new RuleGroup("g", [...rules, named("every", TAGS)])]);
        const expected = [...tagged, TAGS].flatMap((tags, i) => {
          const isIn = include.some((tag) => tags.includes(tag));
          const hasAll = require.every((tag) => tags.includes(tag));
          const hasNone = exclude.every((tag) => !tags.includes(tag));
          return isIn && hasAll && hasNone ? [i === tagged.length ? "every" : `r${i}`] : [];
        });
        const parts = { include, require, exclude };
        expect(picked(all, query(parts))).toEqual(expected);
        const refined = query({})
          .excluding(...exclude)
          .including(...include)
          .requiring(...require);
        expect(picked(all, refined)).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

describe("a sequence", () => {
  const names = (database: RuleSequence): string[] => database.stages.map(({ name }) => name);

  test("is ordered by anchors", () => {
    const database = new RuleSequence("test", [new RuleGroup("canonicalize"), new RuleGroup("specialize")]);
    database.register(new RuleGroup("stabilize"), { after: "canonicalize" });
    database.register(new RuleGroup("last"));
    database.register(new RuleGroup("first"), { before: "canonicalize" });
    database.register(new RuleGroup("late"), { after: "stabilize", before: "last" });
    expect(names(database)).toEqual(["first", "canonicalize", "stabilize", "late", "specialize", "last"]);
    expect(() => database.register(new RuleGroup("no"), { after: "specialise" })).toThrow(
      "Did you mean specialize?",
    );
    expect(() => database.register(new RuleGroup("no"), { after: "last", before: "first" })).toThrow(
      /nothing is after/,
    );
    expect(() => database.register(new RuleGroup("last"))).toThrow(/already/);
  });

  test("sees what is registered at once, and can hold global rewrites and sequences", () => {
    const group = new RuleGroup("group");
    const inner = new RuleSequence("inner", [group]);
    const database = new RuleSequence("test", [inner]);
    const fast = query({ include: ["fastRun"] });
    expect(picked(database, fast)).toEqual([]);
    group.register(named("mine"));
    expect(picked(database, fast)).toEqual(["mine"]);
    expect(database.query(fast)).toBe(database.query(query({ include: ["fastRun"] })));
    database.register({ name: "whole", apply: (graph) => graph.replace(n("log", X), n("sin", X)) });
    expect(picked(database, fast)).toEqual(["mine", "whole"]);
    expect(optimize([n("exp", X)], { database }).roots).toEqual([n("sin", X)]);
    group.remove("mine");
    expect(picked(database, fast)).toEqual(["whole"]);
    expect(() => group.remove("mien")).toThrow(/no rule "mien"/);
    group.register(named("mine"));
    expect(() => group.register(named("mine"))).toThrow(/already/);
  });
});

describe("modes", () => {
  const database = new RuleSequence("test", [
    new RuleGroup("canonicalize", [
      named("exact", ["fastCompile"]),
      named("better", ["stabilize"], ["domain"]),
      named("sign", [], ["zeroSign"]),
      named("both", [], ["zeroSign", "rounding"]),
    ]),
  ]);

  test("are queries: what changes results is off", () => {
    expect(picked(database, MODES["fastRun"]!)).toEqual(["exact", "better"]);
    expect(picked(database, MODES["fastCompile"]!)).toEqual(["exact"]);
    expect(picked(database, MODES["none"]!)).toEqual([]);
    expect(picked(database, modeQuery("fastRun+fastMath"))).toEqual(["exact", "better", "sign", "both"]);
    expect(picked(database, modeQuery("fastRun+fastMath:z"))).toEqual(["exact", "better", "sign"]);
    expect(picked(database, modeQuery("fastRun+fastMath:z+fastMath:r"))).toEqual([
      "exact",
      "better",
      "sign",
      "both",
    ]);
    expect(() => modeQuery("fastRum")).toThrow("Did you mean fastRun?");
  });

  test("one rule is turned off by its name for one computation", () => {
    const root = n("exp", X);
    expect(optimize([root], { database }).roots[0]).toBe(n("log", X));
    expect(optimize([root], { database, exclude: ["exact", "better"] }).roots[0]).toBe(root);
    expect(optimize([root], { database, mode: "none" }).roots[0]).toBe(root);
    expect(() => optimize([root], { database, exclude: ["exactt"] })).toThrow("Did you mean exact?");
  });
});

describe("stages are run again until nothing changes", () => {
  const group = (name: string, ...rules: Rule[]): RuleGroup => new RuleGroup(name, rules);
  const later = rule("later", "sqrt(x) = exp(x)", p.sqrt(x), p.exp(x));

  test("for what a later stage made", () => {
    const first = rule("first", "exp(x) = sin(x)", p.exp(x), p.sin(x));
    const database = new RuleSequence("test", [group("one", first), group("two", later)]);
    const { roots, report } = optimize([n("sqrt", X)], { database });
    expect(roots).toEqual([n("sin", X)]);
    expect(report.stages.map(({ name, applied }) => [name, applied])).toEqual([
      ["one", {}],
      ["two", { later: 1 }],
      ["one", { first: 1 }],
    ]);
    const { stages } = explain(n("sqrt", X), { database });
    expect(stages.map(({ name, steps }) => [name, ...steps.map((step) => step.rule)])).toEqual([
      ["one"],
      ["two", "later"],
      ["one", "first"],
    ]);
    expect(explain(n("sqrt", X), { database, rule: "first" }).hasFired).toBe(true);
  });

  test("unless one undoes what another did: that is a cycle", () => {
    const back = rule("back", "exp(x) = sqrt(x)", p.exp(x), p.sqrt(x));
    const database = new RuleSequence("test", [group("one", later), group("two", back)]);
    expect(() => optimize([n("negative", n("sqrt", X))], { database })).toThrow(
      "rules later, back undo each other: negative(sqrt(arange)) becomes negative(exp(arange)), and that negative(sqrt(arange)) again",
    );
  });

  test("for nodes that have lost a client", () => {
    const keepFirst = rule("keepFirst", "max(x, y) = x", p.maximum(x, y), x);
    const alone = rule("alone", "exp(-x) = 1 / exp(x)", p.exp(single(p.negative(x))), p.reciprocal(p.exp(x)));
    const database = new RuleSequence("test", [group("one", keepFirst, alone)]);
    const root = n("maximum", n("exp", n("negative", X)), n("sin", n("negative", X)));
    expect(optimize([root], { database }).roots).toEqual([n("reciprocal", n("exp", X))]);
  });
});

test("the pipeline reads top to bottom", () => {
  expect(pipeline.stages.map(({ name }) => name)).toEqual([
    "canonicalize",
    "stabilize",
    "specialize",
    "project",
    "contract",
    "necessaryColumns",
  ]);
});
