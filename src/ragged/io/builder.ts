// Builders: nested JavaScript values in, columns out. A builder holds one column of one type; it gives way to a wider
// one when a value does not fit: nothing → any type, integers → floats → complex, one type → a union of several, and a
// null makes an option. Must hold: rows that were taken keep their values through every change.

import { ShapeError } from "../../core/errors.ts";
import {
  EMPTY,
  indexedOptionOf,
  type Layout,
  listOf,
  recordOf,
  stringOf,
  unionOf,
} from "../layout/layout.ts";
import { Column } from "./growingColumns.ts";
import { BoolBuilder, type Builder, ComplexBuilder, FloatBuilder, IntegerBuilder } from "./numberBuilders.ts";
import { isWhole, kindOfValue, type ValueKind } from "./valueKind.ts";

/** Deeper than any data; a list that holds itself ends here. */
const MAX_DEPTH = 64;

/** A column of values whatever they are: the one that lists, records and the top hold. */
export class Slot {
  readonly #depth: number;
  #builder: Builder | null = null;
  /** Where each row is, −1 for nulls; made when the first null comes. */
  #index: Column<Int32Array> | null = null;
  length = 0;

  constructor(depth: number) {
    this.#depth = depth;
    if (depth > MAX_DEPTH)
      throw new ShapeError({
        what: `data is nested deeper than ${MAX_DEPTH}`,
        cure: "Does a list contain itself?",
      });
  }

  push(value: unknown): void {
    if (value === null || value === undefined) this.pushNulls(1);
    else this.#pushValue(value);
  }

  pushNulls(count: number): void {
    this.#index ??= this.#identity();
    for (let i = 0; i < count; i++) this.#index.push(-1);
    this.length += count;
  }

  #identity(): Column<Int32Array> {
    const index = new Column(Int32Array);
    for (let i = 0; i < this.length; i++) index.push(i);
    return index;
  }

  #pushValue(value: unknown): void {
    this.#builder ??= builderFor(value, this.#depth);
    if (!this.#builder.takes(value))
      this.#builder = this.#builder.widened(value) ?? new UnionBuilder(this.#builder, this.#depth);
    this.#index?.push(this.#builder.length);
    this.#builder.push(value);
    this.length++;
  }

  finish(): Layout {
    const content = this.#builder?.finish() ?? EMPTY;
    return this.#index === null ? content : indexedOptionOf(this.#index.finish(), content);
  }
}

function builderFor(value: unknown, depth: number): Builder {
  const kind = kindOfValue(value);
  if (kind === "number") return isWhole(value) ? new IntegerBuilder() : new FloatBuilder();
  return new BUILDERS[kind](depth);
}

const encoder = new TextEncoder();

class StringBuilder implements Builder {
  readonly #offsets = new Column(Int32Array);
  readonly #bytes = new Column(Uint8Array);

  constructor() {
    this.#offsets.push(0);
  }
  get length(): number {
    return this.#offsets.length - 1;
  }
  takes(value: unknown): boolean {
    return typeof value === "string";
  }
  push(value: unknown): void {
    this.#bytes.append(encoder.encode(value as string));
    this.#offsets.push(this.#bytes.length);
  }
  widened(): null {
    return null;
  }
  finish(): Layout {
    return stringOf(this.#offsets.finish(), this.#bytes.finish());
  }
}

class ListBuilder implements Builder {
  readonly #offsets = new Column(Int32Array);
  readonly #content: Slot;

  constructor(depth: number) {
    this.#content = new Slot(depth + 1);
    this.#offsets.push(0);
  }
  get length(): number {
    return this.#offsets.length - 1;
  }
  takes(value: unknown): boolean {
    return kindOfValue(value) === "list";
  }
  push(value: unknown): void {
    // Not for…of: typed arrays and lists are walked by number alike, and a hole is a null.
    const list = value as ArrayLike<unknown>;
    for (let i = 0; i < list.length; i++) this.#content.push(list[i]);
    this.#offsets.push(this.#content.length);
  }
  widened(): null {
    return null;
  }
  finish(): Layout {
    return listOf(this.#offsets.finish(), this.#content.finish());
  }
}

class RecordBuilder implements Builder {
  readonly #depth: number;
  readonly #fields = new Map<string, Slot>();
  length = 0;

  constructor(depth: number) {
    this.#depth = depth;
  }
  takes(value: unknown): boolean {
    return kindOfValue(value) === "record";
  }
  push(value: unknown): void {
    const row = value as { readonly [name: string]: unknown };
    for (const name of Object.keys(row)) this.#field(name).push(row[name]);
    this.length++;
    for (const slot of this.#fields.values()) if (slot.length < this.length) slot.pushNulls(1);
  }
  /** A field that comes later was null before. */
  #field(name: string): Slot {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const slot = new Slot(this.#depth + 1);
    if (this.length > 0) slot.pushNulls(this.length);
    this.#fields.set(name, slot);
    return slot;
  }
  widened(): null {
    return null;
  }
  finish(): Layout {
    const contents = [...this.#fields.values()].map((slot) => slot.finish());
    return recordOf([...this.#fields.keys()], contents, this.length);
  }
}

class UnionBuilder implements Builder {
  readonly #depth: number;
  readonly #tags = new Column(Int8Array);
  readonly #index = new Column(Int32Array);
  readonly #builders: Builder[];

  constructor(first: Builder, depth: number) {
    this.#depth = depth;
    this.#builders = [first];
    for (let i = 0; i < first.length; i++) {
      this.#tags.push(0);
      this.#index.push(i);
    }
  }
  get length(): number {
    return this.#tags.length;
  }
  takes(): boolean {
    return true;
  }
  push(value: unknown): void {
    const tag = this.#tagFor(value);
    this.#tags.push(tag);
    this.#index.push(this.#builders[tag]!.length);
    this.#builders[tag]!.push(value);
  }
  #tagFor(value: unknown): number {
    const taken = this.#builders.findIndex((builder) => builder.takes(value));
    if (taken >= 0) return taken;
    if (kindOfValue(value) !== "number" && kindOfValue(value) !== "complex") return this.#added(value);
    // A float among integers makes them floats, as it would outside of a union.
    const numbers = this.#builders.findIndex((b) => b instanceof IntegerBuilder || b instanceof FloatBuilder);
    if (numbers < 0) return this.#added(value);
    const wider = this.#builders[numbers]!.widened(value);
    if (wider === null) return this.#added(value);
    this.#builders[numbers] = wider;
    return numbers;
  }
  #added(value: unknown): number {
    return this.#builders.push(builderFor(value, this.#depth)) - 1;
  }
  widened(): Builder {
    return this;
  }
  finish(): Layout {
    const contents = this.#builders.map((builder) => builder.finish());
    return unionOf(this.#tags.finish(), this.#index.finish(), contents);
  }
}

const BUILDERS: { readonly [K in Exclude<ValueKind, "number">]: new (depth: number) => Builder } = {
  bool: BoolBuilder,
  complex: ComplexBuilder,
  string: StringBuilder,
  list: ListBuilder,
  record: RecordBuilder,
};
