// Explain: what a rewrite did and why. `explain(expr)` tells each stage's expressions before and after, and which
// rule replaced what. `explain(expr, { rule })` tells why a rule did not fire: the mode, the ops that are not
// there, or, at the node that came closest, the first clause that failed.

import { ValueError } from "../core/errors.ts";
import { closest } from "../core/suggest.ts";
import { Expr, postOrder } from "../expr/expr.ts";
import { exprText } from "../expr/print.ts";
import type { RuleGroup, RuleSequence, Stage, Whole } from "./database.ts";
import { lineText, type Names, shortText } from "./matchText.ts";
import { NodeOrder } from "./nodeOrder.ts";
import type { DriverObserver } from "./observer.ts";
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

/** Options of `explain`: those of a rewriting, and what arrays are called. */
export interface ExplainOptions extends OptimizeOptions {
  /** By these the text calls arrays: `{x, y}`. Others that are alike have numbers. */
  readonly names?: { readonly [name: string]: Expr | { readonly expr: Expr } } | undefined;
}

export function explain(subject: Subject, options: ExplainOptions & { readonly rule: string }): WhyNotReport;
export function explain(subject: Subject, options: ExplainOptions): Explanation;
export function explain(
  subject: Subject,
  options: ExplainOptions & { readonly rule?: string },
): Explanation | WhyNotReport {
  const { rule, names: given = {}, ...rest } = options;
  const roots = rootsOf(subject);
  const names = namesIn(roots, given);
  return rule === undefined ? explainStages(roots, rest, names) : explainRule(roots, rule, rest, names);
}

/** The names that were given; sources of one op, of which there are several, are numbered. */
function namesIn(roots: readonly Expr[], given: NonNullable<ExplainOptions["names"]>): Names {
  const names = new Map(
    Object.entries(given).map(([name, of]) => [of instanceof Expr ? of : of.expr, name] as const),
  );
  const sources = postOrder(roots).filter((node) => node.op.class === "source" && isArray(node));
  for (const [i, node] of sources.entries()) {
    const alike = sources.filter(({ op }) => op === node.op);
    if (alike.length > 1 && !names.has(node))
      names.set(node, `${node.op.name}${alike.indexOf(sources[i]!) + 1}`);
  }
  return names;
}

/** Numbers are written as they are. */
const isArray = (node: Expr): boolean => !("value" in node.attrs);

function explainStages(roots: readonly Expr[], options: OptimizeOptions, names: Names): Explanation {
  const stages = watchedStages(roots, options);
  return withText({ stages }, () => stagesText(roots, stages, names));
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

function stagesText(roots: readonly Expr[], stages: readonly ExplainedStage[], names: Names): string {
  const changed = stages.filter(({ steps, before, after }) => steps.length > 0 || !isSame(before, after));
  if (changed.length === 0) return `no rule fired\n${exprText(roots, { indent: "  ", names })}`;
  const lines = changed.flatMap((stage) => stageLines(stage, names));
  return ["before", exprText(roots, { indent: "  ", names }), ...lines].join("\n");
}

const MOST_STEPS = 40;

function stageLines({ name, steps, after }: ExplainedStage, names: Names): string[] {
  const shown = steps.slice(0, MOST_STEPS).map((step) => stepText(step, names));
  const more = steps.length > MOST_STEPS ? [`  … ${steps.length - MOST_STEPS} more`] : [];
  return [name, ...shown, ...more, `after ${name}`, exprText(after, { indent: "  ", names })];
}

function stepText({ rule, equation, from, to }: ExplainedStep, names: Names): string {
  return `  ${rule}: ${equation}\n    ${lineText(from, names)} → ${lineText(to, names)}`;
}

function explainRule(
  roots: readonly Expr[],
  name: string,
  options: OptimizeOptions,
  names: Names,
): WhyNotReport {
  const database = options.database;
  const whole = database.global(name);
  if (whole !== null) return explainWhole(roots, whole, options, names);
  const { rule, group, tags } = findRule(database, name);
  const wanted = queryOf(options);
  const refusal = (wanted.subquery[group.name] ?? wanted).whyNot(tags);
  if (refusal !== null) return report(rule, false, `it is off: ${refusal}`, null, names);
  const stages = watchedStages(roots, options).filter((stage) => stage.name === group.name);
  const fired = stages.flatMap(({ steps }) => steps).find((step) => step.rule === name);
  if (fired !== undefined)
    return report(
      rule,
      true,
      `it fired: ${lineText(fired.from, names)} → ${lineText(fired.to, names)}`,
      fired.from,
      names,
    );
  const last = stages.at(-1);
  return last === undefined
    ? report(rule, false, `its stage ${group.name} did not run`, null, names)
    : closestMiss(rule, last.after, names);
}

/** A rewrite of whole graphs has no patterns: it is off, changed something, or did not. */
function explainWhole(
  roots: readonly Expr[],
  { rewrite, tags }: Whole,
  options: OptimizeOptions,
  names: Names,
): WhyNotReport {
  const subject = { name: rewrite.name, equation: "a rewrite of whole graphs" };
  const refusal = queryOf(options).whyNot(tags);
  if (refusal !== null) return report(subject, false, `it is off: ${refusal}`, null, names);
  const stages = watchedStages(roots, options).filter((stage) => stage.name === rewrite.name);
  const [step] = stages.flatMap(({ steps }) => steps);
  if (step === undefined) return report(subject, false, "it changed nothing", null, names);
  const did = `it replaced ${lineText(step.from, names)} → ${lineText(step.to, names)}`;
  return report(subject, true, did, step.from, names);
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

function closestMiss(rule: Rule, roots: readonly Expr[], names: Names): WhyNotReport {
  const order = new NodeOrder(roots);
  const context: RuleContext = { clients: (node) => order.clients[order.placeOf(node)] ?? 1 };
  const nodes = order.nodes.filter(({ op }) => rule.tracks === null || rule.tracks.includes(op));
  if (nodes.length === 0) {
    const ops = rule.tracks?.map(({ name }) => name).join(" or ") ?? "anything";
    return report(rule, false, `no node is ${ops}`, null, names);
  }
  let best: { node: Expr; miss: WhyNot } | null = null;
  for (const node of nodes) {
    const miss = rule.whyNot?.(node, context) ?? { reason: "it gave no replacement", progress: 0 };
    if (best === null || miss.progress > best.miss.progress) best = { node, miss };
  }
  return report(rule, false, best!.miss.reason, best!.node, names);
}

function report(
  rule: Pick<Rule, "name" | "equation">,
  hasFired: boolean,
  reason: string,
  node: Expr | null,
  names: Names,
): WhyNotReport {
  const at = node === null || hasFired ? "" : ` at ${lineText(node, names)} (${shortText(node)})`;
  const text = `${rule.name}: ${rule.equation}\n  ${hasFired ? "" : "did not fire: "}${reason}${at}`;
  return withText({ rule: rule.name, hasFired, reason, node }, () => text);
}
