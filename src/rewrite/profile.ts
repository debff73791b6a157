// The profile of a rewrite: a hierarchy of sequences, stages, passes and rules with time, nodes and counts, as data and as
// text (profileText.ts). A stage that runs again because others changed something makes another pass.
// Must hold: the figures add up. A pass takes what its rules, sorting, validation, callbacks and the rest take; its nodes at
// the end are those at the start + what rules added − what they removed; a stage is its passes, a sequence its stages.

import { type Expr, postOrder } from "../expr/expr.ts";
import type { Stage } from "./database.ts";
import type { DriverObserver, Spending } from "./observer.ts";
import type {
  PassProfile,
  Profile,
  RuleProfile,
  StageCosts,
  StageFigures,
  StageProfile,
} from "./profileFigures.ts";
import { profileText } from "./profileText.ts";
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

interface Account {
  tried: number;
  matched: number;
  applied: number;
  milliseconds: number;
}

/** A stage, and one pass of it. */
export interface RanStage {
  readonly stage: Stage;
  readonly pass: PassProfile;
}

/** Watches one pass of a stage. */
export class StageProfiler implements DriverObserver {
  readonly #stage: Stage;
  readonly #before: readonly Expr[];
  readonly #began: number;
  readonly #accounts = new Map<Rule, Account>();
  readonly #spent = { validate: 0, callback: 0, toposort: 0 };
  /** Replacements in their order, and what rebuilt nodes were before. */
  readonly #fired: { rule: Rule; node: Expr; replacement: Expr }[] = [];
  readonly #rebuiltFrom = new Map<Expr, Expr>();
  readonly #rounds = new Map<Expr, number>();

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

  spent(what: Spending, milliseconds: number): void {
    this.#spent[what] += milliseconds;
  }

  #account(rule: Rule): Account {
    const known = this.#accounts.get(rule);
    if (known !== undefined) return known;
    const account = { tried: 0, matched: 0, applied: 0, milliseconds: 0 };
    this.#accounts.set(rule, account);
    return account;
  }

  end(roots: readonly Expr[]): RanStage {
    const milliseconds = performance.now() - this.#began;
    const after = postOrder(roots);
    const { byRule, rebuilt, made } = attributeNodes(this.#before, after, this.#fired, this.#rebuiltFrom);
    const rules = [...this.#accounts].map(([rule, account]): RuleProfile => {
      const { added = 0, removed = 0 } = byRule.get(rule) ?? {};
      return { name: rule.name, ...account, added, removed };
    });
    const pass = {
      milliseconds,
      costs: this.#costs(milliseconds, rules),
      rounds: 1 + Math.max(0, ...new Set(this.#rounds.values())),
      nodes: { start: this.#before.length, end: after.length, max: this.#before.length + made },
      applied: sum(rules, (rule) => rule.applied),
      rebuilt,
      rules: rules.sort((a, b) => b.milliseconds - a.milliseconds),
    };
    return { stage: this.#stage, pass };
  }

  /** A rewrite of the whole graph takes what nothing else does. */
  #costs(milliseconds: number, tried: readonly RuleProfile[]): StageCosts {
    const { validate, callback, toposort } = this.#spent;
    const others = validate + callback + toposort;
    const rules =
      this.#stage.kind === "rules" ? sum(tried, (rule) => rule.milliseconds) : milliseconds - others;
    return { rules, toposort, validate, callback, rest: milliseconds - others - rules };
  }
}

/** Passes as stages, and stages as the sequences that they are in. */
export function profileOf(
  name: string,
  ran: readonly RanStage[],
  before: readonly Expr[],
  after: readonly Expr[],
): Profile {
  const stages = stagesAt(ran, 0);
  const nodes = { start: postOrder(before).length, end: postOrder(after).length };
  const profile = {
    name,
    ...figuresOf(stages),
    nodes: { ...nodes, max: Math.max(nodes.start, ...stages.map((stage) => stage.nodes.max)) },
    stages,
  };
  return Object.defineProperty(profile, "toString", { value: () => profileText(profile) });
}

/** The stages so many sequences deep. */
function stagesAt(ran: readonly RanStage[], depth: number): StageProfile[] {
  const groups = new Map<string, RanStage[]>();
  for (const one of ran) {
    const name = one.stage.within[depth] ?? one.stage.name;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups].map(([name, members], index) =>
    members[0]!.stage.within.length > depth
      ? sequenceOf(name, index, stagesAt(members, depth + 1))
      : stageOf(name, index, members),
  );
}

const sequenceOf = (name: string, index: number, stages: readonly StageProfile[]): StageProfile => ({
  name,
  kind: "sequence",
  index,
  ...figuresOf(stages),
  passes: [],
  rules: [],
  unused: [],
  stages,
});

function stageOf(name: string, index: number, ran: readonly RanStage[]): StageProfile {
  const { stage } = ran[0]!;
  const passes = ran.map(({ pass }) => pass);
  const rules = together(passes.flatMap((pass) => pass.rules));
  const applied = new Set(rules.filter((rule) => rule.applied > 0).map((rule) => rule.name));
  const all = stage.kind === "rules" ? stage.dispatcher.rules : [];
  const unused = all.filter((rule) => !applied.has(rule.name)).map((rule) => rule.name);
  return { name, kind: stage.kind, index, ...figuresOf(passes), passes, rules, unused, stages: [] };
}

function figuresOf(parts: readonly StageFigures[]): StageFigures {
  const cost = (what: keyof StageCosts): number => sum(parts, ({ costs }) => costs[what]);
  return {
    milliseconds: sum(parts, ({ milliseconds }) => milliseconds),
    costs: {
      ...{ rules: cost("rules"), toposort: cost("toposort"), validate: cost("validate") },
      ...{ callback: cost("callback"), rest: cost("rest") },
    },
    nodes: {
      start: parts[0]?.nodes.start ?? 0,
      end: parts.at(-1)?.nodes.end ?? 0,
      max: Math.max(0, ...parts.map(({ nodes }) => nodes.max)),
    },
    applied: sum(parts, ({ applied }) => applied),
  };
}

/** What a rule did in several passes. */
function together(rules: readonly RuleProfile[]): RuleProfile[] {
  const byName = new Map<string, RuleProfile>();
  for (const rule of rules) {
    const known = byName.get(rule.name);
    byName.set(rule.name, known === undefined ? rule : bothOf(known, rule));
  }
  return [...byName.values()].sort((a, b) => b.milliseconds - a.milliseconds);
}

const bothOf = (a: RuleProfile, b: RuleProfile): RuleProfile => ({
  name: a.name,
  tried: a.tried + b.tried,
  matched: a.matched + b.matched,
  applied: a.applied + b.applied,
  milliseconds: a.milliseconds + b.milliseconds,
  added: a.added + b.added,
  removed: a.removed + b.removed,
});

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
