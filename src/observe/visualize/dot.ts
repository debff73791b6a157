// A graph as text for Graphviz. In: nodes and edges. Out: DOT. Must hold: whatever a label holds, it stays a label.

import { plainText } from "../../core/plainText.ts";
import type { GraphNode, NodeKind, PlanGraph } from "./planPicture.ts";

const STYLE: { readonly [K in NodeKind]: string } = {
  operation: 'shape=box, style="rounded,filled", fillcolor="#dbeaf7", color="#0072b2"',
  over: 'shape=box, style="rounded,filled", fillcolor="#fbdcdc", color="#d62728", fontcolor="#a01414", penwidth=2',
  more: 'shape=plaintext, fontcolor="#666666"',
  source: 'shape=cylinder, style=filled, fillcolor="#e3f4ec", color="#009e73"',
  intermediate: 'shape=box, style=filled, fillcolor="#f4f4f4", color="#9a9a9a"',
  result: 'shape=box, style=filled, fillcolor="#fdf0d5", color="#e69f00", penwidth=2',
};

export function dotText({ title, nodes, edges }: PlanGraph): string {
  return `${[
    "digraph plan {",
    `  graph [label=${quoted([title])}, labelloc=t, fontname="Helvetica", fontsize=12, rankdir=TB]`,
    '  node [fontname="Helvetica", fontsize=10, margin="0.2,0.08"]',
    '  edge [color="#666666", arrowsize=0.7]',
    ...nodes.map(nodeText),
    ...edges.map(({ from, to }) => `  ${quoted([from])} -> ${quoted([to])}`),
    "}",
  ].join("\n")}\n`;
}

const nodeText = ({ id, kind, lines }: GraphNode): string =>
  `  ${quoted([id])} [label=${quoted(lines)}, ${STYLE[kind]}]`;

/** Lines as one quoted text. */
const quoted = (lines: readonly string[]): string => `"${lines.map(escaped).join("\\n")}"`;

/** A backslash would begin one of Graphviz's own escapes, an ampersand an entity. */
const escaped = (line: string): string =>
  plainText(line).replaceAll("&", "&amp;").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
