// What a column of JSON is. In: a cursor on a value. Out: one value more; at the end a layout. And the Misfits of values
// that do not fit their type.

import type { Form, Need } from "../../../core/form/form.ts";
import { typeText } from "../../../core/form/typeText.ts";
import type { Layout } from "../../layout/layout.ts";
import type { Numbered } from "../source.ts";
import { type Cursor, Misfit } from "./cursor.ts";

export interface JsonColumn {
  readonly length: number;
  take(cursor: Cursor): void;
  /** A field that the record does not have. */
  takeMissing(): void;
  /** True when a value that begins like this may be one of its own; for unions. */
  begins(byte: number): boolean;
  finish(): Layout;
}

export interface ColumnOptions {
  readonly need: Need;
  /** Fields that the form does not know are errors; else they are skipped. */
  readonly isStrict: boolean;
  /** Told of every number: the cursor is behind it, and it began at `start`. */
  readonly onNumber?: (node: Numbered, cursor: Cursor, start: number) => void;
}

/** A node of one kind. */
export type NodeOf<K extends Form["kind"]> = Numbered & { readonly form: Extract<Form, { kind: K }> };

/** Makes the column of a node below. */
export type MakeColumn = (node: Numbered) => JsonColumn;

export const misfit = (cursor: Cursor, { form, path }: Numbered): Misfit =>
  new Misfit(`${cursor.describeNext()} is no ${typeText(form)}`, path);

export const missing = ({ path }: Numbered): Misfit => new Misfit("the field is missing", path);
