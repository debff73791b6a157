// The error of rules that undo each other. In: their names, an expression, what it becomes before it comes back.

import { RuleCycleError } from "../core/errors.ts";
import type { Expr } from "../expr/expr.ts";
import { lineText } from "./matchText.ts";

export function cycleError(names: readonly string[], node: Expr, other: Expr): RuleCycleError {
  const [subject, verb] = names.length === 1 ? ["rule", "undoes itself"] : ["rules", "undo each other"];
  return new RuleCycleError({
    what: `${subject} ${names.join(", ")} ${verb}: ${lineText(node)} becomes ${lineText(other)}, and that ${lineText(node)} again`,
    cure: `Exclude ${names.at(-1)}, or give one of them a condition`,
    rules: names,
  });
}
