// Which rule added and removed which nodes in a stage. In: the nodes before and after, and what happened.
// Must hold: before + added − removed = after, where added and removed are the rules' and the rebuilt ones.

import { type Expr, postOrder } from "../expr/expr.ts";

import type { Rule } from "./rule.ts";

interface Fired {
  readonly rule: Rule;
  readonly node: Expr;
  readonly replacement: Expr;
}

interface Count {
  added: number;
  removed: number;
}

export interface NodeAccounts {
  readonly byRule: ReadonlyMap<Rule, Count>;
  /** New and gone because inputs changed. */
  readonly rebuilt: Count;
  /** Nodes that rules made, wanted or not in the end. */
  readonly made: number;
}

export function attributeNodes(
  before: readonly Expr[],
  after: readonly Expr[],
  fired: readonly Fired[],
  rebuiltFrom: ReadonlyMap<Expr, Expr>,
): NodeAccounts {
  const old = new Set(before);
  const kept = new Set(after);
  const makers = makersOf(old, fired);
  const removers = removersOf(before, kept, fired, rebuiltFrom);
  const byRule = new Map<Rule, Count>();
  const rebuilt: Count = { added: 0, removed: 0 };
  const countOf = (rule: Rule | undefined): Count => {
    if (rule === undefined) return rebuilt;
    const count = byRule.get(rule) ?? { added: 0, removed: 0 };
    byRule.set(rule, count);
    return count;
  };
  for (const node of after) if (!old.has(node)) countOf(makers.get(node)).added++;
  for (const node of before) if (!kept.has(node)) countOf(removers.get(node)).removed++;
  return { byRule, rebuilt, made: makers.size };
}

/** The first rule whose replacement brought a node that was not there. */
function makersOf(old: ReadonlySet<Expr>, fired: readonly Fired[]): Map<Expr, Rule> {
  const makers = new Map<Expr, Rule>();
  for (const { rule, replacement } of fired) {
    const isKnown = (node: Expr): boolean => old.has(node) || makers.has(node);
    for (const node of postOrder([replacement], isKnown)) makers.set(node, rule);
  }
  return makers;
}

/** The rule that replaced a node; for a node that went because nothing uses it any more, its client's. */
function removersOf(
  before: readonly Expr[],
  kept: ReadonlySet<Expr>,
  fired: readonly Fired[],
  rebuiltFrom: ReadonlyMap<Expr, Expr>,
): Map<Expr, Rule> {
  const removers = new Map<Expr, Rule>();
  for (const { rule, node } of fired) removers.set(rebuiltFrom.get(node) ?? node, rule);
  const isRebuilt = new Set(rebuiltFrom.values());
  // Clients come after their inputs, so the last is the first to pass on its rule.
  for (const node of before.toReversed()) {
    const rule = removers.get(node);
    if (rule === undefined || kept.has(node)) continue;
    for (const input of node.inputs)
      if (!kept.has(input) && !removers.has(input) && !isRebuilt.has(input)) removers.set(input, rule);
  }
  return removers;
}
