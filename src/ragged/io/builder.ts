// Builders: nested JavaScript values in, columns out. A builder holds one column of one type; it gives way to a wider
// one when a value does not fit: nothing → any type, integers → floats → complex, one type → a union of several, and a
// null makes an option. Must hold: rows that were taken keep their values through every change.

import { describe } from "../../core/chunks.ts";
import { DTypeError, ShapeError } from "../../core/errors.ts";
import type { Encoding } from "../../core/form/form.ts";
import { withLogical } from "../../core/form/logical.ts";
import { Complex, integerRange } from "../../core/numbers.ts";
import {
  EMPTY,
  indexedOptionOf,
  type Layout,
  listOf,
  numpyOf,
  recordOf,
  stringOf,
  unionOf,
} from "../layout/layout.ts";
import { Column, WideColumn } from "./growingColumns.ts";

// What a JavaScript value is, for an array. In: anything. Out: its kind, or a typed error for what no array holds.

type ValueKind = "number" | "bool" | "complex" | "string" | "bytes" | "date" | "list" | "record";

function kindOfValue(value: unknown): ValueKind {
  if (typeof value === "number" || typeof value === "bigint") return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (value instanceof Complex) return "complex";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Date && !Number.isNaN(value.getTime())) return "date";
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) return "list";
  if (isPlainObject(value)) return "record";
  throw new DTypeError({
    what: `${describe(value)} cannot be part of an array`,
    cure: "Use numbers, bigints, booleans, strings, Uint8Arrays, Dates, null, lists and plain objects",
  });
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/** A whole number that a double holds exactly; −0 is not one, because an integer could not keep its sign. */
const isWhole = (value: unknown): boolean =>
  typeof value === "bigint" || (Number.isSafeInteger(value) && !Object.is(value, -0));

// Columns of numbers and bools being built. In: values of one kind. Out: a flat layout; and a wider column with the
// same rows when a number does not fit: integers → floats → complex.

interface Builder {
  readonly length: number;
  /** True when this builder can take the value without becoming another. */
  takes(value: unknown): boolean;
  push(value: unknown): void;
  /** The builder that takes the value too and has the same rows so far; null where only a union does. */
  widened(value: unknown): Builder | null;
  finish(): Layout;
}

const [LEAST, MOST] = integerRange("int64");

class IntegerBuilder implements Builder {
  readonly #values = new WideColumn();

  get length(): number {
    return this.#values.length;
  }
  takes(value: unknown): boolean {
    return kindOfValue(value) === "number" && isWhole(value);
  }
  push(value: unknown): void {
    if (typeof value === "number") this.#values.push(value);
    else if ((value as bigint) >= LEAST && (value as bigint) <= MOST) this.#values.pushBig(value as bigint);
    else
      throw new DTypeError({
        what: "a bigint is out of range for int64",
        cure: "Use a number, which rounds it",
      });
  }
  widened(value: unknown): Builder | null {
    const kind = kindOfValue(value);
    if (kind !== "number" && kind !== "complex") return null;
    const floats = new FloatBuilder();
    for (const whole of this.#values.finish()) floats.push(Number(whole));
    return kind === "number" ? floats : floats.widened(value);
  }
  finish(): Layout {
    return numpyOf(this.#values.finish());
  }
}

class FloatBuilder implements Builder {
  readonly #values = new Column(Float64Array);

  get length(): number {
    return this.#values.length;
  }
  takes(value: unknown): boolean {
    return kindOfValue(value) === "number";
  }
  push(value: unknown): void {
    this.#values.push(Number(value));
  }
  widened(value: unknown): Builder | null {
    if (kindOfValue(value) !== "complex") return null;
    const numbers = new ComplexBuilder();
    for (const re of this.#values.finish()) numbers.push(re);
    return numbers;
  }
  finish(): Layout {
    return numpyOf(this.#values.finish());
  }
}

class ComplexBuilder implements Builder {
  readonly #parts = new Column(Float64Array);

  get length(): number {
    return this.#parts.length / 2;
  }
  takes(value: unknown): boolean {
    const kind = kindOfValue(value);
    return kind === "number" || kind === "complex";
  }
  push(value: unknown): void {
    this.#parts.push(value instanceof Complex ? value.re : Number(value));
    this.#parts.push(value instanceof Complex ? value.im : 0);
  }
  widened(): null {
    return null;
  }
  finish(): Layout {
    return numpyOf(this.#parts.finish(), "complex128");
  }
}

class BoolBuilder implements Builder {
  readonly #values = new Column(Uint8Array);

  get length(): number {
    return this.#values.length;
  }
  takes(value: unknown): boolean {
    return typeof value === "boolean";
  }
  push(value: unknown): void {
    this.#values.push(value === true ? 1 : 0);
  }
  widened(): null {
    return null;
  }
  finish(): Layout {
    return numpyOf(this.#values.finish(), "bool");
  }
}

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

/** Uint8Arrays, which are what bytes come back as. */
class BytesBuilder implements Builder {
  readonly #offsets = new Column(Int32Array);
  readonly #bytes = new Column(Uint8Array);

  constructor() {
    this.#offsets.push(0);
  }
  get length(): number {
    return this.#offsets.length - 1;
  }
  takes(value: unknown): boolean {
    return value instanceof Uint8Array;
  }
  push(value: unknown): void {
    this.#bytes.append(typeof value === "string" ? encoder.encode(value) : (value as Uint8Array));
    this.#offsets.push(this.#bytes.length);
  }
  widened(): null {
    return null;
  }
  finish(encoding: Encoding = "bytes"): Layout {
    return stringOf(this.#offsets.finish(), this.#bytes.finish(), encoding);
  }
}

class StringBuilder extends BytesBuilder {
  override takes(value: unknown): boolean {
    return typeof value === "string";
  }
  override finish(): Layout {
    return super.finish("utf8");
  }
}

/** Dates are instants, in milliseconds. */
class DateBuilder implements Builder {
  readonly #values = new WideColumn();

  get length(): number {
    return this.#values.length;
  }
  takes(value: unknown): boolean {
    return kindOfValue(value) === "date";
  }
  push(value: unknown): void {
    this.#values.push((value as Date).getTime());
  }
  widened(): null {
    return null;
  }
  finish(): Layout {
    return withLogical(numpyOf(this.#values.finish()), { kind: "timestamp", unit: "ms", zone: "UTC" });
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
  bytes: BytesBuilder,
  date: DateBuilder,
  list: ListBuilder,
  record: RecordBuilder,
};
