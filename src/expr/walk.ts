// Walks over expressions, with an explicit stack: a chain of a million nodes must not overflow ours.

import type { Expr } from "./expr.ts";

/** Every node once, inputs before what uses them, in a fixed order. What is done already is left out, with all below it. */
export function postOrder(roots: readonly Expr[], isDone?: (node: Expr) => boolean): Expr[] {
  const order: Expr[] = [];
  const seen = new Set<Expr>();
  const stack: Expr[] = [];
  const nextInput: number[] = [];
  const push = (node: Expr): void => {
    if (seen.has(node) || isDone?.(node) === true) return;
    seen.add(node);
    stack.push(node);
    nextInput.push(0);
  };
  for (const root of roots) {
    push(root);
    while (stack.length > 0) {
      const node = stack[stack.length - 1]!;
      const at = nextInput[nextInput.length - 1]!++;
      if (at < node.inputs.length) push(node.inputs[at]!);
      else {
        order.push(node);
        stack.pop();
        nextInput.pop();
      }
    }
  }
  return order;
}

/** Computes something for every node from what its inputs gave. */
export function foldExpr<Result>(
  roots: readonly Expr[],
  visit: (node: Expr, inputs: readonly Result[]) => Result,
): Map<Expr, Result> {
  const results = new Map<Expr, Result>();
  for (const node of postOrder(roots)) {
    results.set(
      node,
      visit(
        node,
        node.inputs.map((input) => results.get(input)!),
      ),
    );
  }
  return results;
}
