// Rewriting: (x*y)/y = x in three ways: a rewrite of a whole graph, a local rewrite led by a navigator, and a
// pattern, which is how rules are written. It is not exact (y may be 0), so no mode has it by default.

import assert from "node:assert/strict";
import * as cw from "chunkwise";
import {
  derivationOf,
  explain,
  FunctionGraph,
  type GlobalRewrite,
  inToOut,
  type LocalRewrite,
  opNamed,
  opRemove,
  opSub,
  optimize,
  p,
  RuleGroup,
  RuleSequence,
  rule,
  x,
  y,
} from "chunkwise/rewrite";

const [X, Y, Z] = [cw.asarray([1.5, 2]), cw.asarray([3, 4.5]), cw.asarray([5, 6.5])] as const;
const formula = Z.add(Y.multiply(X).divide(Y).multiply(Z.divide(X)));
const graphOf = (array: cw.LazyArray): FunctionGraph =>
  new FunctionGraph([X.expr, Y.expr, Z.expr], [array.expr]);
const simpler = Z.add(X.multiply(Z.divide(X)));

const divide = opNamed("divide");
const multiply = opNamed("multiply");

// 1. A global rewrite sees the whole graph and changes it.
const simplifyAll: GlobalRewrite = {
  name: "simplifyAll",
  apply(graph) {
    for (const node of graph.walk(divide)) {
      const [product, divisor] = node.inputs;
      if (product!.op !== multiply) continue;
      const [left, right] = product!.inputs;
      if (divisor === left) graph.replaceValidate(node, right!);
      else if (divisor === right) graph.replaceValidate(node, left!);
    }
  },
};
const first = graphOf(formula);
simplifyAll.apply(first);
assert.equal(first.outputs[0], simpler.expr);

// 2. A local rewrite sees one node; a navigator leads it over the graph.
const simplifyNode: LocalRewrite = {
  name: "simplifyNode",
  tracks: [divide],
  apply({ inputs: [product, divisor] }) {
    if (product!.op !== multiply) return null;
    const [left, right] = product!.inputs;
    return divisor === left ? right! : divisor === right ? left! : null;
  },
};
const second = graphOf(formula);
inToOut(simplifyNode).apply(second);
assert.equal(second.outputs[0], simpler.expr);

// 3. A pattern: one line, and the order of the factors does not matter.
const simplify = rule("simplify", "(x * y) / y = x", p.divide(p.multiply(x, y), y), x, {
  changes: ["nan", "rounding"],
});
const third = graphOf(formula);
inToOut(simplify).apply(third);
console.log(String(third));
assert.equal(third.outputs[0], simpler.expr);

// Equal parts are one node from the start: what needs merging elsewhere simplifies at once.
const shared = graphOf(Y.add(Z).multiply(X).divide(Y.add(Z)));
inToOut(simplify).apply(shared);
assert.equal(shared.outputs[0], X.expr);

// One op for another, and an op that goes.
const other = graphOf(X.positive().add(Y));
inToOut(opRemove(opNamed("positive"))).apply(other);
inToOut(opSub(opNamed("add"), multiply)).apply(other);
assert.equal(other.outputs[0], X.multiply(Y).expr);

// What changes results is off until it is allowed, and explain says so.
const database = new RuleSequence("mine", [new RuleGroup("canonicalize", [simplify])]);
console.log();
console.log(String(explain(formula, { database, rule: "simplify" })));
console.log(String(explain(X.divide(Y), { database, mode: "fastRun+fastMath", rule: "simplify" })));

// Allowed, it fires.
const { roots, report } = optimize([formula.expr], { database, mode: "fastRun+fastMath", profile: true });
assert.equal(roots[0], simpler.expr);
console.log();
console.log(String(explain(formula, { database, mode: "fastRun+fastMath" })));
console.log(report.stages[0]?.applied, report.profile?.nodes);

// Where the time went; how much it was is another number every time.
console.log(String(report.profile).replaceAll(/[\d.]+ ms/g, "… ms"));

// A node tells which rule made it of what.
const quotient = X.add(1).multiply(Y).divide(Y).expr;
const sum = optimize([quotient], { database, mode: "fastRun+fastMath" }).roots[0]!;
assert.deepEqual(derivationOf(sum), [{ rule: "simplify", from: quotient }]);
