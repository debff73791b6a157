// A graph as text for Mermaid, which GitHub and many editors draw. In: nodes and edges. Out: a flowchart. Must hold:
// whatever a label holds, it stays a label: what means something to Mermaid or HTML is written as an entity.

import { plainText } from "../../core/plainText.ts";
import type { GraphNode, NodeKind, PlanGraph } from "./planPicture.ts";

const CLASSES: { readonly [K in NodeKind]: string } = {
  operation: "fill:#dbeaf7,stroke:#0072b2",
  over: "fill:#fbdcdc,stroke:#d62728,stroke-width:2px,color:#a01414",
  more: "fill:#ffffff,stroke:#ffffff,color:#666666",
  source: "fill:#e3f4ec,stroke:#009e73",
  intermediate: "fill:#f4f4f4,stroke:#9a9a9a",
  result: "fill:#fdf0d5,stroke:#e69f00,stroke-width:2px",
};

const FRAMES: { readonly [K in NodeKind]: readonly [open: string, close: string] } = {
  operation: ["(", ")"],
  over: ["(", ")"],
  more: ["[", "]"],
  source: ["[(", ")]"],
  intermediate: ["[", "]"],
  result: ["[", "]"],
};

export function mermaidText({ title, nodes, edges }: PlanGraph): string {
  const ids = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const kinds = [...new Set(nodes.map(({ kind }) => kind))];
  return `${[
    `%% ${escaped(title)}`,
    "flowchart TB",
    ...nodes.map((node) => nodeText(node, ids.get(node.id)!)),
    ...edges.map(({ from, to }) => `  ${ids.get(from)} --> ${ids.get(to)}`),
    ...kinds.map((kind) => `  classDef ${kind} ${CLASSES[kind]}`),
  ].join("\n")}\n`;
}

function nodeText({ kind, lines }: GraphNode, id: string): string {
  const [open, close] = FRAMES[kind];
  return `  ${id}${open}"${lines.map(escaped).join("<br/>")}"${close}:::${kind}`;
}

/** Mermaid's entities are those of HTML with # in place of &. Its directives, %%{…}%%, are found in labels too. */
const escaped = (line: string): string =>
  plainText(line).replace(/[#&<>"'`\\%{}]/g, (character) => `#${character.codePointAt(0)};`);
