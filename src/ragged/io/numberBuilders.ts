// Columns of numbers and bools being built. In: values of one kind. Out: a flat layout; and a wider column with the
// same rows when a number does not fit: integers → floats → complex.

import { DTypeError } from "../../core/errors.ts";
import { Complex, integerRange } from "../../core/numbers.ts";
import { type Layout, numpyOf } from "../layout/layout.ts";
import { Column, WideColumn } from "./growingColumns.ts";
import { isWhole, kindOfValue } from "./valueKind.ts";

export interface Builder {
  readonly length: number;
  /** True when this builder can take the value without becoming another. */
  takes(value: unknown): boolean;
  push(value: unknown): void;
  /** The builder that takes the value too and has the same rows so far; null where only a union does. */
  widened(value: unknown): Builder | null;
  finish(): Layout;
}

const [LEAST, MOST] = integerRange("int64");

export class IntegerBuilder implements Builder {
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

export class FloatBuilder implements Builder {
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

export class ComplexBuilder implements Builder {
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

export class BoolBuilder implements Builder {
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
