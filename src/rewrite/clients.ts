// How many nodes use a node, in the graph that a run starts from: counted once, when a rule first asks.
// Must hold: a node that came in the place of another has at least its clients; one that is new has one.

import type { Expr } from "../expr/expr.ts";
import type { NodeOrder } from "./order.ts";

export class ClientCounts {
  readonly #order: NodeOrder;
  /** What stands for the nodes of the start already, when counting begins late; null: under way. */
  readonly #now: readonly (Expr | null | undefined)[];
  /** Of the graph's nodes, by their places. */
  #counts: number[] | null = null;
  /** Of new nodes, those that have more than one. */
  readonly #raised = new Map<Expr, number>();

  constructor(order: NodeOrder, now: readonly (Expr | null | undefined)[]) {
    this.#order = order;
    this.#now = now;
  }

  /** Has a rule asked? */
  get wereAsked(): boolean {
    return this.#counts !== null;
  }

  of(node: Expr): number {
    this.#counts ??= this.#count();
    const place = this.#order.placeOf(node);
    if (place >= 0 && place < this.#order.count) return this.#counts[place]!;
    return this.#raised.size === 0 ? 1 : (this.#raised.get(node) ?? 1);
  }

  /** `next` stands where `node` stood. */
  inherit(node: Expr, next: Expr): void {
    if (this.#counts === null) return;
    const count = this.of(node);
    if (count > 1 && count > this.of(next)) this.#raise(this.#counts, next, count);
  }

  #raise(counts: number[], node: Expr, count: number): void {
    const place = this.#order.placeOf(node);
    if (place >= 0 && place < this.#order.count) counts[place] = count;
    else this.#raised.set(node, count);
  }

  #count(): number[] {
    const counts = this.#order.clients;
    this.#counts = counts;
    for (let at = 0; at < this.#order.count; at++) {
      const next = counts[at]! > 1 ? this.#now[at] : null;
      if (next !== undefined && next !== null) this.inherit(this.#order.nodes[at]!, next);
    }
    return counts;
  }
}
