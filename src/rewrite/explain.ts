// Explain: what a rewrite did and why. `explain(expr)` tells each stage's expressions before and after, and which
// rule replaced what. `explain(expr, { rule })` tells why a rule did not fire: the mode, the ops that are not
// there, or, at the node that came closest, the first clause that failed.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import type { Expr } from "../expr/expr.ts";
import { exprText } from "../expr/print.ts";
import type { RuleGroup, RuleSequence, Stage } from "./database.ts";
import type { DriverObserver } from "./driver.ts";
import { lineText, shortText } from "./matchText.ts";
import { NodeOrder } from "./nodeOrder.ts";
import { isSame, MAX_ROUNDS, type OptimizeOptions, queryOf, runStage } from "./pipeline.ts";
import type { Rule, RuleContext, WhyNot } from "./rule.ts";

export interface ExplainedStep {
  readonly rule: string;
  readonly equation: string;
  readonly from: Expr;
  readonly to: Expr;
}

export interface ExplainedStage {
  readonly name: string;
  readonly before: readonly Expr[];
  readonly after: readonly Expr[];
  readonly steps: readonly ExplainedStep[];
}

/** What rewriting did to an expression, as `explain` gives it; it prints as text. */
export interface Explanation {
  /** For each stage, the expressions before and after, and its steps. */
  readonly stages: readonly ExplainedStage[];
  /** All of it as text. */
  toString(): string;
}

/** Why a rule did not fire, or that it did, as `explain` with `rule` gives it. */
export interface WhyNotReport {
  /** The rule's name. */
  readonly rule: string;
  /** true where it fired. */
  readonly hasFired: boolean;
  /** Why not: the mode, or the first thing that did not fit. */
  readonly reason: string;
  /** The node that came closest. */
  readonly node: Expr | null;
  /** All of it as text. */
  toString(): string;
}

export type Subject = Expr | readonly Expr[] | { readonly expr: Expr };

const rootsOf = (subject: Subject): readonly Expr[] => {
  if ("expr" in subject) return [subject.expr];
  return Array.isArray(subject) ? subject : [subject as Expr];
};

export function explain(subject: Subject, options: OptimizeOptions & { readonly rule: string }): WhyNotReport;
export function explain(subject: Subject, options: OptimizeOptions): Explanation;
export function explain(
  subject: Subject,
  options: OptimizeOptions & { readonly rule?: string },
): Explanation | WhyNotReport {
  const { rule, ...rest } = options;
  return rule === undefined
    ? explainStages(rootsOf(subject), rest)
    : explainRule(rootsOf(subject), rule, rest);
}

function explainStages(roots: readonly Expr[], options: OptimizeOptions): Explanation {
  const stages = watchedStages(roots, options);
  return withText({ stages }, () => stagesText(roots, stages));
}

/** The stages as `runStages` runs them; those of later rounds that changed nothing are left out. */
function watchedStages(roots: readonly Expr[], options: OptimizeOptions): readonly ExplainedStage[] {
  const stages = options.database.query(queryOf(options));
  const explained: ExplainedStage[] = [];
  let now = roots;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const before = now;
    for (const stage of stages) {
      const one = watched(stage, now, options);
      if (round === 1 || !isSame(one.before, one.after)) explained.push(one);
      now = one.after;
    }
    if (isSame(before, now)) break;
  }
  return explained;
}

const withText = <T extends object>(data: T, text: () => string): T & { toString(): string } =>
  Object.defineProperty(data, "toString", { value: text });

function watched(stage: Stage, before: readonly Expr[], options: OptimizeOptions): ExplainedStage {
  const steps: ExplainedStep[] = [];
  const observer: DriverObserver = {
    tryRule: (rule, node, context) => rule.apply(node, context),
    applied: ({ name, equation }, from, to) => void steps.push({ rule: name, equation, from, to }),
    rebuilt: () => {},
  };
  const { roots: after } = runStage(before, stage, { ...options, observer });
  return { name: stage.name, before, after, steps };
}

function stagesText(roots: readonly Expr[], stages: readonly ExplainedStage[]): string {
  const changed = stages.filter(({ steps, before, after }) => steps.length > 0 || !isSame(before, after));
  if (changed.length === 0) return `no rule fired\n${exprText(roots, { indent: "  " })}`;
  return ["before", exprText(roots, { indent: "  " }), ...changed.flatMap(stageLines)].join("\n");
}

const MOST_STEPS = 40;

function stageLines({ name, steps, after }: ExplainedStage): string[] {
  const shown = steps.slice(0, MOST_STEPS).map(stepText);
  const more = steps.length > MOST_STEPS ? [`  … ${steps.length - MOST_STEPS} more`] : [];
  return [name, ...shown, ...more, `after ${name}`, exprText(after, { indent: "  " })];
}

function stepText({ rule, equation, from, to }: ExplainedStep): string {
  return `  ${rule}: ${equation}\n    ${lineText(from)} → ${lineText(to)}`;
}

function explainRule(roots: readonly Expr[], name: string, options: OptimizeOptions): WhyNotReport {
  const database = options.database;
  const { rule, group, tags } = findRule(database, name);
  const wanted = queryOf(options);
  const refusal = (wanted.subquery[group.name] ?? wanted).whyNot(tags);
  if (refusal !== null) return report(rule, false, `it is off: ${refusal}`, null);
  const stages = watchedStages(roots, options).filter((stage) => stage.name === group.name);
  const fired = stages.flatMap(({ steps }) => steps).find((step) => step.rule === name);
  if (fired !== undefined)
    return report(rule, true, `it fired: ${lineText(fired.from)} → ${lineText(fired.to)}`, fired.from);
  const last = stages.at(-1);
  return last === undefined
    ? report(rule, false, `its stage ${group.name} did not run`, null)
    : closestMiss(rule, last.after);
}

interface Found {
  readonly rule: Rule;
  readonly group: RuleGroup;
  readonly tags: ReadonlySet<string>;
}

function findRule(database: RuleSequence, name: string): Found {
  for (const group of database.groups) {
    const member = group.members.find(({ rule }) => rule.name === name);
    if (member !== undefined) return { ...member, group };
  }
  const known = database.rules.map((rule) => rule.name);
  throw new ValueError({ what: `there is no rule ${JSON.stringify(name)}`, cure: closest(name, known) });
}

function closestMiss(rule: Rule, roots: readonly Expr[]): WhyNotReport {
  const order = new NodeOrder(roots);
  const context: RuleContext = { clients: (node) => order.clients[order.placeOf(node)] ?? 1 };
  const nodes = order.nodes.filter(({ op }) => rule.tracks === null || rule.tracks.includes(op));
  if (nodes.length === 0) {
    const ops = rule.tracks?.map(({ name }) => name).join(" or ") ?? "anything";
    return report(rule, false, `no node is ${ops}`, null);
  }
  let best: { node: Expr; miss: WhyNot } | null = null;
  for (const node of nodes) {
    const miss = rule.whyNot?.(node, context) ?? { reason: "it gave no replacement", progress: 0 };
    if (best === null || miss.progress > best.miss.progress) best = { node, miss };
  }
  return report(rule, false, best!.miss.reason, best!.node);
}

function report(rule: Rule, hasFired: boolean, reason: string, node: Expr | null): WhyNotReport {
  const at = node === null || hasFired ? "" : ` at ${lineText(node)} (${shortText(node)})`;
  const text = `${rule.name}: ${rule.equation}\n  ${hasFired ? "" : "did not fire: "}${reason}${at}`;
  return withText({ rule: rule.name, hasFired, reason, node }, () => text);
}
