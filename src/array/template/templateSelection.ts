// The items of `x[…]` → what the array's own indexing takes.
// In: item nodes and a way to compute their values. Out: one IndexItem each.
// Must hold: numbers are whole (and never -0); anything that is not a number, a slice or an axis is passed on untouched.

import type { ItemNode, Node } from "./ast.ts";
import { ExprSyntaxError } from "./syntaxError.ts";

export interface IndexSlice {
  readonly start: number | null;
  readonly stop: number | null;
  readonly step: number | null;
}

/** `null` is a new axis; `{value}` an array, a mask or whatever else a hole held. */
export type IndexItem = number | IndexSlice | "..." | null | { readonly value: unknown };

type EvaluateNode = (node: Node) => unknown;

export function selectionOf(
  items: readonly ItemNode[],
  text: string,
  evaluateNode: EvaluateNode,
): IndexItem[] {
  return items.map((item) => {
    if (item.kind === "ellipsis") return "...";
    if (item.kind === "none") return null;
    if (item.kind !== "slice") return single(item, text, evaluateNode);
    const [start, stop, step] = [item.start, item.stop, item.step].map((node) =>
      bound(node, text, evaluateNode),
    );
    return { start: start ?? null, stop: stop ?? null, step: step ?? null };
  });
}

function single(node: Node, text: string, evaluateNode: EvaluateNode): IndexItem {
  const value = evaluateNode(node);
  if (value === null) return null;
  if (typeof value !== "number" && typeof value !== "bigint") return { value };
  const whole = wholeNumber(value);
  if (whole !== null) return whole;
  const what = `Expected a whole number as index, found ${value}`;
  throw new ExprSyntaxError({ text, offset: node.offset, what, cure: "Round it first" });
}

function bound(node: Node | null, text: string, evaluateNode: EvaluateNode): number | null {
  const value = node && evaluateNode(node);
  if (node === null || value === null || value === undefined) return null;
  const whole = wholeNumber(value);
  if (whole !== null) return whole;
  const found = typeof value === "number" ? `${value}` : `a value of type ${typeof value}`;
  const what = `Expected a whole number as bound of the slice, found ${found}`;
  // A bound is needed now, so it cannot be a lazy array.
  const cure = typeof value === "object" ? `Compute it first and put it in with \`\${bound}\`` : undefined;
  throw new ExprSyntaxError({ text, offset: node.offset, what, cure });
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === "bigint" ? Number(value) : value;
  // Adding 0 turns -0 into 0.
  return typeof number === "number" && Number.isSafeInteger(number) ? number + 0 : null;
}
