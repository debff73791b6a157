// The type of an array: what is known of its values before they are there. A dense array has elements of one dtype in a
// shape; a ragged one has nested values of one form, in partitions. Stages switch on `kind`.
// Must hold: a ragged array is cut into single partitions, which is what boxes of it count.

import type { DType } from "../core/dtype.ts";
import { InvariantError } from "../core/errors.ts";
import type { Form } from "../core/form/form.ts";
import { sameForm } from "../core/form/formJson.ts";
import { typeText } from "../core/form/typeText.ts";
import { broadcastShapes, type Shape, sameShape, shapeText } from "../core/shape.ts";

/** The type of an array of elements. */
export interface DenseType {
  /** Elements, not nested values. */
  readonly kind: "dense";
  /** Of the elements. */
  readonly dtype: DType;
  /** How long it is along each axis. */
  readonly shape: Shape;
}

/** Rows of nested data of a form; or one value of that form, which has one partition. */
export interface RaggedType {
  /** Nested values, not elements. */
  readonly kind: "ragged";
  /** What a row is made of. */
  readonly form: Form;
  /** One value, not rows. */
  readonly isItem: boolean;
  /** Into how many parts the rows are cut. */
  readonly partitions: number;
}

/** The type of a node. */
export type ArrayType = DenseType | RaggedType;

/** The type of an array of elements: `denseType("float64", [3, 4])`. */
export const denseType = (dtype: DType, shape: Shape): DenseType => ({ kind: "dense", dtype, shape });

export const raggedType = (form: Form, partitions: number): RaggedType => ({
  kind: "ragged",
  form,
  isItem: false,
  partitions,
});

export const itemType = (form: Form): RaggedType => ({ kind: "ragged", form, isItem: true, partitions: 1 });

/** Along what its boxes go: elements of a dense array, partitions of a ragged one. */
export const extentOf = (type: ArrayType): Shape => (type.kind === "dense" ? type.shape : [type.partitions]);

export const isDense = (type: ArrayType): type is DenseType => type.kind === "dense";

/** For who works on elements: that a ragged array gets there is a mistake of this library. */
export function denseOf<T extends ArrayType>(type: T): Extract<T, { readonly kind: "dense" }> {
  if (type.kind === "dense") return type as Extract<T, { readonly kind: "dense" }>;
  throw new InvariantError({ what: `${arrayTypeText(type)} stands where a dense array belongs` });
}

/** For who works on partitions. */
export function raggedOf<T extends ArrayType>(type: T): Extract<T, { readonly kind: "ragged" }> {
  if (type.kind === "ragged") return type as Extract<T, { readonly kind: "ragged" }>;
  throw new InvariantError({ what: `${arrayTypeText(type)} stands where a ragged array belongs` });
}

export function areDense(types: readonly ArrayType[]): types is readonly DenseType[] {
  for (let i = 0; i < types.length; i++) if (types[i]!.kind !== "dense") return false;
  return true;
}

/** Says of all of them what `denseOf` says of one. */
export function assertDense(types: readonly ArrayType[]): asserts types is readonly DenseType[] {
  for (let i = 0; i < types.length; i++) denseOf(types[i]!);
}

export function assertRagged(types: readonly ArrayType[]): asserts types is readonly RaggedType[] {
  for (let i = 0; i < types.length; i++) raggedOf(types[i]!);
}

export function sameType(a: ArrayType, b: ArrayType): boolean {
  if (a.kind === "dense") return b.kind === "dense" && a.dtype === b.dtype && sameShape(a.shape, b.shape);
  if (b.kind === "dense") return false;
  return a.partitions === b.partitions && a.isItem === b.isItem && sameForm(a.form, b.form);
}

/** `float64 [3, 4]`, `[2] * var * int64`, or the type of one value. */
export function arrayTypeText(type: ArrayType): string {
  switch (type.kind) {
    case "dense":
      return `${type.dtype} ${shapeText(type.shape)}`;
    case "ragged":
      return type.isItem ? typeText(type.form) : `[${type.partitions}] * ${typeText(type.form)}`;
    default:
      throw type satisfies never;
  }
}

// The type of what is computed element by element. In: the inputs' types and the result's dtype. Out: that dtype in the shape
// to which the inputs broadcast.

/** An input's own object where it is the type already, which keeps long chains small. */
export function broadcastType(inputs: readonly DenseType[], dtype: DType): DenseType {
  const first = inputs[0]!;
  const shape = inputs.length === 1 ? first.shape : broadcastShapes(inputs.map((input) => input.shape));
  for (const input of inputs) if (input.dtype === dtype && sameShape(input.shape, shape)) return input;
  return denseType(dtype, shape);
}
