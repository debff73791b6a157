// A form's nodes by their numbers. In: a form. Out: its tree, where each node knows its place in preorder, which is its
// place in a `Need`. Must hold: a need is closed before it is looked at, so what is below a node that nobody needs is
// not needed either.

import { childrenOf, type Form } from "../../core/form/form.ts";
import { ABSENT, NEEDED, type Need, narrowed } from "../../core/form/need.ts";

export interface Numbered {
  readonly form: Form;
  /** In preorder. */
  readonly at: number;
  readonly children: readonly Numbered[];
  /** The names of the fields on the way to it: "jets.pt"; "" at the top. */
  readonly path: string;
}

export function numbered(form: Form): Numbered {
  let count = 0;
  const visit = (node: Form, path: string): Numbered => {
    const at = count++;
    const children = childrenOf(node).map((child, i) => visit(child, pathOf(node, i, path)));
    return { form: node, at, children, path };
  };
  return visit(form, "");
}

function pathOf(node: Form, child: number, path: string): string {
  if (node.kind !== "record") return path;
  const name = node.fields?.[child] ?? String(child);
  return path === "" ? name : `${path}.${name}`;
}

/** All nodes, in preorder. */
export function flattened(node: Numbered): readonly Numbered[] {
  return [node, ...node.children.flatMap(flattened)];
}

/** The form of what is there of a node. */
export const formThere = ({ form, at }: Numbered, need: Need): Form => narrowed(form, need.slice(at));

/** Which children are there: all, but for the fields of records that nobody asks for. */
export const childrenThere = ({ form, children }: Numbered, need: Need): readonly Numbered[] =>
  form.kind === "record" ? children.filter(({ at }) => need[at] !== ABSENT) : children;

/** Needed nodes below which nothing is needed: where looking ends. Records hold nothing themselves. */
export function lowestNeeded(node: Numbered, need: Need): readonly Numbered[] {
  if (need[node.at] !== NEEDED) return [];
  const below = node.children.flatMap((child) => lowestNeeded(child, need));
  return below.length > 0 || node.form.kind === "record" ? below : [node];
}
