// Matching a node of an op: the op, the number of inputs, conditions, attributes, then the inputs one by one; for
// commutative ops in both orders.

import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { compileGuard, fail, type NodeStep, type Scope, type Step } from "./match.ts";
import { attrsTest, bindAttrs } from "./matchAttrs.ts";
import { shortText } from "./matchText.ts";
import type { OpForm, Pattern } from "./pattern.ts";

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

export function compileOp(form: OpForm, pattern: Pattern, next: Step, scope: Scope, place: string): NodeStep {
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
