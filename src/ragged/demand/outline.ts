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
import { withMarks } from "../layout/indices.ts";

// What an operation does with each of its inputs, as far as demand goes: one of five words, in the operation's record.
// In: nothing. Out: the words and their combinations. Which node of an input a node of the result comes from is not
// said here: it is found by running the operation on marked probes (candidate.ts).

/**
 * passed: parts of this input are the result, as they are.
 * moved: values of this input are values of the result, by what its lists, nulls and tags say.
 * computed: the same as far as demand goes; the values of the result are others.
 * structure: offsets and nulls are looked at, values never.
 * data: everything is looked at whenever anything of the result is wanted: the result's structure depends on it.
 */
export type Role = "passed" | "moved" | "computed" | "structure" | "data";

/** The operation without some of the fields that it makes. */
export interface Lesser<A> {
  readonly attrs: A;
  /** Which inputs are left; null for all. */
  readonly inputs: readonly number[] | null;
}

export interface Roles {
  /** By input; the last word is also for inputs after it. */
  readonly roles: readonly Role[];
  /** True when zeros in the place of values can make it fail. */
  readonly failsOnZeros?: () => boolean;
  /** Its first input is its result, where the field that it sets or drops is not wanted. */
  readonly setsField?: boolean;
}

export interface Demand<A> extends Roles {
  /** What of the attributes demand depends on, beside the result's form; all of them unless it says. */
  attrsText?(attrs: A): string;
  /** It makes a record: what it is when only the fields with these numbers are wanted; null when it cannot say. */
  lesser?(attrs: A, kept: readonly number[]): Lesser<A> | null;
}

const only = (...roles: readonly Role[]): Roles => ({ roles });

export const PASSED: Roles = only("passed");
export const MOVED: Roles = only("moved");
export const COMPUTED: Roles = only("computed");
export const STRUCTURE: Roles = only("structure");
export const DATA: Roles = only("data");
/** The first input by what the others say. */
export const MOVED_BY_DATA: Roles = only("moved", "data");
/** Those after the first by what it says. */
export const DATA_THEN_MOVED: Roles = only("data", "moved");
/** A record with one field less than the input. */
export const DROPS_FIELD: Roles = { roles: ["passed"], setsField: true };
/** A record with one field more or another one than the first input. */
export const SETS_FIELD: Roles = { roles: ["moved"], setsField: true };

export const roleOf = ({ roles }: Roles, input: number): Role => roles[Math.min(input, roles.length - 1)]!;

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
