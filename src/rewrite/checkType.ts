// What every replacement must hold to, whoever makes it.

import { RuleTypeError } from "../core/errors.ts";
import type { Expr } from "../expr/expr.ts";
import { sameType } from "../expr/type.ts";
import { shortText } from "./matchText.ts";

/** A replacement means the same: it has the same type. */
export function checkType(rule: { readonly name: string }, node: Expr, replacement: Expr): void {
  if (replacement.type === node.type || sameType(replacement.type, node.type)) return;
  throw new RuleTypeError({
    what: `rule ${rule.name} replaces ${shortText(node)} by ${shortText(replacement)}`,
    cure: "A rule must keep dtype and shape: mend it, or exclude it",
    rules: [rule.name],
  });
}
