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
