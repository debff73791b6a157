// What of a form somebody needs. In: a form, and a level for each of its nodes in preorder. Out: the form without
// what is absent. A node has one buffer or none (a list its offsets, an option its mask or index, a leaf its
// values), so a level says: not there at all; there, and nobody looks at its buffer; or read.
// Must hold: what is above a node that is read is read, and what is above a node that is there is there.

import { childrenOf, type Form, withChildren } from "./form.ts";

export const ABSENT = 0;
export const PRESENT = 1;
export const NEEDED = 2;

export type Level = typeof ABSENT | typeof PRESENT | typeof NEEDED;

/** One level for each node, in preorder: plain data, so that it can be an attribute. */
export type Need = readonly Level[];

/** A node above its contents, contents in their order. */
export function nodesOf(form: Form): readonly Form[] {
  const nodes: Form[] = [];
  const visit = (node: Form): void => {
    nodes.push(node);
    childrenOf(node).forEach(visit);
  };
  visit(form);
  return nodes;
}

export const everything = (form: Form): Need => nodesOf(form).map(() => NEEDED);

export const isNeeded = (need: Need): boolean => need.some((level) => level === NEEDED);

/** The form without the fields that are absent. What is not a field of a record cannot be left out. */
export function narrowed(form: Form, need: Need): Form {
  let at = 0;
  const visit = (node: Form): Form => {
    at++;
    if (node.kind !== "record") return withChildren(node, childrenOf(node).map(visit));
    const kept: number[] = [];
    const contents = node.contents.map((content, i) => {
      if (need[at] !== ABSENT) kept.push(i);
      return visit(content);
    });
    if (kept.length === contents.length) return withChildren(node, contents);
    const fields = node.fields ?? contents.map((_, i) => String(i));
    return { ...node, fields: kept.map((i) => fields[i]!), contents: kept.map((i) => contents[i]!) };
  };
  return visit(form);
}

/**
 * Levels that hold: whatever is above a node has at least its level, and contents of what is there are there. Within a
 * union fields are there, too: contents that differ by one field only would be one without it, and the union none.
 */
export function closed(form: Form, need: Need): Need {
  const levels = [...need];
  let at = 0;
  const raise = (node: Form): Level => {
    const own = at++;
    for (const child of childrenOf(node)) levels[own] = Math.max(levels[own]!, raise(child)) as Level;
    return levels[own]!;
  };
  // After that: one content of a union may have brought the union, which brings the others.
  const fill = (node: Form, isThere: boolean, isInUnion: boolean): void => {
    const own = at++;
    if (isThere) levels[own] = Math.max(levels[own]!, PRESENT) as Level;
    const isWithin = isInUnion || node.kind === "union";
    const isHere = levels[own]! !== ABSENT && (node.kind !== "record" || isInUnion);
    for (const child of childrenOf(node)) fill(child, isHere, isWithin);
  };
  raise(form);
  at = 0;
  fill(form, true, false);
  return levels;
}
