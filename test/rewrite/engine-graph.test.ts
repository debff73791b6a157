// Function graphs and navigators: what the tutorial does, and undoing.

import { describe, expect, test } from "vitest";
import { InvariantError, RuleGrowthError, RuleTypeError } from "../../src/core/errors.ts";
import type { Expr } from "../../src/expr/expr.ts";
import { opNamed } from "../../src/ops/index.ts";
import { FunctionGraph } from "../../src/rewrite/functionGraph.ts";
import { byOp, fixpoint, group, inToOut, outToIn } from "../../src/rewrite/navigators.ts";
import { p, x, y } from "../../src/rewrite/pattern.ts";
import type { LocalRewrite } from "../../src/rewrite/rule.ts";
import { opRemove, opSub, patternSub } from "../../src/rewrite/substitutions.ts";
import { n, source } from "./nodes.ts";

const X = source(1);
const Y = source(2);
const Z = source(3);
const tutorial = (): Expr =>
  n("add", Z, n("multiply", n("divide", n("multiply", Y, X), Y), n("divide", Z, X)));
const simple = (): Expr => n("add", Z, n("multiply", X, n("divide", Z, X)));
const graphOf = (...outputs: Expr[]): FunctionGraph => new FunctionGraph([X, Y, Z], outputs);
const simplify = patternSub(p.divide(p.multiply(x, y), y), x, { name: "simplify" });

describe("a graph", () => {
  test("knows clients, ops and order", () => {
    const graph = graphOf(tutorial());
    expect(graph.clients(Y)).toEqual([n("multiply", Y, X), n("divide", n("multiply", Y, X), Y)]);
    expect(graph.nodesOf(opNamed("divide")).length).toBe(2);
    const order = graph.toposort();
    expect(order.every((node, i) => node.inputs.every((input) => order.indexOf(input) < i))).toBe(true);
  });

  test("rebuilds what uses a replaced node, remembers it, and goes back", () => {
    const graph = graphOf(tutorial());
    const before = graph.outputs;
    graph.replace(n("divide", n("multiply", Y, X), Y), X, "by hand");
    expect(graph.outputs).toEqual([simple()]);
    expect(graph.has(n("multiply", Y, X))).toBe(false);
    const checkpoint = graph.checkpoint();
    graph.replace(X, Y);
    expect(graph.history.map(({ reason }) => reason)).toEqual(["by hand", "replace"]);
    graph.revert(checkpoint);
    expect(graph.outputs).toEqual([simple()]);
    graph.revert();
    expect(graph.outputs).toEqual(before);
    expect(graph.history).toEqual([]);
  });

  test("checks types, and asks validators", () => {
    const graph = graphOf(tutorial());
    expect(() => graph.replace(X, source(1, "float32"))).toThrow(RuleTypeError);
    graph.addValidator((now) => (now.nodesOf(opNamed("exp")).length > 0 ? "no exp here" : null));
    const before = graph.outputs;
    expect(graph.replaceValidate(X, n("exp", X))).toBe("no exp here");
    expect(graph.outputs).toBe(before);
    expect(graph.replaceValidate(X, Y)).toBe(null);
  });
});

describe("navigators", () => {
  test.each([
    ["inToOut", inToOut(simplify)],
    ["outToIn", outToIn(simplify)],
    ["byOp", byOp([opNamed("divide")], simplify)],
    ["fixpoint", fixpoint([inToOut(simplify)])],
  ])("%s simplifies the tutorial's expression", (_, navigator) => {
    const graph = graphOf(tutorial());
    navigator.apply(graph);
    expect(graph.outputs).toEqual([simple()]);
  });

  test("equal parts are merged from the start", () => {
    const graph = graphOf(n("divide", n("multiply", n("add", Y, Z), X), n("add", Y, Z)));
    inToOut(simplify).apply(graph);
    expect(graph.outputs).toEqual([X]);
  });

  test("go on above what changed", () => {
    const graph = graphOf(n("exp", n("negative", n("negative", n("exp", X)))));
    const negNeg = patternSub(p.negative(p.negative(x)), x);
    inToOut(group("both", [negNeg, opSub(opNamed("exp"), opNamed("log"))])).apply(graph);
    expect(graph.outputs).toEqual([n("log", n("log", X))]);
  });

  test("a fixpoint that is none is an error", () => {
    const swap = patternSub(p.add(x, y), p.add(y, x), { name: "swap" });
    const outer: LocalRewrite = { ...swap, tracks: [opNamed("add")] };
    expect(() => fixpoint([inToOut(outer)], 10).apply(graphOf(n("add", X, Y)))).toThrow(RuleGrowthError);
  });
});

test("opSub and opRemove", () => {
  const graph = graphOf(n("add", n("positive", X), Y));
  inToOut(opRemove(opNamed("positive"))).apply(graph);
  inToOut(opSub(opNamed("add"), opNamed("multiply"))).apply(graph);
  expect(graph.outputs).toEqual([n("multiply", X, Y)]);
});

describe("a local rewrite that replaces other nodes", () => {
  /** log(exp(x)): called with exp, replaces its client. */
  const viaClient = (graph: FunctionGraph, remove: boolean): LocalRewrite => ({
    name: "viaClient",
    tracks: [opNamed("exp")],
    apply(node) {
      const client = graph.clients(node).find(({ op }) => op === opNamed("log"));
      if (client === undefined) return null;
      return { replace: new Map([[client, node.inputs[0]!]]), remove: remove ? [node] : [] };
    },
  });

  test("does so", () => {
    const graph = graphOf(n("negative", n("log", n("exp", X))));
    inToOut(viaClient(graph, true)).apply(graph);
    expect(graph.outputs).toEqual([n("negative", X)]);
  });

  test("is undone when a node survives that must be gone", () => {
    const root = n("add", n("log", n("exp", X)), n("exp", X));
    const graph = graphOf(root);
    expect(() => inToOut(viaClient(graph, true)).apply(graph)).toThrow(InvariantError);
    expect(graph.outputs).toEqual([root]);
    expect(graph.history).toEqual([]);
    inToOut(viaClient(graph, false)).apply(graph);
    expect(graph.outputs).toEqual([n("add", X, n("exp", X))]);
  });
});
