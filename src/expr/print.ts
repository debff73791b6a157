// Expressions as text: one line a node with dtype, shape and chunks, inputs before what uses them. Scalars
// are written where they are used. Long expressions show their begin and end. Nothing is computed.

import { type Attrs, attrLabel, Resource } from "../core/block.ts";
import { shapeText } from "../core/chunks.ts";
import { type Scalar, scalarText } from "../core/numbers.ts";
import { chunksOf, type Expr, postOrder } from "./expr.ts";
import { arrayTypeText, extentOf, isDense } from "./op.ts";
import { lineOf } from "./site.ts";

export interface PrintOptions {
  readonly indent?: string;
  /** Also the user's line that made each node. */
  readonly lines?: boolean;
  readonly maxLines?: number;
  /** What nodes are called; others have numbers. */
  readonly names?: ReadonlyMap<Expr, string> | undefined;
}

export function exprText(
  roots: readonly Expr[],
  { indent = "", lines = false, maxLines = 60, names: given }: PrintOptions = {},
): string {
  const nodes = postOrder(roots).filter((node) => !isScalarConstant(node));
  const names = new Map(nodes.map((node, i) => [node, given?.get(node) ?? `%${i}`]));
  const line = (node: Expr): string =>
    indent + nodeText(node, names) + (lines ? ` ; ${lineOf(node.site) ?? "?"}` : "");
  if (nodes.length <= maxLines) return nodes.map(line).join("\n");
  const half = Math.floor(maxLines / 2);
  const gap = `${indent}… ${nodes.length - 2 * half} more`;
  return [...nodes.slice(0, half).map(line), gap, ...nodes.slice(-half).map(line)].join("\n");
}

/** A 0-d value that the node itself says. */
const isScalarConstant = (node: Expr): boolean =>
  node.op.class === "source" && extentOf(node.type).length === 0 && "value" in node.attrs;

function nodeText(node: Expr, names: ReadonlyMap<Expr, string>): string {
  const inputs = node.inputs.map((input) => names.get(input) ?? scalarText(input.attrs["value"] as Scalar));
  const args = [...inputs, ...attrTexts(node.attrs)].join(", ");
  return `${names.get(node)} = ${node.op.name}(${args}) ${typeTextOf(node)}`;
}

function typeTextOf(node: Expr): string {
  const text = arrayTypeText(node.type);
  return isDense(node.type) ? `${text} chunks ${shapeText(chunksOf(node))}` : text;
}

/** What the type and the chunks say already is left out. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(["dtype", "shape", "chunks", "length", "lengths"]);

function attrTexts(attrs: Attrs): string[] {
  const own = Object.entries(attrs).filter(([name]) => !SAID_ELSEWHERE.has(name));
  return own.map(([name, value]) => (value instanceof Resource ? "…" : attrLabel(name, value)));
}
