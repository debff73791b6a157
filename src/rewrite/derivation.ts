// Where a node comes from: which rule made it of which node. Held weakly, so it costs nothing to forget.

import type { Expr } from "../expr/expr.ts";

export interface Derivation {
  readonly rule: string;
  readonly from: Expr;
}

const derivations = new WeakMap<Expr, Derivation>();

/** The first derivation stays: a node that rules make again is not made anew. */
export function recordDerivation(node: Expr, rule: string, from: Expr): void {
  if (!derivations.has(node)) derivations.set(node, { rule, from });
}

/** The steps that led to a node, the last one first; empty for a node that no rule made. */
export function derivationOf(node: Expr): readonly Derivation[] {
  const steps: Derivation[] = [];
  const seen = new Set<Expr>();
  let step = derivations.get(node);
  while (step !== undefined && !seen.has(step.from)) {
    steps.push(step);
    seen.add(step.from);
    step = derivations.get(step.from);
  }
  return steps;
}
