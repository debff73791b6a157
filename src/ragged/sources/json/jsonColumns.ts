// Columns that take values of JSON by a form. In: a form, what of it is needed, and a cursor on a value. Out: the layout
// of the narrowed form. Values go from text into typed memory; those that nobody needs are skipped and counted.
// Must hold: all columns of a record are of one length; a value that does not fit is a Misfit that names its path.

import { infoOf } from "../../../core/dtype.ts";
import { ValueError } from "../../../core/errors.ts";
import { ABSENT, type Form, type Level, NEEDED, type RecordForm } from "../../../core/form/form.ts";
import { typeText } from "../../../core/form/typeText.ts";
import { Column } from "../../io/growingColumns.ts";
import type { Layout } from "../../layout/layout.ts";
import { formThere, type Numbered } from "../source.ts";
import { zerosOf } from "../zeros.ts";
import { type Cursor, Misfit, SIGNS } from "./cursor.ts";
import {
  type ColumnOptions,
  type JsonColumn,
  type MakeColumn,
  misfit,
  missing,
  type NodeOf,
} from "./jsonColumn.ts";
import { numberColumn } from "./numberColumns.ts";

// Records of JSON as columns. In: a cursor on a record. Out: one value more in the column of each field. Fields mostly
// come in one order, so the next name is compared with the one that came after it last time before it is looked up.
// Must hold: a field that comes twice is an error, because which of the two is meant is anybody's guess.

interface FieldColumn {
  readonly node: Numbered;
  readonly name: string;
  /** As it stands in a line when nothing is escaped. */
  readonly bytes: Uint8Array;
  /** Null for a field that nobody asks for. */
  readonly column: JsonColumn | null;
}

const encoder = new TextEncoder();

class RecordColumn implements JsonColumn {
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

export function columnFor(node: Numbered, options: ColumnOptions): JsonColumn {
  const make: MakeColumn = (child) => columnFor(child, options);
  if (options.need[node.at] !== NEEDED) return new SkippedColumn(formThere(node, options.need));
  const { kind } = node.form;
  switch (kind) {
    case "numpy":
      return numberColumn(node as NodeOf<"numpy">, options);
    case "string":
      return new TextColumn(node as NodeOf<"string">);
    case "listOffset":
    case "regular":
      return new ListColumn(node as NodeOf<"listOffset" | "regular">, make);
    case "record":
      return new RecordColumn(node as NodeOf<"record">, options, make);
    case "indexedOption":
      return new OptionColumn(node as NodeOf<"indexedOption">, make);
    case "union":
      return new UnionColumn(node as NodeOf<"union">, options);
    case "empty":
      return new EmptyColumn(node);
    default:
      throw new ValueError({ what: `JSON is not read as ${kind}`, cure: "Give the type as text" });
  }
}

/** A typed error for forms that JSON cannot fill. */
export function checkJsonForm(node: Numbered): void {
  const { form, path } = node;
  const isComplex = form.kind === "numpy" && infoOf(form.dtype).kind === "complex";
  const isBytes = form.kind === "string" && form.encoding === "bytes";
  const isOther = !KINDS.has(form.kind) || (form.kind === "numpy" && form.innerShape.length > 0);
  if (isComplex || isBytes || isOther)
    throw new ValueError({
      what: `${path === "" ? "the type" : path} is ${typeText(form)}${isOther ? ` held as ${form.kind}` : ""}, which JSON cannot be read as`,
      cure: 'Use real numbers, bool, string, lists, records, options and unions, as in "{met: float64, jets: var * int64}"',
    });
  node.children.forEach(checkJsonForm);
}

const KINDS: ReadonlySet<string> = new Set([
  ...["numpy", "string", "listOffset", "regular", "record", "indexedOption", "union", "empty"],
]);

class SkippedColumn implements JsonColumn {
  readonly #form: Form;
  length = 0;

  constructor(form: Form) {
    this.#form = form;
  }
  take(cursor: Cursor): void {
    cursor.skip();
    this.length++;
  }
  takeMissing(): void {
    this.length++;
  }
  begins(): boolean {
    return true;
  }
  finish(): Layout {
    return zerosOf(this.#form, this.length);
  }
}

/** No type is known: every value is a misfit. */
class EmptyColumn implements JsonColumn {
  readonly #node: Numbered;
  readonly length = 0;

  constructor(node: Numbered) {
    this.#node = node;
  }
  take(cursor: Cursor): void {
    throw new Misfit(
      `${cursor.describeNext()} is the first value here, and the type is not known`,
      this.#node.path,
    );
  }
  takeMissing(): void {
    throw missing(this.#node);
  }
  begins(): boolean {
    return false;
  }
  finish(): Layout {
    return { kind: "empty", length: 0, parameters: this.#node.form.parameters };
  }
}

class TextColumn implements JsonColumn {
  readonly #node: NodeOf<"string">;
  readonly #offsets = new Column(Int32Array);
  readonly #bytes = new Column(Uint8Array);

  constructor(node: NodeOf<"string">) {
    this.#node = node;
    this.#offsets.push(0);
  }
  get length(): number {
    return this.#offsets.length - 1;
  }
  take(cursor: Cursor): void {
    if (cursor.peek() !== SIGNS.QUOTE) throw misfit(cursor, this.#node);
    cursor.takeText();
    const { bytes, textStart, textEnd, hasEscapes } = cursor;
    this.#bytes.append(hasEscapes ? encoder.encode(cursor.text()) : bytes.subarray(textStart, textEnd));
    this.#offsets.push(this.#bytes.length);
  }
  takeMissing(): void {
    throw missing(this.#node);
  }
  begins(byte: number): boolean {
    return byte === SIGNS.QUOTE;
  }
  finish(): Layout {
    const { parameters, encoding } = this.#node.form;
    const [offsets, bytes] = [this.#offsets.finish(), this.#bytes.finish()];
    return { kind: "string", encoding, offsets, bytes, length: this.length, parameters };
  }
}

class ListColumn implements JsonColumn {
  readonly #node: NodeOf<"listOffset" | "regular">;
  readonly #offsets = new Column(Int32Array);
  readonly #content: JsonColumn;

  constructor(node: NodeOf<"listOffset" | "regular">, make: MakeColumn) {
    this.#node = node;
    this.#content = make(node.children[0]!);
    this.#offsets.push(0);
  }
  get length(): number {
    return this.#offsets.length - 1;
  }
  take(cursor: Cursor): void {
    if (cursor.peek() !== SIGNS.OPEN_LIST) throw misfit(cursor, this.#node);
    const start = cursor.at++;
    const before = this.#content.length;
    if (cursor.peek() === SIGNS.CLOSE_LIST) cursor.at++;
    else {
      do this.#content.take(cursor);
      while (cursor.more(SIGNS.CLOSE_LIST));
    }
    const { form } = this.#node;
    if (form.kind === "regular" && this.#content.length - before !== form.size) {
      cursor.at = start;
      throw misfit(cursor, this.#node);
    }
    this.#offsets.push(this.#content.length);
  }
  takeMissing(): void {
    throw missing(this.#node);
  }
  begins(byte: number): boolean {
    return byte === SIGNS.OPEN_LIST;
  }
  finish(): Layout {
    const { form } = this.#node;
    const { parameters } = form;
    const content = this.#content.finish();
    if (form.kind === "regular")
      return { kind: "regular", size: form.size, content, length: this.length, parameters };
    return { kind: "listOffset", offsets: this.#offsets.finish(), content, length: this.length, parameters };
  }
}

class OptionColumn implements JsonColumn {
  readonly #node: Numbered;
  readonly #index = new Column(Int32Array);
  readonly #content: JsonColumn;

  constructor(node: NodeOf<"indexedOption">, make: MakeColumn) {
    this.#node = node;
    this.#content = make(node.children[0]!);
  }
  get length(): number {
    return this.#index.length;
  }
  take(cursor: Cursor): void {
    if (cursor.takeNull()) {
      this.#index.push(-1);
      return;
    }
    this.#index.push(this.#content.length);
    this.#content.take(cursor);
  }
  takeMissing(): void {
    this.#index.push(-1);
  }
  begins(byte: number): boolean {
    return byte === 0x6e || this.#content.begins(byte);
  }
  finish(): Layout {
    const content = this.#content.finish();
    const { parameters } = this.#node.form;
    return { kind: "indexedOption", index: this.#index.finish(), content, length: this.length, parameters };
  }
}

/** A value goes to the first content that it begins like. */
class UnionColumn implements JsonColumn {
  readonly #node: Numbered;
  readonly #tags = new Column(Int8Array);
  readonly #index = new Column(Int32Array);
  readonly #contents: readonly JsonColumn[];
  readonly #kinds: readonly JsonColumn[];

  constructor(node: NodeOf<"union">, options: ColumnOptions) {
    this.#node = node;
    this.#contents = node.children.map((child) => columnFor(child, options));
    // What is skipped does not know how it begins; what would be read does.
    const all = options.need.map((): Level => NEEDED);
    this.#kinds = node.children.map((child) => columnFor(child, { ...options, need: all }));
  }
  get length(): number {
    return this.#tags.length;
  }
  take(cursor: Cursor): void {
    const byte = cursor.peek();
    const tag = this.#kinds.findIndex((kind) => kind.begins(byte));
    if (tag < 0) throw misfit(cursor, this.#node);
    this.#tags.push(tag);
    this.#index.push(this.#contents[tag]!.length);
    this.#contents[tag]!.take(cursor);
  }
  takeMissing(): void {
    throw missing(this.#node);
  }
  begins(byte: number): boolean {
    return this.#kinds.some((kind) => kind.begins(byte));
  }
  finish(): Layout {
    const contents = this.#contents.map((content) => content.finish());
    const [tags, index] = [this.#tags.finish(), this.#index.finish()];
    return {
      kind: "union",
      tags,
      index,
      contents,
      length: this.length,
      parameters: this.#node.form.parameters,
    };
  }
}
