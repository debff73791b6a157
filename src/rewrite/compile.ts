// From a pattern to a matcher. Every part of a pattern becomes a function that tests one node and then goes on
// to what is left of the pattern (`next`), so a later failure comes back and tries the next alternative: the
// other order of operands, another entry of a flat list, the next level below a broadcast.
// Must hold: what a part binds it unbinds before it returns, so a matcher holds on to nothing.
// Every test has a number that grows along the pattern: of all that failed, the one with the highest came
// closest, and that is what `explain` tells.

import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { full } from "../ops/sources.ts";
import { attrsTest, bindAttrs } from "./matchAttrs.ts";
import { compileNary } from "./matchNary.ts";
import { sameScalar, shortText, valueText } from "./matchText.ts";
import type { Condition, Form, OpForm, Pattern } from "./pattern.ts";
import type { RuleContext, WhyNot } from "./rule.ts";

/** What a matcher works on; one for each matcher. */
export interface MatchState {
  /** What the pattern's names are bound to; undefined: nothing yet. */
  readonly slots: unknown[];
  /** What parts of the pattern have to remember between their steps. */
  readonly registers: unknown[];
  node: Expr;
  context: RuleContext;
  result: Expr | null;
  /** The failure that came closest, when asked for. */
  closest: { reason: string; clause: number } | null;
  isTracing: boolean;
}

export type NodeStep = (node: Expr, state: MatchState) => boolean;
export type Step = (state: MatchState) => boolean;

/** Names and numbers handed out while a pattern is compiled. */
export class Scope {
  readonly slots: Map<string, number> = new Map();
  registers = 0;
  /** Parts are compiled from the last to the first: numbers fall. */
  clauses = 0;

  slot(name: string): number {
    const known = this.slots.get(name);
    if (known !== undefined) return known;
    this.slots.set(name, this.slots.size);
    return this.slots.size - 1;
  }
}

/** Notes why a test failed, if somebody wants to know. The text is only made then. */
export function fail(state: MatchState, clause: number, reason: () => string): false {
  if (state.isTracing && (state.closest === null || clause > state.closest.clause))
    state.closest = { reason: reason(), clause };
  return false;
}

export interface Matcher {
  apply(node: Expr, context: RuleContext): Expr | null;
  explain(node: Expr, context: RuleContext): WhyNot | null;
}

/** The replacement for what is bound, or why there is none. */
export type Finish = (
  bound: { readonly [name: string]: unknown },
  node: Expr,
  context: RuleContext,
) => Expr | string;

export function compileMatcher(
  pattern: Pattern,
  when: readonly Condition<unknown>[],
  finish: Finish,
): Matcher {
  const scope = new Scope();
  const root = compilePattern(pattern, lastStep(scope, when, finish), scope, "the node");
  const state: MatchState = {
    slots: new Array<unknown>(scope.slots.size).fill(undefined),
    registers: new Array<unknown>(scope.registers).fill(undefined),
    node: null as unknown as Expr,
    context: null as unknown as RuleContext,
    result: null,
    closest: null,
    isTracing: false,
  };
  const run = (node: Expr, context: RuleContext): Expr | null => {
    state.node = node;
    state.context = context;
    state.result = null;
    const isMatch = root(node, state);
    return isMatch ? state.result : null;
  };
  return { apply: run, explain: (node, context) => explainWith(state, scope, run, node, context) };
}

function explainWith(
  state: MatchState,
  scope: Scope,
  run: Matcher["apply"],
  node: Expr,
  context: RuleContext,
): WhyNot | null {
  state.isTracing = true;
  state.closest = null;
  try {
    if (run(node, context) !== null) return null;
    const { reason, clause } = state.closest ?? { reason: "nothing matched", clause: scope.clauses };
    return { reason, progress: clause - scope.clauses };
  } finally {
    state.isTracing = false;
    state.closest = null;
  }
}

/** The end of the pattern: the conditions of the rule, then its right side. */
function lastStep(scope: Scope, when: readonly Condition<unknown>[], finish: Finish): Step {
  const declines = --scope.clauses;
  const conditions = when.map((condition) => ({ ...condition, test: condition.test.bind(condition) }));
  const first = (scope.clauses -= conditions.length);
  return (state) => {
    const bound = boundOf(scope, state);
    for (let i = 0; i < conditions.length; i++) {
      const { test, text } = conditions[i]!;
      if (!test(bound)) return fail(state, first + i, () => `does not hold: ${text}`);
    }
    state.context.onMatch?.();
    const result = finish(bound, state.node, state.context);
    if (typeof result === "string") return fail(state, declines, () => result);
    state.result = result;
    return true;
  };
}

function boundOf(scope: Scope, { slots }: MatchState): { readonly [name: string]: unknown } {
  const bound: { [name: string]: unknown } = {};
  for (const [name, slot] of scope.slots) bound[name] = slots[slot];
  return bound;
}

/** `place` is how messages call the node: "input 1 of add". */
export function compilePattern(pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
  const inner = compileForm(pattern, next, scope, place);
  return pattern.alias === null ? inner : bindAround(scope.slot(pattern.alias), inner);
}

function bindAround(slot: number, inner: NodeStep): NodeStep {
  return (node, state) => {
    const before = state.slots[slot];
    if (before !== undefined && before !== node) return false;
    state.slots[slot] = node;
    const isMatch = inner(node, state);
    state.slots[slot] = before;
    return isMatch;
  };
}

function compileForm(pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
  const { form } = pattern;
  switch (form.kind) {
    case "variable":
      return compileVariable(form.name, pattern, next, scope, place);
    case "literal":
    case "constant":
      return compileConstant(form, pattern, next, scope, place);
    case "op":
      return compileOp(form, pattern, next, scope, place);
    case "nary":
      return compileNary(form, pattern, next, scope, place);
    case "through":
      return compileThrough(form, pattern, next, scope, place);
    default:
      form satisfies never;
      throw form;
  }
}

/** The conditions on one node, and that nothing else uses it. */
export function compileGuard(pattern: Pattern, scope: Scope, place: string): NodeStep | null {
  const { conditions, isSingle } = pattern;
  if (conditions.length === 0 && !isSingle) return null;
  const clause = (scope.clauses -= conditions.length + 1);
  return (node, state) => {
    if (isSingle && state.context.clients(node) > 1)
      return fail(state, clause, () => `${place} has ${state.context.clients(node)} clients, not one`);
    for (let i = 0; i < conditions.length; i++) {
      if (!conditions[i]!.test(node))
        return fail(
          state,
          clause + 1 + i,
          () => `does not hold: ${conditions[i]!.text} (${shortText(node)})`,
        );
    }
    return true;
  };
}

function compileVariable(name: string, pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
  const slot = scope.slot(name);
  const guard = compileGuard(pattern, scope, place);
  const clause = --scope.clauses;
  return (node, state) => {
    const bound = state.slots[slot];
    if (bound !== undefined && bound !== node)
      return fail(
        state,
        clause,
        () => `${place} is ${shortText(node)}, not ${name}: ${shortText(bound as Expr)}`,
      );
    if (guard !== null && !guard(node, state)) return false;
    state.slots[slot] = node;
    const isMatch = next(state);
    state.slots[slot] = bound;
    return isMatch;
  };
}

function compileConstant(
  form: Extract<Form, { kind: "literal" | "constant" }>,
  pattern: Pattern,
  next: Step,
  scope: Scope,
  place: string,
): NodeStep {
  const slot = form.kind === "constant" ? scope.slot(form.name) : -1;
  const conditions = form.kind === "constant" ? form.values : [];
  const wanted = form.kind === "literal" ? valueText(form.value) : "a constant";
  const guard = compileGuard(pattern, scope, place);
  const clause = --scope.clauses;
  return (node, state) => {
    const value = node.op === full ? node.attrs["value"] : undefined;
    const before = form.kind === "literal" ? form.value : state.slots[slot];
    if (value === undefined || (before !== undefined && !sameScalar(before, value)))
      return fail(state, clause, () => `${place} is ${shortText(node)}, not ${wanted}`);
    for (const { test, text } of conditions)
      if (!test(value as never))
        return fail(state, clause, () => `does not hold: ${text} (${place} is ${shortText(node)})`);
    if (guard !== null && !guard(node, state)) return false;
    if (slot < 0) return next(state);
    state.slots[slot] = value;
    const isMatch = next(state);
    if (form.kind === "constant") state.slots[slot] = before;
    return isMatch;
  };
}

function compileOp(form: OpForm, pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
  const { ops, inputs, rest } = form;
  const register = scope.registers++;
  const turned = scope.registers++;
  const only = ops.length === 1 ? ops[0]! : null;
  const called = ops.map((op) => op.name).join(" or ");
  const isCommutative = only !== null && isCommutativeOp(only) && inputs.length === 2 && rest === null;
  const begin = compileInputs(form, next, scope, register, turned, called);
  const attrs = attrsTest(form.attrs, scope, place);
  const guard = compileGuard(pattern, scope, place);
  const clause = --scope.clauses;
  const attempt: NodeStep = (node, state) => {
    const nodeBefore = state.registers[register];
    state.registers[register] = node;
    state.registers[turned] = 0;
    let isMatch = begin(state);
    if (!isMatch && isCommutative && node.inputs[0] !== node.inputs[1]) {
      state.registers[turned] = 1;
      isMatch = begin(state);
    }
    state.registers[register] = nodeBefore;
    return isMatch;
  };
  const proceed = attrs === null ? attempt : bindAttrs(attrs, attempt);
  return (node, state) => {
    if (only !== null ? node.op !== only : !ops.includes(node.op))
      return fail(state, clause, () => `${place} is ${shortText(node)}, not ${called}`);
    const count = node.inputs.length;
    if (rest === null ? count !== inputs.length : count < inputs.length)
      return fail(state, clause, () => `${place} has ${count} inputs, not ${inputs.length}`);
    if (guard !== null && !guard(node, state)) return false;
    return proceed(node, state);
  };
}

const isCommutativeOp = (op: Op): boolean => op.class === "elementwise" && op.commutative === true;

/** One step an input; with a rest between those before it and those after it. */
function compileInputs(
  { inputs, rest }: OpForm,
  next: Step,
  scope: Scope,
  register: number,
  turned: number,
  called: string,
): Step {
  const before = rest?.at ?? inputs.length;
  let step = next;
  if (rest !== null) step = compileRest(scope.slot(rest.name), register, before, inputs.length, step);
  for (let i = inputs.length - 1; i >= 0; i--) {
    const match = compilePattern(inputs[i]!, step, scope, `input ${i} of ${called}`);
    step = (state) => {
      const all = (state.registers[register] as Expr).inputs;
      const at = state.registers[turned] === 1 ? 1 - i : i < before ? i : all.length - inputs.length + i;
      return match(all[at]!, state);
    };
  }
  return step;
}

function compileRest(slot: number, register: number, before: number, count: number, next: Step): Step {
  return (state) => {
    const all = (state.registers[register] as Expr).inputs;
    const bound = state.slots[slot];
    state.slots[slot] = all.slice(before, all.length - (count - before));
    const isMatch = next(state);
    state.slots[slot] = bound;
    return isMatch;
  };
}

/** The lowest node that fits, so that a variable is what lies below. */
function compileThrough(
  form: Extract<Form, { kind: "through" }>,
  pattern: Pattern,
  next: Step,
  scope: Scope,
  place: string,
): NodeStep {
  const names = form.ops.map((op) => op.name).join(" or ");
  const match = compilePattern(form.inner, next, scope, `what is below ${names} in ${place}`);
  const guard = compileGuard(pattern, scope, place);
  return (node, state) => {
    if (guard !== null && !guard(node, state)) return false;
    const levels = [node];
    let below = node;
    while (below.inputs.length === 1 && form.ops.includes(below.op)) levels.push((below = below.inputs[0]!));
    for (let i = levels.length - 1; i >= 0; i--) if (match(levels[i]!, state)) return true;
    return false;
  };
}

/** The ops a node may have to match; null: any. */
export function rootOps({ form }: Pattern): readonly Op[] | null {
  switch (form.kind) {
    case "variable":
      return null;
    case "literal":
    case "constant":
      return [full];
    case "op":
      return form.ops;
    case "nary":
      return [form.op];
    case "through": {
      const inner = rootOps(form.inner);
      return inner === null ? null : [...new Set([...form.ops, ...inner])];
    }
    default:
      form satisfies never;
      throw form;
  }
}

/** The ops its inputs may have, by position: for dispatch. */
export function inputOps({ form }: Pattern): readonly (ReadonlySet<Op> | null)[] {
  if (form.kind !== "op") return [];
  const certain = form.rest === null ? form.inputs : form.inputs.slice(0, form.rest.at);
  return certain.map((input) => {
    const ops = rootOps(input);
    return ops === null ? null : new Set(ops);
  });
}
