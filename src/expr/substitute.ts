// Other nodes in the places of some: placeholders by what they stand for. In: expressions, and what takes whose place. Out: the
// same expressions with those in it; what does not depend on them stays the very same nodes.
// Must hold: what takes a node's place has its type. Replacements are not looked into: they may hold what they replace.

import { InvariantError } from "../core/errors.ts";
import { type Expr, postOrder, withInputs } from "./expr.ts";
import { arrayTypeText, sameType } from "./op.ts";

export function substitute(roots: readonly Expr[], replacements: ReadonlyMap<Expr, Expr>): Expr[] {
  const made = new Map<Expr, Expr>();
  for (const [node, replacement] of replacements) {
    checkSame(node, replacement);
    made.set(node, replacement);
  }
  for (const node of postOrder(roots, (known) => made.has(known))) {
    const inputs = node.inputs.map((input) => made.get(input)!);
    const isSame = inputs.every((input, i) => input === node.inputs[i]);
    made.set(node, isSame ? node : withInputs(node, inputs));
  }
  return roots.map((root) => made.get(root)!);
}

/** Every node that is made from one of these, and these themselves. */
export function dependents(roots: readonly Expr[], on: ReadonlySet<Expr>): Set<Expr> {
  const found = new Set<Expr>();
  for (const node of postOrder(roots))
    if (on.has(node) || node.inputs.some((input) => found.has(input))) found.add(node);
  return found;
}

function checkSame(node: Expr, { type }: Expr): void {
  if (sameType(node.type, type)) return;
  throw new InvariantError({
    what: `${arrayTypeText(type)} is to take the place of ${arrayTypeText(node.type)}`,
  });
}
