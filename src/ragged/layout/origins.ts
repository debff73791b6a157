// Where nodes of a result come from. In: probes whose nodes carry marks among their parameters. Out: the marks that
// nodes of a result carry, because operations keep the parameters of what they move. Without marks nothing here does
// anything: data never has them.
// Must hold: what several nodes become is marked with all of their marks; what is computed, with what it is made of.

import type { Json, Parameters } from "../../core/form/form.ts";
import { isLeaf, type Plain } from "./layout.ts";

/** The parameter that holds marks. */
const ORIGINS = "__origins__";

type Marks = readonly number[];
interface Marked {
  readonly parameters: Parameters;
}

/** Nothing is known of a node without marks; one with no marks at all depends on nothing. */
export const marksOf = ({ parameters }: Marked): Marks | undefined =>
  parameters[ORIGINS] as Marks | undefined;

export const withMarks = <N extends Marked>(node: N, marks: Marks): N => ({
  ...node,
  parameters: { ...node.parameters, [ORIGINS]: marks as Json },
});

/** The parameters of what several nodes become: the first's, and marks of all. */
export function joinedParameters(nodes: readonly Marked[]): Parameters {
  const { parameters } = nodes[0]!;
  if (!nodes.some((node) => marksOf(node) !== undefined)) return parameters;
  const marks = new Set(nodes.flatMap((node) => marksOf(node) ?? []));
  return { ...parameters, [ORIGINS]: [...marks] };
}

/** What is computed of a node's own buffer, and not of what is below it; or (not used) of how long it is. */
export function drawnFrom<N extends Plain>(result: N, node: Plain, isUsed = true): N {
  const marks = marksOf(node);
  return marks === undefined ? result : withMarks(result, isUsed ? marks : []);
}

/** Leaves of a result that came from nowhere are computed: of everything in the nodes given. */
export function drawnBelow(result: Plain, nodes: readonly Plain[]): Plain {
  // Marks are on probes alone, which have no rows.
  if (nodes.some((node) => node.length > 0) || !nodes.some(hasMarks)) return result;
  const marks = new Set<number>();
  for (const node of nodes) collectMarks(node, marks);
  return markedLeaves(result, [...marks]);
}

const childrenOf = (node: Plain): readonly Plain[] =>
  "contents" in node ? node.contents : "content" in node ? [node.content] : [];

const hasMarks = (node: Plain): boolean => marksOf(node) !== undefined || childrenOf(node).some(hasMarks);

function collectMarks(node: Plain, into: Set<number>): void {
  for (const mark of marksOf(node) ?? []) into.add(mark);
  for (const child of childrenOf(node)) collectMarks(child, into);
}

function markedLeaves(node: Plain, marks: Marks): Plain {
  if (isLeaf(node)) return marksOf(node) === undefined ? withMarks(node, marks) : node;
  if ("contents" in node)
    return { ...node, contents: node.contents.map((content) => markedLeaves(content, marks)) };
  return { ...node, content: markedLeaves(node.content, marks) };
}
