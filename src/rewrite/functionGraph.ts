// A function graph: expressions with inputs and outputs that can be changed in place, for rewrites that look at
// a whole graph. Nodes stay immutable: replacing one rebuilds all that use it. Equal nodes are the same object
// from the start, so there is nothing to merge.
// Must hold: a replacement has the dtype and shape of what it replaces; `revert` brings back any checkpoint.

import { InvariantError } from "../core/errors.ts";
import { type Expr, makeExpr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { exprText } from "../expr/print.ts";
import { postOrder } from "../expr/walk.ts";
import { checkType } from "./checkType.ts";
import { recordDerivation } from "./derivation.ts";
import { shortText } from "./matchText.ts";

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
