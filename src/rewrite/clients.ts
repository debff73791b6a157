// How many nodes use a node, in the graph that a run starts from: counted once, when a rule first asks.
// Must hold: a node that came in the place of another has at least its clients; one that is new has one.

import type { Expr } from "../expr/expr.ts";
import { NodeTable } from "./nodeTable.ts";

export class ClientCounts {
  readonly #roots: readonly Expr[];
  readonly #order: readonly Expr[];
  /** What stands for the nodes of the start already, when counting begins late; null: under way. */
  readonly #done: NodeTable<Expr | null>;
  #counts: NodeTable<number> | null = null;

  constructor(roots: readonly Expr[], order: readonly Expr[], done: NodeTable<Expr | null>) {
    this.#roots = roots;
    this.#order = order;
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
    const counts = countClients(this.#roots, this.#order);
    for (const node of this.#order) {
      const count = counts.get(node)!;
      const next = count > 1 ? this.#done.get(node) : null;
      if (next !== undefined && next !== null && count > (counts.get(next) ?? 1)) counts.set(next, count);
    }
    return counts;
  }
}

/** Nodes that use a node, each once, and the results it is. `order` has every node. */
export function countClients(roots: readonly Expr[], order: readonly Expr[]): NodeTable<number> {
  const counts = new NodeTable<number>();
  const add = (node: Expr): void => counts.set(node, (counts.get(node) ?? 0) + 1);
  for (const root of roots) add(root);
  for (const { inputs } of order)
    for (let i = 0; i < inputs.length; i++) if (i === 0 || inputs.indexOf(inputs[i]!) === i) add(inputs[i]!);
  return counts;
}
