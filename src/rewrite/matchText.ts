// Nodes and values as short text for messages.

import { RuleTypeError } from "../core/errors.ts";
import { type Scalar, scalarText } from "../core/numbers.ts";
import type { Derivation, Expr } from "../expr/expr.ts";
import { arrayTypeText, sameType } from "../expr/op.ts";
import { full } from "../lazy/lazyArray.ts";

export const valueText = (value: Scalar): string => scalarText(value);

/** `add float64 [3]`, `2`: what a node is, without its inputs. */
export function shortText(node: Expr): string {
  if (node.op === full && node.shape.length === 0) return scalarText(node.attrs["value"] as Scalar);
  return `${node.op.name} ${arrayTypeText(node.type)}`;
}

const MOST_CHARACTERS = 120;

/** What nodes are called. */
export type Names = ReadonlyMap<Expr, string>;
const NO_NAMES: Names = new Map();

/** An expression on one line, cut where it gets long: `add(multiply(x, 2), 1)`. */
export function lineText(node: Expr, names: Names = NO_NAMES): string {
  const text = nested(node, names, 4);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}

function nested(node: Expr, names: Names, depth: number): string {
  const name = names.get(node);
  if (name !== undefined) return name;
  if (node.op.class === "source")
    return node.op === full ? scalarText(node.attrs["value"] as Scalar) : node.op.name;
  if (depth === 0) return "…";
  return `${node.op.name}(${node.inputs.map((input) => nested(input, names, depth - 1)).join(", ")})`;
}

// What every replacement must hold to, whoever makes it.

/** A replacement means the same: it has the same type. */
export function checkType(rule: { readonly name: string }, node: Expr, replacement: Expr): void {
  if (replacement.type === node.type || sameType(replacement.type, node.type)) return;
  throw new RuleTypeError({
    what: `rule ${rule.name} replaces ${shortText(node)} by ${shortText(replacement)}`,
    cure: "A rule must keep dtype and shape: mend it, or exclude it",
    rules: [rule.name],
  });
}

// Where a node comes from: which rule made it of which node.

/** The first derivation stays: a node that rules make again is not made anew. */
export function recordDerivation(node: Expr, rule: string, from: Expr): void {
  node.derivation ??= { rule, from };
}

/**
 * The steps that led to a node, the last one first; empty for a node that no rule made:
 * `derivationOf(optimize([x.expr]).roots[0])`.
 */
export function derivationOf(node: Expr): readonly Derivation[] {
  const steps: Derivation[] = [];
  const seen = new Set<Expr>();
  for (let step = node.derivation; step !== null && !seen.has(step.from); step = step.from.derivation) {
    steps.push(step);
    seen.add(step.from);
  }
  return steps;
}
