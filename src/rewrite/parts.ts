// Parts of a graph that rules replace at once, before nodes are looked at one by one. In: a graph and rules that know
// parts of it. Out: what is replaced by what, and which nodes are needed still: those that results reach without going
// through what is replaced.

import type { Expr } from "../expr/expr.ts";
import type { NodeOrder } from "./nodeOrder.ts";
import type { Rule } from "./rule.ts";

export interface Parts {
  readonly replaced: ReadonlyMap<Expr, { readonly rule: Rule; readonly replacement: Expr }>;
  /** By place: 1 for the nodes that are needed. */
  readonly isNeeded: Uint8Array;
}

/** Null where no rule replaces anything. */
export function partsOf(order: NodeOrder, rules: readonly Rule[]): Parts | null {
  const replaced = new Map<Expr, { rule: Rule; replacement: Expr }>();
  for (const rule of rules)
    for (const [node, replacement] of rule.parts?.(order) ?? []) replaced.set(node, { rule, replacement });
  return replaced.size === 0 ? null : { replaced, isNeeded: neededPlaces(order, replaced) };
}

function neededPlaces(order: NodeOrder, replaced: ReadonlyMap<Expr, unknown>): Uint8Array {
  const isNeeded = new Uint8Array(order.count);
  for (const root of order.roots) isNeeded[order.placeOf(root)] = 1;
  for (let at = order.count - 1; at >= 0; at--) {
    const node = order.nodes[at]!;
    if (isNeeded[at] === 0 || replaced.has(node)) continue;
    for (let i = 0; i < node.inputs.length; i++) isNeeded[order.placeOf(node.inputs[i]!)] = 1;
  }
  return isNeeded;
}
