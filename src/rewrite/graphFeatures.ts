// Features: what is attached to a function graph and told of its nodes as they come and go. In: two states of a graph and
// what became what. Out: calls, in the order in which a feature can keep books: what comes in, what changes, what goes.
// Must hold: whoever is attached has been told of every node of the graph, and of none that is not in it.

import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";

/** What a feature may ask the graph that it is attached to: a `FunctionGraph`. */
export interface WatchedGraph {
  /** Its results, as they are now. */
  readonly outputs: readonly Expr[];
  /** Every node, inputs first. */
  toposort(): readonly Expr[];
  /** Is a node in it? */
  has(node: Expr): boolean;
  /** The nodes that use this one. */
  clients(node: Expr): readonly Expr[];
  /** The nodes of an op. */
  nodesOf(op: Op): readonly Expr[];
}

/** Something that watches a graph, or keeps a rule over it: an index, a count, a check. */
export interface GraphFeature {
  /** A graph has one of a name: attaching another one does nothing. */
  readonly name: string;
  /** It was attached: it may look at the graph. */
  onAttach?(graph: WatchedGraph): void;
  /** It is told of nothing any more. */
  onDetach?(graph: WatchedGraph): void;
  /** A node came into the graph; those that were there when the feature was attached too. */
  onImport?(node: Expr, reason: string, graph: WatchedGraph): void;
  /** A node is not in the graph any more. */
  onPrune?(node: Expr, reason: string, graph: WatchedGraph): void;
  /** Another node stands where this one stood: its replacement, or it over other inputs. */
  onChange?(node: Expr, now: Expr, reason: string, graph: WatchedGraph): void;
  /** What `replaceValidate` asks after a change: what is wrong with the graph, or null. */
  validate?(graph: WatchedGraph): string | null;
}

/** What happened to a graph. */
export interface Transition {
  readonly before: readonly Expr[];
  readonly after: readonly Expr[];
  /** What nodes have become; the same where they stay. */
  readonly became: ReadonlyMap<Expr, Expr>;
  readonly reason: string;
}

/** Does anybody want to know? */
export const areListening = (features: readonly GraphFeature[]): boolean =>
  features.some((one) => (one.onImport ?? one.onPrune ?? one.onChange) !== undefined);

export function tell(
  features: readonly GraphFeature[],
  { before, after, became, reason }: Transition,
  graph: WatchedGraph,
): void {
  const [old, now] = [new Set(before), new Set(after)];
  const [come, gone] = [after.filter((node) => !old.has(node)), before.filter((node) => !now.has(node))];
  const changed = gone.filter((node) => became.has(node) && became.get(node) !== node);
  for (const one of features) {
    for (const node of come) one.onImport?.(node, reason, graph);
    for (const node of changed) one.onChange?.(node, became.get(node)!, reason, graph);
    for (const node of gone) one.onPrune?.(node, reason, graph);
  }
}
