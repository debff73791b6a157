// Forms: what a ragged array is made of, without its data. In: nothing but names, dtypes and sizes. Out: a tree
// that says which buffers there are and how they nest. Layouts in memory have a form; operations map forms to
// forms. Must hold: a form says nothing of lengths, so every part of a long array has the form of the whole.

import type { Shape } from "../chunks.ts";
import type { DType } from "../dtype.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
/** Names attached to a node: `__record__`, `__doc__`, whatever a user wants to carry along. */
export type Parameters = { readonly [name: string]: Json };

export const NO_PARAMETERS: Parameters = Object.freeze({});

/** How wide the stored integers of an offsets, index, tags or mask buffer are. */
export type IndexType = "i8" | "u8" | "i32" | "u32" | "i64";
export type Encoding = "utf8" | "bytes";

interface FormBase {
  readonly parameters: Parameters;
  /** The name under which buffers of this node are kept, if they are kept somewhere. */
  readonly key: string | null;
}

/** No elements, and nobody knows of what type they would be. */
export interface EmptyForm extends FormBase {
  readonly kind: "empty";
}
export interface NumpyForm extends FormBase {
  readonly kind: "numpy";
  readonly dtype: DType;
  readonly innerShape: Shape;
}
/** Lists that all have `size` elements. */
export interface RegularForm extends FormBase {
  readonly kind: "regular";
  readonly size: number;
  readonly content: Form;
}
export interface ListOffsetForm extends FormBase {
  readonly kind: "listOffset";
  readonly offsets: IndexType;
  readonly content: Form;
}
export interface ListForm extends FormBase {
  readonly kind: "list";
  readonly starts: IndexType;
  readonly stops: IndexType;
  readonly content: Form;
}
/** `fields` is null for a tuple. */
export interface RecordForm extends FormBase {
  readonly kind: "record";
  readonly fields: readonly string[] | null;
  readonly contents: readonly Form[];
}
export interface IndexedForm extends FormBase {
  readonly kind: "indexed";
  readonly index: IndexType;
  readonly content: Form;
}
/** A negative index is a null. */
export interface IndexedOptionForm extends FormBase {
  readonly kind: "indexedOption";
  readonly index: IndexType;
  readonly content: Form;
}
export interface ByteMaskedForm extends FormBase {
  readonly kind: "byteMasked";
  readonly mask: IndexType;
  readonly validWhen: boolean;
  readonly content: Form;
}
export interface BitMaskedForm extends FormBase {
  readonly kind: "bitMasked";
  readonly mask: IndexType;
  readonly validWhen: boolean;
  readonly lsbOrder: boolean;
  readonly content: Form;
}
/** Could be null, and never is. */
export interface UnmaskedForm extends FormBase {
  readonly kind: "unmasked";
  readonly content: Form;
}
export interface UnionForm extends FormBase {
  readonly kind: "union";
  readonly tags: IndexType;
  readonly index: IndexType;
  readonly contents: readonly Form[];
}
/** Lists of characters that are one value: Awkward's list of uint8 with a parameter. */
export interface StringForm extends FormBase {
  readonly kind: "string";
  readonly encoding: Encoding;
  readonly offsets: IndexType;
  readonly charKey: string | null;
}

/** The type of nested data: what lists, records, options and numbers it is made of, and how they lie in buffers. */
export type Form =
  | EmptyForm
  | NumpyForm
  | RegularForm
  | ListOffsetForm
  | ListForm
  | RecordForm
  | IndexedForm
  | IndexedOptionForm
  | ByteMaskedForm
  | BitMaskedForm
  | UnmaskedForm
  | UnionForm
  | StringForm;
export type FormKind = Form["kind"];

export const OPTION_KINDS: ReadonlySet<string> = new Set([
  "indexedOption",
  "byteMasked",
  "bitMasked",
  "unmasked",
]);

const BARE = { parameters: NO_PARAMETERS, key: null } as const;

export const emptyForm = (): EmptyForm => ({ ...BARE, kind: "empty" });
export const numpyForm = (dtype: DType, innerShape: Shape = []): NumpyForm => ({
  ...BARE,
  kind: "numpy",
  dtype,
  innerShape,
});
export const stringForm = (encoding: Encoding = "utf8"): StringForm => ({
  ...BARE,
  kind: "string",
  encoding,
  offsets: "i32",
  charKey: null,
});
export const regularForm = (content: Form, size: number): RegularForm => ({
  ...BARE,
  kind: "regular",
  size,
  content,
});
export const listForm = (content: Form): ListOffsetForm => ({
  ...BARE,
  kind: "listOffset",
  offsets: "i32",
  content,
});
export const recordForm = (fields: readonly string[] | null, contents: readonly Form[]): RecordForm => ({
  ...BARE,
  kind: "record",
  fields,
  contents,
});
export const optionForm = (content: Form): IndexedOptionForm => ({
  ...BARE,
  kind: "indexedOption",
  index: "i32",
  content,
});
export const unionForm = (contents: readonly Form[]): UnionForm => ({
  ...BARE,
  kind: "union",
  tags: "i8",
  index: "i32",
  contents,
});

/** The nodes directly below one. */
export function childrenOf(form: Form): readonly Form[] {
  if ("contents" in form) return form.contents;
  return "content" in form ? [form.content] : [];
}

/** The same node over other children. */
export function withChildren<F extends Form>(form: F, children: readonly Form[]): F {
  if ("contents" in form) return { ...form, contents: children };
  return "content" in form ? { ...form, content: children[0]! } : form;
}

/** Keys node0, node1, … in the order of a walk from the top, as Awkward gives them. */
export function withKeys(form: Form): Form {
  let count = 0;
  const number = (node: Form): Form => {
    const key = `node${count++}`;
    if (node.kind === "string") return { ...node, key, charKey: `node${count++}` };
    return withChildren({ ...node, key }, childrenOf(node).map(number));
  };
  return number(form);
}

// What of a form somebody needs. In: a form, and a level for each of its nodes in preorder. Out: the form without
// what is absent. A node has one buffer or none (a list its offsets, an option its mask or index, a leaf its
// values), so a level says: not there at all; there, and nobody looks at its buffer; or read.
// Must hold: what is above a node that is read is read, and what is above a node that is there is there.

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
