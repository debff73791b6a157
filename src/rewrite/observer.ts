// Who watches a run of rules, and is told what took its time: the profile and explain.

import type { Expr } from "../expr/expr.ts";
import type { Rule, RuleContext } from "./rule.ts";

/** Who watches a run: the profile and explain. */
export interface DriverObserver {
  /** Instead of `rule.apply`. */
  tryRule(rule: Rule, node: Expr, context: RuleContext): Expr | null;
  applied(rule: Rule, node: Expr, replacement: Expr): void;
  /** A node over changed inputs. */
  rebuilt(node: Expr, now: Expr): void;
  /** What went into something else than rules. */
  spent?(what: Spending, milliseconds: number): void;
}

/** What takes time besides rules: checking what they give, telling who listens, and finding the order of nodes. */
export type Spending = "validate" | "callback" | "toposort";

/** Does something, and tells who watches how long it took. */
export function timed<T>(observer: DriverObserver | undefined | null, what: Spending, does: () => T): T {
  if (observer?.spent === undefined) return does();
  const from = performance.now();
  try {
    return does();
  } finally {
    observer.spent(what, performance.now() - from);
  }
}
