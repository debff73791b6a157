// A function graph: expressions with inputs and outputs that can be changed in place, for rewrites that look at
// a whole graph. Nodes stay immutable: replacing one rebuilds all that use it. Equal nodes are the same object
// from the start, so there is nothing to merge.
// Must hold: a replacement has the dtype and shape of what it replaces; `revert` brings back any checkpoint; whoever asks
// for a node of an earlier state means what that has become.

import { InvariantError } from "../core/errors.ts";
import { type Expr, makeExpr, postOrder } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { exprText } from "../expr/print.ts";
import { areListening, type GraphFeature, tell } from "./graphFeatures.ts";
import { checkedInputs, checkSources, type GraphInputs, namesOf } from "./graphInputs.ts";
import { checkType, recordDerivation, shortText } from "./matchText.ts";

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

/** What a graph spent beside its rewrites, in milliseconds and numbers. */
export interface GraphCosts {
  /** Asking validators. */
  validate: number;
  /** Telling features. */
  callback: number;
  /** Finding the order and who uses what. */
  toposort: number;
  /** How many nodes were replaced. */
  replacements: number;
  /** Changes that a validator objected to. */
  objections: number;
}

/**
 * Expressions as a graph that can be changed, with who uses what: `new FunctionGraph([x.expr], [x.add(1).expr])`. Inputs may
 * have names, by which they are printed: `new FunctionGraph({x: x.expr}, [x.add(1).expr])`.
 */
export class FunctionGraph {
  readonly inputs: readonly Expr[];
  /** Names of inputs, where they were given any. */
  readonly names: ReadonlyMap<Expr, string>;
  readonly costs: GraphCosts = { validate: 0, callback: 0, toposort: 0, replacements: 0, objections: 0 };
  readonly #features: GraphFeature[] = [];
  readonly #history: GraphChange[] = [];
  #outputs: readonly Expr[];
  #index: Index | null = null;
  /** What nodes of earlier states have become. */
  readonly #became = new Map<Expr, Expr>();
  /** For every step of the history, what that said before. */
  readonly #becameBefore: ReadonlyMap<Expr, Expr | undefined>[] = [];

  constructor(inputs: GraphInputs, outputs: readonly Expr[]) {
    this.inputs = checkedInputs(inputs);
    this.names = namesOf(inputs);
    this.#outputs = [...outputs];
    checkSources(this.inputs, this.#outputs);
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

  /** The nodes of an op, or all, inputs first, for who changes the graph as it goes: each as it is when its turn comes. */
  *walk(op?: Op): Generator<Expr, void, undefined> {
    for (const node of op === undefined ? this.toposort() : this.nodesOf(op)) {
      const now = this.current(node);
      if (this.has(now) && (op === undefined || now.op === op)) yield now;
    }
  }

  /** Tells a feature of every node, and of what comes and goes from now on. False where one of its name is there. */
  attach(feature: GraphFeature): boolean {
    if (this.#features.some(({ name }) => name === feature.name)) return false;
    this.#features.push(feature);
    feature.onAttach?.(this);
    if (feature.onImport !== undefined)
      for (const node of this.toposort()) feature.onImport(node, "attach", this);
    return true;
  }

  detach(name: string): boolean {
    const at = this.#features.findIndex((feature) => feature.name === name);
    if (at < 0) return false;
    const [feature] = this.#features.splice(at, 1);
    feature!.onDetach?.(this);
    return true;
  }

  get features(): readonly GraphFeature[] {
    return this.#features;
  }

  /** A check that `replaceValidate` makes after every change. */
  addValidator(validator: Validator): void {
    this.attach({ name: `validator ${this.#features.length}`, validate: () => validator(this) });
  }

  get hasValidators(): boolean {
    return this.#features.some(({ validate }) => validate !== undefined);
  }

  /** What the first feature that minds has against the graph as it is; null where none does. */
  validate(): string | null {
    const from = performance.now();
    let objection: string | null = null;
    for (const feature of this.#features) objection ??= feature.validate?.(this) ?? null;
    this.costs.validate += performance.now() - from;
    return objection;
  }

  /**
   * Puts a node in the place of another, wherever it is used; nowhere, if it is not in the graph. Who holds nodes of an earlier
   * state means what they have become.
   */
  replace(node: Expr, replacement: Expr, reason: string = "replace"): void {
    const now = this.current(node);
    this.replaceAll(new Map([[now, now === node ? replacement : this.#today(replacement)]]), reason);
  }

  /** What a node of an earlier state has become: itself, its replacement, or itself rebuilt over replacements. */
  current(node: Expr): Expr {
    let now = node;
    for (let next = this.#became.get(now); next !== undefined; next = this.#became.get(now)) now = next;
    return now;
  }

  /** Several at once; replacements are taken as they are, even where they use what is replaced. */
  replaceAll(wanted: ReadonlyMap<Expr, Expr>, reason: string = "replace"): void {
    const replaced = new Map([...wanted].filter(([node]) => this.has(node)));
    if (replaced.size === 0) return;
    for (const [node, replacement] of replaced) {
      checkType({ name: reason }, node, replacement);
      recordDerivation(replacement, reason, node);
    }
    const rebuilt = rebuild(this.#outputs, replaced);
    const outputs = this.#outputs.map((output) => rebuilt.get(output)!);
    this.#history.push({ replaced, reason, outputs: this.#outputs });
    this.costs.replacements += replaced.size;
    this.#settle(outputs, rebuilt, reason);
    this.#remember(rebuilt);
  }

  /** What is in the graph is what it is: steps lead to such nodes only, so following them ends. */
  #remember(rebuilt: ReadonlyMap<Expr, Expr>): void {
    const before = new Map<Expr, Expr | undefined>();
    for (const [node, now] of rebuilt) {
      if (node === now || this.has(node)) continue;
      before.set(node, this.#became.get(node));
      this.#became.set(node, now);
    }
    for (const node of this.toposort()) {
      const was = this.#became.get(node);
      if (was === undefined) continue;
      before.set(node, was);
      this.#became.delete(node);
    }
    this.#becameBefore.push(before);
  }

  #recall(to: Checkpoint): void {
    for (const before of this.#becameBefore.splice(to).reverse())
      for (const [node, was] of before)
        if (was === undefined) this.#became.delete(node);
        else this.#became.set(node, was);
  }

  /** A node over what nodes of earlier states have become. */
  #today(replacement: Expr): Expr {
    const now = new Map<Expr, Expr>();
    const isKnown = (node: Expr): boolean => {
      if (!this.has(node) && !this.#became.has(node)) return false;
      now.set(node, this.current(node));
      return true;
    };
    for (const node of postOrder([replacement], isKnown)) now.set(node, overInputs(node, now));
    return now.get(replacement)!;
  }

  /**
   * Replaces, unless a validator objects, or the node is not in the graph any more: then nothing has changed, and the answer
   * is the objection.
   */
  replaceValidate(node: Expr, replacement: Expr, reason: string = "replaceValidate"): string | null {
    const now = this.current(node);
    if (!this.has(now)) return goneText(node);
    if (now !== node && this.#today(replacement) === now) return `${shortText(node)} is of an earlier state`;
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
    const objection = this.validate();
    if (objection === null) return null;
    this.costs.objections++;
    this.revert(before);
    return objection;
  }

  checkpoint(): Checkpoint {
    return this.#history.length;
  }

  /** As it was at the checkpoint, or at the begin. */
  revert(to: Checkpoint = 0): void {
    const first = this.#history[to];
    if (first === undefined) return;
    this.#history.length = to;
    this.#recall(to);
    this.#settle(first.outputs, new Map(), "revert");
  }

  #settle(outputs: readonly Expr[], became: ReadonlyMap<Expr, Expr>, reason: string): void {
    const before = areListening(this.#features) ? this.toposort() : null;
    this.#outputs = outputs;
    this.#index = null;
    if (before === null) return;
    const after = this.toposort();
    const from = performance.now();
    tell(this.#features, { before, after, became, reason }, this);
    this.costs.callback += performance.now() - from;
  }

  #indexed(): Index {
    if (this.#index !== null) return this.#index;
    const from = performance.now();
    this.#index = indexOf(this.#outputs);
    this.costs.toposort += performance.now() - from;
    return this.#index;
  }

  toString(): string {
    return exprText(this.#outputs, { names: this.names });
  }
}

const goneText = (node: Expr): string => `${shortText(node)} is not in the graph`;

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
  for (const node of postOrder(roots, (one) => replaced.has(one))) now.set(node, overInputs(node, now));
  return now;
}

function overInputs(node: Expr, now: ReadonlyMap<Expr, Expr>): Expr {
  const inputs = node.inputs.map((input) => now.get(input)!);
  const isSame = inputs.every((input, i) => input === node.inputs[i]);
  return isSame ? node : makeExpr(node.op, inputs, node.attrs, node.site);
}
