// Where a node comes from: which rule made it of which node.

import type { Derivation, Expr } from "../expr/expr.ts";

export type { Derivation };

/** The first derivation stays: a node that rules make again is not made anew. */
export function recordDerivation(node: Expr, rule: string, from: Expr): void {
  node.derivation ??= { rule, from };
}

/**
 * The steps that led to a node, the last one first; empty for a node that no rule made:
 * `derivationOf(optimize([x.expr]).roots[0])`.
 */
export function derivationOf(node: Expr): readonly Derivation[] {
  const steps: Derivation[] = [];
  const seen = new Set<Expr>();
  for (let step = node.derivation; step !== null && !seen.has(step.from); step = step.from.derivation) {
    steps.push(step);
    seen.add(step.from);
  }
  return steps;
}
