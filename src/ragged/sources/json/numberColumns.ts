// Columns of numbers and booleans. In: a cursor on a value. Out: typed memory of the form's dtype. Must hold: 64-bit
// integers are exact; a number that its dtype cannot hold is a Misfit, but for floats, which round.

import { allocate, type DType, infoOf, isWide, type TypedArray } from "../../../core/dtype.ts";
import { integerRange } from "../../../core/numbers.ts";
import { Column, WideColumn } from "../../io/growingColumns.ts";
import type { Layout } from "../../layout/layout.ts";
import { type Cursor, SIGNS } from "./cursor.ts";
import { type ColumnOptions, type JsonColumn, misfit, missing, type NodeOf } from "./jsonColumn.ts";

const isDigit = (byte: number): boolean => byte === 0x2d || (byte >= 0x30 && byte <= 0x39);

export function numberColumn(node: NodeOf<"numpy">, options: ColumnOptions): JsonColumn {
  const { dtype } = node.form;
  if (dtype === "bool") return new BoolColumn(node, options);
  return isWide(dtype) ? new WideNumbers(node, options) : new Numbers(node, options);
}

abstract class NumpyColumn implements JsonColumn {
  protected readonly node: NodeOf<"numpy">;
  protected readonly options: ColumnOptions;
  abstract readonly length: number;

  constructor(node: NodeOf<"numpy">, options: ColumnOptions) {
    this.node = node;
    this.options = options;
  }
  abstract take(cursor: Cursor): void;
  protected abstract data(): TypedArray;
  takeMissing(): void {
    throw missing(this.node);
  }
  begins(byte: number): boolean {
    return isDigit(byte);
  }
  finish(): Layout {
    const { dtype, parameters } = this.node.form;
    return { kind: "numpy", dtype, innerShape: [], data: this.data(), length: this.length, parameters };
  }
}

class BoolColumn extends NumpyColumn {
  readonly #values = new Column(Uint8Array);

  get length(): number {
    return this.#values.length;
  }
  take(cursor: Cursor): void {
    const byte = cursor.peek();
    if (byte === 0x74 && cursor.takeWord("true")) this.#values.push(1);
    else if (byte === 0x66 && cursor.takeWord("false")) this.#values.push(0);
    else throw misfit(cursor, this.node);
  }
  override begins(byte: number): boolean {
    return byte === 0x74 || byte === 0x66;
  }
  protected data(): TypedArray {
    return this.#values.finish();
  }
}

/** How numbers are written that JSON has no signs for. */
const NON_FINITE: { readonly [text: string]: number } = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

class Numbers extends NumpyColumn {
  #data: TypedArray;
  length = 0;
  readonly #range: readonly [number, number] | null;

  constructor(node: NodeOf<"numpy">, options: ColumnOptions) {
    super(node, options);
    const { dtype } = node.form;
    this.#data = allocate(dtype, 16);
    this.#range = infoOf(dtype).kind === "float" ? null : rangeOf(dtype);
  }
  take(cursor: Cursor): void {
    if (this.length === this.#data.length) this.#grow();
    (this.#data as Float64Array)[this.length++] = this.#number(cursor);
  }
  #number(cursor: Cursor): number {
    const byte = cursor.peek();
    if (!isDigit(byte)) return this.#named(cursor, byte);
    const start = cursor.at;
    const value = cursor.takeNumber();
    this.options.onNumber?.(this.node, cursor, start);
    const range = this.#range;
    if (range === null || (Number.isInteger(value) && value >= range[0] && value <= range[1])) return value;
    cursor.at = start;
    throw misfit(cursor, this.node);
  }
  #named(cursor: Cursor, byte: number): number {
    const start = cursor.at;
    if (byte === SIGNS.QUOTE && this.#range === null) {
      cursor.takeText();
      const value = NON_FINITE[cursor.text()];
      if (value !== undefined) return value;
    }
    cursor.at = start;
    throw misfit(cursor, this.node);
  }
  #grow(): void {
    const data = allocate(this.node.form.dtype, 2 * this.#data.length);
    data.set(this.#data as never);
    this.#data = data;
  }
  protected data(): TypedArray {
    return this.#data.slice(0, this.length) as TypedArray;
  }
}

function rangeOf(dtype: DType): readonly [number, number] {
  const [least, most] = integerRange(dtype);
  return [Number(least), Number(most)];
}

/** 64-bit integers: exact however long they are. */
class WideNumbers extends NumpyColumn {
  readonly #values = new WideColumn();

  get length(): number {
    return this.#values.length;
  }
  take(cursor: Cursor): void {
    if (!isDigit(cursor.peek())) throw misfit(cursor, this.node);
    const start = cursor.at;
    const value = cursor.takeNumber();
    this.options.onNumber?.(this.node, cursor, start);
    if (Number.isSafeInteger(value) && (value >= 0 || this.node.form.dtype === "int64"))
      this.#values.push(value);
    else this.#pushLong(cursor, start, value);
  }
  #pushLong(cursor: Cursor, start: number, value: number): void {
    const whole = cursor.wholeFrom(start) ?? (Number.isInteger(value) ? BigInt(value) : null);
    const [least, most] = integerRange(this.node.form.dtype);
    if (whole !== null && whole >= least && whole <= most) return this.#values.pushBig(whole);
    cursor.at = start;
    throw misfit(cursor, this.node);
  }
  protected data(): TypedArray {
    const data = this.#values.finish();
    return this.node.form.dtype === "int64" ? data : new BigUint64Array(data.buffer);
  }
}
