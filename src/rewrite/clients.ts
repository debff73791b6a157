// How many nodes use a node, in the graph that a run starts from: counted once, when a rule first asks.
// Must hold: a node that came in the place of another has at least its clients; one that is new has one.

import type { Expr } from "../expr/expr.ts";
import { NodeTable } from "./nodeTable.ts";

export class ClientCounts {
  readonly #roots: readonly Expr[];
  /** What stands for the nodes of the start already, when counting begins late; null: under way. */
  readonly #done: NodeTable<Expr | null>;
  #counts: NodeTable<number> | null = null;

  constructor(roots: readonly Expr[], done: NodeTable<Expr | null>) {
    this.#roots = roots;
    this.#done = done;
  }

  of(node: Expr): number {
    this.#counts ??= this.#count();
    return this.#counts.get(node) ?? 1;
  }

  /** `next` stands where `node` stood. */
  inherit(node: Expr, next: Expr): void {
    if (this.#counts === null) return;
    const count = this.#counts.get(node) ?? 1;
    if (count > (this.#counts.get(next) ?? 1)) this.#counts.set(next, count);
  }

  #count(): NodeTable<number> {
    const { nodes, counts } = countAll(this.#roots);
    for (const node of nodes) {
      const next = this.#done.get(node);
      const count = counts.get(node)!;
      if (count > 1 && next !== undefined && next !== null && count > (counts.get(next) ?? 1))
        counts.set(next, count);
    }
    return counts;
  }
}

/** Nodes that use a node, each once, and the results it is. */
export function countClients(roots: readonly Expr[]): NodeTable<number> {
  return countAll(roots).counts;
}

function countAll(roots: readonly Expr[]): { nodes: Expr[]; counts: NodeTable<number> } {
  const counts = new NodeTable<number>();
  const nodes: Expr[] = [];
  const add = (node: Expr): void => {
    const count = counts.get(node);
    if (count === undefined) nodes.push(node);
    counts.set(node, (count ?? 0) + 1);
  };
  for (const root of roots) add(root);
  // Grows while it is walked: every node once, in the order in which they are met.
  for (let at = 0; at < nodes.length; at++) {
    const { inputs } = nodes[at]!;
    for (let i = 0; i < inputs.length; i++) if (inputs.indexOf(inputs[i]!) === i) add(inputs[i]!);
  }
  return { nodes, counts };
}
