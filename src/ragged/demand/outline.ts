// A form seen as a list of nodes. In: a form. Out: its nodes in preorder, what is above each, which are leaves; and
// the form with every node marked, for following where nodes go. Must hold: numbers of nodes are those of needs.

import {
  childrenOf,
  type Form,
  listForm,
  optionForm,
  regularForm,
  withChildren,
} from "../../core/form/form.ts";
import { withMarks } from "../layout/origins.ts";

export interface Outline {
  readonly nodes: readonly Form[];
  /** −1 for the first. */
  readonly parents: Int32Array;
  /** After the last node below. */
  readonly ends: Int32Array;
}

const outlines = new WeakMap<Form, Outline>();

export function outlineOf(form: Form): Outline {
  const known = outlines.get(form);
  if (known !== undefined) return known;
  const nodes: Form[] = [];
  const parents: number[] = [];
  const ends: number[] = [];
  const visit = (node: Form, parent: number): void => {
    const own = nodes.push(node) - 1;
    parents.push(parent);
    for (const child of childrenOf(node)) visit(child, own);
    ends[own] = nodes.length;
  };
  visit(form, -1);
  const outline = { nodes, parents: Int32Array.from(parents), ends: Int32Array.from(ends) };
  outlines.set(form, outline);
  return outline;
}

/** Numbers, strings, nothing. */
export const isLeafForm = ({ kind }: Form): boolean =>
  kind === "numpy" || kind === "string" || kind === "empty";

/** Lists, options, unions, indexes: what says where values are. A record says nothing. */
export const isStructureForm = (form: Form): boolean => form.kind !== "record" && !isLeafForm(form);

/** Node n of input i as one number. */
const WIDTH = 2 ** 24;
export const markOf = (input: number, node: number): number => input * WIDTH + node;
export const inputOfMark = (mark: number): number => Math.floor(mark / WIDTH);
export const nodeOfMark = (mark: number): number => mark % WIDTH;

const marked = new WeakMap<Form, Form[]>();

/** The form with the number of every node among its parameters. */
export function markedForm(form: Form, input: number): Form {
  const known = marked.get(form) ?? [];
  marked.set(form, known);
  known[input] ??= marksIn(form, input);
  return known[input];
}

/** As plain as can be said without data: nodes that operations never see would take their marks with them. */
function marksIn(form: Form, input: number): Form {
  let count = 0;
  const visit = (node: Form): Form => {
    const marks = [markOf(input, count++)];
    const children = childrenOf(node).map(visit);
    return plainNode(node, children, (plain) => withMarks(plain, marks));
  };
  return visit(form);
}

function plainNode(node: Form, children: readonly Form[], mark: (node: Form) => Form): Form {
  switch (node.kind) {
    case "indexed":
      return children[0]!;
    case "byteMasked":
    case "bitMasked":
    case "unmasked":
      return mark(optionForm(children[0]!));
    case "list":
      return mark({ ...listForm(children[0]!), parameters: node.parameters });
    case "numpy":
      return node.innerShape.reduceRight<Form>(
        (inner, size) => mark(regularForm(inner, size)),
        mark({ ...node, innerShape: [] }),
      );
    default:
      return mark(withChildren(node, children));
  }
}

/** The same nodes with the same names and types. Keys do not count. */
export function sameNodes(a: Form, b: Form): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || !sameOwn(a, b)) return false;
  const below = childrenOf(a);
  const others = childrenOf(b);
  return below.length === others.length && below.every((child, i) => sameNodes(child, others[i]!));
}

/** Everything about a node but its key, what is below it, and how wide its integers are stored. */
function sameOwn(a: Form, b: Form): boolean {
  if (a.parameters !== b.parameters && JSON.stringify(a.parameters) !== JSON.stringify(b.parameters))
    return false;
  if (a.kind === "numpy" && b.kind === "numpy")
    return a.dtype === b.dtype && String(a.innerShape) === String(b.innerShape);
  if (a.kind === "regular" && b.kind === "regular") return a.size === b.size;
  if (a.kind === "string" && b.kind === "string") return a.encoding === b.encoding;
  return a.kind !== "record" || b.kind !== "record" || sameNames(a.fields, b.fields);
}

function sameNames(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
