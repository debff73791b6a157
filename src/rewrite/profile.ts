// The profile of a rewrite: a hierarchy of stages and rules with time, nodes and counts, as data and as text.
// Must hold: the figures add up. A stage's time is its rules' and the rest; its nodes at the end are those at
// the start + what rules added − what they removed; what rules applied in all is what stages applied.

import { type Expr, postOrder } from "../expr/expr.ts";
import type { Stage } from "./database.ts";
import type { DriverObserver } from "./driver.ts";
import type { Rule, RuleContext } from "./rule.ts";

// Which rule added and removed which nodes in a stage. In: the nodes before and after, and what happened.
// Must hold: before + added − removed = after, where added and removed are the rules' and the rebuilt ones.

interface Fired {
  readonly rule: Rule;
  readonly node: Expr;
  readonly replacement: Expr;
}

interface Count {
  added: number;
  removed: number;
}

interface NodeAccounts {
  readonly byRule: ReadonlyMap<Rule, Count>;
  /** New and gone because inputs changed. */
  readonly rebuilt: Count;
  /** Nodes that rules made, wanted or not in the end. */
  readonly made: number;
}

function attributeNodes(
  before: readonly Expr[],
  after: readonly Expr[],
  fired: readonly Fired[],
  rebuiltFrom: ReadonlyMap<Expr, Expr>,
): NodeAccounts {
  const old = new Set(before);
  const kept = new Set(after);
  const makers = makersOf(old, fired);
  const removers = removersOf(before, kept, fired, rebuiltFrom);
  const byRule = new Map<Rule, Count>();
  const rebuilt: Count = { added: 0, removed: 0 };
  const countOf = (rule: Rule | undefined): Count => {
    if (rule === undefined) return rebuilt;
    const count = byRule.get(rule) ?? { added: 0, removed: 0 };
    byRule.set(rule, count);
    return count;
  };
  for (const node of after) if (!old.has(node)) countOf(makers.get(node)).added++;
  for (const node of before) if (!kept.has(node)) countOf(removers.get(node)).removed++;
  return { byRule, rebuilt, made: makers.size };
}

/** The first rule whose replacement brought a node that was not there. */
function makersOf(old: ReadonlySet<Expr>, fired: readonly Fired[]): Map<Expr, Rule> {
  const makers = new Map<Expr, Rule>();
  for (const { rule, replacement } of fired) {
    const isKnown = (node: Expr): boolean => old.has(node) || makers.has(node);
    for (const node of postOrder([replacement], isKnown)) makers.set(node, rule);
  }
  return makers;
}

/** The rule that replaced a node; for a node that went because nothing uses it any more, its client's. */
function removersOf(
  before: readonly Expr[],
  kept: ReadonlySet<Expr>,
  fired: readonly Fired[],
  rebuiltFrom: ReadonlyMap<Expr, Expr>,
): Map<Expr, Rule> {
  const removers = new Map<Expr, Rule>();
  for (const { rule, node } of fired) removers.set(rebuiltFrom.get(node) ?? node, rule);
  const isRebuilt = new Set(rebuiltFrom.values());
  // Clients come after their inputs, so the last is the first to pass on its rule.
  for (const node of before.toReversed()) {
    const rule = removers.get(node);
    if (rule === undefined || kept.has(node)) continue;
    for (const input of node.inputs)
      if (!kept.has(input) && !removers.has(input) && !isRebuilt.has(input)) removers.set(input, rule);
  }
  return removers;
}

/** What one rule did and took in a stage. */
export interface RuleProfile {
  /** The rule's name. */
  readonly name: string;
  /** At how many nodes it was tried. */
  readonly tried: number;
  /** The pattern fitted; the right side may still have declined. */
  readonly matched: number;
  /** How often it was applied. */
  readonly applied: number;
  /** What it took in all. */
  readonly milliseconds: number;
  /** Nodes of the stage's result that this rule made, and nodes of its begin that it made unnecessary. */
  readonly added: number;
  /** Nodes of the stage's begin that this rule made unnecessary. */
  readonly removed: number;
}

/** What one stage did and took. */
export interface StageProfile {
  /** The stage's name. */
  readonly name: string;
  /** "rules", which are applied until none matches, or "global", a rewrite of the whole graph. */
  readonly kind: Stage["kind"];
  /** In all. */
  readonly milliseconds: number;
  /** Beside the time of its rules. */
  readonly restMilliseconds: number;
  /** The most replacements that followed one another at one node, and the first round. */
  readonly rounds: number;
  /** How many there were, how many there are, and the most in between. */
  readonly nodes: { readonly start: number; readonly end: number; readonly max: number };
  /** How often its rules were applied. */
  readonly applied: number;
  /** Nodes that are new only because their inputs are, and nodes that went for that reason. */
  readonly rebuilt: { readonly added: number; readonly removed: number };
  /** The rules that were tried, the most time first. */
  readonly rules: readonly RuleProfile[];
  /** Rules that were there and never applied. */
  readonly unused: readonly string[];
}

/** What rewriting took, as `optimize(roots, {profile: true}).report.profile` has it; it prints as a table. */
export interface Profile {
  /** In all. */
  readonly milliseconds: number;
  /** How many there were, and how many there are. */
  readonly nodes: { readonly start: number; readonly end: number };
  /** How often rules were applied. */
  readonly applied: number;
  /** Stage by stage. */
  readonly stages: readonly StageProfile[];
  /** All of it as text. */
  toString(): string;
}

interface Account {
  tried: number;
  matched: number;
  applied: number;
  milliseconds: number;
}

/** Watches one stage. */
export class StageProfiler implements DriverObserver {
  readonly #stage: Stage;
  readonly #before: readonly Expr[];
  readonly #began: number;
  readonly #accounts = new Map<Rule, Account>();
  /** Replacements in their order, and what rebuilt nodes were before. */
  readonly #fired: { rule: Rule; node: Expr; replacement: Expr }[] = [];
  readonly #rebuiltFrom = new Map<Expr, Expr>();
  readonly #rounds = new Map<Expr, number>();
  #result: StageProfile | null = null;

  constructor(stage: Stage, roots: readonly Expr[]) {
    this.#stage = stage;
    this.#before = postOrder(roots);
    this.#began = performance.now();
  }

  tryRule(rule: Rule, node: Expr, { clients }: RuleContext): Expr | null {
    const account = this.#account(rule);
    let hasMatched = false;
    const onMatch = (): void => {
      hasMatched = true;
    };
    const from = performance.now();
    const result = rule.apply(node, { clients, onMatch });
    account.milliseconds += performance.now() - from;
    account.tried++;
    if (hasMatched || result !== null) account.matched++;
    return result;
  }

  applied(rule: Rule, node: Expr, replacement: Expr): void {
    this.#account(rule).applied++;
    this.#fired.push({ rule, node, replacement });
    this.#rounds.set(replacement, (this.#rounds.get(node) ?? 0) + 1);
  }

  rebuilt(node: Expr, now: Expr): void {
    this.#rebuiltFrom.set(now, node);
  }

  #account(rule: Rule): Account {
    const known = this.#accounts.get(rule);
    if (known !== undefined) return known;
    const account = { tried: 0, matched: 0, applied: 0, milliseconds: 0 };
    this.#accounts.set(rule, account);
    return account;
  }

  end(roots: readonly Expr[]): void {
    const milliseconds = performance.now() - this.#began;
    const after = postOrder(roots);
    const { byRule, rebuilt, made } = attributeNodes(this.#before, after, this.#fired, this.#rebuiltFrom);
    const rules = [...this.#accounts].map(([rule, account]): RuleProfile => {
      const { added = 0, removed = 0 } = byRule.get(rule) ?? {};
      return { name: rule.name, ...account, added, removed };
    });
    const all = this.#stage.kind === "rules" ? this.#stage.dispatcher.rules : [];
    this.#result = {
      name: this.#stage.name,
      kind: this.#stage.kind,
      milliseconds,
      restMilliseconds: milliseconds - sum(rules, (rule) => rule.milliseconds),
      rounds: 1 + Math.max(0, ...new Set(this.#rounds.values())),
      nodes: { start: this.#before.length, end: after.length, max: this.#before.length + made },
      applied: sum(rules, (rule) => rule.applied),
      rebuilt,
      rules: rules.sort((a, b) => b.milliseconds - a.milliseconds),
      unused: all.filter((rule) => (this.#accounts.get(rule)?.applied ?? 0) === 0).map(({ name }) => name),
    };
  }

  static summary(
    profilers: readonly StageProfiler[],
    before: readonly Expr[],
    after: readonly Expr[],
  ): Profile {
    const stages = profilers.map((profiler) => profiler.#result!);
    const profile = {
      milliseconds: sum(stages, (stage) => stage.milliseconds),
      nodes: { start: postOrder(before).length, end: postOrder(after).length },
      applied: sum(stages, (stage) => stage.applied),
      stages,
    };
    return Object.defineProperty(profile, "toString", { value: () => profileText(profile) });
  }
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const time = (milliseconds: number): string => `${milliseconds.toFixed(3)} ms`;

function profileText({ milliseconds, nodes, applied, stages }: Profile): string {
  const head = `rewrite  ${time(milliseconds)}, ${nodes.start} nodes before, ${nodes.end} after, ${applied} replacements`;
  return [head, ...stages.flatMap(stageLines)].join("\n");
}

function stageLines(stage: StageProfile): string[] {
  const { start, end, max } = stage.nodes;
  const used = stage.rules.filter((rule) => rule.applied > 0);
  return [
    `  ${stage.name}  ${time(stage.milliseconds)} in ${stage.rounds} rounds, nodes (start, end, max) ${start} ${end} ${max}`,
    `    ${time(stage.restMilliseconds)} outside of rules, nodes rebuilt +${stage.rebuilt.added} −${stage.rebuilt.removed}`,
    ...used.map(ruleLine),
    ...unusedLines(stage),
  ];
}

const ruleLine = (rule: RuleProfile): string =>
  `    ${time(rule.milliseconds)}  ${rule.name}: tried ${rule.tried}, matched ${rule.matched}, applied ${rule.applied}, nodes +${rule.added} −${rule.removed}`;

function unusedLines({ rules, unused }: StageProfile): string[] {
  if (unused.length === 0) return [];
  const idle = rules.filter((rule) => rule.applied === 0);
  const spent = sum(idle, (rule) => rule.milliseconds);
  const tried = idle.map((rule) => `${rule.name} ${time(rule.milliseconds)}`);
  return [
    `    ${time(spent)} in ${unused.length} rules that were not applied${tried.length === 0 ? "" : `: ${tried.join(", ")}`}`,
  ];
}
