// The default driver: a memoised rewrite over interned nodes, inputs first, with a stack of its own.
// In: roots and rules. Out: the roots' replacements, at a fixpoint: no rule matches any of their nodes.
// A node is done once and for all; a node whose inputs changed is rebuilt; a replacement is rewritten in turn.
// Must hold: cost ≈ nodes + replacements. A replacement keeps dtype and shape. A node that is reached again
// while it is being rewritten is a cycle of rules, told at once; a budget bounds what rules may add.

import { RuleCycleError, RuleGrowthError, RuleTypeError } from "../core/errors.ts";
import { sameShape } from "../core/shape.ts";
import { type Expr, makeExpr } from "../expr/expr.ts";
import { assumeReplaced } from "../expr/site.ts";
import { ClientCounts } from "./clients.ts";
import { recordDerivation } from "./derivation.ts";
import type { Dispatcher } from "./dispatch.ts";
import { lineText, shortText } from "./matchText.ts";
import { NodeTable } from "./nodeTable.ts";
import { orderOf } from "./order.ts";
import type { Rule, RuleContext } from "./rule.ts";

export interface DriverOptions {
  /** The most nodes rules may make; 10 × the nodes at the start + 10,000 unless said. */
  readonly maxNewNodes?: number | undefined;
  readonly observer?: DriverObserver | undefined;
  /** The nodes in order, if they are known: where no rule matches, a scan of them is all there is to do. */
  readonly order?: readonly Expr[] | undefined;
}

/** Who watches a run: the profile and explain. */
export interface DriverObserver {
  /** Instead of `rule.apply`. */
  tryRule(rule: Rule, node: Expr, context: RuleContext): Expr | null;
  applied(rule: Rule, node: Expr, replacement: Expr): void;
  /** A node over changed inputs. */
  rebuilt(node: Expr, now: Expr): void;
}

export interface DriverResult {
  readonly roots: readonly Expr[];
  /** How often each rule was applied. */
  readonly applied: ReadonlyMap<Rule, number>;
  /** Nodes that were looked at. */
  readonly visited: number;
}

export function rewrite(
  roots: readonly Expr[],
  dispatcher: Dispatcher,
  options: DriverOptions = {},
): DriverResult {
  return new Run(roots, dispatcher, options).result();
}

/** What a frame of the stack waits for. */
const INPUTS = 0;
const REPLACEMENT = 1;

const GROWTH_FACTOR = 10;
const GROWTH_FREE = 10_000;

class Run {
  readonly #roots: readonly Expr[];
  readonly #dispatcher: Dispatcher;
  readonly #observer: DriverObserver | null;
  readonly #order: readonly Expr[];
  readonly #context: RuleContext;
  readonly #clients: ClientCounts;
  /** What every finished node has become. Nodes under way are there as null. */
  readonly #done = new NodeTable<Expr | null>();
  readonly #applied = new Map<Rule, number>();
  /** Nodes that were first met below a replacement, and how many of them came from which rule. */
  #made = 0;
  readonly #madeBy = new Map<Rule, number>();
  #maxNewNodes: number | undefined;

  // The stack: a node, what it waits for, its next input; for replacements the rebuilt node, the rule and the
  // replacement.
  readonly #nodes: Expr[] = [];
  readonly #waits: number[] = [];
  readonly #next: number[] = [];
  readonly #rebuilt: Expr[] = [];
  readonly #rules: (Rule | null)[] = [];
  readonly #replacements: (Expr | null)[] = [];
  /** The rules whose replacements are under way: what is met below was made by the last of them. */
  readonly #firing: Rule[] = [];

  constructor(roots: readonly Expr[], dispatcher: Dispatcher, options: DriverOptions) {
    this.#roots = roots;
    this.#dispatcher = dispatcher;
    this.#observer = options.observer ?? null;
    this.#order = options.order ?? orderOf(roots);
    this.#maxNewNodes = options.maxNewNodes;
    this.#clients = new ClientCounts(roots, this.#order, this.#done);
    this.#context = { clients: (node) => this.#clients.of(node) };
  }

  result(): DriverResult {
    const before = assumeReplaced(null);
    try {
      // Inputs come first, so the stack holds only what replacements bring.
      for (let i = this.#skipClean(); i < this.#order.length; i++) this.#rewriteNode(this.#order[i]!);
    } finally {
      assumeReplaced(before);
    }
    const roots = this.#roots.map((root) => this.#done.get(root)!);
    return { roots, applied: this.#applied, visited: Math.max(this.#done.size, this.#order.length) };
  }

  /** The place of the first node that a rule matches. Those before it are done, and where there is none, all are. */
  #skipClean(): number {
    const order = this.#order;
    if (this.#observer !== null) return 0;
    let clean = 0;
    while (clean < order.length && !this.#canChange(order[clean]!)) clean++;
    if (clean === order.length) for (const root of this.#roots) this.#done.set(root, root);
    else for (let i = 0; i < clean; i++) this.#done.set(order[i]!, order[i]!);
    return clean;
  }

  #canChange(node: Expr): boolean {
    const candidates = this.#dispatcher.candidates(node);
    if (candidates.length === 0) return false;
    assumeReplaced(node);
    return candidates.some((rule) => (this.#try(rule, node) ?? node) !== node);
  }

  #rewriteNode(node: Expr): void {
    this.#enter(node);
    while (this.#nodes.length > 0) {
      const top = this.#nodes.length - 1;
      if (this.#waits[top] === REPLACEMENT) this.#finishReplacement(top);
      else if (!this.#enterNextInput(top)) this.#finishInputs(top);
    }
  }

  /** Puts a node on the stack unless it is done. */
  #enter(node: Expr): void {
    const known = this.#done.get(node);
    if (known === null) throw this.#cycleError(node);
    if (known !== undefined) return;
    if (this.#firing.length > 0) this.#countMade();
    this.#done.set(node, null);
    this.#nodes.push(node);
    this.#waits.push(INPUTS);
    this.#next.push(0);
    this.#rebuilt.push(node);
    this.#rules.push(null);
    this.#replacements.push(null);
  }

  #leave(node: Expr, result: Expr): void {
    this.#done.set(node, result);
    this.#nodes.pop();
    this.#waits.pop();
    this.#next.pop();
    this.#rebuilt.pop();
    this.#rules.pop();
    this.#replacements.pop();
  }

  #enterNextInput(top: number): boolean {
    const { inputs } = this.#nodes[top]!;
    for (let at = this.#next[top]!; at < inputs.length; at++) {
      const known = this.#done.get(inputs[at]!);
      if (known !== undefined && known !== null) continue;
      this.#next[top] = at + 1;
      this.#enter(inputs[at]!);
      return true;
    }
    return false;
  }

  /** All inputs are done: the node is rebuilt if one changed, and rules are tried. */
  #finishInputs(top: number): void {
    const node = this.#nodes[top]!;
    const rebuilt = this.#rebuild(node);
    if (rebuilt !== node) {
      const known = this.#done.get(rebuilt);
      if (known === null) throw this.#cycleError(rebuilt);
      this.#clients.inherit(node, known ?? rebuilt);
      this.#observer?.rebuilt(node, rebuilt);
      if (known !== undefined) return this.#leave(node, known);
    }
    const candidates = this.#dispatcher.candidates(rebuilt);
    if (candidates.length > 0) assumeReplaced(node);
    for (let i = 0; i < candidates.length; i++) {
      const replacement = this.#try(candidates[i]!, rebuilt);
      if (replacement !== null && replacement !== rebuilt)
        return this.#replace(top, candidates[i]!, rebuilt, replacement);
    }
    if (rebuilt !== node) this.#done.set(rebuilt, rebuilt);
    this.#leave(node, rebuilt);
  }

  #try(rule: Rule, node: Expr): Expr | null {
    if (this.#observer === null) return rule.apply(node, this.#context);
    return this.#observer.tryRule(rule, node, this.#context);
  }

  #rebuild(node: Expr): Expr {
    const { inputs } = node;
    for (let i = 0; i < inputs.length; i++) {
      if (this.#done.get(inputs[i]!) === inputs[i]) continue;
      const changed = inputs.map((input) => this.#done.get(input)!);
      return makeExpr(node.op, changed, node.attrs, node.site);
    }
    return node;
  }

  #replace(top: number, rule: Rule, node: Expr, replacement: Expr): void {
    checkType(rule, node, replacement);
    this.#applied.set(rule, (this.#applied.get(rule) ?? 0) + 1);
    recordDerivation(replacement, rule.name, node);
    this.#observer?.applied(rule, node, replacement);
    this.#done.set(node, null);
    this.#clients.inherit(node, replacement);
    this.#waits[top] = REPLACEMENT;
    this.#rebuilt[top] = node;
    this.#rules[top] = rule;
    this.#replacements[top] = replacement;
    this.#firing.push(rule);
    this.#enter(replacement);
  }

  /** The replacement is done, and what it became stands for the node. */
  #finishReplacement(top: number): void {
    const result = this.#done.get(this.#replacements[top]!)!;
    this.#done.set(this.#rebuilt[top]!, result);
    this.#firing.pop();
    this.#leave(this.#nodes[top]!, result);
  }

  #countMade(): void {
    const rule = this.#firing[this.#firing.length - 1]!;
    this.#madeBy.set(rule, (this.#madeBy.get(rule) ?? 0) + 1);
    this.#made++;
    if (this.#maxNewNodes === undefined && this.#made > GROWTH_FREE)
      this.#maxNewNodes = GROWTH_FREE + GROWTH_FACTOR * this.#order.length;
    if (this.#maxNewNodes !== undefined && this.#made > this.#maxNewNodes) throw this.#growthError();
  }

  #growthError(): RuleGrowthError {
    const [rule, count] = [...this.#madeBy].sort((a, b) => b[1] - a[1])[0]!;
    return new RuleGrowthError({
      what: `rules made more than ${this.#maxNewNodes} nodes, most of them ${rule.name} (${count}): ${rule.equation}`,
      cure: `Exclude ${rule.name}, or raise maxNewNodes`,
      rules: [rule.name],
    });
  }

  /** The rules from where the node was met first to where it was met again. */
  #cycleError(node: Expr): RuleCycleError {
    const from = this.#nodes.findIndex((one, i) => one === node || this.#rebuilt[i] === node);
    const steps = this.#rules.flatMap((rule, i) => (rule === null || i < from ? [] : [{ rule, i }]));
    const names = [...new Set(steps.map(({ rule }) => rule.name))];
    const other = this.#replacements[steps[0]?.i ?? 0] ?? node;
    const verb = names.length === 1 ? "undoes itself" : "undo each other";
    return new RuleCycleError({
      what: `${names.length === 1 ? "rule" : "rules"} ${names.join(", ")} ${verb}: ${lineText(node)} becomes ${lineText(other)}, and that ${lineText(node)} again`,
      cure: `Exclude ${names.at(-1)}, or give one of them a condition`,
      rules: names,
    });
  }
}

/** A replacement means the same: same dtype, same shape. */
export function checkType(rule: { readonly name: string }, node: Expr, replacement: Expr): void {
  if (replacement.type === node.type) return;
  if (replacement.dtype === node.dtype && sameShape(replacement.shape, node.shape)) return;
  throw new RuleTypeError({
    what: `rule ${rule.name} replaces ${shortText(node)} by ${shortText(replacement)}`,
    cure: "A rule must keep dtype and shape: mend it, or exclude it",
    rules: [rule.name],
  });
}
