// From a pattern to a matcher. Every part of a pattern becomes a function that tests one node and then goes on
// to what is left of the pattern (`next`), so a later failure comes back and tries the next alternative: the
// other order of operands, another entry of a flat list, the next level below a broadcast.
// Must hold: what a part binds it unbinds before it returns, so a matcher holds on to nothing.
// Every test has a number that grows along the pattern: of all that failed, the one with the highest came
// closest, and that is what `explain` tells.

import { sameScalar } from "../core/numbers.ts";
import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { full } from "../lazy/lazyArray.ts";
import {
  type Closest,
  compileGuard,
  fail,
  type MatchState,
  type NodeStep,
  Scope,
  type Step,
} from "./match.ts";
import { attrsTest, bindAttrs } from "./matchAttrs.ts";
import { compileNary } from "./matchNary.ts";
import { shortText, valueText } from "./matchText.ts";
import type { Condition, Form, OpForm, Pattern } from "./pattern.ts";
import type { RuleContext, WhyNot } from "./rule.ts";

// Matching a node of an op: the op, the number of inputs, conditions, attributes, then the inputs one by one; for
// commutative ops in both orders.

/** What the steps of one op share. */
interface OpPlace {
  /** The register that holds the node. */
  readonly node: number;
  /** The register that says whether its two inputs are taken in the other order. */
  readonly turned: number;
  readonly called: string;
  /** Two inputs that are taken in either order where the node's op allows. */
  readonly isPair: boolean;
  /** Every op allows it. */
  readonly isUnordered: boolean;
}

function compileOp(form: OpForm, pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
  const { ops, inputs, rest } = form;
  const at: OpPlace = {
    node: scope.registers++,
    turned: scope.registers++,
    called: ops.map((op) => op.name).join(" or "),
    isPair: ops.some(isCommutative) && inputs.length === 2 && rest === null,
    isUnordered: ops.every(isCommutative) && inputs.length === 2 && rest === null,
  };
  const visit = visitInputs(at, compileInputs(form, next, scope, at));
  const attrs = attrsTest(form.attrs, scope, place);
  const proceed = attrs === null ? visit : bindAttrs(attrs, visit);
  const guard = compileGuard(pattern, scope, place);
  const clause = --scope.clauses;
  const only = ops.length === 1 ? ops[0]! : null;
  return (node, state) => {
    if (only !== null ? node.op !== only : !ops.includes(node.op))
      return (
        state.closest !== null && fail(state, clause, `${place} is ${shortText(node)}, not ${at.called}`)
      );
    const count = node.inputs.length;
    if (rest === null ? count !== inputs.length : count < inputs.length)
      return (
        state.closest !== null && fail(state, clause, `${place} has ${count} inputs, not ${inputs.length}`)
      );
    if (guard !== null && !guard(node, state)) return false;
    return proceed(node, state);
  };
}

const isCommutative = (op: Op): boolean => op.class === "elementwise" && op.commutative === true;

function visitInputs(at: OpPlace, begin: Step): NodeStep {
  return (node, state) => {
    const { registers } = state;
    const before = registers[at.node];
    registers[at.node] = node;
    registers[at.turned] = 0;
    let isMatch = begin(state);
    if (!isMatch && at.isPair && node.inputs[0] !== node.inputs[1] && isCommutative(node.op)) {
      registers[at.turned] = 1;
      isMatch = begin(state);
    }
    registers[at.node] = before;
    return isMatch;
  };
}

/** One step an input; with a rest between those before it and those after it. */
function compileInputs({ inputs, rest }: OpForm, next: Step, scope: Scope, at: OpPlace): Step {
  const before = rest?.at ?? inputs.length;
  let step = rest === null ? next : compileRest(scope.slot(rest.name), at.node, before, inputs.length, next);
  for (let i = inputs.length - 1; i >= 0; i--) {
    const place = at.isUnordered ? `an input of ${at.called}` : `input ${i} of ${at.called}`;
    const match = scope.compile(inputs[i]!, step, scope, place);
    step = (state) => {
      const all = (state.registers[at.node] as Expr).inputs;
      if (state.registers[at.turned] === 1) return match(all[1 - i]!, state);
      return match(all[i < before ? i : all.length - inputs.length + i]!, state);
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
  const scope = new Scope(compilePattern);
  const root = compilePattern(pattern, lastStep(scope, when, finish), scope, "the node");
  // A state is used again, unless a right side threw or is itself matching with this rule.
  let idle: MatchState | null = null;
  const run = (node: Expr, context: RuleContext, closest: Closest | null): Expr | null => {
    const state = idle ?? newState(scope);
    idle = null;
    state.node = node;
    state.context = context;
    state.closest = closest;
    const result = root(node, state) ? state.result : null;
    state.result = null;
    idle = state;
    return result;
  };
  return {
    apply: (node, context) => run(node, context, null),
    explain(node, context) {
      const closest: Closest = { reason: "nothing matched", clause: scope.clauses };
      if (run(node, context, closest) !== null) return null;
      return { reason: closest.reason, progress: closest.clause - scope.clauses };
    },
  };
}

const newState = (scope: Scope): MatchState => ({
  slots: new Array<unknown>(scope.slots.size).fill(undefined),
  registers: new Array<unknown>(scope.registers).fill(undefined),
  node: null as unknown as Expr,
  context: null as unknown as RuleContext,
  result: null,
  closest: null,
});

/** The end of the pattern: the conditions of the rule, then its right side. */
function lastStep(scope: Scope, when: readonly Condition<unknown>[], finish: Finish): Step {
  const declines = --scope.clauses;
  const conditions = when.map((condition) => ({ ...condition, test: condition.test.bind(condition) }));
  const first = scope.clauses - conditions.length;
  scope.clauses = first;
  // Names are given out until the whole pattern is compiled.
  let names: readonly string[] | null = null;
  return (state) => {
    names ??= [...scope.slots.keys()];
    const bound = boundOf(names, state.slots);
    for (let i = 0; i < conditions.length; i++) {
      const { test, text } = conditions[i]!;
      if (!test(bound)) return state.closest !== null && fail(state, first + i, `does not hold: ${text}`);
    }
    state.context.onMatch?.();
    const result = finish(bound, state.node, state.context);
    if (typeof result === "string") return state.closest !== null && fail(state, declines, result);
    state.result = result;
    return true;
  };
}

/** Slots are numbered in the order of their names. */
function boundOf(names: readonly string[], slots: readonly unknown[]): { readonly [name: string]: unknown } {
  const bound: { [name: string]: unknown } = {};
  for (let i = 0; i < names.length; i++) bound[names[i]!] = slots[i];
  return bound;
}

/** `place` is how messages call the node: "input 1 of add". */
function compilePattern(pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
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

function compileVariable(name: string, pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
  const slot = scope.slot(name);
  const guard = compileGuard(pattern, scope, place);
  const clause = --scope.clauses;
  return (node, state) => {
    const bound = state.slots[slot];
    if (bound !== undefined && bound !== node)
      return (
        state.closest !== null &&
        fail(state, clause, `${place} is ${shortText(node)}, not ${name}: ${shortText(bound as Expr)}`)
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
      // Of the two operands of a sum, the constant with another value came closer.
      return (
        state.closest !== null &&
        fail(
          state,
          value === undefined ? clause : clause + 0.5,
          `${place} is ${shortText(node)}, not ${wanted}`,
        )
      );
    for (const { test, text } of conditions)
      if (!test(value as never))
        return (
          state.closest !== null &&
          fail(state, clause, `does not hold: ${text} (${place} is ${shortText(node)})`)
        );
    if (guard !== null && !guard(node, state)) return false;
    if (slot < 0) return next(state);
    state.slots[slot] = value;
    const isMatch = next(state);
    if (form.kind === "constant") state.slots[slot] = before;
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
    while (below.inputs.length === 1 && form.ops.includes(below.op)) {
      below = below.inputs[0]!;
      levels.push(below);
    }
    for (let i = levels.length - 1; i >= 0; i--) if (match(levels[i]!, state)) return true;
    return false;
  };
}
