// The default driver: a memoised rewrite over interned nodes, with a stack of its own.
// In: roots and rules. Out: the roots' replacements, at a fixpoint: no rule matches any of their nodes.
// A node is done once and for all; a node whose inputs changed is rebuilt; a replacement is rewritten in turn. Inputs come
// first; or what uses them does, for rules that move something inwards: n selections along a chain then go down it
// together, each meeting the next, where inputs first would lead every one of them down by itself: n² steps.
// Must hold: cost ≈ nodes + replacements. A replacement keeps dtype and shape. A node that is reached again
// while it is being rewritten is a cycle of rules, told at once; a budget bounds what rules may add.

import { RuleGrowthError } from "../core/errors.ts";
import { type Expr, withInputs } from "../expr/expr.ts";
import { assumeReplaced } from "../expr/site.ts";
import { checkGiven, thrownBy } from "./broken.ts";
import { Frames, UNTRIED } from "./frames.ts";
import { checkType, recordDerivation } from "./matchText.ts";
import { NodeOrder } from "./nodeOrder.ts";
import { type DriverObserver, timed } from "./observer.ts";
import { type Parts, partsOf } from "./parts.ts";
import { ClientCounts, type Dispatcher, type Rule, type RuleContext } from "./rule.ts";

/** What is looked at first: a node's inputs, or the node (and again after them). */
export type Direction = "inputsFirst" | "outputsFirst";

/** Options of `rewrite`. */
export interface DriverOptions {
  /** The most nodes rules may make; 10 × the nodes at the start + 10,000 unless said. */
  readonly maxNewNodes?: number | undefined;
  /** A rule that makes too many is not applied any more where it does, and nowhere after; else that is an error. */
  readonly stopsGrowth?: boolean | undefined;
  /** Rules that are not tried: those that earlier runs stopped. This one adds its own. */
  readonly stopped?: Set<Rule> | undefined;
  /** Inputs first unless said. */
  readonly direction?: Direction | undefined;
  /** Who watches: the profile and explain. */
  readonly observer?: DriverObserver | undefined;
  /** The nodes in order, if they are known: where no rule matches, a scan of them is all there is to do. */
  readonly order?: NodeOrder | undefined;
}

/** What `rewrite` gives. */
export interface DriverResult {
  /** The expressions, rewritten. */
  readonly roots: readonly Expr[];
  /** How often each rule was applied. */
  readonly applied: ReadonlyMap<Rule, number>;
  /** Rules that made too many nodes, and were not applied any more. */
  readonly stopped: ReadonlySet<Rule>;
  /** Nodes of the graph and those that replacements brought. */
  readonly visited: number;
  /** The nodes of the roots in order; undefined where nothing changed. */
  readonly order: NodeOrder | undefined;
  /** No rule would match if these were run again: none was applied, or none asked for clients, which may be fewer now. */
  readonly isSettled: boolean;
}

/** Applies rules to expressions until none matches: `rewrite([x.expr], new Dispatcher(rules)).roots`. */
export function rewrite(
  roots: readonly Expr[],
  dispatcher: Dispatcher,
  options: DriverOptions = {},
): DriverResult {
  return new Run(roots, dispatcher, options).result();
}

const GROWTH_FACTOR = 10;
const GROWTH_FREE = 10_000;

class Run {
  readonly #dispatcher: Dispatcher;
  readonly #observer: DriverObserver | null;
  readonly #order: NodeOrder;
  readonly #context: RuleContext;
  readonly #clients: ClientCounts;
  /** By place: what every finished node has become. Nodes under way are there as null. */
  readonly #now: (Expr | null | undefined)[] = [];
  readonly #applied = new Map<Rule, number>();
  /** What is done and stays what it is, inputs first: the results, and some that they do not need. */
  readonly #settled: Expr[] = [];
  /** Nodes that were first met below a replacement, and how many of them came from which rule. */
  #made = 0;
  readonly #madeBy = new Map<Rule, number>();
  #maxNewNodes: number | undefined;
  readonly #stopsGrowth: boolean;
  readonly #stopped: Set<Rule>;
  readonly #stoppedNow = new Set<Rule>();
  readonly #isOutputsFirst: boolean;

  readonly #frames = new Frames();
  /** The rules whose replacements are under way: what is met below was made by the last of them. */
  readonly #firing: Rule[] = [];

  constructor(roots: readonly Expr[], dispatcher: Dispatcher, options: DriverOptions) {
    this.#dispatcher = dispatcher;
    this.#observer = options.observer ?? null;
    this.#order = options.order ?? timed(this.#observer, "toposort", () => new NodeOrder(roots));
    this.#maxNewNodes = options.maxNewNodes;
    this.#stopsGrowth = options.stopsGrowth === true && options.maxNewNodes === undefined;
    this.#stopped = options.stopped ?? new Set();
    this.#isOutputsFirst = options.direction === "outputsFirst";
    this.#clients = new ClientCounts(this.#order, this.#now);
    this.#context = { clients: (node) => this.#clients.of(node) };
  }

  result(): DriverResult {
    const before = assumeReplaced(null);
    try {
      const parts = partsOf(this.#order, this.#dispatcher.ofParts);
      return parts === null ? this.#rewritten(this.#skipClean(), null) : this.#rewritten(0, parts);
    } finally {
      assumeReplaced(before);
      if (this.#applied.size > 0) this.#order.reset();
    }
  }

  /** The place of the first node that a rule matches. */
  #skipClean(): number {
    if (this.#observer !== null) return 0;
    const { nodes, count } = this.#order;
    let clean = 0;
    while (clean < count && this.#matching(nodes[clean]!, nodes[clean]!) === null) clean++;
    return clean;
  }

  /** Inputs come first, so the stack holds only what replacements bring. Nodes before `from` stay. */
  #rewritten(from: number, parts: Parts | null): DriverResult {
    const { roots, nodes, count } = this.#order;
    if (from < count) this.#fill(from);
    if (this.#isOutputsFirst && from < count) this.#enterAll(roots);
    for (let place = from; place < count && !this.#isOutputsFirst; place++) {
      if (parts !== null && parts.isNeeded[place] === 0) continue;
      if (this.#now[place] === undefined) this.#begin(nodes[place]!, place, parts);
      this.#stepAll();
    }
    const isChanged = this.#applied.size > 0;
    const visited = nodes.length;
    const after = isChanged ? roots.map((root) => this.#resultOf(root)!) : roots;
    const sorted = (): NodeOrder => new NodeOrder(after, this.#settled);
    return {
      roots: after,
      applied: this.#applied,
      stopped: this.#stoppedNow,
      visited,
      order: isChanged ? timed(this.#observer, "toposort", sorted) : undefined,
      isSettled: !isChanged || !this.#clients.wereAsked,
    };
  }

  #enterAll(roots: readonly Expr[]): void {
    for (const root of roots) {
      this.#enter(root);
      this.#stepAll();
    }
  }

  #stepAll(): void {
    while (this.#frames.depth > 0) {
      this.#step(this.#frames.depth - 1);
      if (this.#isTooMany() && this.#stopsGrowth) this.#stopGrowing();
    }
  }

  #begin(node: Expr, place: number, parts: Parts | null): void {
    const part = parts?.replaced.get(node);
    if (part === undefined) this.#finishInputs(node, place);
    else this.#replace(node, place, part.rule, node, part.replacement);
  }

  #fill(from: number): void {
    const { nodes, count } = this.#order;
    this.#now.length = count;
    for (let place = 0; place < from; place++) this.#settled.push(nodes[place]!);
    for (let place = 0; place < count; place++) this.#now[place] = place < from ? nodes[place] : undefined;
  }

  #resultOf(node: Expr): Expr | null | undefined {
    if (this.#order.isMarked(node)) return node;
    const place = this.#order.placeOf(node);
    return place < 0 ? undefined : this.#now[place];
  }

  #become(node: Expr, result: Expr | null): void {
    const place = this.#order.placeOf(node);
    if (place >= 0) this.#now[place] = result;
    else {
      this.#order.add(node);
      this.#now.push(result);
    }
  }

  #step(top: number): void {
    if (this.#frames.rules[top] !== null) return this.#finishReplacement(top);
    if (this.#frames.next[top] === UNTRIED && this.#replaceFirst(top)) return;
    if (this.#enterNextInput(top)) return;
    const node = this.#frames.nodes[top]!;
    this.#frames.pop();
    this.#finishInputs(node, this.#order.placeOf(node));
  }

  /** Before its inputs are looked at. */
  #replaceFirst(top: number): boolean {
    this.#frames.next[top] = 0;
    const node = this.#frames.nodes[top]!;
    const found = this.#matching(node, node);
    if (found === null) return false;
    this.#frames.pop();
    this.#replace(node, this.#order.placeOf(node), found.rule, node, found.replacement);
    return true;
  }

  /** The first rule that changes a node, which stands for one of the graph. */
  #matching(node: Expr, origin: Expr): { readonly rule: Rule; readonly replacement: Expr } | null {
    const candidates = this.#dispatcher.candidates(node);
    if (candidates.length === 0) return null;
    assumeReplaced(origin);
    let at = 0;
    try {
      for (; at < candidates.length; at++) {
        const rule = candidates[at]!;
        if (this.#stopped.size > 0 && this.#stopped.has(rule)) continue;
        const replacement = this.#try(rule, node);
        if (replacement !== null && replacement !== node)
          return { rule, replacement: checkGiven(rule, node, replacement) };
      }
    } catch (error) {
      throw thrownBy(candidates[at]!, node, error);
    }
    return null;
  }

  /** Puts a node on the stack unless it is done. */
  #enter(node: Expr): void {
    const known = this.#resultOf(node);
    if (known === null) throw this.#frames.cycleOf(node);
    if (known !== undefined) return;
    if (this.#firing.length > 0 && !this.#isOfGraph(node)) this.#countMade();
    this.#become(node, null);
    this.#frames.pushNode(node, this.#isOutputsFirst ? UNTRIED : 0);
  }

  #isOfGraph(node: Expr): boolean {
    const place = this.#order.placeOf(node);
    return place >= 0 && place < this.#order.count;
  }

  #enterNextInput(top: number): boolean {
    const { nodes, next } = this.#frames;
    const { inputs } = nodes[top]!;
    for (let at = next[top]!; at < inputs.length; at++) {
      const known = this.#resultOf(inputs[at]!);
      if (known !== undefined && known !== null) continue;
      next[top] = at + 1;
      this.#enter(inputs[at]!);
      return true;
    }
    return false;
  }

  /** All inputs are done: the node is rebuilt if one changed, and rules are tried. */
  #finishInputs(node: Expr, place: number): void {
    const rebuilt = this.#rebuild(node);
    if (rebuilt !== node) {
      const known = this.#resultOf(rebuilt);
      if (known === null) throw this.#frames.cycleOf(rebuilt);
      this.#clients.inherit(node, known ?? rebuilt);
      this.#observer?.rebuilt(node, rebuilt);
      if (known !== undefined) {
        this.#now[place] = known;
        return;
      }
    }
    const found = this.#matching(rebuilt, node);
    if (found !== null) return this.#replace(node, place, found.rule, rebuilt, found.replacement);
    this.#now[place] = rebuilt;
    this.#settled.push(rebuilt);
    if (rebuilt !== node) this.#stay(rebuilt);
    else if (place >= this.#order.count) this.#stay(node);
  }

  /** It is done, and stays what it is. Of nodes that are not of the graph a mark says so: nothing is stored. */
  #stay(node: Expr): void {
    if (this.#isOfGraph(node)) this.#now[this.#order.placeOf(node)] = node;
    else this.#order.mark(node);
  }

  #try(rule: Rule, node: Expr): Expr | null {
    if (this.#observer === null) return rule.apply(node, this.#context);
    return this.#observer.tryRule(rule, node, this.#context);
  }

  #rebuild(node: Expr): Expr {
    const { inputs } = node;
    for (let i = 0; i < inputs.length; i++)
      if (this.#resultOf(inputs[i]!) !== inputs[i]) return withInputs(node, this.#resultsOf(inputs));
    return node;
  }

  #resultsOf(inputs: readonly Expr[]): Expr[] {
    const [first, second] = inputs;
    if (inputs.length === 1) return [this.#resultOf(first!)!];
    if (inputs.length === 2) return [this.#resultOf(first!)!, this.#resultOf(second!)!];
    return inputs.map((input) => this.#resultOf(input)!);
  }

  #replace(node: Expr, place: number, rule: Rule, rebuilt: Expr, replacement: Expr): void {
    if (this.#observer === null) checkType(rule, rebuilt, replacement);
    else timed(this.#observer, "validate", () => checkType(rule, rebuilt, replacement));
    this.#applied.set(rule, (this.#applied.get(rule) ?? 0) + 1);
    recordDerivation(replacement, rule.name, rebuilt);
    this.#observer?.applied(rule, rebuilt, replacement);
    this.#now[place] = null;
    if (rebuilt !== node) this.#become(rebuilt, null);
    this.#clients.inherit(rebuilt, replacement);
    this.#frames.pushReplaced(node, rebuilt, rule, replacement);
    this.#firing.push(rule);
    this.#enter(replacement);
  }

  /** The replacement is done, and what it became stands for the node. */
  #finishReplacement(top: number): void {
    const { nodes, rebuilt, replacements } = this.#frames;
    const result = this.#resultOf(replacements[top]!)!;
    this.#become(rebuilt[top]!, result);
    this.#become(nodes[top]!, result);
    this.#firing.pop();
    this.#frames.pop();
  }

  #countMade(): void {
    const rule = this.#firing[this.#firing.length - 1]!;
    this.#madeBy.set(rule, (this.#madeBy.get(rule) ?? 0) + 1);
    this.#made++;
    if (this.#maxNewNodes === undefined && this.#made > GROWTH_FREE)
      this.#maxNewNodes = GROWTH_FREE + GROWTH_FACTOR * this.#order.count;
    if (!this.#stopsGrowth && this.#isTooMany()) throw this.#growthError();
  }

  #isTooMany(): boolean {
    return this.#maxNewNodes !== undefined && this.#made > this.#maxNewNodes;
  }

  /** The rule that made most is given up: nodes that it is replacing stay what they were, and what that has led to goes. */
  #stopGrowing(): void {
    const [rule] = this.#mostOf();
    this.#stopped.add(rule);
    this.#stoppedNow.add(rule);
    this.#made = 0;
    this.#madeBy.clear();
    const { nodes, rebuilt, rules } = this.#frames;
    const first = this.#frames.firstOf(rule);
    if (first < 0) return;
    const [node, stays] = [nodes[first]!, rebuilt[first]!];
    while (this.#frames.depth > first) {
      const top = this.#frames.depth - 1;
      this.#forget(nodes[top]!);
      if (rules[top] !== null) {
        this.#forget(rebuilt[top]!);
        this.#firing.pop();
      }
      this.#frames.pop();
    }
    this.#become(node, null);
    this.#frames.pushNode(node, this.#isOutputsFirst ? UNTRIED : 0);
    if (stays !== node) this.#clients.inherit(stays, node);
  }

  /** It is not under way any more. */
  #forget(node: Expr): void {
    const place = this.#order.placeOf(node);
    if (place >= 0 && this.#now[place] === null) this.#now[place] = undefined;
  }

  #mostOf(): readonly [Rule, number] {
    return [...this.#madeBy].sort((a, b) => b[1] - a[1])[0]!;
  }

  #growthError(): RuleGrowthError {
    const [rule, count] = this.#mostOf();
    return new RuleGrowthError({
      what: `rules made more than ${this.#maxNewNodes} nodes, most of them ${rule.name} (${count}): ${rule.equation}`,
      cure: `Exclude ${rule.name}, or raise maxNewNodes`,
      rules: [rule.name],
    });
  }
}
