// Matching a chain of an associative op as a flat list. In: the members' patterns. Out: a step that finds a
// different entry for each member, in any order, and binds what is left.
// Must hold: a list has at most MOST entries, so that a long chain costs each of its nodes a bounded amount.

import { InvariantError } from "../core/errors.ts";
import type { Expr } from "../expr/expr.ts";
import type { Op } from "../expr/op.ts";
import { compileGuard, fail, type MatchState, type NodeStep, type Scope, type Step } from "./match.ts";
import { shortText } from "./matchText.ts";
import type { Form, Pattern } from "./pattern.ts";

const MOST = 16;

type NaryForm = Extract<Form, { kind: "nary" }>;

export function compileNary(
  form: NaryForm,
  pattern: Pattern,
  next: Step,
  scope: Scope,
  place: string,
): NodeStep {
  checkOp(form.op);
  const register = scope.registers++;
  const begin = compileMembers(form, next, scope, register);
  const guard = compileGuard(pattern, scope, place);
  const clause = --scope.clauses;
  const { op, members, rest } = form;
  return (node, state) => {
    if (node.op !== op)
      return state.closest !== null && fail(state, clause, `${place} is ${shortText(node)}, not ${op.name}`);
    if (guard !== null && !guard(node, state)) return false;
    const entries = entriesOf(node, op, state);
    if (entries.length < members.length || (rest === null && entries.length > members.length))
      return (
        state.closest !== null &&
        fail(state, clause, `${op.name} has ${entries.length} entries, not ${members.length}`)
      );
    const before = state.registers[register];
    state.registers[register] = { entries, isTaken: new Array<boolean>(entries.length).fill(false) };
    const isMatch = begin(state);
    state.registers[register] = before;
    return isMatch;
  };
}

interface Entries {
  readonly entries: readonly Expr[];
  readonly isTaken: boolean[];
}

function compileMembers({ op, members, rest }: NaryForm, next: Step, scope: Scope, register: number): Step {
  let step = next;
  if (rest !== null) step = bindRest(scope.slot(rest), register, next);
  for (let i = members.length - 1; i >= 0; i--) {
    const match = scope.compile(members[i]!, step, scope, `an entry of ${op.name}`);
    step = (state) => {
      const { entries, isTaken } = state.registers[register] as Entries;
      for (let at = 0; at < entries.length; at++) {
        if (isTaken[at]) continue;
        isTaken[at] = true;
        if (match(entries[at]!, state)) return true;
        isTaken[at] = false;
      }
      return false;
    };
  }
  return step;
}

function bindRest(slot: number, register: number, next: Step): Step {
  return (state) => {
    const { entries, isTaken } = state.registers[register] as Entries;
    const before = state.slots[slot];
    state.slots[slot] = entries.filter((_, i) => !isTaken[i]);
    const isMatch = next(state);
    state.slots[slot] = before;
    return isMatch;
  };
}

/** The operands of a chain from left to right. Nodes that others use too stay whole: their work would be done twice. */
function entriesOf(node: Expr, op: Op, { context }: MatchState): Expr[] {
  const entries = [...node.inputs];
  for (let at = 0; at < entries.length && entries.length < MOST; ) {
    const entry = entries[at]!;
    if (entry.op === op && context.clients(entry) <= 1) entries.splice(at, 1, ...entry.inputs);
    else at++;
  }
  return entries;
}

function checkOp(op: Op): void {
  if (op.class === "elementwise" && op.commutative === true && op.associative === true) return;
  throw new InvariantError({
    what: `${op.name} is not commutative and associative`,
    cure: "nary takes ops such as add, multiply or maximum",
  });
}
