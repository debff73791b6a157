// A function graph: expressions with inputs and outputs that can be changed in place, for rewrites that look at
// a whole graph. Nodes stay immutable: replacing one rebuilds all that use it. Equal nodes are the same object
// from the start, so there is nothing to merge.
// Must hold: a replacement has the dtype and shape of what it replaces; `revert` brings back any checkpoint.

import { InvariantError } from "../core/errors.ts";
import { type Expr, makeExpr, postOrder } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { exprText } from "../expr/print.ts";
import { checkType, recordDerivation, shortText } from "./matchText.ts";

// The nodes of a graph, inputs before what uses them, each with its place: what is known of a node lies in a list at
// that place, which is much faster than a map for graphs of a million nodes.
// A node remembers the place that the last order gave it, and which order that was. Must hold: `nodes[node.place] === node`
// tells whether that place is of this order; an order has a larger number than those whose nodes it took over, so that one
// that came later is known by its number, and places are given again.

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

/** One step of a graph's history. */
export interface GraphChange {
  /** What came into the place of what. */
  readonly replaced: ReadonlyMap<Expr, Expr>;
  /** Who wanted it: a rewrite's name. */
  readonly reason: string;
  /** The outputs before. */
  readonly outputs: readonly Expr[];
}

/** Says what is wrong with a graph after a change, or null. */
export type Validator = (graph: FunctionGraph) => string | null;

/** Where a history was, for `revert`. */
export type Checkpoint = number;

/** What is known of a graph until it changes. */
interface Index {
  readonly order: readonly Expr[];
  readonly clients: ReadonlyMap<Expr, readonly Expr[]>;
  readonly byOp: ReadonlyMap<Op, readonly Expr[]>;
}

/** Replacements of other nodes than the one a local rewrite was called with. */
export interface Replacements {
  /** What comes into the place of what. */
  readonly replace: ReadonlyMap<Expr, Expr>;
  /** Nodes that must be gone afterwards; if one survives, all is undone and it is an error. */
  readonly remove?: readonly Expr[];
}

/** Expressions as a graph that can be changed, with who uses what: `new FunctionGraph([x.expr], [x.add(1).expr])`. */
export class FunctionGraph {
  readonly inputs: readonly Expr[];
  readonly #validators: Validator[] = [];
  readonly #history: GraphChange[] = [];
  #outputs: readonly Expr[];
  #index: Index | null = null;
  readonly #became = new Map<Expr, Expr>();

  constructor(inputs: readonly Expr[], outputs: readonly Expr[]) {
    this.inputs = [...inputs];
    this.#outputs = [...outputs];
  }

  get outputs(): readonly Expr[] {
    return this.#outputs;
  }

  get history(): readonly GraphChange[] {
    return this.#history;
  }

  /** Every node, inputs before what uses them. */
  toposort(): readonly Expr[] {
    return this.#indexed().order;
  }

  has(node: Expr): boolean {
    return this.#indexed().clients.has(node);
  }

  /** The nodes that use this one. */
  clients(node: Expr): readonly Expr[] {
    return this.#indexed().clients.get(node) ?? [];
  }

  nodesOf(op: Op): readonly Expr[] {
    return this.#indexed().byOp.get(op) ?? [];
  }

  /** A check that `replaceValidate` makes after every change. */
  addValidator(validator: Validator): void {
    this.#validators.push(validator);
  }

  get hasValidators(): boolean {
    return this.#validators.length > 0;
  }

  /** Puts a node in the place of another, wherever it is used. */
  replace(node: Expr, replacement: Expr, reason: string = "replace"): void {
    this.replaceAll(new Map([[node, replacement]]), reason);
  }

  /** What a node of an earlier state has become: itself, its replacement, or itself rebuilt over replacements. */
  current(node: Expr): Expr {
    let now = node;
    for (let next = this.#became.get(now); next !== undefined; next = this.#became.get(now)) now = next;
    return now;
  }

  /** Several at once; replacements are taken as they are, even where they use what is replaced. */
  replaceAll(replaced: ReadonlyMap<Expr, Expr>, reason: string = "replace"): void {
    for (const [node, replacement] of replaced) {
      checkType({ name: reason }, node, replacement);
      recordDerivation(replacement, reason, node);
    }
    const rebuilt = rebuild(this.#outputs, replaced);
    const outputs = this.#outputs.map((output) => rebuilt.get(output)!);
    this.#history.push({ replaced, reason, outputs: this.#outputs });
    for (const [node, now] of rebuilt) this.#became.set(node, now);
    this.#settle(outputs);
    // What is in the graph is what it is: steps lead to such nodes only, so following them ends.
    for (const node of this.toposort()) this.#became.delete(node);
  }

  /** Replaces, unless a validator objects: then nothing has changed, and the answer is its objection. */
  replaceValidate(node: Expr, replacement: Expr, reason: string = "replaceValidate"): string | null {
    return this.#tentatively(() => this.replace(node, replacement, reason));
  }

  /** What a local rewrite wants. A node of `remove` that survives undoes it all, and is an error. */
  apply({ replace, remove = [] }: Replacements, reason: string): string | null {
    const before = this.checkpoint();
    const objection = this.#tentatively(() => this.replaceAll(replace, reason));
    const survivor = objection === null ? remove.find((node) => this.has(node)) : undefined;
    if (survivor === undefined) return objection;
    this.revert(before);
    throw new InvariantError({
      what: `${reason} promised to remove ${shortText(survivor)}, and it is still used; its replacements were undone`,
      cure: "Replace every use of it, or leave it out of remove",
    });
  }

  #tentatively(change: () => void): string | null {
    const before = this.checkpoint();
    change();
    for (const validator of this.#validators) {
      const objection = validator(this);
      if (objection === null) continue;
      this.revert(before);
      return objection;
    }
    return null;
  }

  checkpoint(): Checkpoint {
    return this.#history.length;
  }

  /** As it was at the checkpoint, or at the begin. */
  revert(to: Checkpoint = 0): void {
    const first = this.#history[to];
    if (first === undefined) return;
    this.#history.length = to;
    this.#became.clear();
    this.#settle(first.outputs);
  }

  #settle(outputs: readonly Expr[]): void {
    this.#outputs = outputs;
    this.#index = null;
  }

  #indexed(): Index {
    this.#index ??= indexOf(this.#outputs);
    return this.#index;
  }

  toString(): string {
    return exprText(this.#outputs);
  }
}

function indexOf(outputs: readonly Expr[]): Index {
  const order = postOrder(outputs);
  const clients = new Map<Expr, Expr[]>(order.map((node) => [node, []]));
  const byOp = new Map<Op, Expr[]>();
  for (const node of order) {
    for (const input of new Set(node.inputs)) clients.get(input)!.push(node);
    const same = byOp.get(node.op);
    if (same === undefined) byOp.set(node.op, [node]);
    else same.push(node);
  }
  return { order, clients, byOp };
}

/** What every node becomes when some are replaced: all that uses them is rebuilt, in one walk. */
function rebuild(roots: readonly Expr[], replaced: ReadonlyMap<Expr, Expr>): Map<Expr, Expr> {
  const now = new Map<Expr, Expr>(replaced);
  for (const node of postOrder(roots, (one) => replaced.has(one))) {
    const inputs = node.inputs.map((input) => now.get(input)!);
    const isSame = inputs.every((input, i) => input === node.inputs[i]);
    now.set(node, isSame ? node : makeExpr(node.op, inputs, node.attrs, node.site));
  }
  return now;
}
