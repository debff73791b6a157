// The nodes of a graph, inputs before what uses them, each with its place: what is known of a node lies in a list at
// that place, which is much faster than a map for graphs of a million nodes.
// A node remembers the place that the last order gave it. Must hold: `nodes[node.place] === node` tells whether that
// place is of this order, and where another order came in between, places are given again.

import type { Expr } from "../expr/expr.ts";

/** The order whose places the nodes have, and how many there were. */
let latest: NodeOrder | null = null;
let orders = 0;

export class NodeOrder {
  readonly roots: readonly Expr[];
  /** Those of the graph, then those that were added. */
  readonly nodes: Expr[];
  /** How many are of the graph. */
  readonly count: number;
  /** The place of nodes that are not of the graph and were marked, whatever that means. */
  readonly mark: number = -++orders;
  #clients: number[] | null = null;

  /** `among` has all of the graph's nodes, inputs first, and perhaps others; where it is not given, they are found. */
  constructor(roots: readonly Expr[], among?: readonly Expr[]) {
    this.roots = roots;
    this.nodes = among === undefined ? walk(roots) : used(roots, among, this.mark);
    this.count = this.nodes.length;
    latest = this;
  }

  /** −1 for a node that is not in it. */
  placeOf(node: Expr): number {
    const { place } = node;
    const { nodes } = this;
    if (place >= 0 && place < nodes.length && nodes[place] === node) return place;
    if (latest === this) return -1;
    this.#placeAgain();
    return isIn(nodes, node) ? node.place : -1;
  }

  /** A node that comes up on the way; it is in none of the graph's nodes' inputs. */
  add(node: Expr): number {
    put(this.nodes, node);
    return node.place;
  }

  /** As it was before nodes were added. */
  reset(): void {
    this.nodes.length = this.count;
    this.#clients = null;
  }

  #placeAgain(): void {
    for (let i = 0; i < this.nodes.length; i++) this.nodes[i]!.place = i;
    latest = this;
  }

  /** By place: how many nodes use a node, each counted once, and how many results it is. */
  get clients(): number[] {
    this.#clients ??= this.#countClients();
    return this.#clients;
  }

  #countClients(): number[] {
    const counts = new Array<number>(this.nodes.length).fill(0);
    for (const root of this.roots) counts[this.placeOf(root)]!++;
    for (let at = 0; at < this.count; at++) {
      const { inputs } = this.nodes[at]!;
      for (let i = 0; i < inputs.length; i++)
        if (i === 0 || inputs.indexOf(inputs[i]!) === i) counts[this.placeOf(inputs[i]!)]!++;
    }
    return counts;
  }
}

/** Those that the roots need. */
function used(roots: readonly Expr[], among: readonly Expr[], mark: number): Expr[] {
  for (const root of roots) root.place = mark;
  for (let i = among.length - 1; i >= 0; i--) {
    const { place, inputs } = among[i]!;
    if (place === mark) for (let at = 0; at < inputs.length; at++) inputs[at]!.place = mark;
  }
  const order: Expr[] = [];
  for (let i = 0; i < among.length; i++) {
    const node = among[i]!;
    if (node.place === mark) put(order, node);
  }
  return order;
}

/** What expr/walk.ts does, but a node knows whether it was met. */
function walk(roots: readonly Expr[]): Expr[] {
  const order: Expr[] = [];
  const stack: Expr[] = [];
  for (const root of roots) {
    stack.push(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1]!;
      if (!isIn(order, node)) {
        if (pushMissing(stack, order, node.inputs)) continue;
        put(order, node);
      }
      stack.pop();
    }
  }
  return order;
}

/** The first input comes to lie on top. */
function pushMissing(stack: Expr[], order: readonly Expr[], inputs: readonly Expr[]): boolean {
  let isAny = false;
  for (let i = inputs.length - 1; i >= 0; i--) {
    if (isIn(order, inputs[i]!)) continue;
    stack.push(inputs[i]!);
    isAny = true;
  }
  return isAny;
}

function put(order: Expr[], node: Expr): void {
  node.place = order.length;
  order.push(node);
}

function isIn(order: readonly Expr[], node: Expr): boolean {
  const { place } = node;
  return place >= 0 && place < order.length && order[place] === node;
}
