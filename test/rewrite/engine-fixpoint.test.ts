// Random graphs: the driver ends at a fixpoint, and it is the one that navigators find pass by pass.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Expr } from "../../src/expr/expr.ts";
import { verifyExpr } from "../../src/expr/verify.ts";
import { rewrite } from "../../src/rewrite/driver.ts";
import { FunctionGraph } from "../../src/rewrite/functionGraph.ts";
import { fixpoint, group, inToOut, outToIn } from "../../src/rewrite/navigators.ts";
import { NodeOrder } from "../../src/rewrite/nodeOrder.ts";
import { p, x } from "../../src/rewrite/pattern.ts";
import { rule } from "../../src/rewrite/patternRule.ts";
import { Dispatcher } from "../../src/rewrite/rule.ts";
import { n, source } from "./nodes.ts";

/** These lead to one result in whatever order they are applied. */
const rules = [
  rule("mulOne", "x * 1 = x", p.multiply(x, 1), x),
  rule("negNeg", "-(-x) = x", p.negative(p.negative(x)), x),
  rule("absAbs", "abs(abs(x)) = abs(x)", p.abs(p.abs(x)), p.abs(x)),
  rule("absNeg", "abs(-x) = abs(x)", p.abs(p.negative(x)), p.abs(x)),
  rule("subSelf", "x - x = 0", p.subtract(x, x), 0),
];

/** Each step makes a node of two earlier ones. */
const graphs = fc
  .array(fc.tuple(fc.constantFrom("multiply", "negative", "abs", "subtract", "one"), fc.nat(), fc.nat()), {
    minLength: 1,
    maxLength: 25,
  })
  .map((steps) => {
    const nodes: Expr[] = [source(1), source(2)];
    for (const [name, i, j] of steps) {
      const [left, right] = [nodes[i % nodes.length]!, nodes[j % nodes.length]!];
      if (name === "one") nodes.push(n("multiply", left, 1));
      else nodes.push(name === "negative" || name === "abs" ? n(name, left) : n(name, left, right));
    }
    return nodes.slice(-3);
  });

test("the driver and the navigators agree, and nothing is left to do", () => {
  const dispatcher = new Dispatcher(rules);
  const local = group("all", rules);
  const property = fc.property(graphs, (roots) => {
    const { roots: after } = rewrite(roots, dispatcher);
    verifyExpr(after);
    expect(rewrite(after, dispatcher).applied.size).toBe(0);
    expect(rewrite(roots, dispatcher, { order: new NodeOrder(roots) }).roots).toEqual(after);
    for (const navigator of [inToOut(local), outToIn(local)]) {
      const graph = new FunctionGraph([], roots);
      fixpoint([navigator]).apply(graph);
      expect(graph.outputs.every((output, i) => output === after[i])).toBe(true);
      graph.revert();
      expect(graph.outputs.every((output, i) => output === roots[i])).toBe(true);
    }
  });
  fc.assert(property, { numRuns: 200 });
});

test("an order has every node once, inputs first", () => {
  const property = fc.property(graphs, (roots) => {
    const order = new NodeOrder(roots).nodes;
    const place = new Map(order.map((node, i) => [node, i]));
    expect(place.size).toBe(order.length);
    for (const node of order)
      for (const input of node.inputs) expect(place.get(input)).toBeLessThan(place.get(node)!);
    for (const root of roots) expect(place.has(root)).toBe(true);
  });
  fc.assert(property, { numRuns: 100 });
});

test("a rule is usable after its right side threw, and within itself", () => {
  let mode = "throw";
  const odd: ReturnType<typeof rule> = rule("odd", "", p.negative(x), ({ x: inner }, node, context) => {
    if (mode === "throw") throw new Error("once");
    return inner.op === node.op ? odd.apply(inner, context) : inner;
  });
  const X = source(9);
  const none = { clients: () => 1 };
  expect(() => odd.apply(n("negative", X), none)).toThrow("once");
  mode = "nest";
  expect(odd.apply(n("negative", n("negative", n("negative", X))), none)).toBe(X);
  expect(odd.apply(n("negative", X), none)).toBe(X);
});
