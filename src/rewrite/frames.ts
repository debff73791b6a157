// The driver's stack: nodes that wait for their inputs, and nodes that wait for what a rule put in their place. Lists
// beside each other, as a frame is made for every replacement, and objects would be garbage.
// In: nodes as they are met. Out: the node whose turn it is. Must hold: all lists are equally long.

import type { RuleCycleError } from "../core/errors.ts";
import type { Expr } from "../expr/expr.ts";
import { cycleError } from "./cycle.ts";
import type { Rule } from "./rule.ts";

/** No rule was tried yet, and no input looked at. */
export const UNTRIED = -1;

export class Frames {
  readonly nodes: Expr[] = [];
  /** The input that comes next; UNTRIED where rules are tried before any input. */
  readonly next: number[] = [];
  /** For a node that was replaced: the node over its new inputs, the rule and the replacement. */
  readonly rebuilt: Expr[] = [];
  readonly rules: (Rule | null)[] = [];
  readonly replacements: (Expr | null)[] = [];

  get depth(): number {
    return this.nodes.length;
  }

  /** Where the first replacement of a rule that is under way waits; −1 where there is none. */
  firstOf(rule: Rule): number {
    return this.rules.indexOf(rule);
  }

  pushNode(node: Expr, next: number): void {
    this.#push(node, next, node, null, null);
  }

  pushReplaced(node: Expr, rebuilt: Expr, rule: Rule, replacement: Expr): void {
    this.#push(node, 0, rebuilt, rule, replacement);
  }

  #push(node: Expr, next: number, rebuilt: Expr, rule: Rule | null, replacement: Expr | null): void {
    this.nodes.push(node);
    this.next.push(next);
    this.rebuilt.push(rebuilt);
    this.rules.push(rule);
    this.replacements.push(replacement);
  }

  pop(): void {
    this.nodes.pop();
    this.next.pop();
    this.rebuilt.pop();
    this.rules.pop();
    this.replacements.pop();
  }

  /** The rules from where a node was met first to where it was met again. */
  cycleOf(node: Expr): RuleCycleError {
    const from = this.nodes.findIndex((one, i) => one === node || this.rebuilt[i] === node);
    const steps = this.rules.flatMap((rule, i) => (rule === null || i < from ? [] : [{ rule, i }]));
    const names = [...new Set(steps.map(({ rule }) => rule.name))];
    return cycleError(names, node, this.replacements[steps[0]?.i ?? 0] ?? node);
  }
}
