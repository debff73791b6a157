// What matchers share: the state they work on, names and numbers given out while a pattern is compiled, and
// the note of the test that came closest when somebody asks why a rule did not fire.

import type { Expr } from "../expr/expr.ts";
import { shortText } from "./matchText.ts";
import type { Pattern } from "./pattern.ts";
import type { RuleContext } from "./rule.ts";

/** What a matcher works on; one for each matcher. */
export interface MatchState {
  /** What the pattern's names are bound to; undefined: nothing yet. */
  readonly slots: unknown[];
  /** What parts of the pattern have to remember between their steps. */
  readonly registers: unknown[];
  node: Expr;
  context: RuleContext;
  result: Expr | null;
  /** The failure that came closest, when somebody wants to know. */
  closest: Closest | null;
}

export interface Closest {
  reason: string;
  clause: number;
}

export type NodeStep = (node: Expr, state: MatchState) => boolean;
export type Step = (state: MatchState) => boolean;

/** Names and numbers handed out while a pattern is compiled. */
export class Scope {
  /** How a part of the pattern is compiled: parts lie within parts. */
  readonly compile: (pattern: Pattern, next: Step, scope: Scope, place: string) => NodeStep;
  readonly slots: Map<string, number> = new Map();
  registers = 0;
  /** Parts are compiled from the last to the first: numbers fall. */
  clauses = 0;

  constructor(compile: Scope["compile"]) {
    this.compile = compile;
  }

  slot(name: string): number {
    const known = this.slots.get(name);
    if (known !== undefined) return known;
    this.slots.set(name, this.slots.size);
    return this.slots.size - 1;
  }
}

/**
 * Notes why a test failed. Write `return state.closest !== null && fail(…)`: texts are made only where somebody
 * wants to know, and matchers, which fail most of the time, make no closures for them.
 */
export function fail({ closest }: MatchState, clause: number, reason: string): false {
  if (closest !== null && clause > closest.clause) {
    closest.reason = reason;
    closest.clause = clause;
  }
  return false;
}

/** The conditions on one node, and that nothing else uses it. */
export function compileGuard(pattern: Pattern, scope: Scope, place: string): NodeStep | null {
  const { conditions, isSingle } = pattern;
  if (conditions.length === 0 && !isSingle) return null;
  const clause = scope.clauses - conditions.length - 1;
  scope.clauses = clause;
  return (node, state) => {
    if (isSingle && state.context.clients(node) > 1)
      return (
        state.closest !== null &&
        fail(state, clause, `${place} has ${state.context.clients(node)} clients, not one`)
      );
    for (let i = 0; i < conditions.length; i++) {
      if (!conditions[i]!.test(node))
        return (
          state.closest !== null &&
          fail(state, clause + 1 + i, `does not hold: ${conditions[i]!.text} (${shortText(node)})`)
        );
    }
    return true;
  };
}
