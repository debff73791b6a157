// Records of JSON as columns. In: a cursor on a record. Out: one value more in the column of each field. Fields mostly
// come in one order, so the next name is compared with the one that came after it last time before it is looked up.
// Must hold: a field that comes twice is an error, because which of the two is meant is anybody's guess.

import type { RecordForm } from "../../../core/form/form.ts";
import { ABSENT } from "../../../core/form/need.ts";
import type { Layout } from "../../layout/layout.ts";
import { formThere, type Numbered } from "../tree.ts";
import { type Cursor, Misfit, SIGNS } from "./cursor.ts";
import {
  type ColumnOptions,
  type JsonColumn,
  type MakeColumn,
  misfit,
  missing,
  type NodeOf,
} from "./jsonColumn.ts";

interface FieldColumn {
  readonly node: Numbered;
  readonly name: string;
  /** As it stands in a line when nothing is escaped. */
  readonly bytes: Uint8Array;
  /** Null for a field that nobody asks for. */
  readonly column: JsonColumn | null;
}

const encoder = new TextEncoder();

export class RecordColumn implements JsonColumn {
  readonly #node: NodeOf<"record">;
  readonly #options: ColumnOptions;
  readonly #fields: readonly FieldColumn[];
  readonly #there: readonly FieldColumn[];
  readonly #places: ReadonlyMap<string, number>;
  length = 0;

  constructor(node: NodeOf<"record">, options: ColumnOptions, make: MakeColumn) {
    this.#node = node;
    this.#options = options;
    this.#fields = node.children.map((child, i) => ({
      node: child,
      name: node.form.fields?.[i] ?? String(i),
      bytes: encoder.encode(node.form.fields?.[i] ?? String(i)),
      column: options.need[child.at] === ABSENT ? null : make(child),
    }));
    this.#there = this.#fields.filter(({ column }) => column !== null);
    this.#places = new Map(this.#fields.map(({ name }, i) => [name, i]));
  }

  take(cursor: Cursor): void {
    if (cursor.peek() !== SIGNS.OPEN_RECORD) throw misfit(cursor, this.#node);
    cursor.at++;
    if (cursor.peek() === SIGNS.CLOSE_RECORD) cursor.at++;
    else this.#takeFields(cursor);
    this.length++;
    for (const { column, node } of this.#there) {
      if (column!.length < this.length) column!.takeMissing();
      if (column!.length > this.length) throw new Misfit("the field is there twice", node.path);
    }
  }

  #takeFields(cursor: Cursor): void {
    let next = 0;
    do {
      const place = this.#takeName(cursor, next);
      cursor.expect(SIGNS.COLON);
      const column = place < 0 ? null : this.#fields[place]!.column;
      if (column === null) cursor.skip();
      else column.take(cursor);
      next = place + 1;
    } while (cursor.more(SIGNS.CLOSE_RECORD));
  }

  /** −1 for a field that the form does not have. */
  #takeName(cursor: Cursor, next: number): number {
    if (cursor.peek() !== SIGNS.QUOTE) throw new Misfit("a record is no JSON", this.#node.path);
    cursor.takeText();
    const guess = this.#fields[next];
    if (guess !== undefined && isLastText(cursor, guess.bytes)) return next;
    const name = cursor.text();
    const place = this.#places.get(name) ?? -1;
    if (place < 0 && this.#options.isStrict) throw this.#unknown(name);
    return place;
  }

  #unknown(name: string): Misfit {
    const { path } = this.#node;
    return new Misfit(
      "the field was not there in the lines that the type was found from",
      path === "" ? name : `${path}.${name}`,
    );
  }

  takeMissing(): void {
    throw missing(this.#node);
  }
  begins(byte: number): boolean {
    return byte === SIGNS.OPEN_RECORD;
  }
  finish(): Layout {
    const { fields, parameters } = formThere(this.#node, this.#options.need) as RecordForm;
    const contents = this.#there.map(({ column }) => column!.finish());
    return { kind: "record", fields, contents, length: this.length, parameters };
  }
}

function isLastText({ bytes, textStart, textEnd }: Cursor, name: Uint8Array): boolean {
  if (textEnd - textStart !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[textStart + i] !== name[i]) return false;
  return true;
}
