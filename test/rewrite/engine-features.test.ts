// Features of function graphs: told of what comes, goes and changes; checks; inputs with names; nodes of earlier states.

import { describe, expect, test } from "vitest";
import { RuleError, ValueError } from "../../src/core/errors.ts";
import type { Expr } from "../../src/expr/expr.ts";
import * as cw from "../../src/index.ts";
import { opNamed } from "../../src/ops/index.ts";
import { FunctionGraph } from "../../src/rewrite/functionGraph.ts";
import type { GraphFeature } from "../../src/rewrite/graphFeatures.ts";
import { inToOut } from "../../src/rewrite/navigators.ts";
import { p, x, y } from "../../src/rewrite/pattern.ts";
import type { GlobalRewrite } from "../../src/rewrite/rule.ts";
import { applyGlobal } from "../../src/rewrite/rule.ts";
import { patternSub } from "../../src/rewrite/substitutions.ts";
import { n, source } from "./nodes.ts";

const [X, Y, Z] = [source(1), source(2), source(3)];
const graphOf = (...outputs: Expr[]): FunctionGraph => new FunctionGraph([X, Y, Z], outputs);
const simplify = patternSub(p.divide(p.multiply(x, y), y), x, { name: "simplify" });
const nested = (): Expr => n("divide", n("multiply", n("divide", n("multiply", X, Y), Y), Y), Y);

/** The ops that a graph has, as a feature is told of them. */
class Counting implements GraphFeature {
  readonly name = "counting";
  readonly calls: string[] = [];
  readonly #counts = new Map<string, number>();

  #count({ op }: Expr, by: number): void {
    this.#counts.set(op.name, (this.#counts.get(op.name) ?? 0) + by);
  }
  onImport(node: Expr, reason: string): void {
    this.calls.push(`${reason}: +${node.op.name}`);
    this.#count(node, 1);
  }
  onPrune(node: Expr, reason: string): void {
    this.calls.push(`${reason}: −${node.op.name}`);
    this.#count(node, -1);
  }
  onChange(node: Expr, now: Expr, reason: string): void {
    this.calls.push(`${reason}: ${node.op.name} → ${now.op.name}`);
  }
  get counts(): { readonly [op: string]: number } {
    return Object.fromEntries([...this.#counts].filter(([, count]) => count > 0));
  }
}

const countsOf = (graph: FunctionGraph): { readonly [op: string]: number } => {
  const counts: { [op: string]: number } = {};
  for (const { op } of graph.toposort()) counts[op.name] = (counts[op.name] ?? 0) + 1;
  return counts;
};

describe("a feature", () => {
  test("is told of what is there, what comes, changes and goes", () => {
    const graph = graphOf(n("exp", n("add", X, Y)));
    const counting = new Counting();
    expect(graph.attach(counting)).toBe(true);
    expect(graph.attach(counting)).toBe(false);
    expect(counting.calls).toEqual(["attach: +arange", "attach: +arange", "attach: +add", "attach: +exp"]);
    counting.calls.length = 0;
    graph.replace(n("add", X, Y), n("multiply", X, X), "mine");
    expect(counting.calls).toEqual([
      ...["mine: +multiply", "mine: +exp", "mine: add → multiply", "mine: exp → exp"],
      ...["mine: −arange", "mine: −add", "mine: −exp"],
    ]);
    expect(counting.counts).toEqual(countsOf(graph));
    graph.revert();
    expect(counting.counts).toEqual(countsOf(graph));
    expect(graph.detach("counting")).toBe(true);
    graph.replace(n("add", X, Y), X);
    expect(counting.counts).not.toEqual(countsOf(graph));
  });

  test("may be required by a rewrite, which then finds it attached", () => {
    const counting = new Counting();
    const rewrite: GlobalRewrite = {
      name: "asks",
      requirements: () => [counting],
      apply: (graph) => graph.replace(n("exp", X), n("add", X, Y), `saw ${counting.counts["exp"]} exp`),
    };
    const graph = graphOf(n("exp", X));
    applyGlobal(rewrite, graph);
    expect(graph.history.map(({ reason }) => reason)).toEqual(["saw 1 exp"]);
    expect(graph.features).toEqual([counting]);
  });

  test("may object: a walk leaves out what is not wanted, and nothing else", () => {
    const terms = Array.from({ length: 64 }, (_, i) => n("divide", n("multiply", source(i + 10), Y), Y));
    const root = terms.reduce((sum, term) => n("add", sum, term));
    const kept = terms[17]!.inputs[0]!;
    const graph = graphOf(root);
    graph.attach({ name: "keeps", validate: (now) => (now.has(kept) ? null : "the product must stay") });
    inToOut(simplify).apply(graph);
    expect(graph.has(kept)).toBe(true);
    expect(graph.nodesOf(opNamed("divide"))).toEqual([terms[17]]);
    // One change of 64 is found in a few halvings, not in 64 tries.
    expect(graph.costs.objections).toBeLessThanOrEqual(9);
  });

  test("is asked as often as changes are objected to, however long a chain is", () => {
    let asked = 0;
    const graph = graphOf(
      Array.from({ length: 3000 }).reduce<Expr>((e) => n("negative", n("negative", n("exp", e))), X),
    );
    graph.addValidator(() => {
      asked++;
      return null;
    });
    inToOut(patternSub(p.negative(p.negative(x)), x)).apply(graph);
    expect(graph.nodesOf(opNamed("negative"))).toEqual([]);
    expect(asked).toBe(1);
  });
});

describe("nodes of earlier states", () => {
  test("stand for what they have become: the tutorial's rewrite of a whole graph finds nested ones", () => {
    const graph = graphOf(nested());
    for (const node of graph.walk(opNamed("divide"))) {
      const [product, divisor] = node.inputs;
      const [left, right] = product!.inputs;
      const kept = divisor === left ? right! : left!;
      expect(graph.replaceValidate(node, kept)).toBe(null);
    }
    expect(graph.outputs).toEqual([X]);
  });

  test("that have become nothing are not replaced, and that is said", () => {
    const graph = graphOf(n("exp", n("add", X, Y)));
    graph.replace(n("exp", n("add", X, Y)), n("exp", X));
    expect(graph.replaceValidate(n("add", X, Y), Z)).toBe("add float64 [4] is not in the graph");
    expect(graph.outputs).toEqual([n("exp", X)]);
    graph.replace(n("add", X, Y), Z);
    expect(graph.history.length).toBe(1);
  });

  test("are known again when steps are undone", () => {
    const graph = graphOf(n("exp", n("add", X, Y)));
    graph.replace(X, Z);
    const checkpoint = graph.checkpoint();
    graph.replace(Y, Z);
    graph.revert(checkpoint);
    expect(graph.current(n("add", X, Y))).toBe(n("add", Z, Y));
    graph.revert();
    expect(graph.current(n("add", X, Y))).toBe(n("add", X, Y));
  });
});

describe("inputs", () => {
  const data = cw.asarray([1.5, 2]);
  test("are checked", () => {
    expect(() => new FunctionGraph([n("exp", X)], [X])).toThrow(ValueError);
    expect(() => new FunctionGraph([X, X], [X])).toThrow("input 1 of the graph is the same as input 0");
    expect(() => new FunctionGraph([data as unknown as Expr], [X])).toThrow("no node");
    expect(() => new FunctionGraph([], [data.sin().expr])).toThrow("not among its 0 inputs");
    expect(() => new FunctionGraph({ x: X }, [undefined as unknown as Expr])).toThrow("no node");
  });

  test("with names are printed by them", () => {
    const graph = new FunctionGraph({ x: X, y: Y }, [n("add", n("exp", X), Y)]);
    expect(String(graph)).toMatchInlineSnapshot(`
      "x = arange(start: 1, step: 1) float64 [4] chunks [4]
      %1 = exp(x) float64 [4] chunks [4]
      y = arange(start: 2, step: 1) float64 [4] chunks [4]
      %3 = add(%1, y) float64 [4] chunks [4]"
    `);
  });
});

describe("a local rewrite", () => {
  const giving = (change: unknown): (() => void) => {
    const graph = graphOf(n("exp", X));
    return () => inToOut({ name: "odd", tracks: [opNamed("exp")], apply: () => change as Expr }).apply(graph);
  };
  test.each([false, true, undefined, 7, "x", [X], {}])("that gives %j is named, with its node", (junk) => {
    expect(giving(junk)).toThrow(RuleError);
    expect(giving(junk)).toThrow(/rule odd gives .* for a node/);
    expect(giving(junk)).toThrow("exp(arange)");
  });
});
