// The nodes of a graph, inputs before what uses them, each with its place: what is known of a node lies in a list at
// that place, which is much faster than a map for graphs of a million nodes.
// A node remembers the place that the last order gave it, and which order that was. Must hold: `nodes[node.place] === node`
// tells whether that place is of this order; an order has a larger number than those whose nodes it took over, so that one
// that came later is known by its number, and places are given again.

import type { Expr } from "../expr/expr.ts";

/** Of nodes that were marked. */
const MARKED = -1;

/** Who gave places. Apart from the order, which has all nodes: these must not keep one another. */
class OrderNumber {
  number = 0;
}

export class NodeOrder {
  readonly roots: readonly Expr[];
  /** Those of the graph, then those that were added. */
  readonly nodes: Expr[];
  /** How many are of the graph. */
  readonly count: number;
  readonly #placing = new OrderNumber();
  #clients: number[] | null = null;

  /** `among` has all of the graph's nodes, inputs first, and perhaps others; where it is not given, they are found. */
  constructor(roots: readonly Expr[], among?: readonly Expr[]) {
    this.roots = roots;
    this.nodes = among === undefined ? walk(roots, this.#placing) : used(roots, among, this.#placing);
    this.count = this.nodes.length;
  }

  /** Marks a node that is not of the graph, whatever that means. */
  mark(node: Expr): void {
    setPlace(node, MARKED, this.#placing);
  }

  isMarked(node: Expr): boolean {
    return node.place === MARKED && node.placing === this.#placing;
  }

  /** −1 for a node that is not in it. */
  placeOf(node: Expr): number {
    const { place } = node;
    const { nodes } = this;
    if (place >= 0 && place < nodes.length && nodes[place] === node) return place;
    // An order that was there before has nodes that this one did not take.
    if (node.placing === null || node.placing.number <= this.#placing.number) return -1;
    this.#placeAgain(node.placing.number);
    return isIn(nodes, node) ? node.place : -1;
  }

  /** A node that comes up on the way; it is in none of the graph's nodes' inputs. */
  add(node: Expr): number {
    put(this.nodes, node, this.#placing);
    return node.place;
  }

  /** As it was before nodes were added. */
  reset(): void {
    this.nodes.length = this.count;
    this.#clients = null;
  }

  /** After another order came in between: its nodes that are not of this one are known by its number from now on. */
  #placeAgain(number: number): void {
    this.#placing.number = Math.max(this.#placing.number, number);
    for (let i = 0; i < this.nodes.length; i++) setPlace(this.nodes[i]!, i, this.#placing);
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
function used(roots: readonly Expr[], among: readonly Expr[], placing: OrderNumber): Expr[] {
  for (const root of roots) setPlace(root, MARKED, placing);
  for (let i = among.length - 1; i >= 0; i--) {
    const node = among[i]!;
    if (node.placing !== placing) continue;
    const { inputs } = node;
    for (let at = 0; at < inputs.length; at++) setPlace(inputs[at]!, MARKED, placing);
  }
  const order: Expr[] = [];
  for (let i = 0; i < among.length; i++) {
    const node = among[i]!;
    if (node.placing === placing && node.place === MARKED) put(order, node, placing);
  }
  return order;
}

function setPlace(node: Expr, place: number, placing: OrderNumber): void {
  const before = node.placing;
  if (before !== placing) {
    if (before !== null && before.number >= placing.number) placing.number = before.number + 1;
    node.placing = placing;
  }
  node.place = place;
}

/** What expr/expr.ts does, but a node knows whether it was met. */
function walk(roots: readonly Expr[], placing: OrderNumber): Expr[] {
  const order: Expr[] = [];
  const stack: Expr[] = [];
  for (const root of roots) {
    stack.push(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1]!;
      if (!isIn(order, node)) {
        if (pushMissing(stack, order, node.inputs)) continue;
        put(order, node, placing);
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

function put(order: Expr[], node: Expr, placing: OrderNumber): void {
  setPlace(node, order.length, placing);
  order.push(node);
}

function isIn(order: readonly Expr[], node: Expr): boolean {
  const { place } = node;
  return place >= 0 && place < order.length && order[place] === node;
}
