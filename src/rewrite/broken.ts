// Rules that break their contract: one that throws, and one whose answer is no node. In: the rule, the node it was asked
// about, what it threw or gave. Out: an error with the rule's name, the node and the user's line.

import { describe } from "../core/chunks.ts";
import { ChunkwiseError, RuleError } from "../core/errors.ts";
import { Expr } from "../expr/expr.ts";
import { lineOf } from "../expr/site.ts";
import { lineText, shortText } from "./matchText.ts";

interface Named {
  readonly name: string;
}

const CURE = "Mend the rule, or exclude it";

/** `sin(data) (sin float64 [2]), made in program.ts:3:7`. */
export function placeText(node: Expr): string {
  const line = lineOf(node.site);
  return `at ${lineText(node)} (${shortText(node)})${line === undefined ? "" : `, made in ${line}`}`;
}

/** What a rule threw, as an error that names it and the node. What says which rules it is about stays what it is. */
export function thrownBy(rule: Named, node: Expr, error: unknown): ChunkwiseError {
  if (error instanceof RuleError) return error.at(placeText(node));
  const says = error instanceof Error ? `${error.name}: ${error.message}` : describe(error);
  const what = `rule ${rule.name} failed: ${error instanceof ChunkwiseError ? error.what : says}`;
  return new RuleError({ what, where: placeText(node), cure: CURE, rules: [rule.name] }, { cause: error });
}

/** A rule's answer, if it is a node. */
export function checkGiven(rule: Named, node: Expr, given: unknown): Expr {
  if (given instanceof Expr) return given;
  throw new RuleError({
    what: `rule ${rule.name} gives ${describe(given)} for a node`,
    where: placeText(node),
    cure: "A rule gives a node, or null where it changes nothing",
    rules: [rule.name],
  });
}
